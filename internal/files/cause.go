package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Cause returns the error of a file without its path, for messages that name the file themselves:
// the path may be long, or that of a temporary file.
func Cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// NameCause returns an error of the form FILE: CAUSE, without the call that failed.
func NameCause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	return err
}
