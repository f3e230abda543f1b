package skill

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Parse cuts a skill's source into parts. It reads no file: the name is that
// of the folder in file, and file begins every warning. Any bytes are a skill,
// so that the error is always nil today.
func Parse(file string, src []byte) (*Skill, error) {
	header, body := splitFrontmatter(src)
	front, warnings := parseFrontmatter(file, header)
	if unclosed(body) {
		warnings = append(warnings, file+":1: the frontmatter is not closed by a line of ---, so it is part of the text")
	}
	s := &Skill{File: file, Front: front, Warnings: warnings}
	if folder := filepath.Base(filepath.Dir(file)); folder != "." && folder != string(filepath.Separator) {
		s.Name = plainName(folder)
	}
	c := cutter{src: string(src), line: 1, names: newNames(front.Arguments)}
	if len(header) > 0 {
		c.add(Part{Kind: Header}, len(header))
	}
	spans := scan(c.src[len(header):])
	// A guess saves most of the copying; it must not let a text of dollars waste memory.
	c.parts = slices.Grow(c.parts, 2*len(spans)+2*min(strings.Count(c.src, "$"), len(src)/64)+1)
	for _, sp := range spans {
		c.addText(sp.start+len(header), false)
		if sp.kind == codeSpan && sp.text != "" {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s:%d: %s", file, c.line, sp.text))
		}
		c.addSpan(sp, sp.end+len(header))
	}
	c.addText(len(src), false)
	s.Parts = c.parts
	return s, nil
}

// A cutter cuts a text into parts.
type cutter struct {
	src   string
	pos   int // up to which it is cut
	line  int // of pos
	names names
	parts []Part
}

// add makes the source up to end the next part.
func (c *cutter) add(p Part, end int) {
	p.Source = c.src[c.pos:end]
	p.Line = c.line
	c.line += strings.Count(p.Source, "\n")
	c.pos = end
	c.parts = append(c.parts, p)
}

// addSpan adds the source up to end, which is a span.
func (c *cutter) addSpan(sp span, end int) {
	switch sp.kind {
	case codeSpan:
		c.addText(end, true)
	case inlineSpan:
		c.add(Part{Kind: Directive, Command: c.command(sp.text, c.line), Alone: sp.alone}, end)
	case blockSpan:
		c.add(Part{Kind: Directive, Command: c.command(sp.text, c.line+1), Alone: sp.alone, Block: true}, end)
	case escapeSpan:
		c.add(Part{Kind: Escape}, end)
	case tagSpan:
		t, _ := parseTag(strings.TrimSpace(c.src[c.pos:end]))
		c.add(Part{Kind: Tag, Tag: t.element, TagName: t.name, Close: t.closing}, end)
	}
}

// command cuts a directive's command, whose first line is given.
func (c *cutter) command(text string, line int) []Part {
	d := cutter{src: text, line: line, names: c.names}
	d.addText(len(text), true)
	return d.parts
}

// addText adds the source up to end, as text and variables.
func (c *cutter) addText(end int, inCode bool) {
	for c.pos < end {
		start, stop, v := c.names.next(c.src[:end], c.pos)
		if c.pos < start {
			c.add(Part{Kind: Text, InCode: inCode}, start)
		}
		if start < stop {
			v.InCode = inCode
			c.add(v, stop)
		}
	}
}

// names are the arguments that a skill's frontmatter names.
type names struct {
	known   map[string]bool
	lengths []int // of the names, longest first
}

func newNames(arguments []string) names {
	n := names{known: make(map[string]bool, len(arguments))}
	for _, a := range arguments {
		if a != "" {
			n.known[a] = true
			n.lengths = append(n.lengths, len(a))
		}
	}
	slices.Sort(n.lengths)
	slices.Reverse(n.lengths)
	n.lengths = slices.Compact(n.lengths)
	return n
}

// next finds the first variable in s from i on, at s[start:stop]; if there is
// none, both are the end of s.
func (n names) next(s string, i int) (start, stop int, v Part) {
	from := i
	for {
		k := strings.IndexByte(s[i:], '$')
		if k < 0 {
			return len(s), len(s), Part{}
		}
		i += k
		if v, length := n.variable(s[i:]); length > 0 {
			start = i
			slashes := i - from - len(strings.TrimRight(s[from:i], `\`))
			if slashes%2 == 1 {
				start--
				v.Escaped = true
			}
			return start, i + length, v
		}
		i++
	}
}

// variable reads the variable at the start of s, which is a $, and returns
// its length, or 0 if there is none.
func (n names) variable(s string) (v Part, length int) {
	v.Kind = Variable
	rest := s[1:]
	for _, length := range n.lengths {
		if length <= len(rest) && !isWordAt(rest, length) && n.known[rest[:length]] {
			v.Name = rest[:length]
			return v, 1 + length
		}
	}
	const arguments = "ARGUMENTS"
	switch {
	case strings.HasPrefix(rest, "{"):
		i := 1
		for isWordAt(rest, i) {
			i++
		}
		if i == 1 || isDigit(rest[1]) || i == len(rest) || rest[i] != '}' {
			return v, 0
		}
		v.Name = rest[1:i]
		v.Braced = true
		return v, 1 + i + 1
	case strings.HasPrefix(rest, arguments):
		index := strings.TrimPrefix(rest[len(arguments):], "[")
		digits := countDigits(index)
		if len(index) < len(rest)-len(arguments) && digits > 0 && strings.HasPrefix(index[digits:], "]") {
			v.Name = index[:digits]
			return v, len("$ARGUMENTS[") + digits + len("]")
		}
		v.Name = arguments
		return v, 1 + len(arguments)
	}
	digits := countDigits(rest)
	if digits == 0 || isWordAt(rest, digits) {
		return v, 0
	}
	v.Name = rest[:digits]
	return v, 1 + digits
}

func countDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// isWordAt reports whether s has a letter, digit or underscore at i.
func isWordAt(s string, i int) bool {
	return i < len(s) && (isLetter(s[i]) || isDigit(s[i]) || s[i] == '_')
}

// A tag opens or closes a section.
type tag struct {
	element string // skill or output
	name    string // its name="…"
	closing bool
}

// parseTag reads a line that is nothing but a tag, from its < on.
func parseTag(line string) (tag, bool) {
	rest, closing := strings.CutPrefix(line[1:], "/")
	for _, element := range []string{"skill", "output"} {
		rest, ok := strings.CutPrefix(rest, element)
		rest, end := strings.CutSuffix(strings.TrimRight(rest, " \t"), ">")
		if !ok || !end {
			continue
		}
		rest = strings.TrimRight(rest, " \t")
		attribute := strings.TrimLeft(rest, " \t")
		if attribute == "" {
			return tag{element: element, closing: closing}, true
		}
		name, ok := nameAttribute(attribute)
		return tag{element: element, name: name}, ok && !closing && len(attribute) < len(rest)
	}
	return tag{}, false
}

// nameAttribute returns foo for name="foo" and name='foo'.
func nameAttribute(s string) (string, bool) {
	value, ok := strings.CutPrefix(s, "name=")
	if !ok || len(value) < 2 || value[0] != '"' && value[0] != '\'' || value[0] != value[len(value)-1] {
		return "", false
	}
	name := value[1 : len(value)-1]
	return name, strings.IndexByte(name, value[0]) < 0
}
