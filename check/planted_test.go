package check

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/skillhand/skillhand/internal/test"
)

// TestPlanted plants the faults of testdata/planted.txt, one at a time: each is found, and its twin has
// neither that finding nor any error or warning.
func TestPlanted(t *testing.T) {
	src, err := os.ReadFile("testdata/planted.txt")
	if err != nil {
		t.Fatal(err)
	}
	planted := map[string]bool{}
	for _, part := range strings.Split(string(src), "\n=== ")[1:] {
		head, text, _ := strings.Cut(part, "\n")
		name, rule, ok := strings.Cut(head, " ")
		if !ok || ByName(rule) == nil {
			t.Fatalf("%s: want a name and a rule", head)
		}
		planted[rule] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad, good := layTwin(t, text, "<bad>", "<good>"), layTwin(t, text, "<good>", "<bad>")
			if found := bad.found(); !strings.Contains(found, " "+rule+": ") {
				t.Errorf("%s is not found:\n%s", rule, found)
			}
			if found := good.found(); strings.Contains(found, " "+rule+": ") || strings.Contains(found, "error ") || strings.Contains(found, "warning ") {
				t.Errorf("the twin has findings:\n%s", found)
			}
		})
	}
	for _, r := range All() {
		if byDefault := (&Options{}).severity(r) != Off; byDefault && !planted[r.ID] && !unplanted[r.ID] {
			t.Errorf("no fault is planted for %s", r.ID)
		}
	}
}

// unplanted are rules that need more than some files: one that cannot be read, many skills, a binary,
// or the dialect of skillhand load.
var unplanted = map[string]bool{"SK001": true, "SK504": true, "SK704": true, "SK802": true, "SK803": true, "SK804": true}

// layTwin lays down one of the two trees of a fault.
func layTwin(t *testing.T, text, mine, other string) tree {
	var lines []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, mine); ok {
			line = rest
		} else if strings.HasPrefix(line, other) {
			continue
		}
		lines = append(lines, line)
	}
	c := test.Case{Files: map[string]string{}}
	for _, f := range txtar.Parse([]byte(strings.Join(lines, ""))).Files {
		c.Files[f.Name] = string(f.Data)
	}
	return layDown(t, c)
}

// found lists what is found, a line each.
func (tr tree) found() string {
	var b strings.Builder
	for _, f := range Run(context.Background(), tr.files, tr.opt).Findings {
		fmt.Fprintf(&b, "%s:%d: %s %s: %s\n", f.File, f.Range.Line, f.Severity, f.Rule, f.Message)
	}
	return b.String()
}

// recorded are files with answers of the real Claude Code for rules that have no probe of their name.
var recorded = map[string]string{
	"SK104": "testdata/claude/SK502-alias.txtar",
	"SK109": "testdata/claude/SK106-agent.txtar",
	"SK312": "testdata/claude/SK310-blocks.txtar",
	"SK313": "testdata/claude/SK306-example.txtar",
	"SK314": "testdata/claude/SK310-blocks.txtar",
	"SK504": "listing_real_test.go",
	"SK603": "testdata/validate/planted.txtar",
	"SK614": "testdata/claude/SK401-*.txtar",
	"SK701": "testdata/claude/SK306-example.txtar",
}

// TestRecorded: a rule that is on and says what Claude Code does, and not what skillhand load does, has a recorded answer of the real one.
func TestRecorded(t *testing.T) {
	for _, r := range All() {
		if (&Options{}).severity(r) == Off || strings.HasPrefix(r.ID, "SK8") ||
			!strings.Contains(r.Doc(), "Claude Code") && !strings.Contains(r.Doc(), "claude plugin") {
			continue
		}
		pattern := cmp.Or(recorded[r.ID], "testdata/claude/"+r.ID+"-*.txtar")
		if files, err := filepath.Glob(pattern); err != nil || len(files) == 0 {
			t.Errorf("%s says what Claude Code does, and no answer is recorded in %s", r.ID, pattern)
		}
	}
}
