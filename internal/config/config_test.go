package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want File
		err  string
	}{
		{"", File{}, ""},
		{"# nothing\n", File{}, ""},
		{
			"roots: [skills, ../shared]\nmodel: haiku\nbudget: 2.50\nagents: [claude, codex]\nwrap: never\ncheck: {rules: {SK201: off}}\n",
			File{Roots: []string{"skills", "../shared"}, Model: "haiku", BudgetUSD: 2.5, Agents: []string{"claude", "codex"}, Wrap: "never"}, "",
		},
		{"roots: more\n", File{Roots: []string{"more"}}, ""},
		{"roots:\n", File{}, ""},
		{"root: more\nbudget: -1\n", File{}, "f:1: unknown key root: did you mean roots?\nf:2: want an amount in US dollars, such as 2.50"},
		{"budget: .nan\n", File{}, "f:1: want an amount"},
		{"roots: {a: b}\n", File{}, "f:1: want a list of texts"},
		{"wrap: sometimes\n", File{}, `f:1: "sometimes", want one of [auto always never]`},
		{"model: [a]\n", File{}, "f:1: want a text"},
		{"- a\n", File{}, "f:1: want key: value"},
		{"a: b: c\n", File{}, "f:1: not YAML: mapping values"},
		{"check:\n  rules: {SK201: off\n", File{}, "f:2: not YAML: did not find expected"},
	} {
		got, err := Parse("f", []byte(tt.src))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v, want an error with %q", tt.src, err, tt.err)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(File{}, "Check")); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", tt.src, err, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("roots: [a]\nmodel: b\nbudget: 1\n")
	f.Add("check:\n  rules: {SK1: off}\n")
	f.Fuzz(func(t *testing.T, src string) {
		if got, err := Parse("f", []byte(src)); err == nil && (got.BudgetUSD < 0 || got.Wrap != "" && !strings.Contains("auto always never", got.Wrap)) {
			t.Errorf("%q is taken: %+v", src, got)
		}
	})
}
