//go:build !unix

package skill

import (
	"errors"
	"io/fs"
	"os"
)

// missing reports whether nothing is at a path.
func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
