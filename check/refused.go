package check

import (
	"github.com/skillhand/skillhand/internal/shell/bind"
	"github.com/skillhand/skillhand/skill"
)

// ordinaryValues are what people give to skills. A directive that takes none of them takes nothing.
var ordinaryValues = []string{"src", "main.go", "v1.2", "feature/login", "fix the login page", "O'Brien"}

// refusedArgument finds directives that skillhand load refuses, whatever ordinary argument it is given.
func refusedArgument(p *pass) {
	if !p.doc.isRendered() {
		return
	}
	for _, d := range p.doc.directives {
		if d.part == nil {
			continue
		}
		var first []bind.Finding
		for i, value := range ordinaryValues {
			found := bind.Judge(boundLine(d.part.Command, value))
			if len(found) == 0 {
				first = nil
				break
			}
			if i == 0 {
				first = found
			}
		}
		if len(first) > 0 {
			p.find(d.start, d.end, "skillhand load refuses this for every ordinary argument: %v", first[0])
		}
	}
}

// boundLine is a command with a value in the place of each argument.
func boundLine(parts []skill.Part, value string) (l bind.Line) {
	for _, c := range parts {
		switch {
		case c.Kind != skill.Variable:
			l.Parts = append(l.Parts, bind.Part{Text: c.Source})
		case c.Escaped:
			l.Parts = append(l.Parts, bind.Part{Text: c.Source[1:]})
		case c.Braced:
			l.Parts = append(l.Parts, bind.Part{Text: c.Source, Value: &bind.Value{Data: "/skills/x", Ours: true}})
		default:
			l.Parts = append(l.Parts, bind.Part{Text: c.Source, Value: &bind.Value{Data: value}})
		}
	}
	return l
}
