package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/history"
	"github.com/skillhand/skillhand/shell"
)

// defaultPeriod is what a retrospective looks back on.
const defaultPeriod = "7d"

func newRetro(std *stdio) *cobra.Command {
	var since, skill string
	var all, asJSON, markdown bool
	cmd := &cobra.Command{
		Use:   "retro",
		Short: "Look back on a period: what failed, why, and what to do",
		Long: `Look back on the runs and questions of this project: failures by category and by
skill, confidence over time, the slowest and the costliest, what came out
differently for the same input, and what to do about it.`,
		Example: `  skillhand retro
  skillhand retro --since 30d --all
  skillhand retro --markdown > retro.md
  skillhand retro --json`,
		Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if asJSON && markdown {
				return usagef("--json and --markdown contradict each other")
			}
			now := time.Now()
			from, err := parseSince(since, now)
			if err != nil {
				return usagef("--since %v", err)
			}
			q := history.Query{Since: from, Skill: skill}
			if !all {
				if q.Project, err = projectOf("."); err != nil {
					return err
				}
			}
			v, err := skillhand.History(std.env).Review(q, now)
			switch {
			case err != nil:
				return err
			case asJSON:
				return std.printJSON(v)
			case markdown:
				return std.print(retroMarkdown(v))
			}
			return std.print(retroBox(v, columns(std.out, std.env, defaultWidth), std.painter()))
		},
	}
	f := cmd.Flags()
	f.StringVar(&since, "since", defaultPeriod, "a `period` such as 12h, 7d or 4w, or a day such as 2026-11-01")
	f.StringVar(&skill, "skill", "", "only this skill or script, by `name`")
	f.BoolVar(&all, "all", false, "every project, not only this one")
	f.BoolVar(&asJSON, "json", false, "print one JSON document")
	f.BoolVar(&markdown, "markdown", false, "print Markdown")
	return cmd
}

// getRetrospectiveOutput is the retrospective as a skill's page has it. Its
// arguments are what a user typed: the first word that is a period counts.
func getRetrospectiveOutput(_ context.Context, args []string, std shell.Std) int {
	now := time.Now()
	from, err := parseSince(defaultPeriod, now)
	words := strings.Fields(strings.Join(args, " "))
	for _, word := range words {
		var said time.Time
		if said, err = parseSince(word, now); err == nil {
			from = said
			break
		}
	}
	if err != nil {
		fmt.Fprintf(std.Out, "No period is named in %q, so this is about the last %s. A period is 12h, 7d, 4w, or a day such as 2026-11-01.\n\n", flat(strings.Join(words, " ")), defaultPeriod)
	}
	v, err := skillhand.History(std.Env).Review(history.Query{Since: from, Project: skillhand.Project(std.Dir)}, now)
	if err != nil {
		fmt.Fprintf(std.Err, "get-retrospective-output: %v\n", err)
		return exitFailed
	}
	if _, err := io.WriteString(std.Out, retroMarkdown(v)); err != nil {
		fmt.Fprintf(std.Err, "get-retrospective-output: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// listed is how many rows a part of a retrospective has.
const listed = 8

// retroBox shows a review to people.
func retroBox(v *history.Review, width int, paint func(code, text string) string) string {
	b := newBox("skillhand retro, "+period(v), width, paint)
	if v.Total == 0 {
		b.line(span{"2", "Nothing was run or asked in this time."})
	} else {
		b.line(span{"", totals(v)})
		b.line(span{"", meter(v.OK, v.Total, min(40, b.inner-9))}, span{"", fmt.Sprintf(" %d%% ok", percent(v.OK, v.Total))})
	}
	if len(v.Categories) > 0 {
		b.heading("Failures by category")
		category := 0
		for _, c := range v.Categories {
			category = max(category, min(verdictCells, cells(flat(c.Category))))
		}
		for i, c := range v.Categories {
			if b.more(i, len(v.Categories)) {
				break
			}
			b.line(span{"31", fmt.Sprintf("  %5d", c.Failed)}, span{"", "  " + pad(flat(c.Category), category)}, span{"2", "  " + failedSkills(c)})
		}
	}
	if len(v.Skills) > 0 {
		b.heading("By skill")
		name := b.names(v)
		b.line(span{"2", "  " + pad("", name) + "  failed   runs  conf.  why"})
		for i, s := range v.Skills {
			if b.more(i, len(v.Skills)) {
				break
			}
			color := ""
			if s.Failed > 0 {
				color = "31"
			}
			b.line(span{"", "  " + pad(flat(s.Name), name)}, span{color, fmt.Sprintf("  %6d", s.Failed)}, span{"", fmt.Sprintf("  %5d  %5s  %s", s.Total, confidence(s.Confidence), s.Category)})
		}
	}
	if len(v.Confidence) > 0 {
		b.heading("Confidence")
		for _, line := range plot(v, min(b.inner-7, plotCells)) {
			b.line(span{"36", line})
		}
	}
	b.records("Slowest", v.Slowest, func(r history.Record) string { return shortDuration(r.DurationMS) })
	b.records("Costliest", v.Costliest, func(r history.Record) string { return dollars(r.CostUSD) })
	if len(v.Flaky) > 0 {
		b.heading("Same input, different verdict")
		for i, f := range v.Flaky {
			if b.more(i, len(v.Flaky)) {
				break
			}
			b.line(span{"", "  " + pad(flat(f.Name), b.names(v))}, span{"33", fmt.Sprintf("  %d of %d failed", f.Failed, f.Total)}, span{"2", fmt.Sprintf(", %s, input %.8s", plural(f.Changes, "change"), f.Input)})
		}
	}
	if len(v.Next) > 0 {
		b.heading("What to do")
		for _, step := range v.Next {
			b.item(step)
		}
	}
	return b.end()
}

// more says after enough rows how many there would be.
func (b *box) more(i, n int) bool {
	if i < listed {
		return false
	}
	b.line(span{"2", fmt.Sprintf("  and %d more", n-i)})
	return true
}

// names is how wide the column of names is.
func (b *box) names(v *history.Review) int {
	most := 12
	for _, s := range v.Skills {
		most = max(most, cells(flat(s.Name)))
	}
	return max(12, min(most, 30, b.inner-26-verdictCells))
}

// records adds a list of the records that had most of something.
func (b *box) records(heading string, records []history.Record, amount func(history.Record) string) {
	if len(records) == 0 {
		return
	}
	b.heading(heading)
	const form = "Jan _2 15:04"
	name := 0
	for _, r := range records {
		name = max(name, min(cells(flat(r.Name())), 40, b.inner-2-durationCells-2-2-len(form)))
	}
	for _, r := range records {
		b.line(span{"", "  " + padLeft(amount(r), durationCells) + "  " + pad(flat(r.Name()), name)}, span{"2", "  " + r.Time.Local().Format(form)})
	}
}

func period(v *history.Review) string {
	from, to := v.Since.Local(), v.Until.Local()
	form := "Jan 2"
	if to.Sub(from) < 48*time.Hour {
		form = "Jan 2 15:04"
	}
	return from.Format(form) + " to " + to.Format(form)
}

func totals(v *history.Review) string {
	text := fmt.Sprintf("%s, %d failed, %s in all", plural(v.Total, "run"), v.Failed, shortDuration(v.DurationMS))
	if v.CostUSD > 0 {
		text += ", " + dollars(v.CostUSD)
	}
	return text
}

// failedSkills lists the skills that failed so, with how often.
func failedSkills(c history.Category) string {
	var all []string
	for _, s := range c.Skills[:min(len(c.Skills), listed)] {
		all = append(all, fmt.Sprintf("%s %d×", s.Name, s.Failed))
	}
	if n := len(c.Skills) - len(all); n > 0 {
		all = append(all, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(all, ", ")
}

// dollars is as exact as a small amount needs.
func dollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
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
func plot(v *history.Review, n int) []string {
	n = max(n, 8)
	whole := v.Until.Sub(v.Since)
	heights := make([]float64, n)
	for i := range heights {
		heights[i] = -1
	}
	for _, p := range v.Confidence {
		// The part of the period that a point is about, in cells.
		from := int(math.Round(float64(p.From.Sub(v.Since)) / float64(whole) * float64(n)))
		to := int(math.Round((float64(p.From.Sub(v.Since))/float64(whole) + 1.0/history.Points) * float64(n)))
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
				eighths = max(1, eighths) // something was said, be it 0
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

// retroMarkdown writes a review for agents, and for files.
func retroMarkdown(v *history.Review) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Retrospective, %s\n\n", period(v))
	if v.Total == 0 {
		b.WriteString("Nothing was run or asked in this time.\n")
	} else {
		fmt.Fprintf(&b, "%s. %d%% went well.\n", totals(v), percent(v.OK, v.Total))
	}
	var rows [][]string
	for _, c := range v.Categories {
		rows = append(rows, []string{c.Category, fmt.Sprint(c.Failed), failedSkills(c)})
	}
	mdTable(&b, "Failures by category", []string{"category", "failed", "skills"}, rows)
	rows = nil
	for _, s := range v.Skills {
		rows = append(rows, []string{s.Name, fmt.Sprint(s.Failed), fmt.Sprint(s.Total), confidence(s.Confidence), shortDuration(s.DurationMS / float64(s.Total)), dollars(s.CostUSD), s.Category})
	}
	mdTable(&b, "By skill", []string{"skill", "failed", "runs", "confidence", "mean time", "cost", "why"}, rows)
	if len(v.Confidence) > 0 {
		fmt.Fprintf(&b, "\n## Confidence over time\n\n```\n%s\n```\n", strings.Join(plot(v, plotCells), "\n"))
	}
	rows = nil
	for _, r := range v.Slowest {
		rows = append(rows, []string{r.Name(), shortDuration(r.DurationMS), r.Time.Local().Format("Jan 2 15:04")})
	}
	mdTable(&b, "Slowest", []string{"skill", "time", "when"}, rows)
	rows = nil
	for _, r := range v.Costliest {
		rows = append(rows, []string{r.Name(), dollars(r.CostUSD), r.Time.Local().Format("Jan 2 15:04")})
	}
	mdTable(&b, "Costliest", []string{"skill", "cost", "when"}, rows)
	rows = nil
	for _, f := range v.Flaky {
		rows = append(rows, []string{f.Name, fmt.Sprint(f.Failed), fmt.Sprint(f.Total), fmt.Sprint(f.Changes), f.Input})
	}
	mdTable(&b, "Same input, different verdict", []string{"skill", "failed", "runs", "changes", "input"}, rows)
	b.WriteString("\n## What to do\n\n")
	for _, step := range v.Next {
		fmt.Fprintf(&b, "- %s\n", flat(step))
	}
	if len(v.Next) == 0 {
		b.WriteString("Nothing stands out.\n")
	}
	return b.String()
}

// mdTable writes a table, if it has rows.
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
			row[j] = strings.ReplaceAll(flat(cell), "|", `\|`)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}
