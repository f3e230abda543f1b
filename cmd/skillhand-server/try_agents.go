package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/here"
)

// checkAgents refuses unknown agents, and flags that an agent does not support.
func (o *tryOptions) checkAgents() error {
	var faults []error
	for _, name := range o.agents {
		a, err := agents.Find(name)
		if err == nil && a != nil {
			err = a.Check(agents.Question{Turns: o.MaxTurns > 0, Tools: len(o.AllowedTools) > 0})
			err = errors.Join(err, o.checkPrices(a))
		}
		if err != nil {
			faults = append(faults, cli.Usagef("%v", err))
		}
	}
	switch several := len(o.agents) > 1; {
	case faults != nil:
		return errors.Join(faults...)
	case several && len(o.Args) > 0:
		return cli.Usagef("arguments after -- are for one agent: try one at a time")
	case several && (o.results != "" || o.from != ""):
		return cli.Usagef("--output and --from need a single --agent")
	case o.client.Path != "" && !o.onlyClaude():
		return cli.Usagef("--claude: set SKILLHAND_CODEX (or that of another agent) to the path of its program")
	case o.WithMine && !o.onlyClaude():
		return cli.Usagef("--with-mine is for claude: other agents have their own skills")
	}
	return nil
}

// checkPrices refuses a limit in dollars if the prices of the agent or of a model are unknown.
func (o *tryOptions) checkPrices(a *agents.Agent) error {
	var limits []string
	if o.budgetUSD > 0 {
		limits = append(limits, "--budget-usd")
	}
	if o.MaxUSD > 0 {
		limits = append(limits, "--max-budget-usd")
	}
	models := o.Models
	if len(models) == 0 {
		models = []string{o.Model}
	}
	for _, model := range models {
		if why := a.Unpriced(model); why != "" && limits != nil {
			return fmt.Errorf("%s: %s", strings.Join(limits, ", "), why)
		}
	}
	return nil
}

// onlyClaude reports whether Claude Code is the only agent.
func (o *tryOptions) onlyClaude() bool { return slices.Equal(o.agents, []string{agents.Claude}) }

// cannotFire says why no skill can fire in an agent with these arguments, or returns "".
func (o *tryOptions) cannotFire(name string) string {
	a, _ := agents.Find(name) // checkAgents has found it
	if a == nil || o.from != "" {
		return ""
	}
	return a.CannotFire(o.Args)
}

// tryAll tries the skills in one agent after the other. If there are several agents, it ends with a
// table of skills and agents.
func tryAll(ctx context.Context, std *cli.Std, h here.Here, o *tryOptions, subjects []*eval.Subject) (all eval.Report, worst error) {
	for _, name := range o.agents {
		if why := o.cannotFire(name); why != "" {
			all.Agents = append(all.Agents, eval.NotTried(name, "cannot fire: "+why, subjects))
			if worst == nil && o.min.Fired > 0 {
				worst = cli.Said(cli.ExitFailed)
			}
			continue
		}
		one := *o
		one.Options.Agent = agentOption(name)
		if err := o.heading(std, name); err != nil {
			return all, err
		}
		report, err := tryIn(ctx, std, h, &one, subjects)
		if report.Agent = name; report.Summary == nil || report.Summary.Trials == 0 {
			report = eval.NotTried(name, fmt.Sprintf("not tried: %v", err), subjects)
		}
		all.Agents = append(all.Agents, report)
		if worst == nil {
			worst = err
		}
		if ctx.Err() != nil {
			return all, err
		}
	}
	if len(o.agents) > 1 {
		if err := o.printFates(std, all); err != nil {
			return all, err
		}
	}
	return all, worst
}

// heading prints the name of the agent whose results follow.
func (o *tryOptions) heading(std *cli.Std, name string) error {
	switch {
	case o.json || len(o.agents) == 1:
		return nil
	case o.markdown:
		return std.Print("## " + name + "\n\n")
	}
	return std.Print(name + "\n")
}

// printFates prints the table of skills and agents. As JSON, the table is the last line.
func (o *tryOptions) printFates(std *cli.Std, all eval.Report) error {
	switch {
	case o.json:
		return std.PrintJSON(struct {
			Type  string      `json:"type"`
			Fates []eval.Fate `json:"fates"`
		}{"agents", all.Fates()})
	case o.markdown:
		return std.Print("\n" + all.FatesMarkdown())
	}
	return std.Print("\n" + all.FatesText())
}

// agentOption returns the name of an agent as the options expect it: "" for Claude.
func agentOption(name string) string {
	if name == agents.Claude {
		return ""
	}
	return name
}
