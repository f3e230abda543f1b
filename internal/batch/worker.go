package batch

import (
	"context"
	"crypto/rand"
	"errors"
	"time"
)

// A Worker does jobs. DB and Do are required.
type Worker struct {
	DB      *DB
	Do      Func
	Slots   int               // jobs at the same time; 0 means 4
	Batches []int64           // the batches to work on; nil means all that are not private, also later ones
	Warn    func(text string) // is called for errors that the worker survives; nil means no warnings
	Alone   bool              // no other worker does its jobs, so that its caller reports which jobs it cannot do
	// Fit returns why this worker cannot do jobs of a kind, or nil if it can. Without Fit it can do
	// all.
	Fit func(kind string) error
	// Orphaned is called with the id of a dead worker of this machine, before others get its jobs:
	// processes that it started may still run.
	Orphaned func(worker string)
}

// A worker beats at these intervals, with work and without work. A beat finds out whether the
// worker is still listed, which jobs were canceled, and which can start.
const (
	beat     = 500 * time.Millisecond
	idleBeat = 2 * time.Second
)

// longestBeat returns how long a beat may take. A worker on a file is never taken for dead because
// it is slow. It therefore waits longer than a statement waits for the lock, and longer than retry
// has patience.
func (db *DB) longestBeat() time.Duration {
	if db.lease == 0 {
		return time.Minute
	}
	return 10 * time.Second
}

// showEvery returns how often a worker writes that it is alive.
func (db *DB) showEvery() time.Duration {
	if db.lease == 0 {
		return 5 * time.Second
	}
	return min(db.lease/5, 5*time.Second)
}

var (
	errNoAnswer     = errors.New("no answer")
	errDeclaredDead = errors.New("this worker missed its heartbeats and was declared dead")
	errStopping     = errors.New("the worker is being stopped")
	errTaken        = errors.New("another worker took over the job")
)

// Run does jobs until the context ends. It then stops running jobs and returns them, and their
// attempts do not count. A worker that others took for dead stops its jobs and starts again.
func (w *Worker) Run(ctx context.Context) error {
	for {
		err := w.live(ctx)
		switch {
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			return nil // it was stopped before it started
		case !errors.Is(err, errDeclaredDead):
			return err
		}
		w.warn(err)
	}
}

func (w *Worker) warn(err error) {
	if w.Warn != nil && err != nil {
		w.Warn(err.Error())
	}
}

// WorkerVariable is the environment variable that identifies processes of a dead worker. A Func
// sets it to the worker's id for the processes that it starts.
const WorkerVariable = "SKILLHAND_WORKER"

// A Delivery tells a job about itself.
type Delivery struct {
	Worker  string    // the id of the worker that runs it
	Batch   string    // the name that people use for its batch
	Made    time.Time // when its batch was created; no other batch with that name was created then
	MaxUSD  float64   // its limit; 0 means that there is no budget
	HeldUSD float64   // the amount set aside for it: its limit, and a turn
}

// Current returns the Delivery of the job with this context.
func Current(ctx context.Context) Delivery {
	if r, ok := ctx.Value(runningKey{}).(*running); ok {
		return r.delivery
	}
	return Delivery{}
}

// Note records what a job is doing, for people who look at the batch. ctx is the job's.
func Note(ctx context.Context, text string) {
	if r, ok := ctx.Value(runningKey{}).(*running); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.note.Text = plain(text)
	}
}

func newID() string { return rand.Text() }
