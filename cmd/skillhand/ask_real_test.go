//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// realEnv is the environment of the real CLI and of skillhand above it.
func realEnv(t *testing.T, c *realclaude.Claude, api *fakeapi.API) []string {
	return []string{
		"HOME=" + c.Home, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "TMPDIR=" + t.TempDir(), "SKILLHAND_CLAUDE=" + realclaude.Program(t),
		"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	}
}

// TestAskPipe: a prompt and a pipe come to the model as claude -p sends them.
func TestAskPipe(t *testing.T) {
	api := fakeapi.New(t)
	api.Handle(func(*fakeapi.Request) fakeapi.Answer { return fakeapi.Text("ok") })
	c := realclaude.New(t, api)
	env := realEnv(t, c, api)
	prompt := func(stdin string, args ...string) string {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdin = c.Project, env, strings.NewReader(stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return api.Last().Prompt()
	}
	for _, tt := range []struct{ prompt, stdin string }{
		{"Review this diff", "THE DIFF\n"},
		{"Review", "no newline at the end"},
		{"Review\n", "\n\nblank lines\n\n"},
		{"Review", ""},
		{"Review", "\n"},
		{"Review", "CRLF\r\nand é\r\n"},
	} {
		want := prompt(tt.stdin, realclaude.Program(t), "-p", tt.prompt)
		if got := prompt(tt.stdin, "skillhand", "ask", tt.prompt); got != want {
			t.Errorf("%q with %q: %q, and claude -p sends %q", tt.prompt, tt.stdin, got, want)
		}
	}
}

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
			cmd.Env = realEnv(t, c, api)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			ended := make(chan struct{})
			go func() {
				_ = cmd.Wait() // the exit status tells
				close(ended)
			}()
			for begun := false; !begun; {
				select {
				case <-ended:
					t.Fatalf("it ended before the command began: %s", stderr.String())
				case <-time.After(50 * time.Millisecond):
					_, err := os.Stat(filepath.Join(c.Project, "begun"))
					begun = err == nil
				}
			}
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			<-ended
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
