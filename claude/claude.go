// Package claude answers one question: what did Claude say, or why did it not?
//
// The Claude CLI exits 0 on failures, reports success next to is_error, hangs in mid-stream and
// leaves child processes behind. Client.Ask turns it into a call that returns a typed answer or a
// named failure. After the call no process is left running.
//
// The pure parts are separate: arguments (args.go), the CLI's events (decode.go), the verdict on
// them (classify.go), JSON in an answer (extract.go) and waiting between attempts (retry.go). Only
// Client.attempt starts a program.
package claude

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/words"
)

// A Client asks questions of the Claude CLI. The zero value is ready to use.
type Client struct {
	Path string // the claude program; "" means $SKILLHAND_CLAUDE, then claude in PATH

	// Dialect drives another agent; nil means the Claude CLI.
	Dialect Dialect

	Env []string // nil means the caller's environment

	Timeout     time.Duration // for the whole call, waits included; 0 means DefaultTimeout
	IdleTimeout time.Duration // without a byte from the CLI; 0 means DefaultIdleTimeout, less than 0 means no limit
	Retries     int           // how often to try again after a temporary failure
	RetryFresh  bool          // each attempt starts a new session instead of resuming the previous one

	// OnEvent is called for each thing that the CLI does, as it happens, one call at a time. Until
	// it returns, nothing more is read from the CLI.
	OnEvent func(Event)

	// OnRetry is called before each retry. OnEvent gets the retries too, but with OnEvent every
	// line of the transcript is decoded. With OnRetry alone it is not.
	OnRetry func(Event)
}

// The limits of a Client that sets no limits.
const (
	DefaultTimeout     = 10 * time.Minute
	DefaultIdleTimeout = 2 * time.Minute
)

// A Request is one question: plain data. Only Prompt is required.
type Request struct {
	Prompt       string
	Dir          string // where the CLI works; "" means the caller's folder
	Model        string
	MaxTurns     int // 0 means no limit
	AllowedTools []string
	Resume       string // the session to resume
	Continue     bool   // resume the folder's last session
	MaxBudgetUSD float64
	Schema       json.RawMessage // a JSON Schema that the answer must fit; nil means any answer
	Args         []string        // more arguments for the CLI, unchanged

	// Transcript is a file for the CLI's stdout, byte for byte, written as it arrives. An existing
	// file is replaced. The transcripts of earlier attempts are FILE.1, FILE.2 and so on.
	Transcript string
}

// A Reply is the result of a question. After a failure it has whatever is known.
type Reply struct {
	Output     string          // the answer
	JSON       json.RawMessage // the JSON in the answer, if there is any; with a schema it fits
	SessionID  string
	Model      string
	Turns      int
	CostUSD    float64         // of all attempts, and what a resumed session had cost before
	NoCost     bool            // another agent did not report what an attempt cost, so CostUSD is incomplete
	TurnUSD    float64         // the part of CostUSD for the most expensive turn of the last attempt; 0 without OnEvent
	Billed     float64         // what the last attempt's turns used, in input tokens: output counts 5 times, cache reads a tenth
	Usage      json.RawMessage // tokens, in the CLI's words; nil if the CLI did not report them
	Denials    json.RawMessage // tool uses that were not permitted, in the CLI's words
	Exit       int             // the CLI's exit status; 128+n after signal n
	Stderr     string          // the end of the CLI's stderr in the last attempt
	Duration   time.Duration   // of the whole call
	Attempts   []Attempt       // all attempts, with the last
	Transcript string          // the file with the last attempt's transcript, if the request named one
}

// An Attempt is one run of the CLI. Category, Kind and Error are empty if it succeeded.
type Attempt struct {
	Category  Category
	Kind      Kind
	Error     string // the CLI's own words
	SessionID string
	Duration  time.Duration
}

// A RequestError says that a request is invalid. Nothing was started.
type RequestError struct {
	Field string // the part that is wrong: prompt, schema, cwd, …
	Fault string
	Err   error // the cause, if there was one
}

func (e *RequestError) Unwrap() error { return e.Err }

func (e *RequestError) Error() string {
	if e.Field == "prompt" {
		return "the prompt " + e.Fault
	}
	return e.Field + ": " + e.Fault
}

// A StartError says that the CLI could not be started.
type StartError struct{ Err error }

func (e *StartError) Error() string { return e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

// Ask sends r to Claude and waits for the answer. After temporary failures it tries again. If the
// CLI ran and gave no good answer, the error is an *Error, and the reply has whatever is known. A
// *RequestError or *StartError means that the CLI did not run.
func (c *Client) Ask(ctx context.Context, r Request) (*Reply, error) {
	a, err := c.newAsk(r)
	if err != nil {
		return nil, err
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, &deadlineError{timeout})
	defer cancel()
	began := time.Now()
	err = a.run(ctx)
	a.reply.Duration = time.Since(began)
	if len(a.reply.Attempts) == 0 {
		return nil, err
	}
	return a.reply, err
}

// Check reports what is wrong with a request. It starts nothing.
func (c *Client) Check(r Request) error {
	_, err := c.newAsk(r)
	return err
}

// An ask is a request in progress.
type ask struct {
	req     Request
	client  *Client
	env     []string
	program string
	schema  *schema
	reply   *Reply
	costs   map[string]float64 // of each session, by its id
}

func (c *Client) newAsk(r Request) (*ask, error) {
	a := &ask{req: r, client: c, env: c.Env, reply: &Reply{}, costs: map[string]float64{}}
	if a.env == nil {
		a.env = os.Environ()
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	var err error
	if a.schema, err = newSchema(r.Schema); err != nil {
		return nil, err
	}
	if c.Dialect != nil {
		if err := c.Dialect.Check(r); err != nil {
			return nil, err
		}
		own, _ := words.Getenv(a.env, c.Dialect.Variable())
		a.program = cmp.Or(c.Path, own, c.Dialect.Program())
	} else {
		if _, set := words.Getenv(a.env, retriesVariable); !set {
			a.env = append(slices.Clone(a.env), retriesVariable+"=2")
		}
		own, _ := words.Getenv(a.env, "SKILLHAND_CLAUDE")
		a.program = cmp.Or(c.Path, own, "claude")
	}
	if filepath.Base(a.program) != a.program {
		if a.program, err = filepath.Abs(a.program); err != nil { // the caller's path, not Dir's
			return nil, err
		}
	}
	return a, nil
}

// retriesVariable limits the CLI's own retries. Its default of ten, in each of our attempts, would
// take an hour.
const retriesVariable = "CLAUDE_CODE_MAX_RETRIES"

// run makes attempts until one succeeds or fails for good, or no time is left.
func (a *ask) run(ctx context.Context) error {
	pauses := newPauses()
	session := "" // the session to resume
	for try := 0; ; {
		rec, err := a.attempt(ctx, session)
		if err == nil {
			return nil
		}
		failure, ok := errors.AsType[*Error](err)
		if !ok {
			return err
		}
		if session != "" && rec.lost() {
			session = "" // the CLI did not save the session, so nothing can be resumed
			continue
		}
		if try >= a.client.Retries || !failure.Temporary() || ctx.Err() != nil {
			return failure
		}
		wait, ok := pauses.next(failure, timeLeft(ctx))
		if !ok {
			return failure
		}
		again := Event{Type: Retry, Attempt: len(a.reply.Attempts), SessionID: rec.session, Kind: failure.Kind,
			Text: failure.Message, Wait: wait}
		for _, tell := range []func(Event){a.client.OnEvent, a.client.OnRetry} {
			if tell != nil {
				tell(again)
			}
		}
		if sleep(ctx, wait) != nil {
			return stop(context.Cause(ctx))
		}
		try++
		if rec.began && !a.client.RetryFresh {
			session = rec.session
		}
	}
}

// attempt runs the CLI once. session is the session to resume, or "".
func (a *ask) attempt(ctx context.Context, session string) (*record, error) {
	r := a.req
	if session != "" {
		r = r.resumed(session)
	}
	file, err := a.transcript()
	if err != nil {
		return nil, err
	}
	out := newStdout(ctx, file, a.client.idle(), a.emitter())
	defer out.cancel(nil)
	words, stdin := args(&r, a.schema), r.Prompt
	if d := a.client.Dialect; d != nil {
		words, stdin = d.Command(r)
		out.reader = d.Reader(r)
	}
	errs := &tail{touch: out.touch}
	result, err := proc.Run(out.ctx, proc.Cmd{
		Args: append([]string{a.program}, words...), Dir: r.Dir, Env: a.env,
		Stdin: strings.NewReader(stdin), Stdout: out, Stderr: errs,
		Grace: []proc.Step{{Signal: proc.Interrupt, Wait: 1500 * time.Millisecond},
			{Signal: proc.Terminate, Wait: 500 * time.Millisecond}},
		Guarded: true,
	})
	rec := out.finish()
	end := ending{exit: result.Exit, signal: result.Signal, stderr: errs.text(), now: time.Now()}
	if result.Cut != proc.Not || ctx.Err() != nil {
		end.stopped = context.Cause(out.ctx)
	}
	if _, ours := errors.AsType[*proc.StreamError](err); ours {
		end.transcript = fmt.Errorf("%s: %w", a.req.Transcript, failedWrite(err))
	} else if err != nil && ctx.Err() == nil {
		file.Close()
		return nil, a.notStarted(err)
	}
	out.empty()
	if err := file.Close(); err != nil && a.req.Transcript != "" && end.transcript == nil {
		end.transcript = fmt.Errorf("%s: %w", a.req.Transcript, failedWrite(err))
	}
	return rec, a.settle(ctx, rec, end, result.Duration)
}

// settle adds the outcome of an attempt to the reply.
func (a *ask) settle(ctx context.Context, rec *record, end ending, took time.Duration) error {
	answer, failure := verdict(ctx, rec, end, a.schema)
	r := a.reply
	r.SessionID, r.Model, r.Exit, r.Stderr = rec.session, rec.model, end.exit, strings.TrimSpace(end.stderr)
	r.Output, r.JSON = answer.text, answer.json
	r.Turns, r.Usage, r.Denials, r.Transcript = 0, nil, nil, a.req.Transcript
	r.TurnUSD, r.Billed = 0, rec.bill.total()
	if res := rec.result; res != nil {
		r.Turns, r.Usage, r.Denials = res.Turns, res.Usage, res.Denials
		a.cost(rec.session, res.cost())
		r.TurnUSD = rec.bill.dearest(res.cost())
	}
	if a.client.Dialect != nil && (rec.result == nil || rec.result.CostUSD == nil) {
		r.NoCost = true
	}
	attempt := Attempt{SessionID: rec.session, Duration: took}
	if failure != nil {
		if d := a.client.Dialect; d != nil {
			failure.Agent = d.Program()
		}
		attempt.Category, attempt.Kind, attempt.Error = failure.Category, failure.Kind, failure.Message
	}
	r.Attempts = append(r.Attempts, attempt)
	if failure != nil {
		return failure
	}
	return nil
}

// cost sets what a session has cost so far. An attempt that resumes a session reports the cost of
// the whole session.
func (a *ask) cost(session string, usd float64) {
	a.costs[session] = max(a.costs[session], usd)
	a.reply.CostUSD = 0
	for _, usd := range a.costs {
		a.reply.CostUSD += usd
	}
}

// emitter returns a function that passes on the events of the current attempt, or nil if nobody
// listens.
func (a *ask) emitter() func(Event) {
	if a.client.OnEvent == nil {
		return nil
	}
	attempt := len(a.reply.Attempts) + 1
	return func(e Event) {
		e.Attempt = attempt
		a.client.OnEvent(e)
	}
}

func (c *Client) idle() time.Duration {
	if c.IdleTimeout == 0 {
		return DefaultIdleTimeout
	}
	return max(c.IdleTimeout, 0)
}

// Install tells how to install the program.
const Install = "install it: npm install -g @anthropic-ai/claude-code"

// Absent returns what to do about a program that does not exist. That is how to install it or, if
// an environment variable names another program, which variable that is.
func Absent(d Dialect, env []string) string {
	variable, install := "SKILLHAND_CLAUDE", Install
	if d != nil {
		variable, install = d.Variable(), d.Missing()
	}
	if path, _ := words.Getenv(env, variable); path != "" {
		return fmt.Sprintf("%s is %s: set it to the program's path, or unset it", variable, path)
	}
	return install
}

// notStarted returns the error for a program that could not be started, and what to do about it.
func (a *ask) notStarted(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		how := Install
		_, beside := os.Stat(a.program)
		switch {
		case a.client.Path != "" && filepath.Base(a.program) == a.program && beside == nil:
			how = "did you mean ." + string(filepath.Separator) + a.program + "?"
		case a.client.Path == "":
			how = Absent(a.client.Dialect, a.env)
		case a.client.Dialect != nil:
			how = a.client.Dialect.Missing()
		}
		err = fmt.Errorf("%w (%s)", err, how)
	}
	return &StartError{Err: err}
}

// failedWrite returns the cause of a failed write, without the names around it.
func failedWrite(err error) error {
	if e, ok := errors.AsType[*proc.StreamError](err); ok {
		err = e.Err
	}
	return files.Cause(err)
}
