package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/term"
)

type usageData struct {
	Table   *table
	Periods []choice
	Facts   []fact
	Charts  []chart
	Advice  []advised
	Faults  []string
	Agents  string // the agents whose transcripts are read
	Period  string
	Any     bool
}

// An advised is a piece of advice with the address of its skill.
type advised struct{ Skill, Link, Text, Command string }

// spans are the periods to choose from.
var spans = []struct {
	key, title string
	days       int
}{{"1d", "1 day", 1}, {"7d", "7 days", 7}, {"30d", "30 days", 30}, {"90d", "90 days", 90}, {"all", "all", 0}}

// usualSpan is the default period, and usualDays is its length in days.
const (
	usualSpan = "30d"
	usualDays = 30
)

// period returns the beginning of the period that the address names, and the period in words. The
// beginning is zero for all.
func (v *visit) period() (since time.Time, words string, err error) {
	key := cmp.Or(v.query.Get("since"), usualSpan)
	for _, s := range spans {
		switch {
		case s.key != key:
		case s.days == 0:
			return time.Time{}, "ever", nil
		default:
			since, err = activity.Since(key, time.Now())
			return since, "in the last " + counted(s.days, "day", "days"), err
		}
	}
	return since, "", errMissing{"There is no period " + key + ": want 1d, 7d, 30d, 90d or all."}
}

// periods returns the choices of a period. at returns the address with a period.
func (v *visit) periods(at func(key string) string) (all []choice) {
	for _, s := range spans {
		key := s.key
		if key == usualSpan {
			key = ""
		}
		all = append(all, choice{Title: s.title, Link: at(key), Here: cmp.Or(v.query.Get("since"), usualSpan) == s.key})
	}
	return all
}

// usage shows how agents used skills, by skill and day. It reads the new parts of the transcripts.
func (v *visit) usage() (*view, error) {
	since, words, err := v.period()
	if err != nil {
		return nil, err
	}
	v.watch(false, activity.Folders(v.site.Runtime.Here, since)...)
	seen, err := v.account(since, "")
	if err != nil {
		return nil, err
	}
	data := &usageData{
		Periods: v.periods(func(key string) string {
			return v.link("usage", "since", key, "q", v.query.Get("q"), "sort", v.query.Get("sort"))
		}),
		Faults: append(seen.Unread(), seen.WithoutPrice()...),
		Agents: strings.Join(activity.Agents(), ", "), Any: len(seen.Sessions) > 0, Period: words,
	}
	c := daysOf(seen, since)
	calls := c.series("calls", "plain")
	for _, d := range seen.Days {
		calls.add(c.day(d.Day), float64(d.Fired))
	}
	data.Charts = []chart{callChart(c, "are skills", calls), costChart(c, seen, skillCosts(c, seen.Skills))}
	data.Facts = []fact{
		{Name: "Sessions", Value: thousands(len(seen.Sessions))}, {Name: "Turns", Value: thousands(seen.Total.Turns)},
		{Name: "Cost", Value: spent(seen.Total)}, {Name: "Without a skill", Value: spent(seen.Rest)},
	}
	data.Advice = v.advised(seen.Advice)
	data.Table = v.usageList(seen, c).table(v)
	return &view{Name: "usage", Tab: "usage", Title: "Usage", Data: data}, nil
}

func (v *visit) advised(all []activity.Advice) (shown []advised) {
	for _, a := range all {
		shown = append(shown, advised{a.Skill, v.link("skill", "skill", a.Skill, "tab", tabOf(a.Kind)), a.Text, a.Command})
	}
	return shown
}

// tabOf returns the tab of a skill with details about a kind of advice.
func tabOf(kind string) string {
	switch kind {
	case activity.Broken, activity.Invisible, activity.Bare:
		return "findings"
	case activity.SameWords, activity.Lost:
		return "tries"
	}
	return "usage"
}

// daysOf divides the period of an account into days.
func daysOf(seen *activity.Account, since time.Time) *calendar {
	first := since
	if since.IsZero() {
		first = time.Now()
		if len(seen.Days) > 0 {
			first, _ = time.ParseInLocation(time.DateOnly, seen.Days[0].Day, time.Local)
		}
	}
	least := midnight(time.Now()).AddDate(0, 0, -6) // fewer bars say little
	if first.After(least) {
		first = least
	}
	return newCalendar(first, first, time.Now())
}

// callChart draws how often agents called skills, or one skill.
func callChart(c *calendar, what string, calls *series) chart {
	p, sum := c.stack("How often "+what+" called "+c.each+"?", "No agent called a skill.", inNumbers, calls)
	if sum > 0 {
		p.Answer = counted(int(sum), "call", "calls")
	}
	return p
}

func skillCosts(c *calendar, skills []activity.Skill) *series {
	costs := c.series("for skills", "plain")
	for _, s := range skills {
		for _, d := range s.Days {
			costs.add(c.day(d.Day), d.Cost.Known())
		}
	}
	return costs
}

// costChart draws the cost of skills, and above it the cost that belongs to no skill.
func costChart(c *calendar, seen *activity.Account, skills *series) chart {
	rest := c.series("without a skill", "rest")
	for _, d := range seen.Days {
		rest.add(c.day(d.Day), d.Cost.Known())
	}
	for i, v := range skills.values {
		if rest.values[i] -= v; rest.values[i] < 1e-9 { // a rounding error
			rest.values[i] = 0
		}
	}
	p, sum := c.stack("What do agents cost "+c.each+"?", "No cost is known.", inDollars, skills, rest)
	if sum > 0 {
		p.Answer = spent(seen.Total)
	}
	return p
}

func (v *visit) usageList(seen *activity.Account, c *calendar) list[activity.Skill] {
	days := map[string]*series{}
	most := 0.0
	for _, s := range seen.Skills {
		days[s.Name] = c.series("calls", "plain")
		for _, d := range s.Days {
			days[s.Name].add(c.day(d.Day), float64(d.Fired))
		}
		most = max(most, slices.Max(days[s.Name].values))
	}
	count := func(key, title, mark string, n func(activity.Skill) int) column[activity.Skill] {
		col := numbered(key, title, n)
		col.fold = key != "offered" // without this column, the number of calls says little
		col.cell = func(s activity.Skill) cell {
			if n(s) == 0 {
				return nothing
			}
			return cell{Text: thousands(n(s)), Mark: mark}
		}
		return col
	}
	each := func(s activity.Skill) float64 { usd, _ := s.PerCall(); return usd }
	return list[activity.Skill]{
		view: "usage", keep: []string{"since"}, one: "skill", what: "skills", usual: "-cost", items: seen.Skills,
		text: func(s activity.Skill) string { return s.Name + "\n" + strings.Join(s.Agents, "\n") },
		states: func(s activity.Skill) []string {
			if s.Unused() {
				return []string{"unused"}
			}
			return []string{"used"}
		},
		columns: []column[activity.Skill]{
			{key: "name", title: "Skill", compare: by(func(s activity.Skill) string { return s.Name }),
				cell: func(s activity.Skill) cell {
					return cell{Text: s.Name, Link: v.link("skill", "skill", s.Name, "tab", "usage", "since", v.query.Get("since"))}
				}},
			{key: "agents", title: "Agents", fold: true,
				compare: by(func(s activity.Skill) string { return strings.Join(s.Agents, ", ") }),
				cell: func(s activity.Skill) cell {
					return cell{Text: strings.Join(s.Agents, ", ")}
				}},
			{key: "days", title: "Calls", number: true,
				compare: by(func(s activity.Skill) int { return s.Counts.Fired() }),
				cell: func(s activity.Skill) cell {
					if s.Counts.Fired() == 0 {
						return cell{Text: "none", Mark: "dim"}
					}
					return cell{Text: thousands(s.Counts.Fired()), Days: dayBars(c, days[s.Name], most), Sub: callers(s.Counts)}
				}},
			count("offered", "Offered", "", func(s activity.Skill) int { return s.Counts.Offered }),
			count("refused", "Refused", "warn", func(s activity.Skill) int { return s.Counts.Refused }),
			count("failed", "Failed", "bad", func(s activity.Skill) int { return s.Counts.Failed }),
			count("unknown", "Unknown", "bad", func(s activity.Skill) int { return s.Counts.Unknown }),
			{key: "cost", title: "Cost", number: true, compare: bySpent, cell: func(s activity.Skill) cell {
				c := cell{
					Text: spent(s.Cost),
					Title: fmt.Sprintf("text %s, work %s in %s",
						term.Dollars(s.Cost.TextUSD), term.Dollars(s.Cost.WorkUSD), counted(s.Cost.Turns, "turn", "turns")),
				}
				if s.Cost.USD == nil {
					c.Mark = "dim"
				}
				return c
			}},
			{key: "each", title: "Per call", number: true, compare: by(each),
				cell: func(s activity.Skill) cell { return costCell(each(s)) }},
			timed("last", "Last used", func(s activity.Skill) time.Time { return s.Last }),
		},
	}
}

// callers describes who called a skill, unless only the model did.
func callers(c activity.Counts) string {
	switch {
	case c.ByPerson == 0:
		return ""
	case c.ByModel == 0:
		return "by a person"
	}
	return fmt.Sprintf("%s by the model, %s by a person", thousands(c.ByModel), thousands(c.ByPerson))
}

// bySpent compares skills by cost, then by calls, because the costs on a cheap machine are mostly
// the same.
func bySpent(a, b activity.Skill) int {
	return cmp.Or(cmp.Compare(a.Cost.Known(), b.Cost.Known()),
		cmp.Compare(a.Counts.Fired(), b.Counts.Fired()), strings.Compare(b.Name, a.Name))
}

// spent returns the known part of a cost in words.
func spent(c activity.Cost) string {
	switch {
	case c.USD == nil && c.Unpriced == 0:
		return "–"
	case c.USD == nil:
		return "unknown"
	case c.Unpriced > 0:
		return "at least " + term.Dollars(*c.USD)
	}
	return term.Dollars(*c.USD)
}

// A skillUsage shows how agents used one skill.
type skillUsage struct {
	Periods []choice
	Facts   []fact
	Charts  []chart
	Advice  []advised
	Faults  []string
	Story   *table
	Period  string
	Any     bool
	Live    bool
}

// skillUsage returns how agents used one skill: the same data that skillhand usage --skill prints.
func (v *visit) skillUsage(k *knowledge) *skillUsage {
	since, words, _ := v.period()
	s := k.skillUsed()
	d := &skillUsage{
		Live: v.live,
		Periods: v.periods(func(key string) string {
			return v.link("skill", "skill", v.query.Get("skill"), "tab", "usage", "since", key)
		}),
		Advice: v.advised(k.account.Advice), Faults: append(k.account.Unread(), k.account.WithoutPrice()...),
		Period: words, Any: len(k.account.Skills) > 0,
	}
	add := func(name string, n int, mark string) {
		if n > 0 {
			d.Facts = append(d.Facts, fact{Name: name, Value: thousands(n), Mark: mark})
		}
	}
	c := s.Counts
	add("Offered, in sessions", c.Offered, "")
	add("Offered without its description", c.Bare, "warn")
	add("Called by the model", c.ByModel, "")
	add("Called by a person", c.ByPerson, "")
	add("Delivered", c.Delivered, "")
	add("Delivered to a subagent", c.Subagent, "")
	add("Delivered as a fork", c.Forked, "")
	add("Refused", c.Refused, "warn")
	add("Failed", c.Failed, "bad")
	add("Unknown", c.Unknown, "bad")
	add("Removed by compaction", c.Compacted, "")
	add("Restored by the agent", c.Restored, "")
	add("Called again after compaction", c.Reloaded, "")
	if s.Gate != nil {
		add("Done at first, by its gate", s.Gate.First, "")
		add("Done after a reminder", s.Gate.Reminded, "")
		add("Never done", s.Gate.Never, "bad")
	}
	if s.Cost.USD != nil || s.Cost.Unpriced > 0 {
		d.Facts = append(d.Facts, fact{Name: "Cost", Value: spent(s.Cost)})
		if usd, known := s.PerCall(); known {
			d.Facts = append(d.Facts, fact{Name: "Per call", Value: term.Dollars(usd)})
		}
		d.Facts = append(d.Facts,
			fact{Name: "Its text", Value: term.Dollars(s.Cost.TextUSD), Title: thousands(int(s.Cost.Text.Sum())) + " tokens"},
			fact{Name: "Its work", Value: term.Dollars(s.Cost.WorkUSD),
				Title: fmt.Sprintf("%s tokens in %s, %s of them read from the cache",
					thousands(int(s.Cost.Work.Sum())), counted(s.Cost.Turns, "turn", "turns"), thousands(int(s.Cost.Work.CacheRead)))})
	}
	days := daysOf(k.account, since)
	calls := days.series("calls", "plain")
	for _, day := range s.Days {
		calls.add(days.day(day.Day), float64(day.Fired))
	}
	costs, sum := days.stack("What does it cost "+days.each+"?", "No cost is known.", inDollars, skillCosts(days, []activity.Skill{s}))
	if sum > 0 {
		costs.Answer = spent(s.Cost)
	}
	d.Charts = []chart{callChart(days, "is it", calls), costs}
	d.Story = v.story(k)
	return d
}

// story returns the last calls of a skill. Each call has its session and the command that turns it
// into a case.
func (v *visit) story(k *knowledge) *table {
	l := list[activity.Fire]{
		view: "skill", at: []string{"skill", v.query.Get("skill"), "tab", "usage"}, keep: []string{"since"},
		one: "call", what: "calls", usual: "-time", items: k.account.Story, sorted: true,
		text: func(f activity.Fire) string {
			return strings.Join([]string{f.ID, f.What, f.Agent, f.Project, f.Session}, "\n")
		},
	}
	l.columns = []column[activity.Fire]{
		{key: "time", title: "When", compare: func(a, b activity.Fire) int { return a.Time.Compare(b.Time) },
			cell: func(f activity.Fire) cell {
				return cell{At: f.Time, Link: v.link("session", "id", f.Session)}
			}},
		{key: "what", title: "What", compare: by(func(f activity.Fire) string { return f.What }),
			cell: func(f activity.Fire) cell {
				mark := map[string]string{"delivered": "good", "refused": "warn", "failed": "bad", "blocked": "bad"}[f.What]
				return cell{Text: f.What, Mark: mark}
			}},
		{key: "agent", title: "Agent", fold: true, compare: by(func(f activity.Fire) string { return f.Agent }),
			cell: func(f activity.Fire) cell {
				return cell{Text: f.Agent}
			}},
		{key: "project", title: "Project", compare: by(func(f activity.Fire) string { return f.Project }),
			cell: func(f activity.Fire) cell {
				return cell{Text: v.near(f.Project)}
			}},
		{title: "As a case of try", cell: func(f activity.Fire) cell {
			return cell{Text: f.ID, Copy: shell.Quote([]string{"skillhand", "usage", "--skill", k.call, "--case", f.ID})}
		}},
	}
	return l.table(v)
}
