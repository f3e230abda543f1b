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
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
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
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if asJSON && markdown {
				return cli.Usagef("--json and --markdown contradict each other")
			}
			now := time.Now()
			from, err := parseSince(since, now)
			if err != nil {
				return cli.Usagef("--since %v", err)
			}
			q := history.Query{Since: from, Skill: skill}
			if !all {
				if q.Project, err = projectOf("."); err != nil {
					return err
				}
			}
			v, err := skillhand.History(std.Env).Review(q, now)
			switch {
			case err != nil:
				return err
			case asJSON:
				return std.PrintJSON(v)
			case markdown:
				return std.Print(retroMarkdown(v))
			}
			return std.Print(retroBox(v, std.Columns(), std.Painter()))
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
		fmt.Fprintf(std.Out, "No period is named in %q, so this is about the last %s. A period is 12h, 7d, 4w, or a day such as 2026-11-01.\n\n", term.Flat(strings.Join(words, " ")), defaultPeriod)
	}
	v, err := skillhand.History(std.Env).Review(history.Query{Since: from, Project: skillhand.Project(std.Dir)}, now)
	if err != nil {
		fmt.Fprintf(std.Err, "get-retrospective-output: %v\n", err)
		return cli.ExitFailed
	}
	if _, err := io.WriteString(std.Out, retroMarkdown(v)); err != nil {
		fmt.Fprintf(std.Err, "get-retrospective-output: %v\n", err)
		return cli.ExitFailed
	}
	return cli.ExitOK
}

// listed is how many rows a part of a retrospective has.
const listed = 8

// retroBox shows a review to people.
func retroBox(v *history.Review, width int, paint term.Paint) string {
	b := term.NewBox("skillhand retro, "+period(v), width, paint)
	if v.Total == 0 {
		b.Line(term.Dim("Nothing was run or asked in this time."))
	} else {
		b.Line(term.Plain(totals(v)))
		b.Line(term.Plain(term.Meter(v.OK, v.Total, min(40, b.Inner-9))), term.Plain(fmt.Sprintf(" %d%% ok", percent(v.OK, v.Total))))
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
			b.Line(term.Red(fmt.Sprintf("  %5d", c.Failed)), term.Plain("  "+term.Pad(term.Flat(c.Category), category)), term.Dim("  "+failedSkills(c)))
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
			b.Line(term.Plain("  "+term.Pad(term.Flat(s.Name), name)), term.In(color, fmt.Sprintf("  %6d", s.Failed)), term.Plain(fmt.Sprintf("  %5d  %5s  %s", s.Total, confidence(s.Confidence), s.Category)))
		}
	}
	if len(v.Confidence) > 0 {
		b.Heading("Confidence")
		for _, line := range plot(v, min(b.Inner-7, plotCells)) {
			b.Line(term.Cyan(line))
		}
	}
	addRecords(b, "Slowest", v.Slowest, func(r history.Record) string { return term.ShortDuration(r.DurationMS) })
	addRecords(b, "Costliest", v.Costliest, func(r history.Record) string { return term.Dollars(r.CostUSD) })
	if len(v.Flaky) > 0 {
		b.Heading("Same input, different verdict")
		for i, f := range v.Flaky {
			if more(b, i, len(v.Flaky)) {
				break
			}
			b.Line(term.Plain("  "+term.Pad(term.Flat(f.Name), nameCells(b, v))), term.Yellow(fmt.Sprintf("  %d of %d failed", f.Failed, f.Total)), term.Dim(fmt.Sprintf(", %s, input %.8s", term.Plural(f.Changes, "change"), f.Input)))
		}
	}
	if len(v.Next) > 0 {
		b.Heading("What to do")
		for _, step := range v.Next {
			b.Item(step)
		}
	}
	return b.End()
}

// more says after enough rows how many there would be.
func more(b *term.Box, i, n int) bool {
	if i < listed {
		return false
	}
	b.Line(term.Dim(fmt.Sprintf("  and %d more", n-i)))
	return true
}

// nameCells is how wide the column of names is.
func nameCells(b *term.Box, v *history.Review) int {
	most := 12
	for _, s := range v.Skills {
		most = max(most, term.Cells(term.Flat(s.Name)))
	}
	return max(12, min(most, 30, b.Inner-26-verdictCells))
}

// addRecords adds a list of the records that had most of something.
func addRecords(b *term.Box, heading string, records []history.Record, amount func(history.Record) string) {
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
		b.Line(term.Plain("  "+term.PadLeft(amount(r), durationCells)+"  "+term.Pad(term.Flat(r.Name()), name)), term.Dim("  "+r.Time.Local().Format(form)))
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
	text := fmt.Sprintf("%s, %d failed, %s in all", term.Plural(v.Total, "run"), v.Failed, term.ShortDuration(v.DurationMS))
	if v.CostUSD > 0 {
		text += ", " + term.Dollars(v.CostUSD)
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
		rows = append(rows, []string{s.Name, fmt.Sprint(s.Failed), fmt.Sprint(s.Total), confidence(s.Confidence), term.ShortDuration(s.DurationMS / float64(s.Total)), term.Dollars(s.CostUSD), s.Category})
	}
	mdTable(&b, "By skill", []string{"skill", "failed", "runs", "confidence", "mean time", "cost", "why"}, rows)
	if len(v.Confidence) > 0 {
		fmt.Fprintf(&b, "\n## Confidence over time\n\n```\n%s\n```\n", strings.Join(plot(v, plotCells), "\n"))
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
	b.WriteString("\n## What to do\n\n")
	for _, step := range v.Next {
		fmt.Fprintf(&b, "- %s\n", term.Flat(step))
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
			row[j] = strings.ReplaceAll(term.Flat(cell), "|", `\|`)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}
