package claudepage_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/claudepage"
	"github.com/skillhand/skillhand/internal/test"
)

// A recording is one run of the real program: files, an invocation, and what it sent.
type recording struct {
	Name  string            `json:"name"`
	Files map[string]string `json:"files"`
	Home  map[string]string `json:"home,omitempty"`
	Cwd   string            `json:"cwd,omitempty"`
	Skill string            `json:"skill"`
	Args  *string           `json:"args,omitempty"`
	Via   string            `json:"via"`
	Env   map[string]string `json:"env,omitempty"`
	CLI   []string          `json:"cli_args,omitempty"`
	Want  want              `json:"want"`

	Mode     string          `json:"mode"` // of permissions; "" means that all was allowed
	Settings json.RawMessage `json:"user_settings,omitempty"`
	Made     []string        `json:"made,omitempty"` // files that commands left
}

// want is what the real program came to: one of these.
type want struct {
	Text    *string  `json:"text,omitempty"`
	Texts   []string `json:"texts,omitempty"`
	Error   *string  `json:"error,omitempty"`
	Unknown bool     `json:"unknown,omitempty"` // it took the prompt for ordinary text
}

// The real program, if there is one: its own grep, find and rg are then used, as it does.
var claude = os.Getenv("SKILLHAND_CLAUDE")

const session = "11111111-2222-4333-8444-555555555555"

// homes are the files in the user's home when these were recorded.
var homes = map[string]map[string]string{
	"a3-user-skill": {".claude/skills/u/SKILL.md": "---\ndescription: d\n---\n" +
		"PR=[${CLAUDE_PLUGIN_ROOT}] PD=[${CLAUDE_PLUGIN_DATA}] SID=[${CLAUDE_SESSION_ID}] SD=[${CLAUDE_SKILL_DIR}] " +
		"PJ=[${CLAUDE_PROJECT_DIR}] EF=[${CLAUDE_EFFORT}] MODEL=[${CLAUDE_MODEL}] " +
		"ND=[$CLAUDE_SESSION_ID][$CLAUDE_SKILL_DIR][$CLAUDE_PROJECT_DIR] CWD=[${CWD}] ENV=[${CLAUDE_CODE_ENTRYPOINT}] " +
		"AG=[${CLAUDE_AGENT_ID}] TR=[${CLAUDE_TRANSCRIPT_PATH}] UC=[${user_config.foo}]\n"},
	"a5-dup-project-user": {".claude/skills/s/SKILL.md": "---\ndescription: d\n---\nUSER\n"},
}

// elsewhere lists what cannot come out the same on another machine.
var elsewhere = map[string]string{
	"a1-diff1":  "shows the recorder's /etc/passwd",
	"a8-exit03": "find is a program inside claude, which did not complain in the recorder's sandbox",
}

func TestRecorded(t *testing.T) {
	var first []recording
	read(t, "claude-render.json", &first)
	var further struct{ Cases []recording }
	read(t, "recorded.json", &further)
	for _, c := range slices.Concat(first, further.Cases, readCases(t, "real.json"), readCases(t, "claude-render-modes.json")) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
}

func readCases(t *testing.T, file string) (cases []recording) {
	t.Helper()
	read(t, file, &cases)
	return cases
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

func (c recording) run(t *testing.T) {
	if reason := elsewhere[c.Name]; reason != "" {
		t.Skip(reason)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, home := filepath.Join(root, "p"), filepath.Join(root, "home")
	claudepage.Write(t, project, c.Files)
	for name, text := range c.Home {
		claudepage.Write(t, home, map[string]string{name: strings.NewReplacer("{{PROJECT}}", project, "{{HOME}}", home).Replace(text)})
	}
	claudepage.Write(t, home, homes[c.Name])
	r := claudepage.Request{
		Name:      c.Skill,
		Mode:      cmp.Or(c.Mode, "bypassPermissions"),
		Trusted:   c.Mode == "",
		Tool:      c.Via == "tool",
		Project:   filepath.Join(project, c.Cwd),
		Home:      home,
		Session:   session,
		Claude:    claude,
		Env:       []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TERM=dumb"},
		OutputDir: filepath.Join(root, "out"),
	}
	for _, program := range []string{"rg", "jq", "git"} {
		if _, err := exec.LookPath(program); err == nil || !c.calls(program) {
			continue
		}
		if program != "rg" {
			test.Lacking(t, "no "+program+" here")
		}
		// Claude Code brings its own rg. For what is recorded here, grep does as well.
		claudepage.Write(t, root, map[string]string{"bin/rg": "#!/bin/sh\nexec grep \"$@\"\n"})
		r.Env[0] += ":" + filepath.Join(root, "bin")
	}
	if c.Args != nil {
		r.Args = *c.Args
	}
	for k, v := range c.Env {
		r.Env = append(r.Env, k+"="+strings.NewReplacer("{{PROJECT}}", project, "{{HOME}}", home).Replace(v))
		if k == "CLAUDE_CODE_EFFORT_LEVEL" {
			r.Effort = v
		}
	}
	for i, arg := range c.CLI {
		switch arg {
		case "--effort":
			r.Effort = c.CLI[i+1]
		case "--plugin-dir":
			r.PluginRoot = c.CLI[i+1]
		}
	}
	if len(c.Settings) > 0 && string(c.Settings) != "null" {
		claudepage.Write(t, home, map[string]string{".claude/settings.json": string(c.Settings)})
	}
	if strings.Contains(c.Name, "-read") && c.Mode != "" { // git status was asked in a repository
		if out, err := exec.Command("git", "init", "-q", project).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	page, err := claudepage.Render(context.Background(), r)
	for _, name := range []string{"f1", "f2", "f3", "PWN", "new.txt", "x"} {
		if _, err := os.Stat(filepath.Join(project, name)); c.Mode != "" && (err == nil) != slices.Contains(c.Made, name) {
			t.Errorf("%s: %v, want made: %v", name, err, c.Made)
		}
	}
	got := ""
	if failure, ok := errors.AsType[*claudepage.Failure](err); ok {
		got = "error: " + failure.Message
	} else if err != nil {
		got = "unknown: " + err.Error()
	} else {
		got = "text: " + page.Text
	}
	want := ""
	switch {
	case c.Want.Error != nil:
		want = "error: " + *c.Want.Error
	case len(c.Want.Texts) > 0:
		want = "text: " + c.Want.Texts[len(c.Want.Texts)-1]
	case c.Want.Text != nil:
		want = "text: " + *c.Want.Text
	case c.Want.Unknown:
		if err == nil || !strings.Contains(err.Error(), "would send") {
			t.Errorf("got:\n%q\nwant: the prompt is ordinary text", got)
		}
		return
	}
	want = withoutSuggestion(want)
	want = strings.NewReplacer("{{PROJECT}}", project, "{{HOME}}", home, "{{SESSION}}", session, "{{ROOT}}", root).Replace(want)
	if got != want {
		t.Errorf("got:\n%q\nwant:\n%q", got, want)
	}
}

// withoutSuggestion takes out the name close to an unknown one, which Claude Code adds and this package does not.
func withoutSuggestion(want string) string {
	before, rest, ok := strings.Cut(want, ". Did you mean ")
	_, after, _ := strings.Cut(rest, "?")
	switch {
	case !ok || strings.HasPrefix(after, " Invoke it by that full name"):
		return want
	case strings.HasPrefix(after, " "):
		before += "."
	}
	return before + after
}

// calls reports whether a command of the skill calls a program.
func (c recording) calls(program string) bool {
	return regexp.MustCompile("!`[^`]*\\b" + program + "\\b").MatchString(c.Files[".claude/skills/s/SKILL.md"])
}

// TestVersionInDocs: what the documentation says of Claude Code is said of the version that this
// package follows.
func TestVersionInDocs(t *testing.T) {
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	spelled := regexp.MustCompile(`Claude Code ([0-9]+\.[0-9]+\.[0-9]+)`)
	for _, page := range append(pages, "../../../README.md", "../../../plugin/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range spelled.FindAllStringSubmatch(string(text), -1) {
			if m[1] != claudecode.Version {
				t.Errorf("%s speaks of Claude Code %s, not %s", page, m[1], claudecode.Version)
			}
		}
	}
}
