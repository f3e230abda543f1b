package term

import (
	"slices"
	"testing"
)

func TestCells(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"plain", 5},
		{"naïve", 5},
		{"nai\u0308ve", 5}, // with a combining mark
		{"日本語", 6},
		{"ｆｕｌｌ", 8},
		{"ﾊﾝｶｸ", 4},
		{"한국어", 6},
		{"\u1112\u1161\u11ab", 2}, // a syllable in three parts
		{"✓ ✗ … ─ █", 9},
		{"👍", 2},
		{"👍🏽", 2},
		{"👩‍🚀", 2},
		{"👨‍👩‍👧‍👦x", 3},
		{"🇩🇪", 2},
		{"\u200d", 0},
		{" \u200d👍", 3},
		{"👍\u200d x", 4},
		{"ไทย", 3},
		{"हिन्दी", 5},
		{"עברית", 5},
	} {
		if got := Cells(tt.text); got != tt.want {
			t.Errorf("Cells(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

func TestFit(t *testing.T) {
	for _, tt := range []struct {
		text    string
		n       int
		want    string
		wantEnd string
	}{
		{"short", 5, "short", "short"},
		{"longer", 5, "long…", "…nger"},
		{"日本語", 5, "日本…", "…本語"},
		{"日本語", 4, "日…", "…語"},
		{"日本語", 1, "…", "…"},
		{"日本語", 0, "", ""},
		{"a👩‍🚀b", 3, "a…", "…b"},
		{"nai\u0308ve", 4, "nai\u0308…", "…i\u0308ve"},
	} {
		if got := Fit(tt.text, tt.n); got != tt.want {
			t.Errorf("Fit(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
		if got := FitEnd(tt.text, tt.n); got != tt.wantEnd {
			t.Errorf("FitEnd(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.wantEnd)
		}
	}
}

func TestFitWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"short enough", 12, "short enough"},
		{"cut between the words", 14, "cut between…"},
		{"cut at the blank", 11, "cut at the…"},
		{"no comma, either", 12, "no comma…"},
		{"an internationalization", 12, "an internat…"}, // rather than nearly nothing
		{"日本 語学習の", 8, "日本…"},
		{"word", 1, "…"},
		{"word", 0, ""},
	} {
		if got := FitWords(tt.text, tt.n); got != tt.want {
			t.Errorf("FitWords(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text       string
		n          int
		want, hard []string
	}{
		{"", 10, []string{""}, []string{""}},
		{"a few words here", 8, []string{"a few", "words", "here"}, []string{"a few", "words", "here"}},
		{"see /a/very/long/path there", 8, []string{"see", "/a/very/long/path", "there"}, []string{"see", "/a/very/", "long/pat", "h there"}},
		{"日本語学習", 4, []string{"日本語学習"}, []string{"日本", "語学", "習"}},
	} {
		if got := Wrap(tt.text, tt.n); !slices.Equal(got, tt.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
		if got := wrapHard(tt.text, tt.n); !slices.Equal(got, tt.hard) {
			t.Errorf("wrapHard(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.hard)
		}
	}
}

func TestEither(t *testing.T) {
	for _, tt := range []struct {
		values []string
		want   string
	}{{nil, ""}, {[]string{"", "a"}, "a"}, {[]string{"", "a", "b"}, "a or b"}, {[]string{"a", "b", "c"}, "a, b or c"}} {
		if got := Either(tt.values); got != tt.want {
			t.Errorf("Either(%q) = %q, want %q", tt.values, got, tt.want)
		}
	}
}

func TestMessage(t *testing.T) {
	programs := map[string][]string{"skillhand": {"trust", "load", "check", "list"}, "npm": {"install"}}
	for _, tt := range []struct{ text, want string }{
		{"short enough", "short enough"},
		{"this is broken between words, and nowhere else", "this is broken between\n  words, and nowhere else"},
		{"not run: /a/b is not trusted (skillhand trust /a/b)", "not run: /a/b is not\n  trusted\n  (skillhand trust /a/b)"},
		{"no such folder here: skillhand trust /a/very/long/path/of/a/project",
			"no such folder here:\n  skillhand trust /a/very/long/path/of/a/project"},
		{"skillhand does not look inside this one, nor there", "skillhand does not look\n  inside this one, nor\n  there"},
		{"3 of 4 failed: skillhand load x; and this goes on", "3 of 4 failed:\n  skillhand load x; and\n  this goes on"},
		{"1 of 4 failed, and skillhand load x shows you exactly why", "1 of 4 failed, and\n  skillhand load x shows\n  you exactly why"},
		{"a/path/that/is/longer/than/the/terminal is not there", "a/path/that/is/longer/than/the/terminal\n  is not there"},
		{"try it now: skillhand load x (which skillhand list shows)", "try it now:\n  skillhand load x (which\n  skillhand list shows)"},
		{"claude is missing (install it: npm install -g claude)", "claude is missing\n  (install it:\n  npm install -g claude)"},
		{"", ""},
	} {
		if got := Message(tt.text, 26, programs); got != tt.want {
			t.Errorf("Message(%q) =\n%s\nwant\n%s", tt.text, got, tt.want)
		}
	}
}
