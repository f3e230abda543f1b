//go:build !unix

package proc

import (
	"os"
	"os/exec"
	"path/filepath"
)

// A tree is a program alone: this system has no process groups to speak of.
type tree struct {
	cmd *exec.Cmd
	pid int
	err error // from waiting
}

func startTree(cmd *exec.Cmd) (*tree, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &tree{cmd: cmd, pid: cmd.Process.Pid}, nil
}

func (t *tree) wait() {
	if err := t.cmd.Wait(); t.cmd.ProcessState == nil {
		t.err = err
	}
}

// signal has no polite way to offer.
func (t *tree) signal(Signal) bool { return false }

func (t *tree) gone() bool { return true }

// left cannot know of any.
func (t *tree) left() (names []string, idle bool) { return nil, true }

func (t *tree) kill() { _ = t.cmd.Process.Kill() }

func (t *tree) reap() (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	return t.cmd.ProcessState.ExitCode(), nil
}

// signalled returns 0: there are no signals here.
func signalled(*os.ProcessState) int { return 0 }

func (t *tree) tidy() {}

// KillOrphans does nothing here: a program's children cannot be found again.
func KillOrphans() {}

// runnable returns path, with its extension, if there is a program.
func runnable(path, dir string) (string, error) {
	file, err := exec.LookPath(in(dir, path))
	if err != nil {
		return "", err
	}
	return filepath.Abs(file)
}

func mayEnter(string) bool { return true }

// hasWriter cannot tell here, so what is open counts as held.
func hasWriter(*os.File) bool { return true }

// readNow cannot read without waiting here, so there is never anything.
func readNow(*os.File, []byte) int { return 0 }
