package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/batch"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/jobs"
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
	own, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	worker := worker(std, a.db, max(limits.Concurrency, 0), a.id)
	worker.Alone = !batch.Remote(o.database(std))
	go func() {
		defer stop() // without a worker nothing happens any more
		ended <- noDatabase(worker.Run(own))
	}()
	err = w.until(own, func(s *batch.Status) bool {
		w.stuck = jobs.Stuck(own, a.db, s)
		return s.Still() || w.stuck != ""
	})
	if errors.Is(err, context.Canceled) {
		err = nil // the worker or the caller knows why
	}
	stop()
	err = errors.Join(err, <-ended)
	// Report finished jobs even if the run failed.
	last := context.WithoutCancel(ctx)
	err = errors.Join(err, w.end(last))
	if o.output != "" {
		err = errors.Join(err, jobs.WriteResults(last, a.db, a.id, o.output))
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return err
	}
	s, err := a.db.Status(last, a.id)
	if err != nil {
		return err
	}
	if w.stuck != "" && s.Left() > 0 {
		return cli.Said(cli.ExitMissing)
	}
	return batchError(s)
}

// nothingLeft says when all jobs of a batch ended, and what to do to run them again.
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

// noDatabase is what it means that a worker could not go on.
func noDatabase(err error) error {
	if err == nil {
		return nil
	}
	return cli.Exit(cli.ExitMissing, err)
}

// batchError is what the state of a batch means for whoever waited for it. All of it was told.
func batchError(s *batch.Status) error {
	if status := batchStatus(s); status != cli.ExitOK {
		return cli.Said(status)
	}
	return nil
}

// batchStatus is the exit status of a batch.
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

// A watcher tells what happens in a batch, as it happens.
type watcher struct {
	std    *cli.Std
	db     *batch.DB
	id     int64
	name   string
	json   bool
	stuck  string // why no worker does the jobs that wait
	after  int64
	began  time.Time
	before int // jobs that had ended when it began
	screen *term.Screen
	paused time.Time
}

func watch(ctx context.Context, std *cli.Std, db *batch.DB, id int64, json bool) (*watcher, error) {
	s, err := db.Status(ctx, id)
	if err != nil {
		return nil, err
	}
	w := &watcher{std: std, db: db, id: id, name: s.Name, json: json, began: time.Now(), before: s.Total - s.Left(), after: s.Event}
	if std.Live() && !json {
		w.screen = std.NewScreen()
	}
	return w, nil
}

// until tells what happens until the batch is as wanted.
func (w *watcher) until(ctx context.Context, enough func(*batch.Status) bool) error {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := w.db.Status(ctx, w.id)
		if err != nil {
			return err
		}
		if err := w.events(ctx); err != nil {
			return err
		}
		if enough(s) {
			return nil
		}
		w.show(ctx, s)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// events tells of the jobs that have ended since.
func (w *watcher) events(ctx context.Context) error {
	for {
		list, err := w.db.Events(ctx, w.id, w.after)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, r := range list {
			w.after = r.Event
			if err := w.tell(r); err != nil {
				return err
			}
		}
	}
}

// tell tells of one job: a line on stdout. On a terminal that shows the batch only what did not
// get done has one.
func (w *watcher) tell(r batch.Result) error {
	if w.json {
		return w.std.PrintJSON(batch.JobEvent{Event: "job", Batch: w.name, Result: r})
	}
	if w.screen != nil && term.IsTerminal(w.std.Out) && r.State == batch.Done {
		return nil
	}
	line := jobs.Line(r, w.std.Painter()) + "\n"
	if !strings.HasSuffix(r.Error, ": "+r.Log) { // else the line says it
		line += jobs.Tail(r.Log, 3)
	}
	if w.screen != nil {
		w.screen.Clear()
	}
	return w.std.Print(line)
}

// show draws the screen, or says once that everything waits.
func (w *watcher) show(ctx context.Context, s *batch.Status) {
	if s.Paused != nil && !s.Paused.Equal(w.paused) {
		w.paused = *s.Paused
		if w.screen == nil {
			w.std.Warn(fmt.Sprintf("%s: usage limit reached, waiting until %s", w.name, s.Paused.Local().Format(time.DateTime)))
		}
	}
	if w.screen == nil {
		return
	}
	running, err := w.db.Running(ctx, w.id)
	if err != nil {
		return
	}
	w.screen.Draw(jobs.Screen(s, running, w.before, time.Since(w.began), time.Now()))
}

// end tells the last events and how it all stands.
func (w *watcher) end(ctx context.Context) error {
	if w.screen != nil {
		w.screen.Clear()
	}
	if err := w.events(ctx); err != nil {
		return err
	}
	s, err := w.db.Status(ctx, w.id)
	if err != nil {
		return err
	}
	if w.json {
		return w.std.PrintJSON(batch.EndEvent{Event: "end", Status: s})
	}
	text := jobs.Summary(s)
	if w.stuck != "" && s.Left() > 0 {
		text += ": " + w.stuck
	}
	w.std.Say(term.Flat(w.name) + ": " + text)
	return nil
}
