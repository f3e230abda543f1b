package check

import (
	"cmp"

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
		switch found := refusedByAll(d.part.Command, bind.World{}); {
		case found == nil:
		case refusedByAll(d.part.Command, nothing) != nil:
			p.find(d.start, d.end, "skillhand load refuses this for every ordinary argument: %v", found)
		default:
			p.find(d.start, d.end, "it depends on the machine which arguments skillhand load takes here: plain words that name no program and no file there; %v", found)
		}
	}
}

// nothing is a machine without programs and files.
var nothing = bind.World{Program: func(string) bool { return false }, File: func(string) bool { return false }}

// refusedByAll returns why no ordinary value passes in a world, or nil if one does.
func refusedByAll(command []skill.Part, w bind.World) (first *bind.Finding) {
	for _, value := range ordinaryValues {
		found := bind.Judge(boundLine(command, value), w)
		if len(found) == 0 {
			return nil
		}
		first = cmp.Or(first, &found[0])
	}
	return first
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
