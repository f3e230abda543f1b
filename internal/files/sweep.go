package files

import (
	"os"
	"path/filepath"
	"time"
)

// Sweep removes the files of a folder that nobody has written to for long. What cannot
// be removed stays, and so do folders.
func Sweep(dir string, age time.Duration) {
	entries, _ := os.ReadDir(dir) // a folder that is not there has none
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > age {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
