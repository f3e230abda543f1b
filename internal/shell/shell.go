// Package shell answers one question: what came of this command line? It runs a
// line as a built-in, in the embedded shell, or in bash.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/skillhand/skillhand/internal/shell/bind"
	"github.com/skillhand/skillhand/internal/shell/minibash"
)

// A Shell runs command lines, any number of them at the same time. The zero value is ready to use.
type Shell struct {
	Builtins  map[string]Func // functions of this program that lines may call by name
	Launchers []string        // folders with scripts that may call a built-in (a plugin's hooks/bin and bin)
	Self      []string        // the command that runs a built-in by name in another process: {"skillhand", "builtin"}
	Dir       string          // the folder in which lines run; "" means the caller's folder
	Env       []string        // nil means the caller's environment
	Timeout   time.Duration   // for each line; 0 means 120 seconds
	MaxOutput int64           // how many bytes a line may print; 0 means 256 MB

	// MayRun returns why a program or script that a line names by its path must not run. A nil
	// MayRun means that all may. The path is absolute, and its links are resolved.
	MayRun func(path string) error

	targets sync.Map               // the targets of names, as [2]string{folder, name} → target
	checked atomic.Pointer[string] // the last Dir that was a folder
}

// A Func is a built-in. Its exit status is a value.
type Func func(ctx context.Context, args []string, std Std) (exit int)

// A Std is what a built-in reads and writes.
type Std struct {
	In       io.Reader
	Out, Err io.Writer
	Dir      string   // the line's working folder
	Env      []string // the line's environment
}

type (
	// A Line is a command line and its values, from package bind.
	Line = bind.Line
	// A Part is a piece of a Line.
	Part = bind.Part
	// A Value is data in a Line.
	Value = bind.Value
)

// A How says where a line ran.
type How string

// The ways to run a line.
const (
	Builtin  How = "builtin"
	Embedded How = "shell"
	Bash     How = "bash"
	Nowhere  How = "" // the line did not run: it was refused, or nothing could run it
)

// A Result says what a line printed and how it ended. Its outputs may hold files. Close them when
// they are no longer needed.
type Result struct {
	How            How
	Exit           int // 124 after a timeout, 126 or 127 if nothing could run it
	Stdout, Stderr *Output
	Reason         string // why it was refused, stopped, or could not start; "" if it ended by itself
	Duration       time.Duration
	Missing        bool // the line names a path in a launcher folder that does not exist: nothing ran
}

// The reasons why a line was stopped early.
var (
	errTimeout = errors.New("timed out")
	errFlood   = errors.New("printed too much")
)

// Run runs a line to its end. After that, nothing that the line started still runs. A line that
// fails, is refused or is stopped by a limit has a result that says so. An error means that there
// is no result: the folder to run in cannot be used.
func (s *Shell) Run(ctx context.Context, line Line) (Result, error) {
	start := time.Now()
	r, err := s.start(ctx, line)
	if err != nil {
		return Result{}, err
	}
	defer r.cancel(nil)
	res := r.run()
	if r.cut.Load() {
		res.Exit, res.Reason = r.ending()
	}
	r.stdout.end()
	r.stderr.end()
	res.Stdout, res.Stderr = r.stdout, r.stderr
	res.Duration = time.Since(start)
	return res, nil
}

// A running is one line while it runs.
type running struct {
	shell   *Shell
	prog    *bind.Program
	refused string // why the line must not run, or ""
	dir     string
	env     []string
	ctx     context.Context
	cancel  context.CancelCauseFunc
	cut     atomic.Bool  // a part of the line was stopped early
	room    atomic.Int64 // how many bytes it may still print
	stdout  *Output
	stderr  *Output
}

func (s *Shell) start(ctx context.Context, line Line) (*running, error) {
	dir, err := s.dir()
	if err != nil {
		return nil, err
	}
	r := &running{shell: s, dir: dir, env: s.environ(dir), stdout: &Output{}, stderr: &Output{}}
	r.room.Store(s.maxOutput())
	ctx, stop := context.WithTimeoutCause(ctx, s.timeout(), errTimeout)
	ctx, cancel := context.WithCancelCause(ctx)
	r.ctx = ctx
	r.cancel = func(cause error) {
		cancel(cause)
		stop()
	}
	if r.prog, err = bind.Bind(line, r.world()); err != nil {
		r.refused = err.Error()
	} else if r.prog.HasNUL() {
		r.refused = "the command contains a NUL byte, which no program can be given"
	} else if err := r.mayRun(); err != nil {
		r.refused = err.Error()
	}
	return r, nil
}

// run decides where the line runs, and runs it there.
func (r *running) run() Result {
	if r.refused != "" {
		return Result{Exit: 126, Reason: r.refused}
	}
	if c, ok := r.prog.Call(); ok {
		if res, ok := r.runCall(c); ok {
			return res
		}
	}
	if res, why := r.ownPrograms(); why != nil || res.Reason != "" {
		if res.Reason != "" {
			return res
		}
		return r.runBash(why)
	}
	plan, why := minibash.Make(minibash.Setup{Program: r.prog, Dir: r.dir, Env: r.env, Find: r.embedded})
	if why != nil {
		return r.runBash(why)
	}
	return r.runEmbedded(plan)
}

// ownPrograms looks for programs of the plugin that the line calls by their bare names. Only bash
// can call these. The result has a reason if one of them must not run.
func (r *running) ownPrograms() (Result, error) {
	if len(r.shell.Launchers) == 0 {
		return Result{}, nil
	}
	var why error
	for _, name := range r.prog.Names() {
		t := r.resolve(name)
		if t.path == "" || t.fn != nil || t.fault != "" {
			continue
		}
		if r.shell.MayRun != nil {
			if err := r.mayRunFile(r.dir, t.path); err != nil {
				return Result{Exit: 126, Reason: err.Error()}, nil
			}
		}
		why = errors.New(name)
	}
	return Result{}, why
}

// runCall runs a line that is a single call of a built-in or launcher.
func (r *running) runCall(c bind.Call) (Result, bool) {
	t := r.resolve(c.Name)
	switch {
	case t.missing:
		return Result{Exit: 127, Reason: c.Name + ": no such file", Missing: true}, true
	case t.fault != "":
		return Result{Exit: t.exit, Reason: t.fault}, true
	case t.fn == nil || !c.Plain:
		return Result{}, false
	}
	std := Std{Out: r.stream(r.stdout), Err: r.stream(r.stderr), Dir: r.dir, Env: r.env}
	return Result{How: Builtin, Exit: r.call(t.name, t.fn, slices.Concat(t.fixed, c.Args), std)}, true
}

func (r *running) runEmbedded(p *minibash.Plan) Result {
	end := p.Run(r.ctx, minibash.IO{
		Out:   r.stream(r.stdout),
		Err:   r.stream(r.stderr),
		Limit: func(w io.Writer) io.Writer { return r.stream(w) },
	})
	if end.Cut {
		r.cut.Store(true)
	}
	res := Result{How: Embedded, Exit: end.Status}
	if !end.Exited {
		res.Reason = killed(end.Status)
	}
	return res
}

// embedded returns a built-in or launcher as a command of the embedded shell.
func (r *running) embedded(name string) (minibash.Command, bool) {
	t := r.resolve(name)
	switch {
	case t.fault != "":
		return func(_ []string, std minibash.Std) int {
			fmt.Fprintln(std.Err, t.fault)
			return t.exit
		}, true
	case t.fn != nil:
		return func(args []string, std minibash.Std) int {
			return r.call(t.name, t.fn, slices.Concat(t.fixed, args), Std(std))
		}, true
	}
	return nil, false
}

// ending returns the exit status and reason of a line that was stopped early.
func (r *running) ending() (exit int, reason string) {
	switch cause := context.Cause(r.ctx); {
	case errors.Is(cause, errTimeout):
		return 124, "timed out after " + seconds(r.shell.timeout())
	case errors.Is(cause, errFlood):
		return 1, "ended after printing more than " + size(r.shell.maxOutput())
	case errors.Is(cause, context.DeadlineExceeded):
		return 124, "timed out"
	case errors.Is(cause, context.Canceled):
		return 130, "interrupted"
	default:
		return 1, cause.Error()
	}
}

// killed returns that a program was killed, if its status says so. All shells report an end by
// signal n as status 128+n. Programs use some of these for other purposes (git exits with 129), so
// only signals that no program survives count.
func killed(exit int) string {
	switch n := exit - 128; n {
	case 4, 6, 7, 8, 9, 11, 15: // ILL ABRT BUS FPE KILL SEGV TERM
		return "killed by signal " + strconv.Itoa(n)
	}
	return ""
}

// A stream takes the output of a line. It stops a line that prints too much.
type stream struct {
	line *running
	mu   sync.Mutex
	to   io.Writer
}

func (r *running) stream(to io.Writer) *stream { return &stream{line: r, to: to} }

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fits := p
	if room := s.line.room.Add(-int64(len(p))); room < 0 {
		fits = p[:max(0, int64(len(p))+room)]
	}
	n, err := s.to.Write(fits)
	if err != nil {
		return n, s.line.end(fmt.Errorf("its output could not be saved: %w", err))
	}
	if n < len(p) {
		return n, s.line.end(errFlood)
	}
	return n, nil
}

// end stops a line early.
func (r *running) end(cause error) error {
	r.cut.Store(true)
	r.cancel(cause)
	return cause
}

// dir returns the folder in which lines run, as an absolute path. It checks only once that the
// folder exists, because a page has many lines.
func (s *Shell) dir() (string, error) {
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return "", err
	}
	if checked := s.checked.Load(); checked != nil && *checked == dir {
		return dir, nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s: not a folder", dir)
	}
	s.checked.Store(&dir)
	return dir, nil
}

// environ returns the environment in which lines run.
func (s *Shell) environ(dir string) []string {
	env := s.Env
	if env == nil {
		env = os.Environ()
	}
	return minibash.Setenv(env, "PWD", dir)
}

func (s *Shell) timeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return 120 * time.Second
}

func (s *Shell) maxOutput() int64 {
	if s.MaxOutput > 0 {
		return s.MaxOutput
	}
	return 256 << 20
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
}

func size(n int64) string {
	switch {
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MB", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%d KB", n>>10)
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}
