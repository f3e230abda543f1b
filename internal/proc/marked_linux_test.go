package proc

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

func TestKillMarked(t *testing.T) {
	t.Parallel()
	start := func(mark string) *exec.Cmd {
		cmd := exec.Command("bash", "-c", "sleep 1000 & wait")
		cmd.Env = append(os.Environ(), "PROC_TEST_MARK="+mark)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	marked, other := start("one"), start("one.two")
	KillMarked("PROC_TEST_MARK", "one")
	if err := marked.Wait(); err == nil || marked.ProcessState.ExitCode() != -1 {
		t.Errorf("the marked one ended by itself: %v", err)
	}
	KillMarked("PROC_TEST_MARK", "none")
	if err := other.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("another was killed: %v", err)
	}
	KillMarked("PROC_TEST_MARK", "one.two")
	_ = other.Wait()
	if killMarked([]byte("\x00PROC_TEST_MARK=one\x00")) || killMarked([]byte("\x00PROC_TEST_MARK=one.two\x00")) {
		t.Error("a child is left")
	}
}
