package setup

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDeletable: an archive's own folder goes as a whole, a folder with anything else in it stays; links on PATH go too.
func TestDeletable(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := filepath.Join(root, "skillhand-v1"), filepath.Join(root, "bin")
	for _, d := range []string{"man/man1", "completions", "docs"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	programs := []string{filepath.Join(dir, "skillhand"), filepath.Join(dir, "skillhand-server")}
	link := filepath.Join(bin, "skillhand")
	err = errors.Join(os.WriteFile(programs[0], nil, 0o755), os.WriteFile(programs[1], nil, 0o755), os.Mkdir(bin, 0o777), os.Symlink(programs[0], link))
	if err != nil {
		t.Fatal(err)
	}
	list := bin + string(os.PathListSeparator) + dir + string(os.PathListSeparator) + bin
	links := linksTo(programs, list)
	if diff := cmp.Diff([]string{link}, links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	all := append(programs, links...)
	if diff := cmp.Diff([]string{dir, link}, deletable(all)); diff != "" {
		t.Errorf("an archive's folder (-want +got):\n%s", diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all, deletable(all)); diff != "" {
		t.Errorf("a folder with something else in it (-want +got):\n%s", diff)
	}
}
