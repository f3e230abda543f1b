package skill

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Sections says which of a skill's parts its two sections are.
type Sections struct {
	Skill  Section // the instructions, which are read once
	Output Section // what is fresh at every use
}

// A Section is a stretch of a skill's Parts, from its opening to its closing
// tag. The zero value means that the skill has no such section.
type Section struct {
	Open  int // index of the opening tag
	Close int // index of the closing tag, never 0 in a section that is there
}

// Exists reports whether the skill has the section.
func (x Section) Exists() bool { return x.Close > 0 }

// Has reports whether the part with the given index lies between the tags.
func (x Section) Has(index int) bool { return x.Open < index && index < x.Close }

// Of returns the section's parts, both tags included; none if it is not there.
func (x Section) Of(parts []Part) []Part {
	if !x.Exists() {
		return nil
	}
	return parts[x.Open : x.Close+1]
}

// Sections finds the skill's sections. There may be one of each kind, named
// after the skill or not at all, and none in another. The error joins all
// faults, each with its tag's line; then no section is returned.
func (s *Skill) Sections() (Sections, error) {
	type fault struct {
		line int
		err  error
	}
	var faults []fault
	complain := func(p Part, text string) {
		slash := ""
		if p.Close {
			slash = "/"
		}
		faults = append(faults, fault{p.Line, fmt.Errorf("%s:%d: <%s%s> %s", s.File, p.Line, slash, p.Tag, text)})
	}
	var found Sections
	var open []int // opening tags that wait for their closing ones
	first := map[string]int{}
	for i, p := range s.Parts {
		switch {
		case p.Kind != Tag:
		case p.Close:
			n := len(open) - 1
			for n >= 0 && s.Parts[open[n]].Tag != p.Tag {
				n--
			}
			if n < 0 {
				complain(p, "closes nothing")
				continue
			}
			section := Section{Open: open[n], Close: i}
			open = slices.Delete(open, n, n+1)
			if p.Tag == "output" {
				found.Output = section
			} else {
				found.Skill = section
			}
		default:
			if p.TagName != "" && s.Name != "" && p.TagName != s.Name {
				complain(p, fmt.Sprintf("has the name %q, want %q", p.TagName, s.Name))
			}
			if len(open) > 0 {
				outer := s.Parts[open[len(open)-1]]
				complain(p, fmt.Sprintf("is inside the <%s> of line %d", outer.Tag, outer.Line))
			} else if line := first[p.Tag]; line > 0 {
				complain(p, fmt.Sprintf("is there already, on line %d", line))
			}
			if first[p.Tag] == 0 {
				first[p.Tag] = p.Line
			}
			open = append(open, i)
		}
	}
	for _, i := range open {
		complain(s.Parts[i], "is not closed")
	}
	if len(faults) == 0 {
		return found, nil
	}
	slices.SortStableFunc(faults, func(a, b fault) int { return cmp.Compare(a.line, b.line) })
	errs := make([]error, len(faults))
	for i, f := range faults {
		errs[i] = f.err
	}
	return Sections{}, errors.Join(errs...)
}
