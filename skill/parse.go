package skill

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/markdown"
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
	spans := markdown.Scan(c.src[len(header):])
	// A guess saves most of the copying; it must not let a text of dollars waste memory.
	c.parts = slices.Grow(c.parts, 2*len(spans)+2*min(strings.Count(c.src, "$"), len(src)/64)+1)
	for _, sp := range spans {
		c.addText(sp.Start+len(header), false)
		switch sp.Fault {
		case markdown.NotBare:
			mark, _, _ := strings.Cut(c.src[c.pos:], "\n")
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s:%d: ```%s is not run, only a bare ```! is", file, c.line, strings.Trim(mark, "` \t\r")))
		case markdown.Unclosed:
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s:%d: ```! is not closed, so it is not run", file, c.line))
		}
		c.addSpan(sp, sp.End+len(header))
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
func (c *cutter) addSpan(sp markdown.Span, end int) {
	switch sp.Kind {
	case markdown.Code:
		c.addText(end, true)
	case markdown.Inline:
		c.add(Part{Kind: Directive, Command: c.command(sp.Text, c.line), Alone: sp.Alone}, end)
	case markdown.Block:
		c.add(Part{Kind: Directive, Command: c.command(sp.Text, c.line+1), Alone: sp.Alone, Block: true}, end)
	case markdown.Escape:
		c.add(Part{Kind: Escape}, end)
	case markdown.Tag:
		t, _ := markdown.ParseTag(strings.TrimSpace(c.src[c.pos:end]))
		c.add(Part{Kind: Tag, Tag: t.Element, TagName: t.Name, Close: t.Close}, end)
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

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func countDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// isWordAt reports whether s has a letter, digit or underscore at i.
func isWordAt(s string, i int) bool {
	return i < len(s) && ('a' <= s[i]|0x20 && s[i]|0x20 <= 'z' || isDigit(s[i]) || s[i] == '_')
}
