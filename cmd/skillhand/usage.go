package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/usage"
	"github.com/skillhand/skillhand/view"
)

type usageOptions struct {
	since, project, agent, skill, caseID, otlp string
	json                                       bool
}

func newUsage(std *cli.Std) *cobra.Command {
	var o usageOptions
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show which skills agents used here, and what each cost",
		Long: `Read the transcripts that agents leave on this machine, and show for each skill
how often it was called and by whom, what was refused, what it cost, and when it
was last used; then what is worth doing. The costs of all skills and the rest are
the total. What a transcript does not tell is unknown.

It writes nothing where agents keep their files, and shows no text of a
transcript, except the prompt that --case asks for.`,
		Example: `  skillhand usage
  skillhand usage --since 7d --project .
  skillhand usage --skill deploy
  skillhand usage --skill deploy --case 1k2m3n4p > evals/1k2m3n4p.yaml
  skillhand usage --json | jq '.skills[] | {name, cost: .cost.cost_usd}'`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return runUsage(std, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "30d", "a `period` such as 12h, 7d or 4w, a day such as 2026-11-01, or all")
	f.StringVar(&o.project, "project", "", "only sessions in this `folder` or below")
	f.StringVar(&o.agent, "agent", "", "only this `agent`: "+term.Either(usage.Agents()))
	cli.Values(cmd, "agent", usage.Agents()...)
	f.StringVar(&o.skill, "skill", "", "one skill and its last calls, by `name`")
	f.StringVar(&o.caseID, "case", "", "print the prompt before a call of --skill, by its `id`, as a case for skillhand try")
	f.StringVar(&o.otlp, "otlp", "", "write OpenTelemetry spans to this `file`, one line of OTLP JSON for each session")
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	return cmd
}

func runUsage(std *cli.Std, o usageOptions) error {
	q, err := o.query(time.Now())
	if err != nil {
		return err
	}
	h, err := here.From("", std.Env)
	if err != nil {
		return err
	}
	switch {
	case o.caseID != "":
		return printCase(std, h, q, o.caseID)
	case o.otlp != "":
		return writeSpans(std, h, q, o.otlp)
	}
	debug.SetGCPercent(400) // a look at the index takes milliseconds, a third of which would be spent on garbage
	q.Installed = usage.InstalledAt(h)
	r, err := usage.Read(h, q)
	if err != nil {
		return err
	}
	for _, err := range r.Faults {
		std.Warn(err.Error())
	}
	for _, s := range r.Skipped {
		std.Warn("usage: " + term.Flat(s.String()))
	}
	if r.Damaged > 0 {
		std.Warn("usage: skipped " + term.Plural(r.Damaged, "line") + " that cannot be read")
	}
	if o.json {
		return std.PrintJSON(r)
	}
	if o.skill != "" && len(r.Skills) == 0 {
		return cli.Exit(cli.ExitMissing, fmt.Errorf("%s: no transcript%s names this skill", o.skill, o.period()))
	}
	if len(r.Sessions) == 0 {
		std.Say("no agent transcripts here" + o.period())
		return nil
	}
	return std.Print(usageText(r, o, time.Now(), std.Edge()))
}

// period says of which time transcripts were read.
func (o usageOptions) period() string {
	if o.since == "all" {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, o.since); err == nil {
		return " since " + o.since
	}
	return " from the last " + o.since
}

func (o usageOptions) query(now time.Time) (q usage.Options, err error) {
	if o.since != "all" {
		if q.Since, err = view.Since(o.since, now); err != nil {
			return q, cli.Usagef("--since %v, or all", err)
		}
	}
	if o.agent != "" && !slices.Contains(usage.Agents(), o.agent) {
		return q, cli.Usagef("--agent %s: want one of %s", o.agent, strings.Join(usage.Agents(), ", "))
	}
	if o.caseID != "" && o.skill == "" {
		return q, cli.Usagef("--case needs --skill")
	}
	if o.project != "" {
		if _, err := os.Stat(o.project); err != nil {
			return q, err
		}
		if q.Project, err = filepath.Abs(o.project); err != nil {
			return q, err
		}
		q.Project = paths.Real(q.Project)
	}
	q.Agent, q.Skill = o.agent, o.skill
	return q, nil
}

// printCase prints a prompt as a case of try. JSON text is YAML too.
func printCase(std *cli.Std, h here.Here, q usage.Options, id string) error {
	fire, prompt, err := usage.Prompt(h, q, id)
	if err != nil {
		return cli.Exit(cli.ExitMissing, err)
	}
	text, err := json.Marshal(prompt)
	if err != nil {
		return err
	}
	return std.Print(fmt.Sprintf("cases:\n  - id: %s\n    prompt: %s\n", fire.ID, text))
}

func writeSpans(std *cli.Std, h here.Here, q usage.Options, path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	n, err := usage.WriteOTLP(file, h, q)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Err, "%s: %s\n", path, term.Plural(n, "span"))
	return nil
}

// usageText is a report for people.
func usageText(r *usage.Report, o usageOptions, now time.Time, columns int) string {
	var b strings.Builder
	rows := [][]string{{"skill", "called", "by", "refused", "cost", "last used"}}
	quiet := 0
	for _, s := range r.Skills {
		if s.Counts.Fired() == 0 && s.Cost.Turns == 0 && o.skill == "" {
			quiet++
			continue
		}
		last := "never"
		if !s.Last.IsZero() {
			last = term.Ago(now.Sub(s.Last))
		}
		rows = append(rows, []string{term.Flat(s.Name), fmt.Sprint(s.Counts.Fired()), callers(s.Counts), refusals(s.Counts), costText(s.Cost), last})
	}
	if o.skill == "" {
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
	if o.skill != "" && len(r.Skills) > 0 {
		skillStory(&b, r, now)
	}
	adviceText(&b, r.Advice, o, columns)
	return b.String()
}

func callers(c usage.Counts) string {
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

func refusals(c usage.Counts) string {
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

func costText(c usage.Cost) string {
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
func skillStory(b *strings.Builder, r *usage.Report, now time.Time) {
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
func adviceText(b *strings.Builder, all []usage.Advice, o usageOptions, columns int) {
	if len(all) == 0 {
		return
	}
	more := map[string]int{}
	if o.skill == "" {
		all, more = usage.Few(all)
	}
	b.WriteString("\nWorth doing:\n")
	for _, a := range all {
		b.WriteString(term.Hang("  ", term.Flat(a.Skill)+": "+a.Text, columns))
	}
	for _, kind := range slices.Sorted(maps.Keys(more)) {
		fmt.Fprintf(b, "  and %d more %s: see --json\n", more[kind], strings.ReplaceAll(kind, "_", " "))
	}
}
