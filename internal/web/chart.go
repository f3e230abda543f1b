package web

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/term"
)

// A chart answers a question about a period as a drawing and as a table. Positions are in percent
// of the drawing.
type chart struct {
	Question, Answer string
	Empty            string // the text if there is nothing to draw
	Key              []square
	Ticks, Dates     []tick
	Bars             []bar
	Dots             []drawn
	Lines            []joint
	Over             []tick // the amounts of bars that are cut off
	Tips             []tip
	Heads            []string
	Rows             [][]string
}

// A tick is a label at a position.
type tick struct{ At, Text string }

// A bar is a rectangle.
type bar struct{ X, Y, Width, Height, Class string }

// A joint is a line between two dots.
type joint struct{ X1, Y1, X2, Y2 string }

// A tip is the text that appears when the user points at a period.
type tip struct{ X, Width, Text string }

// A calendar divides a time into equal periods.
type calendar struct {
	starts []time.Time
	each   string // the length of a period, such as "each day"
	form   string // the time format for the start of a period
	short  string // the time format for labels below a chart
}

const (
	maxBars  = 60 // in a chart; for a longer time, each bar covers several days
	maxHours = 48 // a longer time has no bars for hours
	minHours = 11 // the bars of a shorter time would be too wide
)

// newCalendar divides the time from since, or from first if that is later, to until. It divides a
// short time into hours and a longer time into days.
func newCalendar(first, since, until time.Time) *calendar {
	if since.Before(first) {
		since = first
	}
	c := &calendar{each: "each hour", form: stampForm, short: "15:04"}
	next := func(t time.Time) time.Time { return t.Add(time.Hour) }
	start := since.Local().Truncate(time.Hour)
	if until.Sub(since) > maxHours*time.Hour {
		start = midnight(since)
		span := int(midnight(until).Sub(start).Hours()/24+0.5) + 1
		days := (span + maxBars - 1) / maxBars
		c.each, c.form, c.short = "each day", time.DateOnly, "2 Jan"
		if days > 1 {
			c.each = fmt.Sprintf("every %d days", days)
		}
		next = func(t time.Time) time.Time { return t.AddDate(0, 0, days) }
	} else if least := until.Add(-minHours * time.Hour); start.After(least) {
		start = least.Local().Truncate(time.Hour)
	}
	for t := start; !t.After(until); t = next(t) {
		c.starts = append(c.starts, t)
	}
	return c
}

func midnight(t time.Time) time.Time {
	t = t.Local()
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// at returns the index of the period that contains t.
func (c *calendar) at(t time.Time) int {
	i, found := slices.BinarySearchFunc(c.starts, t, time.Time.Compare)
	if !found {
		i--
	}
	return min(max(i, 0), len(c.starts)-1)
}

// day returns the index of the period that contains a day of an account, or -1.
func (c *calendar) day(text string) int {
	day, err := time.ParseInLocation(time.DateOnly, text, time.Local)
	if err != nil || day.Before(midnight(c.starts[0])) {
		return -1
	}
	return c.at(day)
}

// A series has an amount for each period of a calendar.
type series struct {
	name, class string
	values      []float64
}

func (s *series) add(i int, v float64) {
	if i >= 0 && i < len(s.values) {
		s.values[i] += v
	}
}

// series returns an empty series.
func (c *calendar) series(name, class string) *series {
	return &series{name, class, make([]float64, len(c.starts))}
}

// An amounts function formats a number of things or an amount of money.
type amounts func(float64) string

func inNumbers(v float64) string { return thousands(int(math.Round(v))) }

// newChart returns an empty chart.
func (c *calendar) newChart(question, empty string) chart {
	p := chart{Question: question, Empty: empty}
	n := len(c.starts)
	const wanted = 4 // without the last
	for i := range min(wanted, n) {
		at := i * n / min(wanted, n)
		p.Dates = append(p.Dates, tick{inPercent(float64(at), float64(n)), c.starts[at].Local().Format(c.short)})
	}
	return p
}

// stack draws series on top of each other. It returns the chart and the sum of all amounts.
func (c *calendar) stack(question, empty string, write amounts, all ...*series) (p chart, total float64) {
	p = c.newChart(question, empty)
	sums := make([]float64, len(c.starts))
	p.Heads = []string{"From"}
	for _, s := range all {
		for i, v := range s.values {
			sums[i], total = sums[i]+v, total+v
		}
		p.Heads = append(p.Heads, s.name)
	}
	if total == 0 {
		return p, 0
	}
	top, ticks := scale(limit(sums), write)
	p.Ticks = ticks
	for _, s := range all {
		if len(all) > 1 && slices.Max(s.values) > 0 {
			p.Key = append(p.Key, square{Class: s.class, Title: s.name})
		}
	}
	for i, sum := range sums {
		if sum == 0 {
			continue
		}
		start := c.starts[i].Format(c.form)
		said, row := []string{}, []string{start}
		below := 0.0
		for _, s := range all {
			v := s.values[i]
			if row = append(row, write(v)); v == 0 {
				continue
			}
			name := s.name
			if write(v) == "1" {
				name = strings.TrimSuffix(name, "s")
			}
			said = append(said, write(v)+" "+name)
			high := min(below+v, top)
			if high > below {
				p.Bars = append(p.Bars, c.bar(i, below/top, high/top, s.class))
			}
			below = high
		}
		if sum > top {
			p.Over = append(p.Over, tick{inPercent(float64(i)+.5, float64(len(sums))), write(sum)})
		}
		p.tip(c, i, strings.Join(said, ", "))
		p.Rows = append(p.Rows, row)
	}
	return p, total
}

// means draws a dot for the mean of each period that has values. A dot is larger if more values are
// behind it. means also returns the mean of all values.
func (c *calendar) means(question, empty, name string, sums, counts *series) (p chart, mean float64) {
	p = c.newChart(question, empty)
	p.Heads = []string{"From", "Mean " + name, "Of"}
	p.Ticks = []tick{{"100%", "0"}, {"50%", "0.5"}, {"0%", "1"}}
	most := slices.Max(counts.values)
	var sum, count float64
	for i, n := range counts.values {
		if n == 0 {
			continue
		}
		sum, count = sum+sums.values[i], count+n
		value := sums.values[i] / n
		dot := drawn{X: inPercent(float64(i)+.5, float64(len(counts.values))), To: inPercent(1-value, 1), Class: "size1"}
		if n > most/3 {
			dot.Class = "size3"
		} else if n > most/10 {
			dot.Class = "size2"
		}
		if k := len(p.Dots); k > 0 {
			p.Lines = append(p.Lines, joint{p.Dots[k-1].X, p.Dots[k-1].To, dot.X, dot.To})
		}
		p.Dots = append(p.Dots, dot)
		p.tip(c, i, fmt.Sprintf("%.2f, the mean of %s", value, thousands(int(n))))
		p.Rows = append(p.Rows, []string{c.starts[i].Format(c.form), fmt.Sprintf("%.2f", value), thousands(int(n))})
	}
	if count == 0 {
		return p, 0
	}
	return p, sum / count
}

// tip adds a text about a period.
func (p *chart) tip(c *calendar, i int, text string) {
	n := float64(len(c.starts))
	p.Tips = append(p.Tips, tip{inPercent(float64(i), n), inPercent(1, n), c.starts[i].Format(c.form) + ": " + text})
}

// bar returns a bar in period i. low and high are fractions of the height.
func (c *calendar) bar(i int, low, high float64, class string) bar {
	n := float64(len(c.starts))
	high = max(high, low+.01) // even the smallest bar is visible
	return bar{inPercent(float64(i)+.12, n), inPercent(1-min(high, 1), 1), inPercent(.76, n), inPercent(min(high, 1)-low, 1), class}
}

func inPercent(part, whole float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", part*100/whole), "0"), ".") + "%"
}

// limit returns the greatest amount that a chart shows in full. A bar far above nearly all others
// would make them look flat, so the chart cuts it off.
func limit(values []float64) float64 {
	sorted := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v <= 0 })
	slices.Sort(sorted)
	most := sorted[len(sorted)-1]
	const few, far = 6, 4
	if len(sorted) < few {
		return most
	}
	usual := sorted[(len(sorted)-1)*9/10]
	if most <= far*usual {
		return most
	}
	i, _ := slices.BinarySearch(sorted, far*usual)
	return sorted[i-1]
}

// scale returns the top of a scale for amounts up to most, and its ticks. The distance of the ticks
// is 1, 2 or 5 times a power of 10.
func scale(most float64, write amounts) (top float64, ticks []tick) {
	const wanted = 4
	unit := math.Pow(10, math.Floor(math.Log10(most/wanted)))
	step := 10 * unit
	for _, n := range []float64{1, 2, 5} {
		if most/(n*unit) <= wanted {
			step = n * unit
			break
		}
	}
	if write(step) == write(0) || write(step/2) == write(step) && step < 1 { // numbers of things are whole
		step = 1
	}
	n := math.Ceil(most/step - 1e-9)
	for i := range int(n) + 1 {
		ticks = append(ticks, tick{inPercent(n-float64(i), n), write(float64(i) * step)})
	}
	return n * step, ticks
}

// dayBars draws a bar for each period, without a scale or labels.
func dayBars(c *calendar, s *series, most float64) []bar {
	var all []bar
	for i, v := range s.values {
		if v > 0 {
			all = append(all, c.bar(i, 0, v/most, "plain"))
		}
	}
	return all
}

func inDollars(v float64) string {
	if v == 0 {
		return "$0"
	}
	return term.Dollars(v)
}
