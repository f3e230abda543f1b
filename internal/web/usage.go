package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/term"
)

// usageDays is how far back the view of usage looks.
const usageDays = 30

type usageData struct {
	Table  *table
	Lead   string
	Facts  []fact
	Plots  []plot
	Advice []advised
	Faults []string
	Days   int
	Agents string // whose transcripts are read
	Any    bool
}

// advised is a piece of advice about a skill.
type advised struct{ Skill, Link, Text, Command string }

// usage shows what agents did with skills, by skill and day. It reads what is new in the transcripts.
func (v *visit) usage() (*view, error) {
	days := lastDays(time.Now())
	h := v.site.Runtime.Here
	v.watch(false, activity.Folders(h, days[0])...)
	seen, err := v.account(days[0])
	if err != nil {
		return nil, err
	}
	data := &usageData{
		Lead: fmt.Sprintf("What agents did with skills in the last %d days, according to their transcripts on this machine. "+
			"A skill costs its text, each time that a request carries it, and the work from its load to the next skill or prompt.", usageDays),
		Plots: []plot{callPlot(seen, days), costPlot(seen, days)},
		Days:  usageDays, Agents: strings.Join(activity.Agents(), ", "), Any: len(seen.Sessions) > 0,
	}
	for _, err := range seen.Faults {
		data.Faults = append(data.Faults, err.Error())
	}
	for _, s := range seen.Skipped {
		data.Faults = append(data.Faults, s.String())
	}
	if seen.Damaged > 0 {
		data.Faults = append(data.Faults, counted(seen.Damaged, "line of a transcript", "lines of transcripts")+" could not be read.")
	}
	if len(seen.Unpriced) > 0 {
		data.Faults = append(data.Faults, "No price is known for "+strings.Join(seen.Unpriced, ", ")+": what that cost is not in the sums.")
	}
	calls := 0
	for _, d := range seen.Days {
		calls += d.Fired
	}
	data.Facts = []fact{
		{Name: "Sessions", Value: thousands(len(seen.Sessions))}, {Name: "Calls of skills", Value: thousands(calls)},
		{Name: "Cost", Value: spent(seen.Total)}, {Name: "Without a skill", Value: spent(seen.Rest)},
	}
	links := v.previews()
	for _, a := range seen.Advice {
		data.Advice = append(data.Advice, advised{a.Skill, links[a.Skill], a.Text, a.Command})
	}
	data.Table = usageList(seen, days, links).table(v)
	return &view{Name: "usage", Tab: "usage", Title: "Usage", Data: data}, nil
}

// previews are the addresses of the skills that are here, by the names that agents call them.
func (v *visit) previews() map[string]string {
	all := map[string]string{}
	skills, _ := v.site.Runtime.List() // the list of skills says what cannot be read
	for _, one := range skills {
		all[one.Call] = v.link("preview", "skill", one.Call)
	}
	return all
}

func usageList(seen *activity.Account, days []time.Time, links map[string]string) list[activity.Skill] {
	most := 0
	agents := map[string]bool{}
	for _, s := range seen.Skills {
		for _, a := range s.Agents {
			agents[a] = true
		}
		for _, d := range s.Days {
			most = max(most, d.Fired)
		}
	}
	count := func(key, title, mark string, n func(activity.Skill) int) column[activity.Skill] {
		return column[activity.Skill]{key: key, title: title, number: true, compare: by(n), cell: func(s activity.Skill) cell {
			if n(s) == 0 {
				return nothing
			}
			return cell{Text: thousands(n(s)), Mark: mark}
		}}
	}
	return list[activity.Skill]{
		view: "usage", one: "skill", what: "skills", usual: "-cost", items: seen.Skills,
		text: func(s activity.Skill) string { return s.Name + "\n" + strings.Join(s.Agents, "\n") },
		columns: []column[activity.Skill]{
			{key: "name", title: "Skill", compare: by(func(s activity.Skill) string { return s.Name }), cell: func(s activity.Skill) cell {
				c := cell{Text: s.Name, Link: links[s.Name]}
				if len(agents) > 1 {
					c.Sub = strings.Join(s.Agents, ", ")
				}
				return c
			}},
			{
				key:     "days",
				title:   "Calls each day",
				compare: by(func(s activity.Skill) int { return s.Counts.Fired() }),
				cell:    func(s activity.Skill) cell { return callsCell(s, days, most) },
			},
			count("offered", "Offered", "", func(s activity.Skill) int { return s.Counts.Offered }),
			count("model", "By the model", "", func(s activity.Skill) int { return s.Counts.ByModel }),
			count("person", "By a person", "", func(s activity.Skill) int { return s.Counts.ByPerson }),
			count("refused", "Refused", "bad", func(s activity.Skill) int { return s.Counts.Refused }),
			count("failed", "Failed", "bad", func(s activity.Skill) int { return s.Counts.Failed + s.Counts.Unknown }),
			{key: "cost", title: "Cost", number: true, compare: bySpent, cell: func(s activity.Skill) cell {
				c := cell{
					Text:  spent(s.Cost),
					Title: fmt.Sprintf("text %s, work %s in %s", term.Dollars(s.Cost.TextUSD), term.Dollars(s.Cost.WorkUSD), counted(s.Cost.Turns, "turn", "turns")),
				}
				if s.Cost.USD == nil {
					c.Mark = "dim"
				}
				return c
			}},
			timed("last", "Last call", func(s activity.Skill) time.Time { return s.Last }),
		},
	}
}

// bySpent orders by cost, then by calls: most costs of a cheap machine are the same.
func bySpent(a, b activity.Skill) int {
	return cmp.Or(cmp.Compare(dollars(a.Cost), dollars(b.Cost)), cmp.Compare(a.Counts.Fired(), b.Counts.Fired()), strings.Compare(b.Name, a.Name))
}

// lastDays are the days that the view shows.
func lastDays(now time.Time) []time.Time {
	var all []time.Time
	for i := range usageDays {
		all = append(all, midnight(now).AddDate(0, 0, i+1-usageDays))
	}
	return all
}

// dayAt is the place of a day of a report among the days that are shown, or -1.
func dayAt(days []time.Time, day string) int {
	return slices.IndexFunc(days, func(d time.Time) bool { return d.Format(time.DateOnly) == day })
}

// callsCell has a bar for each day, scaled to the busiest day of any skill.
func callsCell(s activity.Skill, days []time.Time, most int) cell {
	if s.Counts.Fired() == 0 {
		return cell{Text: "none", Mark: "dim"}
	}
	c := cell{Text: thousands(s.Counts.Fired())}
	for _, d := range s.Days {
		if i := dayAt(days, d.Day); i >= 0 && d.Fired > 0 {
			height := max(8, d.Fired*100/most)
			c.Days = append(c.Days, dayBar{X: i * 100, Y: 100 - height, Height: height, Title: fmt.Sprintf("%s: %s", d.Day, counted(d.Fired, "call", "calls"))})
		}
	}
	return c
}

// A dayBar is a day in a cell, on a field of 100 by 100 for each.
type dayBar struct {
	X, Y, Height int
	Title        string
}

func callPlot(seen *activity.Account, days []time.Time) plot {
	p := plot{Question: "How often are skills called each day?", Bottom: "0", Heads: []string{"Day", "Calls"}, Empty: "No agent called a skill."}
	most, sum := 0, 0
	for _, d := range seen.Days {
		most, sum = max(most, d.Fired), sum+d.Fired
	}
	if sum == 0 {
		return p
	}
	p.Top, p.Answer = thousands(most), counted(sum, "call", "calls")
	for _, d := range seen.Days {
		if i := dayAt(days, d.Day); i >= 0 && d.Fired > 0 {
			b := upright(i, len(days), float64(d.Fired)/float64(most), fmt.Sprintf("%s: %s", d.Day, counted(d.Fired, "call", "calls")))
			b.Class = "plain"
			p.Bars = append(p.Bars, b)
			p.Rows = append(p.Rows, []string{d.Day, thousands(d.Fired)})
		}
	}
	p.From, p.To = days[0].Format(time.DateOnly), days[len(days)-1].Format(time.DateOnly)
	return p
}

// costPlot has what skills cost, and above it what no skill cost.
func costPlot(seen *activity.Account, days []time.Time) plot {
	p := plot{
		Question: "What do agents cost each day?",
		Bottom:   "0",
		Heads:    []string{"Day", "Skills", "No skill"},
		Empty:    "No cost is known.",
		Note:     "Blue: skills; grey: what no skill cost.",
	}
	most := 0.0
	for _, d := range seen.Days {
		most = max(most, dollars(d.Cost))
	}
	if most == 0 {
		return p
	}
	skills := map[string]float64{}
	for _, s := range seen.Skills {
		for _, d := range s.Days {
			skills[d.Day] += dollars(d.Cost)
		}
	}
	p.Top, p.Answer = term.Dollars(most), spent(seen.Total)
	for _, d := range seen.Days {
		i, whole := dayAt(days, d.Day), dollars(d.Cost)
		if i < 0 || whole == 0 {
			continue
		}
		title := fmt.Sprintf("%s: %s for skills, %s for none", d.Day, term.Dollars(skills[d.Day]), term.Dollars(max(0, whole-skills[d.Day])))
		all, part := upright(i, len(days), whole/most, title), upright(i, len(days), skills[d.Day]/most, title)
		all.Class, part.Class = "rest", "plain"
		if p.Bars = append(p.Bars, all); skills[d.Day] > 0 {
			p.Bars = append(p.Bars, part)
		}
		p.Rows = append(p.Rows, []string{d.Day, term.Dollars(skills[d.Day]), term.Dollars(max(0, whole-skills[d.Day]))})
	}
	p.From, p.To = days[0].Format(time.DateOnly), days[len(days)-1].Format(time.DateOnly)
	return p
}

func dollars(c activity.Cost) float64 {
	if c.USD == nil {
		return 0
	}
	return *c.USD
}

// spent is what something cost, as far as it is known.
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
