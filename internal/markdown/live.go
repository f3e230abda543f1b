package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A fence is live if each of its lines is blank or has one or more directives and nothing else.
// Authors who write such a fence want the directives to run. A fence with any other text, or a
// fence of Markdown, is an example.

// mayLive reports whether a fence with this info string can be live.
func mayLive(info string) bool {
	language, _, _ := strings.Cut(info, " ")
	return !strings.HasPrefix(info, "!") && !strings.EqualFold(language, "markdown") && !strings.EqualFold(language, "md")
}

// onlyDirectives reports whether a line has nothing but directives and white space.
func onlyDirectives(line string) bool {
	for i := 0; ; {
		start, end := nextDirective(line, i)
		if start < 0 {
			return strings.TrimSpace(line[i:]) == ""
		}
		i = end
	}
}

// nextDirective returns the start and end of the next directive from i on, if only white space
// precedes it. start is -1 if there is none.
func nextDirective(line string, i int) (start, end int) {
	for i < len(line) {
		r, n := utf8.DecodeRuneInString(line[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += n
	}
	if !strings.HasPrefix(line[i:], "!`") || !afterSpace(line, i) {
		return -1, -1
	}
	n := strings.IndexByte(line[i+2:], '`')
	if n < 0 || strings.TrimSpace(line[i+2:i+2+n]) == "" {
		return -1, -1
	}
	return i, i + 2 + n + 1
}

// liveFence notes the directives of a live fence, and the text around them as code. It reports
// whether there are any.
func (s *scanner) liveFence(b block) bool {
	from := b.start
	for _, l := range b.lines {
		line := s.src[l.start:l.end]
		for i := 0; ; {
			start, end := nextDirective(line, i)
			if start < 0 {
				break
			}
			at := l.start + start
			s.spans = append(s.spans, Span{Kind: Code, Start: from, End: at}, Span{
				Kind: Inline, Start: at, End: l.start + end, Fenced: true,
				Text: line[start+2 : end-1], At: at + 2,
				Alone: !b.nested && lineStarts(s.src, at) && lineEnds(s.src, l.start+end),
			})
			from, i = l.start+end, end
		}
	}
	if from == b.start {
		return false
	}
	s.spans = append(s.spans, Span{Kind: Code, Start: from, End: b.end})
	return true
}
