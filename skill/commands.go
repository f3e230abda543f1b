package skill

import "strings"

// Commands lists the commands of a skill's directives, for people to read.
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
