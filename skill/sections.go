package skill

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
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
// Faults, each with its tag's line; then no section is returned.
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

// Faults says why no page can be made of the skill's sections, in the order of the text.
func (s *Skill) Faults() []Note { return readTags(s.Parts, s.shortName()).faults }

// shortName returns the name without the folders before a command's.
func (s *Skill) shortName() string { return s.Name[strings.LastIndexByte(s.Name, ':')+1:] }

// tags are what the tags among some parts say.
type tags struct {
	found  map[string]Section
	faults []Note
	stray  []int // indexes of closing tags that close nothing
}

// readTags matches opening and closing tags.
func readTags(parts []Part, name string) tags {
	t := tags{found: map[string]Section{}}
	complain := func(p Part, code, format string, args ...any) {
		t.faults = append(t.faults, Note{p.Offset, p.Line, code, fmt.Sprintf(format, args...)})
	}
	open := -1                 // the tag of the section that goes on
	nested := map[string]int{} // tags inside it, faults already, which may have closing tags
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
