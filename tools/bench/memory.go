package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// spent runs a command and returns its time, its peak memory and its output.
func (b *bench) spent(args ...string) (took time.Duration, memory int64, out string, err error) {
	var text bytes.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout = b.dir, b.env, &text
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, "", err
	}
	stop := watchMemory(cmd.Process.Pid)
	err = cmd.Wait()
	return time.Since(began), stop(), text.String(), err
}

// watchMemory watches a process until stop is called. stop returns the process's peak memory in
// bytes, or 0 if the system does not report it. The figure from wait is useless, because it
// includes the parent's memory at the fork.
func watchMemory(pid int) (stop func() int64) {
	done, peak := make(chan struct{}), make(chan int64)
	go func() {
		var most int64
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				peak <- most
				return
			case <-tick.C:
				most = max(most, peakMemory(pid))
			}
		}
	}()
	return func() int64 { close(done); return <-peak }
}

func peakMemory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(status), "VmHWM:")
	if !ok {
		return 0 // the process has ended
	}
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}
