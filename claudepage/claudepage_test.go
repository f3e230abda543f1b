package claudepage

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A recording is one run of the real program: files, an invocation, and what it sent.
type recording struct {
	Name  string
	Files map[string]string
	Home  map[string]string
	Cwd   string
	Skill string
	Args  *string
	Via   string
	Env   map[string]string
	CLI   []string `json:"cli_args"`
	Want  struct {
		Text  *string
		Error *string
	}
}

// The real program, if there is one: its own grep, find and rg are then used, as it does.
var claude = os.Getenv("SKILLHAND_CLAUDE")

const session = "11111111-2222-4333-8444-555555555555"

// What stood in the user's home when these were recorded.
var homes = map[string]map[string]string{
	"a3-user-skill": {".claude/skills/u/SKILL.md": "---\ndescription: d\n---\n" +
		"PR=[${CLAUDE_PLUGIN_ROOT}] PD=[${CLAUDE_PLUGIN_DATA}] SID=[${CLAUDE_SESSION_ID}] SD=[${CLAUDE_SKILL_DIR}] " +
		"PJ=[${CLAUDE_PROJECT_DIR}] EF=[${CLAUDE_EFFORT}] MODEL=[${CLAUDE_MODEL}] " +
		"ND=[$CLAUDE_SESSION_ID][$CLAUDE_SKILL_DIR][$CLAUDE_PROJECT_DIR] CWD=[${CWD}] ENV=[${CLAUDE_CODE_ENTRYPOINT}] " +
		"AG=[${CLAUDE_AGENT_ID}] TR=[${CLAUDE_TRANSCRIPT_PATH}] UC=[${user_config.foo}]\n"},
	"a5-dup-project-user": {".claude/skills/s/SKILL.md": "---\ndescription: d\n---\nUSER\n"},
}

// What cannot come out the same elsewhere.
var elsewhere = map[string]string{
	"a1-diff1":  "shows the recorder's /etc/passwd",
	"a8-exit03": "find is a program inside claude, which did not complain in the recorder's sandbox",
}

func TestRecorded(t *testing.T) {
	var first []recording
	read(t, "claude-render.json", &first)
	var further struct{ Cases []recording }
	read(t, "recorded.json", &further)
	for _, c := range append(first, further.Cases...) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.run(t)
		})
	}
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
	write(t, project, c.Files)
	write(t, home, c.Home)
	write(t, home, homes[c.Name])
	r := Request{
		Name:      c.Skill,
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
			skip(t, "no "+program+" here")
		}
		// Claude Code brings its own rg. For what is recorded here, grep does as well.
		write(t, root, map[string]string{"bin/rg": "#!/bin/sh\nexec grep \"$@\"\n"})
		r.Env[0] += ":" + filepath.Join(root, "bin")
	}
	if c.Args != nil {
		r.Args = *c.Args
	}
	for k, v := range c.Env {
		r.Env = append(r.Env, k+"="+v)
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
	page, err := Render(context.Background(), r)
	got := ""
	if failure, ok := errors.AsType[*Failure](err); ok {
		got = "error: " + failure.Message
	} else if err != nil {
		t.Fatal(err)
	} else {
		got = "text: " + page.Text
	}
	want := ""
	if c.Want.Error != nil {
		want = "error: " + *c.Want.Error
	} else {
		want = "text: " + *c.Want.Text
	}
	want = strings.NewReplacer("{{PROJECT}}", project, "{{HOME}}", home, "{{SESSION}}", session, "{{ROOT}}", root).Replace(want)
	if got != want {
		t.Errorf("got:\n%q\nwant:\n%q", got, want)
	}
}

// calls reports whether a command of the skill calls a program.
func (c recording) calls(program string) bool {
	return regexp.MustCompile("!`[^`]*\\b" + program + "\\b").MatchString(c.Files[".claude/skills/s/SKILL.md"])
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		text = strings.Replace(text, "\u00EF\u00BB\u00BF", "\uFEFF", 1) // the recorder's way to write a byte order mark
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// skip skips a test for something this machine lacks, unless nothing may be lacking.
func skip(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("SKILLHAND_REQUIRE_ALL") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}
