package bind

import (
	"strings"
	"testing"
)

func TestSplitData(t *testing.T) {
	for _, tt := range []struct {
		data string
		want string // words joined by |
	}{
		{"", ""},
		{"a", "a"},
		{" a  b\tc\nd ", "a|b|c|d"},
		{`"my file.txt" --fast`, "my file.txt|--fast"},
		{`'a b' c`, "a b|c"},
		{`--name="a b"`, "--name=a b"},
		{`a"b"c ''`, "abc|"},
		{`it's a dog`, "it's|a|dog"},
		{`"x; y" z`, `"x;|y"|z`},
		{`"$(id)"`, `"$(id)"`},
		{`a\ b`, `a\|b`},
		{`"unclosed b`, `"unclosed|b`},
		{"*.go b?", "*.go|b?"},
	} {
		if got := strings.Join(splitData(tt.data, false, false), "|"); got != tt.want {
			t.Errorf("splitData(%q) = %q, want %q", tt.data, got, tt.want)
		}
	}
}

// TestOptions: options are known in full, shortened and joined to others.
func TestOptions(t *testing.T) {
	tar, grep, find := risky()["tar"], riskyGit()["grep"], risky()["find"]
	for _, tt := range []struct {
		o    options
		word string
		want bool
	}{
		{tar, "--checkpoint-action=exec=x", true}, {tar, "--checkpoint-act=x", true}, {tar, "--verbose", false}, {tar, "-Ix", true}, {tar, "-xvIz", true}, {tar, "-xvf", false},
		{grep, "-O", true}, {grep, "-nOless", true}, {grep, "--open-files-in-pager=x", true}, {grep, "--op", true}, {grep, "-n", false}, {grep, "--only-matching", false}, {grep, "-e", false},
		{find, "-exec", true}, {find, "-execdir", true}, {find, "-name", false}, {find, "-n", false},
		{options{runs: "*"}, "-x", true}, {options{runs: "*"}, "-5", false}, {options{runs: "*"}, "--", false}, {options{runs: "*"}, "-", false}, {options{runs: "*"}, "x", false},
	} {
		if got := tt.o.has(tt.word); got != tt.want {
			t.Errorf("%+v has %q: %v, want %v", tt.o, tt.word, got, tt.want)
		}
	}
}
