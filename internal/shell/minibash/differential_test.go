package minibash

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/shell/bind"
	shared "github.com/skillhand/skillhand/internal/test"
)

// cases reads a table of command lines. A line that is empty or begins with ## is for people. ␤
// represents a newline, and → a tab.
func cases(t testing.TB, name string) []string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for l := range strings.Lines(string(src)) {
		l = strings.TrimSuffix(l, "\n")
		if l == "" || strings.HasPrefix(l, "##") {
			continue
		}
		lines = append(lines, strings.NewReplacer("␤", "\n", "→", "\t").Replace(l))
	}
	return lines
}

// A place is the folder and environment in which a line runs, the same for every line and every
// shell.
type place struct {
	dir string
	env []string
}

func newPlace(t testing.TB) *place {
	dir := filepath.Join(t.TempDir(), "place")
	return &place{dir, []string{
		"PATH=" + os.Getenv("PATH"), "PWD=" + dir, "HOME=/home/somebody", "LC_ALL=C",
		"BLANKS= a  b ", "EMPTY=", "STAR=*", "WORD=word", "TAB=a\tb\n", "DASH=-n", "DIR=sub", "NUMBER=7", "BACK=a\\b", "BYTES=\xff \xfe",
		"NEWLINES=\n1\n", "BLANK1=\n\f1 \t",
	}}
}

// fill creates the files that lines find.
func (p *place) fill(t testing.TB) {
	t.Helper()
	os.RemoveAll(p.dir)
	if err := os.MkdirAll(filepath.Join(p.dir, "sub", "deep"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"f": "one\ntwo\nthree\n", "sub/g": "sub\n", "a b": "blank\n", "empty": ""} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(p.dir, "tool"), []byte("#!/bin/sh\nprintf '<%s>' \"$0\" \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("sub", filepath.Join(p.dir, "link")); err != nil {
		t.Fatal(err)
	}
}

// An outcome is everything that a line changes or prints.
type outcome struct {
	stdout, stderr string
	exit           int
	files          string
}

// plan returns a plan for a line, if there is one.
func (p *place) plan(t testing.TB, text string) (*Plan, error) {
	t.Helper()
	prog, err := bind.Bind(bind.Line{Parts: []bind.Part{{Text: text}}}, bind.World{})
	if err != nil {
		t.Fatal(err)
	}
	return Make(Setup{Program: prog, Dir: p.dir, Env: p.env})
}

// run runs a line in the embedded shell, if that may run it.
func (p *place) run(t testing.TB, text string) (embedded bool, o outcome) {
	t.Helper()
	p.fill(t)
	plan, err := p.plan(t, text)
	if err != nil {
		return false, outcome{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	end := plan.Run(ctx, IO{Out: &together{to: &stdout}, Err: &together{to: &stderr}})
	if end.Cut {
		t.Fatalf("%q did not end", text)
	}
	return true, outcome{stdout.String(), stderr.String(), end.Status, p.files(t)}
}

// A together lets the commands of a pipeline write at the same time.
type together struct {
	mu sync.Mutex
	to io.Writer
}

func (t *together) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.to.Write(p)
}

// bash runs a line in bash itself.
func (p *place) bash(t testing.TB, text string) outcome {
	t.Helper()
	p.fill(t)
	cmd := exec.Command("bash", "-c", text)
	cmd.Dir, cmd.Env = p.dir, p.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), p.files(t)}
}

func (p *place) files(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", strings.TrimPrefix(path, p.dir), info.Mode())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %q", text)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// same compares outcomes. The commands of a pipeline may write to stderr in any order.
func (o outcome) same(other outcome, line string) bool {
	if strings.Contains(line, "|") {
		o.stderr, other.stderr = sorted(o.stderr), sorted(other.stderr)
	}
	return o == other
}

func sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

// TestEmbedded checks that every line of the table runs in the embedded shell, with the same
// outcome as in bash.
func TestEmbedded(t *testing.T) {
	shared.NeedBash5(t)
	lines := cases(t, "embedded.txt")
	if len(lines) < 200 {
		t.Errorf("the table has %d lines, want 200", len(lines))
	}
	p := newPlace(t)
	for _, l := range lines {
		embedded, got := p.run(t, l)
		if !embedded {
			t.Errorf("%q is left to bash, want it embedded", l)
		} else if want := p.bash(t, l); !got.same(want, l) {
			t.Errorf("%q:\n got %+v\nbash %+v", l, got, want)
		}
	}
}

// TestLeftToBash checks that no line of the table may run in the embedded shell.
func TestLeftToBash(t *testing.T) {
	lines := cases(t, "bash.txt")
	if len(lines) < 150 {
		t.Errorf("the table has %d lines, want 150", len(lines))
	}
	p := newPlace(t)
	p.fill(t)
	for _, l := range lines {
		if _, why := p.plan(t, l); why == nil {
			t.Errorf("%q may run in the embedded shell, want it left to bash", l)
		}
	}
}

// TestEmbeddedAtRandom compares random lines.
func TestEmbeddedAtRandom(t *testing.T) {
	shared.NeedBash5(t)
	g, lines := newGenerator(t)
	p := newPlace(t)
	taken := 0
	for range lines {
		l := g.list(0)
		embedded, got := p.run(t, l)
		if !embedded {
			continue
		}
		taken++
		if want := p.bash(t, l); !got.same(want, l) {
			t.Errorf("%q:\n got %+v\nbash %+v", l, got, want)
		}
	}
	t.Logf("%d of %d lines were embedded", taken, lines)
	if taken < lines/4 {
		t.Errorf("only %d of %d lines were embedded: the generator makes too few that are", taken, lines)
	}
}

// TestEmbeddedMutated compares damaged lines of the table, because our parser and bash's may
// disagree on them. Only lines that call no program and write to no other folder run.
func TestEmbeddedMutated(t *testing.T) {
	shared.NeedBash5(t)
	g, lines := newGenerator(t)
	p := newPlace(t)
	p.fill(t)
	table := cases(t, "embedded.txt")
	taken := 0
	for range lines * 10 {
		l := g.mutate(g.pick(table...))
		plan, why := p.plan(t, l)
		if _, file, _ := strings.Cut(l, ">"); why != nil || strings.Contains(file, "/") {
			continue
		}
		if slices.ContainsFunc(slices.Collect(maps.Values(plan.commands)), func(c command) bool { return c.own == nil }) {
			continue
		}
		taken++
		_, got := p.run(t, l)
		if want := p.bash(t, l); !got.same(want, l) {
			t.Errorf("%q:\n got %+v\nbash %+v", l, got, want)
		}
		p.fill(t)
	}
	t.Logf("%d of %d lines were embedded", taken, lines*10)
	if taken < lines/4 {
		t.Errorf("only %d of %d lines were embedded", taken, lines*10)
	}
}

// newGenerator returns a generator, and how many lines to make: $SKILLHAND_RANDOM_LINES, or few.
func newGenerator(t *testing.T) (g *generator, lines int) {
	lines = 100
	if testing.Short() {
		lines = 20
	}
	if n, err := strconv.Atoi(os.Getenv("SKILLHAND_RANDOM_LINES")); err == nil {
		lines = n
	}
	// The lines are the same each time. For some lines, bash itself does not always have the same
	// outcome: for example, if one end of a pipe writes a file and the other reads it.
	seed := uint64(1)
	if os.Getenv("SKILLHAND_RANDOM_LINES") != "" {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	return &generator{rand.New(rand.NewPCG(seed, 0))}, lines
}

// A generator makes command lines from everything that the embedded shell allows, and a little
// more.
type generator struct{ *rand.Rand }

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) list(depth int) string {
	var b strings.Builder
	for n := g.IntN(3); ; n-- {
		b.WriteString(g.pick("", "", "", "", "! ") + g.pipeline(depth))
		if n <= 0 {
			break
		}
		if depth > 0 {
			b.WriteString(g.pick("; ", " && ", " || ", ";"))
		} else {
			b.WriteString(g.pick("; ", " && ", " || ", ";", "\n", " &&\n", "\n\n", " # note\n", "&&", "||\n "))
		}
	}
	return b.String()
}

func (g *generator) pipeline(depth int) string {
	s := g.simple(depth, false)
	if g.IntN(4) > 0 {
		return s
	}
	s = g.simple(depth, true)
	for range 1 + g.IntN(2) {
		s += g.pick(" | ", "|", " | ") + g.simple(depth, true)
	}
	return s
}

func (g *generator) simple(depth int, piped bool) string {
	var words []string
	for g.IntN(8) == 0 {
		words = append(words, g.pick("x", "y", "WORD", "EMPTY")+"="+g.word(depth))
	}
	if g.IntN(30) == 0 {
		return g.pick("> out", "< f", "< nofile", "> nodir/x", "2>/dev/null", "2>&1")
	}
	if len(words) == 0 || g.IntN(2) == 0 {
		words = append(words, g.call(depth))
	}
	if g.IntN(4) == 0 {
		redirection := g.pick("2>/dev/null", ">/dev/null", "2>&1", ">&2", "1>&2", "2>&1 >/dev/null",
			">/dev/null 2>&1", "&>/dev/null", "<f", "< nofile", "<sub", "</dev/null", "<'a b'", "< \"$DIR/g\"", "0<f", "<f/x", "<''")
		if !piped && g.IntN(2) == 0 {
			redirection = g.pick(">out", ">> out", "> sub/out", ">nodir/out", "> sub", "2>out", "2>>out",
				"&>out", "&>> out", ">out 2>&1", "2>&1 >out", "> out > out2", ">f", ">>f", "> \"$WORD\"", "> $WORD", ">f/x", ">out/")
		}
		words = slices.Insert(words, len(words)-g.IntN(2), redirection)
	}
	return strings.Join(words, g.pick(" ", " ", "  "))
}

func (g *generator) call(depth int) string {
	switch g.IntN(13) {
	case 0, 1, 2:
		return "echo" + g.args(depth, 4)
	case 3:
		return "printf " + g.pick(`'%s\n'`, `'<%s>'`, `"%s %s\n"`, `'a\tb\n'`, `'%s\\%%\n'`, `'\101\x41'`, `%s`, `'%d '`,
			`x`) + g.args(depth, 3)
	case 4:
		return g.pick("true", "false", ":", "pwd", "exit", "exit 3", "exit 0", "true x", "false x y")
	case 5:
		return g.pick("cat f", "cat nofile", "cat", "head -n1 f", "sort f",
			"wc -l", "tr a-z A-Z", "ls nofile", "grep t f", "basename /a/b", "sh -c 'exit 4'", "cat 'a b'", "rm -f out", "mkdir new")
	case 6:
		return "sh -c 'printf \"<%s>\" \"$@\"' sh" + g.args(depth, 4)
	case 7:
		return "cd " + g.pick("sub", "sub/deep", "..", ".", "link", "link/..", "nofile", "f", "/", `"$DIR"`, "./sub/../sub", "sub/",
			"nofile/..", "'a b'")
	case 8:
		return "[ " + g.condition(depth) + " ]"
	case 9:
		return "test " + g.condition(depth)
	case 10:
		return "sh -c 'echo $x $y $WORD $EMPTY $PWD'"
	default:
		return "echo" + g.args(depth, 2)
	}
}

func (g *generator) condition(depth int) string {
	switch g.IntN(5) {
	case 0:
		return g.word(depth)
	case 1, 2:
		return g.pick("", "! ") + g.pick("-n", "-z", "-e", "-f", "-d", "-s", "-L", "-h") + " " +
			g.pick("f", "sub", "link", "empty", "nofile", `""`, `"$WORD"`, "'a b'", g.word(depth))
	case 3:
		return g.pick("", "! ") + g.word(depth) + " " + g.pick("=", "==", "!=") + " " + g.word(depth)
	default:
		return g.pick("", "! ") + g.number() + " " + g.pick("-eq", "-ne", "-lt", "-le", "-gt", "-ge") + " " + g.number()
	}
}

func (g *generator) number() string {
	return g.pick("0", "1", "-1", "7", "$?", `"$NUMBER"`, "x", `""`, "' 1 '", "+1", "010", "0x1", "1.5", "9223372036854775808", `"$x"`,
		`"$NEWLINES"`, `"$BLANK1"`)
}

func (g *generator) args(depth, most int) string {
	var b strings.Builder
	for range g.IntN(most + 1) {
		b.WriteString(g.pick(" ", " ", "  ", "\t") + g.word(depth))
	}
	return b.String()
}

func (g *generator) word(depth int) string {
	var b strings.Builder
	for n := 1 + g.IntN(3); n > 0; n-- {
		switch g.IntN(9) {
		case 0, 1, 2:
			b.WriteString(g.pick("a", "b1", "-n", "-e", "-", "--", "x=1", "%s",
				"HEAD~1", "a.b", "/", "..", "@", ":", ",", "+", "é", "日", "]", "}", "{}", "a#b", "^", "!", "1", "=", "$", "%", "-nE", "~"))
		case 3:
			b.WriteString("'" + g.pick("", " ", "a  b", `\`, `"`, "*", "$x", "-n", "#", "|", "\\n", "a;b", "~", "`") + "'")
		case 4:
			b.WriteString(`"` + g.quoted(depth) + g.quoted(depth) + `"`)
		case 5:
			b.WriteString(`\` + g.pick("a", " ", "$", `\`, `"`, "'", "*", "#", "|", ";", "n", "~", "!", "{", "[", "`", "&", ">"))
		case 6:
			b.WriteString(g.pick("$WORD", "${WORD}", "$BLANKS", "$EMPTY", "$UNSET", "$TAB", "${BLANKS}", "$?", "$DASH", "$NUMBER",
				"$HOME", "$BYTES"))
		case 7:
			b.WriteString(g.pick(`"$x"`, `"$y"`, `"$BLANKS"`, `"$EMPTY"`, `"$STAR"`, `"$PWD"`, `"$?"`, `"$DASH"`, `"$BACK"`, `"$TAB"`))
		case 8:
			if depth > 1 {
				b.WriteString("z")
			} else {
				b.WriteString(`"$(` + g.list(depth+1) + `)"`)
			}
		}
	}
	return b.String()
}

func (g *generator) quoted(depth int) string {
	if depth < 2 && g.IntN(5) == 0 {
		return "$(" + g.list(depth+1) + ")"
	}
	return g.pick("", "a", " ", "  b", `\\`, `\$`, `\"`,
		"\\`", `\a`, `\n`, "*", "$WORD", "${x}", "$BLANKS", "'", "#", "|", ";", "~", "$", "!", "{a,b}", "$?", "%s", "(", ")", "é")
}

// mutate damages a line in a few places.
func (g *generator) mutate(line string) string {
	for range 1 + g.IntN(4) {
		i, k := g.IntN(len(line)+1), g.IntN(len(line)+1)
		i, k = min(i, k), max(i, k)
		switch g.IntN(5) {
		case 0: // a part is lost
			line = line[:i] + line[min(i+1, len(line)):]
		case 1: // the end changes places with the middle
			line = line[:i] + line[k:] + line[i:k]
		default:
			line = line[:i] + g.pick(`\`, `"`, "'", "$", "(", ")", "{", "}", "#", ";", "&", "|", "!", "~", "=", " ", "\n", "\t", "$?",
				"$WORD", `"$BLANKS"`, "$BLANKS",
				"\\\n", "2>&1", ">&2", "<", ">", "1", "2", "-", "a", "é", "\u00a0",
				"&&", "||", "]", "[", ":", "x=", "\x01", "\x7f", "^", "%", "``", "$(", `"$(`, `)"`, "if ", "time ", "in", "\v") + line[i:]
		}
	}
	return line
}

func FuzzPlan(f *testing.F) {
	for _, table := range []string{"embedded.txt", "bash.txt"} {
		for _, l := range cases(f, table) {
			f.Add(l)
		}
	}
	p := newPlace(f)
	f.Fuzz(func(t *testing.T, text string) {
		prog, err := bind.Bind(bind.Line{Parts: []bind.Part{{Text: text}}}, bind.World{})
		if err != nil {
			t.Fatal(err)
		}
		find := func(name string) (Command, bool) { return nil, name == "show" }
		if plan, why := Make(Setup{Program: prog, Dir: p.dir, Env: p.env, Find: find}); (plan == nil) == (why == nil) {
			t.Errorf("plan of %q is %v, and why not is %v", text, plan, why)
		}
	})
}
