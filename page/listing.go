package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/term"
)

// A listStrip is the list of skills that an agent gives its model, drawn as one line.
type listStrip struct {
	Agent string
	Said  string // how much of the skills the model sees
	Label string // the same as one sentence, for who cannot see the strip
	Parts []part
	Cut   string // where the room ends, in percent; "": everything fits
	Tall  bool
	Bad   bool // something is left out
}

// A part is a stretch of a strip. X and Width are in percent.
type part struct {
	X, Width, Class string
	Name            string // drawn inside, if it has room
	Title           string
}

// Lists of other agents, as they were seen with 120 skills of 640 characters each. What surrounds a
// description in the list counts too.
const (
	copilotRoom   = 15_000
	copilotAround = 60
	codexRoom     = 22_000
	codexAround   = 45
)

// strips draws the list for each agent whose list is known.
func strips(l check.List) []listStrip {
	var mine []check.Line
	whole := 0
	for _, one := range l.Lines {
		if !one.Own {
			mine = append(mine, one)
			whole += one.Head + one.Text
		}
	}
	if len(mine) == 0 {
		return nil
	}
	all := []listStrip{claudeStrip(l, len(mine)), codexStrip(mine), copilotStrip(mine)}
	rest := newRoom(whole)
	for i, one := range mine {
		rest.add(one.Head+one.Text, shade(i), "", one.Name+": whole")
	}
	s := listStrip{
		Agent: "Gemini, opencode, pi",
		Said:  fmt.Sprintf("all %s whole, %s characters", thousands(len(mine)), thousands(whole)),
		Parts: rest.parts,
	}
	return append(all, s.labelled())
}

func (s listStrip) labelled() listStrip {
	s.Label = s.Agent + " lists " + s.Said
	return s
}

// A room is where the parts of a strip are put, one after another.
type room struct {
	size, at float64
	parts    []part
}

func newRoom(size int) *room { return &room{size: float64(max(size, 1))} }

func (r *room) percent(n float64) string { return fmt.Sprintf("%.3f%%", n*100/r.size) }

// A name is drawn in a part that has room for it: so much of a strip for its edges and for each letter, in percent.
const (
	nameEdges  = 0.9
	nameLetter = 0.55
)

func (r *room) add(n int, class, name, title string) {
	p := part{X: r.percent(r.at), Width: r.percent(float64(n)), Class: class, Title: title}
	if float64(n)*100/r.size >= nameEdges+nameLetter*float64(utf8.RuneCountInString(name)) {
		p.Name = name
	}
	r.at += float64(n)
	r.parts = append(r.parts, p)
}

// shade lets neighbours differ.
func shade(i int) string { return fmt.Sprintf("shade%d", i%4) }

// claudeStrip has what is listed, then what Claude Code's own skills take, then free room or what is left out.
func claudeStrip(l check.List, count int) listStrip {
	left := 0
	for _, one := range l.Lines {
		if one.Bare {
			left += one.Text
		}
	}
	r := newRoom(l.Budget + left)
	own, listed, n := 0, 0, 0
	var bare []check.Line
	for _, one := range l.Lines {
		switch {
		case one.Own:
			own += one.Head
			if !one.Bare {
				own += one.Text
			}
		case one.Bare:
			bare = append(bare, one)
			r.add(one.Head, "bare", "", one.Name+": its name alone")
			listed += one.Head
		default:
			size := one.Head + one.Text
			r.add(size, shade(n), one.Name, fmt.Sprintf("%s: %s characters, %.1f %% of the list", one.Name, thousands(size), float64(size)*100/float64(l.Budget)))
			listed += size
			n++
		}
	}
	r.add(own, "own", "Claude Code's own", "Claude Code's own skills: "+thousands(own)+" characters")
	s := listStrip{Agent: "Claude Code", Tall: true}
	used := float64(listed+own) * 100 / float64(l.Budget)
	s.Said = fmt.Sprintf("all %s; %.0f %% of its %s characters are taken", counted(count, "skill", "skills"), used, thousands(l.Budget))
	if left > 0 {
		r.at = float64(l.Budget)
		s.Cut = r.percent(r.at)
		for _, one := range bare {
			r.add(one.Text, "cut", one.Name, one.Name+": the list has no room for its description of "+thousands(one.Text-2)+" characters")
		}
		s.Said = fmt.Sprintf("%d of %s with a description, %d by name alone; its %s characters are full",
			count-len(bare), counted(count, "skill", "skills"), len(bare), thousands(l.Budget))
		s.Bad = len(bare) > 0
	}
	if slices.ContainsFunc(l.Lines, func(one check.Line) bool { return one.Away }) {
		s.Said += "; those of a plugin once it is installed"
	}
	s.Parts = r.parts
	return s.labelled()
}

// copilotStrip: Copilot lists in the order of names, and once there is no room the names alone.
func copilotStrip(mine []check.Line) listStrip {
	sorted := slices.Clone(mine)
	slices.SortStableFunc(sorted, func(a, b check.Line) int { return cmp.Compare(a.Name, b.Name) })
	size := func(one check.Line) int { return one.Head + one.Text + copilotAround }
	fit, used, over := 0, 0, 0
	for _, one := range sorted {
		if over == 0 && used+size(one) <= copilotRoom {
			fit, used = fit+1, used+size(one)
		} else {
			over += size(one)
		}
	}
	r := newRoom(copilotRoom + over)
	for i, one := range sorted[:fit] {
		r.add(size(one), shade(i), "", one.Name+": whole")
	}
	s := listStrip{Agent: "Copilot", Said: fmt.Sprintf("all %s, in about %s characters", counted(len(mine), "skill", "skills"), thousands(copilotRoom))}
	if over > 0 {
		r.at = copilotRoom
		s.Cut, s.Bad = r.percent(r.at), true
		for _, one := range sorted[fit:] {
			r.add(size(one), "cut", "", one.Name+": its name alone")
		}
		s.Said = fmt.Sprintf("about %d of %d with a description, in the order of their names", fit, len(mine))
	}
	s.Parts = r.parts
	return s.labelled()
}

// codexStrip: Codex lists every skill, and cuts descriptions until all fit.
func codexStrip(mine []check.Line) listStrip {
	room, texts := codexRoom, []int{}
	for _, one := range mine {
		room -= one.Head + codexAround
		texts = append(texts, one.Text)
	}
	level := level(texts, room)
	over := 0
	for _, n := range texts {
		over += max(0, n-level)
	}
	r := newRoom(codexRoom + over)
	for i, one := range mine {
		r.add(one.Head+codexAround+min(one.Text, level), shade(i), "", one.Name)
	}
	s := listStrip{Agent: "Codex", Said: fmt.Sprintf("all %s, in about %s characters", counted(len(mine), "skill", "skills"), thousands(codexRoom))}
	if over > 0 {
		r.at = codexRoom
		s.Cut, s.Bad = r.percent(r.at), true
		r.add(over, "cut", "", thousands(over)+" characters of descriptions")
		s.Said = fmt.Sprintf("all %s, each description cut to about %d characters", counted(len(mine), "skill", "skills"), level)
	}
	s.Parts = r.parts
	return s.labelled()
}

// level is how long texts may be so that all of them, cut to it, fit into a room.
func level(texts []int, room int) int {
	sorted := slices.Sorted(slices.Values(texts))
	for i, n := range sorted {
		if rest := len(sorted) - i; n*rest > room {
			return max(0, room/rest)
		}
		room -= n
	}
	return slices.Max(append(sorted, 0))
}

// leftOut names the skills whose descriptions Claude Code's model does not see.
func leftOut(l check.List) string {
	var names []string
	for _, one := range l.Lines {
		if one.Bare && !one.Own {
			names = append(names, one.Name)
		}
	}
	return term.Several(names, 12)
}

// largest names the skills that take most of Claude Code's list.
func largest(l check.List) string {
	mine := slices.DeleteFunc(slices.Clone(l.Lines), func(one check.Line) bool { return one.Own || one.Bare })
	slices.SortStableFunc(mine, func(a, b check.Line) int { return cmp.Compare(b.Head+b.Text, a.Head+a.Text) })
	var names []string
	for _, one := range mine[:min(len(mine), 5)] {
		names = append(names, fmt.Sprintf("%s %.1f %%", one.Name, float64(one.Head+one.Text)*100/float64(l.Budget)))
	}
	return strings.Join(names, ", ")
}
