//go:build !windows

package atomicfile

import (
	"io/fs"

	"github.com/google/renameio/v2"
)

// Write gives a file new content, all of it or none. A file that is there keeps
// its permissions, a new one gets perm, less the umask.
func Write(file string, data []byte, perm fs.FileMode) error {
	return named(file, renameio.WriteFile(file, data, perm, renameio.WithExistingPermissions()))
}
