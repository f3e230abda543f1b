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

// load starts n copies of a shell command. They end with the test.
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

// TestBusy measures how long 50 empty jobs take, one after the other, on a file that two workers
// and a reader have open. Other processes keep the processors, the disk or both busy. It prints the
// times: make grow. Comparing them with the time on an idle machine shows what slows the writers
// down.
func TestBusy(t *testing.T) {
	if os.Getenv("SKILLHAND_GROW") == "" {
		return // it would slow down other tests
	}
	for _, tt := range []struct {
		name         string
		loops, disks int
	}{{"alone", 0, 0}, {"disk", 0, 8}, {"processors", 20, 0}, {"both", 20, 8}} {
		t.Run(tt.name, func(t *testing.T) { measureBusy(t, tt.loops, tt.disks) })
	}
}

// measureBusy does 50 jobs while loops take a processor each, and processes write and sync.
func measureBusy(t *testing.T, loops, disks int) {
	o := Options{Database: filepath.Join(t.TempDir(), "batch.db")}
	db := open(t, o)
	load(t, loops, `while :; do :; done`)
	load(t, disks, `while :; do dd if=/dev/zero of="$1/disk$0" bs=256k count=64 oflag=sync 2>/dev/null; done`, t.TempDir())
	add(t, db, some(50), Limits{Concurrency: 1})
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	began := time.Now()
	var warnings, longest atomic.Int64
	last := began
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
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	used := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	t.Logf("50 jobs beside %d loops and %d writers that sync: %.1f s, at most %d ms between two starts, %d warnings; %.2f s of CPU",
		loops, disks, time.Since(began).Seconds(), longest.Load(), warnings.Load(), used.Seconds())
	if s.Done != 50 || warnings.Load() > 0 {
		t.Errorf("%d warnings, %+v", warnings.Load(), *s)
	}
}
