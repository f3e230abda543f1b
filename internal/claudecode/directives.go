package claudecode

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Written is a directive as it stands in a file, before anything was put into it.
type Written struct {
	Offset  int    // of its first byte in the file
	End     int    // after its last byte
	Line    int    // of Offset
	Command string // without white space around it and carriage returns at line ends
	From    int    // the offset of Command
	Block   bool   // ```! … ```, not !`…`
}

// Directives returns the directives in a skill's or command's file, by where they stand. Nothing is
// run. What an argument would complete or break, such as a command in backquotes, is not seen.
func Directives(src []byte) []Written {
	text := string(src)
	_, body := SplitFrontmatter(text)
	start := len(text) - len(body)
	var found []Written
	for _, block := range []bool{true, false} {
		matches := Inlines(body)
		if block {
			matches = Blocks(body)
		}
		for _, m := range matches {
			written := body[m.From:m.To]
			command := TrimSpace(written)
			if command == "" {
				continue
			}
			found = append(found, Written{
				Offset: start + m.Start, End: start + m.End, Block: block,
				From:    start + m.From + strings.Index(written, command),
				Command: strings.ReplaceAll(command, "\r\n", "\n"),
			})
		}
	}
	slices.SortStableFunc(found, func(a, b Written) int { return cmp.Compare(a.Offset, b.Offset) })
	line, at := 1, 0
	for i := range found {
		line += strings.Count(text[at:found[i].Offset], "\n")
		at, found[i].Line = found[i].Offset, line
	}
	return found
}

// A Match is where a directive stands in a text, and its command within.
type Match struct{ Start, End, From, To int }

// Blocks finds ```! … ```, anywhere: neither end needs a line of its own.
func Blocks(text string) []Match {
	var found []Match
	for i := 0; ; {
		n := strings.Index(text[i:], "```!")
		if n < 0 {
			return found
		}
		start := i + n
		from := start + len("```!")
		n = strings.Index(text[from:], "```")
		if n < 0 {
			return found
		}
		i = from + n + len("```")
		found = append(found, Match{start, i, from, from + n})
	}
}

// Inlines finds !`…` at the start of the text or after white space, outside code spans.
func Inlines(text string) []Match {
	var found []Match
	var line lineState
	for i := 0; ; {
		n := strings.Index(text[i:], "!`")
		if n < 0 {
			return found
		}
		start := i + n
		from := start + len("!`")
		if before, _ := utf8.DecodeLastRuneInString(text[:start]); start > 0 && !IsSpace(before) {
			i = start + 1
			continue
		}
		n = strings.IndexByte(text[from:], '`')
		if n < 0 {
			return found
		}
		if n == 0 {
			i = start + 1
			continue
		}
		i = from + n + 1
		if line.read(text, start); !line.inCodeSpan() {
			found = append(found, Match{start, i, from, from + n})
		}
	}
}

// A lineState counts the backquotes of a line up to some place in it.
type lineState struct {
	at     int  // how far the text was read
	single int  // backquotes that stand alone, since the last that do not
	double bool // some stood together
}

// read goes on to a later place in the text.
func (l *lineState) read(text string, to int) {
	if n := strings.LastIndexByte(text[l.at:to], '\n'); n >= 0 {
		*l = lineState{at: l.at + n + 1}
	}
	for l.at < to {
		run := l.at
		for run < to && text[run] == '`' {
			run++
		}
		switch run - l.at {
		case 0:
			run++
		case 1:
			l.single++
		default:
			l.single, l.double = 0, true
		}
		l.at = run
	}
}

// inCodeSpan reports whether Claude Code takes what follows for part of a code span: after an odd
// number of backquotes, of which several together count as one but do not open a span themselves.
func (l *lineState) inCodeSpan() bool {
	if l.double {
		return l.single > 0 && l.single%2 == 0
	}
	return l.single%2 == 1
}
