package main

import (
	"math"
	"strings"
	"testing"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

// TestListLine: a list is no wider than the terminal. Descriptions are cut first, then names; at last descriptions are left out.
func TestListLine(t *testing.T) {
	all := []skillhand.Listed{
		{
			Location:    skill.Location{Call: "a-name-that-is-longer-than-thirty-columns", From: "project"},
			Description: "Reviews what changed, and says what it thinks of it.",
		},
		{Location: skill.Location{Call: "日本語", From: "user"}, Trusted: true, Description: "Short."},
		{Location: skill.Location{Call: "bad", From: "project"}, Error: "bad/SKILL.md:2: not valid YAML"},
	}
	for _, tt := range []struct {
		columns int
		first   string
	}{
		{math.MaxInt32, "a-name-that-is-longer-than-thirty-columns  project  <33 not trusted>  Reviews what changed, and " +
			"says what it thinks of it."},
		{100, "a-name-that-is-longer-than-thirt…  project  <33 not trusted>  Reviews what changed, and says what it…"},
		{80, "a-name-that-is-longer-than-th…  project  <33 not trusted>  Reviews what changed, and…"},
		{60, "a-name-that-is-…  project  <33 not trusted>  Reviews what…"},
		{44, "a-name-th…  project  <33 not trusted>  Reviews…"},
		{40, "a-name-that-is-lo…  project  <33 not trusted>"},
	} {
		line := listLine(all, tt.columns, func(code, text string) string { return "<" + code + " " + text + ">" })
		if got := line(all[0]); got != tt.first+"\n" {
			t.Errorf("%d columns: %q, want %q", tt.columns, got, tt.first)
		}
		if got := line(all[2]); tt.columns > 40 && !strings.Contains(got, "<31 not valid") && !strings.Contains(got, "<31 bad/SKILL") {
			t.Errorf("%d columns: the fault is not red in %q", tt.columns, got)
		}
		plain := listLine(all, tt.columns, term.NoPaint)
		for _, s := range all {
			if got := term.Cells(strings.TrimRight(plain(s), "\n")); got > tt.columns {
				t.Errorf("%d columns: %q takes %d", tt.columns, plain(s), got)
			}
		}
	}
}
