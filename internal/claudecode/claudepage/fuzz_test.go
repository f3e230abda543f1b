package claudepage

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// FuzzScan: the directives of any text are parts of it, in its own words.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		"a !`echo A` b", "`x !`echo A` y`", "```!\necho A\n```", "!`echo ```! echo A ````", "\u3000!`a\r\nb`", "!``", "```!",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range scan(text) {
			if !strings.Contains(text, d.Source) {
				t.Errorf("scan(%q): %q is not in the text", text, d.Source)
			}
			if d.Command == "" || claudecode.TrimSpace(d.Command) != d.Command {
				t.Errorf("scan(%q): command %q is not trimmed", text, d.Command)
			}
			if n := strings.Count(text, "\n") + 1; d.Line < 1 || d.Line > n {
				t.Errorf("scan(%q): line %d of %d", text, d.Line, n)
			}
		}
	})
}

// An argument alone never makes a directive, wherever in a plain text it is put.
func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{"!`touch x`", "```!\ntouch x\n```", "`!`!`a`", "!!`a`", "a\n!`b`", "\ufeff!`a`", "! `a`", "`` `!", "\\!`a`"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		clean := sanitize(value)
		for _, text := range []string{clean, " " + clean, "x\n" + clean + "\ny", clean + " " + clean} {
			if found := scan(text); len(found) > 0 {
				t.Errorf("sanitize(%q) = %q holds %q", value, clean, found[0].Source)
			}
		}
		if again := sanitize(clean); utf8.ValidString(value) && strings.ReplaceAll(again, `\`, "") != strings.ReplaceAll(clean, `\`, "") {
			t.Errorf("sanitize(%q) = %q, and of that %q", value, clean, again)
		}
	})
}

// Splitting ends, and makes up no letters.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"a \"b c\" 'd'", "it's a dog", "a && b > c", "[x] y", "((a b)) c", "for x in $(a b); do c", "case x in a) b", "a\\", "`a b` c",
		"f() { a; }", "${x:-$(y 'z')}", "a <<EOF\nb", "{fd}> x", "!(a) b", "a=(b c", "[[ $(a", "export A=1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, args string) {
		for _, word := range splitArgs(args) {
			if len(word) > len(args) {
				t.Errorf("splitArgs(%q) made %q", args, word)
			}
		}
	})
}

// Expanding a text without placeholders changes nothing, and adds the arguments once.
func FuzzExpand(f *testing.F) {
	f.Add("a $0 \\$1 $ARGUMENTS[2] $name", "x 'y z'")
	f.Add("\\\\$ARGUMENTS $1x", "`a` !b")
	f.Fuzz(func(t *testing.T, body, args string) {
		s := &Skill{body: body, front: frontmatter{arguments: []string{"name", "other-name"}}}
		got := s.expand(Request{Args: args, Tool: true})
		if !strings.ContainsAny(body, `$\`) {
			want := body
			if args != "" {
				want += "\n\nARGUMENTS: "
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("expand(%q, %q) = %q", body, args, got)
			}
		}
	})
}

// No file, however broken, is more than its frontmatter and its body.
func FuzzFrontmatter(f *testing.F) {
	for _, seed := range []string{
		"---\nname: x\n---\nbody", "---\r\na: [\r\n---\r\n", "\ufeff---\n---\n", "---\nx: &a\n  b: *a\n<<: *a\n---", "---\na: \"---\"\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		yaml, body := claudecode.SplitFrontmatter(src)
		if !strings.HasSuffix(src, body) || !strings.Contains(src, yaml) {
			t.Errorf("claudecode.SplitFrontmatter(%q) = %q, %q", src, yaml, body)
		}
		for _, name := range parseFrontmatter(yaml).arguments {
			if claudecode.TrimSpace(name) == "" {
				t.Errorf("%q names a blank argument", yaml)
			}
		}
	})
}

// FuzzDirectives: what Directives says stands in the file, and is what Render would scan for.
func FuzzDirectives(f *testing.F) {
	for _, src := range []string{"a !`b` c", "---\nx: y\n---\n```!\na\n``` !`c`", "\ufeff--- \n---!`a`", "\xff !`\r\na\r\n`", "```! !`a` ```"} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got := claudecode.Directives(src)
		for i, d := range got {
			if d.Offset < 0 || d.From < d.Offset || d.End > len(src) || d.From+len(d.Command) > d.End {
				t.Fatalf("%q: %+v", src, d)
			}
			written := strings.ReplaceAll(string(src[d.From:d.End]), "\r\n", "\n")
			if !strings.HasPrefix(written, d.Command) || d.Line != 1+strings.Count(string(src[:d.Offset]), "\n") {
				t.Errorf("%q: %+v stands at %q", src, d, written)
			}
			if i > 0 && d.Offset < got[i-1].Offset {
				t.Errorf("%q: out of order", src)
			}
		}
		if utf8.Valid(src) {
			_, body := claudecode.SplitFrontmatter(string(src))
			if n := len(scan(body)); n != len(got) {
				t.Errorf("%q: %d directives, Render sees %d", src, len(got), n)
			}
		}
	})
}
