package words

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// first parses a line and returns the words of its first command.
func first(t *testing.T, line string) []*syntax.Word {
	t.Helper()
	f, err := Parse(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return f.Stmts[0].Cmd.(*syntax.CallExpr).Args
}

func TestLiteral(t *testing.T) {
	for _, tt := range []struct {
		word, want string
		ok         bool
	}{
		{`a`, "a", true},
		{`"a b"`, "a b", true},
		{`'a b'c`, "a bc", true},
		{`a\ b`, "a b", true},
		{`"a\$b\x"`, `a$b\x`, true},
		{`''`, "", true},
		{`$a`, "", false},
		{`"$(a)"`, "", false},
		{`$'a\n'`, "", false},
		{`$'a'`, "a", true},
		{`*.go`, "*.go", true}, // a Piece says that it is a pattern
	} {
		if got, ok := Literal(first(t, tt.word)[0]); ok != tt.ok || ok && got != tt.want {
			t.Errorf("Literal(%s) = %q, %v, want %q, %v", tt.word, got, ok, tt.want, tt.ok)
		}
	}
}

// TestFields checks that a value outside quotes is split, that a value in quotes is not, and that
// an empty value outside quotes makes no field.
func TestFields(t *testing.T) {
	values := map[string]string{"a": "one two", "none": "", "sp": " x "}
	expand := func(p Piece) (Value, bool) {
		exp, ok := p.Node.(*syntax.ParamExp)
		if !ok || !Plain(exp) {
			return Value{}, false
		}
		return Value{Text: values[exp.Param.Value]}, true
	}
	for _, tt := range []struct {
		word string
		want []string
		ok   bool
	}{
		{`$a`, []string{"one", "two"}, true},
		{`"$a"`, []string{"one two"}, true},
		{`x$a"y z"`, []string{"xone", "twoy z"}, true},
		{`$none`, nil, true},
		{`"$none"`, []string{""}, true},
		{`a${sp}b`, []string{"a", "x", "b"}, true},
		{`$(date)`, nil, false},
		{`${a:-b}`, nil, false},
	} {
		if got, ok := Fields(first(t, "c "+tt.word)[1], expand); ok != tt.ok || ok && !slices.Equal(got, tt.want) {
			t.Errorf("Fields(%s) = %q, %v, want %q, %v", tt.word, got, ok, tt.want, tt.ok)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{nil, ""},
		{[]string{"git", "log", "--oneline"}, "git log --oneline"},
		{[]string{"a b", "", "it's"}, `'a b' '' 'it'\''s'`},
		{[]string{"$(rm)", "a;b", "~", "*"}, `'$(rm)' 'a;b' '~' '*'`},
		{[]string{"größe", "\xff", "a\u00a0b"}, "größe '\xff' 'a\u00a0b'"},
	} {
		if got := Quote(tt.words...); got != tt.want {
			t.Errorf("Quote(%q) = %s, want %s", tt.words, got, tt.want)
		}
	}
}

// FuzzQuote checks that a shell reads a quoted word unchanged.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "a b", "it's", "$(x)", "a\nb", "\\", "~", "é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, "\x00\r") { // no shell accepts NUL, and our parser drops CR
			return
		}
		words := first(t, "c "+Quote(s))
		if len(words) != 2 {
			t.Fatalf("%q is %d words", s, len(words)-1)
		}
		if got, ok := Literal(words[1]); !ok || got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	})
}
