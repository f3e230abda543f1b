package page

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A segment is a piece of text on a page.
type segment struct {
	Text      string
	Class     string
	Directive int    // which one it is or stands for, from 1; 0 for none
	Hidden    string // what an invisible character is; Text is its code
}

// A span is a stretch of a text.
type span struct {
	start, end int
	class      string
	directive  int
}

// maxShown bounds the text of one pane: a browser gets slow with more, and
// nobody reads it.
const maxShown = 200_000

// shown is the part of a text that a pane shows, and what to say of the rest.
func shown(text string) (part, rest string) {
	if len(text) <= maxShown {
		return text, ""
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut], fmt.Sprintf("cut here: %s in all", bytesOf(int64(len(text))))
}

// segments cuts a text at its spans, which do not overlap, and at characters that nobody would see.
func segments(text string, spans []span) []segment {
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].start < spans[j].start })
	var all []segment
	at := 0
	for _, s := range spans {
		start, end := min(max(s.start, at), len(text)), min(s.end, len(text))
		if start > at {
			all = visible(all, text[at:start], segment{})
		}
		if end > start {
			all = visible(all, text[start:end], segment{Class: s.class, Directive: s.directive})
		}
		at = max(at, end)
	}
	return visible(all, text[at:], segment{})
}

// visible adds text as segments like s. A character that is not seen, or that
// changes the order in which others are, is shown by its code.
func visible(all []segment, text string, s segment) []segment {
	for text != "" {
		i := strings.IndexFunc(text, hidden)
		if i < 0 {
			i = len(text)
		}
		if i > 0 {
			s.Text = text[:i]
			all = append(all, s)
			text = text[i:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		one := s
		one.Text, one.Hidden = fmt.Sprintf("U+%04X", r), "a character that is not seen"
		if unicode.Is(unicode.Bidi_Control, r) {
			one.Hidden = "a character that changes the order of text"
		}
		all = append(all, one)
		text = text[n:]
	}
	return all
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
		all = append(all, diffLine{visible(nil, strings.TrimRight(l, "\n"), segment{}), class})
	}
	return all
}
