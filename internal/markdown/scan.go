// Package markdown answers one question: which bytes of a skill's Markdown are code, a directive or
// the tag of a section?
package markdown

import "strings"

// A Span is a part of a document that is more than plain text.
type Span struct {
	Kind       Kind
	Start, End int

	Text   string  // a directive's command
	At     int     // the offset that Joints count from; without Joints, where Text starts in the source
	Joints []Joint // the starts of Text's lines in a list or quote; none if Text is in one piece of the source
	Fenced bool    // the directive is in a fence of only directives; the fence stays around the output
	Alone  bool    // the directive has its lines to itself and is in no list or quote
	Fault  Fault   // of code and plain text: why it is not a directive, though it looks like one
}

// A Joint says where a line of a directive's command starts: in the command, and in the source,
// counted from the command's start.
type Joint struct{ Text, Source int }

// A Kind says what a Span is.
type Kind uint8

// The kinds of spans.
const (
	Code   Kind = iota // code or an HTML comment, with its delimiters
	Inline             // !`command`
	Block              // ```! command ```
	Escape             // the \! of \!`command`
	Tag                // a line that is a <skill> or <output> tag
	Plain              // plain text with a Fault
)

// A Fault says why text that looks like a directive is not a directive.
type Fault uint8

// The faults.
const (
	NoFault  Fault = iota
	NotBare        // ```!word: only a bare ```! is a directive
	Unclosed       // the text has no end of the fence or comment, or the paragraph no end of the command
)

// Scan returns the code, directives and tags in a body of Markdown, in order and without overlaps.
// It reads blocks, and then the text in them, by the rules of CommonMark 0.31, as far as the rules
// decide whether a byte is code.
//
// Prompts are full of tags that are not HTML, so there are two exceptions. A skillhand tag alone on
// its line is a block of its own, and a fence below any tag is a fence. Plain CommonMark reads a
// tag as the start of an HTML block, which has no fences, or as part of the list item above it.
func Scan(src string) []Span {
	p := blockParser{src: src}
	p.parse()
	s := scanner{src: src, labels: p.labels}
	for _, b := range p.blocks {
		switch b.kind {
		case fenced:
			s.fence(b)
		case indented:
			s.spans = append(s.spans, Span{Kind: Code, Start: b.start, End: b.end})
		case tagLine:
			s.spans = append(s.spans, Span{Kind: Tag, Start: b.start, End: b.end})
		case html, definitions:
			s.raw(b)
		case paragraph, heading:
			s.inlines(b)
		}
	}
	return s.spans
}

// A SectionTag is the tag that opens or closes a section of a skill.
type SectionTag struct {
	Element string // skill or output
	Name    string // the value of name="…", or ""
	Close   bool   // </…>
}

// ParseTag parses a line that is only a tag, from its < on.
func ParseTag(line string) (SectionTag, bool) {
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
			return SectionTag{Element: element, Close: closing}, true
		}
		name, ok := nameAttribute(attribute)
		return SectionTag{Element: element, Name: name}, ok && !closing && len(attribute) < len(rest)
	}
	return SectionTag{}, false
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
