package activity

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
)

// A RetroRequest selects the activity of a retrospective.
type RetroRequest struct {
	Since time.Time
	Skill string // only this skill; "" means all
	All   bool   // every project
}

// A Retro is a retrospective of a period. schemas/retro-v1.schema.json describes it.
type Retro struct {
	Review
	Used    []Used `json:"used"`    // used by agents, according to their transcripts; the most expensive first
	Session []Used `json:"session"` // as Used, but only in this session
}

// A Used skill is a skill that agents called, through skillhand or not.
type Used struct {
	Skill   string   `json:"skill"`
	Fired   int      `json:"fired"`
	Refused int      `json:"refused"`
	Failed  int      `json:"failed"`
	CostUSD *float64 `json:"cost_usd"` // null means unknown
}

// NewRetro returns a retrospective of the activity in h until now.
func NewRetro(h here.Here, req RetroRequest) (*Retro, error) {
	h, err := h.Complete()
	if err != nil {
		return nil, err
	}
	q := Query{Since: req.Since, Skill: req.Skill, Project: project(h)}
	if req.All {
		q.Project = ""
	}
	v, err := NewReview(store(h), q, time.Now())
	if err != nil {
		return nil, err
	}
	r := &Retro{Review: *v, Used: []Used{}, Session: []Used{}}
	used, _ := usedIn(h, h.Session) // the advice about the project includes its advice
	r.Session = append(r.Session, used...)
	r.addUsage(h, Options{Since: req.Since, Skill: req.Skill, Project: q.Project})
	return r, nil
}

// addUsage adds the data of transcripts. Transcripts belong to the agents: if they cannot be read,
// the retrospective is still useful without them.
func (v *Retro) addUsage(h here.Here, o Options) {
	o.Installed = InstalledAt(h)
	r, err := Read(h, o)
	if err != nil {
		return
	}
	v.Used = append(v.Used, usedSkills(r)...)
	for i, a := range r.Advice {
		if i == steps {
			break
		}
		v.Next = append(v.Next, a.String())
	}
}

// usedIn returns the skills that a session used, and the advice about them. Without a transcript it
// returns nothing.
func usedIn(h here.Here, session string) (used []Used, next []string) {
	r, err := OfSession(h, session)
	if err != nil || r == nil {
		return nil, nil
	}
	for _, a := range r.Advice {
		next = append(next, a.String())
	}
	return usedSkills(r), next
}

func usedSkills(r *Account) (all []Used) {
	for _, s := range r.Skills {
		if s.Counts.Fired() > 0 {
			all = append(all, Used{s.Name, s.Counts.Fired(), s.Counts.Refused, s.Counts.Failed, s.Cost.USD})
		}
	}
	return all
}

// addUsed adds the skills that agents called.
func addUsed(b *term.Box, heading string, all []Used, name int) {
	if len(all) == 0 {
		return
	}
	b.Heading(heading)
	for i, u := range all {
		if more(b, i, len(all)) {
			break
		}
		row := u.usedRow()
		b.Line(term.Plain("  "+term.Pad(term.Flat(row[0]), name)),
			term.Plain(fmt.Sprintf("  %5s calls  %s refused or failed  %s", row[1], row[2], row[3])))
	}
}

func (u Used) usedRow() []string {
	cost := "unknown"
	if u.CostUSD != nil {
		cost = term.Dollars(*u.CostUSD)
	}
	return []string{u.Skill, fmt.Sprint(u.Fired), fmt.Sprint(u.Refused + u.Failed), cost}
}

var usedHead = []string{"skill", "calls", "refused or failed", "cost"}

func usedRows(all []Used) (rows [][]string) {
	for _, u := range all {
		rows = append(rows, u.usedRow())
	}
	return rows
}

// retroOutput returns the retrospective for a skill's page. args are a user's words: the first word
// that is a period counts.
func retroOutput(h here.Here, args []string, _ io.Writer) (string, error) {
	now := time.Now()
	from, err := Since(DefaultPeriod, now)
	words := strings.Fields(strings.Join(args, " "))
	for _, word := range words {
		var said time.Time
		if said, err = Since(word, now); err == nil {
			from = said
			break
		}
	}
	note := ""
	if err != nil {
		note = fmt.Sprintf(
			"No period found in %q; showing the last %s. Write 12h, 7d, 4w, or a day such as 2026-11-01.\n\n",
			term.Flat(strings.Join(words, " ")), DefaultPeriod)
	}
	v, err := NewRetro(h, RetroRequest{Since: from})
	if err != nil {
		return "", err
	}
	return note + v.Markdown(), nil
}

// listed is the maximum number of rows in a part of a retrospective.
const listed = 8

// Box returns a retrospective for people.
func (v *Retro) Box(look Look) string {
	b := look.box("skillhand retro, " + v.period())
	if v.Total == 0 {
		b.Line(term.Dim("Nothing was run or asked in this period."))
	} else {
		b.Line(term.Plain(v.totals()))
		b.Line(term.Plain(term.Meter(v.OK, v.Total, min(40, b.Inner-9))), term.Plain(" "+share(v.OK, v.Total)+" ok"))
	}
	if len(v.Categories) > 0 {
		b.Heading("Failures by category")
		category := 0
		for _, c := range v.Categories {
			category = max(category, min(verdictCells, term.Cells(term.Flat(c.Category))))
		}
		for i, c := range v.Categories {
			if more(b, i, len(v.Categories)) {
				break
			}
			b.Line(term.Red(fmt.Sprintf("  %5d", c.Failed)), term.Plain("  "+term.Pad(term.Flat(c.Category), category)),
				term.Dim("  "+failedSkills(c)))
		}
	}
	if len(v.Skills) > 0 {
		b.Heading("By skill")
		name := nameCells(b, v)
		b.Line(term.Dim("  " + term.Pad("", name) + "  failed   runs  conf.  why"))
		for i, s := range v.Skills {
			if more(b, i, len(v.Skills)) {
				break
			}
			color := ""
			if s.Failed > 0 {
				color = "31"
			}
			b.Line(term.Plain("  "+term.Pad(term.Flat(s.Name), name)), term.In(color, fmt.Sprintf("  %6d", s.Failed)),
				term.Plain(fmt.Sprintf("  %5d  %5s  %s", s.Total, confidence(s.Confidence), s.Category)))
		}
	}
	if len(v.Confidence) > 0 {
		b.Heading("Confidence")
		for _, line := range v.plot(min(b.Inner-7, plotCells)) {
			b.Line(term.Cyan(line))
		}
	}
	addRecords(b, "Slowest", v.Slowest, func(r Record) string { return term.ShortDuration(r.DurationMS) })
	addRecords(b, "Costliest", v.Costliest, func(r Record) string { return term.Dollars(r.CostUSD) })
	if len(v.Flaky) > 0 {
		b.Heading("Same input, different verdict")
		for i, f := range v.Flaky {
			if more(b, i, len(v.Flaky)) {
				break
			}
			b.Line(term.Plain("  "+term.Pad(term.Flat(f.Name), nameCells(b, v))),
				term.Yellow(fmt.Sprintf("  %d of %d failed", f.Failed, f.Total)),
				term.Dim(fmt.Sprintf(", %s, input %.8s", term.Plural(f.Changes, "change"), f.Input)))
		}
	}
	addUsed(b, "Called by agents", v.Used, nameCells(b, v))
	addUsed(b, "Called in this session", v.Session, nameCells(b, v))
	if len(v.Next) > 0 {
		b.Heading("What to do")
		for _, step := range v.Next {
			b.Item(step)
		}
	}
	return b.End()
}

// more adds a line with the number of remaining rows after enough rows. It reports whether it did.
func more(b *term.Box, i, n int) bool {
	if i < listed {
		return false
	}
	b.Line(term.Dim(fmt.Sprintf("  and %d more", n-i)))
	return true
}

func nameCells(b *term.Box, v *Retro) int {
	most := 12
	for _, s := range v.Skills {
		most = max(most, term.Cells(term.Flat(s.Name)))
	}
	return max(12, min(most, 30, b.Inner-26-verdictCells))
}

// addRecords adds a list of the records with the highest amount.
func addRecords(b *term.Box, heading string, records []Record, amount func(Record) string) {
	if len(records) == 0 {
		return
	}
	b.Heading(heading)
	const form = "Jan _2 15:04"
	name := 0
	for _, r := range records {
		name = max(name, min(term.Cells(term.Flat(r.Name())), 40, b.Inner-2-durationCells-2-2-len(form)))
	}
	for _, r := range records {
		b.Line(term.Plain("  "+term.PadLeft(amount(r), durationCells)+"  "+term.Pad(term.Flat(r.Name()), name)),
			term.Dim("  "+r.Time.Local().Format(form)))
	}
}

func (v *Retro) period() string {
	from, to := v.Since.Local(), v.Until.Local()
	form := "Jan 2"
	if to.Sub(from) < 48*time.Hour {
		form = "Jan 2 15:04"
	}
	return from.Format(form) + " to " + to.Format(form)
}

func (v *Retro) totals() string {
	text := fmt.Sprintf("%s, %d failed", term.Plural(v.Total, "run"), v.Failed)
	if v.Retried > 0 {
		text += fmt.Sprintf(" (%d of them retried)", v.Retried)
	}
	text += fmt.Sprintf(", %s in total", term.ShortDuration(v.DurationMS))
	if v.CostUSD > 0 {
		text += ", " + term.Dollars(v.CostUSD)
	}
	return text
}

// failedSkills returns the skills of a category with their numbers of failures.
func failedSkills(c Category) string {
	var all []string
	for _, s := range c.Skills[:min(len(c.Skills), listed)] {
		all = append(all, fmt.Sprintf("%s %d×", s.Name, s.Failed))
	}
	if n := len(c.Skills) - len(all); n > 0 {
		all = append(all, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(all, ", ")
}

func confidence(c *float64) string {
	if c == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *c)
}

const (
	plotRows  = 4
	plotCells = 48 // two for each part of the period
)

// plot draws confidence over time as columns of blocks, n cells wide.
func (v *Retro) plot(n int) []string {
	n = max(n, 8)
	whole := v.Until.Sub(v.Since)
	heights := make([]float64, n)
	for i := range heights {
		heights[i] = -1
	}
	for _, p := range v.Confidence {
		// The part of the period that a point covers, in cells.
		from := int(math.Round(float64(p.From.Sub(v.Since)) / float64(whole) * float64(n)))
		to := int(math.Round((float64(p.From.Sub(v.Since))/float64(whole) + 1.0/Points) * float64(n)))
		for i := max(0, from); i < min(max(to, from+1), n); i++ {
			heights[i] = p.Mean
		}
	}
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	var lines []string
	for row := plotRows - 1; row >= 0; row-- {
		label := "    "
		if row == plotRows-1 || row == 1 {
			label = fmt.Sprintf("%.2f", float64(row+1)/plotRows)
		}
		line := []rune(label + " ┤")
		for _, h := range heights {
			eighths := int(math.Round(h*plotRows*8)) - row*8
			if row == 0 && h >= 0 {
				eighths = max(1, eighths) // some run reported a confidence, even if it is 0
			}
			line = append(line, blocks[min(8, max(0, eighths))])
		}
		lines = append(lines, strings.TrimRight(string(line), " "))
	}
	from, to := v.Since.Local().Format("Jan 2"), v.Until.Local().Format("Jan 2")
	return append(lines,
		"     └"+strings.Repeat("─", n),
		"      "+from+strings.Repeat(" ", max(1, n-len(from)-len(to)))+to)
}

// Markdown returns a retrospective for agents and for files.
func (v *Retro) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Retrospective, %s\n\n", v.period())
	if v.Total == 0 {
		b.WriteString("Nothing was run or asked in this period.\n")
	} else {
		fmt.Fprintf(&b, "%s. %s succeeded.\n", v.totals(), share(v.OK, v.Total))
	}
	var rows [][]string
	for _, c := range v.Categories {
		rows = append(rows, []string{c.Category, fmt.Sprint(c.Failed), failedSkills(c)})
	}
	mdTable(&b, "Failures by category", []string{"category", "failed", "skills"}, rows)
	rows = nil
	for _, s := range v.Skills {
		rows = append(rows, []string{
			s.Name, fmt.Sprint(s.Failed), fmt.Sprint(s.Total), confidence(s.Confidence),
			term.ShortDuration(s.DurationMS / float64(s.Total)),
			term.Dollars(s.CostUSD), s.Category,
		})
	}
	mdTable(&b, "By skill", []string{"skill", "failed", "runs", "confidence", "mean time", "cost", "why"}, rows)
	if len(v.Confidence) > 0 {
		fmt.Fprintf(&b, "\n## Confidence over time\n\n```\n%s\n```\n", strings.Join(v.plot(plotCells), "\n"))
	}
	rows = nil
	for _, r := range v.Slowest {
		rows = append(rows, []string{r.Name(), term.ShortDuration(r.DurationMS), r.Time.Local().Format("Jan 2 15:04")})
	}
	mdTable(&b, "Slowest", []string{"skill", "time", "when"}, rows)
	rows = nil
	for _, r := range v.Costliest {
		rows = append(rows, []string{r.Name(), term.Dollars(r.CostUSD), r.Time.Local().Format("Jan 2 15:04")})
	}
	mdTable(&b, "Costliest", []string{"skill", "cost", "when"}, rows)
	rows = nil
	for _, f := range v.Flaky {
		rows = append(rows, []string{f.Name, fmt.Sprint(f.Failed), fmt.Sprint(f.Total), fmt.Sprint(f.Changes), f.Input})
	}
	mdTable(&b, "Same input, different verdict", []string{"skill", "failed", "runs", "changes", "input"}, rows)
	mdTable(&b, "Called by agents", usedHead, usedRows(v.Used))
	mdTable(&b, "Called in this session", usedHead, usedRows(v.Session))
	mdSteps(&b, "What to do", v.Next)
	return b.String()
}

// mdTable writes a table if it has rows.
func mdTable(b *strings.Builder, heading string, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| %s |\n|%s\n", heading, strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for i, row := range rows {
		if i == listed {
			fmt.Fprintf(b, "\nand %d more\n", len(rows)-i)
			break
		}
		for j, cell := range row {
			row[j] = strings.ReplaceAll(term.Flat(cell), "|", `\|`)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}

func mdSteps(b *strings.Builder, heading string, steps []string) {
	fmt.Fprintf(b, "\n## %s\n\n", heading)
	for _, step := range steps {
		fmt.Fprintf(b, "- %s\n", term.Flat(step))
	}
	if len(steps) == 0 {
		b.WriteString("Nothing stands out.\n")
	}
}
