package test_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var timesFile = flag.String("times", "", "put the CPU seconds in a `file` of cputime.sh into the table in CONTRIBUTING.md")

// TestTimes writes the CPU seconds of each package's tests into the table in CONTRIBUTING.md: make
// times.
func TestTimes(t *testing.T) {
	if *timesFile == "" {
		t.Skip("make times writes the table")
	}
	text, err := os.ReadFile(*timesFile)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	seconds := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		var dir string
		var user, system float64
		if _, err := fmt.Sscan(line, &dir, &user, &system); err != nil {
			t.Fatalf("%s: %q: %v", *timesFile, line, err)
		}
		folder, err := filepath.Rel(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		seconds[folder] = user + system
	}
	const page = "../../CONTRIBUTING.md"
	if text, err = os.ReadFile(page); err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([^`]*)` \\| [0-9]* \\|")
	now := row.ReplaceAllStringFunc(string(text), func(line string) string {
		folder := row.FindStringSubmatch(line)[1]
		took, ok := seconds[folder]
		if !ok {
			return line // not measured
		}
		delete(seconds, folder)
		return fmt.Sprintf("| `%s` | %.0f |", folder, math.Ceil(took))
	})
	for folder, took := range seconds {
		if took > 5 {
			t.Errorf("%s took %.0f s: give it a row in CONTRIBUTING.md that says what it asks", folder, took)
		}
	}
	if err := os.WriteFile(page, []byte(now), 0o666); err != nil {
		t.Fatal(err)
	}
}
