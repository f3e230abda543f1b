package usage

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/term"
)

// Text is a report for people, in lines of so many columns: of all skills or, if skill is not "", of that one.
func (r *Report) Text(skill string, now time.Time, columns int) string {
	var b strings.Builder
	rows := [][]string{{"skill", "called", "by", "refused", "cost", "last used"}}
	quiet := 0
	for _, s := range r.Skills {
		if s.Counts.Fired() == 0 && s.Cost.Turns == 0 && skill == "" {
			quiet++
			continue
		}
		last := "never"
		if !s.Last.IsZero() {
			last = term.Ago(now.Sub(s.Last))
		}
		rows = append(rows, []string{term.Flat(s.Name), fmt.Sprint(s.Counts.Fired()), callers(s.Counts), refusals(s.Counts), costText(s.Cost), last})
	}
	if skill == "" {
		rows = append(rows, []string{"(no skill)", "", "", "", costText(r.Rest), ""})
	}
	rows = append(rows, []string{"(everything)", "", "", "", costText(r.Total), ""})
	noun := "skill"
	if quiet < len(r.Skills) || r.Total.Turns > 0 { // else the table would have nothing in it
		table(&b, rows)
		b.WriteString("\n")
		noun = "more skill"
	}
	fmt.Fprintf(&b, "%s, %s", term.Plural(len(r.Sessions), "session"), term.Plural(r.Total.Turns, "turn"))
	if quiet > 0 {
		fmt.Fprintf(&b, "; %s offered and not called", term.Plural(quiet, noun))
	}
	b.WriteString(".\n")
	if len(r.Unpriced) > 0 {
		b.WriteString(term.Hang("", fmt.Sprintf("No price is known for %s (table of %s).", strings.Join(r.Unpriced, ", "), r.Prices), columns))
	}
	if skill != "" && len(r.Skills) > 0 {
		skillStory(&b, r, now)
	}
	adviceText(&b, r.Advice, skill, columns)
	return b.String()
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

func refusals(c Counts) string {
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

// table writes rows in columns, the first of which is at most 40 wide.
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

// skillStory writes what became of one skill, and its last calls.
func skillStory(b *strings.Builder, r *Report, now time.Time) {
	s := r.Skills[0]
	c := s.Counts
	fmt.Fprintf(b, "\nOffered in %s, delivered %s", term.Plural(c.Offered, "session"), term.Plural(c.Delivered, "time"))
	for _, part := range []struct {
		n    int
		what string
	}{{c.Subagent, "to a subagent"}, {c.Forked, "as a fork"},
		{c.Compacted, "taken out by compaction"}, {c.Restored, "brought back by the agent"}, {c.Reloaded, "called again after that"}} {
		if part.n > 0 {
			fmt.Fprintf(b, ", %d %s", part.n, part.what)
		}
	}
	b.WriteString(".\n")
	fmt.Fprintf(b, "Its text: %s tokens, %s. Its work: %s tokens in %s, %s; %s of them read from the cache.\n",
		count(s.Cost.Text.Sum()), term.Dollars(s.Cost.TextUSD), count(s.Cost.Work.Sum()),
		term.Plural(s.Cost.Turns, "turn"), term.Dollars(s.Cost.WorkUSD), count(s.Cost.Work.CacheRead))
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

func count(n int64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f M", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.0f k", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// adviceText writes what is worth doing, a few of each kind.
func adviceText(b *strings.Builder, all []Advice, skill string, columns int) {
	if len(all) == 0 {
		return
	}
	more := map[string]int{}
	if skill == "" {
		all, more = Few(all)
	}
	b.WriteString("\nWorth doing:\n")
	for _, a := range all {
		b.WriteString(term.Hang("  ", term.Flat(a.Skill)+": "+a.Text, columns))
	}
	for _, kind := range slices.Sorted(maps.Keys(more)) {
		fmt.Fprintf(b, "  and %d more %s: see --json\n", more[kind], strings.ReplaceAll(kind, "_", " "))
	}
}

// Unread says what of the transcripts was not read: a line each.
func (r *Report) Unread() []string {
	var all []string
	for _, err := range r.Faults {
		all = append(all, err.Error())
	}
	for _, s := range r.Skipped {
		all = append(all, "usage: "+term.Flat(s.String()))
	}
	if r.Damaged > 0 {
		all = append(all, "usage: skipped "+term.Plural(r.Damaged, "line")+" that cannot be read")
	}
	return all
}
