package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/term"
)

// listLine returns a function that formats a line of the table. Columns fit all skills. If there is
// little room, it cuts descriptions first, then names, and at last it omits descriptions. Without a
// terminal, columns is large and nothing is cut.
func listLine(all []skillhand.Listed, columns int, paint func(code, text string) string) func(skillhand.Listed) string {
	const gap, mark, enough, few = 2, len("not trusted"), 20, 10
	longest, from := 4, 4
	for _, s := range all {
		longest, from = max(longest, term.Cells(term.Visible(s.Call))), max(from, len(s.From))
	}
	room := columns - from - mark - 3*gap // for names and descriptions
	name := min(longest, max(30, columns/3), max(room-enough, few))
	about := room - name
	if about < few {
		name, about = min(longest, max(few, room+gap)), 0
	}
	return func(s skillhand.Listed) string {
		line := fmt.Sprintf("%s  %-*s  ", term.Pad(term.Visible(s.Call), name), from, s.From)
		switch {
		case s.Trusted:
			line += "trusted    "
		case s.Refused != nil && s.Refused.Changed:
			line += paint("33", "pin changed")
		default:
			line += paint("33", "not trusted")
		}
		switch {
		case about == 0:
		case s.Error != "":
			line += "  " + paint("31", term.FitWords(term.Visible(term.Near(s.Error)), about))
		default:
			line += "  " + term.FitWords(owners(s)+term.Visible(s.Description), about)
		}
		return strings.TrimRight(line, " ") + "\n"
	}
}

// owners returns the names of the agents that a skill belongs to, or "" if Claude Code is one of
// them.
func owners(s skillhand.Listed) string {
	if len(s.Owners) == 0 || slices.Contains(s.Owners, agents.Claude) {
		return ""
	}
	return "(" + strings.Join(s.Owners, ", ") + ") "
}
