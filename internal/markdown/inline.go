package markdown

import (
	"bytes"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A scanner finds code and directives in the text of blocks.
type scanner struct {
	src    string
	labels map[string]bool // the labels of defined links
	spans  []Span

	block  block
	buf    []byte  // the block's lines, joined by newlines
	joints []joint // where the lines start
	joint  int     // the index of the last joint used

	brackets []bracket
	inactive int             // brackets below this index are before a link: they open none
	runs     map[int]int     // the index of the last run of each length of backticks; nil if not searched
	missing  map[string]bool // texts that do not occur again in this block
}

// A joint says where a line starts, in the joined text and in the source.
type joint struct{ buf, src int }

// A bracket is a [ that may open a link, or an image if a ! precedes it.
type bracket struct {
	text  int // the index after the [
	image bool
	outer bool // another bracket follows, so this bracket cannot enclose a label
}

// load joins a block's lines. If trim is set, it removes the white space before each line, which
// code spans and inline HTML ignore in a paragraph.
func (s *scanner) load(lines []line, trim bool) {
	s.buf = s.buf[:0]
	s.joints = s.joints[:0]
	s.joint = 0
	s.brackets = s.brackets[:0]
	s.inactive = 0
	s.runs = nil
	s.missing = nil
	for _, l := range lines {
		text := strings.TrimRight(s.src[l.start:l.end], "\r\n")
		if trim {
			cut := len(text)
			text = strings.TrimLeft(text, " \t")
			l.start += cut - len(text)
		}
		s.joints = append(s.joints, joint{len(s.buf), l.start})
		s.buf = append(s.buf, text...)
		s.buf = append(s.buf, '\n')
	}
}

// source returns the index in src for an index in buf. Callers ask in ascending order, so the line
// is close to the last joint.
func (s *scanner) source(i int) int {
	for s.joint+1 < len(s.joints) && s.joints[s.joint+1].buf <= i {
		s.joint++
	}
	j := s.joints[s.joint]
	return j.src + i - j.buf
}

// inlines reads a paragraph or heading. It reads only the parts of CommonMark that decide whether a
// backtick or a comment counts.
func (s *scanner) inlines(b block) {
	s.block = b
	s.load(b.lines, true)
	for i := 0; i < len(s.buf); {
		switch s.buf[i] {
		case '\\':
			i += 1 + escaped(s.buf, i)
		case '`':
			i = s.codeSpan(i)
		case '<':
			i = s.angle(i)
		case '!':
			i++
			if i < len(s.buf) && s.buf[i] == '[' {
				i++
				s.openBracket(bracket{text: i, image: true})
			}
		case '[':
			i++
			s.openBracket(bracket{text: i})
		case ']':
			i = s.closeBracket(i)
		default:
			i++
		}
	}
}

// raw reads a block without inline Markdown. Only directives and, in HTML, comments count there. An
// unclosed comment extends to the end of the block.
func (s *scanner) raw(b block) {
	s.block = b
	s.load(b.lines, false)
	for i := 0; i < len(s.buf); {
		switch c := s.buf[i]; {
		case c == '`':
			n := run(s.buf, i)
			i += n
			if n > 1 {
				continue
			}
			if end := s.closer(i, 1); end >= 0 && s.directive(i-1, end) {
				i = end + 1
			}
		case c == '<' && b.kind == html && bytes.HasPrefix(s.buf[i:], openComment):
			end := s.find(i+2, "-->")
			if end < 0 {
				s.spans = append(s.spans, Span{Kind: Code, Start: s.source(i), End: b.end, Fault: Unclosed})
				return
			}
			s.code(i, end)
			i = end
		default:
			i++
		}
	}
}

// codeSpan reads the code span at i, or only the backticks if they start no span. It returns the
// index after them.
func (s *scanner) codeSpan(i int) int {
	n := run(s.buf, i)
	end := s.closer(i+n, n)
	if end < 0 {
		s.unclosed(i, n)
		return i + n
	}
	if n > 1 || !s.directive(i, end) {
		s.code(i, end+n)
	}
	return end + n
}

// closer returns the index of the next run of exactly n backticks, or -1.
func (s *scanner) closer(from, n int) int {
	if s.runs != nil && s.runs[n] < from {
		return -1
	}
	for i := from; ; {
		k := bytes.IndexByte(s.buf[i:], '`')
		if k < 0 {
			break
		}
		i += k
		length := run(s.buf, i)
		if length == n {
			return i
		}
		i += length
	}
	// The search reached the end of the block without a match. Index all runs once, so that many
	// unmatched backticks do not take quadratic time.
	s.runs = map[int]int{}
	for i := from; i < len(s.buf); i++ {
		if s.buf[i] == '`' {
			length := run(s.buf, i)
			s.runs[length] = i
			i += length
		}
	}
	return -1
}

// directive notes a directive, or an escaped directive, if the single backticks at i and end
// enclose its command. It reports whether it did.
func (s *scanner) directive(i, end int) bool {
	from := s.source(i)
	start, kind := from-1, Inline
	if !strings.HasSuffix(s.src[:from], "!") {
		return false
	}
	if !afterSpace(s.src, start) {
		start, kind = from-2, Escape
		if !strings.HasSuffix(s.src[:from], `\!`) || !afterSpace(s.src, start) {
			return false
		}
	}
	if len(bytes.TrimSpace(s.buf[i+1:end])) == 0 {
		return false
	}
	to := s.source(end)
	if kind == Escape {
		s.spans = append(s.spans, Span{Kind: Escape, Start: start, End: from})
		if s.block.kind == paragraph || s.block.kind == heading {
			s.spans = append(s.spans, Span{Kind: Code, Start: from, End: to + 1})
		}
		return true
	}
	sp := Span{Kind: Inline, Start: start, End: to + 1, At: from + 1}
	sp.Alone = !s.block.nested && lineStarts(s.src, start) && lineEnds(s.src, to+1)
	sp.Text, sp.Joints = s.text(from+1, to)
	s.spans = append(s.spans, sp)
	return true
}

// unclosed notes a directive whose closing backtick is missing. The run of n backticks at i has no
// partner.
func (s *scanner) unclosed(i, n int) {
	at := s.source(i)
	if n == 1 && strings.HasSuffix(s.src[:at], "!") && afterSpace(s.src, at-1) {
		s.spans = append(s.spans, Span{Kind: Plain, Start: at - 1, End: at + 1, Fault: Unclosed})
	}
}

// text returns the source from start to end. It removes the markers and indentation of the lists
// and quotes around it, and the CR at line ends. The joints say where the lines come from; there
// are none if the text is in one piece.
func (s *scanner) text(start, end int) (string, []Joint) {
	lines := s.block.lines
	lines = lines[sort.Search(len(lines), func(i int) bool { return lines[i].end > start }):]
	if lines[0].start <= start && end <= lines[0].end {
		return s.src[start:end], nil
	}
	var b strings.Builder
	var joints []Joint
	for _, l := range lines {
		if l.start >= end {
			break
		}
		if start < l.start {
			b.WriteString(strings.Repeat(" ", l.pad))
		}
		from := max(start, l.start)
		joints = append(joints, Joint{b.Len(), from - start})
		text := s.src[from:min(end, l.end)]
		if strings.HasSuffix(text, "\r\n") {
			text = text[:len(text)-2] + "\n"
		}
		b.WriteString(text)
	}
	return b.String(), joints
}

// fence notes a fenced block as a directive or as code.
func (s *scanner) fence(b block) {
	if b.live && b.closed && s.liveFence(b) {
		return
	}
	sp := Span{Kind: Code, Start: b.start, End: b.end}
	if b.mark == '`' && strings.HasPrefix(b.info, "!") {
		switch {
		case b.info != "!":
			sp.Fault = NotBare
		case !b.closed:
			sp.Fault = Unclosed
		case len(b.lines) > 0:
			s.block = b
			command, joints := s.text(b.start, b.lines[len(b.lines)-1].end)
			if strings.TrimSpace(command) != "" {
				sp.Kind, sp.Text, sp.At, sp.Joints, sp.Alone = Block, command, b.start, joints, !b.nested
			}
		}
	} else if !b.closed && strings.Contains(s.src[b.start:b.end], "!`") {
		sp.Fault = Unclosed
	}
	s.spans = append(s.spans, sp)
}

// code notes that buf[start:end] is code.
func (s *scanner) code(start, end int) {
	from := s.source(start)
	s.spans = append(s.spans, Span{Kind: Code, Start: from, End: s.source(end-1) + 1})
}

// find returns the index after the next occurrence of text from i on, or -1.
func (s *scanner) find(i int, text string) int {
	if s.missing[text] {
		return -1
	}
	if n := bytes.Index(s.buf[min(i, len(s.buf)):], []byte(text)); n >= 0 {
		return i + n + len(text)
	}
	if s.missing == nil {
		s.missing = map[string]bool{}
	}
	s.missing[text] = true
	return -1
}

// angle returns the end of the autolink, tag or comment at i, or the index after the <.
func (s *scanner) angle(i int) int {
	end := autolink(s.buf, i)
	if end < 0 {
		end = s.inlineHTML(i)
	}
	if end < 0 {
		return i + 1
	}
	return end
}

// inlineHTML returns the end of the HTML at i, or -1. If the HTML is a comment, it notes the
// comment.
func (s *scanner) inlineHTML(i int) int {
	b := s.buf[i:]
	switch {
	case bytes.HasPrefix(b, openComment):
		for _, short := range []string{"<!-->", "<!--->"} {
			if bytes.HasPrefix(b, []byte(short)) {
				s.code(i, i+len(short))
				return i + len(short)
			}
		}
		end := s.find(i+len(openComment), "-->")
		if end >= 0 {
			s.code(i, end)
		}
		return end
	case bytes.HasPrefix(b, []byte("<?")):
		return s.find(i+2, "?>")
	case bytes.HasPrefix(b, []byte("<![CDATA[")):
		return s.find(i+9, "]]>")
	case len(b) > 2 && b[1] == '!' && isLetter(b[2]):
		return s.find(i+2, ">")
	}
	if end := openTag(s.buf, i); end >= 0 {
		return end
	}
	return closeTag(s.buf, i)
}

func (s *scanner) openBracket(b bracket) {
	if n := len(s.brackets); n > 0 {
		s.brackets[n-1].outer = true
	}
	s.brackets = append(s.brackets, b)
}

// closeBracket reads the ] at i. If the ] ends a link's text, closeBracket also reads the rest of
// the link, where a backtick starts no code. It returns the index after them.
func (s *scanner) closeBracket(i int) int {
	n := len(s.brackets) - 1
	if n < 0 {
		return i + 1
	}
	b := s.brackets[n]
	s.brackets = s.brackets[:n]
	active := b.image || n >= s.inactive
	s.inactive = min(s.inactive, n)
	if !active {
		return i + 1
	}
	end := s.linkEnd(b, i)
	if end < 0 {
		return i + 1
	}
	if !b.image {
		s.inactive = n // links do not nest
	}
	return end
}

// linkEnd returns the end of the link whose text is between b and i, or -1.
func (s *scanner) linkEnd(b bracket, i int) int {
	if end := inlineLink(s.buf, i+1); end >= 0 {
		return end
	}
	label, end := linkLabel(s.buf, i+1)
	if end < 0 || len(label) == 0 {
		if b.outer || i-b.text > 4*maxLabel {
			return -1
		}
		label = s.buf[b.text:i]
		end = max(end, i+1)
	}
	if !s.labels[normalize(label)] {
		return -1
	}
	return end
}

// run returns the number of consecutive backticks at i.
func run(b []byte, i int) int {
	n := 0
	for i+n < len(b) && b[i+n] == '`' {
		n++
	}
	return n
}

// escaped returns 1 if the backslash at i escapes the byte after it, else 0.
func escaped(b []byte, i int) int {
	if i+1 < len(b) && isPunct(b[i+1]) {
		return 1
	}
	return 0
}

func isPunct(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// afterSpace reports whether i is at the start of a line or directly after white space.
func afterSpace(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return i == 0 || unicode.IsSpace(r)
}

// lineStarts reports whether only white space precedes i on its line.
func lineStarts(s string, i int) bool {
	for i > 0 {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if r == '\n' {
			return true
		}
		if !unicode.IsSpace(r) {
			return false
		}
		i -= n
	}
	return true
}

// lineEnds reports whether only white space follows from i to the end of the line.
func lineEnds(s string, i int) bool {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '\n' {
			return true
		}
		if !unicode.IsSpace(r) {
			return false
		}
		i += n
	}
	return true
}
