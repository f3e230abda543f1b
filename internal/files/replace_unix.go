//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// mayReplace reports why a file must not be replaced: the new file would be ours, and hard links to
// the old one would keep the old text.
func mayReplace(info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
	case st.Nlink > 1:
		return errors.New("it has other names (hard links), which would keep the old text: nothing was changed")
	case os.Geteuid() != 0 && int(st.Uid) != os.Geteuid():
		return errors.New("it belongs to another user: nothing was changed")
	}
	return nil
}

func keepOwner(file string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil // it was ours before
	}
	if err := os.Lchown(file, int(st.Uid), int(st.Gid)); err != nil {
		return err
	}
	return os.Chmod(file, info.Mode())
}
