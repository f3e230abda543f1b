package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckOutput returns an error if a file cannot be written. It runs before the work whose results
// go there.
func CheckOutput(file string) error {
	if file == "" {
		return nil
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return Usagef("%s: is a folder", file)
	}
	if info, err := os.Lstat(file); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return Usagef("%s: a pipe, want a file: a stalled reader would stall everything", file)
	}
	dir := filepath.Dir(file)
	info, err := os.Stat(dir)
	if wrong, ok := errors.AsType[*fs.PathError](err); ok {
		return Usagef("%s: %v", dir, wrong.Err) // wrong usage, not a missing input
	}
	if err == nil && !info.IsDir() {
		return Usagef("%s: is not a folder", dir)
	}
	return err
}
