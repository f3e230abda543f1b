package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/files"
)

func write(t *testing.T, file, text string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
	return file
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReplace: only content that is still there is replaced, and only below the link's own folder.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	own := write(t, filepath.Join(dir, "skill", "own.md"), "old")
	out := write(t, filepath.Join(dir, "out.md"), "old")
	inside, outside := filepath.Join(dir, "skill", "in"), filepath.Join(dir, "skill", "out")
	if err := errors.Join(os.Symlink("own.md", inside), os.Symlink("../out.md", outside)); err != nil {
		t.Fatal(err)
	}
	if err := files.Replace(own, []byte("other"), []byte("new")); !errors.Is(err, files.ErrChanged) || content(t, own) != "old" {
		t.Errorf("changed content: %v, %q", err, content(t, own))
	}
	if err := files.Replace(outside, []byte("old"), []byte("new")); err == nil ||
		!strings.Contains(err.Error(), "outside its folder") || content(t, out) != "old" {
		t.Errorf("a link that leads out: %v, %q", err, content(t, out))
	}
	if err := files.Replace(inside, []byte("old"), []byte("new")); err != nil || content(t, own) != "new" {
		t.Errorf("a link that stays inside: %v, %q", err, content(t, own))
	}
	if info, err := os.Lstat(inside); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link itself was replaced: %v", err)
	}
}

// TestMakeExecutable: whoever may read a file may run it, and nobody else.
func TestMakeExecutable(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "run.sh"), "")
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := files.MakeExecutable(file); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
}

// TestWrite: a copy is kept of what is replaced or removed, and a new file takes no existing one's place.
func TestWrite(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "a.sh"), "old")
	for _, want := range []string{".bak-today", ".bak-today-2"} {
		backup, err := files.WriteEdit(file, &files.Edit{Before: []byte("old"), After: []byte("new")}, "today")
		if err != nil || backup != file+want || content(t, backup) != "old" || content(t, file) != "new" {
			t.Errorf("Write: %s, %v", backup, err)
		}
		write(t, file, "old")
	}
	if _, err := files.WriteEdit(file, &files.Edit{After: []byte("new")}, ""); err == nil || content(t, file) != "old" {
		t.Errorf("a new file over an old one: %v, %q", err, content(t, file))
	}
	if _, err := files.RemoveEdit(file, &files.Edit{Before: []byte("other")}, ""); !errors.Is(err, files.ErrChanged) ||
		content(t, file) != "old" {
		t.Errorf("Remove of changed content: %v", err)
	}
	if _, err := files.RemoveEdit(file, &files.Edit{Before: []byte("old")}, ""); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
