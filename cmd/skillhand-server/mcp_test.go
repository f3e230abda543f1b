//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestHostKilled: a host that is killed in mid-call leaves neither the server nor
// what the call started. All that the server sees of it is that its pipes end.
func TestHostKilled(t *testing.T) {
	home, project := t.TempDir(), t.TempDir()
	pids := filepath.Join(project, "pids.txt")
	writeFile(t, filepath.Join(home, ".claude/skills/slow/SKILL.md"),
		"!`bash -c 'setsid sleep 1000 & echo $! $$ >"+pids+".new.txt; mv "+pids+".new.txt "+pids+"; wait'`\n")
	server := exec.Command(filepath.Join(bin, "skillhand"), "mcp")
	server.Dir, server.Env = project, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"load_skill","arguments":{"name":"slow"}}}`)
	var started [2]int
	for end := time.Now().Add(5 * time.Minute); started[1] == 0; time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(pids); err == nil {
			_, _ = fmt.Sscan(string(text), &started[0], &started[1])
		}
		if time.Now().After(end) {
			_ = server.Process.Kill()
			t.Fatal("the call does not start")
		}
	}
	out.Close()
	in.Close()
	tooLong := time.AfterFunc(time.Minute, func() { _ = server.Process.Kill() })
	defer tooLong.Stop()
	if err := server.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
	for _, pid := range started {
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("process %d goes on", pid)
		}
	}
}
