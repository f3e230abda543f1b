package web

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/term"
)

// A listStrip draws the list of skills that an agent gives its model, as one line.
type listStrip struct {
	Agent string
	Said  string // how many skills the model sees
	Label string // the same as a sentence for screen readers
	Parts []part
	Cut   string // where the room ends, in percent; "" if everything fits
	Tall  bool
	Bad   bool // some descriptions are left out

	agents []string // the agents' names
}

// A part is a section of a strip. X and Width are in percent.
type part struct {
	X, Width, Class string
	Name            string // the text inside the part, if there is room
	Title           string
}

// here separates the strips of agents on this machine from the other strips. Claude Code's strip is
// always in the first group.
func (v *visit) here(all []listStrip) (here, others []listStrip) {
	r := v.site.Runtime
	for _, s := range all {
		if slices.ContainsFunc(s.agents, func(name string) bool {
			if name == agents.Claude {
				return true
			}
			if home := agents.Get(name).Transcripts.Home; home != "" && files.IsFolder(filepath.Join(r.Home, home)) {
				return true
			}
			return slices.ContainsFunc(filepath.SplitList(r.Env.Get("PATH")), func(dir string) bool {
				return files.IsFile(filepath.Join(dir, name))
			})
		}) {
			here = append(here, s)
		} else {
			others = append(others, s)
		}
	}
	return here, others
}

// strips returns a strip for each agent. Claude Code's list comes from check, and the other lists
// from the views of the agents.
func strips(l check.List, skills []agents.Skill) []listStrip {
	mine := 0
	for _, one := range l.Lines {
		if !one.Own {
			mine++
		}
	}
	var all []listStrip
	names := agents.Names()
	if mine > 0 {
		all = append(all, claudeStrip(l, mine))
		names = slices.DeleteFunc(names, func(name string) bool { return name == agents.Claude })
	}
	if len(skills) == 0 {
		names = nil
	}
	for _, name := range names {
		s := otherStrip(agents.Get(name), skills)
		alike := slices.IndexFunc(all, func(o listStrip) bool { return o.Said == s.Said && slices.Equal(o.Parts, s.Parts) })
		if alike < 0 {
			all = append(all, s)
		} else {
			all[alike].Agent += ", " + s.Agent
			all[alike].agents = append(all[alike].agents, s.agents...)
		}
	}
	for i := range all {
		all[i] = all[i].labelled()
	}
	return all
}

// otherStrip draws the part of each skill that the agent's model sees, then the part that is cut
// off.
func otherStrip(agent *agents.Agent, skills []agents.Skill) listStrip {
	views := agent.Views(skills)
	s := listStrip{Agent: agent.Title, agents: []string{agent.Name}}
	shown, missing := 0, 0
	var hidden, unsure, cut, why []string
	for i, v := range views {
		name := skills[i].CalledName()
		switch v.Sight {
		case agents.Invisible:
			hidden, why = append(hidden, name), append(why, v.Why)
			continue
		case agents.Unknown:
			unsure = append(unsure, name)
			continue
		case agents.Cut:
			cut = append(cut, name)
		}
		shown += lineSize(name, v.Chars)
		missing += skills[i].Size() - v.Chars
	}
	r := newRoom(shown + missing)
	listed := len(skills) - len(hidden) - len(unsure)
	for i, v := range views {
		if name := skills[i].CalledName(); v.Sight == agents.Seen || v.Sight == agents.Cut {
			r.add(lineSize(name, v.Chars), shade(len(r.parts)), "", name+": "+cmp.Or(v.Why, "whole"))
		}
	}
	if missing > 0 {
		s.Cut = r.percent(r.at)
		r.add(missing, "cut", "", thousands(missing)+" characters of descriptions")
	}
	s.Parts, s.Bad = r.parts, len(cut) > 0
	s.Said = saidOf(listed, len(skills), shown)
	if len(cut) > 0 {
		s.Said += "; cut: " + term.Several(cut, 3)
	}
	if len(hidden) > 0 {
		s.Said += "; not " + term.Several(hidden, 3)
		if slices.Sort(why); len(slices.Compact(why)) == 1 {
			s.Said += ": " + why[0]
		}
	}
	if len(unsure) > 0 {
		s.Said += "; unknown: " + term.Several(unsure, 3)
	}
	return s
}

// lineSize returns the number of characters in a skill's line, without the markup that each agent
// adds.
func lineSize(name string, chars int) int { return utf8.RuneCountInString(name) + chars }

// saidOf describes how many skills an agent's model sees.
func saidOf(listed, of, chars int) string {
	switch listed {
	case 0:
		return "none of " + counted(of, "skill", "skills")
	case of:
		return fmt.Sprintf("all %s, %s characters", counted(of, "skill", "skills"), thousands(chars))
	}
	return fmt.Sprintf("%s of %s, %s characters", thousands(listed), counted(of, "skill", "skills"), thousands(chars))
}

func (s listStrip) labelled() listStrip {
	s.Label = s.Agent + " lists " + s.Said
	return s
}

// A room collects the parts of a strip from left to right.
type room struct {
	size, at float64
	least    float64 // a smaller part is drawn this wide
	parts    []part
}

func newRoom(size int) *room { return &room{size: float64(max(size, 1))} }

func (r *room) percent(n float64) string { return fmt.Sprintf("%.3f%%", n*100/r.size) }

// A name is drawn inside a part if there is room for the name. The room for the edges and for each
// letter is in percent of the strip.
const (
	nameEdges  = 0.9
	nameLetter = 0.55
)

// leastWidth is the share of Claude Code's strip that the smallest part gets: about three pixels.
const leastWidth = 0.003

func (r *room) add(n int, class, name, title string) {
	wide := float64(n)
	if n > 0 {
		wide = max(wide, r.least)
	}
	p := part{X: r.percent(r.at), Width: r.percent(wide), Class: class, Title: title}
	const fewest = 4 // fewer letters do not identify a name
	fit := int((float64(n)*100/r.size - nameEdges) / nameLetter)
	if letters := []rune(name); len(letters) <= fit {
		p.Name = name
	} else if fit > fewest && class != "own" && class != "free" {
		p.Name = string(letters[:fit-1]) + "…"
	}
	r.at += wide
	r.parts = append(r.parts, p)
}

// shade returns a class that differs between neighbors.
func shade(i int) string { return fmt.Sprintf("shade%d", i%4) }

// claudeStrip draws the listed skills, then the share of Claude Code's own skills, then the free
// room or the descriptions that are left out.
func claudeStrip(l check.List, count int) listStrip {
	left := 0
	for _, one := range l.Lines {
		if one.Bare {
			left += one.Text
		}
	}
	taken := 0
	for _, one := range l.Lines {
		if taken += one.Head; !one.Bare {
			taken += one.Text
		}
	}
	r := newRoom(l.Budget + left)
	if least := r.size * leastWidth; left == 0 && float64(taken)+least*float64(len(l.Lines)+1) < r.size {
		r.least = least // the free room is smaller by as much
	}
	own, n := 0, 0
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
			r.add(one.Head, "bare", "", one.Name+": name only")
		default:
			size := one.Head + one.Text
			r.add(size, shade(n), one.Name,
				fmt.Sprintf("%s: %s characters, %.1f %% of the list", one.Name, thousands(size), float64(size)*100/float64(l.Budget)))
			n++
		}
	}
	r.add(own, "own", "Claude Code's own", "Claude Code's own skills: "+thousands(own)+" characters")
	used := int(math.Round(float64(taken) * 100 / float64(l.Budget)))
	if free := l.Budget - taken; left == 0 && free > 0 {
		r.add(int(r.size-r.at), "free", fmt.Sprintf("%d %% is free", 100-used),
			thousands(free)+" of "+thousands(l.Budget)+" characters are free")
	}
	s := listStrip{Agent: "Claude Code", Tall: true, agents: []string{agents.Claude}}
	s.Said = fmt.Sprintf("all %s; %d %% of its %s characters are taken", counted(count, "skill", "skills"), used, thousands(l.Budget))
	if left > 0 {
		r.at = float64(l.Budget)
		s.Cut = r.percent(r.at)
		for _, one := range bare {
			r.add(one.Text, "cut", one.Name, one.Name+": the list has no room for its description of "+thousands(one.Text-2)+" characters")
		}
		s.Said = fmt.Sprintf("%d of %s with a description, %d name only; its %s characters are full",
			count-len(bare), counted(count, "skill", "skills"), len(bare), thousands(l.Budget))
		s.Bad = len(bare) > 0
	}
	if slices.ContainsFunc(l.Lines, func(one check.Line) bool { return one.Away }) {
		s.Said += "; plugin skills are listed once the plugin is installed"
	}
	s.Parts = r.parts
	return s
}

// leftOut returns the names of skills whose descriptions Claude Code's model does not see.
func leftOut(l check.List) string {
	var names []string
	for _, one := range l.Lines {
		if one.Bare && !one.Own {
			names = append(names, one.Name)
		}
	}
	return term.Several(names, 12)
}

// largest returns the names of the skills that take most of Claude Code's list.
func largest(l check.List) string {
	mine := slices.DeleteFunc(slices.Clone(l.Lines), func(one check.Line) bool { return one.Own || one.Bare })
	slices.SortStableFunc(mine, func(a, b check.Line) int { return cmp.Compare(b.Head+b.Text, a.Head+a.Text) })
	var names []string
	for _, one := range mine[:min(len(mine), 5)] {
		names = append(names, fmt.Sprintf("%s %.1f %%", one.Name, float64(one.Head+one.Text)*100/float64(l.Budget)))
	}
	return strings.Join(names, ", ")
}
