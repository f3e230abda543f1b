package skill

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/skillhand/skillhand/internal/markdown"
)

// Parse cuts a skill's source into parts. It reads no file; the skill's name is that of file's
// folder. Any bytes are a valid skill.
func Parse(file string, src []byte) *Skill {
	s := &Skill{File: file}
	if folder := filepath.Base(filepath.Dir(file)); folder != "." && folder != string(filepath.Separator) {
		s.Name = Plain(folder)
	}
	text := string(src)
	header := splitFrontmatter(text)
	s.Front, s.Notes = parseFrontmatter(text[:header])
	if unclosed(text[header:]) {
		s.note(header, 1, NoteFrontmatterUnclosed, "the frontmatter is not closed by a line of ---, so it is part of the text")
	}
	if f, ok := s.Front.Field("arguments"); ok && slices.ContainsFunc(s.Front.Arguments, tooLong) {
		s.note(f.Offset, f.Line, NoteArgumentName, fmt.Sprintf("arguments has a name of more than %d characters, which "+
			"cannot be a placeholder", maxName))
	}
	c := cutter{src: text, line: 1, names: newNames(s.Front.Arguments)}
	if header > 0 {
		c.add(Part{Kind: Header}, header)
	}
	spans := markdown.Scan(text[header:])
	// A guess saves most of the copying. A text full of dollars must not waste memory.
	c.parts = slices.Grow(c.parts, 2*len(spans)+2*min(strings.Count(text, "$"), len(src)/64)+1)
	for _, sp := range spans {
		c.addText(header+sp.Start, false)
		switch sp.Fault {
		case markdown.NotBare:
			mark, _, _ := strings.Cut(text[c.pos:], "\n")
			s.note(c.pos, c.line, NoteBlockInfo, "```"+strings.Trim(mark, "` \t\r")+" is not run, only a bare ```! is")
		case markdown.Unclosed:
			code, fault := unclosedNote(sp, text[c.pos:])
			s.note(c.pos, c.line, code, fault)
		}
		c.addSpan(sp, header)
	}
	c.addText(len(text), false)
	s.Parts = c.parts
	for _, i := range readTags(s.Parts, "").stray { // prompts also use <output> as an ordinary word
		p := s.Parts[i]
		s.note(p.Offset, p.Line, NoteStrayClose, "</"+p.Tag+"> closes nothing, so it is text")
		s.Parts[i] = Part{Kind: Text, Source: p.Source, Offset: p.Offset, Line: p.Line}
	}
	slices.SortStableFunc(s.Notes, func(a, b Note) int { return cmp.Compare(a.Offset, b.Offset) })
	return s
}

// unclosedNote returns a note about an unclosed element at the beginning of a text.
func unclosedNote(sp markdown.Span, text string) (code, fault string) {
	mark := text[:len(text)-len(strings.TrimLeft(text, "`~"))]
	switch {
	case sp.Kind == markdown.Plain:
		return NoteDirectiveUnclosed, "!` is not closed in its paragraph, so it is not run"
	case mark == "":
		return NoteCommentUnclosed, "<!-- is not closed, so no command in it is run"
	case strings.HasPrefix(strings.TrimLeft(text[len(mark):], " \t"), "!"):
		return NoteBlockUnclosed, "```! is not closed, so it is not run"
	}
	return NoteFenceUnclosed, mark + " is not closed, so no command in it is run"
}

func (s *Skill) note(offset, line int, code, text string) {
	s.Notes = append(s.Notes, Note{Offset: offset, Line: line, Code: code, Text: text})
}

// A cutter cuts a text into parts.
type cutter struct {
	src   string
	pos   int // the end of what is cut
	line  int // of pos
	names names
	parts []Part
}

// add adds the source up to end as the next part.
func (c *cutter) add(p Part, end int) {
	p.Source = c.src[c.pos:end]
	p.Offset = c.pos
	p.Line = c.line
	c.line += strings.Count(p.Source, "\n")
	c.pos = end
	c.parts = append(c.parts, p)
}

func (c *cutter) addSpan(sp markdown.Span, base int) {
	end := base + sp.End
	switch sp.Kind {
	case markdown.Code:
		c.addText(end, true)
	case markdown.Inline, markdown.Block:
		c.add(c.directive(sp, base), end)
	case markdown.Escape:
		c.add(Part{Kind: Escape}, end)
	case markdown.Tag:
		t, _ := markdown.ParseTag(strings.TrimSpace(c.src[c.pos:end]))
		c.add(Part{Kind: Tag, Tag: t.Element, TagName: t.Name, Close: t.Close}, end)
	}
}

// directive adds a directive and cuts its command.
func (c *cutter) directive(sp markdown.Span, base int) Part {
	p := Part{Kind: Directive, Alone: sp.Alone, Block: sp.Kind == markdown.Block, Fenced: sp.Fenced, InCode: sp.Fenced,
		at: base + sp.At, joints: sp.Joints}
	line := c.line
	if p.Block {
		line++
	}
	d := cutter{src: sp.Text, line: line, names: c.names}
	d.addText(len(sp.Text), true)
	p.Command = d.parts
	for i := range p.Command {
		p.Command[i].Offset = p.SourceOffset(p.Command[i].Offset)
	}
	return p
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

// names holds the argument names of a skill's frontmatter.
type names struct {
	index map[string]int
	odd   []string // names with other characters than a word's, sorted
}

// maxName limits names with other characters than a word's, because each $ of a text is compared
// with them.
const maxName = 256

func newNames(arguments []string) names {
	n := names{index: make(map[string]int, len(arguments))}
	for i, a := range arguments {
		if _, again := n.index[a]; again || a == "" || tooLong(a) {
			continue
		}
		n.index[a] = i
		if wordLength(a) < len(a) {
			n.odd = append(n.odd, a)
		}
	}
	slices.Sort(n.odd)
	return n
}

func tooLong(name string) bool { return len(name) > maxName && wordLength(name) < len(name) }

// next finds the first variable in s at or after i, s[start:stop]. Without one, both are len(s).
func (n names) next(s string, i int) (start, stop int, v Part) {
	from := i
	for {
		k := strings.IndexByte(s[i:], '$')
		if k < 0 {
			return len(s), len(s), Part{}
		}
		i += k
		v, length := n.variable(s[i:])
		slashes := i - from - len(strings.TrimRight(s[from:i], `\`))
		v.Escaped = slashes%2 == 1
		if length > 0 && (v.Escaped || !isPrice(v, s[i:], length)) {
			start = i
			if v.Escaped {
				start--
			}
			return start, i + length, v
		}
		i++
	}
}

// isPrice reports whether the variable of a given length at the start of s is really a price, such
// as $0.10.
func isPrice(v Part, s string, length int) bool {
	return !v.Named && isDigit(s[1]) && len(s) > length+1 && s[length] == '.' && isDigit(s[length+1])
}

// named returns the longest name that rest begins with, or "".
func (n names) named(rest string) string {
	name := ""
	// The names that share the first bytes of rest are n.odd[low:high].
	for low, high, i := 0, len(n.odd), 0; low < high && i < len(rest); i++ {
		among := n.odd[low:high]
		from := sort.Search(len(among), func(k int) bool { return len(among[k]) > i && among[k][i] >= rest[i] })
		to := sort.Search(len(among), func(k int) bool { return len(among[k]) > i && among[k][i] > rest[i] })
		low, high = low+from, low+to
		if low < high && len(n.odd[low]) == i+1 && !isWordAt(rest, i+1) {
			name = n.odd[low]
		}
	}
	if name != "" { // its first word is a whole word here, so no name is longer
		return name
	}
	return rest[:wordLength(rest)]
}

// variable reads the variable at the start of s, a $. It returns the variable's length, or 0.
func (n names) variable(s string) (v Part, length int) {
	v.Kind = Variable
	rest := s[1:]
	if len(n.index) > 0 {
		name := n.named(rest)
		if v.Arg, v.Named = n.index[name]; v.Named {
			v.Name = name
			return v, 1 + len(name)
		}
	}
	const arguments = "ARGUMENTS"
	switch {
	case strings.HasPrefix(rest, "{"):
		i := 1 + wordLength(rest[1:])
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

// wordLength returns the number of letters, digits and underscores at the start of s.
func wordLength(s string) int {
	n := 0
	for isWordAt(s, n) {
		n++
	}
	return n
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
	return i < len(s) && ('a' <= s[i]|0x20 && s[i]|0x20 <= 'z' || isDigit(s[i]) || s[i] == '_')
}
