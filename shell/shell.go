// Package shell answers one question: what did this command line print, and how
// did it end? It runs a line as a built-in, in the embedded shell, or in bash.
package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// A Shell runs command lines, any number of them at once. The zero value is
// ready to use.
type Shell struct {
	Builtins  map[string]Func // functions of this program that lines may call by name
	Launchers []string        // folders whose scripts may stand for a built-in (a plugin's hooks/bin and bin)
	Self      []string        // the command that runs a built-in by name in another process: {"skillhand", "builtin"}
	Dir       string          // where lines run; "" means the caller's folder
	Env       []string        // nil means the caller's environment
	Timeout   time.Duration   // for each line; 0 means 120 seconds
	MaxOutput int64           // bytes a line may print before it is ended; 0 means 256 MB

	targets sync.Map // what names stand for, as [2]string{folder, name} → target
}

// A Func is a built-in. Its exit status is a value.
type Func func(ctx context.Context, args []string, std Std) (exit int)

// Std is what a built-in reads and writes.
type Std struct {
	In       io.Reader
	Out, Err io.Writer
	Dir      string   // the line's working folder
	Env      []string // the line's environment
}

// A Line is one command line, with its values kept apart from its text.
type Line struct {
	Parts []Part
}

// A Part is a piece of a command line: text that is code, or a value that is not.
type Part struct {
	Text  string // code if Value is nil; else the value as written: $ARGUMENTS
	Value *Value
}

// A Value is data that stands in a command line. It never becomes code.
type Value struct {
	Data  string
	Place bool // a path or id of our own (${CLAUDE_SKILL_DIR}): never split, and may name the command
}

// How says where a line ran.
type How string

// Where a line can run.
const (
	Builtin  How = "builtin"
	Embedded How = "shell"
	Bash     How = "bash"
	Nowhere  How = "" // it was not run: refused, or nothing could run it
)

// A Result says what a line printed and how it ended. Its outputs may hold
// files: close them when they are no longer needed.
type Result struct {
	How            How
	Exit           int // 124 after a timeout, 126 or 127 if nothing could run it
	Stdout, Stderr *Output
	Reason         string // why it was refused, ended or could not start; "" if it ended by itself
	Duration       time.Duration
	Missing        bool // the line names a launcher's path that does not exist: nothing ran
}

// Why a line was ended before its time.
var (
	errTimeout = errors.New("timed out")
	errFlood   = errors.New("printed too much")
)

// Run runs a line to its end; nothing that it started is left behind. A line
// that fails, is refused or is ended by a limit has a result that says so. An
// error means that there is none: the folder to run in cannot be used.
func (s *Shell) Run(ctx context.Context, line Line) (Result, error) {
	start := time.Now()
	j, err := s.job(ctx, line)
	if err != nil {
		return Result{}, err
	}
	defer j.cancel(nil)
	r := j.run()
	if j.cut.Load() {
		r.Exit, r.Reason = j.ending()
	}
	j.stdout.end()
	j.stderr.end()
	r.Stdout, r.Stderr = j.stdout, j.stderr
	r.Duration = time.Since(start)
	return r, nil
}

// A job is one line while it runs.
type job struct {
	*Shell
	prog    *program
	refused string // why the line must not run, if so
	dir     string
	env     []string
	ctx     context.Context
	cancel  context.CancelCauseFunc
	cut     atomic.Bool  // a part of the line was ended before its time
	room    atomic.Int64 // bytes that it may still print
	stdout  *Output
	stderr  *Output
}

func (s *Shell) job(ctx context.Context, line Line) (*job, error) {
	dir, err := s.dir()
	if err != nil {
		return nil, err
	}
	j := &job{Shell: s, dir: dir, env: s.environ(dir), stdout: &Output{}, stderr: &Output{}}
	j.room.Store(s.maxOutput())
	ctx, stop := context.WithTimeoutCause(ctx, s.timeout(), errTimeout)
	ctx, cancel := context.WithCancelCause(ctx)
	j.ctx = ctx
	j.cancel = func(cause error) {
		cancel(cause)
		stop()
	}
	if j.prog, err = line.program(); err != nil {
		j.refused = err.Error()
	} else if j.prog.hasNUL() {
		j.refused = "the command has a NUL byte in it, which no program can be given"
	}
	return j, nil
}

// run decides where the line runs, and runs it there.
func (j *job) run() Result {
	if j.refused != "" {
		return Result{Exit: 126, Reason: j.refused}
	}
	if call, plain := j.prog.call(); call != nil {
		if r, ok := j.runCall(call, plain); ok {
			return r
		}
	}
	p, why := j.plan()
	if why != nil {
		return j.runBash(why)
	}
	return j.runEmbedded(p)
}

// call returns the simple command that is the whole line, if it is one, and
// whether that has neither redirections nor assignments.
func (p *program) call() (call *syntax.CallExpr, plain bool) {
	if p.file == nil || len(p.file.Stmts) != 1 {
		return nil, false
	}
	st := p.file.Stmts[0]
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || st.Negated || st.Background || st.Coprocess || st.Disown {
		return nil, false
	}
	return call, len(st.Redirs) == 0 && len(call.Assigns) == 0
}

// runCall runs a line that is one call of a built-in or of a launcher.
func (j *job) runCall(call *syntax.CallExpr, plain bool) (Result, bool) {
	name, ok := j.prog.name(call)
	if !ok {
		return Result{}, false
	}
	t := j.resolve(name)
	switch {
	case t.missing:
		return Result{Exit: 127, Reason: name + ": no such file", Missing: true}, true
	case t.fault != "":
		return Result{Exit: t.exit, Reason: t.fault}, true
	case t.fn == nil || !plain:
		return Result{}, false
	}
	args := t.fixed
	for _, w := range call.Args[1:] {
		words, ok := j.prog.fields(w)
		if !ok {
			return Result{}, false
		}
		args = append(args, words...)
	}
	std := Std{Out: j.stream(j.stdout), Err: j.stream(j.stderr), Dir: j.dir, Env: j.env}
	return Result{How: Builtin, Exit: j.call(t.name, t.fn, args, std)}, true
}

// name returns the name of the command that is called, if it is literal or one
// of the line's values.
func (p *program) name(call *syntax.CallExpr) (string, bool) {
	if call.Args[0].Lit() == "[" {
		return "[", true
	}
	words, ok := p.fields(call.Args[0])
	if !ok || len(words) != 1 || words[0] == "" {
		return "", false
	}
	return words[0], true
}

// hasNUL reports whether the text or a value holds a byte that ends a C string.
func (p *program) hasNUL() bool {
	if strings.IndexByte(p.text, 0) >= 0 {
		return true
	}
	for _, v := range p.vars {
		if strings.IndexByte(v.data, 0) >= 0 {
			return true
		}
	}
	return false
}

// ending returns how a line ends that was ended before its time.
func (j *job) ending() (exit int, reason string) {
	switch cause := context.Cause(j.ctx); {
	case errors.Is(cause, errTimeout):
		return 124, "timed out after " + seconds(j.timeout())
	case errors.Is(cause, errFlood):
		return 1, "ended after printing more than " + size(j.maxOutput())
	case errors.Is(cause, context.DeadlineExceeded):
		return 124, "timed out"
	case errors.Is(cause, context.Canceled):
		return 130, "interrupted"
	default:
		return 1, cause.Error()
	}
}

// killed says that a program was killed, if its status says so. All shells show
// an end by signal n as status 128+n. Of these, programs use some for other
// things (git exits with 129), so only signals that nobody survives count.
func killed(exit int) string {
	switch n := exit - 128; n {
	case 4, 6, 7, 8, 9, 11, 15: // ILL ABRT BUS FPE KILL SEGV TERM
		return "killed by signal " + strconv.Itoa(n)
	}
	return ""
}

// A stream is where a job prints. It ends a job that prints too much.
type stream struct {
	job *job
	mu  sync.Mutex
	to  io.Writer
}

func (j *job) stream(to io.Writer) *stream { return &stream{job: j, to: to} }

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fits := p
	if room := s.job.room.Add(-int64(len(p))); room < 0 {
		fits = p[:max(0, int64(len(p))+room)]
	}
	n, err := s.to.Write(fits)
	if err != nil {
		return n, s.job.end(fmt.Errorf("its output could not be kept: %w", err))
	}
	if n < len(p) {
		return n, s.job.end(errFlood)
	}
	return n, nil
}

// end ends a job before its time.
func (j *job) end(cause error) error {
	j.cut.Store(true)
	j.cancel(cause)
	return cause
}

// dir returns the folder that lines run in, as an absolute path.
func (s *Shell) dir() (string, error) {
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s: not a folder", dir)
	}
	return dir, nil
}

// environ returns the environment that lines run with.
func (s *Shell) environ(dir string) []string {
	env := s.Env
	if env == nil {
		env = os.Environ()
	}
	return setEnv(env, "PWD", dir)
}

// setEnv returns env with a variable set, and leaves env as it is.
func setEnv(env []string, name, value string) []string {
	set := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if n, _, ok := strings.Cut(kv, "="); !ok || n != name {
			set = append(set, kv)
		}
	}
	return append(set, name+"="+value)
}

// getEnv returns a variable's value; of two the last counts.
func getEnv(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name); ok && strings.HasPrefix(v, "=") {
			return v[1:], true
		}
	}
	return "", false
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
