package minibash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// An IO says where a line prints.
type IO struct {
	Out, Err io.Writer

	// Limit returns a writer that ends the line when the line prints too much in $( ). nil means no
	// limit.
	Limit func(io.Writer) io.Writer
}

// An End says how a line ended.
type End struct {
	Status int
	Exited bool // by exit: the line chose its status, so the status says nothing about signals
	Cut    bool // the context ended it early
}

// Run runs the line in this process. It starts only the programs that the line names.
func (p *Plan) Run(ctx context.Context, std IO) End {
	l := &line{plan: p, ctx: ctx, limit: std.Limit}
	w := &walker{line: l, dir: p.setup.Dir, out: std.Out, err: std.Err}
	w.stmts(p.file.Stmts)
	return End{w.status, w.exited, l.cut.Load()}
}

// A line is a plan while it runs.
type line struct {
	plan  *Plan
	ctx   context.Context
	limit func(io.Writer) io.Writer
	cut   atomic.Bool // a part of the line was stopped early
}

// A walker runs the nodes that a plan allows. It is the state of a shell. Its copies are subshells.
type walker struct {
	line   *line
	vars   map[string]string // the variables that the line has assigned
	dir    string
	in     *os.File // nil means no input
	out    io.Writer
	err    io.Writer
	status int    // the status of the last command
	exited bool   // true if nothing more runs
	at     uint   // the line number of the running command, for messages
	old    string // the folder before the last cd

	substituted bool // the running command has a $( ), so there is a status
}

func (w *walker) subshell() *walker {
	sub := *w
	sub.vars = maps.Clone(w.vars)
	return &sub
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, st := range list {
		w.stmt(st)
	}
}

func (w *walker) stmt(st *syntax.Stmt) {
	if w.exited || w.ended() {
		return
	}
	switch cmd := st.Cmd.(type) {
	case nil:
		w.simple(st, &syntax.CallExpr{})
	case *syntax.CallExpr:
		w.simple(st, cmd)
	case *syntax.BinaryCmd:
		switch cmd.Op {
		case syntax.Pipe:
			w.pipe(cmd.X, cmd.Y)
		case syntax.AndStmt, syntax.OrStmt:
			w.stmt(cmd.X)
			if (w.status == 0) == (cmd.Op == syntax.AndStmt) {
				w.stmt(cmd.Y)
			}
		}
	}
	if st.Negated && !w.exited {
		w.status = oneIf(w.status == 0)
	}
}

func (w *walker) ended() bool {
	if w.line.ctx.Err() == nil {
		return false
	}
	w.line.cut.Store(true)
	w.exited, w.status = true, 1
	return true
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pipe runs both sides at the same time, each in a subshell.
func (w *walker) pipe(x, y *syntax.Stmt) {
	r, p, err := os.Pipe()
	if err != nil {
		w.status = w.complain(1, "cannot make pipe: %s", errorText(err))
		return
	}
	left, right := w.subshell(), w.subshell()
	left.out, right.in = p, r
	var wg sync.WaitGroup
	wg.Go(func() {
		left.stmt(x)
		_ = p.Close()
	})
	right.stmt(y)
	_ = r.Close() // a program that still writes to the pipe gets an error
	wg.Wait()
	w.status = right.status
}

// simple runs a simple command. The order is that of bash: arguments, assignments, redirections.
func (w *walker) simple(st *syntax.Stmt, call *syntax.CallExpr) {
	w.at = st.Pos().Line()
	w.substituted = false
	var args []string
	for _, word := range call.Args {
		args = append(args, w.fields(word)...)
	}
	env := w
	if len(args) > 0 && len(call.Assigns) > 0 {
		env = w.subshell() // these assignments are only for this command
	}
	for _, as := range call.Assigns {
		value := ""
		if as.Value != nil {
			value = env.text(as.Value)
		}
		env.assign(as.Name.Value, value)
	}
	if w.ended() {
		return
	}
	undo, ok := w.redirect(st.Redirs)
	defer undo()
	switch {
	case !ok:
		w.status = 1
	case len(args) > 0:
		w.status = w.run(w.line.plan.commands[call], args, env.environ(call.Assigns))
	case !w.substituted:
		w.status = 0
	}
}

func (w *walker) assign(name, value string) {
	if w.vars == nil {
		w.vars = map[string]string{}
	}
	w.vars[name] = value
}

// lookup returns a variable's value.
func (w *walker) lookup(name string) string {
	if v, ok := w.vars[name]; ok {
		return v
	}
	if v, ok := w.line.plan.setup.Program.Lookup(name); ok {
		return v.Data
	}
	if name == "PWD" {
		return w.dir
	}
	v, _ := words.Getenv(w.line.plan.setup.Env, name)
	return v
}

// environ returns the environment of a program: the variables of the original environment with
// their current values, and the assignments before the program's name.
func (w *walker) environ(prefix []*syntax.Assign) []string {
	env := w.line.plan.setup.Env
	for name, value := range w.vars {
		if _, ok := words.Getenv(env, name); ok {
			env = Setenv(env, name, value)
		}
	}
	if w.old != "" {
		env = Setenv(Setenv(env, "PWD", w.dir), "OLDPWD", w.old)
	}
	for _, as := range prefix {
		env = Setenv(env, as.Name.Value, w.vars[as.Name.Value])
	}
	return env
}

func (w *walker) fields(word *syntax.Word) []string {
	fields, _ := words.Fields(word, w.expand)
	return fields
}

// text returns the value of a word that is not split.
func (w *walker) text(word *syntax.Word) string {
	text, _ := words.Text(word, w.expand)
	return text
}

// expand returns the value of an expansion. The plan allows only these expansions.
func (w *walker) expand(p words.Piece) (words.Value, bool) {
	if v, ok := w.line.plan.value(p); ok && v.All {
		return v, true
	}
	switch part := p.Node.(type) {
	case *syntax.ParamExp:
		if part.Param.Value == "?" {
			return words.Value{Text: strconv.Itoa(w.status)}, true
		}
		return words.Value{Text: w.lookup(part.Param.Value)}, true
	case *syntax.CmdSubst:
		return words.Value{Text: w.substitute(part)}, true
	}
	return words.Value{}, true
}

// substitute runs $( ) in a subshell and returns its output.
func (w *walker) substitute(cs *syntax.CmdSubst) string {
	var b bytes.Buffer
	sub := w.subshell()
	sub.out = &b
	if w.line.limit != nil {
		sub.out = w.line.limit(&b)
	}
	sub.stmts(cs.Stmts)
	w.status, w.substituted = sub.status, true
	text := b.String()
	if strings.IndexByte(text, 0) >= 0 {
		w.complain(0, "warning: command substitution: ignored null byte in input")
		text = strings.ReplaceAll(text, "\x00", "")
	}
	return strings.TrimRight(text, "\n")
}

// redirect opens the targets of a command's redirections. If it cannot open one, it prints an error
// and returns false.
func (w *walker) redirect(redirs []*syntax.Redirect) (undo func(), ok bool) {
	in, out, err := w.in, w.out, w.err
	var files []*os.File
	undo = func() {
		w.in, w.out, w.err = in, out, err
		for _, f := range files {
			_ = f.Close()
		}
	}
	for _, r := range redirs {
		var to io.Writer
		switch path := w.text(r.Word); {
		case r.Op == syntax.DplOut && path == "1":
			to = w.out
		case r.Op == syntax.DplOut:
			to = w.err
		case path == "/dev/null":
			to = io.Discard
		default:
			f, err := w.open(path, r.Op)
			if err != nil {
				if !w.ended() {
					w.complain(1, "%s: %s", path, errorText(err))
				}
				return undo, false
			}
			files = append(files, f)
			to = f
		}
		switch {
		case r.Op == syntax.RdrIn:
			w.in, _ = to.(*os.File)
		case r.Op == syntax.RdrAll || r.Op == syntax.AppAll:
			w.out, w.err = to, to
		case r.N != nil && r.N.Value == "2":
			w.err = to
		default:
			w.out = to
		}
	}
	return undo, true
}

func (w *walker) open(path string, op syntax.RedirOperator) (*os.File, error) {
	flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	switch op {
	case syntax.RdrIn:
		flag = os.O_RDONLY
	case syntax.AppOut, syntax.AppAll:
		flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	if path == "" {
		return nil, fs.ErrNotExist
	}
	path = w.abs(path)
	if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.OpenFile(path, flag, 0o666)
	}
	// Opening a pipe that this line made waits for the other end.
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, flag, 0o666)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-w.line.ctx.Done():
		w.line.cut.Store(true)
		go func() {
			if o := <-done; o.err == nil {
				_ = o.f.Close()
			}
		}()
		return nil, w.line.ctx.Err()
	}
}

// abs returns the absolute path of a path in the current folder.
func (w *walker) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	// filepath.Join would remove a slash at the end, but f/ is not a file.
	return w.dir + "/" + path
}

// run runs a command whose words are known, and returns its exit status.
func (w *walker) run(cmd command, args []string, env []string) int {
	switch {
	case cmd.own != nil:
		return cmd.own(w, cmd, args[1:])
	case cmd.caller != nil:
		std := Std{Out: w.out, Err: w.err, Dir: w.dir, Env: env}
		if w.in != nil {
			std.In = w.in
		}
		exit := cmd.caller(args[1:], std)
		if w.line.ctx.Err() != nil {
			w.line.cut.Store(true)
		}
		return exit
	}
	c := proc.Cmd{Args: args, Dir: w.dir, Env: env, Stdout: outside(w.out), Stderr: outside(w.err)}
	if w.in != nil {
		c.Stdin = w.in
	}
	r, err := proc.Run(w.line.ctx, c)
	if errors.Is(err, syscall.EPIPE) {
		return 128 + int(syscall.SIGPIPE)
	}
	if w.ended() {
		return 1
	}
	if err != nil {
		return w.notStarted(cmd.path, err)
	}
	return r.Exit
}

// outside returns the writer for a program. It returns nil for io.Discard, which package proc then
// discards directly.
func outside(w io.Writer) io.Writer {
	if w == io.Discard {
		return nil
	}
	return w
}

// notStarted reports in bash's words why a program could not be started, and returns the status.
func (w *walker) notStarted(path string, err error) int {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return w.complain(126, "%s: cannot execute binary file: Exec format error", path)
	case errors.Is(err, fs.ErrNotExist):
		return w.complain(127, "%s: No such file or directory", path)
	}
	return w.complain(126, "%s: %s", path, errorText(err))
}

// complain writes a message as bash does, and returns the status.
func (w *walker) complain(status int, format string, a ...any) int {
	fmt.Fprintf(w.err, "bash: line %d: %s\n", w.at, fmt.Sprintf(format, a...))
	return status
}

// errorText returns the C library's message for an error. Go's message differs only in the first
// letter.
func errorText(err error) string {
	text := err.Error()
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		text = errno.Error()
	} else if errors.Is(err, fs.ErrNotExist) {
		text = "no such file or directory"
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Setenv returns a copy of env with a variable set.
func Setenv(env []string, name, value string) []string {
	set := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if n, _, ok := strings.Cut(kv, "="); !ok || n != name {
			set = append(set, kv)
		}
	}
	return append(set, name+"="+value)
}
