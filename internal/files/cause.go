package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Cause returns what the error of a file is about, for messages that name the file
// themselves: the path in it may be long, or that of a temporary file.
func Cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// NameCause returns the error of a file that names the file before what is wrong with it, without the call that failed.
func NameCause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	return err
}
