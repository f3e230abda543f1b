// Package jsregexp answers: does a regular expression of JavaScript match? Lookaround, backreferences
// and flags mean what they mean there. A match that takes too long is an error.
package jsregexp

import (
	"fmt"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// matchTimeout bounds a search: these expressions may take exponential time.
const matchTimeout = 5 * time.Second

// A Regexp is a compiled expression.
type Regexp struct {
	re     *regexp2.Regexp
	sticky bool
}

// Compile compiles a pattern with the flags that follow it in JavaScript: any of dgimsuvy.
func Compile(pattern, flags string) (*Regexp, error) {
	for i, f := range flags {
		if !strings.ContainsRune("dgimsuvy", f) {
			return nil, fmt.Errorf("unknown flag %c, want some of dgimsuvy", f)
		}
		if strings.ContainsRune(flags[:i], f) {
			return nil, fmt.Errorf("flag %c is given twice", f)
		}
	}
	t := translator{in: pattern, multiline: strings.Contains(flags, "m"), dotAll: strings.Contains(flags, "s")}
	text, err := t.translate()
	if err != nil {
		return nil, err
	}
	options := regexp2.RegexOptions(regexp2.ECMAScript)
	if strings.Contains(flags, "i") {
		options |= regexp2.IgnoreCase
	}
	if strings.ContainsAny(flags, "uv") {
		options |= regexp2.Unicode
	}
	re, err := regexp2.Compile(text, options)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = matchTimeout
	return &Regexp{re: re, sticky: strings.Contains(flags, "y")}, nil
}

// Find returns the first match in a text, and whether there is one.
func (r *Regexp) Find(text string) (match string, ok bool, err error) {
	m, err := r.re.FindStringMatch(text)
	if err != nil || m == nil || r.sticky && m.Index > 0 {
		return "", false, err
	}
	return m.String(), true, nil
}

// Count returns how many matches a text has that do not overlap.
func (r *Regexp) Count(text string) (int, error) {
	n, end := 0, 0
	m, err := r.re.FindStringMatch(text)
	for ; err == nil && m != nil; m, err = r.re.FindNextMatch(m) {
		if r.sticky && m.Index != end {
			break
		}
		n, end = n+1, m.Index+m.Length
	}
	return n, err
}

// A translator writes for regexp2 what differs between it and JavaScript: where lines end, which
// letters may be escaped, and which groups exist.
type translator struct {
	in                string
	out               strings.Builder
	multiline, dotAll bool
}

const lineEnds = `\n\r\u2028\u2029`

func (t *translator) translate() (string, error) {
	for i := 0; i < len(t.in); {
		var n int
		var err error
		switch c := t.in[i]; c {
		case '\\':
			n = t.escape(i)
		case '[':
			n = t.class(i)
		case '(':
			n, err = t.group(i)
		case '.', '^', '$':
			n = 1
			t.out.WriteString(t.anchor(c))
		default:
			n = 1
			t.out.WriteByte(c)
		}
		if err != nil {
			return "", err
		}
		i += n
	}
	return t.out.String(), nil
}

// anchor is what a character means that depends on the flags.
func (t *translator) anchor(c byte) string {
	switch {
	case c == '.' && t.dotAll:
		return `[\s\S]`
	case c == '.':
		return `[^` + lineEnds + `]`
	case c == '^' && t.multiline:
		return `(?<![^` + lineEnds + `])`
	case c == '^':
		return `(?<![\s\S])`
	case t.multiline:
		return `(?![^` + lineEnds + `])`
	}
	return `(?![\s\S])`
}

// escape copies an escaped character. A letter that means nothing in JavaScript is itself.
func (t *translator) escape(i int) int {
	if i+1 >= len(t.in) {
		t.out.WriteByte('\\')
		return 1
	}
	c := t.in[i+1]
	letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	switch {
	case letter && !strings.ContainsRune("bBcdDfknpPrsStuvwWx", rune(c)):
		t.out.WriteByte(c)
	case c >= 0x80: // the rest of the character follows
		return 1
	default:
		t.out.WriteString(t.in[i : i+2])
	}
	return 2
}

// class copies a class of characters. [^] is any character, [] is none, and a [ within is itself.
func (t *translator) class(i int) int {
	switch rest := t.in[i:]; {
	case strings.HasPrefix(rest, "[^]"):
		t.out.WriteString(`[\s\S]`)
		return 3
	case strings.HasPrefix(rest, "[]"):
		t.out.WriteString(`(?!)`)
		return 2
	}
	t.out.WriteByte('[')
	at := i + 1
	for at < len(t.in) {
		switch c := t.in[at]; c {
		case '\\':
			at += t.escape(at)
			continue
		case '[':
			t.out.WriteString(`\[`)
		default:
			t.out.WriteByte(c)
		}
		at++
		if t.in[at-1] == ']' {
			break
		}
	}
	return at - i
}

// group copies the beginning of a group, if JavaScript has such groups.
func (t *translator) group(i int) (int, error) {
	rest := t.in[i:]
	if !strings.HasPrefix(rest, "(?") {
		t.out.WriteByte('(')
		return 1, nil
	}
	for _, begin := range []string{"(?:", "(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(rest, begin) {
			t.out.WriteString(begin)
			return len(begin), nil
		}
	}
	end := strings.IndexAny(rest[2:], ":>)") + 2
	inner := rest[2:max(end, 2)]
	switch {
	case end < 2:
	case strings.HasPrefix(inner, "<") && rest[end] == '>' && len(inner) > 1,
		inner != "" && rest[end] == ':' && strings.Trim(inner, "ims-") == "":
		t.out.WriteString(rest[:end+1])
		return end + 1, nil
	}
	return 0, fmt.Errorf("invalid group at %q", rest[:min(len(rest), 8)])
}
