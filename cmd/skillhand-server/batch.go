package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/batch"
	"github.com/skillhand/skillhand/batch/jobfile"
	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/proc"
)

func newBatch(std *cli.Std) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "batch",
		Short: "Many runs and asks as durable jobs",
		Long: `Do many runs and asks as jobs that survive: a job whose worker died runs again,
and each has one result. A job file says what to do, in YAML or as JSON lines:

  name: reviews
  defaults: {timeout: 20m, retries: 3, max_budget_usd: 0.5}
  jobs:
    - {id: lint, run: ./skills/lint, args: [src]}
    - {id: auth, ask: Review src/auth.go, skill: review, needs: [lint]}
    - {each: "src/*.go", ask: "Review {file}"}

The same command again goes on where it stopped. Jobs are kept in a file of this
machine, or in Postgres for any number of machines: --db postgres://...

Exit status: 0 all done, 1 some failed, 2 a faulty job file, 3 no database, 4 work
is left (budget, limit), 5 credentials, 130 interrupted.`,
		Example: `  skillhand batch run reviews.yaml --concurrency 8 -o results.jsonl
  skillhand batch add reviews.yaml --db postgres://db/skillhand
  skillhand batch work --db postgres://db/skillhand
  skillhand batch show reviews --failed
  skillhand batch retry reviews`,
		Args: cli.Args(cobra.NoArgs),
	}
	cmd.AddCommand(newBatchRun(std), newBatchAdd(std), newBatchWork(std), newBatchShow(std), newBatchRetry(std), newBatchCancel(std), newBatchList(std))
	return cmd
}

// batchOptions are the flags of all batch commands.
type batchOptions struct {
	db          string
	concurrency int
	rate        string
	budget      float64
	output      string
	json        bool
	dryRun      bool
}

func (o *batchOptions) dbFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.db, "db", "", "the database: a `file` or postgres://... (default $SKILLHAND_BATCH_DB, else one in the state folder)")
}

func (o *batchOptions) limitFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.concurrency, "concurrency", 0, "jobs at the same `time`, over all machines (default 4 here, no limit elsewhere)")
	f.StringVar(&o.rate, "rate", "", "starts of jobs, over all machines, such as `30/m`")
	f.Float64Var(&o.budget, "budget-usd", 0, "never spend more than this many `dollars` on the batch")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the jobs and do nothing")
	f.BoolVar(&o.json, "json", false, "print a JSON line for each job and one at the end")
}

// limits are what the flags say, checked.
func (o *batchOptions) limits() (batch.Limits, error) {
	l := batch.Limits{Concurrency: o.concurrency, BudgetUSD: o.budget}
	var err error
	if o.rate != "" {
		l.Starts, l.Window, err = parseRate(o.rate)
	}
	switch {
	case err != nil:
		return l, cli.Exit(cli.ExitUsage, err)
	case o.concurrency < 0 || o.concurrency > 10_000:
		return l, cli.Usagef("--concurrency is %d, want 1 to 10000", o.concurrency)
	case !(o.budget >= 0):
		return l, cli.Usagef("--budget-usd is %v, want dollars", o.budget)
	}
	return l, nil
}

// parseRate reads 30/m, 5/s, 100/h or 10/90s.
func parseRate(text string) (starts int, window time.Duration, err error) {
	number, unit, ok := strings.Cut(text, "/")
	starts, err = strconv.Atoi(number)
	if strings.IndexAny(unit, "0123456789") != 0 {
		unit = "1" + unit
	}
	window, werr := time.ParseDuration(unit)
	if !ok || err != nil || werr != nil || starts < 1 || window <= 0 {
		return 0, 0, fmt.Errorf("--rate is %s, want a number of starts and a time, such as 30/m", text)
	}
	return starts, window, nil
}

// database is the one that was named, or "".
func (o *batchOptions) database(std *cli.Std) string {
	if o.db != "" {
		return o.db
	}
	return std.Getenv("SKILLHAND_BATCH_DB")
}

// open opens the database that the flags name, and makes it if it is a file that is not there.
func (o *batchOptions) open(ctx context.Context, std *cli.Std) (*batch.DB, error) {
	return o.openDB(ctx, std, false)
}

// openExisting opens the database that the flags name. Whoever looks for jobs makes none: a name
// that was mistyped must not be an empty database.
func (o *batchOptions) openExisting(ctx context.Context, std *cli.Std) (*batch.DB, error) {
	db, err := o.openDB(ctx, std, true)
	if errors.Is(err, fs.ErrNotExist) && o.database(std) == "" {
		err = cli.Exit(cli.ExitMissing, errNoBatches)
	}
	return db, err
}

// errNoBatches is the error of the database of this machine before its first batch.
var errNoBatches = errors.New("there are no batches yet: see skillhand batch --help")

func (o *batchOptions) openDB(ctx context.Context, std *cli.Std, existing bool) (*batch.DB, error) {
	h, err := here.From("", std.Env)
	if err != nil {
		return nil, err
	}
	database := o.database(std)
	if database == "" {
		database = filepath.Join(h.State, "batch.db")
	}
	options := batch.Options{Database: database, Existing: existing}
	if batch.Remote(database) {
		options.Locks = filepath.Join(h.State, "batch-workers")
	}
	db, err := batch.Open(ctx, options)
	if errors.Is(err, batch.ErrScheme) {
		return nil, cli.Exit(cli.ExitUsage, err)
	}
	if err != nil {
		return nil, cli.Exit(cli.ExitMissing, err)
	}
	return db, nil
}

// readJobs reads a job file, - for stdin.
func (o *batchOptions) readJobs(std *cli.Std, name string) (*jobfile.File, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var src []byte
	if name == "-" {
		src, err = io.ReadAll(std.In)
	} else {
		src, err = os.ReadFile(name)
		dir = filepath.Dir(paths.In(dir, name))
	}
	if err != nil {
		return nil, cli.Exit(cli.ExitUsage, plainPath(err))
	}
	file, err := jobfile.Parse(name, src, dir)
	if err != nil {
		return nil, cli.Exit(cli.ExitUsage, err)
	}
	if o.budget > 0 {
		for _, j := range file.Jobs {
			if j.Kind == jobfile.Ask && j.MaxUSD == 0 {
				return nil, cli.Usagef("job %s: has no max_budget_usd, which --budget-usd needs to hold: set it in defaults", j.ID)
			}
		}
	}
	return file, nil
}

// plainPath names a file before what is wrong with it.
func plainPath(err error) error {
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", wrong.Path, wrong.Err)
	}
	return err
}

// add puts the jobs of a file into the database. With --dry-run it prints them instead.
func (o *batchOptions) add(ctx context.Context, std *cli.Std, name string) (db *batch.DB, file *jobfile.File, added int, err error) {
	limits, err := o.limits()
	if err != nil {
		return nil, nil, 0, err
	}
	if file, err = o.readJobs(std, name); err != nil {
		return nil, nil, 0, err
	}
	if o.dryRun {
		return nil, file, 0, o.printJobs(std, file)
	}
	if db, err = o.open(ctx, std); err != nil {
		return nil, nil, 0, err
	}
	added, err = db.Add(ctx, file.Name, file.Jobs, limits)
	if err == nil {
		_, err = db.Resume(ctx, file.Name)
	}
	if err != nil {
		db.Close()
		switch {
		case ctx.Err() != nil:
		case errors.Is(err, batch.ErrOther):
			err = cli.Exit(cli.ExitUsage, fmt.Errorf("%s: %w", file.Name, err))
		default:
			err = noDatabase(fmt.Errorf("%s: %w", file.Name, err))
		}
		return nil, nil, 0, err
	}
	return db, file, added, nil
}

func (o *batchOptions) printJobs(std *cli.Std, file *jobfile.File) error {
	for _, j := range file.Jobs {
		if o.json {
			if err := std.PrintJSON(j); err != nil {
				return err
			}
			continue
		}
		needs := ""
		if len(j.Needs) > 0 {
			needs = "  needs " + strings.Join(j.Needs, ", ")
		}
		if err := std.Print(fmt.Sprintf("%s  %s%s\n", j.Kind, term.Flat(j.ID), needs)); err != nil {
			return err
		}
	}
	return nil
}

// worker makes the worker of this process.
func (o *batchOptions) worker(std *cli.Std, db *batch.DB, batches []string) *batch.Worker {
	return &batch.Worker{
		DB: db, Do: doJob(std.Env, db, nil), Slots: o.concurrency, Batches: batches, Warn: std.Warn,
		Orphaned: func(id string) {
			proc.KillMarked(batch.WorkerVariable, id)
			_ = os.RemoveAll(tryScratch(id)) // what stays is in the temporary folder
		},
	}
}

func newBatchAdd(std *cli.Std) *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use: "add FILE", Short: "Add the jobs of a file, for workers to do", Args: cli.Args(cobra.ExactArgs(1)),
		Example: "  skillhand batch add reviews.yaml --db postgres://db/skillhand --rate 30/m",
		RunE: func(cmd *cobra.Command, args []string) error {
			db, file, added, err := o.add(cmd.Context(), std, args[0])
			if err != nil || db == nil {
				return err
			}
			defer db.Close()
			if o.json {
				s, err := db.Status(cmd.Context(), file.Name)
				if err != nil {
					return err
				}
				return std.PrintJSON(s)
			}
			return std.Print(fmt.Sprintf("%s: %s added, %d were there\n", file.Name, term.Plural(added, "job"), len(file.Jobs)-added))
		},
	}
	o.dbFlag(cmd)
	o.limitFlags(cmd)
	return cmd
}

func newBatchWork(std *cli.Std) *cobra.Command {
	var o batchOptions
	var drain bool
	cmd := &cobra.Command{
		Use: "work", Short: "Do the jobs of all batches, as they come", Args: cli.Args(cobra.NoArgs),
		Example: "  skillhand batch work --db postgres://db/skillhand --concurrency 8",
		RunE: func(cmd *cobra.Command, _ []string) error {
			open := o.open
			if drain {
				open = o.openExisting // nobody adds to it later
			}
			db, err := open(cmd.Context(), std)
			if err != nil {
				return err
			}
			defer db.Close()
			return work(cmd.Context(), std, o.worker(std, db, nil), drain)
		},
	}
	o.dbFlag(cmd)
	cmd.Flags().IntVar(&o.concurrency, "concurrency", 4, "jobs at the same `time` in this process")
	cmd.Flags().BoolVar(&drain, "drain", false, "end when nothing is left that can be done")
	return cmd
}

// work runs a worker of all batches; with drain, until nothing is left that can be done.
func work(ctx context.Context, std *cli.Std, w *batch.Worker, drain bool) error {
	own, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- noDatabase(w.Run(own)) }()
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return errors.Join(err, context.Cause(ctx))
		case <-tick.C:
		}
		if !drain {
			continue
		}
		list, err := w.DB.List(own)
		if err != nil {
			continue // the worker says so, if it lasts
		}
		left := false
		for _, s := range list {
			left = left || !still(&s)
		}
		if !left {
			stop()
			if err := <-ended; err != nil {
				return err
			}
			return context.Cause(ctx)
		}
	}
}

// still reports whether nothing will happen in a batch by itself.
func still(s *batch.Status) bool {
	return s.Left() == 0 || s.Open == 0 && (s.Stopped != "" || s.Short && s.Paused == nil)
}

func newBatchRetry(std *cli.Std) *cobra.Command {
	return newBatchEdit(std, "retry NAME [ID...]", "Take failed jobs again: all of a batch, or those named", "taken again",
		func(ctx context.Context, db *batch.DB, name string, ids []string) (int, error) {
			return db.Retry(ctx, name, ids)
		})
}

func newBatchCancel(std *cli.Std) *cobra.Command {
	return newBatchEdit(std, "cancel NAME [ID...]", "End jobs, running or waiting: all of a batch, or those named", "canceled",
		func(ctx context.Context, db *batch.DB, name string, ids []string) (int, error) {
			return db.Cancel(ctx, name, ids)
		})
}

func newBatchEdit(std *cli.Std, use, short, done string, edit func(ctx context.Context, db *batch.DB, name string, ids []string) (int, error)) *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := o.openExisting(cmd.Context(), std)
			if err != nil {
				return err
			}
			defer db.Close()
			var ids []string
			if len(args) > 1 {
				ids = args[1:]
			}
			n, err := edit(cmd.Context(), db, args[0], ids)
			if err != nil {
				return err
			}
			return std.Print(fmt.Sprintf("%s: %s %s\n", args[0], term.Plural(n, "job"), done))
		},
	}
	o.dbFlag(cmd)
	return cmd
}
