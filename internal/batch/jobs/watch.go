package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/eval"
)

// A Watch follows a batch while others work on it.
type Watch struct {
	Name   string
	Screen eval.Screen                // on which the batch is drawn; nil: it is not
	Each   func(r batch.Result) error // called for each job that has ended
	Warn   func(text string)

	db     *batch.DB
	id     int64
	after  int64
	began  time.Time
	before int // jobs that had ended when it began
	paused time.Time
}

// NewWatch watches a batch from now on.
func NewWatch(ctx context.Context, db *batch.DB, id int64) (*Watch, error) {
	s, err := db.Status(ctx, id)
	if err != nil {
		return nil, err
	}
	return &Watch{Name: s.Name, db: db, id: id, began: time.Now(), before: s.Total - s.Left(), after: s.Event}, nil
}

// Until follows the batch until it is as wanted.
func (w *Watch) Until(ctx context.Context, enough func(*batch.Status) bool) error {
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

// events calls Each for the jobs that have ended since.
func (w *Watch) events(ctx context.Context) error {
	for {
		list, err := w.db.Events(ctx, w.id, w.after)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, r := range list {
			w.after = r.Event
			if err := w.Each(r); err != nil {
				return err
			}
		}
	}
}

// show draws the screen, or says once that everything waits.
func (w *Watch) show(ctx context.Context, s *batch.Status) {
	if s.Paused != nil && !s.Paused.Equal(w.paused) {
		w.paused = *s.Paused
		if w.Screen == nil {
			w.Warn(fmt.Sprintf("%s: usage limit reached, waiting until %s", w.Name, s.Paused.Local().Format(time.DateTime)))
		}
	}
	if w.Screen == nil {
		return
	}
	if running, err := w.db.Running(ctx, w.id); err == nil {
		w.Screen.Draw(Screen(s, running, w.before, time.Since(w.began), time.Now()))
	}
}

// Clear takes away what was drawn.
func (w *Watch) Clear() {
	if w.Screen != nil {
		w.Screen.Clear()
	}
}

// End tells of the last jobs, and returns how it all stands.
func (w *Watch) End(ctx context.Context) (*batch.Status, error) {
	w.Clear()
	if err := w.events(ctx); err != nil {
		return nil, err
	}
	return w.db.Status(ctx, w.id)
}

// Work runs a worker of all batches; with drain, until nothing is left that can be done.
func Work(ctx context.Context, w *batch.Worker, drain bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
		}
		if drain && Drained(ctx, w.DB) {
			stop()
		}
	}
}
