//go:build unix

package skillhand

import (
	"time"

	"golang.org/x/sys/unix"
)

// fileTimes returns when a file's content and when anything about it changed. It follows no link.
func fileTimes(path string) (modified, changed time.Time, err error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return time.Time{}, time.Time{}, err
	}
	return time.Unix(st.Mtim.Unix()), time.Unix(st.Ctim.Unix()), nil
}
