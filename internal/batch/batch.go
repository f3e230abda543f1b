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

	// These say what follows an error; if none is set, the job has failed.
	Again bool          // it may pass: try again, as often as the job allows
	After time.Duration // but not before that long; 0 leaves it to the batch
	Until time.Time     // no job of this kind can start before, in any batch; this attempt does not count
	Stop  Stop          // no job of this batch can; this attempt does not count
	Unfit bool          // no job of this kind can be done by this worker, others may; this attempt does not count

	CostUSD     float64 // what the attempt cost
	TurnUSD     float64 // its dearest turn, by which a further attempt may pass its limit; 0 if it has no turns
	MostUSD     float64 // the most that a turn can cost; 0 if that is not known
	CostUnknown bool    // the attempt was cut off before it told its cost: all that was set aside counts
	Log         string  // the end of what the job printed besides its result
}

// A Stop says why no further job of a batch is started, until Resume.
type Stop string

// Why a batch stands still.
const (
	Credentials Stop = "credentials"
	Limit       Stop = "limit"     // of usage, with no word of when it ends
	Canceling   Stop = "canceling" // its jobs are being canceled
	Removing    Stop = "removing"  // it is being removed
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

// NotDone reports whether the job has ended without being done.
func (s State) NotDone() bool { return s.Ended() && s != Done }

// A Job is one piece of work. ID and Payload are required.
type Job struct {
	ID      string          `json:"id"` // unique within its batch
	Kind    string          `json:"kind"`
	Payload json.RawMessage `json:"payload"`
	Needs   []string        `json:"needs,omitempty"` // ids of jobs that must be done before
	Retries int             `json:"retries"`         // further attempts after failures that pass
	MaxUSD  float64         `json:"max_usd"`         // the limit of what an attempt costs

	// Share gives the job a share of what is left of the budget for a limit instead of MaxUSD.
	// Current tells the job how much that is.
	Share bool `json:"-"`

	// Turns says that the job keeps to its limit only after the turn that passes it. What a turn
	// costs is known when it is billed: see setAside.
	Turns bool `json:"-"`

	// Same is what tells the job from another of its id; "" means the payload. A payload may also
	// say where the job is, which another machine says differently.
	Same string `json:"-"`
}

// A Name says which batch is meant.
type Name struct {
	Name   string // as people call it
	Folder string // the folder that its jobs came from
	// ByName means that the folder does not matter, as in a database that machines share: each has
	// its checkout elsewhere. Otherwise the same name in another folder is another batch.
	ByName bool
	// Private batches are worked on only by workers that name them, and are not listed.
	Private bool
}

// key returns a name that no other batch has.
func (n Name) key() string {
	if n.ByName {
		return plain(n.Name)
	}
	return plain(n.Name + "\n" + n.Folder)
}

// Limits hold over all workers of a batch. Zero leaves a limit as it is, a negative number removes it.
type Limits struct {
	Concurrency int           `json:"concurrency,omitempty"` // jobs at the same time
	Starts      int           `json:"starts,omitempty"`      // how many jobs may start
	Window      time.Duration `json:"window_ns,omitempty"`   // within any time of this length
	BudgetUSD   float64       `json:"budget_usd,omitempty"`  // what all jobs together may cost
}

// A Result is what is known of a job: schemas/batch-result-v1.schema.json.
type Result struct {
	ID       string          `json:"id"`
	Kind     string          `json:"-"`
	State    State           `json:"state"`
	Attempts int             `json:"attempts"` // that counted
	CostUSD  float64         `json:"cost_usd"` // of all attempts
	Started  *time.Time      `json:"started,omitempty"`
	Ended    *time.Time      `json:"ended,omitempty"`
	Error    string          `json:"error,omitempty"`
	Log      string          `json:"log,omitempty"` // the end of what a job that was not done printed
	Result   json.RawMessage `json:"result,omitempty"`
	Event    int64           `json:"-"` // grows with every job that ends, within a batch
}

// A JobDocument is one job with its attempts: schemas/batch-result-v1.schema.json.
type JobDocument struct {
	Result
	Tries []Attempt `json:"tries"`
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
	ID       int64      `json:"batch_id"` // for the methods of DB; never used again
	Name     string     `json:"name"`
	Folder   string     `json:"folder,omitempty"` // the folder that its jobs came from
	ByName   bool       `json:"-"`                // the folder does not matter
	Old      bool       `json:"old,omitempty"`    // started over since
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
	Most     int        `json:"concurrency,omitempty"`  // jobs at the same time; 0: no limit
	Starts   int        `json:"starts,omitempty"`       // how many jobs may start; 0: no limit
	WindowMS int64      `json:"window_ms,omitempty"`    // within any time of this length
	Ended    *time.Time `json:"ended,omitempty"`        // when the last job did, if all have
	Stopped  Stop       `json:"stopped,omitempty"`      // nothing is started
	Paused   *time.Time `json:"paused_until,omitempty"` // the next time that a paused kind of job can start
	Short    bool       `json:"over_budget,omitempty"`  // jobs are left that the budget does not allow
	Event    int64      `json:"-"`                      // the last one
}

// Left counts the jobs that have not ended.
func (s *Status) Left() int { return s.Waiting + s.Open }

// Count counts the jobs in any of these states.
func (s *Status) Count(states ...State) (n int) {
	counts := map[State]int{
		Waiting: s.Waiting, Opened: s.Open, Done: s.Done, Failed: s.Failed, Canceled: s.Canceled, Skipped: s.Skipped,
	}
	for _, state := range states {
		n += counts[state]
	}
	return n
}

// Still reports whether nothing will happen in the batch by itself.
func (s *Status) Still() bool {
	return s.Left() == 0 || s.Open == 0 && s.Stopped != Canceling && (s.Stopped != "" || s.Short && s.Paused == nil)
}

// A Running job is in the hands of a worker.
type Running struct {
	ID      string    `json:"id"`
	Worker  string    `json:"worker"`
	Host    string    `json:"host,omitempty"` // the worker's machine
	Started time.Time `json:"started"`
	Note    string    `json:"note,omitempty"` // what it is doing, as it said last
}

// A Crew is the workers that a database knows.
type Crew struct {
	Workers int
	Unfit   []Unfit
}

// An Unfit worker does no jobs of a kind.
type Unfit struct {
	Host, Kind, Why string
}

// An Attempt is one delivery of a job that has ended.
type Attempt struct {
	Worker  string     `json:"worker"`
	Started *time.Time `json:"started,omitempty"`
	Ended   *time.Time `json:"ended"`
	How     string     `json:"how"` // finished, returned or lost
	CostUSD float64    `json:"cost_usd"`
	Error   string     `json:"error,omitempty"`
}

// Faults that a caller may choose by.
var (
	ErrNoBatch = errors.New("no such batch")
	ErrNoJob   = errors.New("no such job")
	ErrNoFile  = errors.New("no such file")
	ErrOther   = errors.New("differs from the job already in this batch")
	ErrRunning = errors.New("jobs are running")
)
