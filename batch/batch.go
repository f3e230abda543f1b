// Package batch answers one question: what became of these jobs? It keeps many jobs in a database
// and hands each to a function until it has exactly one result, whatever happens to the processes
// that do the work. It knows nothing of what a job is: a payload goes in, a result comes out.
//
// The database is a SQLite file for the processes of one machine, or Postgres for any number of
// machines. A queue engine, River, delivers jobs to workers; the tables of this package say what a
// job is and what became of it. A delivery is a permit to run a job once. What came of it counts
// only while that delivery is the job's latest, so a worker that was believed dead and goes on
// cannot give a job a second result.
//
// A job whose worker died is delivered again: a job runs at least once, and has one result.
package batch

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// A Func does one job. Its context ends when the job is canceled, when the worker is stopped, or
// when the job has been given to another worker; then what it returns counts for nothing, unless
// the worker was stopped and the job is done all the same.
type Func func(ctx context.Context, payload json.RawMessage) (result json.RawMessage, retry Retry)

// A Retry says what a job's result means. The zero value: the job is done.
type Retry struct {
	Error string // why the job is not done

	// What is to follow an error; if nothing is set, the job has failed.
	Again bool          // it may pass: try again, as often as the job allows
	After time.Duration // but not before that long; 0 leaves it to the batch
	Until time.Time     // no job of this kind can start before, in any batch; this attempt does not count
	Stop  Stop          // no job of this batch can; this attempt does not count

	CostUSD float64 // what the attempt cost
}

// A Stop says why no further job of a batch is started, until Resume.
type Stop string

// Why a batch stands still.
const (
	Credentials Stop = "credentials"
	Limit       Stop = "limit" // of usage, with no word of when it ends
)

// A State is where a job stands.
type State string

// The states of a job. The last four are its end, unless it is retried.
const (
	Waiting  State = "waiting" // for its needs, for its time, or for room
	Opened   State = "open"    // delivered: running, or about to
	Done     State = "done"
	Failed   State = "failed"
	Canceled State = "canceled"
	Skipped  State = "skipped" // something it needs has not been done
)

// Ended reports whether a job in this state is over.
func (s State) Ended() bool { return s != Waiting && s != Opened }

// A Job is one piece of work. ID and Payload are required.
type Job struct {
	ID      string          `json:"id"` // unique within its batch
	Kind    string          `json:"kind"`
	Payload json.RawMessage `json:"payload"`
	Needs   []string        `json:"needs,omitempty"` // ids of jobs that must be done before
	Retries int             `json:"retries"`         // further attempts after failures that pass
	MaxUSD  float64         `json:"max_usd"`         // the most that an attempt can cost

	// Same is what tells the job from another of its id; "" means the payload. A payload may also
	// say where the job is, which another machine says differently.
	Same string `json:"-"`
}

// Limits hold over all workers of a batch. Zero means no limit.
type Limits struct {
	Concurrency int           // jobs at the same time
	Starts      int           // how many jobs may start
	Window      time.Duration // within any time of this length
	BudgetUSD   float64       // what all jobs together may cost
}

// A Result is what is known of a job: schemas/batch-result-v1.schema.json.
type Result struct {
	ID       string          `json:"id"`
	State    State           `json:"state"`
	Attempts int             `json:"attempts"` // that counted
	CostUSD  float64         `json:"cost_usd"` // of all attempts
	Started  *time.Time      `json:"started,omitempty"`
	Ended    *time.Time      `json:"ended,omitempty"`
	Error    string          `json:"error,omitempty"`
	Result   json.RawMessage `json:"result,omitempty"`
	Event    int64           `json:"-"` // grows with every job that ends, within a batch
}

// A JobEvent says that a job has ended. It and EndEvent are the lines of skillhand batch run --json:
// schemas/batch-events-v1.schema.json.
type JobEvent struct {
	Event string `json:"event"` // job
	Batch string `json:"batch"`
	Result
}

// An EndEvent is the last line.
type EndEvent struct {
	Event string `json:"event"` // end
	*Status
}

// A Status is how a batch is doing: schemas/batch-v1.schema.json.
type Status struct {
	Name     string     `json:"name"`
	Created  time.Time  `json:"created"`
	Total    int        `json:"total"`
	Waiting  int        `json:"waiting"`
	Open     int        `json:"open"`
	Done     int        `json:"done"`
	Failed   int        `json:"failed"`
	Canceled int        `json:"canceled"`
	Skipped  int        `json:"skipped"`
	CostUSD  float64    `json:"cost_usd"`
	HeldUSD  float64    `json:"held_usd"`               // the most that the open jobs can cost
	Budget   float64    `json:"budget_usd,omitempty"`   // 0: none
	Stopped  Stop       `json:"stopped,omitempty"`      // nothing is started
	Paused   *time.Time `json:"paused_until,omitempty"` // the next time that a paused kind of job can start
	Short    bool       `json:"over_budget,omitempty"`  // jobs are left that the budget does not allow
	Event    int64      `json:"-"`                      // the last one
}

// Left is how many jobs have not ended.
func (s *Status) Left() int { return s.Waiting + s.Open }

// A Running job is in the hands of a worker.
type Running struct {
	ID      string    `json:"id"`
	Worker  string    `json:"worker"`
	Started time.Time `json:"started"`
	Note    string    `json:"note,omitempty"` // what it is doing, as it said last
}

// Faults that a caller may choose by.
var (
	ErrNoBatch = errors.New("no such batch")
	ErrNoJob   = errors.New("no such job")
	ErrNoFile  = errors.New("no such file")
	ErrOther   = errors.New("was added before with other content")
	ErrNewer   = errors.New("made by a newer version of this program")
)
