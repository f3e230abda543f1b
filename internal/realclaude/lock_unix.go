//go:build unix

package realclaude

import (
	"errors"
	"os"
	"syscall"
)

// lock waits until no other process holds the file. A lock dies with its process, and the
// file stays: removing it would let two processes lock two files of the same name.
func lock(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, &os.PathError{Op: "lock", Path: file, Err: err}
	}
	return func() { f.Close() }, nil
}
