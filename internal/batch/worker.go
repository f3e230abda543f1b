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
	Batches []int64           // whose jobs; nil means all that are not private, also those that come later
	Warn    func(text string) // told of faults that it gets over; nil tells nobody
	Alone   bool              // no other worker does its jobs, so that its caller reports what it cannot do
	// Fit says why no job of a kind can be done here; nil if it can. A nil Fit means that all can.
	Fit func(kind string) error
	// Orphaned is called with the id of a worker of this machine that died, before its jobs are
	// given to others: processes that it started may still be there.
	Orphaned func(worker string)
}

// A worker beats this often while it has work: is it still known, what was canceled, what can
// start. It beats less often while it has none.
const (
	beat     = 500 * time.Millisecond
	idleBeat = 2 * time.Second
)

// longestBeat returns how long a beat may take. A worker on a file is not taken for dead because it is slow, so it waits its turn;
// longer than a statement waits for the lock, and longer than retry has patience.
func (db *DB) longestBeat() time.Duration {
	if db.lease == 0 {
		return time.Minute
	}
	return 10 * time.Second
}

// showEvery returns how often a worker writes that it lives.
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

// Run does jobs until the context ends. Running jobs are then ended and go back, uncounted. A
// worker that others took for dead ends its jobs and begins anew.
func (w *Worker) Run(ctx context.Context) error {
	for {
		err := w.live(ctx)
		switch {
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			return nil // it was stopped before it had begun
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

// WorkerVariable is the environment variable by which processes of a dead worker are known: a
// Func gives its value, the worker's id, to what it starts.
const WorkerVariable = "SKILLHAND_WORKER"

// A Delivery tells a job about itself.
type Delivery struct {
	Worker  string    // the id of the worker that runs it
	Batch   string    // what people call its batch
	Made    time.Time // when its batch was: no other of that name was made then
	MaxUSD  float64   // its limit; 0 means that there is no budget
	HeldUSD float64   // what was set aside for it: its limit, and a turn
}

// Current tells the job whose context this is about itself.
func Current(ctx context.Context) Delivery {
	if r, ok := ctx.Value(runningKey{}).(*running); ok {
		return r.delivery
	}
	return Delivery{}
}

// Note says what a job is doing, for people who look at the batch. ctx is the job's.
func Note(ctx context.Context, text string) {
	if r, ok := ctx.Value(runningKey{}).(*running); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.note.Text = plain(text)
	}
}

func newID() string { return rand.Text() }
