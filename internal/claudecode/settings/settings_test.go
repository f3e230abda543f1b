package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write makes files below dir, "ROOT" in their texts being dir.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "ROOT", filepath.ToSlash(dir))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOrder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"home/.claude/settings.json":               `{"env": {"WHO": "user", "USER": "1"}, "permissions": {"deny": ["Bash(rm:*)"]}, "enabledPlugins": {"a@m": true, "b@m": true}}`,
		"repo/.git/HEAD":                           "",
		"repo/.claude/settings.json":               `{"env": {"WHO": "top", "TOP": "1"}}`, // Claude Code is started below
		"repo/.claude/settings.local.json":         `{"env": {"WHO": "top local"}}`,
		"repo/sub/.claude/settings.json":           `{"env": {"WHO": "sub", "SUB": "1"}, "enabledPlugins": {"a@m": false}, "disableSkillShellExecution": true}`,
		"repo/sub/.claude/settings.local.json":     `{"env": {"WHO": "sub local", "LOCAL": "1"}}`,
		"system/managed-settings.json":             `{"disableSkillShellExecution": false}`,
		"system/managed-settings.d/10-more.json":   `{"permissions": {"defaultMode": "plan"}}`,
		"system/managed-settings.d/20-broken.json": `{"env": 1}`,
	})
	w := Where{Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "repo", "sub"), System: filepath.Join(dir, "system")}
	s := Read(w)
	if got, want := fmt.Sprint(s.Env()), "map[LOCAL:1 SUB:1 USER:1 WHO:top local]"; got != want {
		t.Errorf("Env() = %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(s.Env(User, Managed)), "map[USER:1 WHO:user]"; got != want {
		t.Errorf("Env(User, Managed) = %s, want %s", got, want)
	}
	if s.NoSkillShell() {
		t.Error("the administrator's word does not count")
	}
	if !slices.ContainsFunc(s.Files, func(f *File) bool { return f.Mode == "plan" }) {
		t.Error("no file has the permission mode")
	}
	if on, by := s.Plugin("a@m"); on || by.Source != Project {
		t.Errorf("plugin a: %v by %v", on, by)
	}
	if on, by := s.Plugin("b@m"); !on || by.Source != User {
		t.Errorf("plugin b: %v by %v", on, by)
	}
	if _, by := s.Plugin("c@m"); by != nil {
		t.Errorf("plugin c: by %v", by)
	}
	if got := s.Plugins(); !slices.Equal(got, []string{"a@m", "b@m"}) {
		t.Errorf("Plugins() = %v", got)
	}
	if len(s.Faults) != 1 || !strings.Contains(s.Faults[0].Error(), "20-broken.json:1: env is not an object") {
		t.Errorf("Faults = %v", s.Faults)
	}
	w.Config = filepath.Join(dir, "elsewhere")
	if got := Read(w).Env(User); len(got) > 0 {
		t.Errorf("with another config folder: %v", got)
	}
	if s := Read(Where{System: w.System}); len(s.Files) != 2 {
		t.Errorf("nowhere: %d files", len(s.Files))
	}
}

// TestRules: a project's allow rules count once the user told Claude Code to trust the folder.
func TestRules(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"home/.claude/settings.json":    "{\"permissions\": {\"allow\": [\n\"Bash(ls:*)\",\n1, \"Read\"]}}",
		"p/.claude/settings.json":       `{"permissions": {"allow": ["Bash(touch:*)"], "ask": ["Edit"], "deny": ["Bash(rm:*)"], "additionalDirectories": ["../x"]}}`,
		"p/.claude/settings.local.json": `{"permissions": {"allow": ["Write"]}}`,
	})
	w := Where{Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "p"), System: filepath.Join(dir, "none")}
	show := func(s *Settings) string {
		var b strings.Builder
		for _, r := range s.Rules() {
			fmt.Fprintf(&b, "%s:%d %s %s %v\n", r.Source, r.Line, r.Kind, r.Text, r.Ignored)
			if !strings.HasPrefix(r.File, dir) {
				t.Errorf("%s is in %s", r.Text, r.File)
			}
		}
		return b.String()
	}
	const want = `user:2 allow Bash(ls:*) false
user:3 allow Read false
project:1 allow Bash(touch:*) true
project:1 ask Edit false
project:1 deny Bash(rm:*) false
local:1 allow Write false
`
	s := Read(w)
	if got := show(s); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if !slices.ContainsFunc(s.Files, func(f *File) bool { return slices.Equal(f.Dirs, []string{"../x"}) }) {
		t.Error("no file has the further folders")
	}
	write(t, dir, map[string]string{"home/.claude.json": `{"projects": {"ROOT/p": {"hasTrustDialogAccepted": true}}}`})
	if got := show(Read(w)); got != strings.Replace(want, "touch:*) true", "touch:*) false", 1) {
		t.Errorf("in a trusted folder: got\n%s", got)
	}
}

// TestParse: which values Claude Code takes, and for which it passes over the file. The ones that
// show in a page are asked of the real program in internal/claudecode/claudepage/testdata/real.json.
func TestParse(t *testing.T) {
	for src, want := range map[string]string{
		"":                                 "",
		" \n":                              "",
		"\ufeff{}":                         "",
		`{"unknown": 1}`:                   "",
		`{"hooks": 1}`:                     "",
		`{"hooks": null}`:                  "",
		`{"hooks": {"Stop": 1}}`:           "",
		`{"enabledPlugins": {"a": ["1"]}}`: "",
		`{"permissions": {"allow": [1]}}`:  "",
		`{"statusLine": {"type": "command", "command": "x"}}`: "",
		`{"env": 1, "env": {}}`:                               "",

		`[]`:                    "f:1: not JSON: it is not an object",
		`{`:                     "f:1: not JSON: unexpected end of file",
		`{"env": null}`:         "f:1: env is not an object",
		`{"env": []}`:           "f:1: env is not an object",
		`{"permissions": null}`: "f:1: permissions is not an object",
		"{\"permissions\":\n{\"allow\":\n\"Bash\"}}": "f:3: permissions.allow is not a list",
		`{"permissions": {"deny": null}}`:            "f:1: permissions.deny is not a list",
		`{"permissions": {"defaultMode": "yolo"}}`: "f:1: permissions.defaultMode is not one of acceptEdits, " +
			"auto, bypassPermissions, default, dontAsk, manual, plan",
		`{"permissions": {"additionalDirectories":[1]}}`: "f:1: permissions.additionalDirectories is not a list of strings",
		`{"enabledPlugins": []}`:                         "f:1: enabledPlugins is not an object",
		`{"enabledPlugins": {"a@b": null}}`:              "f:1: enabledPlugins.a@b is not true or false",
		`{"disableSkillShellExecution": "true"}`:         "f:1: disableSkillShellExecution is not true or false",
		`{"model": 1}`:                                   "f:1: model is not a string",
		`{"cleanupPeriodDays": "x"}`:                     "f:1: cleanupPeriodDays is not a number",
		`{"statusLine": null}`:                           "f:1: statusLine is not a status line with a command",
		`{"statusLine": {"type": "command"}}`:            "f:1: statusLine is not a status line with a command",
	} {
		if want != "" && !strings.Contains(want, "JSON") {
			want += ", so Claude Code ignores the whole file"
		}
		_, err := Parse("f", []byte(src))
		if got := fmt.Sprint(err); err == nil && want != "" || err != nil && got != want {
			t.Errorf("Parse(%s): %v, want %s", src, err, want)
		}
	}
	_, err := Parse("f", []byte("{\"env\": 1,\n\"permissions\": 2}"))
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two faults: %v", err)
	}
}

func TestEnvValues(t *testing.T) {
	for in, want := range map[string]string{
		`"a b"`: "a b", `5`: "5", `1.50`: "1.5", `-0`: "0", `1e21`: "1e+21", `1e20`: "100000000000000000000", `0.0000001`: "1e-7", `0.000001`: "0.000001",
		`12345678901234567890`: "12345678901234567000", `true`: "true", `null`: "null", `[1,[2,null],"x"]`: "1,2,,x", `{"a":1}`: "[object Object]", `"é\u00e9"`: "éé",
	} {
		f, err := Parse("f", []byte(`{"env": {"A": `+in+`}}`))
		if err != nil || f.Env["A"] != want {
			t.Errorf("%s became %q, %v, want %q", in, f.Env["A"], err, want)
		}
	}
}

func TestHooks(t *testing.T) {
	f, err := Parse("f", []byte(`{"hooks": {"Stop": [], "PreToolUse": [{"matcher": "Skill", "hooks": [
		{"type": "command", "command": "x", "args": ["y"]}, {"type": "command"}, {"type": "prompt", "prompt": "z"}]}], "Bad": 1}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(f.Hooks), "[{PreToolUse Skill x [y]}]"; got != want {
		t.Errorf("Hooks = %s, want %s", got, want)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"home/.claude/settings.json": `{"model": "a"}`,
		"p/.claude/settings.json":    "{\n\"model\": \"b\"}",
	})
	w := Where{Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "p"), System: filepath.Join(dir, "none")}
	s := Read(w)
	if f := s.Find("model"); f == nil || f.Source != Project || f.File != w.File(Project) || string(f.Value) != `"b"` || f.Line != 2 {
		t.Errorf("Find(model) = %v", f)
	}
	if f := s.Find("other"); f != nil {
		t.Errorf("Find(other) = %v", f)
	}
}

// TestUnreadable: a file that cannot be read is a fault; a folder that is a file has no settings.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"p/.claude": "no folder", "home/.claude/settings.json/x": ""})
	s := Read(Where{Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "p"), System: filepath.Join(dir, "none")})
	if len(s.Faults) != 1 || !strings.HasPrefix(s.Faults[0].Error(), filepath.Join(dir, "home/.claude/settings.json")+": ") {
		t.Errorf("Faults = %v", errors.Join(s.Faults...))
	}
}

// TestPaths: what has no place has no files, and none is listed twice.
func TestPaths(t *testing.T) {
	for _, tt := range []struct {
		where Where
		want  string
	}{
		{Where{System: "/s"}, "/s/managed-settings.json"},
		{Where{Home: "/h", System: "/s"}, "/h/.claude/settings.json /s/managed-settings.json"},
		{
			Where{Home: "/h", Config: "/c", Dir: "/p", System: "/s"},
			"/c/settings.json /p/.claude/settings.json /p/.claude/settings.local.json /s/managed-settings.json",
		},
	} {
		var got []string
		for _, p := range tt.where.Paths() {
			got = append(got, filepath.ToSlash(p.Name))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.where, got, tt.want)
		}
	}
}
