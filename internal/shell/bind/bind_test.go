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
