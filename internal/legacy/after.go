package legacy

import (
	"strconv"
	"strings"
)

// How people write that there is none, and what may follow that.
const (
	nought  = `zero\b|none\b|no(?:\s+[a-z]+){0,2}\s+errors?(?:\s+(?:found|logged|detected))?\b|no\b|nil\b|null\b|false\b|n/a\b|[-–—]|\[\s*\]|\{\s*\}|\(\s*\)|""|''`
	zero    = `0+(?:\.0+)?(?:\s*%|\b)`
	zeroOf  = `0+\s*(?:/|of|out\s+of)\s*\d+\b`
	stop    = `(?:$|[,;|│)\]❌✅]|\.(?:\s|$))`
	opening = `\s*[*\x60"'❌✅<]*\s*`
	closing = `[*\x60"'>]*\s*`
)

// What the text after a word that says how it went does to it.
var (
	// There is none, by a value: "Errors: 0", "errors found: none", "Failed=0 Passed=3".
	noneValue = pattern{expr: `(?i)^(?:\(s\))?\**(?:\s+[a-z]+\s*)?\s*(?:\.{2,}\s*)?[:=]` + opening + `(?:[(\[]\s*(?:` + nought + `|` + zero + `)\s*[)\]]` + closing + stop +
		`|(?:` + nought + `|` + zeroOf + `|` + zero + `)` + closing + `(?:` + stop + `|[^\w\s.>→-]|-\s|(?:found|total|reported|in|and|errors from)\b|(?:tests?|checks?|jobs?|files?|items?|cases?|specs?|suites?)\s*(?:$|[,;|.)])|[a-z]+\s*[:=]))|^\s*=\s*$`}
	// By what follows a word that begins the line: "Errors 0", "Failed (0)", "| Failed | 0 |", "Failed -> none".
	noneLabel = pattern{expr: `(?i)^,(?:0|none|no)\s*$|^(?:\(s\))?\**(?:\s+[a-z]+s\b|\s*(?:[|│?]|[-=]+>|[-–—]|\.{2,})?)` + opening + `(?:[(\[]\s*(?:` + nought + `|` + zero + `)\s*[)\]]|` + nought + `|` + zeroOf + `|` + zero + `)` + closing +
		`(?:$|[;|│)\]❌✅]|\.(?:\s|$)|[a-z]+\s+\d+\s*(?:$|[,;|]))`}
	// "Error: …" is a message, and one only if nothing else is said of it.
	noError = pattern{expr: `(?i)^\s*[:=]\s*[*\x60"'(<]*(?:` + nought + `|0|--)[*\x60"')>]*\s*\.?\s*✅?(?:$|,\s*\w+\s*[:=])`}
	// Of a success, only a value of its own says that.
	noneOfSuccess = pattern{expr: `(?i)^(?:\s*[:=]\s*["']?(?:0+|none|nothing|no|false|zero)\b["']?(?:\s*(?:/|of|out\s+of)\s*\d+)?(?:\s+(?:tests?|checks?))?\s*(?:$|[,;|)]|\.(?:\s|$)|[a-z]+\s*[:=])|\s+0\s*(?:$|[,;)]))`}
	falseAfter    = pattern{expr: `(?i)^\s*[:=]\s*["']?(?:false|no|fail(?:ed|ure)?|error)["']?\s*(?:$|[,;|.)])`}
	freeAfter     = pattern{expr: `(?i)^[\s-]+free\b`}

	// How many a symbol stands for, and that it stands for none.
	symbolCount = pattern{expr: `^\s*[:=×]?\s*(\d+)(?:\s*(?:/|of)\s*\d+)?\s*(?:$|[,;|)❌✅]|\(\s*[\d.]+\s*%)`}
	symbolCell  = pattern{expr: `^\s*[|│]\s*0\s*[|│]`}
	noFailure   = pattern{expr: `(?i)^\s*(?:none\b|(?:0|no|zero)\s+(?:[a-z]+\s+)?(?:fail(?:ed|ures?)?|errors?)\s*(?:found\s*)?(?:$|[;|)✅]|\.|,\s*0\b|\(\s*[\d.]+\s*%))`}
	noSuccess   = pattern{expr: `(?i)^\s*(?:none\s*$|(?:0|no|zero)\s+(?:[a-z]+\s+)?(?:passed|succeeded|completed|success)\b)`}
	noneBefore  = pattern{expr: `(?i)(?:^|[,;|(])\s*(?:0|no)\s*$|\b(?:fail(?:ed|ures?)?|errors?)\s*[:=]?\s*0\s*$`}

	// A part of what should be: "1 of 3", "50%", a rate.
	partAfter = pattern{expr: `(?i)^\s*(?:rate|ratio)\b|^\s*[:=(]?\s*(\d+)\s*(?:/|(?:out )?of)\s*(\d+)\b(?:\s+(fail|error|skip))?|^\s*[:=(]\s*(\d+)(?:\.\d+)?\s*%(?:\s+(fail|error))?`}
	// What takes a success back.
	notAfter = pattern{expr: `(?i)^\s*[:=?]\s*(?:not(?:\s+(?:yet|achieved|met|reached))?|never|n|no|✗)\s*(?:$|[,;|.)])|^\s+(?:(?:was|is|has|criteria)\s*:?\s*)?(?:not\s+(?:achieved|verified|met|reached|yet|completed?)|unsuccessful(?:ly)?|abnormally|partially)\b|^\s*\(?(?:with\s+)?(?:exit\s+)?(?:code|status)\s*:?\s*[1-9]`}

	// A success that goes on to count failures, and did not fix them.
	countAfter = pattern{expr: `^(?:\([sS]\))?\s*[:=]?\s*[1-9]`}
	mended     = pattern{expr: `(?i)\b(?:fixed|resolved|corrected|repaired|handled|removed)\b`}
)

// maySayMore reports whether the text after a success, without the space between
// them, may take something of it back. To ask that of each expression is slow.
func maySayMore(next string) bool {
	word := next[:wordEnd(next, 0)]
	return word == "" && next != "" || isOneOf(word, []string{
		"not", "unsuccessful", "unsuccessfully", "abnormally", "partially",
		"was", "is", "has", "criteria", "with", "exit", "code", "status", "rate", "ratio",
	})
}

// isPart reports whether the text after a word says that it holds for a part only.
func isPart(after string) bool {
	m := partAfter.regexp().FindStringSubmatch(after)
	if m == nil || m[3]+m[5] != "" { // 0 of 3 failed
		return false
	}
	some, _ := strconv.Atoi(m[1] + m[4])
	all := 100
	if m[2] != "" {
		all, _ = strconv.Atoi(m[2])
	}
	return m[1]+m[4] == "" || some < all
}

// isNone reports whether the text around a failure says that there is none of it.
// The expressions are slow, so most of what they cannot match is told apart first.
func isNone(before, word, after string) bool {
	isOther := func(s string) bool { return s == "" || isLetter(s[0]) && strings.IndexByte("zZnNfF", s[0]) < 0 }
	next := strings.TrimLeft(after, space)
	if isOther(next) {
		next = strings.TrimLeft(next[wordEnd(next, 0):], space)
		if isOther(next) {
			return false
		}
	}
	switch {
	case noneValue.in(after):
		return true
	case strings.ContainsFunc(before, func(r rune) bool { return isWord(r) && r != 'ℹ' }) && !pairBefore.in(before):
		return false // "3 FAILED, 0 skipped", "| build | FAILED | 0 |"
	case isUpper(word) && fraction.in(after):
		return false // "FAILED 0/3", "FAILED (0%)"
	}
	return noneLabel.in(after)
}

var (
	// Another word with its number: "PASSED 3 FAILED 0".
	pairBefore = pattern{expr: `(?i)(?:^|[^\w])(?:pass|passed|succeeded|total|tests|warnings?|errors?|skipped)\s+\d+,?\s+$`}
	fraction   = pattern{expr: `^\W*0+\s*(?:/|%|of\b)`}
)

func startsWithAny(s, bytes string) bool { return s != "" && strings.IndexByte(bytes, s[0]) >= 0 }
