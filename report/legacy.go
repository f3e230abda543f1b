package report

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The forms that scripts printed before there were reports are read line by
// line. testdata/legacy.txt is the table of what each kind of line says.

// LegacyError is the code of an error that is read from a line of text.
const LegacyError = "LEGACY_ERROR"

// A legacy gathers what the lines of a text say.
type legacy struct {
	report    Report
	found     bool // something was said
	succeeded bool
	failed    bool
	delivered map[string]struct{}
	warnings  faults
}

// parseLegacy reads a text that has no JSON. It is not ok if no line says anything.
func parseLegacy(text []byte, opt Options) (Result, bool) {
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, replacement)
	}
	l := legacy{delivered: map[string]struct{}{}}
	l.report = Report{Confidence: 0.5, Deliverables: []string{}, Metrics: map[string]float64{}, Errors: []Error{}}
	if opt.DefaultConfidence != nil {
		l.report.Confidence = *opt.DefaultConfidence
	}
	for line := range strings.Lines(string(text)) {
		line, part, more := line, "", true
		for more { // a carriage return ends a line too: what follows is printed over it
			part, line, more = strings.Cut(line, "\r")
			l.line(strings.TrimSuffix(part, "\n"))
		}
	}
	if !l.found {
		return Result{}, false
	}
	l.report.Success = l.succeeded && !l.failed
	return Result{Method: Legacy, Report: &l.report, Stated: l.succeeded || l.failed, Warnings: l.warnings.done()}, true
}

// line takes in what one line says.
func (l *legacy) line(line string) {
	start := firstWord(line, class)
	key, separator, value := cutField(line[start:])
	switch {
	case key == "confidence":
		l.sayConfidence(value)
	case (key == "created" || key == "modified" || key == "updated") && separator == ':':
		l.deliver(unquote(value))
	case key == "status":
		value = oneWord.Replace(unquote(value))
		l.say(judge(value, firstWord(value, statusClass), statusClass))
	default:
		said := judge(line, start, class)
		l.say(said)
		if key == "error" && separator == ':' && said == failure && value != "" {
			l.report.Errors = append(l.report.Errors, Error{Code: LegacyError, Message: strings.Clone(value)})
		}
	}
}

// oneWord takes apart what a status is made of, such as not_ok.
var oneWord = strings.NewReplacer("_", " ", "-", " ")

// A statement is what a line says about how it went.
type statement int

const (
	nothing statement = iota
	success
	failure // wins over success
)

func (l *legacy) say(s statement) {
	l.succeeded = l.succeeded || s == success
	l.failed = l.failed || s == failure
	l.found = l.found || s != nothing
}

func (l *legacy) deliver(path string) {
	if _, old := l.delivered[path]; old || path == "" {
		return
	}
	path = strings.Clone(path)
	l.delivered[path] = struct{}{}
	l.report.Deliverables = append(l.report.Deliverables, path)
	l.found = true
}

// confidenceValue is a number as such, in percent, or out of another.
var confidenceValue = pattern{expr: `^([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(%|/\s*(\d+(?:\.\d+)?))?(?:$|[^\w%./]|\.(?:$|\s))`}

func (l *legacy) sayConfidence(value string) {
	m := confidenceValue.regexp().FindStringSubmatch(head(value))
	if m == nil {
		return
	}
	l.found = true
	n, _ := strconv.ParseFloat(m[1], 64) // too large is infinite, which is out of range
	switch {
	case m[2] == "%":
		n /= 100
	case m[3] != "":
		of, _ := strconv.ParseFloat(m[3], 64)
		n /= of
	}
	if math.IsNaN(n) || n < 0 || n > 1 {
		l.warnings.add(OutOfRange, []step{{key: "confidence"}}, notInRange)
		return
	}
	l.report.Confidence = n
}

// cutField splits what begins like "Confidence: 0.9" or "STATUS=ok". The key is
// in lower case.
func cutField(s string) (key string, separator byte, value string) {
	end := strings.IndexAny(s[:min(len(s), 40)], ":=")
	if end < 0 {
		return "", 0, ""
	}
	key = strings.ToLower(strings.TrimRight(s[:end], " \t*_])"))
	key = strings.TrimSuffix(strings.TrimSuffix(key, " score"), " level")
	return key, s[end], strings.TrimSpace(strings.TrimLeft(s[end+1:], "* \t"))
}

// unquote drops the quotes that all of s stands in.
func unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && strings.IndexByte("`\"'", s[0]) >= 0 {
		return s[1 : n-1]
	}
	return s
}

// A list's number, a rule or bullet of hyphens, and a box that nobody ticked.
var (
	itemNumber  = pattern{expr: `^\d{1,3}[.)]\s+`}
	itemHyphens = pattern{expr: `^-+(?:\s|[^\w-])`}
	emptyBox    = pattern{expr: `^\[\s*\]`}
)

// firstWord returns where a line begins, after bullets, symbols and brackets. A
// bracket that says how it went, as in [SUCCESS], is stepped into; another, as
// in [12:30], is passed.
func firstWord(line string, begins func(word string) statement) int {
	i := 0
	for i < len(line) {
		r, size := utf8.DecodeRuneInString(line[i:])
		rest := line[i:]
		switch {
		case unicode.IsSpace(r):
		case '0' <= r && r <= '9':
			number := itemNumber.regexp().FindString(head(rest))
			if number == "" {
				return i
			}
			size = len(number)
		case r == '-' && !itemHyphens.in(head(rest)):
			return i // an option, such as --fail
		case r == '[' && emptyBox.in(head(rest)):
			return len(line)
		case r == '[' || r == '(':
			if end := strings.IndexAny(head(rest), "])"); end > 0 && judge(rest[1:end], 0, begins) == nothing {
				size = end + 1
			}
		case unicode.IsLetter(r), unicode.IsNumber(r), strings.ContainsRune("\"'`{}$/\\._", r):
			return i
		}
		i += size
	}
	return i
}

// judge returns what a line says that begins at start: a word that says how it
// went counts there, or in capitals anywhere, unless it is negated. begins
// classifies the first word.
func judge(line string, start int, begins func(word string) statement) (said statement) {
	first := nothing // what the line begins with
	for i := 0; i < len(line) && said != failure; {
		from := i
		switch c := line[i]; {
		case isLetter(c):
			for i < len(line) && isLetter(line[i]) {
				i++
			}
			word := line[from:i]
			kind := class(word)
			if from == start {
				kind = begins(word)
			}
			if kind == nothing || inCompound(line, from, i) {
				continue
			}
			counts := from == start || isUpper(word)
			if !counts && first != success {
				continue
			}
			says := qualified(kind, line, from, i)
			if from == start {
				first = says
			}
			if counts || says == failure && counted(line, from, i) {
				said = max(said, says)
			}
		case strings.HasPrefix(line[i:], "✅"):
			i += len("✅")
			if !zeroPassed.in(head(line[i:])) {
				said = max(said, success)
			}
		case strings.HasPrefix(line[i:], "❌"):
			i += len("❌")
			if !zeroFailed.in(head(line[i:])) {
				said = max(said, failure)
			}
		default:
			i++
		}
	}
	return said
}

// class is what a word says about how it went.
func class(word string) statement {
	if len(word) < len("fail") || len(word) > len("unsuccessfully") {
		return nothing
	}
	switch strings.ToLower(word) {
	case "success", "successful", "successfully", "succeeded", "passed", "completed":
		return success
	case "fail", "failed", "failure", "failures", "error", "errors", "unsuccessful", "unsuccessfully":
		return failure
	}
	return nothing
}

// statusClass is what the first word of a status says.
func statusClass(word string) statement {
	switch strings.ToLower(word) {
	case "ok", "okay", "pass", "done", "complete", "true":
		return success
	case "failing", "errored", "false", "incomplete", "aborted", "canceled", "cancelled", "crashed", "timeout", "broken", "not":
		return failure
	}
	return class(word)
}

// How a word that says how it went is made void by the text after it. What the
// text before it does is in before.go.
var (
	noneAfter = pattern{expr: `(?i)^(?:\(s\))?(?:\s+[a-z]+\s*[:=]|\s*[:=]?)\s*\(?\s*(?:0(?:\.0+)?\s*%?|0\s*/\s*\d+|zero|none|no|nil|null|n/a|\[\s*\]|\{\s*\})\s*\)?\s*(?:$|[,;|)]|\.(?:\s|$))`}
	// "Error: …" is a message, and one only if nothing else is said of it.
	noError    = pattern{expr: `(?i)^\s*[:=]\s*(?:0|zero|none|no|nil|null|n/a|false|\[\s*\]|\{\s*\})\s*\.?\s*$`}
	zeroAfter  = pattern{expr: `^(?:\([sS]\))?\s*[:=]\s*0\s`}
	falseAfter = pattern{expr: `(?i)^\s*[:=]\s*["']?(?:false|no|fail(?:ed|ure)?|error)["']?\s*(?:$|[,;|.)])`}
	freeAfter  = pattern{expr: `(?i)^\s+free\b`}

	zeroPassed = pattern{expr: `(?i)^\s*(?::?\s*0\s*(?:$|[,;|)])|(?:0|no|zero)\s+(?:[a-z]+\s+)?(?:passed|succeeded|completed|success))`}
	zeroFailed = pattern{expr: `(?i)^\s*(?::?\s*0\s*(?:$|[,;|)])|(?:0|no|zero)\s+(?:[a-z]+\s+)?(?:fail|error))`}

	// A success that goes on to count failures, and did not fix them.
	countAfter = pattern{expr: `^(?:\([sS]\))?\s*[:=]?\s*[1-9]`}
	mended     = pattern{expr: `(?i)\b(?:fixed|resolved|corrected|repaired|handled|removed)\b`}
)

// qualified is what a word of a kind says, given what stands around it.
func qualified(kind statement, line string, from, to int) statement {
	before, word, after := tail(line[:from]), line[from:to], head(line[to:])
	next := strings.TrimLeft(after, space)
	valued := startsWithAny(next, ":=")
	if kind == success {
		switch {
		case isNot(before), valued && falseAfter.in(after):
			return failure
		case isNo(before), zeroThings(before) && !isValue(before), isNone(after):
			return nothing
		}
		return success
	}
	zero := zeroOutcome
	if endsIn(word, "s") || startsWithAny(after, "(") {
		zero = zeroThings
	}
	isError := strings.EqualFold(word, "error")
	switch {
	case isNo(before), zero(before), startsWithAny(next, "fF") && freeAfter.in(after):
		return nothing
	case isError && startsWithAny(strings.TrimLeft(after, " \t"), ":"):
		if noError.in(after) {
			return nothing
		}
	case isNone(after), !isError && zeroAfter.in(after), isError && valued && falseAfter.in(after):
		return nothing
	}
	return failure
}

// isNone reports whether the text after a word says that there is none of it.
// The expression is slow, so what it cannot match is told apart first.
func isNone(after string) bool {
	next := after
	if len(next) >= 3 && strings.EqualFold(next[:3], "(s)") {
		next = next[3:]
	}
	next = strings.TrimLeft(next, space)
	if next != "" && isLetter(next[0]) && strings.IndexByte("zZnN", next[0]) < 0 {
		next = strings.TrimLeft(strings.TrimLeftFunc(next, func(r rune) bool { return r < utf8.RuneSelf && isLetter(byte(r)) }), space)
		return startsWithAny(next, ":=") && noneAfter.in(after)
	}
	return startsWithAny(next, "0zZnN[{(:=") && noneAfter.in(after)
}

func startsWithAny(s, bytes string) bool { return s != "" && strings.IndexByte(bytes, s[0]) >= 0 }

// counted reports whether failures are counted here, as in "passed 3, failed 1".
func counted(line string, from, to int) bool {
	before := tail(line[:from])
	return (isCount(before) || countAfter.in(head(line[to:]))) && !mended.in(before)
}

// inCompound reports whether a word is part of something longer: a path, a
// variable, a name with hyphens.
func inCompound(line string, from, to int) bool {
	last, n := utf8.DecodeLastRuneInString(line[:from])
	beforeLast, _ := utf8.DecodeLastRuneInString(line[:from-n])
	next, n := utf8.DecodeRuneInString(line[to:])
	afterNext, _ := utf8.DecodeRuneInString(line[to+n:])
	return isWord(last) || last == '$' || last == '{' && beforeLast == '$' || isJoint(last) && isWord(beforeLast) ||
		isWord(next) || isJoint(next) && isWord(afterNext)
}

func isWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func isJoint(r rune) bool { return r == '-' || r == '.' || r == '/' || r == '\\' || r == '@' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isUpper(word string) bool { return strings.ToUpper(word) == word }

// A pattern is compiled when it is first needed: most programs never need one.
type pattern struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

func (p *pattern) regexp() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.expr) })
	return p.re
}

func (p *pattern) in(s string) bool { return p.regexp().MatchString(s) }

// near is as much of a line as can change what a word in it says.
const near = 60

func head(s string) string { return s[:min(len(s), near)] }
func tail(s string) string { return s[max(0, len(s)-near):] }
