package legacy

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAround compares what the text around a word does with regular expressions
// that say the same.
func TestAround(t *testing.T) {
	tests := []struct {
		name string
		is   func(string) bool
		expr string
	}{
		{"isNot", isNot, `(?i)(?:\b(?:not|never|no|without|cannot)|n't)(?:\s+(?:be|been|yet|fully|any|a))*\s+$`},
		{"isNo", func(text string) bool { return isNo(text, true) }, `(?i)(?:(?:^|[^\w.,/-])(?:(?:no|none|nothing|neither|zero|without|w/o)(?:\s+(?:any|a|an|of|the|single|more))*(?:\s+[a-z]+)?|(?:not|never|cannot)(?:\s+(?:any|a|an|single|been))*)|n't(?:\s+(?:any|a|an|single|been))*)(?:\s+(?:or|nor|have|has|had|was|were))?\s+$`},
		{"isCount", isCount, `(?i)(?:\b[1-9]\d*|\b(?:with|but)(?:\s+(?:some|many|several))?)(?:\s+[a-z]+)?\s+$`},
	}
	part := rapid.SampledFrom([]string{
		" ", " ", " ", "  ", "\t", ".", ",", "/", "-", ":", "=", "(", "_", "é", "✓", "'", "0", "0", "1", "10", "5", "x",
		"no", "NO", "nothing", "neither", "w/o", "or", "nor", "have", "was", "all", "false", "❌", "|", "->", "not", "never", "without", "cannot", "n't", "didn't", "zero", "be", "been", "yet", "fully", "any", "a", "an", "the", "single", "more",
		"of", "out", "out of", "test", "Tests", "and", "with", "found", "has", "are", "were", "but", "some", "many", "several", "0/", "0 of ", "step",
		"(s)", "(", ")", "%", "0.0", "none", "None", "nil", "n/a", "[", "]", "[]", "{}", ";", " found:", "=0", ": ",
	})
	texts := rapid.Map(rapid.SliceOfN(part, 0, 9), func(parts []string) (text string) {
		for _, p := range parts {
			text += p
		}
		return text
	})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			expr := regexp.MustCompile(tt.expr)
			held := 0
			rapid.Check(t, func(t *rapid.T) {
				for range 200 {
					text := texts.Draw(t, "text") + rapid.SampledFrom([]string{"", " ", " ", "\t "}).Draw(t, "space")
					want := expr.MatchString(text)
					if want {
						held++
					}
					if got := tt.is(text); got != want {
						t.Fatalf("%s(%q) = %v, want %v", tt.name, text, got, want)
					}
				}
			})
			if held < 100 {
				t.Errorf("it held for %d texts only", held)
			}
		})
	}
}

// TestLines: nothing that is made of what people print makes the parser panic.
func TestLines(t *testing.T) {
	part := rapid.SampledFrom([]string{
		" ", " ", " ", "\t", "\n", "\r", ".", "..", ",", "/", "-", "->", "—", ":", "=", "?", "(", ")", "[", "]", "|", "│", "_", "*", "**", "`", "\"", "'", "#", "$", "%", "!", "\\n", "\\033[31m", "^[[0m", "\x1b(B", "\x1b[m",
		"✅", "❌", "ℹ", "①", "1️⃣", "é", "\xff", "0", "0", "00", "0.0", "1", "3", "10", "0/3", "2 of 3", "50%", "0x1",
		"SUCCESS", "success", "Passed", "PASSED", "Completed", "FAILED", "fail", "Failures", "ERROR", "errors", "Error", "unsuccessful", "(s)",
		"Status", "STATUS=", "Confidence: ", "Created: ", "not", "n't", "no", "none", "nothing", "without", "of", "the", "all", "test", "tests", "step", "and", "with", "but", "fixed", "free", "rate", "exit code", "-e ", "x",
	})
	rapid.Check(t, func(t *rapid.T) {
		for range 5000 {
			text := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "parts"), "")
			Parse(strings.ToValidUTF8("x\n"+text+"\nx", "\ufffd"))
		}
	})
}
