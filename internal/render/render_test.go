package render

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/skill"
)

// testBuiltins are functions for directives of the test cases.
var testBuiltins = map[string]shell.Func{
	// emit OUT ERR EXIT prints the two texts and exits.
	"emit": func(_ context.Context, args []string, std shell.Std) int {
		fmt.Fprint(std.Out, strings.ReplaceAll(args[0], `\n`, "\n"))
		fmt.Fprint(std.Err, strings.ReplaceAll(args[1], `\n`, "\n"))
		exit, _ := strconv.Atoi(args[2])
		return exit
	},
	"words": func(_ context.Context, args []string, std shell.Std) int {
		for _, a := range args {
			fmt.Fprintf(std.Out, "[%s]", a)
		}
		return 0
	},
	"panic": func(context.Context, []string, shell.Std) int { panic("at the disco") },
}

// TestPages renders the skill of each case. The file "options" sets fields of
// Env, a line each; "args" is the raw argument string, "words" are arguments that came as words, a line each.
func TestPages(t *testing.T) {
	test.Cases(t, "testdata/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		dir := t.TempDir()
		for name, text := range c.Files {
			if strings.HasPrefix(name, "want") {
				continue
			}
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "␍", "\r")), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		page, trace, err := renderCase(t, c, dir)
		random := regexp.MustCompile(`foo-[0-9]+\.txt`) // the name of a kept output
		clean := strings.NewReplacer(dir, "DIR", "\r", "␍")
		page = random.ReplaceAllString(page, "foo-N.txt")
		got := map[string]string{"want": "", "want-error": "", "want-warnings": ""}
		if err != nil {
			got["want-error"] = clean.Replace(err.Error()) + "\n"
		} else {
			got["want"] = clean.Replace(endLine(page))
		}
		for _, w := range trace.Warnings {
			got["want-warnings"] += clean.Replace(w) + "\n"
		}
		if _, ok := c.Files["want-trace"]; ok {
			got["want-trace"] = ""
			for _, d := range trace.Directives {
				got["want-trace"] += clean.Replace(fmt.Sprintf("%d: %q how=%s exit=%d bytes=%d\n", d.Line, d.Command, d.How, d.Exit, d.Bytes))
			}
		}
		return got
	})
}

func endLine(page string) string {
	if strings.HasSuffix(page, "\n") {
		return page
	}
	return page + "␄\n" // the page ends without a newline
}

func renderCase(t *testing.T, c test.Case, dir string) (string, Trace, error) {
	file := filepath.Join(dir, "SKILL.md")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := skill.Parse(file, src)
	s.Name = "foo"
	env := Env{
		Vars: map[string]string{"CLAUDE_SKILL_DIR": dir, "CLAUDE_PROJECT_DIR": dir, "CLAUDE_PLUGIN_ROOT": dir, "CLAUDE_EFFORT": "medium"},
		Args: ParseArgs(c.Files["args"]),
		Shell: &shell.Shell{
			Dir:       dir,
			Builtins:  testBuiltins,
			Launchers: []string{filepath.Join(dir, "hooks", "bin")},
			Timeout:   time.Minute,
			Env:       append(os.Environ(), "MY_API_KEY=sk-very-secret-1"),
		},
	}
	if list, ok := c.Files["words"]; ok {
		env.Args = JoinArgs(strings.Split(strings.TrimSuffix(list, "\n"), "\n"))
	}
	for option := range strings.FieldsSeq(c.Files["options"]) {
		name, value, _ := strings.Cut(option, "=")
		switch name {
		case "later":
			env.Later = true
		case "reference":
			env.Reference = c.Files["reference.md"]
		case "strict":
			env.Strict = true
		case "no-exec":
			env.NoExec = true
		case "untrusted":
			env.Untrusted = value
		case "wrap":
			env.Wrap = Wrap(value)
		case "max-output":
			env.MaxOutput, _ = strconv.Atoi(value)
			env.OutputDir = filepath.Join(dir, "output")
		case "timeout":
			env.Shell.Timeout, _ = time.ParseDuration(value)
		default:
			t.Fatalf("unknown option %s", option)
		}
	}
	if env.Bindings, err = ReadBindings(filepath.Join(dir, "bindings.json")); err != nil {
		return "", Trace{}, err
	}
	var page bytes.Buffer
	trace, err := Page(t.Context(), &page, s, env)
	if err != nil && page.Len() > 0 {
		t.Errorf("a failed page wrote %q", page.String())
	}
	return page.String(), trace, err
}

// TestTable is the table of what a page gets, each row alone on its line, in
// a line and as a block, by a built-in, by the embedded shell and by bash.
func TestTable(t *testing.T) {
	const pattern = `<error>Bash command failed for pattern "%s": `
	rows := []struct {
		out, err string
		exit     int
		want     string // with PATTERN for failures
	}{
		{"OUT\n", "", 0, "OUT"},
		{"", "ERR\n", 0, "ERR"},
		{"OUT\n", "ERR\n", 0, "OUT\nERR"},
		{"OUT", "ERR", 0, "OUTERR"},
		{"", "ERR\n", 1, pattern + "[stderr]\nERR</error>"},
		{"OUT\n", "", 1, pattern + "OUT</error>"},
		{"OUT\n", "ERR\n", 1, pattern + "OUT\n[stderr]\nERR</error>"},
		{"", "ERR\n", 2, pattern + "[stderr]\nERR</error>"},
		{"", "", 3, pattern + "exit status 3</error>"},
		{"", "", 0, ""},
		{"a\n\n b\n\n\n", "", 0, "a\n\n b"},
	}
	for _, row := range rows {
		// printf's format says newlines in one line.
		out, err := strings.ReplaceAll(row.out, "\n", `\n`), strings.ReplaceAll(row.err, "\n", `\n`)
		commands := map[shell.How]string{
			shell.Builtin:  fmt.Sprintf("emit '%s' '%s' %d", out, err, row.exit),
			shell.Embedded: fmt.Sprintf("printf '%s'; printf '%s' >&2; exit %d", out, err, row.exit),
			shell.Bash:     fmt.Sprintf("for i in 1; do printf '%s'; printf '%s' >&2; done; exit %d", out, err, row.exit),
		}
		for how, command := range commands {
			inline, block := "!`"+command+"`", "```!\n"+command+"\n```"
			wrapped := "<skill-output>\n" + row.want + "\n</skill-output>"
			if row.want == "" {
				wrapped = "<skill-output></skill-output>"
			}
			if row.exit != 0 {
				wrapped = row.want
			}
			for _, tt := range []struct{ text, pattern, want string }{
				{"a\n" + inline + "\nb\n", inline, "a\n" + wrapped + "\nb\n"},
				{"a " + inline + " b\n", inline, "a " + row.want + " b\n"},
				{"a\n\n" + block + "\nb\n", block, "a\n\n" + wrapped + "\nb\n"},
			} {
				s := skill.Parse("SKILL.md", []byte(tt.text))
				var page bytes.Buffer
				trace, err := Page(t.Context(), &page, s, Env{Shell: &shell.Shell{Builtins: testBuiltins}})
				if err != nil {
					t.Fatal(err)
				}
				want := strings.ReplaceAll(tt.want, "%s", tt.pattern)
				if page.String() != want {
					t.Errorf("%s\ngave %q\nwant %q", tt.text, page.String(), want)
				}
				if len(trace.Directives) != 1 || trace.Directives[0].How != how {
					t.Errorf("%s ran as %+v, want %s", tt.text, trace.Directives, how)
				}
			}
		}
	}
}

func TestDirectivesRunAtOnce(t *testing.T) {
	// Each waits for all the others: if they did not run at once, none would end.
	var here sync.WaitGroup
	here.Add(5)
	builtins := map[string]shell.Func{"meet": func(ctx context.Context, _ []string, _ shell.Std) int {
		here.Done()
		here.Wait()
		return 0
	}}
	s := skill.Parse("SKILL.md", []byte(strings.Repeat("!`meet`\n", 5)))
	if _, err := Page(t.Context(), &bytes.Buffer{}, s,
		Env{Strict: true, Shell: &shell.Shell{Builtins: builtins, Timeout: time.Minute}}); err != nil {
		t.Error(err)
	}
}

// TestBounded: no more than concurrent commands run at once, directives or bindings.
func TestBounded(t *testing.T) {
	var bindings, uses, directives strings.Builder
	for i := range 4 * concurrent {
		fmt.Fprintf(&bindings, ",\n\"V%d\": \"count %d\"", i, i)
		fmt.Fprintf(&uses, "${V%d}\n", i)
		fmt.Fprintf(&directives, "!`count %d`\n", i)
	}
	bound, err := ParseBindings("bindings.json", []byte("{"+strings.TrimPrefix(bindings.String(), ",")+"}"))
	if err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string]Env{"bindings": {Bindings: bound}, "directives": {}} {
		var mu sync.Mutex
		running, most, all := 0, 0, make(chan struct{})
		count := func(ctx context.Context, _ []string, _ shell.Std) int {
			mu.Lock()
			running++
			most = max(most, running)
			if running == concurrent && all != nil {
				close(all) // from here on nobody waits
				all = nil
			}
			wait := all
			mu.Unlock()
			if wait != nil {
				select {
				case <-wait:
				case <-ctx.Done():
				}
			}
			mu.Lock()
			running--
			mu.Unlock()
			return 0
		}
		env.Shell = &shell.Shell{Builtins: map[string]shell.Func{"count": count}}
		text := directives.String()
		if name == "bindings" {
			text = uses.String()
		}
		s := skill.Parse("SKILL.md", []byte(text))
		if _, err := Page(t.Context(), &bytes.Buffer{}, s, env); err != nil {
			t.Fatal(err)
		}
		if most != concurrent {
			t.Errorf("%d %s ran at once, want %d", most, name, concurrent)
		}
	}
}

func TestArgs(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want string // words joined by |
	}{
		{"", ""},
		{"  a  b\tc\nd ", "a|b|c|d"},
		{`"a b" 'c d' e`, "a b|c d|e"},
		{`a\ b c`, "a b|c"},
		{`"c \"d\" e" ''`, `c "d" e|`},
		{`it's a dog`, "it's a dog"},
		{`a "unclosed b`, `a|"unclosed b`},
		{`f"g"h x\\y`, `fgh|x\y`},
		{`a;b | c > d $HOME *`, "a;b|||c|>|d|$HOME|*"},
		{`--flag="v w" -x`, "--flag=v w|-x"},
		{`'a\b' "a\b"`, `a\b|a\b`},
		{`\`, `\`},
	} {
		if got := strings.Join(ParseArgs(tt.raw).Words, "|"); got != tt.want {
			t.Errorf("ParseArgs(%q) = %q, want %q", tt.raw, got, tt.want)
		}
	}
}

// TestJoinArgs: words come back as people would type them.
func TestJoinArgs(t *testing.T) {
	for _, tt := range []struct {
		words []string
		raw   string
		given bool
	}{
		{nil, "", false},
		{[]string{""}, "''", true},
		{[]string{"a", "b c"}, "a 'b c'", true},
		{[]string{"it's"}, `'it'\''s'`, true},
	} {
		if got := JoinArgs(tt.words); got.Raw != tt.raw || got.Given() != tt.given {
			t.Errorf("JoinArgs(%q) = %+v, want %s", tt.words, got, tt.raw)
		}
	}
}

func FuzzArgs(f *testing.F) {
	f.Add("a b", "it's", `\`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		words := []string{a, b, c}
		if strings.Contains(strings.Join(words, ""), "\x00") {
			return // no program can be given one
		}
		args := JoinArgs(words)
		again := splitArgs(args.Raw)
		if len(again) != 3 || again[0] != a || again[1] != b || again[2] != c {
			t.Errorf("%q became %q became %q", words, args.Raw, again)
		}
	})
}

// FuzzPage: rendering never panics, and what a directive prints is never scanned again.
func FuzzPage(f *testing.F) {
	f.Add("a !`echo` b\n", "!`touch pwned`", "x")
	f.Add("```!\necho\n```\n$ARGUMENTS $0 ${CLAUDE_SKILL_DIR}\n", "$ARGUMENTS ${CLAUDE_SKILL_DIR}", "!`touch pwned`")
	f.Add("<output>\n!`echo`\n</output>\n", "<output>", "</output>")
	f.Add("---\narguments: [a]\n---\n$a \\$a \\!`x`", "```!\nx\n```", "```!\nx\n```")
	f.Fuzz(func(t *testing.T, text, output, args string) {
		s := skill.Parse("SKILL.md", []byte(text))
		rec := &Recording{File: "rec", Version: version}
		directives := 0
		for _, p := range s.Parts {
			if p.Kind != skill.Directive {
				continue
			}
			directives++
			var command strings.Builder
			for _, c := range p.Command {
				command.WriteString(c.Source)
			}
			o := &Outcome{Command: command.String(), Stdout: stream(output)}
			o.restore()
			rec.Directives = append(rec.Directives, o)
		}
		env := Env{Args: ParseArgs(args), Replay: rec, Vars: map[string]string{"CLAUDE_SKILL_DIR": "${CLAUDE_EFFORT}",
			"CLAUDE_EFFORT": "$ARGUMENTS"}}
		var page bytes.Buffer
		if _, err := Page(t.Context(), &page, s, env); err != nil {
			return
		}
		trimmed := strings.TrimRight(output, "\r\n")
		if n := strings.Count(page.String(), trimmed); directives > 0 && trimmed != "" && len(trimmed) < 1000 && n < directives {
			t.Errorf("%d directives printed %q, but the page has it %d times:\n%s", directives, trimmed, n, page.String())
		}
	})
}

// TestSecretAtTheCut: a page with the beginning of a long output has no beginning of a secret.
func TestSecretAtTheCut(t *testing.T) {
	token := strings.Repeat("0a1B2c3D4e5F6g7H8i9J", 100)
	s := skill.Parse("SKILL.md", []byte("!`for i in $(seq 40); do echo $A_TOKEN; done`\n"))
	env := Env{OutputDir: t.TempDir(), Shell: &shell.Shell{Env: append(os.Environ(), "A_TOKEN="+token)}}
	var page strings.Builder
	if _, err := Page(t.Context(), &page, s, env); err != nil {
		t.Fatal(err)
	}
	if text := page.String(); !strings.Contains(text, "[A_TOKEN redacted]") || strings.Contains(text, token[:20]) {
		t.Errorf("the page is %q", text)
	}
}
