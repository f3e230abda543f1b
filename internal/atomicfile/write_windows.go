package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFrom gives a file the content that fill writes, all of it or none. A file that is there keeps
// its permissions, a new one gets perm.
func WriteFrom(file string, fill func(io.Writer) error, perm fs.FileMode) error {
	if info, err := os.Stat(file); err == nil {
		perm = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-")
	if err != nil {
		return named(file, err)
	}
	defer os.Remove(f.Name()) // by then it has its new name, or is to go
	err = filled(f, file, fill)
	if closed := errors.Join(f.Sync(), f.Close()); err == nil {
		err = named(file, closed)
	}
	if err == nil {
		err = named(file, os.Chmod(f.Name(), perm))
	}
	if err == nil {
		err = named(file, os.Rename(f.Name(), file))
	}
	return err
}
