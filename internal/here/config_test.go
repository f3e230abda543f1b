package here

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseConfig(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want ConfigText
		err  string
	}{
		{"", ConfigText{}, ""},
		{"# nothing\n", ConfigText{}, ""},
		{
			"roots: [skills, ../shared]\nmodel: haiku\nbudget: 2.50\nagents: [claude, codex]\nwrap: never\ncheck: {rules: {SK201: off}}\n",
			ConfigText{Roots: []string{"skills", "../shared"}, Model: "haiku", BudgetUSD: 2.5,
				Agents: []string{"claude", "codex"}, Wrap: "never"}, "",
		},
		{"roots: more\n", ConfigText{Roots: []string{"more"}}, ""},
		{"roots:\n", ConfigText{}, ""},
		{"root: more\nbudget: -1\n", ConfigText{}, "f:1: unknown key root: did you mean roots?\nf:2: budget is -1, want an " +
			"amount in US dollars, such as 2.50"},
		{"budget: .nan\n", ConfigText{}, "f:1: budget is .nan, want an amount"},
		{"roots: {a: b}\n", ConfigText{}, "f:1: roots is keys and values, want a list"},
		{"wrap: sometimes\n", ConfigText{}, `f:1: wrap is "sometimes", want one of auto, always, never`},
		{"model: [a]\n", ConfigText{}, "f:1: model is a list, want a string"},
		{"- a\n", ConfigText{}, "f:1: the configuration is a list, want keys and values"},
		{"a: b: c\n", ConfigText{}, "f:1: not YAML: mapping values"},
		{"check:\n  rules: {SK201: off\n", ConfigText{}, "f:2: not YAML: did not find expected"},
	} {
		got, r := ParseConfig("f", []byte(tt.src))
		err := r.Err()
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v, want an error with %q", tt.src, err, tt.err)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(ConfigText{}, "Check")); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", tt.src, err, diff)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add("roots: [a]\nmodel: b\nbudget: 1\n")
	f.Add("check:\n  rules: {SK1: off}\n")
	f.Fuzz(func(t *testing.T, src string) {
		if got, r := ParseConfig("f", []byte(src)); r.Failed() == 0 &&
			(got.BudgetUSD < 0 || got.Wrap != "" && !strings.Contains("auto always never", got.Wrap)) {
			t.Errorf("%q is taken: %+v", src, got)
		}
	})
}
