//go:build unix && !linux

package proc

import (
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A tree is a program and its process group.
type tree struct {
	cmd     *exec.Cmd
	pid     int
	started time.Time
	err     error // the error from waiting
}

func startTree(cmd *exec.Cmd) (*tree, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	t := &tree{cmd: cmd, started: time.Now()}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t.pid = cmd.Process.Pid
	return t, nil
}

func (t *tree) wait() {
	if err := t.cmd.Wait(); t.cmd.ProcessState == nil {
		t.err = err
	}
}

func (t *tree) signal(s Signal) bool { return unix.Kill(-t.pid, s.unix()) == nil }

func (t *tree) gone() bool { return unix.Kill(-t.pid, 0) == unix.ESRCH }

// left reports only whether processes are left.
func (t *tree) left() (names []string, idle bool) {
	if unix.Kill(-t.pid, 0) == nil {
		names = []string{""}
	}
	return names, true
}

func (t *tree) kill() {
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		if unix.Kill(-t.pid, unix.SIGKILL) != nil {
			return
		}
	}
}

func (t *tree) reap() (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	return exit(t.cmd.ProcessState), nil
}

func (t *tree) tidy() {}

// guardMark returns nothing: on these systems processes do not show their environment.
func guardMark() string { return "" }

// KillOrphans does nothing here: processes that left their process group cannot be found again.
func KillOrphans() {}
