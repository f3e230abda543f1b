package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/batch/jobs"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
)

func newBatchRun(std *cli.Std) *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use: "run FILE", Short: "Run a job file, or resume it", Args: cli.Args(cobra.ExactArgs(1)),
		Example: `  skillhand batch run reviews.yaml -j 8 --rate 30/m --budget-usd 25
  skillhand batch run reviews.yaml -o results.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBatch(cmd.Context(), std, &o, args[0])
		},
	}
	o.dbFlag(cmd)
	o.limitFlags(cmd)
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "a `file` for the results: a JSON line a job, in the order of the job file")
	return cmd
}

func runBatch(ctx context.Context, std *cli.Std, o *batchOptions, name string) error {
	if err := cli.CheckOutput(o.output); err != nil {
		return err
	}
	a, err := o.add(ctx, std, name)
	if err != nil || a == nil {
		return err
	}
	defer a.db.Close()
	if before, err := a.db.Status(ctx, a.id); err == nil && before.Left() == 0 && a.added == 0 {
		return o.nothingLeft(ctx, std, a, before)
	}
	w, err := watch(ctx, std, a.db, a.id, o.json)
	if err != nil {
		return err
	}
	limits, err := o.limits()
	if err != nil {
		return err
	}
	worker := worker(std, a.db, max(limits.Concurrency, 0), a.id)
	worker.Alone = !batch.Remote(o.database(std))
	stuck, err := w.Work(ctx, func(ctx context.Context) error { return noDatabase(worker.Run(ctx)) })
	// Report finished jobs even if the run failed.
	last := context.WithoutCancel(ctx)
	s, werr := endWatch(last, std, w, o.json, stuck)
	err = errors.Join(err, werr)
	if o.output != "" {
		err = errors.Join(err, jobs.WriteResults(last, a.db, a.id, o.output))
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return err
	}
	if stuck != "" && s.Left() > 0 {
		return cli.Said(cli.ExitMissing)
	}
	return batchError(s)
}

// nothingLeft prints when the jobs of a batch ended, and how to run them again.
func (o *batchOptions) nothingLeft(ctx context.Context, std *cli.Std, a *addition, s *batch.Status) error {
	if o.output != "" {
		if err := jobs.WriteResults(ctx, a.db, a.id, o.output); err != nil {
			return err
		}
	}
	if o.json {
		if err := std.PrintJSON(batch.EndEvent{Event: "end", Status: s}); err != nil {
			return err
		}
		return batchError(s)
	}
	text := term.Flat(s.Name) + ": " + jobs.Done(s)
	switch {
	case s.Done < s.Total:
	case s.Total == 1:
		text += "; run it again with --fresh"
	default:
		text += "; run them again with --fresh"
	}
	std.Say(text)
	return batchError(s)
}

// noDatabase gives a database error its exit status.
func noDatabase(err error) error {
	if err == nil {
		return nil
	}
	return cli.Exit(cli.ExitMissing, err)
}

// batchError returns the exit status of a batch as an error whose text was printed already.
func batchError(s *batch.Status) error {
	if status := batchStatus(s); status != cli.ExitOK {
		return cli.Said(status)
	}
	return nil
}

func batchStatus(s *batch.Status) int {
	switch {
	case s.Left() > 0 && s.Stopped == batch.Credentials:
		return cli.ExitAccount
	case s.Left() > 0:
		return cli.ExitLater
	case s.Failed+s.Canceled+s.Skipped > 0:
		return cli.ExitFailed
	}
	return cli.ExitOK
}

// watch follows a batch and prints a line for each job to stdout. If a terminal shows the progress,
// only jobs that were not done get a line.
func watch(ctx context.Context, std *cli.Std, db *batch.DB, id int64, json bool) (*jobs.Watch, error) {
	w, err := jobs.NewWatch(ctx, db, id)
	if err != nil {
		return nil, err
	}
	if w.Warn = std.Warn; std.Live() && !json {
		w.Screen = std.NewScreen()
	}
	w.Each = func(r batch.Result) error {
		if json {
			return std.PrintJSON(batch.JobEvent{Event: "job", Batch: w.Name, Result: r})
		}
		if w.Screen != nil && term.IsTerminal(std.Out) && r.State == batch.Done {
			return nil
		}
		line := jobs.Line(r, std.Painter()) + "\n"
		if !strings.HasSuffix(r.Error, r.Log) { // otherwise the line contains the log
			line += jobs.Tail(r.Log, 3)
		}
		w.Clear()
		return std.Print(line)
	}
	return w, nil
}

// endWatch prints the last jobs and the summary of the batch. stuck says why no worker runs the
// waiting jobs, if that is so.
func endWatch(ctx context.Context, std *cli.Std, w *jobs.Watch, json bool, stuck string) (*batch.Status, error) {
	s, err := w.End(ctx)
	if err != nil {
		return nil, err
	}
	if json {
		return s, std.PrintJSON(batch.EndEvent{Event: "end", Status: s})
	}
	text := jobs.Summary(s)
	if stuck != "" && s.Left() > 0 {
		text += ": " + stuck
	}
	std.Say(term.Flat(w.Name) + ": " + text)
	return s, nil
}
