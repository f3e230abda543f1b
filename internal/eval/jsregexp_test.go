package eval

import "testing"

// TestCompile has the answers of Node: does new RegExp(pattern, flags) work, and how many matches
// does a text have?
func TestCompile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, flags, text string
		want                 int // -1 means that it does not compile
	}{
		{`done`, "", "done and done", 2},
		{`(done`, "", "", -1},
		{`ADA`, "i", "hello Ada", 1},
		{`ADA`, "", "hello Ada", 0},
		{`foo(?=bar)`, "", "foobar foobaz", 1},
		{`(?<!\$)\b\d+`, "", "$5 17", 1},
		{`(?<q>['"]).*?\k<q>`, "", `'a' "b'`, 1},
		{`(a)\1`, "", "aa", 1},
		{`^b`, "", "a\nb", 0},
		{`^b`, "m", "a\nb", 1},
		{`a$`, "", "a\n", 0},
		{`a$`, "m", "a\r\nb", 1},
		{`a.b`, "", "a\rb", 0},
		{`a.b`, "s", "a\nb", 1},
		{`[^]`, "", "\n", 1},
		{`[]`, "", "x", 0},
		{`[[]x`, "", "[x", 1},
		{`[a-z-[aeiou]]`, "", "a]", 1},
		{`\Aa`, "", "Aa", 1},
		{`\zx`, "", "zx", 1},
		{`a`, "y", "ba", 0},
		{`a`, "y", "aab", 2},
		{`\u0041`, "", "A", 1},
		{`\u{1F600}`, "u", "😀", 1},
		{`é+`, "", "ééa", 1},
		{`\d`, "", "٣", 0},
		{`(?P<a>b)`, "", "", -1},
		{`(?>a)`, "", "", -1},
		{`(?#x)`, "", "", -1},
		{`(?i)a`, "", "", -1},
		{`a`, "z", "", -1},
		{`a`, "ii", "", -1},
		{`a{2`, "", "a{2", 1},
		{`x*`, "", "ab", 3},
		{`\bkra`, "", "Ökra", 1},
		{`\bkra`, "iu", "Ökra", 1},
		{`\p{Lu}kra`, "", "Ökra", 0},
		{`\p{Lu}kra`, "", "p{Lu}kra", 1},
		{`\p{Lu}kra`, "u", "Ökra", 1},
		{`^.$`, "", "😀", 0},
		{`^..$`, "", "😀", 1},
		{`^.$`, "u", "😀", 1},
		{`😀`, "", "a😀b", 1},
		{`[😀]`, "", "😀", 2},
		{`[😀]`, "u", "😀", 1},
		{`^\ud83d\ude00$`, "", "😀", 1},
		{`[\ud83d]`, "", "😀", 1},
		{`\\ud83d`, "", `\ud83d`, 1},
		{`\w`, "", "ö", 0},
		{`\s`, "", "\u00a0\ufeff", 2},
		{`a.b`, "", "a\u2028b", 0},
		{`(?<a>x)|(?<a>y)`, "", "y", 1},
		{`[`, "", "", -1},
		{`*`, "", "", -1},
	} {
		re, err := Compile(tt.pattern, tt.flags)
		if err != nil || tt.want < 0 {
			if err == nil || tt.want >= 0 {
				t.Errorf("Compile(%q, %q): %v, want %d", tt.pattern, tt.flags, err, tt.want)
			}
			continue
		}
		if got, err := re.Count(tt.text); got != tt.want || err != nil {
			t.Errorf("%q %q in %q: %d (%v), want %d", tt.pattern, tt.flags, tt.text, got, err, tt.want)
		}
		if _, ok, _ := re.Find(tt.text); ok != (tt.want > 0) {
			t.Errorf("Find %q %q in %q: %v", tt.pattern, tt.flags, tt.text, ok)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`(?<a>[^\]]+)\k<a>$`, "m", "x")
	f.Fuzz(func(_ *testing.T, pattern, flags, _ string) {
		_, _ = Compile(pattern, flags) // it must not panic
	})
}
