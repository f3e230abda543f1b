//go:build unix

package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Become replaces this process by a program. The process and its streams stay the same, and all
// signals and the exit status are the program's own. Become returns only if it cannot replace the
// process. On a system without exec, the program runs as a child, and Become returns its exit
// status.
func Become(path string, args, env []string) (exit int, err error) {
	if err := unix.Exec(path, args, env); err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return 0, nil // not reached: this process now runs the other program
}
