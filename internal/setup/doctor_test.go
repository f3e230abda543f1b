package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/here"
)

// TestRun: a new machine has nothing wrong, a missing home is reported, and the rest is looked
// at all the same.
func TestDiagnose(t *testing.T) {
	dir := t.TempDir()
	env := []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "SKILLHAND_CLAUDE=no-such-claude"}
	doc := Diagnose(t.Context(), DiagnoseRequest{Dir: dir, Env: env})
	if !doc.OK || doc.Worst() != Note {
		t.Errorf("a new machine: %+v", doc)
	}
	for _, name := range []string{"platform", "state", "bash", "path", "claude", "hooks", "trust", "skills"} {
		if findingOf(doc, name).Text == "" {
			t.Errorf("nothing is said of %s", name)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	doc = Diagnose(t.Context(), DiagnoseRequest{Dir: dir, Env: env[1:]})
	if doc.OK || doc.Worst() != Missing || findingOf(doc, "state").Status != Missing || findingOf(doc, "skills").Text == "" {
		t.Errorf("without a home: %+v", doc)
	}
	doc = Diagnose(t.Context(), DiagnoseRequest{Dir: filepath.Join(dir, "gone"), Env: env})
	if doc.OK || !strings.Contains(findingOf(doc, "state").Text, "gone: no such file or directory") {
		t.Errorf("in no folder: %+v", doc)
	}
}

func findingOf(doc Diagnosis, name string) Finding {
	for _, f := range doc.Checks {
		if f.Name == name {
			return f
		}
	}
	return Finding{}
}

func TestWorst(t *testing.T) {
	for _, tt := range []struct {
		all  []Status
		want Status
	}{
		{nil, OK},
		{[]Status{OK, Note}, Note},
		{[]Status{Wrong, Note, OK}, Wrong},
		{[]Status{Wrong, Missing, Note}, Missing},
	} {
		var doc Diagnosis
		for _, s := range tt.all {
			doc.Checks = append(doc.Checks, Finding{Status: s})
		}
		if got := doc.Worst(); got != tt.want {
			t.Errorf("the worst of %v is %s, want %s", tt.all, got, tt.want)
		}
	}
}

// TestAgents: who starts skillhand mcp, and whether that can work.
func TestAgents(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	there := filepath.Join(dir, "skillhand")
	if err := os.Symlink(self, there); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		entry  string
		status Status
		text   string
	}{
		{`{"command": "` + there + `", "args": ["mcp"]}`, OK, "claude starts skillhand mcp, by "},
		{`{"command": "skillhand", "args": ["mcp"]}`, OK, "claude starts skillhand mcp, by "},
		{`{"command": "` + there + `-gone", "args": ["mcp"]}`, Wrong, "which is not there"},
		{`{"command": "` + there + `", "args": ["page"]}`, Note, "claude starts something else as skillhand"},
		{`{"command": "other", "args": ["mcp"]}`, Note, "claude starts something else as skillhand: other"},
		{`{"command": `, Note, "whether claude starts skillhand mcp is not known"},
	} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte(`{"mcpServers": {"skillhand": `+tt.entry+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		all := mcpAgents(here.Here{Home: home, Project: t.TempDir()})
		if len(all) != 1 || all[0].Status != tt.status || !strings.Contains(all[0].Text, tt.text) {
			t.Errorf("%s: %+v, want %s, %s", tt.entry, all, tt.status, tt.text)
		}
	}
}

func TestBuild(t *testing.T) {
	for _, tt := range []struct{ version, commit, want string }{
		{"", "", "unknown"},
		{"v1", "", "v1"},
		{"v1", "0123456789ab", "v1 0123456789ab"},
		{"v1", "0123456789abcdef", "v1 0123456789ab"},
	} {
		if got := build(tt.version, tt.commit); got != tt.want {
			t.Errorf("build(%q, %q) = %q, want %q", tt.version, tt.commit, got, tt.want)
		}
	}
}

func TestPlatform(t *testing.T) {
	for system, want := range map[string]Status{"linux": OK, "darwin": Note, "windows": OK} {
		if f := platform(system); f.Status != want || !strings.HasPrefix(f.Text, system+"/"+runtime.GOARCH) {
			t.Errorf("%s: %+v", system, f)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		order int
		ok    bool
	}{
		{"2.1.325", "2.1.325", 0, true},
		{"2.1.9", "2.1.325", -1, true},
		{"2.2.0", "2.1.325", 1, true},
		{"10.0.0", "9.9.9", 1, true},
		{"hello", "2.1.325", 0, false},
		{"2.1", "2.1.325", 0, false},
	} {
		if order, ok := compareVersions(tt.a, tt.b); order != tt.order || ok != tt.ok {
			t.Errorf("compareVersions(%s, %s) = %d, %v, want %d, %v", tt.a, tt.b, order, ok, tt.order, tt.ok)
		}
	}
}

func TestCallsHook(t *testing.T) {
	for _, tt := range []struct {
		hook settings.Hook
		want bool
	}{
		{settings.Hook{Command: "skillhand hook"}, true},
		{settings.Hook{Command: `"/opt/my bin/skillhand" hook`}, true},
		{settings.Hook{Command: "/usr/bin/skillhand", Args: []string{"hook"}}, true},
		{settings.Hook{Command: "command -v skillhand >/dev/null && skillhand hook || true"}, true},
		{settings.Hook{Command: "skillhand status"}, false},
		{settings.Hook{Command: "myskillhand hook"}, false},
		{settings.Hook{}, false},
	} {
		if got := tt.hook.Calls("skillhand", "hook"); got != tt.want {
			t.Errorf("callsHook(%+v) = %v", tt.hook, got)
		}
	}
}

// TestChecked: doctor counts the errors that skillhand check would report, by the same configuration.
func TestChecked(t *testing.T) {
	for _, tt := range []struct{ name, config, want string }{
		{"no configuration", "", "check finds 1 error"},
		{"the rule is off", "check:\n  rules: {SK201: off}\n", ""},
		{"the file is excluded", "check:\n  exclude: [\".claude/skills/s\"]\n", ""},
		{"another rule is off", "check:\n  rules: {SK308: off}\n", "check finds 1 error"},
		{"a configuration with a fault", "check:\n  rules: {SK999: off}\n", ".skillhand.yaml:2: unknown rule SK999: did you mean SK109 or SK209 or SK309?"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, ".claude", "skills", "s", "SKILL.md")
		text := "---\nname: s\ndescription: Says hello. Use when greeted.\n---\nSee [the guide](guide.md).\n"
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777),
			os.Mkdir(filepath.Join(dir, ".git"), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
		if tt.config != "" {
			if err := os.WriteFile(filepath.Join(dir, check.ConfigName), []byte(tt.config), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		h, err := here.From(dir, []string{"HOME=" + t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range checked(t.Context(), h) {
			got += f.Text
		}
		if !strings.HasSuffix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestCheckedCounts: the errors are those that skillhand check finds here, in what nobody can load by name too.
func TestCheckedCounts(t *testing.T) {
	dir := t.TempDir()
	const head = "---\ndescription: Says hello. Use when greeted.\n---\n"
	for name, text := range map[string]string{
		".git/HEAD":                       "",
		".claude/skills/good/SKILL.md":    head + "Hello.\n",
		".claude/skills/lower/skill.md":   head + "Hello.\n",
		".claude-plugin/marketplace.json": "{",
		".agents/skills/wrong/SKILL.md":   head + "See [the guide](guide.md).\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	h, err := here.From(dir, []string{"HOME=" + t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	c, err := check.At(h, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := checked(t.Context(), h)
	want := fmt.Sprintf("check finds %d errors", res.Count(check.Error))
	if len(got) != 1 || got[0].Text != want || got[0].Fix != "skillhand check" || res.Count(check.Error) < 3 {
		t.Errorf("%+v, want %s", got, want)
	}
}
