package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/skillhand/skillhand/history"
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
	maxBars    = 60 // in a plot; a longer period has bars of several days
)

// A period is some days of history.
type period struct {
	from                    time.Time
	total, ok, said         int
	confidence, cost, spent float64
}

// periods cuts records, the oldest first, into equal numbers of days.
func periods(records []history.Record, since, until time.Time) (all []period, days int) {
	if len(records) == 0 {
		return nil, 1
	}
	if first := records[0].Time; since.Before(first) {
		since = first
	}
	start := midnight(since)
	span := int(midnight(until).Sub(start).Hours()/24+0.5) + 1
	days = (span + maxBars - 1) / maxBars
	for t := start; !t.After(until); t = t.AddDate(0, 0, days) {
		all = append(all, period{from: t})
	}
	i := 0
	for _, r := range records {
		for i+1 < len(all) && !r.Time.Before(all[i+1].from) {
			i++
		}
		p := &all[i]
		p.total++
		if r.OK {
			p.ok++
		}
		if r.Confidence != nil {
			p.said++
			p.confidence += *r.Confidence
		}
		p.cost += r.CostUSD
		p.spent += r.DurationMS
	}
	return all, days
}

func midnight(t time.Time) time.Time {
	t = t.Local()
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

const dayForm = "2006-01-02"

// plots draws what the records of a period came to.
func plots(records []history.Record, since, until time.Time) []plot {
	all, days := periods(records, since, until)
	each := "each day"
	if days > 1 {
		each = fmt.Sprintf("every %d days", days)
	}
	list := []plot{successPlot(all, each), confidencePlot(all), costPlot(all, each)}
	for i := range list {
		if len(all) > 0 {
			list[i].From, list[i].To = all[0].from.Format(dayForm), all[len(all)-1].from.Format(dayForm)
		}
	}
	return list
}

func successPlot(all []period, each string) plot {
	p := plot{Question: "How many succeed " + each + "?", Top: "100 %", Bottom: "0", Heads: []string{"From", "Success", "OK", "All"}, Empty: "Nothing ran in this period."}
	ok, total := 0, 0
	for i, d := range all {
		if d.total == 0 {
			continue
		}
		ok, total = ok+d.ok, total+d.total
		rate := float64(d.ok) / float64(d.total)
		b := upright(i, len(all), rate, fmt.Sprintf("%s: %.0f %% of %d", d.from.Format(dayForm), rate*100, d.total))
		switch {
		case rate < 0.5:
			b.Class = "bad"
		case rate < 0.9:
			b.Class = "warn"
		default:
			b.Class = "good"
		}
		p.Bars = append(p.Bars, b)
		p.Rows = append(p.Rows, []string{d.from.Format(dayForm), fmt.Sprintf("%.0f %%", rate*100), thousands(d.ok), thousands(d.total)})
	}
	if total > 0 {
		p.Answer = fmt.Sprintf("%.1f %%", float64(ok)*100/float64(total))
	}
	return p
}

func confidencePlot(all []period) plot {
	p := plot{Question: "How sure are they of it?", Top: "1", Bottom: "0", Heads: []string{"From", "Mean confidence", "Said by"}, Empty: "No run said how sure it was: see docs/reports.md."}
	var points []string
	sum, said := 0.0, 0
	for i, d := range all {
		if d.said == 0 {
			continue
		}
		mean := d.confidence / float64(d.said)
		sum, said = sum+d.confidence, said+d.said
		b := upright(i, len(all), mean, fmt.Sprintf("%s: %.2f", d.from.Format(dayForm), mean))
		points = append(points, fmt.Sprintf("%.1f,%.1f", b.X+b.Width/2, b.Y))
		b.Y, b.Height, b.Class = 0, plotHeight, "touch"
		p.Bars = append(p.Bars, b)
		p.Rows = append(p.Rows, []string{d.from.Format(dayForm), fmt.Sprintf("%.2f", mean), thousands(d.said)})
	}
	if said > 0 {
		p.Answer = fmt.Sprintf("%.2f", sum/float64(said))
	}
	if len(points) == 1 { // a line needs two
		_, y, _ := strings.Cut(points[0], ",")
		points = []string{"0," + y, "1000," + y}
	}
	p.Line = strings.Join(points, " ")
	return p
}

func costPlot(all []period, each string) plot {
	p := plot{Question: "What does it cost " + each + "?", Bottom: "0", Heads: []string{"From", "Cost", "Runs and asks"}, Empty: "Nothing cost anything in this period: only asks do."}
	most, sum := 0.0, 0.0
	for _, d := range all {
		most, sum = max(most, d.cost), sum+d.cost
	}
	if most == 0 {
		return p
	}
	p.Top, p.Answer = term.Dollars(most), term.Dollars(sum)
	for i, d := range all {
		if d.cost == 0 {
			continue
		}
		b := upright(i, len(all), d.cost/most, fmt.Sprintf("%s: %s", d.from.Format(dayForm), term.Dollars(d.cost)))
		b.Class = "plain"
		p.Bars = append(p.Bars, b)
		p.Rows = append(p.Rows, []string{d.from.Format(dayForm), term.Dollars(d.cost), thousands(d.total)})
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

// bySkill says where the time went.
func (v *visit) bySkill(review *history.Review) []share {
	var all []share
	for _, s := range review.Skills {
		text := term.ShortDuration(s.DurationMS)
		part := 0.0
		if review.DurationMS > 0 {
			part = s.DurationMS * 100 / review.DurationMS
		}
		all = append(all, share{Name: s.Name, Link: v.link("runs", "q", s.Name), Text: text, Sub: fmt.Sprintf("%s runs, %s failed", thousands(s.Total), thousands(s.Failed)), Part: part})
	}
	sortShares(all)
	return all[:min(len(all), 12)]
}
