package activity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/term"
)

// A Show selects the part of an account to show.
type Show string

// The parts of an account.
const (
	ShowAll       Show = ""
	ShowUnused    Show = "unused"    // skills that were offered but never used
	ShowExpensive Show = "expensive" // skills, sorted by the cost of a call
	ShowAdvice    Show = "advice"    // all advice
)

// Keep keeps only the skills to show, and sorts them.
func (a *Account) Keep(show Show) {
	switch show {
	case ShowUnused:
		a.Skills = slices.DeleteFunc(a.Skills, func(s Skill) bool { return !s.Unused() })
		slices.SortStableFunc(a.Skills, func(a, b Skill) int { return cmp.Compare(b.Counts.Offered, a.Counts.Offered) })
	case ShowExpensive:
		a.Skills = slices.DeleteFunc(a.Skills, func(s Skill) bool { _, known := s.PerCall(); return !known })
		slices.SortStableFunc(a.Skills, func(a, b Skill) int {
			x, _ := a.PerCall()
			y, _ := b.PerCall()
			return cmp.Compare(y, x)
		})
	}
}

// Text returns an account for people, in lines of the given number of columns. If skill is not "",
// it is about that skill.
func (a *Account) Text(skill string, show Show, now time.Time, columns int) string {
	var b strings.Builder
	if show == ShowAdvice {
		adviceText(&b, a.Advice, len(a.Advice), columns)
		return b.String()
	}
	rows := [][]string{{"skill", "called", "by", "went wrong", "cost", "per call", "offered", "last used"}}
	quiet := 0
	for _, s := range a.Skills {
		if s.Last.IsZero() && s.Cost.Turns == 0 && skill == "" && show == ShowAll {
			quiet++
			continue
		}
		rows = append(rows, skillRow(s, now))
	}
	if skill == "" && show == ShowAll {
		rows = append(rows, []string{"(no skill)", "", "", "", costText(a.Rest)})
	}
	if show != ShowUnused {
		rows = append(rows, []string{"(everything)", "", "", "", costText(a.Total)})
	}
	noun := "skill"
	if quiet < len(a.Skills) || a.Total.Turns > 0 && show == ShowAll { // otherwise the table would be empty
		table(&b, rows)
		b.WriteString("\n")
		noun = "more skill"
	}
	fmt.Fprintf(&b, "%s, %s", term.Plural(len(a.Sessions), "session"), term.Plural(a.Total.Turns, "turn"))
	if quiet > 0 {
		fmt.Fprintf(&b, "; %s offered and not called: skillhand usage --unused", term.Plural(quiet, noun))
	}
	b.WriteString(".\n")
	for _, line := range a.WithoutPrice() {
		b.WriteString(term.Hang("", line, columns))
	}
	if skill != "" && len(a.Skills) > 0 {
		skillStory(&b, a, now)
	}
	if show == ShowAll {
		n := fewAdvice
		if skill != "" {
			n = len(a.Advice)
		}
		adviceText(&b, a.Advice, n, columns)
	}
	return b.String()
}

// skillRow returns a skill's row of the table.
func skillRow(s Skill, now time.Time) []string {
	last, one, offered := "never", "", ""
	if !s.Last.IsZero() {
		last = term.Ago(now.Sub(s.Last))
	}
	if usd, known := s.PerCall(); known {
		one = term.Dollars(usd)
	}
	if s.Counts.Offered > 0 {
		offered = fmt.Sprint(s.Counts.Offered)
	}
	return []string{term.Flat(s.Name), fmt.Sprint(s.Counts.Fired()), callers(s.Counts), failures(s.Counts),
		costText(s.Cost), one, offered, last}
}

func callers(c Counts) string {
	switch {
	case c.Fired() == 0:
		return ""
	case c.ByPerson == 0:
		return "model"
	case c.ByModel == 0:
		return "person"
	}
	return fmt.Sprintf("model %d, person %d", c.ByModel, c.ByPerson)
}

func failures(c Counts) string {
	var all []string
	for _, part := range []struct {
		n    int
		what string
	}{{c.Refused, "refused"}, {c.Failed, "failed"}, {c.Unknown, "unknown"}} {
		if part.n > 0 {
			all = append(all, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return strings.Join(all, ", ")
}

func costText(c Cost) string {
	switch {
	case c.USD == nil && c.Unpriced == 0:
		return ""
	case c.USD == nil:
		return "unknown"
	case c.Unpriced > 0:
		return term.Dollars(*c.USD) + " + unknown"
	}
	return term.Dollars(*c.USD)
}

// table writes rows in columns of at most 40 cells.
func table(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = min(40, max(width[i], term.Cells(cell)))
		}
	}
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += term.Pad(cell, width[i]) + "  "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// skillStory writes details of one skill, and its last calls.
func skillStory(b *strings.Builder, r *Account, now time.Time) {
	s := r.Skills[0]
	c := s.Counts
	fmt.Fprintf(b, "\nOffered in %s, delivered %s", term.Plural(c.Offered, "session"), term.Plural(c.Delivered, "time"))
	for _, part := range []struct {
		n    int
		what string
	}{{c.Subagent, "to a subagent"}, {c.Forked, "as a fork"},
		{c.Compacted, "removed by compaction"}, {c.Restored, "restored by the agent"}, {c.Reloaded, "called again after compaction"}} {
		if part.n > 0 {
			fmt.Fprintf(b, ", %d %s", part.n, part.what)
		}
	}
	b.WriteString(".\n")
	fmt.Fprintf(b, "Its text: %s tokens, %s. Its work: %s tokens in %s, %s; %s of them read from the cache.\n",
		shortNumber(s.Cost.Text.Sum()), term.Dollars(s.Cost.TextUSD), shortNumber(s.Cost.Work.Sum()),
		term.Plural(s.Cost.Turns, "turn"), term.Dollars(s.Cost.WorkUSD), shortNumber(s.Cost.Work.CacheRead))
	if s.Gate != nil {
		fmt.Fprintf(b, "Its gate: its checks %s.\n", s.Gate)
	}
	if len(r.Story) == 0 {
		return
	}
	rows := [][]string{{"id", "when", "what", "agent", "project"}}
	for i, f := range r.Story {
		if i == 20 {
			break
		}
		rows = append(rows, []string{f.ID, term.Ago(now.Sub(f.Time)), f.What, f.Agent, term.FitEnd(term.Flat(f.Project), 40)})
	}
	b.WriteString("\n")
	table(b, rows)
	fmt.Fprintf(b, "\nskillhand usage --skill %s --case ID prints the prompt before a call as a case for skillhand try.\n", s.Name)
}

func shortNumber(n int64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f M", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.0f k", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// adviceText writes the first n pieces of advice.
func adviceText(b *strings.Builder, all []Advice, n, columns int) {
	if len(all) == 0 {
		return
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	b.WriteString("What to do:\n")
	for _, a := range all[:min(n, len(all))] {
		b.WriteString(term.Hang("  ", term.Flat(a.String()), columns))
	}
	if more := len(all) - n; more > 0 {
		fmt.Fprintf(b, "  and %d more: skillhand usage --advice\n", more)
	}
}

// WithoutPrice returns a line with the models that have no known price, if any.
func (a *Account) WithoutPrice() []string {
	if len(a.Unpriced) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("No price is known for %s (table of %s).", strings.Join(a.Unpriced, ", "), a.Prices)}
}

// Unread returns a line for each part of the transcripts that was not read.
func (a *Account) Unread() []string {
	var all []string
	for _, err := range a.Faults {
		all = append(all, err.Error())
	}
	for _, s := range a.Skipped {
		all = append(all, term.Flat(s.String()))
	}
	if a.Damaged > 0 {
		all = append(all, "skipped "+term.Plural(a.Damaged, "line")+" that cannot be read")
	}
	return all
}
