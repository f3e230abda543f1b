package main

import (
	"encoding/json"
	"fmt"
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
		Short: "Show which skills agents used on this machine, and what each cost",
		Long: `Read the transcripts that agents leave on this machine, and show for each skill
how often it was called and by whom, what was refused, what it cost, and when it
was last used; then what is worth doing. The costs of all skills and the rest are
the total. What a transcript does not tell is unknown. All projects count; --project
. is this one alone.

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
		std.Say("no agent transcripts " + o.where() + o.period())
		return nil
	}
	return std.Print(r.Text(o.skill, time.Now(), std.Edge()))
}

// where says whose transcripts were read.
func (o usageOptions) where() string {
	if o.project != "" {
		return "of " + o.project
	}
	return "on this machine"
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
