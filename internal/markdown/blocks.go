package markdown

import "strings"

// A block is a leaf of the document's structure: a run of lines that are read in the same way.
type block struct {
	kind       blockKind
	nested     bool // in a list or quote
	start, end int  // of all its lines; a closed fence ends after its last ` or ~
	lines      []line

	// fenced
	mark   byte // ` or ~
	info   string
	closed bool
	live   bool // all its lines so far are directives
}

type blockKind uint8

const (
	noBlock     blockKind = iota
	paragraph             // or a heading with an underline
	heading               // a heading that starts with #
	definitions           // link definitions at a paragraph's start
	fenced
	indented
	html
	tagLine
)

// A line is a line's text within its block. It excludes the indentation and markers of the lists
// and quotes around it, and includes its line ending.
type line struct {
	start, end int
	pad        int // columns of a tab before start that belong to the text
}

// A container is an open list item or block quote. The parser ignores lists themselves: where a
// list ends and the next begins changes nothing about code.
type container struct {
	quote  bool
	indent int  // columns of indentation on an item's other lines
	empty  bool // the container has no content yet
}

// A blockParser splits a document into leaf blocks, line by line. It skips blocks that can contain
// neither code nor a directive.
type blockParser struct {
	src    string
	blocks []block
	labels map[string]bool // the labels of defined links

	open    []container
	quotes  []int  // the indexes of the block quotes in open
	leaf    block  // the block of the last line
	lines   []line // of all blocks; lines[from:] are those of leaf
	from    int
	fence   struct{ length, indent int }
	html    htmlKind
	comment bool // the HTML has an unclosed comment
	begun   bool // a block began on this line, so the line continues no other block

	// The current line is src[start:eol], without its ending. The next line starts at next. The
	// parser has read everything before pos, which is at column col.
	start, eol, next int
	pos, col         int
	first, firstCol  int  // the first byte from pos on that is neither space nor tab
	inTab            bool // pos is within a tab
	newline          int  // the first newline from start on
	noBreak          int  // no thematic break starts before this byte

	text scanner // reads definitions and HTML tags
}

func (p *blockParser) parse() {
	p.newline = -1
	for p.next < len(p.src) {
		p.readLine()
		p.addLine()
	}
	p.closeLeaf()
}

// readLine moves to the next line. A line ends with LF, CRLF or a lone CR.
func (p *blockParser) readLine() {
	p.start = p.next
	if p.newline < p.start {
		p.newline = len(p.src)
		if n := strings.IndexByte(p.src[p.start:], '\n'); n >= 0 {
			p.newline = p.start + n
		}
	}
	p.eol = p.newline
	p.next = min(p.newline+1, len(p.src))
	if n := strings.IndexByte(p.src[p.start:p.eol], '\r'); n >= 0 {
		p.eol = p.start + n
		if p.eol+1 < p.newline || p.newline == len(p.src) {
			p.next = p.eol + 1
		}
	}
	p.pos, p.col, p.inTab = p.start, 0, false
	p.findFirst()
}

// addLine reads a line. It finds the open containers that the line continues, opens those that
// begin on it, and reads the rest.
func (p *blockParser) addLine() {
	depth := p.descend()
	all := depth == len(p.open)
	if depth == 0 && p.tag(all) || all && p.continueLeaf() {
		return
	}
	if p.leaf.kind != paragraph {
		p.closeLeaf()
	}
	p.begun = false
	for p.openContainer(depth) || p.onlyDefinitions(depth) {
	}
	if p.openLeaf(depth) {
		return
	}
	if p.leaf.kind == paragraph && !p.blank() && !p.begun {
		p.keepLine() // a lazy line may lack its containers' markers
		return
	}
	p.begin(depth)
	switch {
	case p.blank():
	case p.indent() >= 4:
		p.startLeaf(indented)
		p.leaf.end = p.next
	default:
		p.startLeaf(paragraph)
		p.keepLine()
	}
}

// descend reads the markers and indentation of the open containers. It returns how many of them the
// line continues.
func (p *blockParser) descend() int {
	quotes := 0
	for i, c := range p.open {
		switch {
		case c.quote:
			if !p.at('>') {
				return i
			}
			p.readQuote()
			quotes++
		case p.indent() >= c.indent && !(c.empty && p.blank()):
			p.advance(c.indent)
		case p.blank():
			// A blank line continues every item up to the next quote. All are handled in one step,
			// because there may be very many. Only the innermost item can be empty, and an item
			// that starts with two blank lines ends there.
			p.advance(p.indent())
			if quotes < len(p.quotes) {
				return p.quotes[quotes]
			}
			if p.open[len(p.open)-1].empty {
				return len(p.open) - 1
			}
			return len(p.open)
		default:
			return i
		}
	}
	return len(p.open)
}

// tag adds the line as a block if the line is a skillhand tag at the margin. Inside code or
// verbatim HTML, such a line is not a tag.
func (p *blockParser) tag(all bool) bool {
	if !p.at('<') || all && (p.leaf.kind == fenced || p.leaf.kind == html && p.html < htmlElement) {
		return false
	}
	if _, ok := ParseTag(p.src[p.first:p.eol]); !ok {
		return false
	}
	p.begun = false
	p.begin(0)
	p.blocks = append(p.blocks, block{kind: tagLine, start: p.start, end: p.next})
	return true
}

// continueLeaf adds the line to the open block of code or HTML if the line continues it.
func (p *blockParser) continueLeaf() bool {
	switch p.leaf.kind {
	case fenced:
		if end, ok := p.closingFence(); ok {
			p.leaf.closed = true
			p.leaf.end = end
			p.closeLeaf()
			return true
		}
		p.advance(min(p.indent(), p.fence.indent))
		p.keepLine()
		return true
	case indented:
		if p.blank() { // part of the block only if more code follows
			return true
		}
		if p.indent() < 4 {
			return false
		}
		p.leaf.end = p.next
		return true
	case html:
		if p.html >= htmlElement && (p.blank() || p.opensFence()) {
			return false
		}
		p.keepHTML()
		return true
	}
	return false
}

// begin closes the blocks at depth that the line does not continue. Other blocks that begin on the
// same line are inside the first.
func (p *blockParser) begin(depth int) {
	if p.begun {
		return
	}
	p.begun = true
	p.closeLeaf()
	p.open = p.open[:depth]
	for len(p.quotes) > 0 && p.quotes[len(p.quotes)-1] >= depth {
		p.quotes = p.quotes[:len(p.quotes)-1]
	}
}

// interrupts reports whether a block that starts here would end a paragraph in the same container.
func (p *blockParser) interrupts(depth int) bool {
	return p.leaf.kind == paragraph && !p.begun && depth == len(p.open)
}

// openContainer opens the quote or list item that starts at the cursor.
func (p *blockParser) openContainer(depth int) bool {
	if p.blank() || p.indent() >= 4 {
		return false
	}
	switch c := p.src[p.first]; {
	case c == '>':
		p.begin(depth)
		p.quotes = append(p.quotes, len(p.open))
		p.push(container{quote: true})
		p.readQuote()
		return true
	case c == '-' || c == '*' || c == '+' || '0' <= c && c <= '9':
		return !(c == '-' && p.interrupts(depth) && p.underline()) && !p.thematicBreak() && p.openItem(depth)
	}
	return false
}

func (p *blockParser) push(c container) {
	if n := len(p.open); n > 0 {
		p.open[n-1].empty = false
	}
	p.open = append(p.open, c)
}

// readQuote reads a > and the column of white space that belongs to it.
func (p *blockParser) readQuote() {
	p.moveTo(p.first + 1)
	p.advance(min(p.indent(), 1))
}

// openItem opens the list item whose marker is at the cursor.
func (p *blockParser) openItem(depth int) bool {
	i := p.first
	for i < p.eol && '0' <= p.src[i] && p.src[i] <= '9' {
		i++
	}
	if digits := i - p.first; digits > 0 {
		if digits > 9 || i == p.eol || p.src[i] != '.' && p.src[i] != ')' {
			return false
		}
		if p.interrupts(depth) && strings.TrimLeft(p.src[p.first:i], "0") != "1" {
			return false
		}
	}
	i++
	if i < p.eol && p.src[i] != ' ' && p.src[i] != '\t' {
		return false
	}
	if p.interrupts(depth) && isBlank(p.src[i:p.eol]) {
		return false
	}
	p.begin(depth)
	indent := p.indent() + i - p.first
	p.moveTo(i)
	gap := p.indent()
	if gap > 4 || p.blank() { // the item starts with code, or with an empty line
		gap = 1
	}
	p.advance(gap)
	p.push(container{indent: indent + gap, empty: true})
	return true
}

// onlyDefinitions ends a paragraph that consists only of link definitions if the line would
// underline it: definitions leave nothing to underline.
func (p *blockParser) onlyDefinitions(depth int) bool {
	if !p.interrupts(depth) || !p.underline() {
		return false
	}
	lines := p.lines[p.from:]
	if p.countDefinitions(lines) < len(lines) {
		return false
	}
	p.begin(depth)
	p.begun = false
	return true
}

// openLeaf reads the line if it starts a block other than a paragraph or indented code.
func (p *blockParser) openLeaf(depth int) bool {
	if p.blank() || p.indent() >= 4 {
		return false
	}
	switch p.src[p.first] {
	case '#':
		return p.openHeading(depth)
	case '`', '~':
		return p.openFence(depth)
	case '<':
		return p.openHTML(depth)
	case '=', '-', '*', '_':
		if p.interrupts(depth) && p.underline() || p.thematicBreak() {
			p.begin(depth)
			p.fill()
			return true
		}
	}
	return false
}

func (p *blockParser) openHeading(depth int) bool {
	i := p.first
	for i < p.eol && p.src[i] == '#' {
		i++
	}
	if i-p.first > 6 || i < p.eol && p.src[i] != ' ' && p.src[i] != '\t' {
		return false
	}
	p.begin(depth)
	p.moveTo(i)
	p.startLeaf(heading)
	p.keepLine()
	p.closeLeaf()
	return true
}

func (p *blockParser) openFence(depth int) bool {
	n, ok := p.fenceLength()
	if !ok {
		return false
	}
	p.begin(depth)
	p.fence.length, p.fence.indent = n, p.indent()
	p.startLeaf(fenced)
	p.leaf.mark = p.src[p.first]
	p.leaf.info = strings.Trim(p.src[p.first+n:p.eol], " \t")
	p.leaf.live = mayLive(p.leaf.info)
	p.leaf.end = p.next
	return true
}

// fenceLength counts the ` or ~ of the fence that starts at the first byte. ok is false if they are
// no fence.
func (p *blockParser) fenceLength() (n int, ok bool) {
	mark := p.src[p.first]
	i := p.first
	for i < p.eol && p.src[i] == mark {
		i++
	}
	n = i - p.first
	return n, n >= 3 && (mark == '~' || mark == '`' && strings.IndexByte(p.src[i:p.eol], '`') < 0)
}

func (p *blockParser) closingFence() (end int, ok bool) {
	if !p.at(p.leaf.mark) {
		return 0, false
	}
	i := p.first
	for i < p.eol && p.src[i] == p.leaf.mark {
		i++
	}
	return i, i-p.first >= p.fence.length && isBlank(p.src[i:p.eol])
}

func (p *blockParser) openHTML(depth int) bool {
	p.text.buf = append(p.text.buf[:0], p.src[p.first:p.eol]...)
	kind := htmlStart(p.text.buf)
	if kind == notHTML || kind == htmlTag && p.leaf.kind == paragraph && !p.begun {
		return false
	}
	p.begin(depth)
	p.startLeaf(html)
	p.html, p.comment = kind, false
	p.keepHTML()
	return true
}

func (p *blockParser) keepHTML() {
	p.keepLine()
	line := p.src[p.pos:p.eol]
	if p.html.endsIn(line) {
		p.closeLeaf()
		return
	}
	for mark := p.commentMark(); ; mark = p.commentMark() {
		_, rest, found := strings.Cut(line, mark)
		if !found {
			break
		}
		p.comment = !p.comment
		line = rest
	}
}

// commentMark returns the mark to look for: the end of an open comment in the HTML, else a start.
func (p *blockParser) commentMark() string {
	if p.comment {
		return "-->"
	}
	return "<!--"
}

// opensFence reports whether a fence starts here. CommonMark has no fences in an HTML block, but
// authors write <example> with a fence below and expect a fence.
func (p *blockParser) opensFence() bool {
	if p.comment || p.blank() || p.indent() >= 4 {
		return false
	}
	_, ok := p.fenceLength()
	return ok
}

// underline reports whether the line would make the paragraph above it a heading.
func (p *blockParser) underline() bool {
	if p.blank() || p.indent() >= 4 {
		return false
	}
	c := p.src[p.first]
	rest := strings.TrimRight(p.src[p.first:p.eol], " \t")
	return (c == '=' || c == '-') && strings.Trim(rest, rest[:1]) == ""
}

// thematicBreak reports whether the line is a horizontal rule, such as ---.
func (p *blockParser) thematicBreak() bool {
	c := p.src[p.first]
	if p.first < p.noBreak || c != '-' && c != '*' && c != '_' {
		return false
	}
	n := 0
	for i := p.first; i < p.eol; i++ {
		switch p.src[i] {
		case c:
			n++
		case ' ', '\t':
		default:
			// In "* * * x" each * may open an item that contains a rule. No rule starts before x,
			// and checking again at each * would take quadratic time.
			p.noBreak = i
			return false
		}
	}
	return n >= 3
}

func (p *blockParser) startLeaf(kind blockKind) {
	p.fill()
	p.leaf = block{kind: kind, nested: len(p.open) > 0, start: p.first}
	p.from = len(p.lines)
}

// fill notes that the innermost container has content.
func (p *blockParser) fill() {
	if n := len(p.open); n > 0 {
		p.open[n-1].empty = false
	}
}

// keepLine adds the rest of the line to the open block.
func (p *blockParser) keepLine() {
	p.leaf.end = p.next
	if p.leaf.kind == fenced && p.leaf.info != "!" {
		if p.leaf.live && !onlyDirectives(p.src[p.first:p.eol]) {
			p.leaf.live = false
			p.lines = p.lines[:p.from]
		}
		if !p.leaf.live {
			return // only the lines of directives are ever read
		}
	}
	l := line{start: p.pos, end: p.next}
	if p.inTab {
		l.start++
		l.pad = 4 - p.col%4
	}
	p.lines = append(p.lines, l)
}

func (p *blockParser) closeLeaf() {
	b := p.leaf
	p.leaf = block{}
	lines, before := p.lines[p.from:], len(p.blocks)
	switch b.kind {
	case noBlock:
	case paragraph:
		n := p.countDefinitions(lines)
		if n > 0 {
			d := block{kind: definitions, nested: b.nested, start: b.start, end: lines[n-1].end}
			p.addBlock(d, lines[:n])
		}
		if n < len(lines) {
			b.start = lines[n].start
			p.addBlock(b, lines[n:])
		}
	case heading, html:
		p.addBlock(b, lines)
	default:
		b.lines = lines
		p.blocks = append(p.blocks, b)
	}
	if len(p.blocks) == before {
		p.lines = p.lines[:p.from]
	}
	p.from = len(p.lines)
}

// addBlock keeps a block of text if it may contain code, a directive or a comment.
func (p *blockParser) addBlock(b block, lines []line) {
	text := p.src[b.start:b.end]
	if strings.IndexByte(text, '`') >= 0 || strings.Contains(text, "<!--") {
		b.lines = lines
		p.blocks = append(p.blocks, b)
	}
}

// countDefinitions returns how many of a paragraph's first lines define links, and notes the labels
// of the links.
func (p *blockParser) countDefinitions(lines []line) int {
	if len(lines) == 0 || !strings.HasPrefix(strings.TrimLeft(p.src[lines[0].start:lines[0].end], " \t"), "[") {
		return 0
	}
	s := &p.text
	s.src = p.src
	s.load(lines, true)
	n := 0
	for i := 0; i < len(s.buf); {
		label, end := definition(s.buf, i)
		if end < 0 {
			break
		}
		if p.labels == nil {
			p.labels = map[string]bool{}
		}
		p.labels[normalize(label)] = true
		for ; i < end; i++ {
			if s.buf[i] == '\n' {
				n++
			}
		}
	}
	return n
}

func (p *blockParser) blank() bool { return p.first == p.eol }

// indent returns the number of columns between the cursor and the line's text.
func (p *blockParser) indent() int { return p.firstCol - p.col }

// at reports whether c comes next and is not indented like code.
func (p *blockParser) at(c byte) bool {
	return !p.blank() && p.indent() < 4 && p.src[p.first] == c
}

// moveTo moves the cursor to byte i, which is at or after p.first.
func (p *blockParser) moveTo(i int) {
	p.pos, p.col, p.inTab = i, p.firstCol+i-p.first, false
	p.findFirst()
}

func (p *blockParser) findFirst() {
	p.first, p.firstCol = p.pos, p.col
	for p.first < p.eol {
		switch p.src[p.first] {
		case ' ':
			p.firstCol++
		case '\t':
			p.firstCol += 4 - p.firstCol%4
		default:
			return
		}
		p.first++
	}
}

// advance moves the cursor over n columns of white space. The cursor may end up within a tab.
func (p *blockParser) advance(n int) {
	for n > 0 && p.pos < p.first {
		width := 1
		if p.src[p.pos] == '\t' {
			width = 4 - p.col%4
		}
		if width > n {
			p.col += n
			p.inTab = true
			return
		}
		p.col += width
		n -= width
		p.pos++
		p.inTab = false
	}
}

func isBlank(s string) bool { return strings.Trim(s, " \t") == "" }
