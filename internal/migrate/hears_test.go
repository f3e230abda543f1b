//go:build unix

package migrate

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/report"
)

// TestHearsAnything: the rules in bash classify lines as the rules in Go do. The lines are made of
// what people print.
func TestHearsAnything(t *testing.T) {
	parts := []string{
		" ", " ", " ", " ", " ", ".", "..", ",", ", ", "/", "-", " - ", "->", "—", ":", ": ", "=", "?", "(", ")", "[", "]", "|", "│", "_",
		"*", "**", "`", "\"", "'", "#", "$", "%", "!", "\\n", "\\033[31m", "\x1b[31m",
		"✅", "❌", "ℹ", "①", "1️⃣", "é", "0", "0", "00", "0.0", "1", "3", "10", "0/3", "2 of 3", "3/3", "50%", "0x1", "~", "<", "{", "}",
		"./", "@", "1. ", "\t",
		"SUCCESS", "success", "Passed", "PASSED", "Completed", "FAILED", "fail", "Failures", "ERROR", "errors", "Error", "unsuccessful",
		"(s)",
		"PASS", "ok", "a", "file.txt",
		"Status", "STATUS=", "Confidence: ", "Created: ", "not", "n't", "no", "none", "nothing", "without", "of", "the", "all", "test",
		"tests",
		"step", "and", "with", "but", "fixed", "free", "rate", "exit code", "-e ", "x",
		"Expected", "will", "TODO: ", "Usage: ", "handling", "codes", "arguments", "fatal", "some", "return code: 3", "pending", "[ ] ",
		"# ", "failing",
		"## ", "| ", "✓ ", "✗ ", "☐ ", "!=", "timed", "except", "false", "or", "|", "if", "when", "Prints", "grep -c", "Looking", "for",
		"to", "level", "LOG_LEVEL=", "Example: ", "Possible values: ", "was", "modes", "FAILURE", "Expected: ",
	}
	r := rand.New(rand.NewPCG(1, 2))
	var texts []string
	var input bytes.Buffer
	for range 1500 {
		text := ""
		for range 1 + r.IntN(9) {
			text += parts[r.IntN(len(parts))]
		}
		texts = append(texts, text)
		input.WriteString(text + "\n")
	}
	dir := t.TempDir()
	code, _, _ := strings.Cut(string(Report()), "if [[ ${BASH_SOURCE[")
	script := code + `
declare -A known=() delivered=()
while IFS='' read -r said; do
	(
		LC_ALL=C success=true confidence=0.5 deliverables='' errors='' errored=0 more=0 heading='' row='' passed='' quoting='' trouble='' since='' doubt='' step=''
		skillhand_hear "$said"
		skillhand_row
		if [[ $heading == 1 || $heading && $passed ]]; then success=false; fi
		skillhand_conclude 0
		printf '{"success":%s,"confidence":%s,"deliverables":[%s],"metrics":{},"errors":[%s]}\n' "$success" "$confidence" "$deliverables" "$errors"
	)
done
`
	file := filepath.Join(dir, "hear.bash")
	if err := os.WriteFile(file, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", `. "$0"`, file)
	cmd.Stdin = &input
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(texts) {
		t.Fatalf("%d lines of %d:\n%.2000s", len(lines), len(texts), out)
	}
	for i, text := range texts {
		said := report.Parse([]byte("x\n"+text), report.Options{})
		want := report.Report{Success: true, Confidence: 0.5}
		if said.Report != nil {
			want = *said.Report
			want.Success = !said.Stated || said.Report.Success
		} else if fault := said.Faults[0]; fault.Code == report.Unclear {
			want = report.Report{Confidence: 0.5, Errors: []report.Error{{Code: string(fault.Code), Message: fault.Message}}}
		}
		got := report.Parse([]byte(lines[i]), report.Options{Strict: true}).Report
		if got == nil || marshal(t, *got) != marshal(t, want) {
			t.Errorf("%q:\n got %s\nwant %s", text, lines[i], marshal(t, want))
		}
	}
}

func marshal(t *testing.T, r report.Report) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPreambleParses: bash 3.2, as on macOS, must at least be able to say that it is too old. It
// cannot parse a literal expression with a group in it.
func TestPreambleParses(t *testing.T) {
	for line := range strings.Lines(string(Report())) {
		_, expr, _ := strings.Cut(line, "=~ ")
		if expr, _, _ = strings.Cut(expr, " ]]"); strings.Contains(expr, "(") {
			t.Errorf("put the expression into a variable: %s", line)
		}
	}
}

// TestLongLines: a migrated script passes on megabytes of output whole, and still prints its
// report. The output has many lines, one long line, or no newline at the end, with dd and without.
func TestLongLines(t *testing.T) {
	dir := t.TempDir()
	e, err := Script("x", []byte(`#!/bin/bash
for ((i = 0; i < 1500; i++)); do echo "line $i"; done
x=$(printf '%0300000d' 0)
printf '%s\n%s' "$x" "$x"
echo
echo "Created: a.txt"
printf 'Error: no disk'
`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "x")
	for name, text := range map[string][]byte{script: e.After, filepath.Join(dir, ReportFile): Report()} {
		if err := os.WriteFile(name, text, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{os.Getenv("PATH"), ""} {
		var stderr bytes.Buffer
		cmd := exec.Command(bash, script)
		cmd.Env, cmd.Stderr = []string{"PATH=" + path}, &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		r := report.Parse(out, report.Options{Strict: true}).Report
		if r == nil || r.Success || len(r.Deliverables) != 1 || len(r.Errors) != 1 || r.Errors[0].Message != "no disk" {
			t.Errorf("PATH=%s: %.300s", path, out)
		}
		if n := bytes.Count(stderr.Bytes(), []byte("\n")); n != 1503 || stderr.Len() < 600_000 ||
			!bytes.HasSuffix(stderr.Bytes(), []byte("\nError: no disk")) {
			t.Errorf("PATH=%s: stderr has %d lines, %d bytes", path, n, stderr.Len())
		}
	}
}
