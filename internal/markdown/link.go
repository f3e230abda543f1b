package markdown

import (
	"strings"
	"unicode"
)

const (
	maxLabel  = 999 // characters in a link label; CommonMark's limit
	maxParens = 32  // nested in a link's destination; cmark's limit, so that "](](](" does not take quadratic time
)

// definition reads the link definition at i, the start of a line. end is after a newline, or -1 if
// there is no definition.
func definition(b []byte, i int) (label []byte, end int) {
	label, i = linkLabel(b, i)
	if i < 0 || len(label) == 0 || i == len(b) || b[i] != ':' {
		return nil, -1
	}
	from := skipSpace(b, i+1)
	i = destination(b, from)
	if i <= from {
		return nil, -1
	}
	if t := skipSpace(b, i); t > i {
		if end := lineEnd(b, title(b, t)); end >= 0 {
			return label, end
		}
	}
	// There is no title, or the next line only looks like one.
	return label, lineEnd(b, i)
}

// lineEnd returns the index after the next newline, or -1 if anything but spaces and tabs comes
// first.
func lineEnd(b []byte, i int) int {
	for ; 0 <= i && i < len(b); i++ {
		switch b[i] {
		case ' ', '\t':
		case '\n':
			return i + 1
		default:
			return -1
		}
	}
	return -1
}

// inlineLink returns the end of the (destination "title") at i, or -1.
func inlineLink(b []byte, i int) int {
	if i == len(b) || b[i] != '(' {
		return -1
	}
	i = destination(b, skipSpace(b, i+1))
	if i < 0 {
		return -1
	}
	if t := skipSpace(b, i); t > i {
		if end := title(b, t); end >= 0 {
			t = skipSpace(b, end)
		}
		i = t
	}
	if i == len(b) || b[i] != ')' {
		return -1
	}
	return i + 1
}

// linkLabel reads the [label] at i. The label is empty for []. The end is -1 if there is no label.
func linkLabel(b []byte, i int) (label []byte, end int) {
	if i == len(b) || b[i] != '[' {
		return nil, -1
	}
	blank := true
	from, length := i+1, 0
	for i = from; i < len(b) && length <= maxLabel; i++ {
		switch c := b[i]; c {
		case ' ', '\t', '\n':
		case '[':
			return nil, -1
		case ']':
			if blank && i > from {
				return nil, -1
			}
			return b[from:i], i + 1
		case '\\':
			length += escaped(b, i)
			i += escaped(b, i)
			blank = false
		default:
			blank = false
			if c&0xc0 == 0x80 { // within a character
				length--
			}
		}
		length++
	}
	return nil, -1
}

// destination returns the end of the link destination at i, or -1. A destination may be empty.
func destination(b []byte, i int) int {
	if i < len(b) && b[i] == '<' {
		for i++; i < len(b); i++ {
			switch b[i] {
			case '\\':
				i += escaped(b, i)
			case '>':
				return i + 1
			case '<', '\n':
				return -1
			}
		}
		return -1
	}
	depth := 0
	for ; i < len(b) && !isControl(b[i]) && b[i] != ' '; i++ {
		switch b[i] {
		case '\\':
			i += escaped(b, i)
		case '(':
			depth++
			if depth > maxParens {
				return -1
			}
		case ')':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	if depth > 0 {
		return -1
	}
	return i
}

// title returns the end of the link title at i, or -1.
func title(b []byte, i int) int {
	if i == len(b) {
		return -1
	}
	closer := b[i]
	switch closer {
	case '"', '\'':
	case '(':
		closer = ')'
	default:
		return -1
	}
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\\':
			i += escaped(b, i)
		case c == closer:
			return i + 1
		case c == '(' && closer == ')':
			return -1
		}
	}
	return -1
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n') {
		i++
	}
	return i
}

// isControl reports whether c is a control character. NUL does not count: CommonMark reads it as
// the replacement character.
func isControl(c byte) bool { return 0 < c && c < ' ' || c == 0x7f }

// normalize returns the same string for labels that mean the same link. Case and the amount of
// white space do not count.
func normalize(label []byte) string {
	s := strings.Join(strings.FieldsFunc(string(label), func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }), " ")
	return strings.Map(foldCase, sharpS.Replace(s))
}

// sharpS replaces the only letter in use that folds to two letters.
var sharpS = strings.NewReplacer("ß", "ss", "ẞ", "ss")

// foldCase returns the smallest of the characters that differ from r only in case.
func foldCase(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
