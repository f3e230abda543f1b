package report

import (
	"strconv"
	"strings"
)

// nought is how people write that there is none, and things that they count.
const (
	nought = `0+(?:\.0+)?\s*%|0+(?:\.0+)?\b|0+\s*(?:/|of|out\s+of)\s*\d+\b|zero\b|none(?:\s+found)?\b|no(?:\s+[a-z]+){0,2}\s+errors?(?:\s+(?:found|logged|detected))?\b|no\b|nil\b|null\b|false\b|n/a\b|[-–—]`
	things = `errors?|failures?|tests?|checks?|jobs?|files?|items?|cases?|specs?|suites?|assertions?|warnings?`
)

// What the text after a word that says how it went does to it.
var (
	// There is none: "Errors: 0", "errors (none)", "| Failed | 0 |", "Failed: 0 Passed: 3".
	noneAfter = pattern{expr: `(?i)^(?:\(s\))?\**(?:\s+[a-z]+\s*[:=]|\s+[a-z]+s\b|\s*(?:[:=|│,?]|[-=]+>|[-–—]|\.{2,}\s*:?)?)\s*[*\x60"'❌✅]*\s*(?:` +
		`[(\[]\s*(?:` + nought + `)\s*[)\]][*\x60"']*\s*(?:$|[,;|│❌✅]|\.(?:\s|$))` +
		`|(?:` + nought + `|\[\s*\]|\{\s*\}|\(\s*\)|""|'')[*\x60"']*\s*(?:$|[,;|│)\]❌✅]|\.(?:\s|$)|\b[a-z]+\s*[:=]|\b(?:` + things + `)(?:\s+from\b|\s*(?:$|[,;|.)]))|\b[a-z]+\s+\d+\s*(?:$|[,;|])))`}
	// "Error: …" is a message, and one only if nothing else is said of it.
	noError    = pattern{expr: `(?i)^\s*[:=]\s*[*\x60"'(<]*(?:` + nought + `|--|\[\s*\]|\{\s*\}|\(\s*\)|"")[*\x60"')>]*\s*\.?\s*✅?$`}
	falseAfter = pattern{expr: `(?i)^\s*[:=]\s*["']?(?:false|no|fail(?:ed|ure)?|error)["']?\s*(?:$|[,;|.)])`}
	freeAfter  = pattern{expr: `(?i)^[\s-]+free\b`}

	// How many a symbol stands for, and that it stands for none.
	symbolCount = pattern{expr: `^[\s|│]*[:=×]?\s*(\d+)\s*(?:$|[^\w\s.]|[✅❌]|(?:/|of)\s*\d)`}
	symbolEnd   = pattern{expr: `^\s*(?:$|[,;|)])`}
	noSymbol    = pattern{expr: `(?i)^\s*(?:none\b|(?:0|no|zero)\s+(?:[a-z]+\s+)?(?:passed|succeeded|completed|success|fail(?:ed|ures?)?|errors?)\s*(?:found\s*)?(?:$|[^\w\s]))`}

	// A success without problems, which is no part of one.
	noProblem = pattern{expr: `(?i)^\s*[:=,-]?\s*(?:no|0|zero|without)\s+(?:[a-z]+\s+){0,2}(?:errors?|failures?|problems?|issues?|warnings?)\b`}
	// A part of what should be: "1 of 3", "50%", a rate.
	partAfter = pattern{expr: `(?i)^\s*(?:rate|ratio)\b|^\s*[:=(]?\s*(\d+)\s*(?:/|(?:out )?of)\s*(\d+)\b|^\s*[:=(]\s*(\d+)(?:\.\d+)?\s*%`}
	// What takes a success back.
	notAfter = pattern{expr: `(?i)^\s*[:=?]?\s*(?:(?:was|is|has|criteria)\s*:?\s*)?(?:not|never|nothing|unsuccessful(?:ly)?|abnormally|partially|✗)\b|^\s*[:=?]\s*(?:n|no)\s*(?:$|[,;|.)])|^\s*\(?(?:with\s+)?(?:exit\s+)?(?:code|status)\s*:?\s*[1-9]`}

	// A success that goes on to count failures, and did not fix them.
	countAfter = pattern{expr: `^(?:\([sS]\))?\s*[:=]?\s*[1-9]`}
	mended     = pattern{expr: `(?i)\b(?:fixed|resolved|corrected|repaired|handled|removed)\b`}
)

// maySayMore reports whether the text after a success, without the space between
// them, may take something of it back. To ask that of each expression is slow.
func maySayMore(next string) bool {
	word := next[:min(wordEnd(next, 0), 20)]
	return word == "" && next != "" || isOneOf(word, []string{
		"no", "not", "never", "none", "nothing", "zero", "without", "nil", "null", "false", "unsuccessful", "unsuccessfully", "abnormally", "partially",
		"was", "is", "has", "criteria", "with", "exit", "code", "status", "rate", "ratio",
	}) || strings.HasSuffix(word, "s") || startsWithAny(strings.TrimLeft(next[len(word):], space), ":=")
}

// isPart reports whether the text after a word says that it holds for a part only.
func isPart(after string) bool {
	m := partAfter.regexp().FindStringSubmatch(after)
	if m == nil {
		return false
	}
	some, _ := strconv.Atoi(m[1] + m[3])
	all := 100
	if m[2] != "" {
		all, _ = strconv.Atoi(m[2])
	}
	return m[1]+m[3] == "" || some < all
}

// isNone reports whether the text after a word says that there is none of it.
// The expression is slow, so most of what it cannot match is told apart first.
func isNone(after string) bool {
	isOther := func(s string) bool { return s == "" || isLetter(s[0]) && strings.IndexByte("zZnNfF", s[0]) < 0 }
	next := strings.TrimLeft(after, space)
	if startsWithAny(next, "[") && strings.Contains(next, "%]") {
		return false // how far it is: "test_a FAILED [  0%]"
	}
	if isOther(next) {
		next = strings.TrimLeft(next[wordEnd(next, 0):], space)
	}
	return !isOther(next) && noneAfter.in(after)
}

func startsWithAny(s, bytes string) bool { return s != "" && strings.IndexByte(bytes, s[0]) >= 0 }
