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

// A plot answers a question about a period, drawn, and as a table.
type plot struct {
	Question, Answer string
	Top, Bottom      string // of the scale
	From, To         string // of the period
	Bars             []bar
	Line             string // points of a line, or ""
	Heads            []string
	Rows             [][]string
	Note             string // what the colours mean, or ""
	Empty            string // what to say if there is nothing to draw
}

// A bar is a rectangle on a field of 1000 by 200.
type bar struct {
	X, Y, Width, Height float64
	Title, Class        string
}

const (
	plotWidth  = 1000.0
	plotHeight = 200.0
	maxBars    = 60 // in a plot; a longer time has bars of several days
	maxHours   = 48 // a longer time has no bars of an hour
	minHours   = 11 // a shorter time would have bars that are too wide
)

// A calendar is history, cut into equal periods.
type calendar struct {
	periods []period
	each    string // how long one is, in words
	form    string // of the time at which one begins
}

type period struct {
	from              time.Time
	total, ok, said   int
	confidence, spent float64
}

// newCalendar cuts records, of which there is one at least, the oldest first. A short time is cut into hours, a
// longer one into days.
func newCalendar(records []activity.Record, since, until time.Time) *calendar {
	if first := records[0].Time; since.Before(first) {
		since = first
	}
	c := &calendar{each: "each hour", form: stampForm}
	next := func(t time.Time) time.Time { return t.Add(time.Hour) }
	start := since.Local().Truncate(time.Hour)
	if until.Sub(since) > maxHours*time.Hour {
		start = midnight(since)
		span := int(midnight(until).Sub(start).Hours()/24+0.5) + 1
		days := (span + maxBars - 1) / maxBars
		c.each, c.form = "each day", "2006-01-02"
		if days > 1 {
			c.each = fmt.Sprintf("every %d days", days)
		}
		next = func(t time.Time) time.Time { return t.AddDate(0, 0, days) }
	} else if least := until.Add(-minHours * time.Hour); start.After(least) {
		start = least.Local().Truncate(time.Hour)
	}
	for t := start; !t.After(until); t = next(t) {
		c.periods = append(c.periods, period{from: t})
	}
	c.fill(records)
	return c
}

func (c *calendar) fill(records []activity.Record) {
	i := 0
	for _, r := range records {
		for i+1 < len(c.periods) && !r.Time.Before(c.periods[i+1].from) {
			i++
		}
		p := &c.periods[i]
		p.total++
		if r.OK {
			p.ok++
		}
		if r.Confidence != nil {
			p.said++
			p.confidence += *r.Confidence
		}
		p.spent += r.CostUSD
	}
}

func midnight(t time.Time) time.Time {
	t = t.Local()
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// plots draws what the records of a period came to.
func plots(records []activity.Record, since, until time.Time) []plot {
	c := newCalendar(records, since, until)
	list := []plot{c.success(), c.confidence(), c.cost()}
	for i := range list {
		list[i].From, list[i].To = c.periods[0].from.Format(c.form), c.periods[len(c.periods)-1].from.Format(c.form)
	}
	return list
}

// success has a full bar for each period with runs: what succeeded, and above it what failed.
func (c *calendar) success() plot {
	p := plot{
		Question: "How many succeed " + c.each + "?",
		Top:      "100 %",
		Bottom:   "0",
		Heads:    []string{"From", "Success", "OK", "All"},
		Note:     "Green succeeded, red failed; no bar: nothing ran.",
	}
	ok, total := 0, 0
	for i, d := range c.periods {
		if d.total == 0 {
			continue
		}
		ok, total = ok+d.ok, total+d.total
		rate := float64(d.ok) / float64(d.total)
		title := fmt.Sprintf("%s: %.0f %% of %d", d.from.Format(c.form), rate*100, d.total)
		whole := upright(i, len(c.periods), 1, title)
		whole.Class = "bad"
		if d.ok < d.total {
			p.Bars = append(p.Bars, whole)
		}
		if d.ok > 0 {
			b := upright(i, len(c.periods), rate, title)
			b.Class = "good"
			p.Bars = append(p.Bars, b)
		}
		p.Rows = append(p.Rows, []string{d.from.Format(c.form), fmt.Sprintf("%.0f %%", rate*100), thousands(d.ok), thousands(d.total)})
	}
	if total > 0 {
		p.Answer = fmt.Sprintf("%.1f %%", float64(ok)*100/float64(total))
	}
	return p
}

func (c *calendar) confidence() plot {
	p := plot{
		Question: "How sure are they of it?",
		Top:      "1",
		Bottom:   "0",
		Heads:    []string{"From", "Mean confidence", "Said by"},
		Empty:    "No run said how sure it was: see docs/reports.md.",
	}
	var points []string
	dash := ""
	sum, said := 0.0, 0
	for i, d := range c.periods {
		if d.said == 0 {
			continue
		}
		mean := d.confidence / float64(d.said)
		sum, said = sum+d.confidence, said+d.said
		b := upright(i, len(c.periods), mean, fmt.Sprintf("%s: %.2f", d.from.Format(c.form), mean))
		points = append(points, fmt.Sprintf("%.1f,%.1f", b.X+b.Width/2, b.Y))
		dash = fmt.Sprintf("%.1f,%.1f %.1f,%.1f", b.X, b.Y, b.X+b.Width, b.Y)
		b.Y, b.Height, b.Class = 0, plotHeight, "touch"
		p.Bars = append(p.Bars, b)
		p.Rows = append(p.Rows, []string{d.from.Format(c.form), fmt.Sprintf("%.2f", mean), thousands(d.said)})
	}
	if said > 0 {
		p.Answer = fmt.Sprintf("%.2f", sum/float64(said))
	}
	if p.Line = strings.Join(points, " "); len(points) == 1 { // a line needs two
		p.Line = dash
	}
	return p
}

func (c *calendar) cost() plot {
	p := plot{
		Question: "What does it cost " + c.each + "?",
		Bottom:   "0",
		Heads:    []string{"From", "Cost", "Runs and asks"},
		Empty:    "Nothing cost anything in this period: only asks do.",
	}
	most, sum := 0.0, 0.0
	for _, d := range c.periods {
		most, sum = max(most, d.spent), sum+d.spent
	}
	if most == 0 {
		return p
	}
	p.Top, p.Answer = term.Dollars(most), term.Dollars(sum)
	for i, d := range c.periods {
		if d.spent == 0 {
			continue
		}
		b := upright(i, len(c.periods), d.spent/most, fmt.Sprintf("%s: %s", d.from.Format(c.form), term.Dollars(d.spent)))
		b.Class = "plain"
		p.Bars = append(p.Bars, b)
		p.Rows = append(p.Rows, []string{d.from.Format(c.form), term.Dollars(d.spent), thousands(d.total)})
	}
	return p
}

// upright is bar i of n, as high as part of the field.
func upright(i, n int, part float64, title string) bar {
	step := plotWidth / float64(n)
	height := max(part*plotHeight, 1)
	return bar{X: float64(i)*step + step*0.1, Y: plotHeight - height, Width: step * 0.8, Height: height, Title: title}
}

// A share is a row of a table with a bar.
type share struct {
	Name, Link, Text, Sub string
	Part                  float64 // of 100
}

// What took less than minShare of the time, beyond the first few, is one row together: prompts are many, and
// most of them are used once.
const (
	minShare  = 1.0
	minShares = 3
	maxShares = 12
)

// bySkill says where the time went.
func (v *visit) bySkill(review *activity.Review) []share {
	most := 0.0 // bars are scaled to the longest
	row := func(name, link string, s activity.Ran) share {
		part := 0.0
		if review.DurationMS > 0 {
			part = s.DurationMS * 100 / review.DurationMS
		}
		most = max(most, part)
		return share{
			Name: name,
			Link: link,
			Text: term.ShortDuration(s.DurationMS),
			Sub:  counted(s.Total, "run", "runs") + ", " + thousands(s.Failed) + " failed",
			Part: part,
		}
	}
	skills := slices.Clone(review.Skills)
	slices.SortStableFunc(skills, func(a, b activity.Ran) int { return cmp.Compare(b.DurationMS, a.DurationMS) })
	var all []share
	var rest activity.Ran
	folded := 0
	for i, s := range skills {
		one := row(s.Name, v.link("runs", "q", s.Name), s)
		last := i == len(skills)-1 && folded == 0 // it alone would take as much room as what it is folded into
		if i < minShares || i < maxShares && (one.Part >= minShare || last) {
			all = append(all, one)
			continue
		}
		folded++
		rest.Total, rest.Failed, rest.DurationMS = rest.Total+s.Total, rest.Failed+s.Failed, rest.DurationMS+s.DurationMS
	}
	if folded > 0 {
		all = append(all, row(counted(folded, "other", "others"), "", rest))
	}
	for i := range all {
		if most > 0 {
			all[i].Part *= 100 / most
		}
	}
	return all
}
