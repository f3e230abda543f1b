package atomicfile

import (
	"io/fs"

	"github.com/skillhand/skillhand/internal/cause"
)

// named has an error name the file that was to be written, and not the temporary one beside it.
func named(file string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "write", Path: file, Err: cause.Of(err)}
}
