package skill

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
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

// findTree makes folders with skills in every place where they are looked for.
func TestFront(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"---\ndescription: >\n  Greets\n  people.\n---\n# Title\n", "Greets people."},
		{"---\nname: x\n---\n\n## A title\ntext", "A title"},
		{"\n\nFirst line\n", "First line"},
		{"", ""},
		{"---\ndescription: a: b\n---\nText", "Text"},
	} {
		dir := tree(t)
		loc := Location{Name: "x", File: filepath.Join(dir, "SKILL.md"), Folder: dir}
		if err := os.WriteFile(loc.File, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, summary, err := loc.Front(); err != nil || summary != tt.want {
			t.Errorf("%q: %q, %v, want %q", tt.text, summary, err, tt.want)
		}
	}
}

// TestFlippingLink reads through a link that changes all the time. What was
// read must be what Real names, or be refused: a project must not have its text
// taken for that of the user's own skill.
func TestFlippingLink(t *testing.T) {
	dir := tree(t, "own/SKILL.md", "other/SKILL.md", "skills/x -> ../own")
	link := filepath.Join(dir, "skills", "x")
	stop := make(chan struct{})
	var flipping sync.WaitGroup
	defer flipping.Wait()
	defer close(stop)
	flipping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			next := filepath.Join(dir, "next")
			os.Symlink(filepath.Join("..", []string{"own", "other"}[i%2]), next)
			os.Rename(next, link)
		}
	})
	loc := Location{Name: "x", File: filepath.Join(link, "SKILL.md"), Folder: link}
	read, texts := 0, map[string]int{}
	for range 500 {
		s, err := Read(loc)
		if err != nil {
			continue
		}
		read++
		text := s.Parts[0].Source // tree writes a file's name into it
		texts[text]++
		if s.Real != filepath.Join(dir, filepath.FromSlash(text)) || s.Dir != filepath.Dir(s.Real) {
			t.Fatalf("the text of %s passes for that of %s in %s", text, s.Real, s.Dir)
		}
	}
	if read == 0 || len(texts) != 2 {
		t.Logf("%d reads, %v: the link was not seen to flip", read, texts)
	}
}

// TestSpecialFiles shows that a pipe in a file's place is refused, not waited for.
func TestSpecialFiles(t *testing.T) {
	dir := tree(t)
	pipe := filepath.Join(dir, "SKILL.md")
	if err := mkfifo(pipe); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	for _, file := range []string{pipe, os.DevNull, dir} {
		if _, err := Read(Location{Name: "x", File: file, Folder: filepath.Dir(file)}); err == nil {
			t.Errorf("%s was read", file)
		}
	}
}
