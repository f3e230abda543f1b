package main

import (
	"fmt"
	"slices"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/agent"
	"github.com/skillhand/skillhand/agent/sight"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
)

// runListAgents prints a table of skills and agents.
func runListAgents(std *cli.Std, at cli.At, names []string, asJSON bool) error {
	if slices.Equal(names, []string{"all"}) {
		names = agent.Names()
	}
	for _, name := range names {
		if _, err := agent.Find(name); err != nil {
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
	skills, faults := sight.Find(h.Project, h.Home)
	for _, err := range faults {
		std.Warn(err.Error())
	}
	rows := sight.Rows(names, skills)
	switch {
	case asJSON:
		return cli.PrintEach(std, true, rows, nil)
	case len(rows) == 0:
		std.Warn(unseen(rt))
		return nil
	}
	return std.Print(sight.Table(rows, names, std.Edge()))
}

// unseen says why a table would be empty.
func unseen(rt *skillhand.Runtime) string {
	own, _ := rt.List()
	if len(own) == 0 {
		return noSkills
	}
	return fmt.Sprintf("no agent sees %s here: agents look in .claude/skills, .agents/skills and the like; "+
		"Claude Code also looks in plugins once they are installed, or with claude --plugin-dir", term.Plural(len(own), "skill"))
}
