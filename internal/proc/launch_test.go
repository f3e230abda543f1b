//go:build linux || darwin

package proc

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLaunch checks that a launched program has the environment that it was given, none of our
// streams, and its own session. When it ends, nothing of it is left.
func TestLaunch(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	const script = `read line; echo $$ "$NAME" "$line" "$#" > "$1.new"; echo lost; echo lost >&2; mv "$1.new" "$1"; exec sleep 1000`
	if err := Launch([]string{"sh", "-c", script, "sh", out}, []string{"NAME=value", "PATH=" + os.Getenv("PATH")}); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { _, err := os.Stat(out); return err == nil })
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(text), " ")
	pid, err := strconv.Atoi(first)
	if err != nil || rest != "value  1\n" {
		t.Fatalf("it wrote %q", text)
	}
	if sid, _, errno := syscall.Syscall(syscall.SYS_GETSID, uintptr(pid), 0, 0); errno != 0 || int(sid) != pid {
		t.Errorf("the session of %d is %d, %v", pid, sid, errno)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
}

func TestLaunchFails(t *testing.T) {
	if err := Launch([]string{filepath.Join(t.TempDir(), "none")}, nil); err == nil {
		t.Error("a program that is not there was launched")
	}
}

// until waits for something that happens in another process.
func until(t *testing.T, happened func() bool) {
	t.Helper()
	for limit := time.Now().Add(5 * time.Minute); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("it never happened")
		}
	}
}
