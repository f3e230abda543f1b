package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/agent"
	"github.com/skillhand/skillhand/agent/sight"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
)

// A sighting says which agents' models see a skill. As JSON it is a line of what skillhand
// list --agents --json prints: schemas/list-agents-v1.schema.json.
type sighting struct {
	Skill  string          `json:"skill"`
	File   string          `json:"file"`
	Agents []agentSighting `json:"agents"`
}

type agentSighting struct {
	Agent string      `json:"agent"`
	Sight sight.Sight `json:"sight"`
	Why   string      `json:"why,omitempty"`
}

// runListAgents prints a table of skills and agents.
func runListAgents(std *stdio, at at, names []string, asJSON bool) error {
	if slices.Equal(names, []string{"all"}) {
		names = agent.Names()
	}
	for _, name := range names {
		if _, err := agent.Find(name); err != nil {
			return cli.Usagef("%v", err)
		}
	}
	rt, err := newRuntime(std, "Listing", at)
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
	rows := make([]sighting, len(skills))
	for i, s := range skills {
		rows[i] = sighting{Skill: s.CalledName(), File: s.File}
	}
	for _, name := range names {
		for i, v := range sight.See(name, skills) {
			rows[i].Agents = append(rows[i].Agents, agentSighting{name, v.Sight, v.Why})
		}
	}
	if asJSON {
		for _, r := range rows {
			if err := std.PrintJSON(r); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		std.Warn("no agent has skills here: write one with skillhand init skill NAME")
		return nil
	}
	return std.Print(sightTable(rows, names))
}

// sightTable draws the table, and below it the reasons, each once for an agent.
func sightTable(rows []sighting, names []string) string {
	var b, notes strings.Builder
	wide := len("skill")
	for _, r := range rows {
		wide = max(wide, term.Cells(term.Flat(r.Skill)))
	}
	line := func(first string, cells []string) {
		b.WriteString(term.Pad(first, wide))
		for _, c := range cells {
			fmt.Fprintf(&b, "  %-9s", c)
		}
		b.WriteString("\n")
	}
	line("skill", names)
	seen := map[string]bool{}
	for _, r := range rows {
		var cells []string
		for _, a := range r.Agents {
			cells = append(cells, string(a.Sight))
			note := fmt.Sprintf("%s: %s: %s\n", a.Agent, a.Sight, a.Why)
			if a.Why != "" && !seen[note] {
				seen[note] = true
				notes.WriteString(note)
			}
		}
		line(term.Flat(r.Skill), cells)
	}
	if notes.Len() > 0 {
		b.WriteString("\n" + notes.String())
	}
	return b.String()
}
