package term

import "testing"

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
