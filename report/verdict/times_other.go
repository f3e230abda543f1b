//go:build !linux && !darwin

package verdict

import "os"

// fileTimes returns the times of the file at path. It does not follow a link.
func fileTimes(path string) (times, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return times{}, err
	}
	return times{modified: info.ModTime(), changed: info.ModTime()}, nil
}
