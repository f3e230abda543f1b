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
	labels map[string]bool // of the links that are defined
	spans  []Span

	block  block
	buf    []byte  // the block's lines, joined by newlines
	joints []joint // where they start
	joint  int     // the index of the one that was used last

	brackets []bracket
	inactive int             // the brackets below this one are in front of a link: they open none
	runs     map[int]int     // where the last run of so many backticks is; nil: not looked for
	missing  map[string]bool // what was looked for and does not come again in this block
}

// A joint is where a line starts, in the joined text and in the source.
type joint struct{ buf, src int }

// A bracket is a [ that may open a link, or an image if a ! stands before it.
type bracket struct {
	text  int // the index after it
	image bool
	outer bool // another bracket follows, so it encloses no label
}

// load joins a block's lines. Code spans and inline HTML ignore the white
// space before a paragraph's lines, so trim removes it.
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

// source turns an index in buf into one in src. Questions come in order, so
// the line is close.
func (s *scanner) source(i int) int {
	for s.joint+1 < len(s.joints) && s.joints[s.joint+1].buf <= i {
		s.joint++
	}
	j := s.joints[s.joint]
	return j.src + i - j.buf
}

// inlines reads a paragraph or heading: of all that CommonMark knows there,
// only what can hide a backtick or a comment from the reader, or show one.
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

// raw reads a block without inline Markdown, where only directives and, in
// HTML, comments count. A comment that is not closed goes on to the block's end.
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

// codeSpan reads the code span at i, or the backticks if there is none.
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

// closer returns where the next run of exactly n backticks is, or -1.
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
	// The end of the block was reached in vain. Look once at what is there,
	// so that many backticks without partners stay cheap.
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

// directive notes a directive or an escaped one if the single backticks at i
// and end are the command's.
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

// unclosed notes a directive that would be one if its backtick, the only one of
// a run of n at i, had a partner.
func (s *scanner) unclosed(i, n int) {
	at := s.source(i)
	if n == 1 && strings.HasSuffix(s.src[:at], "!") && afterSpace(s.src, at-1) {
		s.spans = append(s.spans, Span{Kind: Plain, Start: at - 1, End: at + 1, Fault: Unclosed})
	}
}

// text returns the source from start to end without the markers and
// indentation of the lists and quotes around it, and without CR at line ends.
// The joints say where its lines come from, if it is not in one piece.
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

// fence notes a fenced block: a directive, or code.
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

// find returns the index after the next text from i on, or -1.
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

// angle reads the autolink, tag or comment at i, or only its <.
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

// inlineHTML returns the end of the HTML at i, or -1, and notes a comment.
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

// closeBracket reads the ] at i and, if it ends a link's text, the rest of
// the link, in which a backtick is a backtick.
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

// run returns how many backticks stand at i.
func run(b []byte, i int) int {
	n := 0
	for i+n < len(b) && b[i+n] == '`' {
		n++
	}
	return n
}

// escaped returns 1 if the backslash at i takes the meaning of the byte after it, else 0.
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

// afterSpace reports whether i is where a line or, after white space, a word starts.
func afterSpace(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return i == 0 || unicode.IsSpace(r)
}

// lineStarts reports whether only white space stands before i on its line.
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

// lineEnds reports whether only white space stands from i on to the line's end.
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
