package skill

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Sections says which parts of a skill belong to its two sections.
type Sections struct {
	Skill  Section // the instructions, for the first use
	Output Section // the output, fresh at every use
}

// A Section is a range of a skill's Parts, from its opening to its closing tag. The zero value means
// that the skill has no such section.
type Section struct {
	Open  int // index of the opening tag
	Close int // index of the closing tag, never 0 in a section that exists
}

// Exists reports whether the skill has the section.
func (x Section) Exists() bool { return x.Close > 0 }

// Has reports whether the part with an index is between the tags.
func (x Section) Has(index int) bool { return x.Open < index && index < x.Close }

// Of returns the section's parts with both tags, or none.
func (x Section) Of(parts []Part) []Part {
	if !x.Exists() {
		return nil
	}
	return parts[x.Open : x.Close+1]
}

// Sections finds the skill's sections: at most one of each kind, not nested, named after the skill or
// not at all. The error joins all Faults, each with its tag's line. With an error there are no
// sections.
func (s *Skill) Sections() (Sections, error) {
	t := readTags(s.Parts, s.shortName())
	if len(t.faults) == 0 {
		return Sections{Skill: t.found["skill"], Output: t.found["output"]}, nil
	}
	var all []error
	for _, f := range t.faults {
		all = append(all, errors.New(s.Say(f)))
	}
	return Sections{}, errors.Join(all...)
}

// Faults says why the skill's sections allow no page, in the order of the text.
func (s *Skill) Faults() []Note { return readTags(s.Parts, s.shortName()).faults }

// shortName returns a command's name without its folders.
func (s *Skill) shortName() string { return s.Name[strings.LastIndexByte(s.Name, ':')+1:] }

// tags describes the tags among some parts.
type tags struct {
	found  map[string]Section
	faults []Note
	stray  []int // indexes of closing tags without an opening one
}

// readTags matches opening and closing tags.
func readTags(parts []Part, name string) tags {
	t := tags{found: map[string]Section{}}
	complain := func(p Part, code, format string, args ...any) {
		t.faults = append(t.faults, Note{p.Offset, p.Line, code, fmt.Sprintf(format, args...)})
	}
	open := -1                 // the tag of the open section
	nested := map[string]int{} // tags inside it, already faults, which may be closed
	for i, p := range parts {
		switch {
		case p.Kind != Tag:
			continue
		case p.Close && nested[p.Tag] > 0:
			nested[p.Tag]--
			continue
		case p.Close && (open < 0 || parts[open].Tag != p.Tag):
			t.stray = append(t.stray, i)
			continue
		case p.Close:
			t.found[p.Tag] = Section{Open: open, Close: i}
			open = -1
			continue
		}
		if p.TagName != "" && name != "" && p.TagName != name && p.TagName != Plain(name) { // a companion has its skill's name
			complain(p, NoteSectionName, "<%s> has the name %q, want %q", p.Tag, p.TagName, name)
		}
		if open >= 0 {
			complain(p, NoteSectionNested, "<%s> is inside the <%s> of line %d", p.Tag, parts[open].Tag, parts[open].Line)
			nested[p.Tag]++
			continue
		}
		if first, ok := t.found[p.Tag]; ok {
			complain(p, NoteSectionTwice, "<%s> appears already on line %d", p.Tag, parts[first.Open].Line)
		}
		open = i
	}
	if open >= 0 {
		complain(parts[open], NoteSectionUnclosed, "<%s> is not closed", parts[open].Tag)
	}
	slices.SortStableFunc(t.faults, func(a, b Note) int { return cmp.Compare(a.Offset, b.Offset) })
	return t
}
