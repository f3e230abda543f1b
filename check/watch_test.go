package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/skillhand/skillhand/internal/here"
)

// TestWatch: a change is looked at, and a result is said again only if a file that is checked changed, or the result did.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const skill = "---\nname: x\ndescription: Shows x. Use when x is asked for.\n---\n[y](y.md)\n"
	write(".git/HEAD", "")
	write(".claude/skills/x/SKILL.md", skill)
	h, err := here.From(dir, []string{"HOME=" + t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var w Watch
	for _, tt := range []struct {
		name    string
		do      func()
		changed bool
		news    bool
	}{
		{"first", func() {}, true, true},
		{"nothing", func() {}, false, false},
		{"another file", func() { write("notes.txt", "nobody reads it") }, true, false},
		{"a file that a link leads to", func() { write(".claude/skills/x/y.md", "y") }, true, true},
		{"the skill, without consequence", func() { write(".claude/skills/x/SKILL.md", skill+"More.\n") }, true, true},
		{"the configuration, without consequence", func() { write(ConfigName, "check: {}\n") }, true, true},
	} {
		tt.do()
		c, err := At(h, nil)
		if err != nil {
			t.Fatal(err)
		}
		files, err := c.Files()
		if err != nil {
			t.Fatal(err)
		}
		if isNew := w.IsNew(); isNew != (tt.name == "first") {
			t.Errorf("%s: new is %v", tt.name, isNew)
		}
		changed := w.Changed(c, files)
		if changed != tt.changed || changed && w.IsNews(Run(t.Context(), files, c.Options)) != tt.news {
			t.Errorf("%s: changed is %v, want %v, and that it is news %v", tt.name, changed, tt.changed, tt.news)
		}
	}
}
