package web

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/agents"
)

// listOf returns a list of skills from the lengths of their descriptions. The sign of each length
// is + for listed, - for its name alone, and = for Claude Code's own.
func listOf(of ...string) (l check.List) {
	for i, one := range of {
		n, _ := strconv.Atoi(one[1:])
		l.Lines = append(l.Lines, check.Line{Name: fmt.Sprintf("skill-%d", i), Head: 10, Text: n, Bare: one[0] == '-', Own: one[0] == '='})
	}
	l.Budget = 1000
	return l
}

// drawnStrip describes a strip in words: the class and width of each part, and where the room ends.
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

// sightOf returns skills in a folder of the project, from lengths as in listOf.
func sightOf(place string, sizes ...int) (all []agents.Skill) {
	for i, n := range sizes {
		name := fmt.Sprintf("skill-%d", i)
		all = append(all, agents.Skill{Place: place, Folder: name, Name: name, Description: strings.Repeat("d", n)})
	}
	return all
}

// TestStrips checks that the parts are one after another, have the right share and stay inside the
// strip, and that text without room is behind the cut. As in list --agents, agents that read other
// folders see no skills.
func TestStrips(t *testing.T) {
	if got := strips(listOf("=90"), nil); got != nil {
		t.Errorf("without skills: %+v", got)
	}
	const codexLooks = "it looks in .agents/skills, .codex/skills"
	for _, tt := range []struct {
		name   string
		list   check.List
		skills []agents.Skill
		want   map[string]string
	}{
		{"all fit", listOf("+190", "+90", "=190"), sightOf(".claude", 193, 93), map[string]string{
			"Claude Code":       "shade 20, shade 10, own 20, free 50; all 2 skills; 50 % of its 1,000 characters are taken",
			"Copilot, opencode": "shade 67, shade 33; all 2 skills, 300 characters",
			"Codex":             "; none of 2 skills; not skill-0, skill-1: " + codexLooks,
			"Gemini":            "; none of 2 skills; not skill-0, skill-1: it looks in .agents/skills, .gemini/skills",
		}},
		{"one is left out", listOf("+790", "-250", "=140"), nil, map[string]string{
			"Claude Code": "shade 64, bare 1, own 12, _ cut 20, cut at 80; 1 of 2 skills with a description, 1 name only; its 1,000 characters are full",
		}},
		{"others have no room", listOf("=90"), sightOf(".agents", slices.Repeat([]int{993}, 18)...), map[string]string{
			"Claude Code": "; none of 18 skills; not skill-0, skill-1, skill-2 and 15 more: " +
				"it looks in .claude/skills, and in plugins once they are installed, or with claude --plugin-dir",
			"Copilot": "shade 6, shade 6, shade 6, shade 6, shade 6, shade 0, shade 0, shade 0, shade 0, shade 0, " +
				"shade 6, shade 6, shade 6, shade 6, shade 6, shade 6, shade 6, shade 6, cut 28, cut at 72; all 18 skills, 13,043 characters; " +
				"cut: skill-5, skill-6, skill-7 and 2 more",
		}},
		{"some places", listOf("=90"), append(sightOf(".agents", 93), sightOf("", 10, 20)...), map[string]string{
			"Codex": "shade 100; 1 of 3 skills, 100 characters; not skill-0, skill-1: " + codexLooks,
		}},
	} {
		got := map[string]string{}
		for _, s := range strips(tt.list, tt.skills) {
			got[s.Agent] = drawnStrip(s)
			if want := s.Agent + " lists " + s.Said; s.Label != want {
				t.Errorf("%s: the label is %q", tt.name, s.Label)
			}
			for _, p := range s.Parts {
				if percentOf(p.X)+percentOf(p.Width) > 100.01 {
					t.Errorf("%s, %s: a part leaves the strip: %+v", tt.name, s.Agent, p)
				}
			}
		}
		for agent, want := range tt.want {
			if got[agent] != want {
				t.Errorf("%s, %s: %s\nwant %s", tt.name, agent, got[agent], want)
			}
		}
	}
}

// TestStripIsTrue checks that a part is as wide as its share of the list, that the smallest part can be
// seen, and that the taken and the free room add up.
func TestStripIsTrue(t *testing.T) {
	l := listOf("+1", "=6191")
	l.Budget, l.Lines[0].Head = 30_000, 5
	s := claudeStrip(l, 1)
	if got, want := drawnStrip(s), "shade 0, own 21, free 79; all 1 skill; 21 % of its 30,000 characters are taken"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := s.Parts[0].Width + ", " + s.Parts[2].Name; got != "0.300%, 79 % is free" {
		t.Error(got)
	}
}

// TestBarsAreTrue checks that the longest bar of the table fits a round share that the heading names.
func TestBarsAreTrue(t *testing.T) {
	for share, want := range map[float64]float64{0: 1, 0.3: 1, 1: 1, 1.1: 2, 4: 5, 51: 100, 120: 100} {
		if got := barTop(share); got != want {
			t.Errorf("barTop(%v) = %v, want %v", share, got, want)
		}
	}
	p := newPlace(t, true, map[string]string{"hello": hello})
	_, text := p.get(p.browser(), "/")
	head := regexp.MustCompile(`Share of the list \(full bar: ([0-9]+) %\)`).FindStringSubmatch(text)
	bar := regexp.MustCompile(`>([0-9.]+) %<.*class="cell-bar" aria-hidden="true"><rect class="plain" width="([0-9.]+)%"`).FindStringSubmatch(text)
	if head == nil || bar == nil {
		t.Fatalf("no heading or no bar in\n%s", text)
	}
	if top, share, width := percentOf(head[1]), percentOf(bar[1]), percentOf(bar[2]); math.Abs(share*100/top-width) > 6/top {
		t.Errorf("the bar for %v %% of %v %% is %v %% long", share, top, width)
	}
}

// TestStripAway checks that the strip says when skills of a plugin that is not installed will be
// listed.
func TestStripAway(t *testing.T) {
	l := listOf("+490", "+20")
	l.Lines[1].Away = true
	if s := claudeStrip(l, 2); !strings.HasSuffix(s.Said, "are taken; plugin skills are listed once the plugin is installed") {
		t.Error(s.Said)
	}
}

// TestStripNames checks that a part shows its name, or the name's beginning, if there is room.
func TestStripNames(t *testing.T) {
	for _, tt := range []struct {
		width             int
		name, class, want string
	}{
		{10, "benchmark", "shade0", "benchmark"}, {5, "benchmark", "shade0", "benchm…"}, {2, "benchmark", "shade0", ""},
		{3, "Claude Code's own", "own", ""},
	} {
		r := newRoom(100)
		if r.add(tt.width, tt.class, tt.name, ""); r.parts[0].Name != tt.want {
			t.Errorf("%s in %d: %q, want %q", tt.name, tt.width, r.parts[0].Name, tt.want)
		}
	}
	l := listOf("+490", "+30")
	if s := claudeStrip(l, 2); s.Parts[0].Name != "skill-0" || s.Parts[1].Name != "skil…" ||
		s.Parts[1].Title != "skill-1: 40 characters, 4.0 % of the list" {
		t.Errorf("%+v", s.Parts)
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
