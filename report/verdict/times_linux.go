package verdict

import (
	"time"

	"golang.org/x/sys/unix"
)

// fileTimes returns the times of the file at path. It does not follow a link.
func fileTimes(path string) (times, error) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_MTIME|unix.STATX_CTIME|unix.STATX_BTIME, &st)
	if err != nil {
		return times{}, err
	}
	t := times{modified: statxTime(st.Mtime), changed: statxTime(st.Ctime)}
	if st.Mask&unix.STATX_BTIME != 0 {
		t.made = statxTime(st.Btime)
	}
	return t, nil
}

func statxTime(t unix.StatxTimestamp) time.Time { return time.Unix(t.Sec, int64(t.Nsec)) }
