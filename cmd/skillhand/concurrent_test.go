package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestManyLoads lets 60 processes load one skill in one session and kills 20 of
// them at random moments: no mark is torn, at least one has the whole text, and
// at the end the skill counts as seen.
func TestManyLoads(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "foo", "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("<skill>\nInstructions.\n</skill>\n<output>\n!`echo fresh`\n</output>\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	load := func() (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.Command("skillhand", "load", "./foo", "--session", "s1")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "SKILLHAND_STATE_DIR="+filepath.Join(dir, "state"), "SKILLHAND_TRUST=all", "CLAUDECODE=")
		var out bytes.Buffer
		cmd.Stdout = &out
		return cmd, &out
	}
	var mu sync.Mutex
	full, later := 0, 0
	var wg sync.WaitGroup
	for i := range 60 {
		kill := i%3 == 0
		delay := time.Duration(rand.IntN(30)) * time.Millisecond
		wg.Go(func() {
			cmd, out := load()
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			if kill {
				time.Sleep(delay)
				cmd.Process.Kill()
			}
			err := cmd.Wait()
			mu.Lock()
			defer mu.Unlock()
			switch text := out.String(); {
			case kill && strings.Contains(text, "Instructions."):
				full++ // it came that far
			case kill:
			case err != nil:
				t.Errorf("%v: %s", err, text)
			case !strings.Contains(text, "fresh"):
				t.Errorf("no fresh output: %q", text)
			case strings.Contains(text, "Instructions."):
				full++
			default:
				later++
			}
		})
	}
	wg.Wait()
	if full == 0 || full+later < 40 {
		t.Errorf("%d had the whole text and %d had not, of at least 40", full, later)
	}
	cmd, out := load()
	if err := cmd.Run(); err != nil || strings.Contains(out.String(), "Instructions.") {
		t.Errorf("at the end it does not count as seen: %v, %q", err, out)
	}
	marks, err := filepath.Glob(filepath.Join(dir, "state", "sessions", "s1", "@main", "[0-9a-f]*"))
	if err != nil || len(marks) != 1 {
		t.Errorf("marks: %q, %v", marks, err)
	}
}
