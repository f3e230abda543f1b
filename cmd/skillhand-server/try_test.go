//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// TestTryKilled: a try that is killed in the middle, and started again, makes no
// trial twice that had ended, loses none, and finds the same as one that was not.
func TestTryKilled(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	c := realclaude.New(t, api)
	c.Write(".claude/skills/zebra/SKILL.md", "---\nname: zebra\ndescription: Counts stripes.\n---\nCount.\n")
	c.Write(".claude/skills/zebra/evals/q.json", `[{"query": "FIRE one", "should_trigger": true}, {"query": "MISS two", "should_trigger": true}]`)
	var mu sync.Mutex
	asked := map[string]string{} // what each session was asked
	killed := make(chan struct{})
	third := sync.OnceFunc(func() { close(killed) })
	api.Handle(func(q *fakeapi.Request) fakeapi.Answer {
		mu.Lock()
		defer mu.Unlock()
		for _, word := range []string{"FIRE", "MISS"} {
			if q.Count(word) > 0 {
				asked[q.Session] = word
			}
		}
		if len(asked) == 3 {
			third()
			return fakeapi.Hang() // until the test has killed it
		}
		if asked[q.Session] == "FIRE" && len(q.Results()) == 0 {
			return fakeapi.Use("Skill", map[string]string{"skill": "zebra"})
		}
		return fakeapi.Text("done")
	})
	state := t.TempDir()
	command := func(state string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, "skillhand"), "try", "zebra", "--runs", "2", "-j", "1", "--min-fired", "0", "--json", "--claude", realclaude.Program(t))
		cmd.Dir = c.Project
		cmd.Env = []string{
			"HOME=" + c.Home, "PATH=" + os.Getenv("PATH"), "SKILLHAND_STATE_DIR=" + state, "TMPDIR=" + t.TempDir(),
			"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-key", "CLAUDE_CODE_MAX_RETRIES=0", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		}
		cmd.Stderr = os.Stderr
		return cmd
	}
	first := command(state)
	var before bytes.Buffer
	first.Stdout = &before
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-killed
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	mu.Lock()
	made := len(asked)
	asked["over"], asked["and over"] = "", "" // no third session hangs any more
	mu.Unlock()
	out, err := command(state).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	mu.Lock()
	again := len(asked) - 2 - made
	mu.Unlock()
	if ended := strings.Count(before.String(), `"type":"trial"`); ended != 2 || again != 4-ended {
		t.Errorf("%d trials had ended, %d were made again, want 2 and 2", ended, again)
	}
	whole, err := command(t.TempDir()).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, whole)
	}
	if got, want := numbers(t, out), numbers(t, whole); got != want || !strings.Contains(got, "2 of 4") {
		t.Errorf("after the kill:\n%s\nwithout:\n%s", got, want)
	}
}

// numbers are what a summary says that does not depend on time.
func numbers(t *testing.T, out []byte) string {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	var s eval.Summary
	if err := json.Unmarshal(lines[len(lines)-1], &s); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := fmt.Sprintf("%d lines, %d trials, %d void, %d missing, $%.6f, %d tokens\n", len(lines), s.Trials, s.Void, s.Missing, s.CostUSD, s.Tokens)
	for _, k := range s.Skills {
		text += fmt.Sprintf("%s fired %d of %d\n", k.Skill, k.Fired.Hits, k.Fired.Of)
		for _, c := range k.Cases {
			text += fmt.Sprintf("%s %v\n", c.Case, c.Arms[0].Outcomes)
		}
	}
	return text
}
