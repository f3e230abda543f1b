package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write gives a file new content, all of it or none. A file that is there keeps
// its permissions, a new one gets perm.
func Write(file string, data []byte, perm fs.FileMode) error {
	if info, err := os.Stat(file); err == nil {
		perm = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-")
	if err != nil {
		return named(file, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Chmod(f.Name(), perm)
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return named(file, err)
}
