package test_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
)

var timesFile = flag.String("times", "", "put what tests took, a `file` of go test -json, into the table in CONTRIBUTING.md")

// TestTimes keeps the table of what the tests of each package take: make times.
func TestTimes(t *testing.T) {
	if *timesFile == "" {
		t.Skip("make times writes the table")
	}
	f, err := os.Open(*timesFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seconds := map[string]float64{}
	for events := json.NewDecoder(f); ; {
		var e struct {
			Action, Package, Test string
			Elapsed               float64
		}
		if err := events.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if e.Action == "fail" {
			t.Errorf("%s %s failed", e.Package, e.Test)
		}
		if e.Action == "pass" && e.Test == "" {
			seconds[strings.TrimPrefix(e.Package, "github.com/skillhand/skillhand/")] = e.Elapsed
		}
	}
	if t.Failed() {
		return
	}
	const page = "../../CONTRIBUTING.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([^`]*)` \\| [0-9]* ")
	now := row.ReplaceAllStringFunc(string(text), func(line string) string {
		name := row.FindStringSubmatch(line)[1]
		took, ok := seconds[name]
		if !ok {
			t.Errorf("%s: has no tests any more", name)
			return line
		}
		delete(seconds, name)
		return fmt.Sprintf("| `%s` | %.0f ", name, math.Ceil(took))
	})
	for name, took := range seconds {
		if took > 5 {
			t.Errorf("%s took %.0f s: give it a row in CONTRIBUTING.md that says what it asks", name, took)
		}
	}
	if err := os.WriteFile(page, []byte(now), 0o666); err != nil {
		t.Fatal(err)
	}
}
