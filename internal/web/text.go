package web

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/words"
)

// A segment is a piece of text on a page.
type segment struct {
	Text      string
	Class     string
	Directive int // the number of the directive that it is or replaces; 0 for none
}

// backticked splits advice at its backticks: text between two backticks is code. A single backtick
// is an ordinary character.
func backticked(text string) []segment {
	var all []segment
	for {
		before, rest, _ := strings.Cut(text, "`")
		code, after, ok := strings.Cut(rest, "`")
		if !ok {
			return append(all, segment{Text: text})
		}
		all = append(all, segment{Text: before}, segment{Text: code, Class: "code"})
		text = after
	}
}

// nameParts returns the parts of a name like NO_REPORT. A line may break between them.
func nameParts(name string) []string { return strings.Split(name, "_") }

// A span is a range of a text.
type span struct {
	start, end int
	class      string
	directive  int
}

// The limits of the text in a pane. A browser is slow with more, and nobody reads it.
const (
	maxShown = 200_000 // bytes
	maxLines = 10_000
)

// shown returns the part of a text that a pane shows, and a note about the rest.
func shown(text string) (part, rest string) {
	cut := min(len(text), maxShown)
	for cut > 0 && cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut--
	}
	at := 0
	for range maxLines {
		next := strings.IndexByte(text[at:cut], '\n')
		if next < 0 {
			at = cut
			break
		}
		at += next + 1
	}
	if at == len(text) {
		return text, ""
	}
	return text[:at], fmt.Sprintf("cut here: %s in all", bytesOf(int64(len(text))))
}

// segments splits a text at the ends of its spans. A segment has the classes of all spans that
// cover it, and the directive of the first.
func segments(text string, spans []span) []segment {
	cuts := []int{0, len(text)}
	for _, s := range spans {
		cuts = append(cuts, min(max(s.start, 0), len(text)), min(max(s.end, 0), len(text)))
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	spans = slices.Clone(spans)
	slices.SortStableFunc(spans, func(a, b span) int { return a.start - b.start })
	var all []segment
	var open []span
	for i := range len(cuts) - 1 {
		from, to := cuts[i], cuts[i+1]
		for len(spans) > 0 && spans[0].start <= from {
			open, spans = append(open, spans[0]), spans[1:]
		}
		open = slices.DeleteFunc(open, func(s span) bool { return s.end < to })
		one := segment{Text: text[from:to]}
		for _, s := range open {
			one.Class = strings.TrimSpace(one.Class + " " + s.class)
			one.Directive = cmp.Or(one.Directive, s.directive)
		}
		all = append(all, one)
	}
	return all
}

// visible replaces invisible characters, and characters that change the order of text, with their
// codes. It does so wherever people read: in the document's text and in visible attributes. Text
// that is sent or copied stays unchanged. In the output of html/template, only tags contain < and
// >.
func visible(doc []byte) []byte {
	if bytes.IndexFunc(doc, hidden) < 0 {
		return doc
	}
	var out bytes.Buffer
	plain := false // within an element that cannot contain other elements
	for len(doc) > 0 {
		if doc[0] != '<' {
			end := bytes.IndexByte(doc, '<')
			if end < 0 {
				end = len(doc)
			}
			codes(&out, doc[:end], !plain)
			doc = doc[end:]
			continue
		}
		end := bytes.IndexByte(doc, '>') + 1
		if end == 0 {
			end = len(doc)
		}
		tag := doc[:end]
		plain = bytes.HasPrefix(tag, []byte("<title")) || bytes.HasPrefix(tag, []byte("<option"))
		at := 0
		for _, m := range readAttribute.Get().FindAllIndex(tag, -1) {
			out.Write(tag[at:m[0]])
			codes(&out, tag[m[0]:m[1]], false)
			at = m[1]
		}
		out.Write(tag[at:])
		doc = doc[end:]
	}
	return out.Bytes()
}

// readAttribute matches an attribute that people read.
var readAttribute = words.Regexp(` (title|aria-label|placeholder)="[^"]*"`)

// codes writes text with the codes of hidden characters. If mark is set, it marks the codes.
func codes(out *bytes.Buffer, text []byte, mark bool) {
	for len(text) > 0 {
		i := bytes.IndexFunc(text, hidden)
		if i < 0 {
			i = len(text)
		}
		out.Write(text[:i])
		if text = text[i:]; len(text) == 0 {
			return
		}
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		what := "an invisible character"
		if unicode.Is(unicode.Bidi_Control, r) {
			what = "a character that changes the order of text"
		}
		if mark {
			fmt.Fprintf(out, `<span class="hidden" title="%s">U+%04X</span>`, what, r)
		} else {
			fmt.Fprintf(out, "U+%04X", r)
		}
	}
}

func hidden(r rune) bool {
	return r != '\n' && r != '\t' && r != '\r' &&
		(unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) && r != '\uFE0F')
}

// A line is a line of a source.
type line struct {
	Number   int
	Segments []segment
	Findings []finding
}

func lines(all []segment) []line {
	rows := []line{{Number: 1}}
	for _, s := range all {
		for i, text := range strings.Split(s.Text, "\n") {
			if i > 0 {
				rows = append(rows, line{Number: len(rows) + 1})
			}
			if text != "" {
				s.Text = text
				last := &rows[len(rows)-1]
				last.Segments = append(last.Segments, s)
			}
		}
	}
	if len(rows) > 1 && len(rows[len(rows)-1].Segments) == 0 {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// A diffLine is a line of a unified diff.
type diffLine struct {
	Segments []segment
	Class    string
}

func diffLines(text string) []diffLine {
	var all []diffLine
	for l := range strings.Lines(text) {
		class := ""
		switch {
		case strings.HasPrefix(l, "diff "):
			continue
		case strings.HasPrefix(l, "--- "), strings.HasPrefix(l, "+++ "):
			class = "dim"
		case strings.HasPrefix(l, "@@"):
			class = "hunk"
		case strings.HasPrefix(l, "+"):
			class = "add"
		case strings.HasPrefix(l, "-"):
			class = "del"
		}
		all = append(all, diffLine{[]segment{{Text: strings.TrimRight(l, "\n")}}, class})
	}
	return all
}

// near returns a path with ~ for the user's home folder.
func (v *visit) near(path string) string {
	if home := v.site.Runtime.Home; home != "" && (path == home || strings.HasPrefix(path, home+string(filepath.Separator))) {
		return "~" + path[len(home):]
	}
	return path
}
