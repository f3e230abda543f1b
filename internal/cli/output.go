package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckOutput says why nothing can be written to a file, before the work whose results it is for.
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
		return Usagef("%s: %v", dir, wrong.Err) // no input is missing
	}
	if err == nil && !info.IsDir() {
		return Usagef("%s: is not a folder", dir)
	}
	return err
}
