package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/find"
)

func newList(std *cli.Std) *cobra.Command {
	var at cli.At
	var asJSON bool
	var names []string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the skills that can be loaded here",
		Long: `List the skills and commands that can be loaded here by name: where each comes from,
whether its commands may run, and what it is for. If several have the same name,
skillhand loads the first.

--agents shows which agents see each skill: seen, cut (the agent sees the name, but
not the whole description), or invisible, and why.`,
		Example: `  skillhand list
  skillhand list --agents=codex,opencode
  skillhand list --json | jq -r 'select(.trusted | not).file'`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if names != nil {
				return runListAgents(std, at, names, asJSON)
			}
			return runList(std, at, asJSON)
		},
	}
	at.Flags(cmd)
	cmd.Flags().StringSliceVar(&names, "agents", nil, "show which of these `agents` see each skill (--agents alone: all agents)")
	cmd.Flags().Lookup("agents").NoOptDefVal = "all"
	cli.Values(cmd, "agents", agents.Names()...)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each skill")
	return cmd
}

func runList(std *cli.Std, at cli.At, asJSON bool) error {
	rt, err := at.Runtime(std, "Listing")
	if err != nil {
		return err
	}
	all, faults := rt.List()
	for _, err := range faults {
		std.Warn(err.Error())
	}
	if err := cli.PrintEach(std, asJSON, all, listLine(all, std.Edge(), std.Painter())); err != nil {
		return err
	}
	warned := map[string]bool{}
	for _, s := range all {
		if s.Refused != nil && s.Refused.Changed && !warned[s.Refused.Dir] {
			warned[s.Refused.Dir] = true
			std.Warn(s.Refused.Reason())
		}
	}
	if len(all) == 0 && !asJSON {
		std.Warn(noSkills(rt))
	}
	return nil
}

// noSkills returns a message that there is nothing to list, and what to do.
func noSkills(rt *skillhand.Runtime) string {
	if strays := rt.Finder().Strays(); len(strays) > 0 {
		text := "no skills here, but " + strays[0]
		if more := len(strays) - 1; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return text + ": move it to .claude/skills, or name its folder with --root"
	}
	return "no skills here; write one: skillhand init skill NAME"
}

// runListAgents prints a table of skills and agents.
func runListAgents(std *cli.Std, at cli.At, names []string, asJSON bool) error {
	if slices.Equal(names, []string{"all"}) {
		names = agents.Names()
	}
	for _, name := range names {
		if _, err := agents.Find(name); err != nil {
			return cli.Usagef("%v", err)
		}
	}
	rt, err := at.Runtime(std, "Listing")
	if err != nil {
		return err
	}
	h, err := rt.Complete()
	if err != nil {
		return err
	}
	listed, _ := rt.List() // skillhand list reports unreadable skills
	skills, faults := find.ForAgents(h.Project, h.Home, skillhand.Locations(listed)...)
	for _, err := range faults {
		std.Warn(err.Error())
	}
	rows := agents.Rows(names, skills)
	switch {
	case asJSON:
		return cli.PrintEach(std, true, rows, nil)
	case len(rows) == 0:
		std.Warn(noSkills(rt))
		return nil
	}
	return std.Print(agents.Table(rows, names, std.Edge()))
}
