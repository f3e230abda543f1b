package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/term"
)

// A Watch follows a batch while workers do its jobs. DB, ID, Name and Each are required.
type Watch struct {
	DB      *batch.DB
	ID      int64
	Name    string
	After   int64                      // the event after which the Watch begins
	Screen  *term.Screen               // draws the batch; nil draws nothing
	Each    func(r batch.Result) error // is called for each job that has ended
	Running func(r batch.Running)      // is called for each running job, again and again; may be nil
	Warn    func(text string)

	began  time.Time
	before int // how many jobs had ended when it began
	paused time.Time
}

// NewWatch returns a Watch of a batch that begins now.
func NewWatch(ctx context.Context, db *batch.DB, id int64) (*Watch, error) {
	s, err := db.Status(ctx, id)
	if err != nil {
		return nil, err
	}
	return &Watch{DB: db, ID: id, Name: s.Name, After: s.Event, began: time.Now(), before: s.Total - s.Left()}, nil
}

// Work follows the batch while a worker runs, until nothing happens in it any more. It returns why
// no worker takes the waiting jobs, or "" if some worker can.
func (w *Watch) Work(ctx context.Context, run func(context.Context) error) (stuck string, err error) {
	own, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		defer stop() // without a worker nothing happens any more
		ended <- run(own)
	}()
	err = w.Until(own, func(s *batch.Status) bool {
		if !s.Still() {
			stuck = Stuck(own, w.DB, s)
		}
		return s.Still() || stuck != ""
	})
	if errors.Is(err, context.Canceled) {
		err = nil // the worker or the caller knows the reason
	}
	stop()
	return stuck, errors.Join(err, <-ended)
}

// Until follows the batch until enough returns true.
func (w *Watch) Until(ctx context.Context, enough func(*batch.Status) bool) error {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := w.DB.Status(ctx, w.ID)
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

// events calls Each for the jobs that have ended since its last call.
func (w *Watch) events(ctx context.Context) error {
	for {
		list, err := w.DB.Events(ctx, w.ID, w.After)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, r := range list {
			w.After = r.Event
			if err := w.Each(r); err != nil {
				return err
			}
		}
	}
}

// show draws the screen. Without a screen, it warns once when everything waits for the usage limit.
func (w *Watch) show(ctx context.Context, s *batch.Status) {
	if s.Paused != nil && !s.Paused.Equal(w.paused) {
		w.paused = *s.Paused
		if w.Screen == nil {
			w.Warn(fmt.Sprintf("%s: usage limit reached, waiting until %s", w.Name, s.Paused.Local().Format(time.DateTime)))
		}
	}
	if w.Screen == nil && w.Running == nil {
		return
	}
	running, err := w.DB.Running(ctx, w.ID)
	if err != nil {
		return // if the error lasts, the worker reports it
	}
	if w.Screen != nil {
		w.Screen.Draw(Screen(s, running, w.before, time.Since(w.began), time.Now()))
		return
	}
	for _, r := range running {
		w.Running(r)
	}
}

// Clear removes what was drawn.
func (w *Watch) Clear() {
	if w.Screen != nil {
		w.Screen.Clear()
	}
}

// End calls Each for the last jobs, and returns the state of the batch.
func (w *Watch) End(ctx context.Context) (*batch.Status, error) {
	w.Clear()
	if err := w.events(ctx); err != nil {
		return nil, err
	}
	return w.DB.Status(ctx, w.ID)
}

// Work runs a worker of all batches. With drain, it ends when no jobs are left that can be done.
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
