package claudepage

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// isWord reports whether c belongs to a name, as \w in a JavaScript pattern.
func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// decode reads bytes as UTF-8 the way a browser does: each longest beginning of a character that
// is broken off becomes one U+FFFD.
func decode(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = brokenLen(b)
		}
		s.WriteRune(r)
		b = b[n:]
	}
	return s.String()
}

// brokenLen returns how many bytes at the start of b could begin a character.
func brokenLen(b []byte) int {
	need, low, high := 0, byte(0x80), byte(0xBF)
	switch c := b[0]; {
	case 0xC2 <= c && c <= 0xDF:
		need = 1
	case 0xE0 <= c && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			low = 0xA0
		} else if c == 0xED {
			high = 0x9F
		}
	case 0xF0 <= c && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			low = 0x90
		} else if c == 0xF4 {
			high = 0x8F
		}
	}
	n := 1
	for n <= need && n < len(b) && low <= b[n] && b[n] <= high {
		n++
		low, high = 0x80, 0xBF
	}
	return n
}

// cutUnits returns the first n UTF-16 units of s, in which JavaScript counts, and whether there
// were more.
func cutUnits(s string, n int) (string, bool) {
	for i, r := range s {
		if n -= utf16.RuneLen(r); n < 0 {
			return s[:i], true
		}
	}
	return s, false
}
