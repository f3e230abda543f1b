package legacy

import (
	"slices"
	"strings"
)

// What the text before a word that says how it went does to it. It is read from
// its end, word by word: a line may be long and have many such words.

// isNot reports whether text makes the success that follows a failure, as in
// "not", "has not yet been" or "couldn't be".
func isNot(text string) bool {
	text, ok := cutSpace(text)
	return ok && leadsTo(text, []string{"not", "n't", "never", "no", "without", "cannot"}, isWordByte, "be", "been", "yet", "fully", "any", "a")
}

// isNo reports whether text denies the failure that follows, as in "no",
// "without any" or "did not". Things, such as errors, may have a word of their own,
// as in "no lint errors"; what fails must be able to, as in "no test failed".
func isNo(text string, things bool) bool {
	text, ok := cutSpace(text)
	if !ok {
		return false
	}
	if rest, word := cutWord(text); isOneOf(word, []string{"or", "nor", "have", "has", "had", "was", "were"}) {
		text = rest // no errors or, no test has
	}
	no := func(text string) bool {
		return leadsTo(text, []string{"no", "none", "nothing", "neither", "zero", "without", "w/o"}, isNameByte, "any", "a", "an", "of", "the", "single", "more")
	}
	rest, word := cutWord(text)
	return no(text) || mayFail(word, things) && no(rest) ||
		leadsTo(text, []string{"not", "n't", "never", "cannot"}, isNameByte, "any", "a", "an", "single", "been")
}

// mayFail reports whether a word may stand between a count and the failure that
// it counts.
func mayFail(word string, things bool) bool {
	word = strings.TrimSuffix(strings.ToLower(word), "s")
	return things || isOneOf(word, []string{"test", "check", "job", "step", "task", "unit", "case", "build", "target", "host", "file", "spec", "suite", "stage", "error", "assertion"})
}

// isDoubted reports whether text takes back the success that follows, if from some
// words away, as in "not all tests", "none of them" or "did not end in".
func isDoubted(text string) bool {
	text, ok := cutSpace(text)
	for range 6 {
		if !ok || lastIs(text, []string{"not", "n't", "never", "no", "none", "nothing", "neither", "cannot"}, isNameByte) {
			return ok
		}
		rest, word := cutWord(text)
		if !mayFail(word, false) && !isOneOf(word, []string{"all", "every", "any", "one", "a", "of", "the", "them", "these", "was", "were", "be", "been", "has", "have", "yet", "fully", "end", "in"}) {
			return false
		}
		text = rest
	}
	return false
}

// ofProblems reports whether the count in text is one of errors and the like,
// which does not take a success back.
func ofProblems(text string) bool {
	text, _ = cutSpace(text)
	_, word := cutWord(text)
	return isOneOf(word, []string{"error", "errors", "failures", "warnings", "problems", "issues"})
}

// leadsTo reports whether text ends in one of words, with any of fillers behind
// it. What is joined to a word makes it another one.
func leadsTo(text string, words []string, joins func(byte) bool, fillers ...string) bool {
	for {
		if lastIs(text, words, joins) {
			return true
		}
		rest, word := cutWord(text)
		if !isOneOf(word, fillers) {
			return false
		}
		text = rest
	}
}

// isZero reports whether text says that there are 0 of what follows, "0 of 5" or
// "0 test". Of things that is so after almost anything; but in "step 0 FAILED", 0
// is a name.
func isZero(text string, things bool) bool {
	text, ok := cutSpace(text)
	if !ok {
		return false
	}
	rest, word := cutWord(text)
	texts := []string{text, rest}
	if !mayFail(word, things) {
		texts = texts[:1]
	}
	for _, text := range texts {
		if before, ok := strings.CutSuffix(text, "0"); ok && isCounter(before, things) {
			return true
		}
		if before, ok := strings.CutSuffix(cutTotal(text), "0"); ok && isCounter(before, things) {
			return true
		}
	}
	return false
}

// isCounter reports whether a 0 is a count, from what is before it.
func isCounter(before string, things bool) bool {
	if before == "" {
		return true
	}
	rest, spaced := cutSpace(before)
	if rest == "" {
		return things
	}
	last := rest[len(rest)-1]
	number := len(rest) > 1 && strings.IndexByte(digits, rest[len(rest)-2]) >= 0
	switch {
	case last == '=', !spaced && (isWordByte(last) || strings.IndexByte("./-#", last) >= 0 || number && (last == ',' || last == ':')):
		return false // code=0, 1.0, a-0, #0, a.c:10:0
	case things, !isNameByte(last) || last == ',':
		return true
	case isLetter(last): // "3 PASSED 0 FAILED"
		if before, word := cutWord(rest); spaced && word != "" && strings.TrimRight(before, digits) != before {
			return true
		}
	case last == '-' || last == '/': // between two counts
		_, apart := cutSpace(rest[:len(rest)-1])
		return spaced && apart
	}
	return spaced && lastIs(rest, []string{"and", "with", "found", "has", "had", "have", "is", "are", "was", "were"}, isWordByte)
}

// cutTotal drops the rest of "0/5", "0 of the 5" or "0 out of 5" after the 0.
func cutTotal(text string) string {
	number := strings.TrimRight(text, digits)
	if number == text {
		return ""
	}
	rest, _ := cutSpace(number)
	if before, word := cutWord(rest); isOneOf(word, []string{"the", "all"}) {
		rest = before
	}
	switch {
	case endsIn(rest, "/"):
		rest, _ = cutSpace(rest[:len(rest)-1])
	case endsIn(rest, "of"):
		var spaced bool
		if rest, spaced = cutSpace(rest[:len(rest)-len("of")]); spaced && endsIn(rest, "out") {
			rest, _ = cutSpace(rest[:len(rest)-len("out")])
		}
	default:
		return ""
	}
	return rest
}

// isValue reports whether the 0 that text ends in is the value of what is before
// it: that of "FAILED: 0 PASSED: 3" is not how many PASSED.
func isValue(text string) bool {
	text, _ = cutSpace(text)
	text, ok := strings.CutSuffix(text, "0")
	text, _ = cutSpace(text)
	return ok && (endsIn(text, ":") || endsIn(text, "="))
}

// isCount reports whether text says that there are some of what follows, as in
// "3", "2 test" or "but with some".
func isCount(text string) bool {
	text, ok := cutSpace(text)
	if !ok {
		return false
	}
	rest, _ := cutWord(text)
	return endsInCount(text) || endsInCount(rest)
}

func endsInCount(text string) bool {
	before := strings.TrimRight(text, digits)
	if number := text[len(before):]; number != "" {
		return number[0] != '0' && (before == "" || !isWordByte(before[len(before)-1]))
	}
	rest, word := cutWord(text)
	with := []string{"with", "but"}
	return lastIs(text, with, isWordByte) || isOneOf(word, []string{"some", "many", "several"}) && lastIs(rest, with, isWordByte)
}

const (
	space  = " \t\n\f\r"
	digits = "0123456789"
)

// cutSpace drops the white space that text ends in, and reports whether there is any.
func cutSpace(text string) (rest string, ok bool) {
	rest = strings.TrimRight(text, space)
	return rest, len(rest) < len(text)
}

// cutWord drops the letters that text ends in, and the white space before them.
// Without either there is no word.
func cutWord(text string) (rest, word string) {
	i := len(text)
	for i > 0 && isLetter(text[i-1]) {
		i--
	}
	rest, ok := cutSpace(text[:i])
	if !ok || i == len(text) {
		return text, ""
	}
	return rest, text[i:]
}

// lastIs reports whether text ends in one of words, and nothing joins it to what
// is before it. Only n't always is.
func lastIs(text string, words []string, joins func(byte) bool) bool {
	for _, word := range words {
		if endsIn(text, word) && (len(text) == len(word) || word == "n't" || !joins(text[len(text)-len(word)-1])) {
			return true
		}
	}
	return false
}

func isOneOf(word string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) })
}

func endsIn(text, end string) bool {
	return len(text) >= len(end) && strings.EqualFold(text[len(text)-len(end):], end)
}

func isWordByte(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '_' }

// isNameByte reports whether c can be in a version, a path or a name with hyphens.
func isNameByte(c byte) bool { return isWordByte(c) || strings.IndexByte(".,/-", c) >= 0 }
