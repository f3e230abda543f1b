package report

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

// visible spells out characters that a file of cases cannot show.
var visible = strings.NewReplacer("␍", "\r", "␛", "\x1b", "␀", "\x00", "␄\n", "", "BOM", "\ufeff", "¶", "\n", "BAD", "\xff")

// TestParse runs testdata/*.txtar: each has a text and its result.
func TestParse(t *testing.T) {
	test.Cases(t, "testdata/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		var opt Options
		for o := range strings.FieldsSeq(c.Files["options"]) {
			switch o {
			case "strict":
				opt.Strict = true
			case "no-legacy":
				opt.NoLegacy = true
			case "default-confidence=0":
				opt.DefaultConfidence = new(0.0)
			default:
				t.Fatalf("unknown option %s", o)
			}
		}
		return map[string]string{"want": summary(t, Parse([]byte(visible.Replace(c.Files["text"])), opt))}
	})
}

func summary(t *testing.T, r Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Method)
	if r.Report != nil {
		text, err := json.Marshal(r.Report)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	for _, f := range r.Faults {
		fmt.Fprintf(&b, "fault %s %s: %s\n", f.Code, f.Path, f.Message)
	}
	for _, f := range r.Warnings {
		fmt.Fprintf(&b, "warning %s %s: %s\n", f.Code, f.Path, f.Message)
	}
	return b.String()
}

// TestLegacy runs the tables that say what lines of text mean.
func TestLegacy(t *testing.T) {
	for _, file := range []string{
		"../internal/legacy/testdata/legacy.txt", "../internal/legacy/testdata/legacy-odd.txt",
		"../internal/legacy/testdata/legacy-logs.txt",
	} {
		testLegacy(t, file)
	}
}

func testLegacy(t *testing.T, file string) {
	table, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, number := 0, 0
	for line := range strings.Lines(string(table)) {
		number++
		if line = strings.TrimSuffix(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		rows++
		want, text, _ := strings.Cut(line, "| ")
		want = strings.TrimSpace(want)
		if got := says(Parse([]byte(visible.Replace(text)), Options{})); got != want {
			t.Errorf("%s:%d: %q says %s, want %s", file, number, text, got, want)
		}
		if r := Parse([]byte(visible.Replace(text)), Options{NoLegacy: true}); r.Method != None || r.Faults[0].Code != NoReport {
			t.Errorf("%s:%d: with legacy off: %+v", file, number, r)
		}
	}
	if rows < 100 {
		t.Errorf("%s has %d rows", file, rows)
	}
}

// says sums up what Parse read from lines of text.
func says(r Result) string {
	if r.Method == None {
		return "nothing"
	}
	if r.Report == nil && r.Faults[0].Code == Unclear {
		return "unclear"
	}
	var all []string
	if r.Stated {
		all = append(all, map[bool]string{true: "success", false: "failure"}[r.Report.Success])
	} else if r.Report.Success {
		all = append(all, "success without a statement")
	}
	if r.Report.Confidence != 0.5 {
		all = append(all, fmt.Sprintf("confidence %v", r.Report.Confidence))
	}
	if ms, ok := r.Report.Metrics["execution_time_ms"]; ok {
		all = append(all, fmt.Sprintf("duration %v", ms))
	}
	for _, d := range r.Report.Deliverables {
		all = append(all, "deliverable "+d)
	}
	for _, e := range r.Report.Errors {
		all = append(all, "error "+e.Message)
	}
	if len(r.Warnings) > 0 {
		all = append(all, "warning")
	}
	return strings.Join(all, ", ")
}
