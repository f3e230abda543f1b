//go:build unix

package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/skillhand/skillhand/internal/words"
)

// onlyOurs reports why others than the user can write to a folder. A folder that does not exist yet
// is fine.
func onlyOurs(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("others can write to %s, so its trust records are ignored (chmod go-w %s)", dir, words.Quote(dir))
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && st.Uid != 0 {
		return fmt.Errorf("%s belongs to another user, so its trust records are ignored", dir)
	}
	return nil
}
