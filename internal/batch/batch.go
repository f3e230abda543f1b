// Package batch answers one question: what became of these jobs? It keeps many jobs in a database
// and hands each to a function until it has exactly one result, whatever happens to the processes
// that do the work. It does not know what a job does: a payload goes in, a result comes out.
//
// The database is a SQLite file for the processes of one machine, or Postgres for any number of
// machines. A queue engine, River, delivers jobs to workers. The tables of this package hold the
// jobs and their results. A delivery is a permit to run a job once. Its result counts only while it
// is the job's latest delivery. A worker that was believed dead and still runs can therefore not
// give a job a second result.
//
// A job whose worker died is delivered again. A job therefore runs at least once, and has one
// result.
package batch

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// A Func does one job. Its context ends when the job is canceled, when the worker is stopped, or
// when another worker got the job. After that, its result does not count. Only a stopped worker's
// job that is done all the same still counts.
type Func func(ctx context.Context, payload json.RawMessage) (result json.RawMessage, retry Retry)

// A Retry says what a job's result means. The zero value means that the job is done.
type Retry struct {
	Error string // why the job is not done

	// These say what follows an error. If none is set, the job has failed.
	Again bool          // the error may pass: try again, as often as the job allows
	After time.Duration // wait at least that long; 0 means that the batch decides
	Until time.Time     // no job of this kind can start before that, in any batch; this attempt does not count
	Stop  Stop          // no job of this batch can start; this attempt does not count
	Unfit bool          // this worker cannot do jobs of this kind, others may; this attempt does not count

	CostUSD     float64 // what the attempt cost
	TurnUSD     float64 // the cost of its most expensive turn, by which another attempt may exceed its limit; 0 if it has no turns
	MostUSD     float64 // the most that a turn can cost; 0 if that is unknown
	CostUnknown bool    // the attempt was cut off before it reported its cost: all that was set aside counts
	Log         string  // the end of the job's output, without its result
}

// A Stop says why no more jobs of a batch start until Resume.
type Stop string

// The reasons why a batch is stopped.
const (
	Credentials Stop = "credentials"
	Limit       Stop = "limit"     // the usage limit is reached, and nobody said when it ends
	Canceling   Stop = "canceling" // its jobs are being canceled
	Removing    Stop = "removing"  // it is being removed
)

// A State is the state of a job.
type State string

// The states of a job. The last four are final, unless the job is retried.
const (
	Waiting  State = "waiting" // for the jobs that it needs, for its time, or for a free slot
	Opened   State = "open"    // delivered: it runs, or is about to run
	Done     State = "done"
	Failed   State = "failed"
	Canceled State = "canceled"
	Skipped  State = "skipped" // a job that it needs was not done
)

// Ended reports whether a job in this state has ended.
func (s State) Ended() bool { return s != Waiting && s != Opened }

// NotDone reports whether the job has ended without being done.
func (s State) NotDone() bool { return s.Ended() && s != Done }

// A Job is one piece of work. ID and Payload are required.
type Job struct {
	ID      string          `json:"id"` // unique within its batch
	Kind    string          `json:"kind"`
	Payload json.RawMessage `json:"payload"`
	Needs   []string        `json:"needs,omitempty"` // ids of jobs that must be done before
	Retries int             `json:"retries"`         // how often to try again after failures that may pass
	MaxUSD  float64         `json:"max_usd"`         // the most that an attempt may cost

	// Share gives the job a share of the remaining budget as its limit, instead of MaxUSD. Current
	// tells the job how much that is.
	Share bool `json:"-"`

	// Turns says that the job stops only after the turn that exceeds its limit. The cost of a turn
	// is known only when the turn is billed: see setAside.
	Turns bool `json:"-"`

	// Same tells jobs with the same id apart; "" means the payload. A payload may also contain the
	// job's folder, which differs between machines.
	Same string `json:"-"`
}

// A Name identifies a batch.
type Name struct {
	Name   string // the name that people use
	Folder string // the folder that its jobs came from
	// ByName means that the folder does not matter, as in a database that machines share: each has
	// its checkout in another folder. Otherwise the same name in another folder is another batch.
	ByName bool
	// Only workers that name a private batch work on it, and List does not return it.
	Private bool
}

// key returns a name that no other batch has.
func (n Name) key() string {
	if n.ByName {
		return plain(n.Name)
	}
	return plain(n.Name + "\n" + n.Folder)
}

// Limits apply to all workers of a batch together. Zero keeps a limit unchanged, a negative number
// removes it.
type Limits struct {
	Concurrency int           `json:"concurrency,omitempty"` // jobs at the same time
	Starts      int           `json:"starts,omitempty"`      // how many jobs may start
	Window      time.Duration `json:"window_ns,omitempty"`   // within any time of this length
	BudgetUSD   float64       `json:"budget_usd,omitempty"`  // what all jobs together may cost
}

// A Result is the state and the outcome of a job: schemas/batch-result-v1.schema.json.
type Result struct {
	ID       string          `json:"id"`
	Kind     string          `json:"-"`
	State    State           `json:"state"`
	Attempts int             `json:"attempts"` // the attempts that counted
	CostUSD  float64         `json:"cost_usd"` // of all attempts
	Started  *time.Time      `json:"started,omitempty"`
	Ended    *time.Time      `json:"ended,omitempty"`
	Error    string          `json:"error,omitempty"`
	Log      string          `json:"log,omitempty"` // the end of the output of a job that was not done
	Result   json.RawMessage `json:"result,omitempty"`
	Event    int64           `json:"-"` // increases with every job of the batch that ends
}

// A JobDocument is one job with its attempts: schemas/batch-result-v1.schema.json.
type JobDocument struct {
	Result
	Tries []Attempt `json:"tries"`
}

// A JobEvent says that a job has ended. skillhand batch run --json prints JobEvents and an
// EndEvent, each on a line: schemas/batch-events-v1.schema.json.
type JobEvent struct {
	Event string `json:"event"` // "job"
	Batch string `json:"batch"`
	Result
}

// An EndEvent is the last line of skillhand batch run --json.
type EndEvent struct {
	Event string `json:"event"` // "end"
	*Status
}

// A Status is the state of a batch: schemas/batch-v1.schema.json.
type Status struct {
	ID       int64      `json:"batch_id"` // for the methods of DB; no other batch ever gets it
	Name     string     `json:"name"`
	Folder   string     `json:"folder,omitempty"` // the folder that its jobs came from
	ByName   bool       `json:"-"`                // the folder does not matter
	Old      bool       `json:"old,omitempty"`    // the batch was started over since
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
	Budget   float64    `json:"budget_usd,omitempty"`   // 0 means no budget
	Most     int        `json:"concurrency,omitempty"`  // jobs at the same time; 0 means no limit
	Starts   int        `json:"starts,omitempty"`       // how many jobs may start; 0 means no limit
	WindowMS int64      `json:"window_ms,omitempty"`    // within any time of this length
	Ended    *time.Time `json:"ended,omitempty"`        // when the last job ended, if all have
	Stopped  Stop       `json:"stopped,omitempty"`      // why nothing starts
	Paused   *time.Time `json:"paused_until,omitempty"` // the next time that a paused kind of job can start
	Short    bool       `json:"over_budget,omitempty"`  // the budget does not allow the remaining jobs
	Event    int64      `json:"-"`                      // the last event
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

// Still reports whether nothing more happens in the batch by itself.
func (s *Status) Still() bool {
	return s.Left() == 0 || s.Open == 0 && s.Stopped != Canceling && (s.Stopped != "" || s.Short && s.Paused == nil)
}

// A Running job is a job that a worker is running.
type Running struct {
	ID      string    `json:"id"`
	Worker  string    `json:"worker"`
	Host    string    `json:"host,omitempty"` // the worker's machine
	Started time.Time `json:"started"`
	Note    string    `json:"note,omitempty"` // what it is doing, as it last reported
}

// A Crew is all workers of a database.
type Crew struct {
	Workers int
	Unfit   []Unfit
}

// An Unfit says that a worker on a host does no jobs of a kind, and why.
type Unfit struct {
	Host, Kind, Why string
}

// An Attempt is one delivery of a job, after it has ended.
type Attempt struct {
	Worker  string     `json:"worker"`
	Started *time.Time `json:"started,omitempty"`
	Ended   *time.Time `json:"ended"`
	How     string     `json:"how"` // finished, returned or lost
	CostUSD float64    `json:"cost_usd"`
	Error   string     `json:"error,omitempty"`
}

// Errors that a caller may want to tell apart.
var (
	ErrNoBatch = errors.New("no such batch")
	ErrNoJob   = errors.New("no such job")
	ErrNoFile  = errors.New("no such file")
	ErrOther   = errors.New("differs from the job already in this batch")
	ErrRunning = errors.New("jobs are running")
)
