//go:build unix

package test

import (
	"os"
	"syscall"
	"time"
)

// hide starts a sleep in its own session, so that it survives the end of claude.
func hide(seconds string) bool {
	_, err := os.StartProcess("/bin/sleep", []string{"sleep", seconds}, &os.ProcAttr{
		Files: []*os.File{nil, os.Stdout, os.Stderr},
		Env:   os.Environ(),
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	return err == nil
}

func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	time.Sleep(time.Minute)
}
