//go:build unix

package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Become replaces this process by a program: same process, same streams, and
// every signal and the exit status are the program's own. It returns only if
// that cannot be done. Where the system has no such thing, the program runs as
// a child, and Become returns its exit status.
func Become(path string, args, env []string) (exit int, err error) {
	if err := unix.Exec(path, args, env); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return 0, nil // not reached: this program is another one now
}
