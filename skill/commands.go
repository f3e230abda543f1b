package skill

import "strings"

// Commands lists what a skill's directives would run, for people to look at.
func (s *Skill) Commands() []string {
	var all []string
	for _, p := range s.Parts {
		if p.Kind != Directive {
			continue
		}
		var b strings.Builder
		for _, c := range p.Command {
			b.WriteString(c.Source)
		}
		all = append(all, strings.TrimSpace(b.String()))
	}
	return all
}
