package claudepage

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const fence = "```"

// scan returns the directives in a text: first the blocks, then the inline ones. Each kind is
// looked for by itself, so that the two can overlap.
func scan(text string) []Directive {
	var found []Directive
	for _, matches := range [][]match{blocks(text), inlines(text)} {
		line, at := 1, 0
		for _, m := range matches {
			line += strings.Count(text[at:m.start], "\n")
			at = m.start
			if command := trimSpace(strings.ReplaceAll(text[m.from:m.to], "\r\n", "\n")); command != "" {
				found = append(found, Directive{Source: text[m.start:m.end], Command: command, Line: line})
			}
		}
	}
	return found
}

// A match is where a directive stands in a text, and its command within.
type match struct{ start, end, from, to int }

// blocks finds ```! … ```, anywhere: neither end needs a line of its own.
func blocks(text string) []match {
	var found []match
	for i := 0; ; {
		n := strings.Index(text[i:], fence+"!")
		if n < 0 {
			return found
		}
		start := i + n
		from := start + len(fence+"!")
		n = strings.Index(text[from:], fence)
		if n < 0 {
			return found
		}
		i = from + n + len(fence)
		found = append(found, match{start, i, from, from + n})
	}
}

// inlines finds !`…` at the start of the text or after white space, outside code spans.
func inlines(text string) []match {
	var found []match
	var line lineState
	for i := 0; ; {
		n := strings.Index(text[i:], "!`")
		if n < 0 {
			return found
		}
		start := i + n
		from := start + len("!`")
		if before, _ := utf8.DecodeLastRuneInString(text[:start]); start > 0 && !isSpace(before) {
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
			found = append(found, match{start, i, from, from + n})
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

// checkCommands refuses commands with characters that a person could not see. Claude Code then
// runs none of them.
func (s *Skill) checkCommands(directives []Directive) error {
	for _, d := range directives {
		if strings.ContainsFunc(d.Command, hidden) {
			shown := strings.Map(func(r rune) rune {
				if hidden(r) {
					return utf8.RuneError
				}
				return r
			}, d.Command)
			return &Failure{fmt.Sprintf("No shell command in /%s was run, because the Bash tool does not accept one of them: "+
				"command contains control characters that would be hidden in the approval dialog. "+
				"Unprintable characters are shown as \uFFFD below: remove them from the skill or command file, "+
				"or from the arguments or options substituted into it.\n%s", s.Name, shown)}
		}
	}
	return nil
}

// hidden reports whether r is a control character other than a tab or a newline.
func hidden(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' || 0x7F <= r && r <= 0x9F
}

// splice puts output in the place of a directive, or rather of the first text that reads like it:
// Claude Code does not remember where the directive stood.
func splice(text, directive, output string) string {
	return strings.Replace(text, directive, output, 1)
}
