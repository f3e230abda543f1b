package test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestLacking runs the tested test in another process, because this process must not fail with it.
func TestLacking(t *testing.T) {
	if os.Getenv("LACKING") == "1" {
		Lacking(t, "no npm")
		t.Error("went on")
	}
	for require, want := range map[string]string{"": "SKIP", "1": "FAIL"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLacking$", "-test.v")
		cmd.Env = append(os.Environ(), "LACKING=1", "SKILLHAND_REQUIRE_ALL="+require)
		out, _ := cmd.CombinedOutput() // the output shows how it ended
		if text := string(out); !strings.Contains(text, "--- "+want) || !strings.Contains(text, "no npm") ||
			strings.Contains(text, "went on") {
			t.Errorf("with SKILLHAND_REQUIRE_ALL=%s: %s, want %s", require, text, want)
		}
	}
}
