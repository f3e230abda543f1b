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
		text string
	}
	var faults []fault
	complain := func(p Part, format string, args ...any) {
		faults = append(faults, fault{p.Line, fmt.Sprintf(format, args...)})
	}
	found := map[string]Section{}
	open := -1                 // the tag of the section that goes on
	nested := map[string]int{} // tags inside it, faults already, which may have closing tags
	for i, p := range s.Parts {
		if p.Kind != Tag {
			continue
		}
		if p.Close {
			switch {
			case nested[p.Tag] > 0:
				nested[p.Tag]--
			case open < 0 || s.Parts[open].Tag != p.Tag:
				complain(p, "</%s> closes nothing", p.Tag)
			default:
				found[p.Tag] = Section{Open: open, Close: i}
				open = -1
			}
			continue
		}
		if p.TagName != "" && s.Name != "" && p.TagName != s.Name {
			complain(p, "<%s> has the name %q, want %q", p.Tag, p.TagName, s.Name)
		}
		if open >= 0 {
			complain(p, "<%s> is inside the <%s> of line %d", p.Tag, s.Parts[open].Tag, s.Parts[open].Line)
			nested[p.Tag]++
			continue
		}
		if first, ok := found[p.Tag]; ok {
			complain(p, "<%s> is there already, on line %d", p.Tag, s.Parts[first.Open].Line)
		}
		open = i
	}
	if open >= 0 {
		complain(s.Parts[open], "<%s> is not closed", s.Parts[open].Tag)
	}
	if len(faults) == 0 {
		return Sections{Skill: found["skill"], Output: found["output"]}, nil
	}
	slices.SortStableFunc(faults, func(a, b fault) int { return cmp.Compare(a.line, b.line) })
	var all []error
	for _, f := range faults {
		all = append(all, fmt.Errorf("%s:%d: %s", s.File, f.line, f.text))
	}
	return Sections{}, errors.Join(all...)
}
