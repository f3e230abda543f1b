package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/term"
)

// A decisions is a group of skills that need a decision: fix, delete, or make them cheaper.
type decisions struct {
	Title      string
	Rows, More []decision // the visible decisions, and the folded decisions
	Link       string     // the address of the full list
}

// A decision is about one skill, with a button.
type decision struct {
	Skill, Link, Text, Mark string
	Do                      string // the text on the button
	Command                 string // the command that does it or shows more
}

// A group shows a few decisions and folds some more. A link leads to the rest.
const (
	fewDecisions = 4
	maxDecisions = 40
)

// decide returns the skills that need a decision, the most important first. Its data is that of
// skillhand check and skillhand usage.
func (v *visit) decide(rows []skillRow, seen *activity.Account) []decisions {
	var groups []decisions
	add := func(d decisions) {
		n := min(len(d.Rows), fewDecisions)
		if d.Rows, d.More = d.Rows[:n], d.Rows[n:min(len(d.Rows), maxDecisions)]; n > 0 {
			groups = append(groups, d)
		}
	}
	add(decisions{Title: "Fix", Rows: v.toFix(rows, seen), Link: v.link("skills", "q", "error")})
	add(decisions{Title: "Delete?", Rows: v.toDelete(rows, seen), Link: v.link("usage", "q", "unused")})
	add(decisions{Title: "Expensive", Rows: v.expensive(seen), Link: v.link("usage", "sort", "-each")})
	return groups
}

// toFix returns the skills that do not work: failed calls by agents, and errors of check.
func (v *visit) toFix(rows []skillRow, seen *activity.Account) (all []decision) {
	at := func(skill, tab string) string { return v.link("skill", "skill", skill, "tab", tab) }
	known := map[string]bool{}
	kinds := []string{activity.Broken, activity.Refused, activity.Lost, activity.Invisible, activity.Bare}
	for _, a := range seen.Advice {
		if slices.Contains(kinds, a.Kind) && !known[a.Skill] {
			mark := "warn"
			if a.Kind == activity.Broken || a.Kind == activity.Refused {
				mark = "bad"
			}
			known[a.Skill] = true
			all = append(all, decision{a.Skill, at(a.Skill, tabOf(a.Kind)), a.Text, mark, "Fix", a.Command})
		}
	}
	faulty := slices.DeleteFunc(slices.Clone(rows), func(r skillRow) bool { return known[r.Call] || r.errors == 0 && r.readable })
	slices.SortStableFunc(faulty, func(a, b skillRow) int { return cmp.Compare(b.errors, a.errors) })
	for _, r := range faulty {
		text := counted(r.errors, "error", "errors") + " of check"
		if !r.readable {
			text = cmp.Or(r.Error, "it cannot be read")
		}
		all = append(all, decision{r.Call, at(r.Call, "findings"), text, "bad", "Fix", "skillhand check " + r.Call})
	}
	slices.SortStableFunc(all, func(a, b decision) int { return strings.Compare(a.Mark, b.Mark) }) // bad, then warn
	return all
}

// toDelete returns the skills that were offered but never used. The skill with the most offers
// comes first.
func (v *visit) toDelete(rows []skillRow, seen *activity.Account) (all []decision) {
	unused := *seen
	unused.Skills = slices.Clone(seen.Skills)
	unused.Keep(activity.ShowUnused)
	for _, s := range unused.Skills {
		text := fmt.Sprintf("offered in %s, 0 calls", counted(s.Counts.Offered, "session", "sessions"))
		i := slices.IndexFunc(rows, func(r skillRow) bool { return r.Call == s.Name })
		if i < 0 {
			continue // the skill is not in this list
		}
		if n := (rows[i].listing + 3) / 4; n > 0 {
			text += fmt.Sprintf(", %s tokens saved in each", thousands(n))
		}
		all = append(all, decision{s.Name, v.link("skill", "skill", s.Name, "tab", "usage"), text, "dim", "Look",
			"skillhand usage --unused"})
	}
	return all
}

// expensive returns the skills whose calls cost more than twice the usual cost, the most expensive
// first.
func (v *visit) expensive(seen *activity.Account) (all []decision) {
	dear := *seen
	dear.Skills = slices.Clone(seen.Skills)
	dear.Keep(activity.ShowExpensive)
	if len(dear.Skills) < 2 {
		return nil
	}
	usual, _ := dear.Skills[len(dear.Skills)/2].PerCall()
	for _, s := range dear.Skills {
		each, _ := s.PerCall()
		if each <= 2*usual {
			break
		}
		text := fmt.Sprintf("%s a call, %.0f times the usual; %s in all", term.Dollars(each), each/max(usual, 0.0001), spent(s.Cost))
		all = append(all, decision{s.Name, v.link("skill", "skill", s.Name, "tab", "usage"), text, "dim", "Look",
			"skillhand usage --skill " + s.Name})
	}
	return all
}
