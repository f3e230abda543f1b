package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSweep: old files go, whatever else is there stays.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{"new", "old"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "folder"), 0o700),
		os.Chtimes(filepath.Join(dir, "old"), old, old), os.Chtimes(filepath.Join(dir, "folder"), old, old)); err != nil {
		t.Fatal(err)
	}
	Sweep(dir, time.Hour)
	Sweep(filepath.Join(dir, "none"), 0)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || entries[0].Name() != "folder" || entries[1].Name() != "new" {
		t.Errorf("left are %v, %v", entries, err)
	}
}
