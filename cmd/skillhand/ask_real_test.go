//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/fakeapi"
	"github.com/skillhand/skillhand/internal/realclaude"
)

// TestAskCtrlC presses Ctrl-C while the real CLI runs a command of the model's.
func TestAskCtrlC(t *testing.T) {
	for _, tt := range []struct {
		signal syscall.Signal
		exit   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}} {
		t.Run(tt.signal.String(), func(t *testing.T) {
			t.Parallel()
			api := fakeapi.New(t)
			api.Handle(realclaude.Obey)
			c := realclaude.New(t, api)
			cmd := exec.Command("skillhand", "ask", "--json", "--allowed-tool", "Bash", "--output-file", "transcript",
				`call Bash {"command": "touch begun; exec sleep 300"}`)
			cmd.Dir = c.Project
			cmd.Env = []string{
				"HOME=" + c.Home, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "TMPDIR=" + t.TempDir(), "SKILLHAND_CLAUDE=" + realclaude.Program(t),
				"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
				"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
				if _, err := os.Stat(filepath.Join(c.Project, "begun")); err == nil {
					break
				}
				if time.Now().After(deadline) {
					t.Fatal("the command did not begin")
				}
			}
			began := time.Now()
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the exit status tells
			if took := time.Since(began); took > 4*time.Second {
				t.Errorf("took %s to end", took)
			}
			if got := cmd.ProcessState.ExitCode(); got != tt.exit {
				t.Errorf("exit status %d, want %d; stderr: %s", got, tt.exit, stderr.String())
			}
			var doc claude.Document
			if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil || doc.Kind != "interrupted" || doc.SessionID == "" {
				t.Errorf("stdout: %s, %v", stdout.String(), err)
			}
			if data, err := os.ReadFile(filepath.Join(c.Project, "transcript")); err != nil || !bytes.Contains(data, []byte("sleep 300")) {
				t.Errorf("transcript: %s, %v", data, err)
			}
			environments, _ := filepath.Glob("/proc/[0-9]*/environ")
			for _, f := range environments {
				if env, err := os.ReadFile(f); err == nil && bytes.Contains(env, []byte("HOME="+c.Home)) {
					t.Errorf("still alive: %s", filepath.Dir(f))
				}
			}
		})
	}
}
