package main

import (
	"slices"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/agent"
	"github.com/skillhand/skillhand/agent/sight"
	"github.com/skillhand/skillhand/internal/cli"
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
	listed, _ := rt.List() // skillhand list says what it passes over
	skills, faults := sight.Find(h.Project, h.Home, skillhand.Locations(listed)...)
	for _, err := range faults {
		std.Warn(err.Error())
	}
	rows := sight.Rows(names, skills)
	switch {
	case asJSON:
		return cli.PrintEach(std, true, rows, nil)
	case len(rows) == 0:
		std.Warn(noSkills(rt))
		return nil
	}
	return std.Print(sight.Table(rows, names, std.Edge()))
}
