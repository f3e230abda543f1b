package verdict

import (
	"time"

	"golang.org/x/sys/unix"
)

// fileTimes returns the times of the file at path. It does not follow a link.
func fileTimes(path string) (times, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return times{}, err
	}
	return times{made: time.Unix(st.Btim.Unix()), modified: time.Unix(st.Mtim.Unix()), changed: time.Unix(st.Ctim.Unix())}, nil
}
