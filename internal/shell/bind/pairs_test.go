package bind_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/shell/bind"
	"github.com/skillhand/skillhand/internal/test"
	"golang.org/x/tools/txtar"
)

// A pair is a template and the arguments with which it is tried.
type pair struct {
	template string
	args     []string
	whole    bool // each argument was a separate word: load SKILL ARG…
}

// pairs reads a table of templates and arguments.
func pairs(t testing.TB, name string, values ...string) []pair {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var list []pair
	plain := strings.NewReplacer("␤", "\n", "␣", " ")
	for l := range strings.Lines(string(src)) {
		l = strings.TrimSuffix(l, "\n")
		if l == "" || strings.HasPrefix(l, "##") {
			continue
		}
		template, rest, given := strings.Cut(l, "\t")
		template = plain.Replace(template)
		if !given {
			for _, v := range values {
				list = append(list, pair{template: template, args: []string{v}})
			}
			continue
		}
		args := strings.Split(rest, "\t")
		if strings.Contains(template, "$ARGUMENTS") && len(args) == 1 {
			args = strings.Fields(rest) // words, in which ␣ represents a space
		}
		for i := range args {
			args[i] = plain.Replace(args[i])
		}
		list = append(list, pair{template: template, args: args})
	}
	return list
}

// words returns line with $ARGUMENTS as words, as render passes them.
func (p pair) line() shell.Line {
	l := test.Line(p.template, p.args, "")
	for _, part := range l.Parts {
		switch {
		case part.Value == nil:
		case part.Text == "$ARGUMENTS":
			part.Value.Words = p.args
		case p.whole:
			part.Value.Words = []string{part.Value.Data}
		}
	}
	return l
}

// bait makes a folder with a repository, and with things that an attack could run.
func bait(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	archive, err := txtar.ParseFile("testdata/bait.txtar")
	if err != nil {
		t.Fatal(err)
	}
	archive.Files = append(archive.Files, txtar.File{Name: "big", Data: bytes.Repeat([]byte("line\n"), 1000)})
	for _, f := range archive.Files {
		file := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, bytes.ReplaceAll(f.Data, []byte("@DIR@"), []byte(dir)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "--template="}, {"add", "f"}, {"commit", "-qm", "one"}, {"add", "src"},
		{"commit", "-qm", "two"}} {
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@y"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// attacks are the values for templates without values of their own.
var attacks = []string{"touch pwned", "./canary.sh", "a[$(touch pwned)]", "$(touch pwned)", "; touch pwned"}

// TestHostile really runs every pair of the table. No attack may run anything.
func TestHostile(t *testing.T) {
	test.NeedBash(t)
	if _, err := exec.LookPath("git"); err != nil {
		test.Lacking(t, "git is not here")
	}
	for _, name := range []string{"hostile.txt", "fresh.txt"} {
		list := pairs(t, name, attacks...)
		if len(list) < 150 {
			t.Errorf("%s has %d pairs, want 150", name, len(list))
		}
		for _, p := range list {
			p.whole = true
			if slices.ContainsFunc(p.args, func(arg string) bool { return strings.ContainsAny(arg, " \t\n\"'") }) {
				list = append(list, p) // else both ways give one word
			}
		}
		ran, refused := attack(t, list)
		t.Logf("%s: %d of %d hostile pairs ran, %d were refused", name, ran, len(list), refused)
	}
}

// attack runs every pair, each in a folder that no earlier pair has changed.
func attack(t *testing.T, list []pair) (ran, refused int) {
	fresh := bait(t)
	s := &shell.Shell{Dir: filepath.Join(t.TempDir(), "w"), Timeout: 20 * time.Second, Env: append(os.Environ(), "HOME="+t.TempDir())}
	canary := "#!/bin/sh\ntouch '" + s.Dir + "/pwned'\n"
	restored := ""
	restore := func() {
		if restored != "" && restored == listing(s.Dir) {
			return
		}
		os.RemoveAll(s.Dir)
		if err := os.CopyFS(s.Dir, os.DirFS(fresh)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"canary.sh", "canary", "ls", "sub/evil.sh"} {
			if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(canary), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		restored = listing(s.Dir)
	}
	restore()
	for _, p := range list {
		for i := range p.args {
			p.args[i] = strings.ReplaceAll(p.args[i], "@DIR@", s.Dir)
		}
		r, err := s.Run(t.Context(), p.line())
		if err != nil {
			t.Fatal(err)
		}
		r.Stdout.Close()
		r.Stderr.Close()
		if r.How == shell.Nowhere {
			refused++
			continue
		}
		if strings.Contains(listing(s.Dir), "pwned") {
			t.Errorf("%q with %q ran", p.template, p.args)
			ran++
		}
		restore()
	}
	return ran, refused
}

// listing returns the content of a folder: names, sizes, times.
func listing(dir string) string {
	var b strings.Builder
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, _ error) error {
		if info, err := e.Info(); err == nil {
			fmt.Fprintln(&b, strings.TrimPrefix(path, dir), info.Size(), info.Mode(), info.ModTime().UnixNano())
		}
		return nil
	})
	return b.String()
}

// pasted returns the template with the arguments pasted as quoted text, for bash itself.
func (p pair) pasted() string {
	var b strings.Builder
	quote := byte(0)
	var outer []byte // the quotes around $(…), which has quotes of its own
	for _, part := range p.line().Parts {
		if part.Value == nil {
			for i := 0; i < len(part.Text); i++ {
				switch c := part.Text[i]; {
				case c == '\\' && quote != '\'':
					b.WriteByte(c)
					i++
				case quote == '"' && c == '(' && strings.HasSuffix(b.String(), "$"):
					outer, quote = append(outer, quote), 0
				case quote == 0 && c == ')' && len(outer) > 0:
					outer, quote = outer[:len(outer)-1], outer[len(outer)-1]
				case quote == 0 && (c == '"' || c == '\''):
					quote = c
				case c == quote:
					quote = 0
				}
				if i < len(part.Text) {
					b.WriteByte(part.Text[i])
				}
			}
			continue
		}
		switch v := part.Value; quote {
		case '"':
			b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(v.Data))
		case '\'':
			b.WriteString(strings.ReplaceAll(v.Data, "'", `'\''`))
		default:
			list := v.Words
			if list == nil {
				list = []string{v.Data}
			}
			b.WriteString(shell.Quote(list))
		}
	}
	return b.String()
}

// seconds matches the duration in pytest's output.
var seconds = regexp.MustCompile(`\d+\.\d+s( =+)?`)

// TestOrdinary runs every pair of the tables, and bash for comparison. It allows that up to three
// in a hundred ordinary pairs are refused.
func TestOrdinary(t *testing.T) {
	test.NeedBash5(t)
	list := append(pairs(t, "ordinary.txt"), pairs(t, "real.txt")...)
	if len(list) < 1000 {
		t.Errorf("the tables have %d pairs, want 1000", len(list))
	}
	price := pairs(t, "refused.txt")
	dir := bait(t)
	for _, p := range price {
		if len(bind.Judge(p.line(), worldOf(dir))) == 0 {
			t.Errorf("%q with %q is not refused any more", p.template, p.args)
		}
	}
	if len(price)*100 > 3*(len(list)+len(price)) {
		t.Errorf("%d of %d ordinary pairs are refused, want 3 in 100", len(price), len(list)+len(price))
	}
	env := append(os.Environ(), "LC_ALL=C", "HOME="+t.TempDir(), "PATH="+filepath.Join(dir, "stubs")+":"+os.Getenv("PATH"))
	s := &shell.Shell{Dir: dir, Timeout: time.Minute, Env: env}
	refused := 0
	for _, p := range list {
		r, err := s.Run(t.Context(), p.line())
		if err != nil {
			t.Fatal(err)
		}
		if r.How == shell.Nowhere {
			refused++
			t.Errorf("%q with %q: %s", p.template, p.args, r.Reason)
			continue
		}
		if strings.Contains(p.template, "<<") && strings.Contains(p.template, "\n") && shell.Quote(p.args) != strings.Join(p.args, " ") {
			continue // bash quotes differently in a here-document
		}
		cmd := exec.Command("bash", "-c", p.pasted())
		cmd.Dir, cmd.Env = dir, env
		out, _ := cmd.Output()
		if got := r.Stdout.String(); timeless(got) != timeless(string(out)) || r.Exit != cmd.ProcessState.ExitCode() {
			t.Errorf("%q with %q: printed %q, exit %d\nbash %q: printed %q, exit %d", p.template, p.args, got, r.Exit, p.pasted(), out,
				cmd.ProcessState.ExitCode())
		}
	}
	t.Logf("%d of %d ordinary pairs were refused", refused, len(list))
}

// timeless returns a program's output without the duration that pytest prints.
func timeless(text string) string { return seconds.ReplaceAllString(text, "1s") }
