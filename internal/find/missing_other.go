//go:build !unix

package find

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

// absent reports whether nothing is at a path, not even a link that leads nowhere.
func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// isLink reports whether a link, or anything else that is neither a file nor a folder, is at a path.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
