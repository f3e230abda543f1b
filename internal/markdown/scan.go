// Package markdown answers one question: which bytes of a skill's Markdown are
// code, a directive or a section's tag?
package markdown

import "strings"

// A Span is a stretch of a document that is more than plain text.
type Span struct {
	Kind       Kind
	Start, End int

	Text   string  // of a directive: its command
	At     int     // what Joints count from; where Text starts in the source if there are none
	Joints []Joint // where Text and source part: at the markers and indentation of lists and quotes; none if Text is in one piece
	Fenced bool    // the directive is in a fence that has only directives, and stays around them
	Alone  bool    // the directive has its lines to itself, in no list or quote
	Fault  Fault   // of code and plain text: why it is no directive, though it looks like one
}

// A Joint is where a line of a directive's command starts, in the command and
// in the source from the command's start on.
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
	Plain              // text like any other, but with a Fault
)

// A Fault says why what looks like a directive is none.
type Fault uint8

// The faults.
const (
	NoFault  Fault = iota
	NotBare        // ```!word: only a bare ```! is a directive
	Unclosed       // the text ends before the fence or comment does, or the paragraph before the command
)

// Scan finds what is code, a directive or a tag in a body of Markdown, in
// order and without overlaps. It reads blocks and then the text in them by the
// rules of CommonMark 0.31, as far as these decide whether a byte is code, with
// two exceptions, as prompts are full of tags that are no HTML: a skillhand tag
// alone on its line is a block of its own, and a fence below any tag is a fence.
// Plain CommonMark takes a tag for the start of an HTML block, which has none, or
// for more of the list item above it.
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
	Name    string // its name="…", or ""
	Close   bool   // </…>
}

// ParseTag reads a line that is nothing but a tag, from its < on.
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
