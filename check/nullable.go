package check

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// nullable reports whether a regular expression of JavaScript matches the empty text. At the one place
// of that text every part either matches nothing or does not match, so its structure alone decides, and
// no engine is needed: the one for JavaScript would cost every start of the program.
func nullable(pattern string) (bool, error) {
	e := emptyMatch{in: pattern}
	ok := e.either()
	if e.err == nil && e.in != "" {
		e.err = errors.New("a closing parenthesis without an opening one")
	}
	return ok, e.err
}

// An emptyMatch reads an expression and drops what it has read.
type emptyMatch struct {
	in  string
	err error
}

// take drops the first of some prefixes that the rest has, and returns it; "" if it has none.
func (e *emptyMatch) take(prefixes ...string) string {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(e.in, p); ok {
			e.in = rest
			return p
		}
	}
	return ""
}

func (e *emptyMatch) either() bool {
	ok := e.sequence()
	for e.take("|") != "" {
		ok = e.sequence() || ok
	}
	return ok
}

func (e *emptyMatch) sequence() bool {
	ok := true
	for e.err == nil && e.in != "" && e.in[0] != '|' && e.in[0] != ')' {
		one := e.atom()
		ok = (e.optional() || one) && ok
	}
	return ok
}

// optional reads a quantifier, and reports whether it allows none.
func (e *emptyMatch) optional() bool {
	none := false
	switch q := e.take("*", "?", "+", "{"); q {
	case "":
		return false
	case "{":
		least, rest, ok := strings.Cut(e.in, "}")
		if !ok || strings.Trim(least, "0123456789,") != "" || least == "" || least[0] == ',' {
			return false // a brace like any other character: the next atom begins with what follows it
		}
		e.in = rest
		least, _, _ = strings.Cut(least, ",")
		none = strings.Trim(least, "0") == ""
	default:
		none = q != "+"
	}
	e.take("?") // as few as possible is as empty
	return none
}

func (e *emptyMatch) atom() bool {
	switch e.take("(", "[", `\`, "^", "$") {
	case "^", "$":
		return true
	case "(":
		return e.group()
	case "[":
		return e.class()
	case `\`:
		return e.escape()
	}
	e.character() // it matches itself alone
	return false
}

func (e *emptyMatch) character() {
	_, n := utf8.DecodeRuneInString(e.in)
	e.in = e.in[n:]
}

func (e *emptyMatch) group() bool {
	kind := e.take("?:", "?=", "?!", "?<=", "?<!", "?<")
	if kind == "?<" { // a name
		_, rest, ok := strings.Cut(e.in, ">")
		if !ok {
			e.err = errors.New("a group's name does not end")
		}
		e.in = rest
	}
	ok := e.either()
	if e.take(")") == "" && e.err == nil {
		e.err = errors.New("a group does not end")
	}
	if strings.HasSuffix(kind, "!") {
		return !ok
	}
	return ok
}

// class drops a set of characters, none of which the empty text has.
func (e *emptyMatch) class() bool {
	for e.in != "" {
		switch e.take("]", `\`) {
		case "]":
			return false
		case `\`:
			if e.in == "" {
				continue
			}
		}
		e.in = e.in[1:]
	}
	e.err = errors.New("a set of characters does not end")
	return false
}

// escape drops what follows a backslash. A number may refer to a group or be a character: nobody
// asks for either of an empty text.
func (e *emptyMatch) escape() bool {
	if e.in == "" {
		e.err = errors.New("a backslash at the end")
		return false
	}
	c := e.in[0]
	e.character()
	switch {
	case c == 'B':
		return true
	case c >= '0' && c <= '9' || c == 'k':
		e.err = errors.New("what it refers to is not known")
	case (c == 'p' || c == 'P' || c == 'u') && strings.HasPrefix(e.in, "{"):
		_, e.in, _ = strings.Cut(e.in, "}")
	case c == 'x':
		e.digits(2)
	case c == 'u':
		e.digits(4)
	case c == 'c' && e.in != "":
		e.character()
	}
	return false
}

// digits drops the hexadecimal digits of an escaped character, if they are there.
func (e *emptyMatch) digits(n int) {
	if len(e.in) >= n && strings.Trim(e.in[:n], "0123456789abcdefABCDEF") == "" {
		e.in = e.in[n:]
	}
}
