package proc

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// The test binary plays a program that starts another program. The other program writes to a pipe
// that nobody closes, and never ends.
const (
	roleVariable = "PROC_TEST_ROLE"
	fileVariable = "PROC_TEST_FILE"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "parent", "leaver":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), roleVariable+"=child")
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(7)
		}
		file := os.Getenv(fileVariable)
		if err := os.WriteFile(file+".new", []byte(strconv.Itoa(child.Process.Pid)), 0o600); err != nil {
			os.Exit(8)
		}
		if err := os.Rename(file+".new", file); err != nil {
			os.Exit(9)
		}
		if os.Getenv(roleVariable) == "leaver" {
			fmt.Println("done")
			os.Exit(5)
		}
		select {}
	case "child":
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// TestWhole checks that everything that a program started ends with it, whether we end it or it
// ends by itself.
func TestWhole(t *testing.T) {
	for role, want := range map[string]Result{"parent": {Exit: 1, Cut: Canceled}, "leaver": {Exit: 5}} {
		t.Run(role, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if role == "parent" {
				go func() {
					for {
						if _, err := os.Stat(file); err == nil || ctx.Err() != nil {
							cancel()
							return
						}
						time.Sleep(5 * time.Millisecond)
					}
				}()
			}
			var out bytes.Buffer
			env := append(os.Environ(), roleVariable+"="+role, fileVariable+"="+file)
			res, err := Run(ctx, Cmd{Args: []string{os.Args[0]}, Env: env, Stdout: &out, Stderr: &out})
			if err != nil || res.Exit != want.Exit || res.Cut != want.Cut {
				t.Errorf("%+v, %v, want %+v; it said %s", res, err, want, &out)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			ends(t, uint32(pid))
		})
	}
}

// ends waits for a process to end. A process that Windows no longer knows has ended.
func ends(t *testing.T, pid uint32) {
	t.Helper()
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, pid)
	if err != nil {
		return
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if event, err := windows.WaitForSingleObject(process, 60_000); err != nil || event != windows.WAIT_OBJECT_0 {
		t.Errorf("process %d still runs: %d, %v", pid, event, err)
	}
}
