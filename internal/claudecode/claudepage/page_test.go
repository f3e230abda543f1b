package claudepage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/test"
)

// A request for the skill s with this body, in a project of its own.
func request(t *testing.T, body string) Request {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := Request{
		Name:      "s",
		Mode:      "bypassPermissions",
		Trusted:   true,
		Project:   filepath.Join(root, "p"),
		Home:      filepath.Join(root, "home"),
		OutputDir: filepath.Join(root, "out"),
		Env:       []string{"PATH=/usr/bin:/bin"},
	}
	write(t, r.Project, map[string]string{".claude/skills/s/SKILL.md": "---\ndescription: d\n---\n" + body})
	return r
}

// render returns the page without its first lines.
func render(t *testing.T, r Request) string {
	t.Helper()
	page, err := Render(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(page.Text, "\n\n")
	return text
}

func TestLargeOutput(t *testing.T) {
	saved := regexp.MustCompile(`saved to: (.*)\n`)
	for _, tt := range []struct {
		command string
		size    string
		preview string
		end     string
		bytes   int
	}{
		{"head -c 30001 /dev/zero | tr '\\0' a", "29.3KB", strings.Repeat("a", 2000), "\n...\n", 30001},
		{"yes | head -20480", "40KB", strings.TrimSuffix(strings.Repeat("y\n", 1000), "\n"), "\n...\n", 40960},
		{"echo; head -c 1500000 /dev/zero | tr '\\0' a", "1.4MB", strings.Repeat("a", 2000), "\n...\n", 1500001},
		{"for i in {1..9000}; do printf 😀; done", "35.2KB", strings.Repeat("😀", 1000), "\n...\n", 36000},
		{"printf '%1001s\\n%40000s' '' '' | tr ' ' a", "40KB", strings.Repeat("a", 1001), "\n...\n", 41002},
		{"printf '%999s\\n%40000s' '' '' | tr ' ' a", "40KB", strings.Repeat("a", 999) + "\n" + strings.Repeat("a", 1000), "\n...\n", 41000},
	} {
		r := request(t, "a !`"+tt.command+"` b\n")
		got := render(t, r)
		m := saved.FindStringSubmatch(got)
		if m == nil {
			t.Errorf("%s: no file is named in %.200q", tt.command, got)
			continue
		}
		want := "a <persisted-output>\nOutput too large (" + tt.size + "). Full output saved to: " + m[1] +
			"\n\nPreview (first 2KB):\n" + tt.preview + tt.end + "</persisted-output> b\n"
		if got != want {
			t.Errorf("%s: got %q, want %q", tt.command, got, want)
		}
		if filepath.Dir(m[1]) != r.OutputDir {
			t.Errorf("%s: saved in %s, want %s", tt.command, filepath.Dir(m[1]), r.OutputDir)
		}
		if b, err := os.ReadFile(m[1]); err != nil || len(b) != tt.bytes {
			t.Errorf("%s: %d bytes saved, %v, want %d", tt.command, len(b), err, tt.bytes)
		}
	}
}

func TestSmallLimit(t *testing.T) {
	r := request(t, "!`seq 1 300`")
	r.Env = append(r.Env, "BASH_MAX_OUTPUT_LENGTH=1000")
	got := render(t, r)
	if !strings.HasPrefix(got, "<persisted-output>\nOutput too large (1.1KB).") || !strings.HasSuffix(got, "\n277\n</persisted-output>") {
		t.Errorf("got %q", got)
	}
}

func TestFailureKeepsWhatFits(t *testing.T) {
	r := request(t, "!`head -c 40000 /dev/zero | tr '\\0' a; exit 2`")
	_, err := Render(context.Background(), r)
	failure, ok := errors.AsType[*Failure](err)
	if !ok || !strings.HasSuffix(failure.Message, "`\": [stderr]\n"+strings.Repeat("a", 30000)) {
		t.Errorf("got %.200v", err)
	}
	if files, _ := os.ReadDir(r.OutputDir); len(files) > 0 {
		t.Errorf("%s was left behind", files[0].Name())
	}
}

func TestOthersRunToTheirEnd(t *testing.T) {
	r := request(t, "!`exit 1` !`sleep 0.5; touch ran`")
	_, err := Render(context.Background(), r)
	if want := "Shell command failed for pattern \"!`exit 1`\": "; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := os.Stat(filepath.Join(r.Project, "ran")); err != nil {
		t.Error(err)
	}
}

// TestNamed: of commands that take equally long, the one that is started first.
func TestNamed(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		took []time.Duration // 0 means that it did not fail
		want int
	}{
		{[]time.Duration{3 * ms, 2 * ms, 2 * ms}, 0},
		{[]time.Duration{0, 5 * ms, 2 * ms}, 1},
		{[]time.Duration{500 * ms, 3 * ms, 2 * ms}, 1},
		{[]time.Duration{22 * ms, 2 * ms}, 1},
		{[]time.Duration{150 * ms, 90 * ms}, 0}, // a busy machine
		{[]time.Duration{0, 0}, -1},
		{nil, -1},
	} {
		var directives []Directive
		var faults []error
		for i, d := range tt.took {
			directives = append(directives, Directive{Duration: d})
			faults = append(faults, nil)
			if d > 0 {
				faults[i] = &Failure{strconv.Itoa(i)}
			}
		}
		if err := named(directives, faults); err != nil && err.Error() != strconv.Itoa(tt.want) || err == nil && tt.want >= 0 {
			t.Errorf("%v: %v is named, want %d", tt.took, err, tt.want)
		}
	}
	broken := errors.New("no bash")
	if err := named(make([]Directive, 2), []error{&Failure{"0"}, broken}); !errors.Is(err, broken) {
		t.Errorf("got %v, want what kept us from finding out", err)
	}
}

func TestFirstToEndIsReported(t *testing.T) {
	t.Parallel()
	r := request(t, "!`sleep 4; echo slow; exit 1` !`echo quick; exit 1`")
	_, err := Render(context.Background(), r)
	if err == nil || !strings.HasSuffix(err.Error(), "\nquick") {
		t.Errorf("got %v", err)
	}
}

func TestDirectivesOfFile(t *testing.T) {
	src := "\ufeff---\ndescription: !`no`\n---\n\n\xff one !`echo  $0 ` x\r\n```!\r\n a\r\n b\r\n```\n `!`code` !` ` ```! ``` (!`no`)\n- !`last`"
	got := claudecode.Directives([]byte(src))
	want := []claudecode.Written{
		{Command: "echo  $0", Line: 5},
		{Command: "a\n b", Line: 6, Block: true},
		{Command: "last", Line: 11},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, d := range got {
		if d.Command != want[i].Command || d.Line != want[i].Line || d.Block != want[i].Block {
			t.Errorf("got %+v, want %+v", d, want[i])
		}
		if w := src[d.Offset:d.End]; !strings.HasPrefix(w, "!`") && !strings.HasPrefix(w, "```!") || !strings.HasSuffix(w, "`") {
			t.Errorf("%+v stands at %q", d, w)
		}
		if !strings.HasPrefix(src[d.From:], d.Command[:1]) || 1+strings.Count(src[:d.Offset], "\n") != d.Line {
			t.Errorf("%+v is not where it says", d)
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	r := request(t, "!`trap 'echo asked; exit 3' TERM; echo before; sleep 1000 & wait`")
	r.Timeout = 5100 * time.Millisecond // long enough for bash to begin, on any machine
	_, err := Render(context.Background(), r)
	if err == nil || !strings.HasSuffix(err.Error(), "[stderr]\nCommand timed out after 5s\nbefore\nasked") {
		t.Errorf("got %v", err)
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		500 * time.Millisecond: "0s", 2999 * time.Millisecond: "2s", 61500 * time.Millisecond: "1m 2s", 2 * time.Minute: "2m 0s",
	} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestCancel(t *testing.T) {
	r := request(t, "!`sleep 1000`")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r.Run = func(ctx context.Context, c proc.Cmd) (proc.Result, error) {
		cancel()
		return proc.Run(ctx, c)
	}
	_, err := Render(ctx, r)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
}

func TestNoBash(t *testing.T) {
	r := request(t, "!`echo A`")
	r.Run = func(context.Context, proc.Cmd) (proc.Result, error) { return proc.Result{}, errors.New("no bash") }
	_, err := Render(context.Background(), r)
	if _, ok := errors.AsType[*Failure](err); ok || err == nil || err.Error() != "!`echo A`: no bash" {
		t.Errorf("got %v, want an error that is not Claude Code's", err)
	}
}

func TestNoRun(t *testing.T) {
	r := request(t, "a !`touch ran` !`touch ran` ```!\ntouch ran\n``` b $ARGUMENTS\n")
	r.Args = "!`touch ran`"
	r.NoRun = func(string) string { return "<error>not run</error>" }
	r.Run = func(context.Context, proc.Cmd) (proc.Result, error) {
		t.Error("something ran")
		return proc.Result{}, nil
	}
	const e = "<error>not run</error>"
	if got, want := render(t, r), "a "+e+" "+e+" "+e+" b \\! `touch ran`\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDirectives(t *testing.T) {
	r := request(t, "one\n!`echo $0` x\n\n```!\necho B\n```\n !`echo C`\n")
	r.Args = "A"
	s, err := Find(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Directives(r)
	if err != nil {
		t.Fatal(err)
	}
	want := []Directive{
		{Source: "```!\necho B\n```", Command: "echo B", Line: 7},
		{Source: "!`echo A`", Command: "echo A", Line: 5},
		{Source: "!`echo C`", Command: "echo C", Line: 10},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	page, err := s.Render(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if d := page.Directives[0]; d.Exit != 0 || d.Bytes != 2 || d.Duration <= 0 {
		t.Errorf("a directive that ran says %+v", d)
	}
}

func TestPaths(t *testing.T) {
	r := request(t, "in ${CLAUDE_SKILL_DIR}\n")
	write(t, r.Project, map[string]string{"x/note.md": "---\na: b\n---\nnote ${CLAUDE_SKILL_DIR} $0\n"})
	dir := filepath.Join(r.Project, ".claude/skills/s")
	r.Args = "A"
	for name, want := range map[string]string{
		dir:                            "Base directory for this skill: " + dir + "\n\nin " + dir + "\n\n\nARGUMENTS: A",
		filepath.Join(dir, "SKILL.md"): "Base directory for this skill: " + dir + "\n\nin " + dir + "\n\n\nARGUMENTS: A",
		"./.claude/skills/s":           "Base directory for this skill: " + dir + "\n\nin " + dir + "\n\n\nARGUMENTS: A",
		"x/note.md":                    "note ${CLAUDE_SKILL_DIR} A\n",
	} {
		r.Name = name
		page, err := Render(context.Background(), r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if page.Text != want {
			t.Errorf("%s: got %q, want %q", name, page.Text, want)
		}
	}
}

func TestNotFound(t *testing.T) {
	r := request(t, "body")
	write(t, r.Home, map[string]string{"secret.md": "x"})
	for _, name := range []string{"nosuch", "..", "", "x/../../nosuch", "S", "..:..:home:secret", "s/nosuch"} {
		r.Name = name
		_, err := Find(r)
		if _, ok := errors.AsType[*Failure](err); err == nil || ok {
			t.Errorf("Find(%q): %v, want an error that is not Claude Code's", name, err)
		}
	}
}

func TestLinks(t *testing.T) {
	r := request(t, "body")
	write(t, r.Project, map[string]string{"real/SKILL.md": "linked ${CLAUDE_SKILL_DIR}\n", "secret.txt": "secret"})
	skills := filepath.Join(r.Project, ".claude/skills")
	if err := os.Symlink("../../real", filepath.Join(skills, "folder")); err != nil {
		test.Lacking(t, err)
	}
	write(t, skills, map[string]string{"file/x": ""})
	if err := os.Symlink("../../../secret.txt", filepath.Join(skills, "file", "SKILL.md")); err != nil {
		t.Fatal(err)
	}
	r.Name = "folder"
	if got, want := render(t, r), "linked "+filepath.Join(skills, "folder")+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Name = "file"
	if _, err := Render(context.Background(), r); err == nil || !strings.Contains(err.Error(), "outside its skill's folder") {
		t.Errorf("a link out of the skill's folder: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	r := request(t, "!`echo $KEPT $CLAUDECODE $CLAUDE_EFFORT [$CLAUDE_CODE_MESSAGING_TOKEN] $HOME`")
	r.Env = append(r.Env, "KEPT=yes", "CLAUDECODE=0", "CLAUDE_CODE_MESSAGING_TOKEN=secret", "CLAUDE_EFFORT=low")
	if got, want := render(t, r), "yes 1 medium [] "+r.Home; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A project sets variables for its own skills, not for the user's: BASH_ENV alone would run a file.
func TestProjectSettings(t *testing.T) {
	r := request(t, "!`echo [$FOO]`")
	write(t, r.Project, map[string]string{
		".claude/settings.json": `{"env": {"FOO": "project", "BASH_ENV": "` + filepath.Join(r.Project, "x.sh") + `"}}`,
		"x.sh":                  "touch ran\n",
	})
	write(t, r.Home, map[string]string{".claude/skills/u/SKILL.md": "!`echo [$FOO]`", ".claude/settings.json": `{"env": {"FOO": "user"}}`})
	if got := render(t, r); got != "[project]" {
		t.Errorf("the project's skill got %q", got)
	}
	if err := os.Remove(filepath.Join(r.Project, "ran")); err != nil {
		t.Error(err)
	}
	r.Name = "u"
	if got := render(t, r); got != "[user]" {
		t.Errorf("the user's skill got %q", got)
	}
	if _, err := os.Stat(filepath.Join(r.Project, "ran")); err == nil {
		t.Error("the project ran something with the user's skill")
	}
	r.Home, r.Project = filepath.Dir(r.Home), filepath.Join(filepath.Dir(r.Home), "p") // a project in the user's home is still a project
	write(t, r.Home, map[string]string{".claude/skills/u/SKILL.md": "!`echo [$FOO]`"})
	if got := render(t, r); got != "[]" {
		t.Errorf("the user's skill got %q in a project at home", got)
	}
}

func TestDecode(t *testing.T) {
	for in, want := range map[string]string{
		"\xff\xfea":        "��a",
		"\xf0\x9f":         "�",
		"\xed\xa0\x80":     "���",
		"\xc3(":            "�(",
		"\xe2\x82x":        "�x",
		"\xf0\x80\x80":     "���",
		"\xf4\x90\x80\x80": "����",
		"a\xf1\x80\x80b":   "a�b",
		"\xc0\xaf":         "��",
		"é�":               "é�",
	} {
		if got := decode([]byte(in)); got != want {
			t.Errorf("decode(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestLongInput: time grows with the input, not with its square, or this does not end.
func TestLongInput(t *testing.T) {
	const n = 200_000
	args := func(part string) func() { // Claude Code parses no more than this
		return func() { splitArgs(strings.Repeat(part, maxParsed/len(part))) }
	}
	for name, f := range map[string]func(){
		"inline":     func() { scan(strings.Repeat("` !`a` ", n)) },
		"block":      func() { scan(strings.Repeat("```!a``` ", n)) },
		"open":       func() { scan(strings.Repeat(" !`", n)) },
		"file":       func() { claudecode.Directives([]byte(strings.Repeat("```!a``` !`b`\n", n))) },
		"parens":     args("("),
		"brackets":   args("[ "),
		"redirected": args("[a>b;"),
		"quotes":     args(`"$(`),
		"dollars":    args("a $(b "),
		"cases":      args("case a "),
		"loops":      args("for a in $("),
		"functions":  args("f ()\n"),
		"assigned":   args("a=("),
		"arithmetic": args("(( "),
		"backslash":  func() { (&Skill{body: strings.Repeat(`\$0\\`, n)}).expand(Request{Args: "a"}) },
		"frontmatter": func() {
			yaml, _ := claudecode.SplitFrontmatter("---\n" + strings.Repeat("a: [b\n", n/10) + "---\n")
			parseFrontmatter(yaml)
		},
	} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			f()
		}()
		select {
		case <-done:
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s: not done after two minutes", name)
		}
	}
}

// TestWorkflow: a workflow is not rendered, whatever its script holds, and the plugin's skills load all the same.
func TestWorkflow(t *testing.T) {
	dir := t.TempDir()
	Write(t, dir, map[string]string{
		"plug/.claude-plugin/plugin.json": `{"name": "plug"}`,
		"plug/skills/s/SKILL.md":          "Text\n",
		"plug/workflows/odd.js":           "export const meta = {name: 'odd', description: 'd'}\n`${`",
	})
	request := func(name string) Request {
		return Request{Name: name, Project: dir, Home: filepath.Join(dir, "home"), PluginRoot: filepath.Join(dir, "plug")}
	}
	if p, err := Render(t.Context(), request("plug:s")); err != nil || !strings.HasSuffix(p.Text, "Text\n") {
		t.Errorf("the skill: %+v, %v", p, err)
	}
	for name, want := range map[string]string{"plug:odd": "odd.js is a workflow, and workflows are not rendered", "plug:other": "workflows are not rendered"} {
		if _, err := Render(t.Context(), request(name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
