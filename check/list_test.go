package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/internal/here"
)

// TestList: the list has every skill that a model sees, in order, with what each takes, and says which lose their description.
func TestList(t *testing.T) {
	root := t.TempDir()
	project, home := filepath.Join(root, "shop"), filepath.Join(root, "home")
	write := func(file, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	described := func(n int) string { return "---\ndescription: " + strings.Repeat("x", n) + "\n---\nText.\n" }
	write(filepath.Join(project, ".git/HEAD"), "")
	for name, n := range map[string]int{"aa": 100, "bb": 300, "cc": 50} {
		write(filepath.Join(project, ".claude/skills", name, "SKILL.md"), described(n))
	}
	write(filepath.Join(project, ".claude/skills/hidden/SKILL.md"), "---\ndescription: x\ndisable-model-invocation: true\n---\nText.\n")
	write(filepath.Join(home, ".claude/skills/dd/SKILL.md"), described(40))
	write(filepath.Join(project, ".claude/settings.json"), `{"disableBundledSkills": true}`)
	list := func(budget int) List {
		t.Helper()
		h, err := here.From(project, []string{"HOME=" + home, fmt.Sprint("SLASH_COMMAND_TOOL_CHAR_BUDGET=", budget)})
		if err != nil {
			t.Fatal(err)
		}
		c, err := At(h, nil)
		if err != nil {
			t.Fatal(err)
		}
		files, err := c.Files()
		if err != nil {
			t.Fatal(err)
		}
		return c.List(files)
	}
	said := func(l List) (all []string) {
		sum := 0
		for _, one := range l.Lines {
			sum += one.Head + one.Text
			if one.Own {
				continue
			}
			if filepath.Base(filepath.Dir(one.File)) != one.Name {
				t.Errorf("%s is in %s", one.Name, one.File)
			}
			all = append(all, fmt.Sprintf("%s %d+%d %v", one.Name, one.Head, one.Text, one.Bare))
		}
		if l.Total != sum && l.Total != sum-1 { // the last line may have no end
			t.Errorf("the total is %d, the lines have %d", l.Total, sum)
		}
		return all
	}
	whole := list(20_000)
	if whole.Budget != 20_000 {
		t.Errorf("the budget is %d", whole.Budget)
	}
	want := []string{"dd 5+42 false", "aa 5+102 false", "bb 5+302 false", "cc 5+52 false"} // the user's first
	if diff := cmp.Diff(want, said(whole)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	plugin := filepath.Join(project, "skills/ee/SKILL.md")
	write(filepath.Join(project, ".claude-plugin/plugin.json"), `{"name": "shop"}`)
	write(plugin, described(30))
	away := 0
	for _, one := range list(20_000).Lines {
		if one.Away {
			away++
		}
		if one.Away != (one.File == plugin) {
			t.Errorf("%s in %q: away is %v", one.Name, one.File, one.Away)
		}
	}
	if away != 1 {
		t.Errorf("%d skills are of a plugin that is not installed", away)
	}
	os.RemoveAll(filepath.Join(project, "skills"))
	os.RemoveAll(filepath.Join(project, ".claude-plugin"))
	tight := list(whole.Total - 150) // one that does not fit loses its own; a later one that does keeps it
	want = []string{"dd 5+42 false", "aa 5+102 false", "bb 5+302 true", "cc 5+52 false"}
	if diff := cmp.Diff(want, said(tight)); diff != "" || tight.Total != whole.Total {
		t.Errorf("with less room, total %d of %d, -want +got:\n%s", tight.Total, whole.Total, diff)
	}
}

// TestListOfPlugin: a command and a skill of one name are one line, which has the name that the manifest gives the plugin.
func TestListOfPlugin(t *testing.T) {
	root := filepath.Join(t.TempDir(), "folder")
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "")
	write(".claude-plugin/plugin.json", `{"name": "zz"}`)
	fill := func(skills int) {
		for i := range skills {
			text := fmt.Sprintf("---\ndescription: %d %s\n---\nText.\n", i, strings.Repeat("x", 270))
			write(fmt.Sprintf("skills/s%d/SKILL.md", i), text)
			write(fmt.Sprintf("commands/s%d.md", i), text)
		}
	}
	told := func() string {
		t.Helper()
		files, err := Finder{Dir: root}.Find(nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, f := range Run(t.Context(), files, Options{}).Findings {
			if f.Rule == "SK504" {
				all = append(all, f.Message)
			}
		}
		return strings.Join(all, "\n")
	}
	fill(60)
	if got := told(); got != "" {
		t.Errorf("60 skills and their commands fit, but: %s", got)
	}
	fill(120)
	if got := told(); !strings.Contains(got, "120 skills") || !strings.Contains(got, "zz:s") {
		t.Errorf("120 do not fit: %q", got)
	}
}
