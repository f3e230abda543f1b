// Package proc answers one question: what happened when this program ran?
// It is the only package that starts processes, and nothing it starts outlives Run.
//
// A program runs in its own session: signals from our terminal do not reach it, and it has no
// terminal that could stop it. When it has ended, or Run ends it, Run also ends everything that it
// started, with SIGKILL. On Linux this includes children in other groups and sessions, and daemons.
// On other Unix systems it means the program's process group. On Windows it means the program's
// job, which misses only processes that a service starts for the program. On all systems, a process
// that changed to another user is out of our reach. If several programs run at the same time, a
// daemon that emptied its environment may outlive its own program. It ends with the last program
// that could have started it.
//
// On Linux a program finds the variable SKILLHAND_JOB in its environment, by which Run recognizes
// its children. The calling process is a child subreaper while Run works. Run neither signals nor
// waits for children that the calling process started by itself. If the calling process is killed,
// its running programs die with it. Their children live on, unless Cmd.Guarded is set.
package proc

import (
	"context"
	"fmt"
	"io"
	"time"
)

// A Cmd is one program and its limits. Only Args is required.
type Cmd struct {
	Args []string // the program and its arguments; the program is a path, or a name to find in Env's PATH
	Dir  string   // "" means the caller's folder; a relative program path starts here
	Env  []string // nil means the caller's environment; if a variable occurs twice, the last value counts

	// Stdin nil means no input: /dev/null. The program gets an *os.File as it is. Any other reader
	// is read until the program has ended. Run does not wait for a Read that has not returned by
	// then.
	Stdin io.Reader

	// Stdout and Stderr nil discard the output. If both are the same writer, it gets one stream, in
	// order. Different writers are written to at the same time. Run returns only after every Write
	// has returned, so a Write that never returns blocks Run.
	Stdout io.Writer
	Stderr io.Writer

	Timeout   time.Duration // from the program's start; 0 means no limit
	MaxOutput int64         // the most bytes on both streams together; with more output the program is ended; 0 means no limit
	Grace     []Step        // polite signals before SIGKILL; nil means SIGKILL at once

	// Silence is how long the output may be silent after the program's end while a process that it
	// started still holds the output. Each write starts the time again, up to ten times Silence in
	// all, within Timeout. A process that ends by itself in this time was not left behind. 0 means
	// 200 ms in all.
	Silence time.Duration

	// Guarded programs, and all that they started, also end if we are killed, even by SIGKILL. It
	// is for programs that would go on spending money. It costs a shell that waits as long as a
	// guarded program runs.
	Guarded bool
}

// A Step is one polite signal and how long to wait for it to work.
type Step struct {
	Signal Signal
	Wait   time.Duration
}

// A Signal is a polite request to end.
type Signal int

// The polite signals.
const (
	Interrupt Signal = iota
	Terminate
)

// A Result says how a program ended.
type Result struct {
	Exit     int           // 128+n after signal n
	Signal   int           // n, if a signal ended it; 0 if it exited
	Cut      Cut           // why Run ended it early, if Run did
	Duration time.Duration // wall time

	// For a program that ended by itself:
	Held bool // when the wait was over, a process still held its output, so some output may be missing
	// Left names the processes that the program left behind and that Run ended, if Cmd.Silence is
	// set. On Unix systems other than Linux an empty name stands for all of them.
	Left []string
}

// A Cut says why Run ended a program early.
type Cut int

// The reasons why Run ended a program.
const (
	Not      Cut = iota // it ended by itself
	Timeout             // Cmd.Timeout passed, even if the program ended by itself before Run could end it
	Flooded             // the program wrote more than Cmd.MaxOutput, and the rest was dropped
	Canceled            // the context ended
)

// A StreamError says that the caller's side of a stream failed: a writer could not take the
// program's output, or the reader could not provide its input. Run ended the program because of
// that.
type StreamError struct {
	Program string // Args[0]
	Stream  string // stdin, stdout or stderr
	Err     error
}

func (e *StreamError) Error() string {
	return fmt.Sprintf("%s: %s: %v", e.Program, e.Stream, e.Err)
}

func (e *StreamError) Unwrap() error { return e.Err }

// lastWords is how long a child may still write after the program's end. A program may let a child
// write the end of its output: exec > >(tee log).
var lastWords = 200 * time.Millisecond

const (
	// With Cmd.Silence, a child may write for this many times that time.
	mostWords = 10
	// A process that has waited for something during all of this time is not about to end by
	// itself.
	settled = 100 * time.Millisecond
	// After that time, everything that we found is dead. A process that still holds the output may
	// not be ours.
	holder = 20 * time.Millisecond
	// SIGKILL works at once, or never: the process belongs to another user, or waits for a disk
	// that hangs. A busy machine needs some time, though.
	patience = 5 * time.Second
	// Each round of killing reaches the processes that forked during the previous round.
	leastRounds = 20
	// How often the remains of a long-running program's orphans are removed.
	tidying = 10 * time.Second
)

// Run runs c to its end and ends everything that it started. An error means that there is no
// result: the program could not be started, or could not be ended. Only a *StreamError comes with a
// result, because the program did run.
//
// The error for a program that could not be started wraps one of these: exec.ErrNotFound for a name
// that is not in PATH, fs.ErrNotExist for a missing program or folder, fs.ErrPermission for a file
// that may not be run, syscall.ENOEXEC for a file that is not a program or has no interpreter (then
// also ErrInterpreter), syscall.E2BIG for too many arguments, and the context's error if the
// context had already ended.
func Run(ctx context.Context, c Cmd) (Result, error) {
	began := time.Now()
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("%s: not started: %w", c.name(), err)
	}
	s, err := openStreams(&c)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", c.name(), err)
	}
	// Some contexts catch signals only while somebody waits for them. A signal after the start must
	// not end us and leave the program running.
	_ = ctx.Done()
	if c.Guarded {
		openGuard()
	}
	t, err := start(&c, s)
	if c.Guarded && err == nil {
		guardProgram(t.pid)
		defer closeGuard(t.pid)
	} else if c.Guarded {
		closeGuard(0)
	}
	if err != nil {
		s.close()
		return Result{}, err
	}
	s.pump()
	ended := make(chan struct{})
	late := false // read it only after ended is closed
	go func() {
		t.wait()
		late = c.Timeout != 0 && time.Since(t.started) > c.Timeout
		close(ended)
	}()

	cut, alone := watch(ctx, &c, t, s, ended)
	if alone && late {
		cut, alone = Timeout, false
	}
	var held bool
	var left []string
	if alone {
		held, left = after(ctx, &c, t, s)
	} else {
		end(t, c.Grace, ended)
	}
	killed := time.Now()
	t.kill()
	select {
	case <-ended:
	case <-time.After(max(patience-time.Since(killed), holder)):
		s.finish()
		go func() {
			<-ended
			_, _ = t.reap() // nobody waits for it any more
		}()
		return Result{}, fmt.Errorf("%s: process %d does not end", c.name(), t.pid)
	}
	s.finish()
	exit, err := t.reap()
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", c.name(), err)
	}
	if cut == Not && s.flooded() {
		cut = Flooded // the program ended before we saw how much it had written
	}
	return Result{
		Exit: exit, Signal: signalled(t.cmd.ProcessState), Cut: cut, Duration: time.Since(began),
		Held: held, Left: left,
	}, s.fault()
}

func (c *Cmd) name() string {
	if len(c.Args) == 0 {
		return ""
	}
	return c.Args[0]
}

// watch waits until the program has ended by itself, or there is a reason to end it.
func watch(ctx context.Context, c *Cmd, t *tree, s *streams, ended <-chan struct{}) (cut Cut, alone bool) {
	var timeout <-chan time.Time
	if c.Timeout != 0 {
		timer := time.NewTimer(time.Until(t.started.Add(c.Timeout)))
		defer timer.Stop()
		timeout = timer.C
	}
	tick := time.NewTicker(tidying)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return Not, true
		case <-timeout:
			cut = Timeout
		case <-ctx.Done():
			cut = Canceled
		case <-s.stop:
			if s.flooded() {
				cut = Flooded
			}
		case <-tick.C:
			t.tidy()
			continue
		}
		select {
		case <-ended: // at the same moment: the program ended by itself
			return Not, true
		default:
			return cut, false
		}
	}
}

// after waits for processes that an ended program left behind, as long as they may take. It reports
// whether the output was still held after that, and which processes were left.
func after(ctx context.Context, c *Cmd, t *tree, s *streams) (held bool, left []string) {
	if c.Silence <= 0 {
		return !s.finished(lastWords) && s.held(), nil
	}
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, t.started.Add(c.Timeout))
		defer cancel()
	}
	if s.linger(ctx, c.Silence) {
		left, _ = t.left()
		return true, left
	}
	return false, leftBehind(ctx, t, c.Silence)
}

// leftBehind returns the names of the processes that remain after those that were about to end have
// ended. It waits at most for limit, and only until all remaining processes just wait for
// something.
func leftBehind(ctx context.Context, t *tree, limit time.Duration) []string {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for busy := time.Now(); ; {
		left, idle := t.left()
		if !idle {
			busy = time.Now()
		}
		if len(left) == 0 || time.Since(busy) > settled {
			return left
		}
		select {
		case <-ctx.Done():
			return left
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// end asks the tree to end, step by step, as long as some process of it is left.
func end(t *tree, grace []Step, ended <-chan struct{}) {
	for _, step := range grace {
		if t.signal(step.Signal) && gone(t, ended, step.Wait) {
			return
		}
	}
}

// gone reports whether no process of the tree is left within the given time.
func gone(t *tree, ended <-chan struct{}, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		return false
	}
	for !t.gone() {
		select {
		case <-timer.C:
			return false
		case <-time.After(2 * time.Millisecond):
		}
	}
	return true
}
