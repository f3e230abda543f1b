// Package cause answers one question: what is wrong with a file, apart from its
// name?
package cause

import (
	"errors"
	"io/fs"
	"os"
)

// Of is what the error of a file is about, for messages that name the file
// themselves: the path in it may be long, or that of a temporary file.
func Of(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
