package find

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/skill"
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

// findTree makes folders with skills in every place where Find looks.
func findTree(t *testing.T) string {
	t.Helper()
	dir := tree(t,
		"repo/.git/HEAD",
		"repo/.claude/skills/a/SKILL.md", "repo/.agents/skills/a/SKILL.md", "repo/.agents/skills/b/SKILL.md",
		"repo/sub/.agents/skills/a/SKILL.md", "repo/sub/deep/file",
		".claude/skills/above/SKILL.md",
		"home/.claude/skills/a/SKILL.md", "home/.claude/skills/u/SKILL.md", "home/.agents/skills/u/SKILL.md",
		"home/.agents/skills/v/SKILL.md",
		"plug/.claude-plugin/plugin.json", "plug/skills/a/SKILL.md",
		"order/.claude/skills/all/SKILL.md", "order/.claude/skills/all/first-use.md", "order/.claude/skills/all-first-use/SKILL.md",
		"order/.claude/skills/two/SKILL.md", "order/.claude/skills/two/first-use.md", "order/.claude/skills/two/content.md",
		"order/.claude/skills/three/SKILL.md", "order/.claude/skills/three/content.md", "order/.claude/skills/text/content.md",
		"order/.claude/skills/only-first-use/SKILL.md",
		"order/.claude/skills/linked -> ../../../repo/.claude/skills/a",
		"order/.claude/skills/bad/SKILL.md -> ../../../../home/.claude/skills/u/SKILL.md",
		"order/.claude/skills/near/real.md", "order/.claude/skills/near/SKILL.md -> real.md",
		"order/.claude/skills/dots.in_name-1/SKILL.md",
		"loose/b/SKILL.md",
		"repo/.claude/commands/a.md", "repo/.claude/commands/c.md", "repo/.claude/commands/grp/n.md", "repo/.claude/commands/grp/deep/m.md",
		"repo/.claude/commands/as/SKILL.md", "repo/.claude/commands/out.md -> ../../../home/.claude/skills/u/SKILL.md",
		"repo/.claude/commands/grp/near.md -> ../c.md",
		"home/.claude/commands/c.md", "home/.claude/commands/uc.md",
		"plug/commands/pc.md", "plug/commands/sub/pn.md",
		"repo/.github/skills/g/SKILL.md", "repo/.gemini/skills/g/SKILL.md", "repo/.gemini/skills/a/SKILL.md",
		"repo/.opencode/skills/o/SKILL.md",
		"home/.config/agents/skills/x/SKILL.md", "extra/skills/e/SKILL.md", "extra/skills/a/SKILL.md",
	)
	if err := os.WriteFile(filepath.Join(dir, "plug/.claude-plugin/plugin.json"), []byte(`{"name": "plugin"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFind(t *testing.T) {
	dir := findTree(t)
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
		{"order", "", "three", "order/.claude/skills/three/content.md"},
		{"order", "", "text", "order/.claude/skills/text/content.md"},
		{"order", "", "only", "order/.claude/skills/only-first-use/SKILL.md"},
		{"order", "", "linked", "order/.claude/skills/linked/SKILL.md"},
		{"order", "", "near", "order/.claude/skills/near/SKILL.md"},
		{"order", "", "dots.in_name-1", "order/.claude/skills/dots.in_name-1/SKILL.md"},
		{"repo/sub", "", "c", "repo/.claude/commands/c.md"},
		{"repo", "", "grp:n", "repo/.claude/commands/grp/n.md"},
		{"repo", "", "grp:deep:m", "repo/.claude/commands/grp/deep/m.md"},
		{"repo", "", "grp:near", "repo/.claude/commands/grp/near.md"},
		{"repo", "", "as", "repo/.claude/commands/as/SKILL.md"},
		{"repo", "", "uc", "home/.claude/commands/uc.md"},
		{"repo", "", ".claude/commands/c.md", "repo/.claude/commands/c.md"},
		{"repo", "plug", "pc", "plug/commands/pc.md"},
		{"repo", "plug", "plugin:pc", "plug/commands/pc.md"},
		{"repo", "plug", "plugin:sub:pn", "plug/commands/sub/pn.md"},
		{"repo/sub", "", "g", "repo/.github/skills/g/SKILL.md"},
		{"repo", "", "o", "repo/.opencode/skills/o/SKILL.md"},
		{"repo", "", "x", "home/.config/agents/skills/x/SKILL.md"},
		{"repo", "", "e", "extra/skills/e/SKILL.md"},
	} {
		f := Finder{Dir: filepath.Join(dir, tt.at), Home: filepath.Join(dir, "home"), Trusted: everything}
		if tt.name == "e" {
			f.Roots = []string{filepath.Join(dir, "extra/skills")}
		}
		if tt.plugin != "" {
			f.PluginRoot = filepath.Join(dir, tt.plugin)
		}
		loc, err := f.Find(tt.name)
		if err != nil || loc.File != filepath.Join(dir, tt.want) {
			t.Errorf("%s in %s: %s, %v; want %s", tt.name, tt.at, loc.File, err, tt.want)
		}
		if s, err := skill.Read(loc); err != nil || !strings.HasPrefix(s.Real, s.Dir) {
			t.Errorf("%s in %s was read from %+v, %v", tt.name, tt.at, s, err)
		}
	}
}

// everything trusts everything.
func everything(string) bool { return true }

func TestNotFound(t *testing.T) {
	dir := findTree(t)
	for _, tt := range []struct{ at, plugin, name, want string }{
		{"repo", "", "above", "no such skill"},
		{"repo", "", "aa", "did you mean a"},
		{"repo", "plug", "plugin:b", "plugin:b: no such skill"},
		{"repo", "plug", "other:a", "did you mean a"},
		{"repo", "", "plugin:a", "did you mean a"},
		{"order", "", "bad", "outside its skill's folder"},
		{"order", "", "./.claude/skills/bad", "outside its skill's folder"},
		{"order", "", "..", `cannot contain ".."`},
		{"order", "", "a\x00b", `cannot contain '\x00'`},
		{"order", "", "./.claude", "no SKILL.md here"},
		{"repo", "", "out", "outside its skill's folder"},
		{"repo", "", "grp:x", "grp:x: no such skill"},
		{"repo", "", "grp:", "name is empty"},
		{"repo", "", "grp:..", `cannot contain ".."`},
		{"repo", "", "a:b:c:d", "a:b:c:d: no such skill"},
		{
			"order", "", "quite-another",
			"no such skill; available: all, dots.in_name-1, linked, near, only and 9 more\n" +
				"looked in the project, your own skills, plugins",
		},
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

func TestList(t *testing.T) {
	dir := tree(t,
		"repo/.git/HEAD", "repo/.claude/skills/a/SKILL.md", "repo/.claude/skills/loop -> loop", "repo/.claude/skills/up -> ..",
		"repo/.claude/skills/out/SKILL.md -> ../../../../home/.claude/skills/u/SKILL.md", "repo/.claude/skills/notes.txt",
		"repo/.claude/commands/a.md", "repo/.claude/commands/c.md", "repo/.claude/commands/grp/n.md",
		"repo/.claude/commands/grp/back -> ..",
		"repo/.claude/commands/as/SKILL.md", "repo/.claude/commands/x.txt", "repo/.claude/commands/odd name.md",
		"home/.claude/skills/u/SKILL.md", "home/.claude/skills/a/SKILL.md", "home/.agents/skills -> skills",
		"plug/skills/p/SKILL.md", "plug/commands/sub/pn.md", "extra/e/SKILL.md",
	)
	f := Finder{
		Dir:        filepath.Join(dir, "repo"),
		Home:       filepath.Join(dir, "home"),
		PluginRoot: filepath.Join(dir, "plug"),
		Roots:      []string{filepath.Join(dir, "extra")},
		Trusted:    everything,
	}
	all, faults := f.List()
	var got []string
	for _, loc := range all {
		rel, err := filepath.Rel(dir, loc.File)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %t %s", loc.Name, loc.From, filepath.ToSlash(rel),
			loc.Command, loc.Plugin)))
		name := loc.Call
		again, err := f.Find(name)
		if again.File != loc.File || err != nil {
			t.Errorf("%s is listed at %+v, found at %+v, %v", name, loc, again, err)
		}
	}
	want := []string{
		"e root extra/e/SKILL.md false",
		"p plugin plug/skills/p/SKILL.md false plug",
		"a project repo/.claude/skills/a/SKILL.md false",
		"a user home/.claude/skills/a/SKILL.md false",
		"u user home/.claude/skills/u/SKILL.md false",
		"sub:pn plugin plug/commands/sub/pn.md true plug",
		"a project repo/.claude/commands/a.md true",
		"as project repo/.claude/commands/as/SKILL.md true",
		"c project repo/.claude/commands/c.md true",
		"grp:n project repo/.claude/commands/grp/n.md true",
		"odd name project repo/.claude/commands/odd name.md true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text := errors.Join(faults...).Error()
	for _, part := range []string{
		"skills/loop", "skills/out/SKILL.md: links to", "commands/grp/back: a link to a folder that is already listed",
		"home/.agents/skills: ",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("nothing is said of %s:\n%s", part, text)
		}
	}
	if len(faults) != 4 {
		t.Errorf("%d faults, want 4:\n%s", len(faults), text)
	}
}
