package agents

import (
	"fmt"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
)

// A Row says which agents' models see a skill. As JSON it is a line of what skillhand
// list --agents --json prints: schemas/list-agents-v1.schema.json.
type Row struct {
	Skill  string    `json:"skill"`
	File   string    `json:"file"`
	Agents []InAgent `json:"agents"`
}

// An InAgent is what one agent's model sees of a skill.
type InAgent struct {
	Agent string `json:"agent"`
	Sight Sight  `json:"sight"`
	Why   string `json:"why,omitempty"`

	elsewhere bool // invisible because the agent does not look where the skill is
}

// Rows returns a row for each skill, which says which of the agents see the skill.
func Rows(names []string, skills []Skill) []Row {
	rows := make([]Row, len(skills))
	for i, s := range skills {
		rows[i] = Row{Skill: s.CalledName(), File: s.File}
	}
	for _, name := range names {
		for i, v := range Get(name).Views(skills) {
			rows[i].Agents = append(rows[i].Agents, InAgent{name, v.Sight, v.Why, v.Sight == Invisible && v.Cause == ByPlace})
		}
	}
	return rows
}

// Table prints as many tables below each other as the agents need at this width. The reasons
// follow, each once for an agent. Many skills where no agent looks become one line.
func Table(rows []Row, names []string, edge int) string {
	shown, unseen := splitUnseen(rows)
	var b strings.Builder
	if len(unseen) > 0 {
		b.WriteString(term.Hang("", unseenLine(unseen, names), edge))
	}
	if len(shown) > 0 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(tables(shown, names, edge))
	}
	return b.String() + tableNotes(rows, edge)
}

// maxUnseen is up to how many skills where no agent looks get a row each.
const maxUnseen = 3

// splitUnseen separates skills where no agent looks from the others, if there are too many for a
// row each. It takes only the largest group that has the same reasons.
func splitUnseen(rows []Row) (shown, unseen []Row) {
	groups := map[string][]Row{}
	for _, r := range rows {
		if key, ok := r.unseenKey(); ok {
			groups[key] = append(groups[key], r)
		}
	}
	largest := ""
	for key, group := range groups {
		if n := len(groups[largest]); len(group) > n || len(group) == n && key < largest {
			largest = key
		}
	}
	if len(groups[largest]) <= maxUnseen {
		return rows, nil
	}
	for _, r := range rows {
		if key, ok := r.unseenKey(); !ok || key != largest {
			shown = append(shown, r)
		}
	}
	return shown, groups[largest]
}

// unseenKey returns the reasons why agents do not see a skill, and whether no agent looks where it
// is.
func (r Row) unseenKey() (key string, unseen bool) {
	for _, a := range r.Agents {
		if !a.elsewhere {
			return "", false
		}
		key += a.Why + "\n"
	}
	return key, true
}

// unseenLine says in one line that agents do not see many skills. The reasons follow below the
// table.
func unseenLine(unseen []Row, names []string) string {
	return fmt.Sprintf("%d skills (%s, %s and %d more): invisible to %s: not in a folder they read", len(unseen),
		term.Flat(unseen[0].Skill), term.Flat(unseen[1].Skill), len(unseen)-2, strings.Join(names, ", "))
}

// tables prints rows as tables below each other.
func tables(rows []Row, names []string, edge int) string {
	wide := len("skill")
	for _, r := range rows {
		wide = max(wide, term.Cells(term.Flat(r.Skill)))
	}
	wide = min(wide, max(30, edge/3))
	columns := tableColumns(rows, names, wide, edge)
	var b strings.Builder
	from, used := 0, wide
	for i, cells := range columns {
		if i > from && used+2+cells > edge {
			b.WriteString(tableOf(rows, names, wide, columns[:i], from) + "\n")
			from, used = i, wide
		}
		used += 2 + cells
	}
	b.WriteString(tableOf(rows, names, wide, columns, from))
	return b.String()
}

// tableColumns returns the width of each agent's column: all the same if there is room, else as
// narrow as possible.
func tableColumns(rows []Row, names []string, wide, edge int) []int {
	columns := make([]int, len(names))
	for i, name := range names {
		if columns[i] = len(Invisible); wide+len(names)*(2+columns[i]) <= edge {
			continue
		}
		columns[i] = len(name)
		for _, r := range rows {
			columns[i] = max(columns[i], len(r.Agents[i].Sight))
		}
	}
	return columns
}

func tableOf(rows []Row, names []string, wide int, columns []int, from int) string {
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

// tableNotes lists the reasons, each once for an agent.
func tableNotes(rows []Row, edge int) string {
	var b strings.Builder
	seen := map[InAgent]bool{}
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
