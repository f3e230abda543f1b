package words

import (
	"strings"
	"unicode"
)

// small are words that say nothing about a subject.
const small = " the and for use when with this that skill you your from are "

// Content returns the words of a description that say what it is about, in lower case and without a plural's s.
func Content(text string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if w = strings.TrimSuffix(w, "s"); len(w) > 2 && !strings.Contains(small, " "+w+" ") {
			all[w] = true
		}
	}
	return all
}

// Alike returns the share of all words of two sets that both have.
func Alike(a, b map[string]bool) float64 {
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return float64(common) / float64(max(len(a)+len(b)-common, 1))
}
