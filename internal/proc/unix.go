//go:build unix

package proc

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func (s Signal) unix() unix.Signal {
	if s == Interrupt {
		return unix.SIGINT
	}
	return unix.SIGTERM
}

// exit returns a program's exit status as a shell reports it.
func exit(state *os.ProcessState) int {
	if n := signalled(state); n != 0 {
		return 128 + n
	}
	return state.ExitCode()
}

// signalled returns the signal that ended a program, or 0.
func signalled(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return int(ws.Signal())
	}
	return 0
}

// runnable returns path if a program that runs in dir can be started by this path.
func runnable(path, dir string) (string, error) {
	file := in(dir, path)
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", &fs.PathError{Op: "exec", Path: file, Err: syscall.EISDIR}
	}
	if err := unix.Access(file, unix.X_OK); err != nil {
		return "", &fs.PathError{Op: "exec", Path: file, Err: err}
	}
	return path, nil
}

func mayEnter(dir string) bool { return unix.Access(dir, unix.X_OK) == nil }

// hasWriter reports whether some process has a pipe open for writing.
func hasWriter(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	poll := []unix.PollFd{{Events: unix.POLLIN}}
	err = conn.Control(func(fd uintptr) {
		poll[0].Fd = int32(fd)
		for {
			if _, err := unix.Poll(poll, 0); err != unix.EINTR {
				return
			}
		}
	})
	return err == nil && poll[0].Revents&unix.POLLHUP == 0
}

// readNow reads the available bytes without waiting. It returns 0 or less if there are none.
func readNow(f *os.File, buf []byte) (n int) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	_ = conn.Read(func(fd uintptr) bool {
		n, err = unix.Read(int(fd), buf)
		return !errors.Is(err, unix.EINTR)
	})
	return n
}
