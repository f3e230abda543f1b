package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/agent"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/try"
)

// checkAgents reports an unknown agent, and what one lacks that was asked for.
func (o *tryOptions) checkAgents() error {
	var faults []error
	for _, name := range o.agents {
		a, err := agent.Find(name)
		if err == nil && a != nil {
			err = a.Check(claude.Request{MaxTurns: o.MaxTurns, AllowedTools: o.AllowedTools, MaxBudgetUSD: max(o.MaxUSD, o.budgetUSD)})
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
	case several && (o.results != "" || o.junit != "" || o.from != ""):
		return cli.Usagef("--results, --junit and --from take one --agent: try one at a time")
	case o.client.Path != "" && !slices.Equal(o.agents, []string{agent.Claude}):
		return cli.Usagef("--claude: set SKILLHAND_CODEX (or that of another agent) to the path of its program")
	case o.WithMine && !slices.Equal(o.agents, []string{agent.Claude}):
		return cli.Usagef("--with-mine is for claude: other agents have their own skills")
	}
	return nil
}

// cannotFire says why no skill can fire in an agent as trials start it; "" if one can.
func (o *tryOptions) cannotFire(name string) string {
	a, _ := agent.Find(name) // checkAgents has found it
	if a == nil || o.from != "" {
		return ""
	}
	return a.CannotFire(o.Args)
}

// tryAgents tries the skills in one agent after the other. The table at the end is what they do with each skill.
func tryAgents(ctx context.Context, std *cli.Std, h here.Here, o *tryOptions, subjects []*try.Subject) error {
	var worst error
	var rows [][3]string
	for _, name := range o.agents {
		row := func(skill, what string) { rows = append(rows, [3]string{skill, name, what}) }
		if why := o.cannotFire(name); why != "" {
			for _, s := range subjects {
				row(s.Name, "cannot fire: "+why)
			}
			continue
		}
		one := *o
		one.Options.Agent = agentOption(name)
		if !o.json {
			if err := std.Print(name + "\n"); err != nil {
				return err
			}
		}
		summary, err := tryIn(ctx, std, h, &one, subjects)
		if ctx.Err() != nil {
			return err
		}
		if worst == nil {
			worst = err
		}
		if summary == nil || summary.Trials == 0 {
			for _, s := range subjects {
				row(s.Name, fmt.Sprintf("not tried: %v", err))
			}
			continue
		}
		for _, k := range summary.Skills {
			row(k.Skill, k.Fates())
		}
	}
	if o.json {
		return worst
	}
	slices.SortStableFunc(rows, func(a, b [3]string) int { return strings.Compare(a[0], b[0]) })
	if err := std.Print("\n" + table(rows)); err != nil {
		return err
	}
	return worst
}

// agentOption is an agent's name as the options have it: Claude needs none.
func agentOption(name string) string {
	if name == agent.Claude {
		return ""
	}
	return name
}

// table aligns rows of three cells.
func table(rows [][3]string) string {
	var b strings.Builder
	var wide [2]int
	for _, r := range rows {
		for i := range wide {
			wide[i] = max(wide[i], term.Cells(term.Flat(r[i])))
		}
	}
	for _, r := range rows {
		fmt.Fprintf(&b, "%s  %s  %s\n", term.Pad(term.Flat(r[0]), wide[0]), term.Pad(r[1], wide[1]), term.Flat(r[2]))
	}
	return b.String()
}
