package activity

import (
	"fmt"
	"io"
	"strings"

	"github.com/skillhand/skillhand/internal/here"
)

// A Builtin is a view that a skill's page can include. Printing it starts no process.
type Builtin struct {
	Name  string
	Short string // what it prints
	Args  bool   // it accepts arguments
	Text  func(h here.Here, args []string, warn io.Writer) (string, error)
}

// Builtins returns the views that the skills of our plugin use, sorted by name.
func Builtins() []Builtin {
	return []Builtin{
		{"get-retrospective-output", "a look back at the last 7 days, or at the PERIOD that is named", true, retroOutput},
		{"get-status-output", "what this session has loaded, and how the last runs went", false, statusOutput},
		{"get-statusline-output", "whether Claude Code has a status line, and how to install one", false, statuslineOutput},
		{"list-skills", "the skills that can be loaded here, and what each is for", false, listSkills},
	}
}

// listSkills returns a line for each skill that can be loaded by name.
func listSkills(h here.Here, _ []string, warn io.Writer) (string, error) {
	all, faults := h.Finder().List()
	var text strings.Builder
	for _, loc := range all {
		_, summary, err := loc.Front()
		if err != nil {
			faults = append(faults, err)
			continue
		}
		fmt.Fprintf(&text, "%s: %s\n", loc.Call, strings.Join(strings.Fields(summary), " "))
	}
	for _, err := range faults {
		fmt.Fprintf(warn, "list-skills: %v\n", err)
	}
	return text.String(), nil
}
