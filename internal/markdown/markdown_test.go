package markdown

import (
	"bytes"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// TestMarkdown compares the code that Scan finds with the code that goldmark finds, in random
// documents that are dense with the characters that decide it. SKILLHAND_DOCUMENTS sets the number
// of documents, and SKILLHAND_SEED selects them.
func TestMarkdown(t *testing.T) {
	n, seed := setting(t, "SKILLHAND_DOCUMENTS", 20000), setting(t, "SKILLHAND_SEED", 1)
	r := rand.New(rand.NewPCG(seed, 0))
	exempted, failed := map[string]uint64{}, 0
	var sum uint64
	for i := range n {
		doc := document(r)
		if e := exempt(expand(doc)); e != "" {
			exempted[e]++
			sum++
		}
		if difference(doc) == "" {
			continue
		}
		doc = shrink(doc)
		t.Errorf("document %d: %q\n%s", i, doc, difference(doc))
		if failed++; failed == 8 {
			t.FailNow()
		}
	}
	t.Logf("exempt: %v", exempted)
	if sum > n/4 {
		t.Errorf("%d of %d documents are exempt, want a quarter at most", sum, n)
	}
}

func setting(t *testing.T, name string, usual uint64) uint64 {
	s := os.Getenv(name)
	if s == "" {
		return usual
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// shrink removes as much as it can from a document that shows a difference.
func shrink(doc string) string {
	for again := true; again; {
		again = false
		for size := len(doc); size > 0; size /= 2 {
			for i := 0; i+size <= len(doc); {
				if less := doc[:i] + doc[i+size:]; difference(less) != "" {
					doc = less
					again = true
				} else {
					i++
				}
			}
		}
	}
	return doc
}

// difference describes where Scan and goldmark differ about a document, or returns "".
func difference(doc string) string {
	doc = strings.ReplaceAll(doc, "!`", "?`") // a directive is code for goldmark and a command for Scan
	plain := expand(doc)
	if exempt(plain) != "" || slices.ContainsFunc(Scan(doc), func(sp Span) bool { return sp.Kind == Tag }) || fenceInHTML(plain) {
		return ""
	}
	ours, theirs := visible(doc, codeBytes(doc)), visible(plain, goldmarkCode(plain))
	for i := range ours {
		if ours[i] != theirs[i] && ours[i] != '?' {
			return "text:     " + string(visible(doc, []byte(doc))) + "\nours:     " + string(ours) + "\ngoldmark: " + string(theirs)
		}
	}
	return ""
}

// fenceInHTML reports whether goldmark sees HTML with a line that starts a fence, which is not a
// fence in CommonMark.
func fenceInHTML(doc string) bool {
	found := false
	src := []byte(doc)
	ast.Walk(markdown.Parser().Parse(text.NewReader(src)), func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.HTMLBlock); ok && h.HTMLBlockType >= ast.HTMLBlockType6 {
			found = found || fenceLine.Match(h.Lines().Value(src))
		}
		return ast.WalkContinue, nil
	})
	return found
}

var fenceLine = regexp.MustCompile("(?m)^ {0,3}(`{3,}[^`\n]*|~{3,}.*)$")

// expand replaces lone carriage returns and tabs, which CommonMark defines by line ends and
// columns. goldmark reads the former as white space and miscounts the latter after the markers of
// lists and quotes.
func expand(doc string) string {
	doc = strings.ReplaceAll(doc, "\r\n", "\n")
	doc = strings.ReplaceAll(doc, "\r", "\n")
	var b strings.Builder
	col := 0
	for i := range len(doc) {
		switch doc[i] {
		case '\n':
			b.WriteByte('\n')
			col = 0
		case '\t':
			b.WriteString("    "[col%4:])
			col += 4 - col%4
		default:
			b.WriteByte(doc[i])
			col++
		}
	}
	return b.String()
}

// visible drops the marks of white space: the test ignores whether the indentation of code and the
// ends of its lines belong to the code.
func visible(doc string, marks []byte) []byte {
	var kept []byte
	for i, m := range marks {
		if strings.IndexByte(" \t\r\n", doc[i]) < 0 {
			kept = append(kept, m)
		}
	}
	return kept
}

// The cases where goldmark v1.8.7 departs from CommonMark, each with an example.
var exemptions = []struct {
	name    string
	pattern *regexp.Regexp
	example string
	want    string // as returned by codeBytes
}{
	{
		"the content of an item that starts with an empty line is taken for code",
		regexp.MustCompile(`(?m)^[ >*+\-0-9.)]*([-+*]|[0-9]+[.)]) *$`),
		"- -\n\n    a\n", ".........." + ".",
	},
	{
		"parentheses in a destination need not be balanced",
		regexp.MustCompile(`(\]:|\]\()[\s>]*([^\s<]\S*)?\(`),
		"[a]:(`b`\n", "......x..",
	},
	{
		"<destination> may have a < in it",
		regexp.MustCompile(`(\]:|\]\()[\s>]*<[^>\n]*<`),
		"[a]: <`<`>\n", "......." + "x...",
	},
	{
		"<?> is a whole instruction",
		regexp.MustCompile(`<\?>`),
		"a<?>`b`?>\n", "..........",
	},
	{
		"a declaration must start with a capital",
		regexp.MustCompile(`<![a-z]`),
		"a <!b `c`>\n", "...........",
	},
	{
		"a backslash before a line's trailing spaces, or a third one at its end, escapes what starts the next line",
		regexp.MustCompile(`\\( +|\\)\n`),
		"\\  \n\\`a`\n", ".........",
	},
	{
		"</textarea> may start an HTML block",
		regexp.MustCompile(`(?i)</textarea`),
		"</textarea>\n`a`\n", ".............x..",
	},
	{
		"<script/> is <script>",
		regexp.MustCompile(`(?i)<(script|pre|style|textarea)/`),
		"<script/>\n`a`\n", "...........x..",
	},
	{
		"<meta starts an HTML block",
		regexp.MustCompile(`(?i)</?meta`),
		"<meta a\n`b`\n", ".........x..",
	},
	{
		"a closing tag may have spaces before its name",
		regexp.MustCompile(`</ `),
		"</ div>\n`a`\n", ".........x..",
	},
	{
		"a link's title may follow its <destination> directly",
		regexp.MustCompile(`\]\([\s>]*<[^\n]*>["'(]`),
		"[a](<b>\"`\")`\n", ".........xx..",
	},
	{
		"links may have control characters",
		regexp.MustCompile(`[\x01-\x08\x0b-\x1f\x7f]`),
		"[a](\x01`)`\n", "......x..",
	},
	{
		"NUL is a control character, not the replacement character",
		regexp.MustCompile(`\x00`),
		"<aa:\x00`>`\n", ".........",
	},
}

// TestExemptions checks that each exemption is still needed.
func TestExemptions(t *testing.T) {
	for _, e := range exemptions {
		if got := string(codeBytes(e.example)); got != e.want {
			t.Errorf("%s: %q is %s, want %s", e.name, e.example, got, e.want)
		}
		if got := string(goldmarkCode(e.example)); got == e.want {
			t.Errorf("%s: goldmark reads %q well by now: drop the exemption", e.name, e.example)
		}
		if exempt(e.example) != e.name {
			t.Errorf("%s: %q is not exempt", e.name, e.example)
		}
	}
}

// exempt returns the reason why goldmark cannot judge a document, or "".
func exempt(doc string) string {
	for _, e := range exemptions {
		if e.pattern.MatchString(doc) {
			return e.name
		}
	}
	return ""
}

// codeBytes returns a byte for each byte of doc: x in code, . outside, ? if it does not matter.
func codeBytes(doc string) []byte {
	marks := bytes.Repeat([]byte("."), len(doc))
	p := blockParser{src: doc}
	p.parse()
	blocks := map[int]block{}
	for _, b := range p.blocks {
		if b.kind == fenced || b.kind == indented {
			blocks[b.start] = b
		}
	}
	for _, sp := range Scan(doc) {
		for i := sp.Start; i < sp.End; i++ {
			marks[i] = 'x'
		}
		switch b, ok := blocks[sp.Start]; {
		case ok && b.kind == fenced:
			fill(marks, b.start, b.start+strings.IndexAny(doc[b.start:]+"\n", "\r\n"), '.')
			if b.closed {
				fill(marks, strings.LastIndexAny(doc[:b.end], "\r\n"), b.end, '.')
			}
		case !ok && doc[sp.Start] == '`':
			n := run([]byte(doc), sp.Start)
			fill(marks, sp.Start, sp.Start+n, '.')
			fill(marks, sp.End-n, sp.End, '.')
		}
	}
	// A > at the margin of code may belong to a quote: it is between goldmark's lines.
	margin := true
	for i := range marks {
		switch doc[i] {
		case '\n', '\r':
			margin = true
		case ' ', '\t':
		case '>':
			if margin {
				marks[i] = '?'
			}
		default:
			margin = false
		}
	}
	return marks
}

func fill(marks []byte, from, to int, with byte) {
	for i := from; i < to; i++ {
		marks[i] = with
	}
}

var markdown = goldmark.New()

func goldmarkCode(doc string) []byte {
	src := []byte(doc)
	marks := bytes.Repeat([]byte("."), len(doc))
	root := markdown.Parser().Parse(text.NewReader(src))
	ast.Walk(root, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for _, l := range n.Lines().Sliced(0, n.Lines().Len()) {
				fill(marks, l.Start, l.Stop, 'x')
			}
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				l := c.(*ast.Text).Segment
				fill(marks, l.Start, l.Stop, 'x')
			}
		case *ast.RawHTML:
			if first := n.Segments.At(0); bytes.HasPrefix(src[first.Start:], []byte("<!--")) {
				for _, l := range n.Segments.Sliced(0, n.Segments.Len()) {
					fill(marks, l.Start, l.Stop, 'x')
				}
			}
		case *ast.HTMLBlock:
			lines := n.Lines().Sliced(0, n.Lines().Len())
			if n.HasClosure() {
				lines = append(lines[:len(lines):len(lines)], n.ClosureLine)
			}
			comment := false
			for _, l := range lines {
				for i := l.Start; i < l.Stop; i++ {
					if !comment && bytes.HasPrefix(src[i:l.Stop], []byte("<!--")) {
						comment = true
						marks[i], marks[i+1] = 'x', 'x'
						i += 2
					}
					if comment {
						marks[i] = 'x'
						if bytes.HasPrefix(src[i:l.Stop], []byte("-->")) {
							marks[i+1], marks[i+2] = 'x', 'x'
							i += 2
							comment = false
						}
					}
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return marks
}

// The parts of random documents: margins begin the lines, tokens fill them.
var (
	margins = []string{"", "    ", "\t", "  ", " ", "   ", "      ", "> ", ">", ">  ", ">\t", ">     ", "- ", "-", "-   ", "-     ",
		"-\t", "* ", "+ ", "1. ", "1)", "2. ", "10. ", "  - ", "   > ", " > ", "  ```", "```", "~~~", "# ",
		"- - ", "> - ", "- > ", "    - "}
	tokens = []string{"`", "``", "```", "````", "`a`", "~~~", "<!--", "-->", "<!-- a -->", "<a b='", "<a b=\">", "<x>", "</x>",
		"<x/>", "<x y=z>",
		"<div>", "</div>", "<div", "<script>", "</script>", "<pre>", "</pre>", "<?", "?>", "<![CDATA[", "]]>", "<!D", ">", "<",
		"[a]: b", "[a]: <b> 'c'", "[a]:", "[c]: /u \"", "[a]", "[a][", "[c][", "[", "]", "](", "(", ")", "](b `)", "![", "\"", "'",
		"===", "---", "***", "--", "-", "=", "# ", "#", "\\", "\\`", "a", "b c", " ", " ", "  ", "<http://x`y>", "<m`@x.y>", "<x:",
		"$", ":", "!", ".", "1.", "1) ", "é", "_", "*", "+"}
)

// document returns a random document. It uses only some of the tokens, so that the same tokens
// often meet.
func document(r *rand.Rand) string {
	pick := func(from []string) func() string {
		some := make([]string, 2+r.IntN(len(from)/2))
		for i := range some {
			some[i] = from[r.IntN(len(from))]
		}
		return func() string { return some[r.IntN(len(some))] }
	}
	margin, token := pick(margins), pick(tokens)
	ending := "\n"
	if r.IntN(8) == 0 {
		ending = "\r\n"
	}
	var b strings.Builder
	for range 1 + r.IntN(9) {
		for n := r.IntN(3); n >= 0; n-- {
			b.WriteString(margin())
		}
		for n := r.IntN(7); n >= 0; n-- {
			b.WriteString(token())
		}
		b.WriteString(ending)
		if r.IntN(4) == 0 {
			b.WriteString(strings.Repeat(" ", r.IntN(3)*r.IntN(3)) + ending)
		}
	}
	return b.String()
}
