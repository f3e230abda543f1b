// Package proc answers one question: what happened when this program ran?
// It is the only package that starts processes, and nothing it starts outlives Run.
//
// A program runs in a session of its own: signals from our terminal do not reach it, and it has no
// terminal to stop at. When it has ended, or is ended, everything it started is ended too, with
// SIGKILL, however far it went to get away. On Linux that holds for children in other groups and
// sessions, and for daemons; on other Unix systems for the program's process group; on Windows for
// the program's job, which only what a service starts for it is not in. A process that changed to another user is out
// of our reach everywhere, and of programs that run at the same time, a daemon that emptied its environment may live as
// long as the last of them that could have started it.
//
// On Linux a program finds the variable SKILLHAND_JOB in its environment, by which its children are
// known again, and the calling process is a child subreaper while Run is at work. Children that the
// calling process started by itself are neither signalled nor waited for. Should the calling process
// be killed, the programs it is running die with it; their own children then go free, unless Cmd.Guarded is set.
package proc

import (
	"context"
	"fmt"
	"io"
	"time"
)

// A Cmd is one program and its limits. Only Args is required.
type Cmd struct {
	Args []string // Args[0] is the program: a path, or a name looked up in Env's PATH
	Dir  string   // "" means the caller's folder; a relative program path starts here
	Env  []string // nil means the caller's environment; of two values the last counts

	// Stdin nil means no input: /dev/null. An *os.File is handed over as it is; any other reader
	// is read until the program has ended. A Read that is then under way is not waited for.
	Stdin io.Reader

	// Stdout and Stderr nil discard; the same writer twice means one stream, in order. Different
	// writers are written to at the same time. No Write is under way after Run has returned, so
	// a Write that never returns holds Run up.
	Stdout io.Writer
	Stderr io.Writer

	Timeout   time.Duration // from the program's start; 0 means no limit
	MaxOutput int64         // bytes over both streams, after which the program is ended; 0 means no limit
	Grace     []Step        // polite ways to end it, before SIGKILL; nil kills at once

	// Silence is how long the output may be silent after the program's end while something that it
	// started still holds it. Each write starts the time anew, up to ten times it in all, within
	// Timeout. Whatever ends by itself meanwhile was not left behind. 0 means 200 ms in all.
	Silence time.Duration

	// Guarded programs end with all that they started also if we are killed, by SIGKILL too: those
	// that would go on spending. It costs a shell that waits as long as one of them runs.
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
	Cut      Cut           // why it was ended before its time, if it was
	Duration time.Duration // wall time

	// After a program that ended by itself:
	Held bool // its output was still held when the time for that was over, so there may have been more to come
	// Left names the processes that it left behind and that were ended, if Cmd.Silence is set. On
	// Unix systems other than Linux an empty name stands for all of them.
	Left []string
}

// Cut says why a program was ended before its time.
type Cut int

// Why a program was ended.
const (
	Not      Cut = iota // it ended by itself
	Timeout             // Cmd.Timeout passed, even if it then ended by itself before we could end it
	Flooded             // it wrote more than Cmd.MaxOutput, of which the rest was dropped
	Canceled            // the context ended
)

// A StreamError says that the caller's side of a stream failed: a writer could not take the
// program's output, or the reader could not give its input. The program was ended for it.
type StreamError struct {
	Program string // Args[0]
	Stream  string // stdin, stdout or stderr
	Err     error
}

func (e *StreamError) Error() string {
	return fmt.Sprintf("%s: %s: %v", e.Program, e.Stream, e.Err)
}

func (e *StreamError) Unwrap() error { return e.Err }

// A program may leave its last words to a child: exec > >(tee log). While the output is
// still open after the program's end, such a child has this long to finish.
var lastWords = 200 * time.Millisecond

const (
	// With Cmd.Silence it may speak for so many times that.
	mostWords = 10
	// A process that waits for something all of this time is not about to end by itself.
	settled = 100 * time.Millisecond
	// Then everything we found is dead. Who still holds the output is not known to be ours.
	holder = 20 * time.Millisecond
	// SIGKILL works at once, or not at all: another user's process, a disk that hangs.
	// A busy machine takes its time, though.
	patience = 5 * time.Second
	// Each round of killing reaches what the round before had let fork.
	leastRounds = 20
	// How often the remains of a long-lived program's orphans are cleared away.
	tidying = 10 * time.Second
)

// Run runs c to its end and ends everything it started. An error means that there is no result:
// the program could not be started, or could not be ended. Only a *StreamError comes with a
// result, since the program did run.
//
// An error that a program could not be started is exec.ErrNotFound for a name that is not in PATH,
// fs.ErrNotExist for any missing program or folder, fs.ErrPermission for what may not be run,
// syscall.ENOEXEC for what is no program or has no interpreter (then also ErrInterpreter), syscall.E2BIG for too many
// arguments, and the context's error if that had ended before.
func Run(ctx context.Context, c Cmd) (Result, error) {
	began := time.Now()
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("%s: not started: %w", c.name(), err)
	}
	s, err := openStreams(&c)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", c.name(), err)
	}
	// Some contexts catch signals only when somebody waits for them. One that comes after the start
	// must not end us without the program.
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
		cut = Flooded // it was done before we saw how much it had written
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

// watch waits until the program has ended, alone, or there is a reason to end it.
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
		case <-ended: // at the same moment: nobody had to end it
			return Not, true
		default:
			return cut, false
		}
	}
}

// after gives what an ended program left behind its time. It reports whether the output was still
// held then, and what was left.
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

// leftBehind names what is left of the tree when what was about to end has done so: at the latest
// after the time given, and as soon as all of it only waits for something.
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

// end asks the tree to end, step by step, as long as something is left of it.
func end(t *tree, grace []Step, ended <-chan struct{}) {
	for _, step := range grace {
		if t.signal(step.Signal) && gone(t, ended, step.Wait) {
			return
		}
	}
}

// gone reports whether nothing is left of the tree within the time given.
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
