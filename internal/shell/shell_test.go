package shell

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/words"
)

// code returns a Line that consists only of code.
func code(text string) Line { return Line{Parts: []Part{{Text: text}}} }

// run runs a line and fails the test if there is no result.
func run(t testing.TB, s *Shell, l Line) Result {
	t.Helper()
	r, err := s.Run(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Stdout.Close(); r.Stderr.Close() })
	return r
}

// show is a built-in that prints its arguments.
func show(_ context.Context, args []string, std Std) int {
	in, _ := io.ReadAll(std.In)
	fmt.Fprintf(std.Out, "%q in %q", args, in)
	fmt.Fprintf(std.Err, "err")
	return len(args)
}

func ExampleShell() {
	s := &Shell{Builtins: map[string]Func{
		"greet": func(_ context.Context, args []string, std Std) int {
			fmt.Fprintf(std.Out, "hello, %s\n", strings.Join(args, " "))
			return 0
		},
	}}
	// A value is data, whatever it contains.
	r, err := s.Run(context.Background(), Line{Parts: []Part{
		{Text: `greet "`},
		{Text: "$ARGUMENTS", Value: &Value{Data: `you "; rm -rf / #`}},
		{Text: `"`},
	}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s %d %s", r.How, r.Exit, r.Stdout)
	// Output: builtin 0 hello, you "; rm -rf / #
}

func TestBuiltin(t *testing.T) {
	dir := t.TempDir()
	s := &Shell{Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH"), "WORD=word"}, Self: []string{"echo", "self"}, Builtins: map[string]Func{
		"show": show,
		"upper": func(_ context.Context, _ []string, std Std) int {
			b, _ := io.ReadAll(std.In)
			std.Out.Write([]byte(strings.ToUpper(string(b))))
			return 0
		},
		"where": func(_ context.Context, _ []string, std Std) int {
			x, _ := words.Getenv(std.Env, "x")
			fmt.Fprint(std.Out, strings.TrimPrefix(std.Dir, dir), x)
			return 0
		},
		"panic": func(context.Context, []string, Std) int { panic("oh no") },
		"leave": func(context.Context, []string, Std) int { runtime.Goexit(); return 0 },
		"minus": func(context.Context, []string, Std) int { return -1 },
	}}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		line           string
		how            How
		exit           int
		stdout, stderr string
	}{
		{`show`, Builtin, 0, `[] in ""`, "err"},
		{`show a 'b  c' "d" e\ f ''`, Builtin, 5, `["a" "b  c" "d" "e f" ""] in ""`, "err"},
		{`'show' a`, Builtin, 1, `["a"] in ""`, "err"},
		{`show a # comment`, Builtin, 1, `["a"] in ""`, "err"},
		{`show "$WORD"`, Embedded, 1, `["word"] in ""`, "err"},
		{`show "$(echo a)"`, Embedded, 1, `["a"] in ""`, "err"},
		{`show a 2>/dev/null`, Embedded, 1, `["a"] in ""`, ""},
		{`show a 2>&1`, Embedded, 1, `["a"] in ""err`, ""},
		{`! show a`, Embedded, 0, `["a"] in ""`, "err"},
		{`show a || echo " $?"`, Embedded, 0, "[\"a\"] in \"\" 1\n", "err"},
		{`echo a | show`, Embedded, 0, `[] in "a\n"`, "err"},
		{`echo a | upper`, Embedded, 0, "A\n", ""},
		{`show a | upper`, Embedded, 0, `["A"] IN ""`, "err"},
		{`echo a | upper | cat | upper`, Embedded, 0, "A\n", ""},
		{`echo "[$(show)]"`, Embedded, 0, "[[] in \"\"]\n", "err"},
		{`where`, Builtin, 0, "", ""},
		{`cd sub; x=1 where`, Embedded, 0, "/sub1", ""},
		{`show > out; cat out`, Embedded, 0, `[] in ""`, "err"},
		{`panic`, Builtin, 1, "", "panic: panic: oh no\n"},
		{`panic; echo $?`, Embedded, 0, "1\n", "panic: panic: oh no\n"},
		{`leave`, Builtin, 1, "", "leave: ended without an exit status\n"},
		{`minus`, Builtin, 255, "", ""},
		{`show *`, Bash, 0, "self show out sub\n", ""},
		{`for i in a b; do show $i; done`, Bash, 0, "self show a\nself show b\n", ""},
		{`(show a | cat)`, Bash, 0, "self show a\n", ""},
		{`\show a`, Builtin, 1, `["a"] in ""`, "err"},
		{`showing`, Bash, 127, "", "bash: line 1: showing: command not found\n"},
	} {
		r := run(t, s, code(tt.line))
		if r.How != tt.how || r.Exit != tt.exit || r.Stdout.String() != tt.stdout || r.Stderr.String() != tt.stderr || r.Reason != "" {
			t.Errorf("%s: how %q, exit %d, stdout %q, stderr %q, reason %q; want %q, %d, %q, %q",
				tt.line, r.How, r.Exit, r.Stdout, r.Stderr, r.Reason, tt.how, tt.exit, tt.stdout, tt.stderr)
		}
	}
	s.Self = nil
	if r := run(t, s, code(`(show a)`)); r.Exit != 127 || !strings.Contains(r.Stderr.String(), "show: a built-in that only a plain command line can call here") {
		t.Errorf("without Self: exit %d, stderr %q; want 127 and a reason", r.Exit, r.Stderr)
	}
}

// TestStubbornBuiltin checks that a built-in that ignores its context is abandoned, and that its
// later output is lost.
func TestStubbornBuiltin(t *testing.T) {
	release := make(chan struct{})
	late := make(chan error, 10)
	s := &Shell{Timeout: 50 * time.Millisecond, Builtins: map[string]Func{
		"stubborn": func(_ context.Context, _ []string, std Std) int {
			fmt.Fprint(std.Out, "early")
			<-release
			_, err := fmt.Fprint(std.Out, "late")
			late <- err
			return 0
		},
		"obedient": func(ctx context.Context, _ []string, _ Std) int { <-ctx.Done(); return 3 },
		"reader":   func(_ context.Context, _ []string, std Std) int { io.Copy(io.Discard, std.In); return 0 },
	}}
	for _, tt := range []struct{ line, stdout string }{
		{"stubborn", "early"},
		{"obedient", ""},
		{"stubborn; echo more", "early"},
		{"stubborn | cat", "early"},
		{"stubborn | reader", ""},
		{"sleep 1000 | reader", ""},
		{`echo "$(stubborn)"`, ""},
		{"yes | stubborn", "early"},
	} {
		r := run(t, s, code(tt.line)) // a line that is not stopped never ends
		if r.Exit != 124 || r.Reason != "timed out after 0.05s" || r.Stdout.String() != tt.stdout {
			t.Errorf("%s: exit %d, reason %q, stdout %q; want 124, timed out, %q", tt.line, r.Exit, r.Reason, r.Stdout, tt.stdout)
		}
	}
	close(release)
	for range 5 {
		if err := <-late; err == nil {
			t.Error("a built-in that was given up could still print")
		}
	}
}

func TestLimits(t *testing.T) {
	test.NeedBash(t)
	flood := func(ctx context.Context, _ []string, std Std) int {
		for {
			if _, err := fmt.Fprintln(std.Out, strings.Repeat("x", 1000)); err != nil {
				return 1
			}
		}
	}
	for _, tt := range []struct {
		name, line string
		how        How
		exit       int
		reason     string
	}{
		{"no end", "sleep 4711", Embedded, 124, "timed out after 0.3s"},
		{"no end in a pipeline", "sleep 4711 | sleep 4711 | cat", Embedded, 124, "timed out after 0.3s"},
		{"no end in a substitution", `echo "$(sleep 4711)"`, Embedded, 124, "timed out after 0.3s"},
		{"no end in bash", "while :; do sleep 4711; done", Bash, 124, "timed out after 0.3s"},
		{"no end of input", "read x </dev/zero", Bash, 124, "timed out after 0.3s"},
		{"no reader", "mkfifo pipe; echo a > pipe", Embedded, 124, "timed out after 0.3s"},
		{"no writer", "mkfifo pipe; cat < pipe", Embedded, 124, "timed out after 0.3s"},
		{"too much", "yes", Embedded, 1, "ended after printing more than 1 MB"},
		{"too much on stderr", "yes >&2", Embedded, 1, "ended after printing more than 1 MB"},
		{
			"too much in bash", "while :; do echo 0123456789012345678901234567890123456789012345678901234567890123456789; done", Bash, 1,
			"ended after printing more than 1 MB",
		},
		{"too much in a substitution", `x=$(yes)`, Embedded, 1, "ended after printing more than 1 MB"},
		{"too much of a built-in", "flood", Builtin, 1, "ended after printing more than 1 MB"},
		{"forks", "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 4711 & done; wait", Bash, 124, "timed out after 0.3s"},
		{"forks left behind", "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 4711 >/dev/null 2>&1 & done; echo done", Bash, 0, ""},
		{"grandchildren", `sh -c 'sh -c "sleep 4711 & exec sleep 4711" & exec sleep 4711'`, Embedded, 124, "timed out after 0.3s"},
		{"a daemon", `setsid sh -c 'sleep 4711 & sleep 4711' & sleep 4711`, Bash, 124, "timed out after 0.3s"},
		{"killed", "sh -c 'kill -9 $$'", Embedded, 137, "killed by signal 9"},
		{"killed bash", "kill -9 $$", Bash, 137, "killed by signal 9"},
		{"not killed", "exit 137", Embedded, 137, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &Shell{Dir: t.TempDir(), Timeout: 300 * time.Millisecond, MaxOutput: 1 << 20, Builtins: map[string]Func{"flood": flood}}
			if strings.HasPrefix(tt.reason, "ended") {
				s.Timeout = time.Minute
			}
			ours := strconv.Itoa(100_000 + os.Getpid()) // the same test may run several times on this machine
			r := run(t, s, code(strings.ReplaceAll(tt.line, "4711", ours)))
			if r.How != tt.how || r.Exit != tt.exit || r.Reason != tt.reason {
				t.Errorf("how %q, exit %d, reason %q; want %q, %d, %q", r.How, r.Exit, r.Reason, tt.how, tt.exit, tt.reason)
			}
			if n := r.Stdout.Len() + r.Stderr.Len(); n > 1<<20 {
				t.Errorf("kept %d bytes, want at most 1 MB", n)
			}
			if left := processes(t, ours); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// processes returns the command lines of processes with this argument, if the system shows them.
func processes(t *testing.T, arg string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		b, _ := os.ReadFile(f) // the process may have ended meanwhile
		if words := strings.Split(string(b), "\x00"); slices.Contains(words, arg) {
			found = append(found, strings.Join(words, " "))
		}
	}
	return found
}

func TestCanceled(t *testing.T) {
	for _, line := range []string{"sleep 4712", "(sleep 4712)", "wait-for-it"} {
		ctx, cancel := context.WithCancel(t.Context())
		s := &Shell{Builtins: map[string]Func{"wait-for-it": func(ctx context.Context, _ []string, _ Std) int { select {} }}}
		time.AfterFunc(50*time.Millisecond, cancel)
		r, err := s.Run(ctx, code(line))
		if err != nil || r.Exit != 130 || r.Reason != "interrupted" {
			t.Errorf("%s: exit %d, reason %q, error %v; want 130, interrupted", line, r.Exit, r.Reason, err)
		}
		r, err = s.Run(ctx, code(line)) // and with a context that is already canceled
		if err != nil || r.Exit != 130 || r.Reason != "interrupted" {
			t.Errorf("%s, late: exit %d, reason %q, error %v; want 130, interrupted", line, r.Exit, r.Reason, err)
		}
		if left := processes(t, "4712"); len(left) > 0 {
			t.Errorf("%s left behind: %q", line, left)
		}
	}
}

// TestManyBytes checks that the output of a line uses no memory.
func TestManyBytes(t *testing.T) {
	test.NeedBash(t)
	const size = 32 << 20
	for _, line := range []string{
		fmt.Sprintf("head -c %d /dev/zero", size),
		fmt.Sprintf("{ head -c %d /dev/zero; }", size),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := run(t, &Shell{}, code(line))
		n, err := r.Stdout.WriteTo(io.Discard)
		runtime.ReadMemStats(&after)
		if r.Exit != 0 || err != nil || n != size || r.Stdout.Len() != size {
			t.Errorf("%s: exit %d, reason %q, %d bytes, error %v", line, r.Exit, r.Reason, n, err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
			t.Errorf("%s took %d bytes of memory", line, grown)
		}
		r.Stdout.Close()
	}
}

// TestAtOnce checks that lines do not wait for each other.
func TestAtOnce(t *testing.T) {
	s := &Shell{Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}}
	done := make(chan string)
	for i := range 5 {
		// Each line waits for all the others. If lines ran one after the other, they would wait
		// forever.
		line := fmt.Sprintf("touch began%d; bash -c 'until [ -e began0 -a -e began1 -a -e began2 -a -e began3 -a -e began4 ]; "+
			"do sleep 0.01; done'; echo %d", i, i)
		if i%2 == 1 {
			line = "(" + line + ")"
		}
		go func() {
			r, err := s.Run(t.Context(), code(line))
			done <- fmt.Sprintf("%s%v", r.Stdout, err)
		}()
	}
	var got []string
	for range 5 {
		got = append(got, <-done)
	}
	slices.Sort(got)
	if want := []string{"0\n<nil>", "1\n<nil>", "2\n<nil>", "3\n<nil>", "4\n<nil>"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBash(t *testing.T) {
	test.NeedBash5(t)
	s := &Shell{Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}}
	value := func(s string) Part { return Part{Text: "$0", Value: &Value{Data: s}} }
	for _, tt := range []struct {
		name           string
		parts          []Part
		exit           int
		stdout, stderr string
	}{
		{"values do not become arguments", []Part{{Text: "for x in "}, value("a b"), {Text: `; do echo "$0 $# [$x]"; done`}}, 0, "bash 0 [a]\nbash 0 [b]\n", ""},
		{"values are not exported", []Part{{Text: "if :; then bash -c 'set' | grep -c '^__skillhand'; fi; : "}, value("secret")}, 0, "0\n", ""},
		{"no words", []Part{{Text: "for x in a "}, value(" "), {Text: "; do echo $x; done"}}, 0, "a\n", ""},
		{"line numbers", []Part{{Text: "\n\n{ cat < "}, value("nofile"), {Text: "; }"}}, 1, "", "bash: line 3: nofile: No such file or directory\n"},
		{"line one", []Part{{Text: "{ cat < "}, value("nofile"), {Text: "; }"}}, 1, "", "bash: line 1: nofile: No such file or directory\n"},
		{"does not parse", []Part{{Text: "echo a )"}}, 2, "", "bash: -c: line 1: syntax error near unexpected token `)'\nbash: -c: line 1: `echo a )'\n"},
		{"does not parse later", []Part{{Text: "echo a\nfi"}}, 2, "a\n", "bash: -c: line 2: syntax error near unexpected token `fi'\nbash: -c: line 2: `fi'\n"},
		{"no input", []Part{{Text: "(cat)"}}, 0, "", ""},
	} {
		r := run(t, s, Line{Parts: tt.parts})
		if tt.name == "values are not exported" {
			r.Exit = 0 // grep found nothing
		}
		if r.How != Bash || r.Exit != tt.exit || r.Stdout.String() != tt.stdout || r.Stderr.String() != tt.stderr {
			t.Errorf("%s: how %q, exit %d, stdout %q, stderr %q; want bash, %d, %q, %q", tt.name, r.How, r.Exit, r.Stdout, r.Stderr, tt.exit, tt.stdout, tt.stderr)
		}
	}
}

func TestNoBash(t *testing.T) {
	s := &Shell{Dir: t.TempDir(), Env: []string{"PATH=" + t.TempDir()}}
	for line, why := range map[string]string{
		"echo *":                 "the pattern *",
		"for i in a; do :; done": "for",
		"read x":                 "read",
		"nosuchprogram":          "nosuchprogram, which is not an executable file in PATH",
		"echo )":                 "syntax that only bash may judge",
	} {
		r := run(t, s, code(line))
		if want := "bash is not in PATH, and only bash can run " + why; r.How != Nowhere || r.Exit != 127 || r.Reason != want {
			t.Errorf("%s: how %q, exit %d, reason %q; want 127, %q", line, r.How, r.Exit, r.Reason, want)
		}
	}
	if r := run(t, s, code("echo hi && cd .")); r.How != Embedded || r.Stdout.String() != "hi\n" {
		t.Errorf("echo: how %q, stdout %q; want it embedded", r.How, r.Stdout)
	}
}

// TestEnvironment checks that bash runs a line if a variable changes what bash does.
func TestEnvironment(t *testing.T) {
	test.NeedBash(t)
	path := "PATH=" + os.Getenv("PATH")
	for _, env := range []string{"BASH_ENV=/dev/null", "BASH_FUNC_echo%%=() { printf 'mine\n'; }", "SHELLOPTS=braceexpand", "POSIXLY_CORRECT=1"} {
		if r := run(t, &Shell{Env: []string{path, env}}, code("echo hi")); r.How != Bash {
			t.Errorf("with %s: how %q, want bash", env, r.How)
		}
	}
	dir := t.TempDir()
	for _, line := range []string{`echo "$PWD $x"`, `(echo "$PWD $x")`} {
		s := &Shell{Dir: dir, Env: []string{path, "PWD=/elsewhere", "x=1", "x=2"}}
		if r := run(t, s, code(line)); r.Stdout.String() != dir+" 2\n" {
			t.Errorf("%s printed %q, want %q", line, r.Stdout, dir+" 2\n")
		}
	}
	if _, err := (&Shell{Dir: filepath.Join(dir, "nofile")}).Run(t.Context(), code("echo hi")); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

func TestNUL(t *testing.T) {
	for _, l := range []Line{code("echo a\x00b"), {Parts: []Part{{Text: "echo "}, {Text: "$0", Value: &Value{Data: "a\x00b"}}}}} {
		if r := run(t, &Shell{}, l); r.How != Nowhere || r.Exit != 126 || !strings.Contains(r.Reason, "NUL") {
			t.Errorf("how %q, exit %d, reason %q; want it refused", r.How, r.Exit, r.Reason)
		}
	}
}

func FuzzPrelude(f *testing.F) {
	f.Add("show $0; (echo)", "a b")
	s := &Shell{Dir: f.TempDir(), Launchers: []string{f.TempDir()}, Builtins: map[string]Func{"show": show}}
	f.Fuzz(func(t *testing.T, text, value string) {
		r, err := s.start(t.Context(), test.Line(text, []string{value}, ""))
		if err != nil {
			t.Fatal(err)
		}
		defer r.cancel(nil)
		if r.refused != "" {
			return
		}
		if code, _ := r.prelude(); strings.Contains(code, "\n") {
			t.Errorf("prelude of %q has more than a line: %q", text, code)
		}
	})
}

// BenchmarkBuiltin compares a built-in with the bash process that it saves.
func BenchmarkBuiltin(b *testing.B) {
	s := &Shell{Builtins: map[string]Func{"hi": func(_ context.Context, _ []string, std Std) int { fmt.Fprintln(std.Out, "hi"); return 0 }}}
	benchmark(b, s, "hi", Builtin)
}

func BenchmarkLauncher(b *testing.B) {
	dir := b.TempDir()
	src := "#!/bin/sh\nset -e\nDIR=$(cd \"$(dirname \"$0\")\" && pwd)\nexec \"$DIR/skillhand\" builtin hi \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "launch"), []byte(src), 0o777); err != nil {
		b.Fatal(err)
	}
	s := &Shell{
		Launchers: []string{dir},
		Builtins:  map[string]Func{"hi": func(_ context.Context, _ []string, std Std) int { fmt.Fprintln(std.Out, "hi"); return 0 }},
	}
	benchmark(b, s, filepath.Join(dir, "launch"), Builtin)
}

func BenchmarkEmbedded(b *testing.B) { benchmark(b, &Shell{}, "echo hi", Embedded) }

func BenchmarkBash(b *testing.B) { benchmark(b, &Shell{}, "(echo hi)", Bash) }

func benchmark(b *testing.B, s *Shell, text string, how How) {
	l := code(text)
	for b.Loop() {
		r, err := s.Run(b.Context(), l)
		if err != nil || r.How != how || r.Stdout.String() != "hi\n" {
			b.Fatalf("how %q, stdout %q, error %v", r.How, r.Stdout, err)
		}
	}
}
