package check

import (
	"testing"

	"github.com/skillhand/skillhand/internal/eval"
)

var nullables = []string{
	"", "a", "a*", "a+", "a?", "a|", "|a", "(a|b*)c?", "^$", "^(?!.*error)", "(?=x)", "(?!x)a?", "(?<=x)", "(?<!x)",
	`\b`, `\B`, `\d*`, `\d`, `[a*]`, `[\]]*`, "x{0}", "x{0,3}?", "x{2,}", "x{,3}",
	`(a)?\1`, `(?<n>a)?\k<n>`, "(a", "a)", "[a", `a\`, "x{a}", "(?:)", "(?<n>)", `\x41*`, `A*`, ".*", "é*", "a{0}{", "(a*)+", "()", "[]", "[^]*",
}

// FuzzNullable compares with the engine that try uses.
func FuzzNullable(f *testing.F) {
	for _, p := range nullables {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		re, err := eval.Compile(pattern, "")
		if err != nil {
			return // it may be taken for one that compiles: nothing follows from it
		}
		n, err := re.Count("")
		if err != nil {
			return
		}
		if got, err := nullable(pattern); err == nil && got != (n == 1) {
			t.Errorf("nullable(%q) = %v; it matches %d times", pattern, got, n)
		}
	})
}
