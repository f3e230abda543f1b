package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// named has an error name the file that was to be written, and not the temporary one beside it.
func named(file string, err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: file, Err: err}
}
