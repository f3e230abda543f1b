package try

import (
	"fmt"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
)

// FatesMarkdown is the table of skills and agents as Markdown.
func (r Report) FatesMarkdown() string {
	text := "| skill | agent | |\n|---|---|---|\n"
	cell := strings.NewReplacer("|", "\\|", "<", "&lt;")
	for _, f := range r.Fates {
		text += fmt.Sprintf("| %s | %s | %s |\n", cell.Replace(term.Flat(f.Skill)), f.Agent, cell.Replace(term.Flat(f.Fate)))
	}
	return text
}

// FatesText is the table of skills and agents for people.
func (r Report) FatesText() string {
	cells := func(f Fate) [3]string { return [3]string{term.Flat(f.Skill), f.Agent, term.Flat(f.Fate)} }
	var wide [2]int
	for _, f := range r.Fates {
		for i := range wide {
			wide[i] = max(wide[i], term.Cells(cells(f)[i]))
		}
	}
	var b strings.Builder
	for _, f := range r.Fates {
		c := cells(f)
		fmt.Fprintf(&b, "%s  %s  %s\n", term.Pad(c[0], wide[0]), term.Pad(c[1], wide[1]), c[2])
	}
	return b.String()
}
