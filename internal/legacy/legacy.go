// Package legacy answers one question: what do lines of plain text say about how a script went?
//
// Scripts printed such lines before there were reports. The rules are frozen:
// testdata/*.txt are the tables of what each kind of line says.
package legacy

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Result is what the lines of a text say.
type Result struct {
	Succeeded, Failed bool
	Confidence        *float64 // the last one stated
	OutOfRange        bool     // a confidence was not between 0 and 1
	Deliverables      []string
	Errors            []string // at most MaxErrors
	More              int      // errors than are kept
}

// MaxErrors bounds what a text of nothing but errors costs.
const MaxErrors = 1000

// Parse reads a text, which must be valid UTF-8. It is not ok if no line says anything.
func Parse(text string) (r Result, ok bool) {
	room := deliverables(text)
	l := legacy{Result: Result{Deliverables: make([]string, 0, room)}, delivered: make(map[string]struct{}, room)}
	for line := range strings.Lines(text) {
		// A carriage return ends a line too: what follows is printed over it.
		for part := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\r") {
			l.line(part)
		}
	}
	if l.heading {
		l.say(failure)
	}
	own(l.Deliverables)
	return l.Result, l.found
}

// A legacy gathers what the lines of a text say.
type legacy struct {
	Result
	found     bool // something was said
	heading   bool // the last line was one of failures: what is below it decides
	delivered map[string]struct{}
}

// deliverables guesses how many there are: to grow as they come costs more than
// to read them.
func deliverables(text string) (n int) {
	for _, word := range []string{"reated:", "odified:", "pdated:"} {
		n += strings.Count(text, word)
	}
	return min(n, 1<<16) // of a text that only looks so
}

// line takes in what one line says.
func (l *legacy) line(line string) {
	line = plain(line)
	if l.heading && strings.TrimSpace(line) != "" {
		l.heading = false
		if noneBelow.in(head(line)) {
			return
		}
		l.say(failure)
	}
	if inner, ok := inBrackets(line); ok {
		line = inner
	}
	start := inLine.firstWord(line)
	if said, rest, ok := cutBracket(line, start); ok {
		l.say(said)
		line, start = rest, inLine.firstWord(rest)
	}
	f := cutField(line, start)
	switch f.key {
	case "confidence":
		l.say(inLine.judge(line, nowhere))
		l.sayConfidence(f.value)
	case "created", "modified", "updated":
		l.say(inLine.judge(line[:start], nowhere))
		if path := unquote(f.value); !noPath.in(head(path)) {
			l.deliver(path)
		}
	case "status":
		l.say(inLine.judge(line[:start], nowhere))
		value := oneWord.Replace(unquote(f.value))
		l.say(inStatus.judge(value, inStatus.firstWord(value)))
	default:
		said := inLine.judge(line, start)
		if said == failure && len(line) < near && failureHeading.in(line) {
			l.heading = true
			return
		}
		l.say(said)
		if f.key == "error" && said == failure && f.value != "" {
			l.err(f.value)
		}
	}
}

// What an echo that knows no escapes, or no options, leaves in a line.
var (
	writtenColor = pattern{expr: `(?:\\033|\\e|\\x1[bB]|\\u001[bB]|\^\[)\[[0-9;]*[A-Za-z]`}
	writtenSpace = pattern{expr: `^(?:-[enE]+ )?(?:\s|\\[nt])*|(?:\\[nrt])+\s*$`}
)

// plain is a line without colours that are written out, as in \033[31m, without
// \n at either end, and without the -e that one echo takes and another prints.
func plain(line string) string {
	if strings.Contains(line, "[") && (strings.Contains(line, `\`) || strings.Contains(line, "^[")) {
		line = writtenColor.regexp().ReplaceAllString(line, "")
	}
	if strings.HasSuffix(line, `\n`) || strings.HasPrefix(line, `\`) || strings.HasPrefix(line, "-e ") || strings.HasPrefix(line, "-n ") {
		line = writtenSpace.regexp().ReplaceAllString(line, "")
	}
	return line
}

// A heading of failures, and what stands below it if there are none.
var (
	failureHeading = pattern{expr: `(?i)^\s*(?:#+\s+(?:errors?|failures?|failed(?: \w+)?)\s*:?|\**(?:errors|failures|failed \w+s)\**\s*:\**)\s*$`}
	noneBelow      = pattern{expr: `(?i)^[\s\-*•(\[]*(?:none|nothing|n/a|0|-|no (?:errors?|failures?))(?: (?:found|reported))?[)\].!]*\s*$`}
)

// inBrackets returns what is in the brackets that all of a line stands in.
func inBrackets(line string) (inner string, ok bool) {
	line = strings.TrimSpace(line)
	if n := len(line); n >= 2 && (line[0] == '[' && line[n-1] == ']' || line[0] == '(' && line[n-1] == ')') {
		inner = line[1 : n-1]
		return inner, !strings.ContainsAny(inner, "[]()")
	}
	return "", false
}

// cutBracket cuts what says how it went, as [SUCCESS] does, off the field that
// follows it. The line begins at start.
func cutBracket(line string, start int) (said statement, rest string, ok bool) {
	if start == 0 || start == len(line) || line[start-1] != '[' && line[start-1] != '(' {
		return nothing, "", false
	}
	end := strings.IndexAny(head(line[start:]), "])")
	if end < 0 {
		return nothing, "", false
	}
	rest = line[start+end+1:]
	if cutField(rest, inLine.firstWord(rest)).key == "" {
		return nothing, "", false
	}
	return inLine.judge(line[:start+end], start), rest, true
}

// oneWord takes apart what a status is made of, such as not_ok.
var oneWord = strings.NewReplacer("_", " ", "-", " ", "/", " ")

// A statement is what a line says about how it went.
type statement int

const (
	nothing statement = iota
	success
	failure // wins over success
)

func (l *legacy) say(s statement) {
	l.Succeeded = l.Succeeded || s == success
	l.Failed = l.Failed || s == failure
	l.found = l.found || s != nothing
}

func (l *legacy) deliver(path string) {
	if _, old := l.delivered[path]; old || path == "" {
		return
	}
	l.delivered[path] = struct{}{}
	l.Deliverables = append(l.Deliverables, path)
	l.found = true
}

// noPath is what stands in place of a path if there is none, or several.
var noPath = pattern{expr: `(?i)^\(?(?:none|nothing|n/a|nil|null|-+|—|\d+(?: [a-z]+)?)\)?$`}

// err takes in an error. A text of nothing else has millions: some are enough.
func (l *legacy) err(message string) {
	if len(l.Errors) < MaxErrors {
		l.Errors = append(l.Errors, strings.Clone(message))
		return
	}
	l.More++
}

// own makes copies of strings, which are parts of the text, in one piece.
func own(parts []string) {
	all := strings.Join(parts, "")
	for i, part := range parts {
		parts[i], all = all[:len(part)], all[len(part):]
	}
}

// confidenceValue is a number as such, in percent, or out of another.
var confidenceValue = pattern{expr: `^["'\x60\[(~≈*]*([-+]?(?:\d+(?:\.\d*|,\d+)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(%|percent\b|(?:/|(?:out )?of\b)\s*(\d+(?:\.\d+)?))?(?:$|[^\w%./]|\.(?:$|\s))`}

func (l *legacy) sayConfidence(value string) {
	m := confidenceValue.regexp().FindStringSubmatch(head(value))
	if m == nil {
		return
	}
	l.found = true
	number := strings.Replace(m[1], ",", ".", 1)
	n, _ := strconv.ParseFloat(number, 64) // too large is infinite, which is out of range
	switch {
	case m[3] != "":
		of, _ := strconv.ParseFloat(m[3], 64)
		n /= of
	case m[2] != "":
		n /= 100
	}
	if m[2] != "" { // 0.9 / 100 is not quite 0.009
		n, _ = strconv.ParseFloat(strconv.FormatFloat(n, 'g', 15, 64), 64)
	}
	if math.IsNaN(n) || n < 0 || n > 1 {
		l.OutOfRange = true
		return
	}
	l.Confidence = &n
}

// A field is what a line such as "Confidence: 0.9" or "STATUS=ok" says.
type field struct {
	key   string // in lower case; "" if the line is none that we know
	value string
}

// cutField reads the field that a line has at start.
func cutField(line string, start int) field {
	s := line[start:]
	end := strings.IndexAny(s[:min(len(s), 40)], ":=")
	if end < 0 {
		return field{}
	}
	key := fieldKey(strings.TrimRight(s[:end], " \t*_])"))
	switch key {
	case "":
		return field{}
	case "created", "modified", "updated", "error":
		if s[end] != ':' {
			return field{}
		}
	}
	value := strings.TrimSpace(s[end+1:])
	if before := line[:start]; strings.HasSuffix(before, "*") { // **Created:** a, or **Created: a**
		emphasis := before[len(strings.TrimRight(before, "*")):]
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(value, emphasis), emphasis))
	}
	return field{key, value}
}

// fieldKey is the key that a name means, whatever its case.
func fieldKey(name string) string {
	for _, key := range []string{"confidence", "created", "modified", "updated", "status", "error"} {
		if strings.EqualFold(name, key) {
			return key
		}
	}
	if strings.EqualFold(name, "confidence score") || strings.EqualFold(name, "confidence level") {
		return "confidence"
	}
	return ""
}

// unquote drops the quotes, or the emphasis, that all of s stands in.
func unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && strings.IndexByte("`\"'", s[0]) >= 0 && strings.IndexByte(s[1:n-1], s[0]) < 0 {
		return s[1 : n-1]
	}
	if n := len(s); n > 4 && strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**") {
		return s[2 : n-2]
	}
	return s
}

// A list's number, a rule or bullet of hyphens, and a box that nobody ticked.
var (
	itemNumber  = pattern{expr: `^(?:\d{1,3}[.)]\s+|\d\x{fe0f}?\x{20e3})`}
	itemHyphens = pattern{expr: `^-+(?:\s|[^\w-])`}
	emptyBox    = pattern{expr: `^\[\s*\]`}
)

// firstWord returns where a line begins, after bullets, symbols and brackets. A
// bracket that says how it went, as in [SUCCESS], is stepped into; another, as
// in [12:30], is passed.
func (r reading) firstWord(line string) int {
	i := 0
	for i < len(line) {
		c, size := utf8.DecodeRuneInString(line[i:])
		rest := line[i:]
		switch {
		case unicode.IsSpace(c):
		case '0' <= c && c <= '9':
			number := itemNumber.regexp().FindString(head(rest))
			if number == "" {
				return i
			}
			size = len(number)
		case c == '-' && !itemHyphens.in(head(rest)):
			return i // an option, such as --fail
		case c == '[' && emptyBox.in(head(rest)):
			return len(line)
		case c == '[' || c == '(':
			if end := strings.IndexAny(head(rest), "])"); end > 0 && r.judge(rest[1:end], 0) == nothing {
				size = end + 1
			}
		case c == 'ℹ' || unicode.Is(unicode.No, c): // letters and numbers by name only
		case unicode.IsLetter(c), unicode.IsNumber(c), strings.ContainsRune("\"'`{}$/\\._", c):
			return i
		}
		i += size
	}
	return i
}

// A reading says which words of a text count.
type reading struct {
	begins   func(word string) statement // what the first word says
	anywhere bool                        // a failure counts wherever it stands, and not only in capitals
}

var (
	inLine   = reading{begins: class}
	inStatus = reading{begins: statusClass, anywhere: true}
)

// nowhere is the start of a text of which no word is the first.
const nowhere = -1

// judge returns what a text says that begins at start: a word that says how it
// went counts there, or in capitals anywhere, unless it is negated.
func (r reading) judge(text string, start int) (said statement) {
	began := false // with a word that says how it went, or that it did not
	for i := 0; i < len(text) && said != failure; {
		from := i
		switch c := text[i]; {
		case isLetter(c):
			i = wordEnd(text, i)
			word := text[from:i]
			if from == start && strings.EqualFold(word, "not") {
				next := i + len(text[i:]) - len(strings.TrimLeft(text[i:], space))
				if r.begins(text[next:wordEnd(text, next)]) != nothing {
					start = next
					continue
				}
			}
			kind := class(word)
			if from == start {
				kind = r.begins(word)
			}
			if kind == nothing || inCompound(kind, text, from, i) {
				continue
			}
			began = began || from == start
			counts := from == start || isUpper(word) || r.anywhere && kind == failure
			if !counts && !began {
				continue
			}
			whole := text
			if from == start && r.anywhere {
				whole = text[:i] // "failed (0 of 3)" is a status of failed
			}
			says := qualified(kind, whole, from, i)
			if counts || says == failure && counted(text, from, i) {
				said = max(said, says)
			}
		case strings.HasPrefix(text[i:], "✅"):
			i += len("✅")
			said = max(said, symbol(success, text, from, i))
		case strings.HasPrefix(text[i:], "❌"):
			i += len("❌")
			said = max(said, symbol(failure, text, from, i))
		default:
			i++
		}
	}
	return said
}

// symbol is what a symbol of a kind says: nothing if there is none of what it
// stands for.
func symbol(kind statement, text string, from, to int) statement {
	before, after := tail(text[:from]), head(text[to:])
	none := &noFailure
	if kind == success {
		none = &noSuccess
	}
	if m := symbolCount.regexp().FindStringSubmatch(after); m != nil && strings.Trim(m[1], "0") == "" || none.in(after) {
		return nothing
	}
	next := to + len(after) - len(strings.TrimLeft(after, " \t*:"))
	end := wordEnd(text, next)
	switch {
	case kind == failure && noneBefore.in(before) && strings.TrimLeft(after, space+",;|)") == "":
		return nothing
	case symbolCell.in(after) && !strings.ContainsFunc(before, isWord):
		return nothing
	case class(text[next:end]) == kind && qualified(kind, text, next, end) == nothing:
		return nothing
	}
	return kind
}

func wordEnd(text string, i int) int {
	for i < len(text) && isLetter(text[i]) {
		i++
	}
	return i
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

// qualified is what a word of a kind says, given what stands around it.
func qualified(kind statement, line string, from, to int) statement {
	before, word, after := tail(line[:from]), line[from:to], head(line[to:])
	next := strings.TrimLeft(after, space)
	valued := startsWithAny(next, ":=")
	// In "PASSED: 0 FAILED: 3" each has a count of its own.
	counts := valued && startsWithAny(strings.TrimLeft(next[1:], space), digits)
	if kind == success {
		switch {
		case isNot(before), valued && falseAfter.in(after):
			return failure
		case isDoubted(before), !counts && isZero(before, false) && !isValue(before) && !ofProblems(before):
			return nothing
		case maySayMore(next) && (noneOfSuccess.in(after) || notAfter.in(after) || isPart(after)):
			return nothing
		}
		return success
	}
	isError := strings.EqualFold(word, "error")
	things := endsIn(word, "s") || startsWithAny(after, "(")
	switch {
	case isNo(before, things), !counts && isZero(before, things), freeAfter.in(after):
		return nothing
	case isError && startsWithAny(strings.TrimLeft(after, " \t"), ":"):
		if noError.in(after) {
			return nothing
		}
	case isNone(before, word, after), isError && valued && falseAfter.in(after):
		return nothing
	}
	return failure
}

// counted reports whether failures are counted here, as in "passed 3, failed 1".
func counted(line string, from, to int) bool {
	before := tail(line[:from])
	return (isCount(before) || strings.HasSuffix(before, "(") || countAfter.in(head(line[to:]))) && !mended.in(before)
}

// inCompound reports whether a word is part of something longer: a path, a
// variable, a name with hyphens. A failure in capitals is one in ERROR-42 too.
func inCompound(kind statement, line string, from, to int) bool {
	last, n := utf8.DecodeLastRuneInString(line[:from])
	beforeLast, _ := utf8.DecodeLastRuneInString(line[:from-n])
	next, n := utf8.DecodeRuneInString(line[to:])
	afterNext, _ := utf8.DecodeRuneInString(line[to+n:])
	if isWord(last) || last == '$' || last == '{' && beforeLast == '$' || isWord(next) {
		return true
	}
	joined := isJoint(last) && isWord(beforeLast) || isJoint(next) && isWord(afterNext)
	return joined && (kind != failure || !isUpper(line[from:to]) || isName(line, from, to))
}

// isName reports whether what a word is part of is a file, an option or the like.
func isName(line string, from, to int) bool {
	before, after := tail(line[:from]), head(line[to:])
	before = before[strings.LastIndexAny(before, space)+1:]
	if end := strings.IndexAny(after, space); end >= 0 {
		after = after[:end]
	}
	return strings.ToUpper(before) != before || strings.ContainsAny(before+after, `/\`) || extension.in(line[from:to]+after)
}

var extension = pattern{expr: `\w\.[a-z0-9]`}

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
