//go:build !windows

package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// WriteFrom gives a file the content that fill writes: all of it or nothing. An existing file keeps
// its permissions and, if possible, its owner. A new file gets perm, less the umask. WriteFrom does
// not replace a file that may not be written.
func WriteFrom(file string, fill func(io.Writer) error, perm fs.FileMode) error {
	if err := unix.Access(file, unix.W_OK); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return named(file, err)
	}
	f, err := renameio.NewPendingFile(file, renameio.WithPermissions(perm), renameio.WithExistingPermissions())
	if err != nil {
		return named(file, err)
	}
	defer f.Cleanup()
	if info, err := os.Stat(file); err == nil {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			// Only root may give files away. For others the file becomes their own.
			_ = f.Chown(int(owner.Uid), int(owner.Gid))
		}
	}
	if err := filled(f, file, fill); err != nil {
		return err
	}
	return named(file, f.CloseAtomicallyReplace())
}
