//go:build unix

package batch

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// load starts n copies of a shell command that ends with the test.
func load(t *testing.T, n int, command string, args ...string) {
	t.Helper()
	for i := range n {
		cmd := exec.Command("timeout", append([]string{"240", "sh", "-c", command, strconv.Itoa(i)}, args...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		})
	}
}

// TestBusy measures how long 50 empty jobs take on a file, one after another, that two workers and a reader have open, beside
// processes that keep the processors and the disk busy, and prints it: make grow.
func TestBusy(t *testing.T) {
	if os.Getenv("SKILLHAND_GROW") == "" {
		return // it would keep other tests from their work
	}
	const loops, disks = 20, 2
	o := Options{Database: filepath.Join(t.TempDir(), "batch.db")}
	db := open(t, o)
	load(t, loops, `while :; do :; done`)
	load(t, disks, `while :; do dd if=/dev/zero of="$1/disk$0" bs=1M count=16 oflag=sync 2>/dev/null; done`, t.TempDir())
	add(t, db, some(50), Limits{Concurrency: 1})
	began := time.Now()
	var warnings, longest atomic.Int64
	last := time.Now()
	warn := func(text string) {
		t.Log(text)
		warnings.Add(1)
	}
	workers(t, o, 2, Worker{Warn: warn, Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) {
		longest.Store(max(longest.Load(), time.Since(last).Milliseconds())) // one at a time
		last = time.Now()
		return nil, Retry{}
	}})
	s := until(t, db, "over", over)
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	t.Logf("50 jobs beside %d loops and %d writers that sync: %.1f s, at most %d ms between two starts, %d warnings; %.1f s of CPU in all",
		loops, disks, time.Since(began).Seconds(), longest.Load(), warnings.Load(), time.Duration(used.Utime.Nano()+used.Stime.Nano()).Seconds())
	if s.Done != 50 || warnings.Load() > 0 {
		t.Errorf("%d warnings, %+v", warnings.Load(), *s)
	}
}
