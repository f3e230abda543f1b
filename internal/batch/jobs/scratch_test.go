package jobs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A trial that ends takes the folder of its worker away, but not from under one that begins.
func TestScratch(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "worker")
	var r Runner
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 300 {
				_, end, err := r.scratch(parent)
				if err != nil {
					t.Error(err)
					return
				}
				end()
			}
		})
	}
	all.Wait()
	if _, err := os.Stat(parent); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
}
