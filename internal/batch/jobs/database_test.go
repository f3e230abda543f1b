package jobs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/skillhand/skillhand/internal/batch"
)

// TestLater checks that a page gets the current database, and creates none.
func TestLater(t *testing.T) {
	file := filepath.Join(t.TempDir(), "batch.db")
	b := &Later{Options: batch.Options{Database: file}}
	t.Cleanup(b.Close)
	for _, name := range []string{"first", "second"} {
		if db, err := b.Open(t.Context()); db != nil || err != nil {
			t.Fatalf("before the %s: %v, %v", name, db, err)
		}
		made, err := batch.Open(t.Context(), batch.Options{Database: file})
		if err == nil {
			_, err = made.Add(t.Context(), batch.Name{Name: name}, []batch.Job{{ID: "one", Payload: []byte("{}")}}, batch.Limits{})
		}
		if err != nil {
			t.Fatal(err)
		}
		made.Close()
		for range 2 {
			db, err := b.Open(t.Context())
			if err != nil || db == nil {
				t.Fatalf("the %s: %v, %v", name, db, err)
			}
			if all, err := db.List(t.Context()); err != nil || len(all) != 1 || all[0].Name != name {
				t.Errorf("the %s: %+v, %v", name, all, err)
			}
		}
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(file + suffix); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
}
