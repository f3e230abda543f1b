package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote joins words with spaces. It quotes a word where a shell needs that to read the same word.
func Quote(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.ContainsFunc(w, needsQuote) || !utf8.ValidString(w) {
			quoted[i] = Single(w)
		}
	}
	return strings.Join(quoted, " ")
}

// Single puts single quotes around a word, even if the word needs no quotes.
func Single(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }

func needsQuote(r rune) bool {
	switch {
	case r >= utf8.RuneSelf:
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	case r == '_', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("-./:=,@%+", r)
}
