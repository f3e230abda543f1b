//go:build unix

package term

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// IsNowhere reports whether stdout may have been closed before we began. Go then opens the null
// device in its place, for reading too. No shell redirection does that, but some programs that
// start others do: Python's DEVNULL, Node's 'ignore'.
func IsNowhere(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return true
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(info, null) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
