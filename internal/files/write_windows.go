package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// WriteFrom gives a file the content that fill writes: all of it or nothing. An existing file keeps
// its permissions; a new file gets perm.
func WriteFrom(file string, fill func(io.Writer) error, perm fs.FileMode) error {
	if info, err := os.Stat(file); err == nil {
		perm = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-")
	if err != nil {
		return named(file, err)
	}
	defer os.Remove(f.Name()) // after a success it has its new name
	err = filled(f, file, fill)
	if closed := errors.Join(f.Sync(), f.Close()); err == nil {
		err = named(file, closed)
	}
	if err == nil {
		err = named(file, os.Chmod(f.Name(), perm))
	}
	if err == nil {
		err = named(file, rename(f.Name(), file))
	}
	return err
}

// patience limits the wait for others that have the file open: our own readers and writers take a
// moment, a virus scanner longer.
const patience = 5 * time.Second

// rename replaces a file. While another program has it open, Windows refuses, so rename tries again.
func rename(from, to string) error {
	for limit, wait := time.Now().Add(patience), time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		err := os.Rename(from, to)
		if info, serr := os.Stat(to); serr == nil && info.IsDir() {
			return err // waiting does not help
		}
		if err == nil || !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) ||
			time.Now().After(limit) {
			return err
		}
		time.Sleep(wait)
	}
}
