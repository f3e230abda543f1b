//go:build unix

package proc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// bash returns a Cmd that runs a script, with names of files for the script in $1, $2 and so on.
func bash(script string, args ...string) Cmd {
	return Cmd{Args: append([]string{"bash", "-c", script, "bash"}, args...)}
}

// run runs c and returns its result and its output.
func run(t *testing.T, c Cmd) (res Result, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	res, err := Run(t.Context(), c)
	if err != nil {
		t.Fatalf("Run(%q): %v", c.Args, err)
	}
	return res, out.String(), errs.String()
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "bin/hello", "#!/bin/sh\necho hello from $0\n", 0o755)
	write(t, dir, "other/hello", "not for running", 0o644)
	path := "PATH=" + dir + "/other:" + dir + "/bin"
	tests := []struct {
		name           string
		cmd            Cmd
		exit           int
		stdout, stderr string
	}{
		{"exit 0", bash("exit 0"), 0, "", ""},
		{"exit 3", bash("exit 3"), 3, "", ""},
		{"killed by a signal", bash("kill -TERM $$"), 128 + 15, "", ""},
		{"both streams", bash("echo out; echo err >&2"), 0, "out\n", "err\n"},
		{"no input", bash("cat; echo $?"), 0, "0\n", ""},
		{"input", Cmd{Args: []string{"cat"}, Stdin: strings.NewReader("a\nb")}, 0, "a\nb", ""},
		{"own environment", Cmd{Args: []string{"/bin/sh", "-c", "echo $A"}, Env: []string{"A=1", "A=2"}}, 0, "2\n", ""},
		{"Env's PATH", Cmd{Args: []string{"hello"}, Env: []string{path}}, 0, "hello from " + dir + "/bin/hello\n", ""},
		{"relative PATH", Cmd{Args: []string{"hello"}, Dir: dir, Env: []string{"PATH=bin"}}, 0, "hello from bin/hello\n", ""},
		{"relative to Dir", Cmd{Args: []string{"./hello"}, Dir: dir + "/bin"}, 0, "hello from ./hello\n", ""},
		{"PWD follows Dir", Cmd{Args: []string{"/bin/sh", "-c", "echo $PWD"}, Dir: dir}, 0, dir + "\n", ""},
		{"within the limits", Cmd{Args: []string{"echo", "-n", "12345"}, MaxOutput: 5, Timeout: time.Hour}, 0, "12345", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res, stdout, stderr := run(t, tt.cmd)
			if res.Exit != tt.exit || res.Cut != Not || stdout != tt.stdout || stderr != tt.stderr {
				t.Errorf("got exit %d, cut %d, stdout %q, stderr %q; want exit %d, stdout %q, stderr %q",
					res.Exit, res.Cut, stdout, stderr, tt.exit, tt.stdout, tt.stderr)
			}
			if res.Duration <= 0 {
				t.Errorf("duration is %v", res.Duration)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "bad", "#!/no/such/thing -x\n", 0o755)
	write(t, dir, "crlf", "#!/bin/sh\r\n", 0o755)
	write(t, dir, "text", "echo hi\n", 0o755)
	write(t, dir, "closed", "#!/bin/sh\n", 0o644)
	path := []string{"PATH=" + dir}
	tests := []struct {
		cmd  Cmd
		want string
		is   error
	}{
		{Cmd{}, "no program to run", nil},
		{Cmd{Args: []string{""}}, "no program to run", nil},
		{Cmd{Args: []string{"frob"}, Env: path}, "frob: not found in PATH", exec.ErrNotFound},
		{Cmd{Args: []string{"frob"}, Env: path}, "frob: not found in PATH", fs.ErrNotExist},
		{Cmd{Args: []string{"sh"}, Env: []string{}}, "sh: not found in PATH", exec.ErrNotFound},
		{Cmd{Args: []string{"./frob"}, Dir: dir}, "./frob: no such file", fs.ErrNotExist},
		{Cmd{Args: []string{"./text/frob"}, Dir: dir}, "./text/frob: no such file", fs.ErrNotExist},
		{Cmd{Args: []string{"./"}, Dir: dir}, "./: is a folder", fs.ErrPermission},
		{Cmd{Args: []string{"./closed"}, Dir: dir}, "./closed: permission denied", fs.ErrPermission},
		{Cmd{Args: []string{"closed"}, Env: path}, "closed: permission denied", fs.ErrPermission},
		{Cmd{Args: []string{"bad"}, Env: path}, "bad: bad interpreter: /no/such/thing", syscall.ENOEXEC},
		{Cmd{Args: []string{"./bad"}, Dir: dir}, "./bad: bad interpreter: /no/such/thing", syscall.ENOEXEC},
		{Cmd{Args: []string{"crlf"}, Env: path}, "crlf: bad interpreter: /bin/sh, with a carriage return: the script has " +
			"CRLF line ends", syscall.ENOEXEC},
		{Cmd{Args: []string{"text"}, Env: path}, "text: not executable: neither a program nor a script with a #! line", syscall.ENOEXEC},
		{Cmd{Args: []string{"/bin/sh", strings.Repeat("x", 4<<20)}}, "/bin/sh: argument list too long", syscall.E2BIG},
		{Cmd{Args: []string{"/bin/sh", "a\x00b"}}, "/bin/sh: an argument or variable contains a NUL byte", syscall.EINVAL},
		{Cmd{Args: []string{"/bin/sh"}, Env: []string{"A=\x00"}}, "/bin/sh: an argument or variable contains a NUL byte", syscall.EINVAL},
		{Cmd{Args: []string{"/bin/sh"}, Dir: dir + "/no"}, dir + "/no: no such folder", fs.ErrNotExist},
		{Cmd{Args: []string{"/bin/sh"}, Dir: dir + "/text"}, dir + "/text: not a folder", syscall.ENOTDIR},
	}
	for _, tt := range tests {
		res, err := Run(t.Context(), tt.cmd)
		if err == nil || err.Error() != tt.want || !reflect.DeepEqual(res, Result{}) {
			t.Errorf("Run(%.40q in %q) = %v, %v; want %s", tt.cmd.Args, tt.cmd.Dir, res, err, tt.want)
		}
		if tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("Run(%.40q in %q): %v is not %v", tt.cmd.Args, tt.cmd.Dir, err, tt.is)
		}
	}
	for _, name := range []string{"bad", "text"} {
		_, err := Run(t.Context(), Cmd{Args: []string{name}, Env: path})
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			t.Errorf("%v: counts as missing, but the file is there", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, bash("exit 0")); !errors.Is(err, context.Canceled) {
		t.Errorf("Run under a canceled context: %v", err)
	}
}

// A lazyContext records that somebody waits for it.
type lazyContext struct {
	context.Context
	waited bool
}

func (c *lazyContext) Done() <-chan struct{} {
	c.waited = true
	return c.Context.Done()
}

// TestWaitsFirst checks that Run waits for its context before it starts anything, so that the
// context can catch signals.
func TestWaitsFirst(t *testing.T) {
	ctx := &lazyContext{Context: t.Context()}
	if _, err := Run(ctx, Cmd{Args: []string{"/nowhere/program"}}); !errors.Is(err, fs.ErrNotExist) || !ctx.waited {
		t.Errorf("error %v, waited %v", err, ctx.waited)
	}
}

// A program that was just written is often still open in a child that is being forked.
func TestBusyProgram(t *testing.T) {
	file := write(t, t.TempDir(), "new", "#!/bin/sh\nexit 7\n", 0o755)
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { _ = f.Close() })
	if res, _, _ := run(t, Cmd{Args: []string{file}}); res.Exit != 7 {
		t.Errorf("exit %d, want 7", res.Exit)
	}
}

func TestOneStream(t *testing.T) {
	var out bytes.Buffer
	c := bash("for i in 1 2 3; do echo out $i; echo err $i >&2; done")
	c.Stdout, c.Stderr = &out, &out
	if _, err := Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if want := "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// A sink cannot be compared, which must not matter.
type sink []func()

func (sink) Write(p []byte) (int, error) { return len(p), nil }

func TestIncomparableWriters(t *testing.T) {
	c := bash("echo hi; echo ho >&2")
	c.Stdout, c.Stderr = sink{}, sink{}
	if _, err := Run(t.Context(), c); err != nil {
		t.Error(err)
	}
}

func TestCut(t *testing.T) {
	const forever = "echo begun; sleep 1000 & setsid sleep 1000 & trap '' INT TERM HUP; while :; do wait; done"
	tests := []struct {
		name   string
		script string
		cancel time.Duration
		limits Cmd
		want   Cut
	}{
		{"timeout", forever, time.Hour, Cmd{Timeout: 50 * time.Millisecond}, Timeout},
		{"negative timeout", forever, time.Hour, Cmd{Timeout: -1}, Timeout},
		{"cancel", forever, 50 * time.Millisecond, Cmd{}, Canceled},
		{"flood", "yes", time.Hour, Cmd{MaxOutput: 1000}, Flooded},
		{"flood of both", "yes & yes >&2 & wait", time.Hour, Cmd{MaxOutput: 100_000}, Flooded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), tt.cancel)
			defer cancel()
			var out, errs bytes.Buffer
			c := tt.limits
			c.Args, c.Stdout, c.Stderr = bash(tt.script).Args, &out, &errs
			res, err := Run(ctx, c)
			if err != nil || res.Exit != 128+9 || res.Cut != tt.want {
				t.Errorf("got %+v, %v; want exit 137, cut %d", res, err, tt.want)
			}
			if n := int64(out.Len() + errs.Len()); c.MaxOutput > 0 && n != c.MaxOutput {
				t.Errorf("passed on %d bytes, want %d", n, c.MaxOutput)
			}
		})
	}
}

// A program that prints too much is reported, however fast it ends.
func TestSmallFlood(t *testing.T) {
	for range 20 {
		c := Cmd{Args: []string{"echo", "-n", "123456"}, MaxOutput: 5}
		if res, stdout, _ := run(t, c); res.Cut != Flooded || stdout != "12345" {
			t.Fatalf("got %+v and %q, want Flooded and 12345", res, stdout)
		}
		c.Stdout = nil
		if res, err := Run(t.Context(), c); err != nil || res.Cut != Flooded {
			t.Fatalf("discarding: got %+v, %v, want Flooded", res, err)
		}
	}
}

func TestGrace(t *testing.T) {
	const wait = "while :; do sleep .01; done"
	polite := []Step{{Interrupt, time.Hour}, {Terminate, time.Hour}}
	tests := []struct {
		name, script string
		grace        []Step
		exit         int
		stdout       string
		least        time.Duration
	}{
		{"first step", "trap 'echo bye; exit 3' INT; echo hi; " + wait, polite, 3, "hi\nbye\n", 0},
		{"second step", "trap '' INT; trap 'echo bye; exit 4' TERM; echo hi; " + wait,
			[]Step{{Interrupt, 100 * time.Millisecond}, {Terminate, time.Hour}}, 4, "hi\nbye\n", 100 * time.Millisecond},
		{"no step", "trap '' INT TERM; echo hi; " + wait,
			[]Step{{Interrupt, 100 * time.Millisecond}, {Terminate, 100 * time.Millisecond}}, 137, "hi\n", 200 * time.Millisecond},
		{"not in one piece", "trap 'exit 5' INT; (trap '' INT; trap 'echo child; exit' TERM; echo hi; " + wait + ") & wait",
			[]Step{{Interrupt, 100 * time.Millisecond}, {Terminate, time.Hour}}, 5, "hi\nchild\n", 100 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out signaled
			out.when("hi\n")
			c := bash(tt.script)
			c.Stdout, c.Grace = &out, tt.grace
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var began time.Time
			go func() {
				<-out.seen
				began = time.Now()
				cancel()
			}()
			res, err := Run(ctx, c)
			took := time.Since(began)
			if err != nil || res.Exit != tt.exit || res.Cut != Canceled || out.buf.String() != tt.stdout {
				t.Errorf("got %+v, %v, stdout %q; want exit %d, Canceled, stdout %q", res, err, out.buf.String(), tt.exit, tt.stdout)
			}
			if took < tt.least {
				t.Errorf("took %v, want at least %v", took, tt.least)
			}
		})
	}
}

// A signaled is a buffer that reports when a text has been written to it.
type signaled struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	text string
	seen chan struct{}
}

func (s *signaled) when(text string) { s.text, s.seen = text, make(chan struct{}) }

func (s *signaled) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	had := strings.Contains(s.buf.String(), s.text)
	n, err := s.buf.Write(p)
	if !had && strings.Contains(s.buf.String(), s.text) {
		close(s.seen)
	}
	return n, err
}

// TestPipeHolder checks that a program's output is complete although a child still holds the pipe,
// and that Run does not wait for the child.
func TestPipeHolder(t *testing.T) {
	c := bash("sleep 1000 & head -c 60000 /dev/zero; exit 2")
	res, stdout, _ := run(t, c)
	if res.Exit != 2 || res.Cut != Not || !res.Held || len(stdout) != 60000 {
		t.Errorf("got %+v and %d bytes, want exit 2, held, and 60000", res, len(stdout))
	}
}

// A child that ends in time can write its last output.
func TestLastWords(t *testing.T) {
	defer func(real time.Duration) { lastWords = real }(lastWords)
	lastWords = time.Hour
	if res, stdout, _ := run(t, bash("exec > >(sleep .05; cat); echo hi")); res.Held || stdout != "hi\n" {
		t.Errorf("got %+v and %q, want hi", res, stdout)
	}
}

// With Silence, the output of a child after the program's end is read, within limits.
func TestSilence(t *testing.T) {
	// A stream whose reader prints each line late.
	const slow = `exec > >(while read -r line; do sleep .1; echo "$line"; done); printf '%s\n' 1 2 3 4`
	// A program that ends by itself has all the time it needs. A program that is ended early does
	// not wait that long.
	const patient, short = time.Hour, 200 * time.Millisecond
	tests := []struct {
		name, script, stdout string
		limits               Cmd
		held                 bool
		least                time.Duration
	}{
		{"at once", "echo hi", "hi\n", Cmd{Silence: patient}, false, 0},
		{"one late word", "exec > >(sleep .3; cat); echo hi", "hi\n", Cmd{Silence: patient}, false, 300 * time.Millisecond},
		{"several", slow, "1\n2\n3\n4\n", Cmd{Silence: patient}, false, 400 * time.Millisecond},
		{"too late", "exec > >(sleep 1000; cat); echo hi", "", Cmd{Silence: short}, true, short},
		{"a silent holder", "sleep 1000 & echo hi", "hi\n", Cmd{Silence: short}, true, short},
		{"a silent holder of stderr", "sleep 1000 >/dev/null & echo hi", "hi\n", Cmd{Silence: short}, true, short},
		{"never silent", "while :; do echo -n; sleep .01; echo . >&2; done & echo hi", "hi\n", Cmd{Silence: short}, true, short},
		{"not past the time limit", "sleep 1000 & echo hi", "hi\n", Cmd{Silence: patient, Timeout: 5 * time.Second}, true, 5 * time.Second},
		{"not past the output limit", "(sleep .1; yes x) & exit", strings.Repeat("x\n", 500), Cmd{Silence: patient, MaxOutput: 1000},
			true, 100 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := tt.limits
			c.Args = bash(tt.script).Args
			res, stdout, _ := run(t, c)
			if res.Exit != 0 || res.Held != tt.held || stdout != tt.stdout {
				t.Errorf("got %+v and %.40q, want held %v and %.40q", res, stdout, tt.held, tt.stdout)
			}
			if res.Duration < tt.least {
				t.Errorf("took %v, want at least %v", res.Duration, tt.least)
			}
		})
	}
	t.Run("not past the context", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		c := bash("sleep 1000 & echo hi")
		c.Stdout, c.Silence = io.Discard, patient
		if res, err := Run(ctx, c); err != nil || res.Cut != Not || !res.Held {
			t.Errorf("got %+v, %v, want held", res, err)
		}
	})
}

// Output that only waits for the caller is not held by a process.
func TestNotHeld(t *testing.T) {
	for _, silence := range []time.Duration{0, 50 * time.Millisecond} {
		c := bash("echo -n .; sleep .05; head -c 60000 /dev/zero")
		var slow slowly
		c.Stdout, c.Silence = &slow, silence
		if res, err := Run(t.Context(), c); err != nil || res.Held || slow != 60001 {
			t.Errorf("silence %v: got %+v, %v and %d bytes, want 60001, not held", silence, res, err, slow)
		}
	}
}

// A slowly counts the bytes that are written. It takes longer for the first bytes than anybody
// waits for the rest.
type slowly int

func (s *slowly) Write(p []byte) (int, error) {
	if *s == 0 {
		time.Sleep(lastWords + 10*holder)
	}
	*s += slowly(len(p))
	return len(p), nil
}

func TestMuchOutput(t *testing.T) {
	const size = 100 << 20
	var n counter
	c := Cmd{Args: []string{"head", "-c", strconv.Itoa(size), "/dev/zero"}, Stdout: &n}
	if res, err := Run(t.Context(), c); err != nil || res.Exit != 0 || n != size {
		t.Errorf("got %+v, %v, %d bytes, want %d", res, err, n, size)
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func TestStdin(t *testing.T) {
	silent, w := io.Pipe()
	defer w.Close()
	file, err := os.Open(write(t, t.TempDir(), "in", "from a file", 0o644))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	big := strings.Repeat("x", 10<<20)
	tests := []struct {
		name   string
		script string
		stdin  io.Reader
		stdout string
	}{
		{"unread", "exit 0", strings.NewReader(big), ""},
		{"half read", "head -c 5", strings.NewReader(big), "xxxxx"},
		{"all read", "wc -c", strings.NewReader(big), strconv.Itoa(len(big)) + "\n"},
		{"never given", "echo hi", silent, "hi\n"},
		{"endless", "head -c 3", endless{}, "xxx"},
		{"held by a child", "sleep 1000 <&0 >/dev/null & echo hi", strings.NewReader(big), "hi\n"},
		{"a file", "cat", file, "from a file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := bash(tt.script)
			c.Stdin, c.Timeout = tt.stdin, 10*time.Minute
			res, stdout, _ := run(t, c)
			if res.Exit != 0 || res.Cut != Not || strings.TrimLeft(stdout, " ") != tt.stdout {
				t.Errorf("got %+v and %q, want %q", res, stdout, tt.stdout)
			}
		})
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, "xxxxxxxxxxxxxxxx"), nil }

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
func (broken) Read([]byte) (int, error)  { return 0, errBroken }

// A short takes one byte at a time and reports a success.
type short struct{}

func (short) Write([]byte) (int, error) { return 1, nil }

func TestStreamError(t *testing.T) {
	tests := []struct {
		name   string
		script string
		set    func(*Cmd)
		stream string
		want   error
	}{
		{"stdout", "yes", func(c *Cmd) { c.Stdout = broken{} }, "stdout", errBroken},
		{"stderr", "yes >&2", func(c *Cmd) { c.Stderr = broken{} }, "stderr", errBroken},
		{"stdin", "cat; sleep 1000", func(c *Cmd) { c.Stdin = broken{} }, "stdin", errBroken},
		{"short write", "yes", func(c *Cmd) { c.Stdout = short{} }, "stdout", io.ErrShortWrite},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := bash(tt.script)
			c.Timeout = 10 * time.Minute
			tt.set(&c)
			res, err := Run(t.Context(), c)
			e, ok := errors.AsType[*StreamError](err)
			if !ok || e.Stream != tt.stream || !errors.Is(err, tt.want) {
				t.Errorf("got error %v, want a StreamError of %s", err, tt.stream)
			}
			if res.Exit != 137 || res.Cut != Not {
				t.Errorf("got %+v, want exit 137", res)
			}
		})
	}
	// The program had ended, but its output was not taken.
	c := bash("echo hi; exit 3")
	c.Stdout = broken{}
	if _, err := Run(t.Context(), c); !errors.Is(err, errBroken) || err.Error() != "bash: stdout: broken" {
		t.Errorf("got error %v, want bash: stdout: broken", err)
	}
}

func TestMany(t *testing.T) {
	run(t, bash("exit 0")) // files that are opened only once are open now
	files, goroutines := openFiles(t), runtime.NumGoroutine()
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			c := bash(`cat; echo $1; setsid sleep 1000 >/dev/null & sleep .0$1; exit $1`, strconv.Itoa(i))
			c.Stdin = strings.NewReader("in ")
			var out bytes.Buffer
			c.Stdout = &out
			switch i % 4 {
			case 1:
				c.Args = []string{"/no/such/program"}
			case 2:
				c.Timeout = time.Millisecond
			}
			res, err := Run(t.Context(), c)
			switch {
			case i%4 == 1 && err == nil:
				t.Error("a program that is not there ran")
			case i%4 == 2 && (err != nil || res.Cut != Timeout):
				t.Errorf("got %+v, %v, want Timeout", res, err)
			case i%4 != 1 && i%4 != 2 && (err != nil || res.Exit != i || out.String() != "in "+strconv.Itoa(i)+"\n"):
				t.Errorf("got %+v, %v and %q, want exit %d", res, err, out.String(), i)
			}
		})
	}
	wg.Wait()
	// A few threads that start programs remain, whatever the number of programs.
	eventually(t, "goroutines", func() (int, bool) { n := runtime.NumGoroutine(); return n, n < goroutines+5 })
	eventually(t, "open files", func() (int, bool) { n := openFiles(t); return n, n <= files })
}

// eventually waits until a number is back to its old value.
func eventually(t *testing.T, what string, check func() (int, bool)) {
	t.Helper()
	for range 6000 { // a minute, for busy machines
		if _, ok := check(); ok {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	n, _ := check()
	t.Errorf("%s: %d are left", what, n)
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func write(t *testing.T, dir, name, text string, mode fs.FileMode) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return file
}

// The baseline is the least that os/exec can do: it neither keeps a tree together nor ends it.
func BenchmarkTrue(b *testing.B) {
	program := "/bin/true"
	b.Run("proc", func(b *testing.B) {
		for b.Loop() {
			if _, err := Run(b.Context(), Cmd{Args: []string{program}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("exec", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command(program).Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("proc with output", func(b *testing.B) {
		for b.Loop() {
			var out, errs bytes.Buffer
			if _, err := Run(b.Context(), Cmd{Args: []string{program}, Stdout: &out, Stderr: &errs}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("exec with output", func(b *testing.B) {
		for b.Loop() {
			var out, errs bytes.Buffer
			cmd := exec.Command(program)
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOutput(b *testing.B) {
	args := []string{"head", "-c", strconv.Itoa(52 << 20), "/dev/zero"}
	b.SetBytes(52 << 20)
	b.Run("proc", func(b *testing.B) {
		for b.Loop() {
			var n counter
			if _, err := Run(b.Context(), Cmd{Args: args, Stdout: &n}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("exec", func(b *testing.B) {
		for b.Loop() {
			var n counter
			cmd := exec.Command(args[0], slices.Clone(args[1:])...)
			cmd.Stdout = &n
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
