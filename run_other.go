//go:build !unix

package skillhand

import (
	"os"
	"time"
)

// fileTimes returns when a file's content and when anything about it changed. It follows no link.
func fileTimes(path string) (modified, changed time.Time, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}, time.Time{}, err
	}
	return info.ModTime(), info.ModTime(), nil
}
