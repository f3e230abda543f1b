package doc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseConfig(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want Config
		err  string
	}{
		{"", Config{}, ""},
		{"# nothing\n", Config{}, ""},
		{
			"roots: [skills, ../shared]\nmodel: haiku\nbudget: 2.50\nagents: [claude, codex]\nwrap: never\ncheck: {rules: {SK201: off}}\n",
			Config{Roots: []string{"skills", "../shared"}, Model: "haiku", BudgetUSD: 2.5, Agents: []string{"claude", "codex"}, Wrap: "never"}, "",
		},
		{"roots: more\n", Config{Roots: []string{"more"}}, ""},
		{"roots:\n", Config{}, ""},
		{"root: more\nbudget: -1\n", Config{}, "f:1: unknown key root: did you mean roots?\nf:2: want an amount in US dollars, such as 2.50"},
		{"budget: .nan\n", Config{}, "f:1: want an amount"},
		{"roots: {a: b}\n", Config{}, "f:1: want a list of texts"},
		{"wrap: sometimes\n", Config{}, `f:1: "sometimes", want one of [auto always never]`},
		{"model: [a]\n", Config{}, "f:1: want a text"},
		{"- a\n", Config{}, "f:1: want key: value"},
		{"a: b: c\n", Config{}, "f:1: not YAML: mapping values"},
		{"check:\n  rules: {SK201: off\n", Config{}, "f:2: not YAML: did not find expected"},
	} {
		got, err := ParseConfig("f", []byte(tt.src))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v, want an error with %q", tt.src, err, tt.err)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Config{}, "Check")); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", tt.src, err, diff)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add("roots: [a]\nmodel: b\nbudget: 1\n")
	f.Add("check:\n  rules: {SK1: off}\n")
	f.Fuzz(func(t *testing.T, src string) {
		if got, err := ParseConfig("f", []byte(src)); err == nil &&
			(got.BudgetUSD < 0 || got.Wrap != "" && !strings.Contains("auto always never", got.Wrap)) {
			t.Errorf("%q is taken: %+v", src, got)
		}
	})
}
