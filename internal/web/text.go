package web

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/words"
)

// A segment is a piece of text on a page.
type segment struct {
	Text      string
	Class     string
	Directive int    // which one it is or stands for, from 1; 0 for none
	Same      string // the first and the last line of the source that it stands for; "": it stands for itself
}

// backticked cuts advice at its backticks: what is between two of them is code. One alone is a character like others.
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

// nameParts returns the parts of a name like NO_REPORT, between which a line may break.
func nameParts(name string) []string { return strings.Split(name, "_") }

// A span is a stretch of a text.
type span struct {
	start, end int
	class      string
	directive  int
}

// What one pane shows is bounded: a browser gets slow with more, and nobody reads it.
const (
	maxShown = 200_000 // bytes
	maxLines = 10_000
)

// shown is the part of a text that a pane shows, and what to say of the rest.
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

// segments cuts a text at its spans, which do not overlap.
func segments(text string, spans []span) []segment {
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].start < spans[j].start })
	var all []segment
	at := 0
	for _, s := range spans {
		start, end := min(max(s.start, at), len(text)), min(s.end, len(text))
		if start > at {
			all = append(all, segment{Text: text[at:start]})
		}
		if end > start {
			all = append(all, segment{Text: text[start:end], Class: s.class, Directive: s.directive})
		}
		at = max(at, end)
	}
	if at < len(text) {
		all = append(all, segment{Text: text[at:]})
	}
	return all
}

// visible shows characters of a document that are not seen, or that change the
// order in which others are, by their codes, wherever people read: in its text,
// and in attributes that are shown. What is sent or copied stays as it is. In
// what html/template made, < and > are those of tags alone.
func visible(doc []byte) []byte {
	if bytes.IndexFunc(doc, hidden) < 0 {
		return doc
	}
	var out bytes.Buffer
	plain := false // within an element that has no others in it
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

// readAttribute is one that people read.
var readAttribute = words.Regexp(` (title|aria-label|placeholder)="[^"]*"`)

// codes writes text with the codes of what is not seen, marked if they can be.
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
		what := "a character that is not seen"
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
	return r != '\n' && r != '\t' && r != '\r' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) && r != '\uFE0F')
}

// A line is one of a source.
type line struct {
	Number   int
	Segments []segment
	Findings []finding
}

// lines cuts segments at line ends.
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

// minSame bounds from below what is said once: shorter text takes no more room than a reference.
const minSame = 120

// foldSame replaces runs of whole lines that the source has too, in the same order, by references to them.
func foldSame(page []segment, source []line) []segment {
	places := map[string][]int{} // of plain lines, in the source
	text := make([]string, len(source))
	for i, l := range source {
		switch {
		case len(l.Segments) == 0:
			text[i] = "\n"
		case len(l.Segments) == 1 && l.Segments[0].Class == "":
			text[i] = l.Segments[0].Text + "\n"
		default:
			continue
		}
		places[text[i]] = append(places[text[i]], i)
	}
	var all []segment
	fresh, next := true, 0 // whether a line begins here; the line of the source after the last that was found
	for _, s := range page {
		if s.Class != "" {
			all, fresh = append(all, s), strings.HasSuffix(s.Text, "\n")
			continue
		}
		lines := strings.SplitAfter(s.Text, "\n")
		plain := "" // what stands for itself
		for i := 0; i < len(lines); {
			from, n, size := 0, 0, 0
			if at := places[lines[i]]; fresh || i > 0 {
				if k, _ := slices.BinarySearch(at, next); k < len(at) {
					from = at[k]
				}
				for ; i+n < len(lines) && from >= next && from+n < len(text) && text[from+n] != "" && lines[i+n] == text[from+n]; n++ {
					size += len(lines[i+n])
				}
			}
			if size < minSame {
				plain, i = plain+lines[i], i+1
				continue
			}
			if plain != "" {
				all = append(all, segment{Text: plain})
			}
			said := fmt.Sprintf("lines %d to %d, as in the source\n", from+1, from+n)
			all = append(all, segment{Text: said, Class: "same", Same: fmt.Sprint(from+1, from+n)})
			plain, i, next = "", i+n, from+n
		}
		if plain != "" {
			all = append(all, segment{Text: plain})
		}
		fresh = strings.HasSuffix(s.Text, "\n")
	}
	return all
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

// near is a path as people write it: their own folder is ~.
func (v *visit) near(path string) string {
	if home := v.site.Runtime.Home; home != "" && (path == home || strings.HasPrefix(path, home+string(filepath.Separator))) {
		return "~" + path[len(home):]
	}
	return path
}
