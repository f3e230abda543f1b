package bind

import (
	"slices"
	"strings"
)

// sed judges a program of sed by its grammar. It answers false for one that runs things, or that it cannot read.
func (c *code) sed() bool {
	for c.at < len(c.text) {
		if !c.sedCommand() {
			return false
		}
	}
	return true
}

func (c *code) skip(signs string) {
	for c.at < len(c.text) && strings.ContainsRune(signs, c.text[c.at]) {
		c.at++
	}
}

func (c *code) sedCommand() bool {
	c.skip(" \t\n;{}")
	if c.at >= len(c.text) {
		return true
	}
	if !c.sedAddress() {
		return false
	}
	c.skip(" \t!{")
	r := c.peek(0)
	c.at++
	switch {
	case r == 0:
		return true
	case r == 's' || r == 'y':
		return c.sedSubstitute(r)
	case strings.ContainsRune("=dDgGhHnNpPxzF", r):
		return c.sedEnd()
	case r == 'q' || r == 'Q' || r == 'l' || r == 'L':
		c.sedNumbers(" ")
		return c.sedEnd()
	case r == 'a' || r == 'i' || r == 'c':
		return c.sedText(without(""), false)
	case r == 'b' || r == 't' || r == 'T' || r == ':':
		return c.sedText(aNumber, true)
	case r == 'r' || r == 'R' || r == 'w' || r == '#' || r == 'v':
		return c.sedText(aNumber, false)
	case r == '}':
		return true
	}
	return false // e and W run and write; others are none of sed's
}

// sedAddress reads the addresses of a command: numbers, $, patterns.
func (c *code) sedAddress() bool {
	for c.at < len(c.text) {
		switch r := c.text[c.at]; {
		case strings.ContainsRune("0123456789,$~+ \t", r):
			c.at++
		case c.isMark(r):
			if !c.value(r, sedNumber) {
				return false
			}
			c.at++
		case r == '/' || r == '\\':
			if r == '\\' {
				c.at++
			}
			if !c.sedSection(c.peek(0), true) {
				return false
			}
			c.at++
			c.skip("IM")
		default:
			return true
		}
	}
	return true
}

// sedNumber: 2, or 2,5.
func sedNumber(v string) bool { return v != "" && strings.Trim(v, "0123456789,") == "" && len(v) < 20 }

func (c *code) sedNumbers(more string) {
	for c.at < len(c.text) && (strings.ContainsRune("0123456789"+more, c.text[c.at]) || c.isMark(c.text[c.at]) && c.value(c.text[c.at], aNumber)) {
		c.at++
	}
}

// sedSection reads a pattern or what replaces it, from its opening sign to its closing one.
func (c *code) sedSection(delim rune, pattern bool) bool {
	if delim == 0 || delim == '\n' || delim == '\\' || c.isMark(delim) {
		return false
	}
	bracket := false
	for c.at++; c.at < len(c.text); c.at++ {
		switch r := c.text[c.at]; {
		case r == '\\':
			if c.isMark(c.peek(1)) {
				return false
			}
			c.at++
		case r == delim && bracket:
			return false // sed's versions do not agree about it
		case r == delim:
			return true
		case r == '[' && pattern && !bracket:
			bracket = true
			if c.peek(1) == '^' {
				c.at++
			}
			if c.peek(1) == ']' {
				c.at++
			}
		case r == '[' && bracket && (c.peek(1) == ':' || c.peek(1) == '.' || c.peek(1) == '='):
			c.at++
		case r == ']' && bracket && !slices.Contains([]rune{':', '.', '='}, c.peek(-1)):
			bracket = false
		case c.isMark(r):
			if !c.value(r, without(string(delim)+"[]")) {
				return false
			}
		}
	}
	return false
}

func (c *code) sedSubstitute(command rune) bool {
	delim := c.peek(0)
	if !c.sedSection(delim, command == 's') || !c.sedSection(delim, false) {
		return false
	}
	c.at++
	for c.at < len(c.text) {
		switch r := c.text[c.at]; {
		case command == 's' && strings.ContainsRune("gpiImM0123456789", r):
			c.at++
		case r == 'w':
			c.at++
			return c.sedText(aNumber, false)
		case c.isMark(r):
			if !c.value(r, aNumber) {
				return false
			}
			c.at++
		default:
			return c.sedEnd()
		}
	}
	return true
}

// sedEnd reads the end of a command.
func (c *code) sedEnd() bool {
	c.skip(" \t")
	r := c.peek(0)
	return c.at >= len(c.text) || r == ';' || r == '\n' || r == '}' || r == '#'
}

// sedText reads to the end of the line: a text, a label, a file's name.
func (c *code) sedText(holds func(string) bool, label bool) bool {
	for ; c.at < len(c.text); c.at++ {
		switch r := c.text[c.at]; {
		case r == '\\':
			c.at++
			if c.isMark(c.peek(0)) {
				return false
			}
		case r == '\n' || label && (r == ';' || r == '}'):
			return true
		case c.isMark(r):
			if !c.value(r, holds) {
				return false
			}
		}
	}
	return true
}
