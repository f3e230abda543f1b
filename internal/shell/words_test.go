package shell

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/skillhand/skillhand/internal/test"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want string // the words, joined by |; or ! and the error
	}{
		{"", ""},
		{"  ", ""},
		{"get-status-output --short", "get-status-output|--short"},
		{"  a\tb  ", "a|b"},
		{`'a b' "c d" e\ f`, "a b|c d|e f"},
		{`'' "" x`, "||x"},
		{`a'b'"c"\d`, "abcd"},
		{`"a\"b\\c\$d\e"`, `a"b\c$d\e`},
		{`'a\b'`, `a\b`},
		{"a\\\nb", "ab"},
		{"\"a\\\nb\"", "ab"},
		{"\"a\nb\"", "a\nb"},
		{`--x=y a=b 100% a@b c:d e,f ./g ü`, "--x=y|a=b|100%|a@b|c:d|e,f|./g|ü"},
		{`a# b#c HEAD~1 x! a$ "b$"`, "a#|b#c|HEAD~1|x!|a$|b$"},
		{`'*' "?" \[ '~' "{a,b}" '$x' '|' "#"`, "*|?|[|~|{a,b}|$x|||#"},

		{`a | b`, "!the operator |"},
		{`a; b`, "!the operator ;"},
		{`a && b`, "!the operator &"},
		{`a > b`, "!the operator >"},
		{`a < b`, "!the operator <"},
		{`(a)`, "!the operator ("},
		{"a\nb", "!a newline"},
		{`a $HOME`, "!the expansion $HOME"},
		{`"a $HOME"`, "!the expansion $HOME"},
		{`a ${HOME}`, "!the expansion ${"},
		{`a $(b)`, "!the expansion $("},
		{`a $1`, "!the expansion $1"},
		{`a $@`, "!the expansion $@"},
		{`a $'b'`, "!the expansion $'"},
		{"a `b`", "!the expansion `"},
		{"\"`b`\"", "!the expansion `"},
		{`a *`, "!the pattern *"},
		{`a ?`, "!the pattern ?"},
		{`a [b]`, "!the pattern ["},
		{`a {b,c}`, "!the expansion {"},
		{`a ~/b`, "!the expansion ~"},
		{`a # b`, "!a comment"},
		{`a 'b`, "!unclosed '"},
		{`a "b`, `!unclosed "`},
		{`a b\`, "!a backslash at the end"},
	} {
		words, err := Words(tt.in)
		got := strings.Join(words, "|")
		if err != nil {
			got = "!" + err.Error()
		}
		if want, bad := strings.CutPrefix(tt.want, "!"); bad && !(err != nil && strings.Contains(err.Error(), want)) || !bad && got != tt.want {
			t.Errorf("Words(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, tt := range []struct {
		in   []string
		want string
	}{
		{nil, ""},
		{[]string{""}, "''"},
		{[]string{"a", "b-c", "--x=y", "./d", "e@f:g,h%", "ü1"}, "a b-c --x=y ./d e@f:g,h% ü1"},
		{[]string{"a b", "it's", "$x", "*", "~", "a\nb", "\xff"}, `'a b' 'it'\''s' '$x' '*' '~' 'a` + "\n" + `b' '` + "\xff'"},
	} {
		if got := Quote(tt.in); got != tt.want {
			t.Errorf("Quote(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestQuoteWords checks that Words and bash split the output of Quote into the same words.
func TestQuoteWords(t *testing.T) {
	test.NeedBash(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching("[-a-z $*~'\"\\\\#\\n]*"))).Draw(t, "words")
		got, err := Words(Quote(words))
		if err != nil || !slices.Equal(got, words) && len(words) > 0 {
			t.Fatalf("Words(Quote(%q)) = %q, %v", words, got, err)
		}
		if n++; n%10 != 0 || strings.Contains(strings.Join(words, ""), "\x00") {
			return
		}
		out, err := exec.Command("bash", "-c", `printf '%s\0' `+Quote(append([]string{"x"}, words...))).Output()
		if want := strings.Join(append([]string{"x"}, words...), "\x00") + "\x00"; err != nil || string(out) != want {
			t.Fatalf("bash takes %q for %q: %v", words, out, err)
		}
	})
}

func FuzzWords(f *testing.F) {
	f.Add(`a 'b c' "d\"e" f\ g`)
	f.Add(`$x | y`)
	f.Fuzz(func(t *testing.T, s string) {
		words, err := Words(s)
		if err != nil {
			return
		}
		if again, err := Words(Quote(words)); err != nil || !slices.Equal(again, words) {
			t.Errorf("Words(%q) = %q, which come back as %q, %v", s, words, again, err)
		}
	})
}
