package files

import (
	"os"
	"path/filepath"
	"time"
)

// Sweep removes files of a folder that were last written long ago. It leaves folders, and files that
// it cannot remove.
func Sweep(dir string, age time.Duration) {
	entries, _ := os.ReadDir(dir) // a missing folder has no files
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > age {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
