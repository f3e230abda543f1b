package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/batch/jobs"
	"github.com/skillhand/skillhand/internal/cli"
)

func newBatchShow(std *cli.Std) *cobra.Command {
	var o batchOptions
	var failed, follow bool
	var export string
	cmd := &cobra.Command{
		Use: "show [NAME [JOB]]", Short: "Show a batch, its jobs, or one job", Args: cli.Args(cobra.MaximumNArgs(2)),
		Long: `Show the progress of the batch NAME, or of the latest batch. With a NAME, also list
its jobs, unfinished and failed ones first. With a JOB, show everything about it:
the answer, the end of stderr, every attempt. With --format, print every job in the
order of the job file.`,
		Example: `  skillhand batch show reviews --failed
  skillhand batch show reviews src/auth.go
  skillhand batch show reviews --follow
  skillhand batch show reviews --format csv > reviews.csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			db, err := o.openExisting(ctx, std)
			if err != nil {
				return err
			}
			defer db.Close()
			s, err := statusOf(ctx, db, args)
			if err != nil {
				return err
			}
			switch {
			case len(args) == 2:
				return showJob(ctx, std, db, s, args[1], o.json)
			case export != "":
				return exportJobs(ctx, std, db, s.ID, export, failed)
			case follow:
				return followBatch(ctx, std, db, s.ID, o.json)
			case failed:
				return showFailed(ctx, std, db, s.ID, o.json)
			}
			return showBatch(ctx, std, db, s, o.json, len(args) == 1)
		},
	}
	o.dbFlag(cmd)
	f := cmd.Flags()
	f.BoolVar(&failed, "failed", false, "only the jobs that failed, were canceled or were skipped")
	f.BoolVar(&follow, "follow", false, "watch it until it ends")
	cli.OneOf(cmd, &export, "format", "print all jobs in a `format`", "jsonl", "csv")
	f.BoolVar(&o.json, "json", false, "print one JSON document; with --failed, a line of JSON for each job")
	cmd.ValidArgsFunction = o.completeNames(std)
	cmd.MarkFlagsMutuallyExclusive("follow", "format")
	cmd.MarkFlagsMutuallyExclusive("follow", "failed")
	return cmd
}

// statusOf returns the batch named by the arguments, or the latest.
func statusOf(ctx context.Context, db *batch.DB, args []string) (*batch.Status, error) {
	if len(args) > 0 {
		return find(ctx, db, args[0])
	}
	all, err := db.List(ctx)
	if err != nil {
		return nil, noDatabase(err)
	}
	if len(all) == 0 {
		return nil, cli.Exit(cli.ExitMissing, errNoBatches)
	}
	return &all[len(all)-1], nil
}

func showBatch(ctx context.Context, std *cli.Std, db *batch.DB, s *batch.Status, asJSON, table bool) error {
	if asJSON {
		return std.PrintJSON(s)
	}
	text, err := jobs.Overview(ctx, db, s)
	if err == nil && table {
		var rows string
		rows, err = jobs.Table(ctx, db, s, std.Painter())
		text += rows
	}
	if err != nil {
		return noDatabase(err)
	}
	return std.Print(text)
}

func showJob(ctx context.Context, std *cli.Std, db *batch.DB, s *batch.Status, name string, asJSON bool) error {
	r, attempts, err := db.Job(ctx, s.ID, name)
	if errors.Is(err, batch.ErrNoJob) {
		return cli.Exit(cli.ExitMissing, fmt.Errorf("%s: %w: see skillhand batch show %s", jobs.Called(s), err, jobs.Called(s)))
	}
	if err != nil {
		return noDatabase(err)
	}
	if asJSON {
		return std.PrintJSON(batch.JobDocument{Result: r, Tries: attempts})
	}
	return std.Print(jobs.Text(r, attempts, std.Painter()))
}

func showFailed(ctx context.Context, std *cli.Std, db *batch.DB, id int64, asJSON bool) error {
	if asJSON {
		return stdout(db.WriteLines(ctx, std, id, batch.State.NotDone))
	}
	for r, err := range db.Jobs(ctx, id, batch.Query{States: []batch.State{batch.Failed, batch.Canceled, batch.Skipped}}) {
		if err == nil {
			err = std.Print(jobs.Line(r, std.Painter()) + "\n" + jobs.Tail(r.Log, 10))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stdout adds the name stdout to an error of writing there.
func stdout(err error) error {
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("stdout: %w", wrong)
	}
	return err
}

// followBatch watches a batch whose jobs other processes run.
func followBatch(ctx context.Context, std *cli.Std, db *batch.DB, id int64, asJSON bool) error {
	w, err := watch(ctx, std, db, id, asJSON)
	if err != nil {
		return err
	}
	if err := w.Until(ctx, func(s *batch.Status) bool { return s.Left() == 0 }); err != nil {
		w.Clear()
		return err
	}
	s, err := endWatch(ctx, std, w, asJSON, "")
	if err != nil {
		return err
	}
	return batchError(s)
}

func exportJobs(ctx context.Context, std *cli.Std, db *batch.DB, id int64, format string, failed bool) error {
	wanted := func(s batch.State) bool { return !failed || s.NotDone() }
	if format == "jsonl" {
		return stdout(db.WriteLines(ctx, std, id, wanted))
	}
	return stdout(db.WriteCSV(ctx, std.Out, id, wanted))
}

func newBatchList(std *cli.Std) *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use: "list", Short: "List the batches", Args: cli.Args(cobra.NoArgs), Example: "  skillhand batch list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := o.openExisting(cmd.Context(), std)
			if errors.Is(err, errNoBatches) {
				fmt.Fprintln(std.Err, "skillhand: no batches yet")
				return nil
			}
			if err != nil {
				return err
			}
			defer db.Close()
			list, err := db.List(cmd.Context())
			if err != nil {
				return noDatabase(err)
			}
			if len(list) == 0 {
				fmt.Fprintln(std.Err, "skillhand: no batches")
			}
			return cli.PrintEach(std, o.json, list, func(s batch.Status) string { return jobs.ListLine(&s) })
		},
	}
	o.dbFlag(cmd)
	cmd.Flags().BoolVar(&o.json, "json", false, "print a line of JSON for each batch")
	return cmd
}
