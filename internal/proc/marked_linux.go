package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// KillMarked kills the processes that were started with a variable in their environment. These are
// the remains of a program that died before it could end them. The caller is never killed.
func KillMarked(variable, value string) {
	mark := []byte("\x00" + variable + "=" + value + "\x00")
	for range 100 { // a process may start another during the search
		if !killMarked(mark) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// killMarked kills the processes that it finds, and reports whether it found any.
func killMarked(mark []byte) (found bool) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // without /proc it finds nothing
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		// Open the process before reading its environment, so that its number cannot pass to
		// another process in between.
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err == nil && bytes.Contains(append([]byte{0}, env...), mark) {
			found = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil || found
		}
		unix.Close(fd)
	}
	return found
}
