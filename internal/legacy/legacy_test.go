package legacy

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The tables in testdata are run by package report, as texts, and by package
// migrate, as scripts.

// TestRules: no line of the rules ends with a space, because that would be cut off; "[ ]" is kept.
func TestRules(t *testing.T) {
	for line := range strings.Lines(Rules) {
		if line = strings.TrimSuffix(line, "\n"); strings.TrimRight(line, " \t") != line {
			t.Errorf("%q ends with a space", line)
		}
	}
}

// TestLines: no line that is made of what people print makes the parser panic or hang.
func TestLines(t *testing.T) {
	parts := []string{
		" ", " ", " ", "\t", "\n", "\r", ".", "..", ",", "/", "-", "->", "—", ":", "=", "?", "(", ")", "[", "]", "|", "│", "_", "*", "**",
		"`", "\"", "'", "#", "$", "%", "!", "\\n", "\\033[31m", "^[[0m",
		"✅", "❌", "✓", "✗", "🟢", "🔴", "[x]", "[OK]", "===", "---", "ℹ", "①", "1️⃣", "é", "\ufffd", "0", "0", "00", "0.0",
		"1", "3", "10", "0/3", "2 of 3", "50%", "0x1", "~", "<", "{", "}", "./", "@",
		"SUCCESS", "success", "Passed", "PASSED", "Completed", "FAILED", "fail", "Failures", "ERROR", "errors", "Error", "unsuccessful",
		"(s)", "PASS", "ok",
		"Status", "STATUS=", "Confidence: ", "Created: ", "File: ", "Duration: ", "ms", "aborted", "rolled back", "not", "n't", "no",
		"none",
		"nothing", "without", "of", "the", "all", "test", "tests", "step", "and", "with", "but", "fixed", "free", "rate", "exit code",
		"-e ", "x",
	}
	for range 20_000 {
		var text strings.Builder
		for range rand.IntN(13) {
			text.WriteString(parts[rand.IntN(len(parts))])
		}
		if r, ok := Parse(text.String()); ok != (r.Succeeded || r.Failed || r.Confidence != nil ||
			r.OutOfRange || r.Duration != nil || len(r.Deliverables) > 0) {
			t.Fatalf("Parse(%q) = %+v, %v", text.String(), r, ok)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text,
			"12:30:%02d INFO building module core, 12 of 345 files, 0 errors so far\n"+
				"12:30 ERROR cannot open file-%d.c: no such file\n✅ test %d passed\n", i%60, i, i)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		Parse(text.String())
	}
}
