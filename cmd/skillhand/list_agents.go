package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/agent"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
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
	Sight agent.Sight `json:"sight"`
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
	rows, skills := skillsOfAgents(std, h.Project, h.Home)
	for _, name := range names {
		sights, why := agent.Sees(name, skills)
		for i := range rows {
			rows[i].Agents = append(rows[i].Agents, agentSighting{name, sights[i], why[i]})
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

// skillsOfAgents finds the skills in every place in which an agent looks.
func skillsOfAgents(std *stdio, project, home string) (rows []sighting, skills []agent.Skill) {
	inProject, inHome := agent.Places()
	look := func(root string, user bool, places []string) {
		for _, place := range places {
			folder := filepath.Join(root, filepath.FromSlash(place), "skills")
			entries, _ := os.ReadDir(folder) // most are not there
			for _, e := range entries {
				loc := skill.Location{Name: e.Name(), Folder: filepath.Join(folder, e.Name()), File: filepath.Join(folder, e.Name(), skill.MainFile)}
				if _, err := os.Stat(loc.File); err != nil {
					continue
				}
				front, summary, err := loc.Front()
				if err != nil {
					std.Warn(err.Error())
					continue
				}
				rows = append(rows, sighting{Skill: e.Name(), File: loc.File})
				skills = append(skills, agent.Skill{
					Name: e.Name(), Place: place, User: user, Named: front.Name != "", Hidden: front.DisableModelInvocation, Description: utf8.RuneCountInString(summary),
				})
			}
		}
	}
	look(project, false, inProject)
	if home != project {
		look(home, true, inHome)
	}
	return rows, skills
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
