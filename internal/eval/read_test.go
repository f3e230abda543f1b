package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

// TestCases reads the skill folders in testdata/cases, and checks the cases in them and all errors.
func TestCases(t *testing.T) {
	test.Cases(t, "testdata/cases/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		dir := t.TempDir()
		for name, text := range c.Files {
			if name == "cases" || name == "faults" || name == "warnings" {
				continue
			}
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got := map[string]string{"cases": "", "faults": ""}
		if _, ok := c.Files["warnings"]; ok {
			got["warnings"] = ""
		}
		cases, err := findCases(dir, filepath.Join(dir, "evals"),
			func(text string) { got["warnings"] += strings.ReplaceAll(text, dir+"/", "") + "\n" })
		if err != nil {
			got["faults"] = strings.ReplaceAll(err.Error(), dir+"/", "") + "\n"
		}
		for _, k := range cases {
			got["cases"] += fmt.Sprintf("%s %q fires=%v\n", k.ID, k.Prompt, k.Fires)
			for _, f := range k.Files {
				got["cases"] += "  begins with " + strings.TrimPrefix(f, dir+"/") + "\n"
			}
			for _, check := range k.Checks {
				got["cases"] += fmt.Sprintf("  %s optional=%v\n", check.Text, check.Optional)
			}
		}
		got["faults"] = strings.ReplaceAll(got["faults"], dir, ".")
		return got
	})
}

// TestLongList checks that the time to report the position of an error does not grow with its line.
func TestLongList(t *testing.T) {
	t.Parallel()
	const n = 50_000
	text := "[" + strings.Repeat(`{"query": "x", "should_trigger": true},`+"\n", n) + `{"query": "x"}]`
	if _, err := ParseCases("q.json", ".", []byte(text)); err == nil ||
		err.Error() != fmt.Sprintf("q.json:%d: should_trigger is missing", n+1) {
		t.Error(err)
	}
}

// FuzzCases checks that no content of a file of cases causes more than an error.
func FuzzCases(f *testing.F) {
	for _, seed := range []string{
		"cases: [{prompt: x}]", `{"evals":[{"id":1,"prompt":"x","files":["a"]}]}`, `[{"query":"x","should_trigger":true}]`, "&a [*a]",
		"{{",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.json", "a.yaml"} {
			cases, err := ParseCases(name, ".", []byte(text))
			for _, c := range cases {
				if err != nil || strings.TrimSpace(c.Prompt) == "" || c.ID == "" {
					t.Errorf("%+v, %v", c, err)
				}
			}
		}
	})
}
