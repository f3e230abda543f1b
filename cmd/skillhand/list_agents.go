package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand"
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
		std.Warn(unseen(rt))
		return nil
	}
	return std.Print(sightTables(rows, names, std.Edge()))
}

// unseen says why a table would be empty.
func unseen(rt *skillhand.Runtime) string {
	own, _ := rt.List()
	if len(own) == 0 {
		return noSkills(rt.Finder())
	}
	return fmt.Sprintf("no agent sees %s here: agents look in .claude/skills, .agents/skills and the like; "+
		"Claude Code also looks in plugins once they are installed, or with claude --plugin-dir", term.Plural(len(own), "skill"))
}

// sightTables draws as many tables beneath each other as the agents need at this width, and below
// them the reasons, each once for an agent.
func sightTables(rows []sighting, names []string, edge int) string {
	wide := len("skill")
	for _, r := range rows {
		wide = max(wide, term.Cells(term.Flat(r.Skill)))
	}
	columns := sightColumns(rows, names, wide, edge)
	var b strings.Builder
	from, used := 0, wide
	for i, cells := range columns {
		if i > from && used+2+cells > edge {
			b.WriteString(sightTable(rows, names, wide, columns[:i], from) + "\n")
			from, used = i, wide
		}
		used += 2 + cells
	}
	b.WriteString(sightTable(rows, names, wide, columns, from))
	return b.String() + sightNotes(rows, edge)
}

// sightColumns is how wide each agent's column is: all alike if there is room, else as narrow as it can be.
func sightColumns(rows []sighting, names []string, wide, edge int) []int {
	columns := make([]int, len(names))
	for i, name := range names {
		if columns[i] = len(sight.Invisible); wide+len(names)*(2+columns[i]) <= edge {
			continue
		}
		columns[i] = len(name)
		for _, r := range rows {
			columns[i] = max(columns[i], len(r.Agents[i].Sight))
		}
	}
	return columns
}

// sightTable draws the columns of the agents from one on.
func sightTable(rows []sighting, names []string, wide int, columns []int, from int) string {
	var b strings.Builder
	line := func(first string, cell func(i int) string) {
		text := term.Pad(first, wide)
		for i := from; i < len(columns); i++ {
			text += "  " + term.Pad(cell(i), columns[i])
		}
		b.WriteString(text + "\n")
	}
	line("skill", func(i int) string { return names[i] })
	for _, r := range rows {
		line(term.Flat(r.Skill), func(i int) string { return string(r.Agents[i].Sight) })
	}
	return b.String()
}

// sightNotes lists the reasons, each once for an agent.
func sightNotes(rows []sighting, edge int) string {
	var b strings.Builder
	seen := map[agentSighting]bool{}
	for _, r := range rows {
		for _, a := range r.Agents {
			if a.Why != "" && !seen[a] {
				seen[a] = true
				b.WriteString(term.Hang(fmt.Sprintf("%s: %s: ", a.Agent, a.Sight), a.Why, edge))
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n" + b.String()
}
