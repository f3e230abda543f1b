package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
)

type usageOptions struct {
	since, project, agent, skill, caseID, otlp string
	json, unused, expensive, advice            bool
}

func newUsage(std *cli.Std) *cobra.Command {
	var o usageOptions
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show which skills agents used on this machine, and what each cost",
		Long: `Read the transcripts that agents keep on this machine. For each skill, show in how
many sessions it was offered, how often it was called and by whom, what went wrong,
what it cost in all and per call, and when it was last used. Then show advice. The
costs of all skills and of everything else add up to the total. A value that no
transcript contains is unknown. usage reads all projects; --project . reads only
this one.

usage writes nothing into the agents' folders. It prints no text of a transcript,
except the prompt that --case asks for.`,
		Example: `  skillhand usage
  skillhand usage --since 7d --project .
  skillhand usage --unused
  skillhand usage --skill deploy
  skillhand usage --skill deploy --case 1k2m3n4p > evals/1k2m3n4p.yaml
  skillhand usage --json | jq '.skills[] | {name, cost: .cost.cost_usd}'`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return runUsage(std, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "30d", "a `period` such as 12h, 7d or 4w, a day such as 2026-11-01, or all")
	f.StringVar(&o.project, "project", "", "only sessions in this `folder` or below")
	f.StringVar(&o.agent, "agent", "", "only this `agent`: "+term.Either(activity.Agents()))
	cli.Values(cmd, "agent", activity.Agents()...)
	f.StringVar(&o.skill, "skill", "", "print only the skill with this `name`, and its last calls")
	f.StringVar(&o.caseID, "case", "", "print the prompt before a call of --skill, by its `id`, as a case for skillhand try")
	f.StringVar(&o.otlp, "otlp", "", "write OpenTelemetry spans to this `file`, one line of OTLP JSON for each session")
	f.BoolVar(&o.unused, "unused", false, "print only skills that were offered and never used")
	f.BoolVar(&o.expensive, "expensive", false, "sort skills by the cost of a call, the most expensive first")
	f.BoolVar(&o.advice, "advice", false, "print only the advice, all of it")
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
		text, err := activity.Case(h, q, o.caseID)
		if err != nil {
			return cli.Exit(cli.ExitMissing, err)
		}
		return std.Print(text)
	case o.otlp != "":
		n, err := activity.SaveOTLP(o.otlp, h, q)
		if err == nil {
			fmt.Fprintf(std.Err, "%s: %s\n", o.otlp, term.Plural(n, "span"))
		}
		return err
	}
	debug.SetGCPercent(400) // saves a third of the time that reading the index takes
	q.Installed = activity.InstalledAt(h)
	r, err := activity.Read(h, q)
	if err != nil {
		return err
	}
	for _, text := range r.Unread() {
		std.Warn(text)
	}
	r.Keep(o.show())
	if o.json {
		return std.PrintJSON(r)
	}
	if o.skill != "" && len(r.Skills) == 0 {
		return cli.Exit(cli.ExitMissing, fmt.Errorf("%s: no transcript%s names this skill", o.skill, activity.Period(o.since)))
	}
	if len(r.Sessions) == 0 {
		where := "on this machine"
		if o.project != "" {
			where = "of " + o.project
		}
		std.Say("no agent transcripts " + where + activity.Period(o.since))
		return nil
	}
	if o.advice && len(r.Advice) == 0 {
		std.Say("nothing stands out")
		return nil
	}
	return std.Print(r.Text(o.skill, o.show(), time.Now(), std.Edge()))
}

func (o usageOptions) show() activity.Show {
	switch {
	case o.unused:
		return activity.ShowUnused
	case o.expensive:
		return activity.ShowExpensive
	case o.advice:
		return activity.ShowAdvice
	}
	return activity.ShowAll
}

func (o usageOptions) query(now time.Time) (q activity.Options, err error) {
	if o.since != "all" {
		if q.Since, err = activity.Since(o.since, now); err != nil {
			return q, cli.Usagef("--since %v, or all", err)
		}
	}
	if o.agent != "" && !slices.Contains(activity.Agents(), o.agent) {
		return q, cli.Usagef("--agent %s: want one of %s", o.agent, strings.Join(activity.Agents(), ", "))
	}
	if o.unused && o.expensive || o.advice && (o.unused || o.expensive) {
		return q, cli.Usagef("--unused, --expensive and --advice cannot be used together")
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
		q.Project = files.Real(q.Project)
	}
	q.Agent, q.Skill = o.agent, o.skill
	return q, nil
}
