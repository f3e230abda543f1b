package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/activity"
)

// TestPages loads the skills of the plugin for an empty history, a short and a long one.
func TestPages(t *testing.T) {
	plugin, err := filepath.Abs("../../plugin")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 10, 100_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			state := filepath.Join(dir, "state")
			writeHistory(t, filepath.Join(state, "history"), dir, n)
			for skill, want := range map[string]map[int]string{
				"status":            {0: "none yet", 10: "% of the last 10 ", 100_000: "% of the last 100 "},
				"statusline":        {0: `{"status":"NONE"`, 10: `{"status":"NONE"`, 100_000: `{"status":"NONE"`},
				"run-retrospective": {0: "Nothing was run or asked", 10: "\n10 runs, 3 failed", 100_000: "\n100000 runs, 33333 failed"},
			} {
				cmd := exec.Command("skillhand", "load", skill, "--plugin-root", plugin, "--json")
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "HOME="+dir, "SKILLHAND_STATE_DIR="+state, "CLAUDE_PROJECT_DIR=", "SKILLHAND_TRUST=all")
				began := time.Now()
				out, err := cmd.Output()
				if err != nil {
					t.Errorf("%s: %v", skill, err)
					continue
				}
				t.Logf("%s: %s", skill, time.Since(began).Round(time.Millisecond))
				var doc skillhand.Page
				if err := json.Unmarshal(out, &doc); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(doc.Text, want[n]) {
					t.Errorf("%s: no %q in\n%s", skill, want[n], doc.Text)
				}
				if len(doc.Directives) != 1 || doc.Directives[0].How != "builtin" || doc.Directives[0].Exit != 0 {
					t.Errorf("%s: %+v", skill, doc.Directives)
				}
			}
		})
	}
}

// writeHistory makes a history of n records of the last days, a third of them failures.
func writeHistory(t *testing.T, dir, project string, n int) {
	t.Helper()
	if n == 0 {
		return
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	began := time.Now().Add(-6 * 24 * time.Hour)
	for i := range n {
		c := float64(i%100) / 100
		r := activity.Record{
			Time: began.Add(time.Duration(i) * time.Second).UTC(), Kind: activity.Run, Skill: fmt.Sprint("skill-", i%50), Project: project,
			OK: i%3 != 2, Confidence: &c, DurationMS: float64(i % 5000), InputHash: activity.Hash(fmt.Sprint(i % 1000)),
		}
		if !r.OK {
			r.Category = "CONFLICT"
		}
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "current.jsonl"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPluginTests runs the tests that our own plugin brings.
func TestPluginTests(t *testing.T) {
	cmd := exec.Command("skillhand", "test", "--plugin-root", filepath.Join("..", "..", "plugin"))
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "SKILLHAND_STATE_DIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "4 tests of 4 skills, 0 failed") {
		t.Errorf("%v\n%s", err, out)
	}
}
