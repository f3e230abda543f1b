package page

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/check"
)

// listOf is a list of skills: how long each description is, with its sign for what it is: + listed, - by name alone, = Claude Code's own.
func listOf(of ...string) (l check.List) {
	for i, one := range of {
		n, _ := strconv.Atoi(one[1:])
		l.Lines = append(l.Lines, check.Line{Name: fmt.Sprintf("skill-%d", i), Head: 10, Text: n, Bare: one[0] == '-', Own: one[0] == '='})
	}
	l.Budget = 1000
	return l
}

// drawnStrip is a strip in words: the class and width of each part, and where the room ends.
func drawnStrip(s listStrip) string {
	var parts []string
	at := 0.0
	for _, p := range s.Parts {
		x, width := percentOf(p.X), percentOf(p.Width)
		gap := ""
		if x > at+0.01 {
			gap = "_ "
		}
		parts = append(parts, fmt.Sprintf("%s%s %.0f", gap, strings.TrimRight(p.Class, "0123"), width))
		at = x + width
	}
	if s.Cut != "" {
		parts = append(parts, fmt.Sprintf("cut at %.0f", percentOf(s.Cut)))
	}
	return strings.Join(parts, ", ") + "; " + s.Said
}

func percentOf(text string) float64 {
	f, _ := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	return f
}

// TestStrips: parts stand one after another, have their share, never leave the strip, and what has no room stands behind the cut.
func TestStrips(t *testing.T) {
	if got := strips(listOf("=90")); got != nil {
		t.Errorf("without skills: %+v", got)
	}
	for _, tt := range []struct {
		name string
		list check.List
		want []string // for Claude Code, Codex, Copilot, the others
	}{
		{"all fit", listOf("+190", "+90", "=190"), []string{
			"shade 20, shade 10, own 20; all 2 skills; 50 % of its 1,000 characters are taken",
			"shade 1, shade 1; all 2 skills, in about 22,000 characters",
			"shade 2, shade 1; all 2 skills, in about 15,000 characters",
			"shade 67, shade 33; all 2 whole, 300 characters",
		}},
		{"one is left out", listOf("+790", "-250", "=140"), []string{
			"shade 64, bare 1, own 12, _ cut 20, cut at 80; 1 of 2 skills with a description, 1 by name alone; its 1,000 characters are full",
			"shade 4, shade 1; all 2 skills, in about 22,000 characters",
			"shade 6, shade 2; all 2 skills, in about 15,000 characters",
			"shade 75, shade 25; all 2 whole, 1,060 characters",
		}},
		{"others have no room", listOf("+9990", "+9990", "+9990"), []string{
			"",
			"shade 24, shade 24, shade 24, cut 27, cut at 73; all 3 skills, each description cut to about 7278 characters",
			"shade 29, _ cut 29, cut 29, cut at 43; about 1 of 3 with a description, in the order of their names",
			"shade 33, shade 33, shade 33; all 3 whole, 30,000 characters",
		}},
	} {
		for i, s := range strips(tt.list) {
			if got := drawnStrip(s); tt.want[i] != "" && got != tt.want[i] {
				t.Errorf("%s, %s: %s\nwant %s", tt.name, s.Agent, got, tt.want[i])
			}
			if want := s.Agent + " lists " + s.Said; s.Label != want {
				t.Errorf("%s: the label is %q", tt.name, s.Label)
			}
			if tt.want[i] != "" && s.Parts[len(s.Parts)-1].Class != "" {
				if last := s.Parts[len(s.Parts)-1]; percentOf(last.X)+percentOf(last.Width) > 100.01 {
					t.Errorf("%s, %s: a part leaves the strip: %+v", tt.name, s.Agent, last)
				}
			}
		}
	}
}

// TestStripAway: skills of a plugin that is not installed are said to be listed once it is.
func TestStripAway(t *testing.T) {
	l := listOf("+490", "+20")
	l.Lines[1].Away = true
	if s := claudeStrip(l, 2); !strings.HasSuffix(s.Said, "are taken; those of a plugin once it is installed") {
		t.Error(s.Said)
	}
}

// TestStripNames: a name is drawn where there is room for it.
func TestStripNames(t *testing.T) {
	l := listOf("+490", "+20")
	if s := claudeStrip(l, 2); s.Parts[0].Name != "skill-0" || s.Parts[1].Name != "" || s.Parts[1].Title != "skill-1: 30 characters, 3.0 % of the list" {
		t.Errorf("%+v", s.Parts)
	}
}

func TestLevel(t *testing.T) {
	for _, tt := range []struct {
		texts []int
		room  int
		want  int
	}{{nil, 10, 0}, {[]int{5, 3}, 8, 5}, {[]int{5, 3}, 7, 4}, {[]int{100, 2, 2}, 10, 6}, {[]int{4, 4, 4}, 2, 0}, {[]int{4}, -5, 0}} {
		got := level(tt.texts, tt.room)
		if got != tt.want {
			t.Errorf("level(%v, %d) = %d, want %d", tt.texts, tt.room, got, tt.want)
		}
	}
}

func TestLeftOut(t *testing.T) {
	if got := leftOut(listOf("+5", "-5", "=5")); got != "skill-1" {
		t.Error(got)
	}
	many := make([]string, 14)
	for i := range many {
		many[i] = "-5"
	}
	if got := leftOut(listOf(many...)); !strings.HasSuffix(got, ", skill-11 and 2 more") {
		t.Error(got)
	}
	if got := largest(listOf("+90", "+190", "-900", "=900")); got != "skill-1 20.0 %, skill-0 10.0 %" {
		t.Error(got)
	}
}
