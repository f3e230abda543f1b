package skill

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes files and returns their folder. A file "a -> b" is a link.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		name, target, link := strings.Cut(name, " -> ")
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if link {
			err = os.Symlink(target, file)
		} else {
			err = os.WriteFile(file, []byte(name), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFind(t *testing.T) {
	dir := tree(t,
		"repo/.git/HEAD",
		"repo/.claude/skills/a/SKILL.md", "repo/.agents/skills/a/SKILL.md", "repo/.agents/skills/b/SKILL.md",
		"repo/sub/.agents/skills/a/SKILL.md", "repo/sub/deep/file",
		".claude/skills/above/SKILL.md",
		"home/.claude/skills/a/SKILL.md", "home/.claude/skills/u/SKILL.md", "home/.agents/skills/u/SKILL.md", "home/.agents/skills/v/SKILL.md",
		"plug/.claude-plugin/plugin.json", "plug/skills/a/SKILL.md",
		"order/.claude/skills/all/SKILL.md", "order/.claude/skills/all/first-use.md", "order/.claude/skills/all-first-use/SKILL.md",
		"order/.claude/skills/two/SKILL.md", "order/.claude/skills/two/first-use.md",
		"order/.claude/skills/only-first-use/SKILL.md",
		"order/.claude/skills/linked -> ../../../repo/.claude/skills/a",
		"order/.claude/skills/bad/SKILL.md -> ../../../../home/.claude/skills/u/SKILL.md",
		"order/.claude/skills/near/real.md", "order/.claude/skills/near/SKILL.md -> real.md",
		"order/.claude/skills/dots.in_name-1/SKILL.md",
		"loose/b/SKILL.md",
	)
	if err := os.WriteFile(filepath.Join(dir, "plug/.claude-plugin/plugin.json"), []byte(`{"name": "plugin"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ at, plugin, name, want string }{
		{"repo", "", "a", "repo/.claude/skills/a/SKILL.md"},
		{"repo", "", "b", "repo/.agents/skills/b/SKILL.md"},
		{"repo/sub/deep", "", "a", "repo/sub/.agents/skills/a/SKILL.md"},
		{"repo/sub", "", "b", "repo/.agents/skills/b/SKILL.md"},
		{"repo", "", "u", "home/.claude/skills/u/SKILL.md"},
		{"repo", "", "v", "home/.agents/skills/v/SKILL.md"},
		{"repo", "plug", "a", "plug/skills/a/SKILL.md"},
		{"repo", "plug", "plugin:a", "plug/skills/a/SKILL.md"},
		{"repo", "plug", "u", "home/.claude/skills/u/SKILL.md"},
		{"repo", "", "./.agents/skills/b", "repo/.agents/skills/b/SKILL.md"},
		{"repo/.agents/skills/b", "", ".", "repo/.agents/skills/b/SKILL.md"},
		{"repo", "", ".agents/skills/b/SKILL.md", "repo/.agents/skills/b/SKILL.md"},
		{"repo", "", "../home/.claude/skills/u", "home/.claude/skills/u/SKILL.md"},
		{"order", "", "all", "order/.claude/skills/all-first-use/SKILL.md"},
		{"order", "", "all-first-use", "order/.claude/skills/all-first-use/SKILL.md"},
		{"order", "", "./.claude/skills/all", "order/.claude/skills/all-first-use/SKILL.md"},
		{"order", "", "two", "order/.claude/skills/two/first-use.md"},
		{"order", "", "only", "order/.claude/skills/only-first-use/SKILL.md"},
		{"order", "", "linked", "order/.claude/skills/linked/SKILL.md"},
		{"order", "", "near", "order/.claude/skills/near/SKILL.md"},
		{"order", "", "dots.in_name-1", "order/.claude/skills/dots.in_name-1/SKILL.md"},
	} {
		f := Finder{Dir: filepath.Join(dir, tt.at), Home: filepath.Join(dir, "home")}
		if tt.plugin != "" {
			f.PluginRoot = filepath.Join(dir, tt.plugin)
		}
		loc, err := f.Find(tt.name)
		if err != nil || loc.File != filepath.Join(dir, tt.want) {
			t.Errorf("%s in %s: %s, %v; want %s", tt.name, tt.at, loc.File, err, tt.want)
		}
	}
	for _, tt := range []struct{ at, plugin, name, want string }{
		{"repo", "", "above", "no such skill"},
		{"repo", "", "aa", "did you mean a"},
		{"loose", "", "b", "b: no such skill: did you mean ./b or a"},
		{"repo", "plug", "plugin:b", "plugin:b: no such skill"},
		{"repo", "plug", "other:a", "is called plugin"},
		{"repo", "", "plugin:a", "no plugin is named"},
		{"order", "", "bad", "outside its skill's folder"},
		{"order", "", "./.claude/skills/bad", "outside its skill's folder"},
		{"order", "", "..", `no ".."`},
		{"order", "", "a\x00b", `has '\x00'`},
		{"order", "", "ünïcode", `has 'ü'`},
		{"order", "", "./.claude", "no SKILL.md here"},
	} {
		f := Finder{Dir: filepath.Join(dir, tt.at), Home: filepath.Join(dir, "home")}
		if tt.plugin != "" {
			f.PluginRoot = filepath.Join(dir, tt.plugin)
		}
		if loc, err := f.Find(tt.name); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s in %s: %s, %v; want an error with %q", tt.name, tt.at, loc.File, err, tt.want)
		}
	}
	_, err := Finder{Dir: dir}.Find("nowhere")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing skill is %v, want a kind of fs.ErrNotExist", err)
	}
}

func TestClosest(t *testing.T) {
	names := []string{"status", "statusline", "review", "retro", "run"}
	for _, tt := range []struct{ name, want string }{
		{"statsu", "status"},
		{"stat", "status statusline"},
		{"Review", "review"},
		{"reveiw", "review"},
		{"rnu", "run"},
		{"xyzzy", ""},
	} {
		if got := strings.Join(closest(tt.name, names), " "); got != tt.want {
			t.Errorf("closest(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}
