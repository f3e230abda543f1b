package find

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write puts files with their text into a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := tree(t, ".git/HEAD")
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// calls lists the names of everything that f finds, and proves that each name finds it.
func calls(t *testing.T, f Finder) []string {
	t.Helper()
	all, faults := f.List()
	for _, err := range faults {
		t.Errorf("a fault: %v", err)
	}
	var names []string
	for _, loc := range all {
		names = append(names, loc.Call)
		found, err := f.Find(loc.Call)
		if err != nil || found.File != loc.File {
			t.Errorf("%s is listed at %s, found at %s, %v", loc.Call, loc.File, found.File, err)
		}
		if loc.Plugin == "" || loc.Command {
			continue
		}
		if found, err = f.Find(loc.Plugin + ":" + loc.Name); err != nil || found.Name != loc.Name || found.Plugin != loc.Plugin {
			t.Errorf("%s:%s is found at %+v, %v", loc.Plugin, loc.Name, found, err)
		}
	}
	slices.Sort(names)
	return names
}

// TestLayouts: Find finds skills in all places where authors put them in a repository.
func TestLayouts(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files []string
		text  map[string]string
		want  string
	}{
		{"a folder of skills", []string{"skills/a/SKILL.md", "skills/b/SKILL.md", "skills/b/scripts/x.sh"}, nil, "a b"},
		{
			"a marketplace of one folder",
			[]string{"skills/pdf/SKILL.md", "skills/pdf/forms.md", "skills/art/SKILL.md", "template/SKILL.md", "spec/text.md"},
			map[string]string{".claude-plugin/marketplace.json": `{"plugins": [{"name": "docs", "source": "./", "strict": false, "skills": ["./skills/pdf"]}]}`},
			"art pdf template",
		},
		{
			"a plugin", []string{"skills/a/SKILL.md", "commands/c.md", "commands/in/d.md", "more/b/SKILL.md", "single/s/SKILL.md"},
			map[string]string{".claude-plugin/plugin.json": `{"name": "plug", "skills": ["./more", "./single/s", "../outside"]}`},
			"a b c in:d s",
		},
		{
			"many plugins",
			[]string{
				"plugins/one/skills/a/SKILL.md", "plugins/two/skills/a/SKILL.md", "plugins/two/skills/b/SKILL.md",
				"plugins/two/commands/c.md",
				"plugins/three/SKILL.md",
			},
			map[string]string{"plugins/two/.claude-plugin/plugin.json": `{"name": "second"}`, "plugins/one/skills/a/SKILL.md": "another"},
			"a b c second:a three",
		},
		{
			"plugins that only a marketplace knows",
			[]string{"x/deep/one/skills/a/SKILL.md", "x/two/skills/b/SKILL.md", "far/skills/no/SKILL.md"},
			map[string]string{".claude-plugin/marketplace.json": `{"plugins": [{"name": "one", "source": "./x/deep/one"}, {"name": "two", "source": "x/two"},
				{"name": "github", "source": {"source": "github", "repo": "a/b"}}, {"name": "out", "source": "../out"}]}`},
			"a b",
		},
		{
			"plugins at the top",
			[]string{"toolbox/skills/a/SKILL.md", "toolbox/commands/c.md", "other/skills/no/SKILL.md",
				"node_modules/p/skills/no/SKILL.md", ".claude/skills/a/SKILL.md"},
			map[string]string{
				"toolbox/.claude-plugin/plugin.json": `{"name": "tools"}`, "node_modules/.claude-plugin/plugin.json": "{}",
				"deep/in/.claude-plugin/plugin.json": "{}", "deep/in/skills/no/SKILL.md": "no",
			},
			"a c tools:a",
		},
		{"dot folders", []string{"skills/.curated/a/SKILL.md", "skills/.system/b/SKILL.md", "skills/x/y/c/SKILL.md",
			"skills/x/y/z/toodeep/SKILL.md"}, nil, "a b c"},
		{"two of one name", []string{"skills/.curated/a/SKILL.md", "skills/.system/a/SKILL.md"}, nil, "./skills/.system/a a"},
		{
			"agents' folders",
			[]string{
				".claude/skills/a/SKILL.md", ".agents/skills/b/SKILL.md", ".codex/skills/c/SKILL.md", ".cursor/skills/d/SKILL.md",
				".github/skills/e/SKILL.md", ".gemini/skills/f/SKILL.md",
				".opencode/skills/g/SKILL.md", ".qwen/skills/h/SKILL.md", ".pi/skills/i/SKILL.md", ".cline/skills/j/SKILL.md",
				".continue/skills/k/SKILL.md",
			}, nil, "a b c d e f g h i j k",
		},
		{"copies for agents", nil, map[string]string{
			".claude/skills/a/SKILL.md": "same", ".cursor/skills/a/SKILL.md": "same", ".codex/skills/a/SKILL.md": "other",
		}, "./.codex/skills/a a"},
		{
			"names",
			[]string{".claude/skills/日本語/SKILL.md", ".claude/skills/two words/SKILL.md", ".claude/skills/x:y/SKILL.md",
				".claude/skills/c++/SKILL.md"},
			nil, "c++ two words x:y 日本語",
		},
		{"nothing that is other people's", []string{"skills/node_modules/a/SKILL.md", "node_modules/b/SKILL.md/c",
			"src/deep/c/SKILL.md"}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{}
			for _, name := range tt.files {
				files[name] = name
			}
			for name, text := range tt.text {
				files[name] = text
			}
			dir := write(t, files)
			for _, f := range []Finder{{Dir: dir}, {Dir: dir, Trusted: everything}} {
				if got := strings.Join(calls(t, f), " "); got != tt.want {
					t.Errorf("got %s, want %s", got, tt.want)
				}
			}
		})
	}
}

// TestChosen: --root accepts a folder of skills, a repository, a folder of plugins, or a skill's
// own folder.
func TestChosen(t *testing.T) {
	dir := tree(t, "skills/.curated/a/SKILL.md", "skills/b/SKILL.md", "plugins/p/skills/c/SKILL.md", "plugins/p/.claude-plugin/plugin.json")
	for root, want := range map[string]string{"": "a b c", "skills": "a b", "plugins": "c", "skills/b": "b"} {
		f := Finder{Dir: t.TempDir(), Roots: []string{filepath.Join(dir, root)}}
		if got := strings.Join(calls(t, f), " "); got != want {
			t.Errorf("--root %s: %s, want %s", root, got, want)
		}
	}
}

// TestOwnFirst: an untrusted project hides no skill of the user's own.
func TestOwnFirst(t *testing.T) {
	dir := tree(t,
		"repo/.git/HEAD", "repo/.claude/skills/a/SKILL.md", "repo/skills/b/SKILL.md", "repo/.claude/commands/c.md",
		"repo/.claude/skills/d/SKILL.md",
		"repo/.claude/skills/bad/SKILL.md -> ../../../../home/.claude/skills/a/SKILL.md", "repo/.claude/skills/m/SKILL.md",
		"repo/plugins/plug/skills/p/SKILL.md",
		"home/.claude/skills/a/SKILL.md", "home/.codex/skills/b/SKILL.md",
		"home/.claude/commands/c.md", "home/.agents/skills/bad/SKILL.md", "home/.claude/commands/m.md",
		"cache/plug/skills/p/SKILL.md", "cache/plug/skills/d/SKILL.md",
	)
	for _, tt := range []struct {
		name, own, project string
	}{
		{"a", "home/.claude/skills/a/SKILL.md", "repo/.claude/skills/a/SKILL.md"},
		{"b", "home/.codex/skills/b/SKILL.md", "repo/skills/b/SKILL.md"},
		{"c", "home/.claude/commands/c.md", "repo/.claude/commands/c.md"},
		{"m", "home/.claude/commands/m.md", "repo/.claude/skills/m/SKILL.md"},
		{"bad", "home/.agents/skills/bad/SKILL.md", ""},
		{"plug:p", "cache/plug/skills/p/SKILL.md", "repo/plugins/plug/skills/p/SKILL.md"},
		{"d", "repo/.claude/skills/d/SKILL.md", "repo/.claude/skills/d/SKILL.md"}, // a plugin's is called plug:d
	} {
		f := Finder{
			Dir:       filepath.Join(dir, "repo"),
			Home:      filepath.Join(dir, "home"),
			Installed: func(...string) []Plugin { return []Plugin{{Root: filepath.Join(dir, "cache/plug")}} },
		}
		found, err := f.Look(tt.name)
		if err != nil || found.File != filepath.Join(dir, tt.own) {
			t.Errorf("%s, not trusted: %s, %v, want %s", tt.name, found.File, err, tt.own)
		}
		if hides := tt.own != tt.project; hides != (found.Note() != "") || hides && len(found.Others) != 1 {
			t.Errorf("%s: the note is %q, the others are %v", tt.name, found.Note(), found.Others)
		}
		f.Trusted = everything
		if found, err = f.Look(tt.name); tt.project == "" {
			if err == nil {
				t.Errorf("%s, trusted: %s, want an error", tt.name, found.File)
			}
		} else if err != nil || found.File != filepath.Join(dir, tt.project) {
			t.Errorf("%s, trusted: %s, %v, want %s", tt.name, found.File, err, tt.project)
		}
	}
}

// TestPassedOver: List reports everything that cannot be a skill, with the reason.
func TestPassedOver(t *testing.T) {
	dir := tree(t,
		".git/HEAD", ".claude/skills/new\nline/SKILL.md", ".claude/skills/latin\xe9/SKILL.md", ".claude/skills/ lead/SKILL.md",
		".claude/skills/two  blanks/SKILL.md",
		".claude/skills/lower/skill.md", ".claude/skills/mixed/Skill.md",
		".claude/skills/a..b/SKILL.md", ".claude/skills/zero\u200bwidth/SKILL.md", ".claude/skills/lt<x/SKILL.md",
		".claude/skills/fine/SKILL.md", ".claude/skills/no\nskill/text.md",
	)
	all, faults := Finder{Dir: dir}.List()
	if len(all) != 1 || all[0].Call != "fine" {
		t.Errorf("listed: %v", all)
	}
	var got []string
	for _, err := range faults {
		got = append(got, strings.ReplaceAll(err.Error(), filepath.Join(dir, ".claude/skills")+"/", ""))
	}
	slices.Sort(got)
	want := []string{
		`"latin\xe9": not a skill that can be called: a skill's name must be valid UTF-8`,
		`"new\nline": not a skill that can be called: a skill's name cannot contain '\n'`,
		`"zero\u200bwidth": not a skill that can be called: a skill's name cannot contain '\u200b'`,
		`a..b: not a skill that can be called: a skill's name cannot contain ".."; to name a folder, write its path with a /`,
		`lower/skill.md: not a skill: its file must be called SKILL.md, in capitals`,
		`lt<x: not a skill that can be called: a skill's name cannot contain '<'`,
		`mixed/Skill.md: not a skill: its file must be called SKILL.md, in capitals`,
		`two  blanks: not a skill that can be called: a skill's name cannot begin or end with a space, nor have two in a row`,
	}
	if diff := cmp.Diff(want, got[1:]); diff != "" || !strings.HasPrefix(got[0], " lead: ") {
		t.Errorf("%s (-want +got)\n%s", got[0], diff)
	}
}

// TestSaid: two skills of one name have different calls, and list prints these.
func TestSaid(t *testing.T) {
	dir := write(t, map[string]string{
		"plugins/one/skills/a/SKILL.md": "1", "plugins/two/skills/a/SKILL.md": "2", "plugins/three/skills/a/SKILL.md": "3",
		"plugins/three/skills/b/SKILL.md": "b",
	})
	f := Finder{Dir: dir}
	for _, tt := range []struct{ name, note string }{
		{"a", "a is taken to be ./plugins/one/skills/a: three:a, two:a have the same name"},
		{"two:a", ""},
		{"b", ""},
	} {
		found, err := f.Look(tt.name)
		if err != nil || found.Note() != tt.note {
			t.Errorf("%s: %q, %v, want %q", tt.name, found.Note(), err, tt.note)
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "three:a", "two:a"}, calls(t, f)); diff != "" {
		t.Error(diff)
	}
}

// TestPluginAround: the innermost plugin counts, whether a manifest or a marketplace makes it one.
func TestPluginAround(t *testing.T) {
	dir := write(t, map[string]string{
		".claude-plugin/marketplace.json": `{"name": "m", "owner": {"name": "o"}, "plugins": [
			{"name": "listed", "source": "./plugins/listed"}, {"name": "all", "source": "./plugins"}]}`,
		"plugins/own/.claude-plugin/plugin.json":       `{"name": "own"}`,
		"plugins/own/inner/.claude-plugin/plugin.json": `{"name": "inner"}`,
		"plugins/listed/skills/a/SKILL.md":             "a",
	})
	for _, tt := range []struct{ folder, want string }{
		{"plugins/own/skills/a", "plugins/own"}, {"plugins/own", "plugins/own"}, {"plugins/own/inner/skills", "plugins/own/inner"},
		{"plugins/listed/skills/a", "plugins/listed"}, {"plugins/other", "plugins"}, {"docs", ""},
	} {
		want := ""
		if tt.want != "" {
			want = filepath.Join(dir, tt.want)
		}
		if got := PluginAround(filepath.Join(dir, tt.folder)); got != want {
			t.Errorf("PluginAround(%s) = %q, want %q", tt.folder, got, want)
		}
	}
}
