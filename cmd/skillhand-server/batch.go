package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/batch/jobs"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
)

func newBatch(std *cli.Std) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "batch",
		Short: "Run many scripts and prompts as durable jobs",
		Long: `Run many scripts and prompts as durable jobs. If a worker dies, another worker takes
over its job; each job ends with one result. A job file lists the jobs, in YAML or
as JSON lines:

  name: reviews
  defaults: {timeout: 20m, retries: 3, max_budget_usd: 0.5}
  jobs:
    - {id: lint, run: ./skills/lint, args: [src]}
    - {id: auth, ask: Review src/auth.go, skill: review, needs: [lint]}
    - {each: "src/*.go", ask: "Review {file}"}

A script must end with a report, as for skillhand run; skillhand emit prints one. A
script that prints no report has failed, whatever its exit status.

Run the same command again to resume, or with --fresh to start over. skillhand keeps
jobs in a file on this machine, or in Postgres for any number of machines: --db
postgres://... In Postgres, a batch is identified by its name; in the file, by its
name and the folder of its job file.

Exit status: 0 all done, 1 some failed, 2 an error in the job file, 3 no database,
no such batch or no claude, 4 unfinished jobs (budget, limit), 5 credentials, 130
and 143 interrupted. On SIGTERM, batch work gives its jobs back and exits with 0.`,
		Example: `  skillhand batch run reviews.yaml -j 8 -o results.jsonl
  skillhand batch add reviews.yaml --db postgres://db/skillhand
  skillhand batch work --db postgres://db/skillhand
  skillhand batch show reviews --failed
  skillhand batch retry reviews`,
	}
	cli.Group(cmd)
	cmd.AddCommand(
		newBatchRun(std), newBatchAdd(std), newBatchWork(std), newBatchShow(std),
		newBatchRetry(std), newBatchCancel(std), newBatchRemove(std), newBatchList(std),
	)
	return cmd
}

// batchOptions are the flags of all batch commands.
type batchOptions struct {
	db          string
	concurrency string
	rate        string
	budget      string
	output      string
	json        bool
	dryRun      bool
	fresh       bool
}

func (o *batchOptions) dbFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.db, "db", "",
		"the database: a `file` or postgres://... (default $SKILLHAND_BATCH_DB, else one in the state folder)")
}

func (o *batchOptions) limitFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.VarP((*limitValue)(&o.concurrency), "jobs", "j",
		"`number` of jobs at the same time, over all machines (default 4 here); none removes the limit")
	f.Var((*limitValue)(&o.rate), "rate", "the `rate` of starts, over all machines, such as 30/m; none removes the limit")
	f.Var((*limitValue)(&o.budget), "budget-usd", "never spend more than this many `dollars` on the batch; none removes the limit")
	f.BoolVar(&o.fresh, "fresh", false, "start over; skillhand keeps the old batch")
	f.BoolVar(&o.dryRun, "dry-run", false, "show the jobs; run nothing")
	f.BoolVar(&o.json, "json", false, "print a line of JSON for each job, the summary last")
}

// A limitValue is the value of a flag that limits something. An empty value, as from an unset shell
// variable, is an error: it does not mean that there is no limit.
type limitValue string

func (v *limitValue) Set(text string) error {
	if *v = limitValue(text); text == "" {
		return errors.New("it is empty, want a value, or none")
	}
	return nil
}

func (v *limitValue) String() string { return string(*v) }
func (*limitValue) Type() string     { return "string" }

// limits returns the limits that the flags set, after checking them.
func (o *batchOptions) limits() (batch.Limits, error) {
	l, err := jobs.ParseLimits(o.concurrency, o.rate, o.budget)
	if err != nil {
		return l, cli.Usagef("--%v", err)
	}
	return l, nil
}

// database returns the database that the flag or the environment names, or "".
func (o *batchOptions) database(std *cli.Std) string {
	if o.db != "" {
		return o.db
	}
	return std.Getenv("SKILLHAND_BATCH_DB")
}

// open opens the database that the flags name. It makes a missing database file.
func (o *batchOptions) open(ctx context.Context, std *cli.Std) (*batch.DB, error) {
	return o.openDB(ctx, std, false)
}

// openExisting opens the database that the flags name. It does not make one, so that a mistyped
// name does not become an empty database.
func (o *batchOptions) openExisting(ctx context.Context, std *cli.Std) (*batch.DB, error) {
	if _, err := here.From("", std.Env); err != nil {
		return nil, err // not a missing database
	}
	db, err := o.openDB(ctx, std, true)
	if errors.Is(err, fs.ErrNotExist) && o.database(std) == "" {
		err = cli.Exit(cli.ExitMissing, errNoBatches)
	}
	return db, err
}

// errNoBatches says that the database of this machine does not exist yet.
var errNoBatches = errors.New("no batches yet: see skillhand batch --help")

func (o *batchOptions) openDB(ctx context.Context, std *cli.Std, existing bool) (*batch.DB, error) {
	h, err := here.From("", std.Env)
	if err != nil {
		return nil, err
	}
	options := jobs.Database(h, o.database(std))
	options.Existing = existing
	db, err := batch.Open(ctx, options)
	if errors.Is(err, batch.ErrScheme) {
		return nil, cli.Exit(cli.ExitUsage, err)
	}
	if err != nil {
		return nil, cli.Exit(cli.ExitMissing, err)
	}
	return db, nil
}

// An addition is a job file whose jobs were added to a database.
type addition struct {
	db    *batch.DB
	file  *jobs.File
	batch batch.Name
	id    int64
	added int
}

// add adds the jobs of a file to the database. With --dry-run it prints them instead, and returns
// nil.
func (o *batchOptions) add(ctx context.Context, std *cli.Std, name string) (*addition, error) {
	limits, err := o.limits()
	if err != nil {
		return nil, err
	}
	if name == "-" {
		std.Waiting("reading jobs from stdin, Ctrl-D ends them")
	}
	h, err := here.From("", std.Env)
	if err != nil {
		return nil, err
	}
	rt := &skillhand.Runtime{Here: h, Confirm: std.Confirm("The batch")}
	policy := rt.Policy(h).Now()
	file, err := jobs.Open(name, std.In, func(dir string) bool { return policy.May(dir) == nil })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.Exit(cli.ExitMissing, err)
	}
	if err != nil {
		return nil, cli.Exit(cli.ExitUsage, err)
	}
	defer file.Close()
	err = jobs.Affordable(file.Jobs, limits.BudgetUSD)
	if _, ok := errors.AsType[*jobs.UnlimitedError](err); ok {
		err = fmt.Errorf("%w: --budget-usd cannot be enforced without it", err)
	}
	if err != nil {
		return nil, cli.Exit(cli.ExitUsage, err)
	}
	if o.dryRun {
		return nil, o.printJobs(std, file)
	}
	if name != "-" { // jobs on stdin come from the caller
		if file.Jobs, err = jobs.Trusted(ctx, policy, file.Dir, file); err != nil {
			return nil, err
		}
	}
	db, err := o.open(ctx, std)
	if err != nil {
		return nil, err
	}
	a := &addition{db: db, file: file}
	a.batch = batch.Name{Name: file.Name, Folder: files.Real(file.Dir), ByName: batch.Remote(o.database(std))}
	if err := o.addTo(ctx, std, a, limits); err != nil {
		db.Close()
		switch {
		case ctx.Err() != nil:
			return nil, err
		case errors.Is(err, batch.ErrOther):
			err = fmt.Errorf("%s: %w\nstart over with --fresh, or give the changed jobs another id or the file another name", file.Name, err)
			return nil, cli.Exit(cli.ExitUsage, err)
		}
		return nil, noDatabase(fmt.Errorf("%s: %w", file.Name, err))
	}
	return a, nil
}

func (o *batchOptions) addTo(ctx context.Context, std *cli.Std, a *addition, limits batch.Limits) error {
	if o.fresh {
		if err := jobs.StartOver(ctx, a.db, a.batch); err != nil {
			return err
		}
	}
	added, err := a.db.AddList(ctx, a.batch, a.file.Jobs, limits)
	if err != nil {
		return err
	}
	a.id, a.added = added.ID, added.New
	if added.Gone > 0 {
		std.Warn(fmt.Sprintf("%s: %s no longer in the job file: not counted, not run and not retried",
			a.file.Name, term.Plural(added.Gone, "job")))
	}
	if added.Folder != "" {
		std.Warn(fmt.Sprintf("%s: added before from %s, now from %s", a.file.Name, added.Folder, a.batch.Folder))
	}
	s, err := a.db.Status(ctx, a.id)
	if err != nil {
		return err
	}
	if text := jobs.Limits(s); text != "" && !o.json {
		std.Say(term.Flat(s.Name) + ": " + text)
	}
	_, err = a.db.Resume(ctx, a.id)
	return err
}

func (o *batchOptions) printJobs(std *cli.Std, file *jobs.File) error {
	for j, err := range file.Jobs.All {
		if err != nil {
			return cli.Exit(cli.ExitUsage, err)
		}
		if o.json {
			if err := std.PrintJSON(j); err != nil {
				return err
			}
			continue
		}
		if err := std.Print(jobs.JobLine(j)); err != nil {
			return err
		}
	}
	return nil
}

func worker(std *cli.Std, db *batch.DB, slots int, batches ...int64) *batch.Worker {
	w := (&jobs.Runner{DB: db, Env: std.Env, Trial: (&eval.Maker{DB: db}).Do}).Worker()
	w.Slots, w.Batches, w.Warn = slots, batches, std.Warn
	return w
}

func newBatchAdd(std *cli.Std) *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use: "add FILE", Short: "Add the jobs of a file, for workers to do", Args: cli.Args(cobra.ExactArgs(1)),
		Example: "  skillhand batch add reviews.yaml --db postgres://db/skillhand --rate 30/m",
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := o.add(cmd.Context(), std, args[0])
			if err != nil || a == nil {
				return err
			}
			defer a.db.Close()
			if o.json {
				s, err := a.db.Status(cmd.Context(), a.id)
				if err != nil {
					return err
				}
				return std.PrintJSON(s)
			}
			return std.Print(fmt.Sprintf("%s: %s added, %d already there\n", a.file.Name, term.Plural(a.added, "job"), a.file.N-a.added))
		},
	}
	o.dbFlag(cmd)
	o.limitFlags(cmd)
	return cmd
}

func newBatchWork(std *cli.Std) *cobra.Command {
	var o batchOptions
	var drain bool
	var slots int
	cmd := &cobra.Command{
		Use: "work", Short: "Run the jobs of all batches, as they come", Args: cli.Args(cobra.NoArgs),
		Example: "  skillhand batch work --db postgres://db/skillhand -j 8",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if slots < 1 || slots > jobs.MaxSlots {
				return cli.Usagef("--jobs is %d, want 1 to %d", slots, jobs.MaxSlots)
			}
			open := o.open
			if drain {
				open = o.openExisting // no jobs will be added later
			}
			db, err := open(cmd.Context(), std)
			if err != nil {
				return err
			}
			defer db.Close()
			if !drain {
				std.Note("waiting for jobs that skillhand batch add and run put into the database, Ctrl-C ends it")
			}
			err, cause := noDatabase(jobs.Work(cmd.Context(), worker(std, db, slots), drain)), context.Cause(cmd.Context())
			if err == nil && cli.Terminated(cause) {
				return nil // SIGTERM is the normal way to stop a worker; it gave its jobs back
			}
			return errors.Join(err, cause)
		},
	}
	o.dbFlag(cmd)
	cmd.Flags().IntVarP(&slots, "jobs", "j", 4, "`number` of jobs at the same time in this process")
	cmd.Flags().BoolVar(&drain, "drain", false, "end when no job is left that can run")
	return cmd
}

func newBatchRetry(std *cli.Std) *cobra.Command {
	return newBatchEdit(std, "retry NAME [ID...]", "Retry failed jobs: all of a batch, or those named",
		func(ctx context.Context, db *batch.DB, s *batch.Status, ids []string) (string, error) {
			n, err := db.Retry(ctx, s.ID, ids)
			if err != nil || n == 0 {
				return "no failed jobs", err
			}
			now, err := db.Status(ctx, s.ID)
			if err != nil {
				return "", err
			}
			queued := term.Plural(n, "job")
			if more := s.Skipped - now.Skipped; ids == nil && more > 0 {
				queued = fmt.Sprintf("%d failed and %s", n, term.Plural(more, "skipped job"))
			}
			return queued + " queued again; to run them: skillhand batch run FILE, or skillhand batch work", nil
		})
}

func newBatchCancel(std *cli.Std) *cobra.Command {
	return newBatchEdit(std, "cancel NAME [ID...]", "Cancel jobs, running or waiting: all of a batch, or those named",
		func(ctx context.Context, db *batch.DB, s *batch.Status, ids []string) (string, error) {
			n, err := db.Cancel(ctx, s.ID, ids)
			return term.Plural(n, "job") + " canceled", err
		})
}

func newBatchRemove(std *cli.Std) *cobra.Command {
	cmd := newBatchEdit(std, "rm NAME", "Remove a batch and its results",
		func(ctx context.Context, db *batch.DB, s *batch.Status, _ []string) (string, error) {
			err := db.Remove(ctx, s.ID)
			if errors.Is(err, batch.ErrRunning) {
				err = fmt.Errorf("%s: %w: cancel them first with skillhand batch cancel %s", jobs.Called(s), err, jobs.Called(s))
			}
			return term.Plural(s.Total, "job") + " removed", err
		})
	cmd.Args = cli.Args(cobra.ExactArgs(1))
	return cmd
}

func newBatchEdit(std *cli.Std, use, short string,
	edit func(ctx context.Context, db *batch.DB, s *batch.Status, ids []string) (string, error)) *cobra.Command {
	var o batchOptions
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := o.openExisting(cmd.Context(), std)
			if err != nil {
				return err
			}
			defer db.Close()
			s, err := find(cmd.Context(), db, args[0])
			if err != nil {
				return err
			}
			var ids []string
			if len(args) > 1 {
				ids = args[1:]
			}
			said, err := edit(cmd.Context(), db, s, ids)
			if errors.Is(err, batch.ErrRunning) {
				return err
			}
			if name := o.database(std); err != nil && !errors.Is(err, batch.ErrNoJob) && !batch.Remote(name) {
				err = fmt.Errorf("%s: %w", cmp.Or(name, "the database"), err)
			}
			if err != nil {
				return noDatabase(err) // or the job does not exist
			}
			return std.Print(fmt.Sprintf("%s: %s\n", jobs.Called(s), said))
		},
	}
	cmd.Example = "  skillhand batch " + cmd.Name() + " reviews"
	o.dbFlag(cmd)
	cmd.ValidArgsFunction = o.completeNames(std)
	return cmd
}

func (o *batchOptions) completeNames(std *cli.Std) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		db, err := o.openExisting(cmd.Context(), std)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer db.Close()
		all, err := db.List(cmd.Context())
		var names []string
		for _, s := range all {
			if err == nil && !s.Old {
				names = append(names, s.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func find(ctx context.Context, db *batch.DB, name string) (*batch.Status, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s, err := jobs.Find(ctx, db, name, dir)
	return s, noDatabase(err)
}
