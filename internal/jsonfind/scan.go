// Package jsonfind answers one question: where in this text is the JSON? It follows RFC 8259
// exactly. Its time is linear in the length of any text.
package jsonfind

import (
	"encoding/binary"
	"math/bits"
)

// Space returns the index of the first byte at or after i that is not white space.
func Space(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// String returns the end of the JSON string whose opening quote is text[i], and whether the string
// contains escapes. If there is no JSON string, ok is false and end is where it stops being one.
func String(text []byte, i int) (end int, escaped, ok bool) {
	i++
	for {
		// Read eight bytes at a time. In special, the lowest bit that is set belongs to the first
		// byte that is a quote, a backslash or a control character.
		for i+8 <= len(text) {
			w := binary.LittleEndian.Uint64(text[i:])
			quote, slash := w^(ones*'"'), w^(ones*'\\')
			special := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs
			if special != 0 {
				i += bits.TrailingZeros64(special) / 8
				break
			}
			i += 8
		}
		for i < len(text) && text[i] != '"' && text[i] != '\\' && text[i] >= ' ' {
			i++
		}
		switch {
		case i == len(text) || text[i] < ' ':
			return i, escaped, false
		case text[i] == '"':
			return i + 1, escaped, true
		}
		escaped = true
		if i, ok = escape(text, i); !ok {
			return i, true, false
		}
	}
}

// escape returns the end of the escape whose backslash is text[i].
func escape(text []byte, i int) (end int, ok bool) {
	i++
	if i == len(text) {
		return i, false
	}
	switch text[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, true
	case 'u':
		for n := range 4 {
			if i+1+n == len(text) || !isHex(text[i+1+n]) {
				return i + 1 + n, false
			}
		}
		return i + 5, true
	}
	return i, false
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Number returns the end of the number that starts at text[i] with a digit or a minus sign. If
// there is no JSON number, ok is false and end is where it stops being one.
func Number(text []byte, i int) (end int, ok bool) {
	if text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if i, ok = digits(text, i); !ok {
		return i, false
	}
	if i < len(text) && text[i] == '.' {
		if i, ok = digits(text, i+1); !ok {
			return i, false
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if i, ok = digits(text, i); !ok {
			return i, false
		}
	}
	return i, true
}

// digits returns the end of the digits at text[i]. There must be at least one digit.
func digits(text []byte, i int) (end int, ok bool) {
	start := i
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return i, i > start
}

// Literal returns the end of true, false or null at text[i]. If text[i] starts none of them, ok is
// false and end is where the word stops matching.
func Literal(text []byte, i int) (end int, ok bool) {
	word := ""
	switch text[i] {
	case 't':
		word = "true"
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	}
	for n := range len(word) {
		if i+n == len(text) || text[i+n] != word[n] {
			return i + n, false
		}
	}
	return i + len(word), word != ""
}
