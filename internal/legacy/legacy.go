// Package legacy answers one question: what do lines of plain text say about how a script went?
//
// Scripts printed such lines before there were reports. rules.txt has the rules;
// the tables in testdata/*.txt say what each kind of line means.
package legacy

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Result is what the lines of a text say.
type Result struct {
	Succeeded, Failed bool
	Unclear           string   // the line that leaves the outcome unclear; then neither of these counts
	Confidence        *float64 // the last confidence that a line states
	OutOfRange        bool     // a confidence was not between 0 and 1
	Duration          *float64 // in milliseconds, the last duration that a line states
	Deliverables      []string
	Errors            []string // at most MaxErrors
	More              int      // how many further errors there were
}

// MaxErrors limits the cost of a text that contains nothing but errors.
const MaxErrors = 1000

// Parse reads a text, which must be valid UTF-8. It returns false if no line says anything.
func Parse(text string) (r Result, ok bool) {
	l := reader{rules: theRules(), says: Result{Deliverables: []string{}}, delivered: map[string]struct{}{}}
	for line := range strings.Lines(text) {
		// A carriage return ends a line too: the text after it is printed over the line.
		for part := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\r") {
			l.line(part)
		}
	}
	l.say(l.row)
	if l.heading == errorsBelow {
		l.say(failure)
	}
	l.conclude()
	return l.says, l.found
}

// A reader collects what the lines of a text say.
type reader struct {
	says      Result
	rules     *ruleSet
	found     bool // some line said something
	heading   heading
	quoting   string    // the name of the expression that matches the lines of a quotation; "" outside of one
	trouble   string    // the last line in the form of an error, unless a summary has cleared it
	since     bool      // a success was reported after it
	doubt     string    // the first line after the last success that casts doubt on the success
	step      bool      // the last success was that of a step: any other line after it casts doubt on it
	row       statement // the statement of the last line, if that was a row of a table; it does not count if the row is the header
	delivered map[string]struct{}
	known     map[string]statement // the statements of lines as letters; logs have few kinds of lines
}

// A heading announces failures, as in "Errors:". The line below the heading decides.
type heading int

const (
	noHeading   heading = iota
	errorsBelow         // "Errors:" is a failure if nothing is below it
	errorsTitle         // "## Errors" alone says nothing
)

// conclude combines the statements of all lines. An error after the last success is a failure. If a
// success follows an error, or a doubt follows a success, the outcome is unclear: nobody can tell
// what the success is about.
func (l *reader) conclude() {
	switch {
	case l.says.Failed:
	case l.trouble != "" && !l.since:
		l.says.Failed, l.found = true, true
		if len(l.says.Errors) == 0 {
			l.err(l.trouble)
		}
	case l.trouble != "":
		l.says.Unclear = strings.Clone(l.trouble)
	case l.says.Succeeded && l.doubt != "":
		l.says.Unclear = strings.Clone(l.doubt)
	}
}

func (l *reader) line(line string) {
	if l.isQuoted(line) {
		return
	}
	if l.isTitle(line) {
		l.title(line)
		return
	}
	if l.row != nothing && strings.TrimSpace(line) != "" {
		if !l.rules.by["line-rule"].MatchString(line) {
			l.say(l.row)
		}
		l.row = nothing
	}
	if l.heading != noHeading && strings.TrimSpace(line) != "" {
		l.heading = noHeading
		if l.rules.by["line-none"].MatchString(strings.ToLower(plain(line))) {
			return
		}
		l.say(failure)
	}
	if path, ok := delivery(line); ok {
		l.deliver(unquote(path))
		return
	}
	if !l.rules.maySay(line) {
		l.other(line)
		return
	}
	raw := line
	line = plain(line)
	if l.rules.by["line-commit"].MatchString(line) {
		return
	}
	if m := l.rules.by["line-dots"].FindStringSubmatch(line); m != nil {
		line = m[1]
	}
	if m := l.rules.by["line-bracket"].FindStringSubmatch(line); m != nil { // the whole line is in brackets
		line = m[1][1 : len(m[1])-1]
	}
	r := l.rules.read(line)
	if r.inBracket() {
		end := r.start(line) + strings.IndexAny(line[r.start(line):], "])")
		if rest := line[end+1:]; l.field(rest, l.rules.read(rest)).key != "" {
			l.say(l.classify(l.rules.read(line[:end]).string(true), false))
			l.line(rest)
			return
		}
	}
	switch f := l.field(line, r); f.key {
	case "confidence":
		l.say(l.classify(r.string(false), false))
		l.sayConfidence(f.value)
	case "duration", "execution time":
		l.say(l.classify(l.rules.read(line[:r.start(line)]).string(false), false))
		l.sayDuration(f.value)
	case "created", "modified", "updated", "generated", "file":
		l.say(l.classify(l.rules.read(line[:r.start(line)]).string(false), false))
		l.deliver(unquote(f.value))
	case "status":
		l.say(l.classify(l.rules.read(line[:r.start(line)]).string(false), false))
		l.say(l.classify(l.rules.read(oneWord.Replace(unquote(f.value))).string(true), true))
	default:
		code := l.rules.by["line-code"].MatchString(line)
		said := l.classify(r.string(!code), false)
		if said == failure && l.rules.by["line-heading"].MatchString(strings.ToLower(line)) {
			l.heading = errorsBelow
			return
		}
		if f.key == "" && strings.HasPrefix(line, "|") {
			l.row = said
			return
		}
		if f.key == "" || l.rules.by["shape-weak"].MatchString(raw) {
			said = l.sayShape(raw, said)
		} else if code && (said == nothing || said == doubt) {
			l.other(raw)
		}
		l.say(said)
		if said == success {
			l.step = !l.rules.by["line-whole"].MatchString(strings.ToLower(line))
		}
		if f.key == "error" && said == failure && f.value != "" {
			l.err(f.value)
		}
	}
}

// isQuoted reports whether a line is part of a commit, of a diff, or of the output of a test.
func (l *reader) isQuoted(line string) bool {
	if line != "" && (line[0] == ' ' || line[0] == 'c') && l.rules.by["line-quotes"].MatchString(line) {
		l.quoting = "line-quoted"
		return true
	}
	if l.quoting != "" && l.rules.by[l.quoting].MatchString(line) {
		return true
	}
	l.quoting = ""
	if strings.HasPrefix(line, "@@") && l.rules.by["line-diff"].MatchString(line) {
		l.quoting = "line-hunk"
	}
	return false
}

// isTitle reports whether a line is a heading such as === Error tests ===, which says nothing.
func (l *reader) isTitle(line string) bool {
	begin := strings.TrimLeft(line, " \t")
	if begin == "" || strings.IndexByte("=-#*\\^\xe2", begin[0]) < 0 {
		return false
	}
	return l.rules.by["line-title"].MatchString(plain(begin))
}

// title reads a heading. Only the lines below it can say something.
func (l *reader) title(line string) {
	if shape := l.rules.shape(withoutColors(line)); shape != trouble || strings.TrimLeft(line, " \t")[0] != '#' {
		l.say(l.sayShape(line, nothing))
	}
	line = strings.ToLower(plain(line))
	if !strings.ContainsFunc(line, unicode.IsLetter) {
		return // a rule below a heading
	}
	if l.heading == errorsBelow {
		l.say(failure)
	}
	l.heading = noHeading
	if l.rules.by["line-heading"].MatchString(line) {
		l.heading = errorsTitle
	}
}

// delivery returns the path in a line that plainly names a deliverable. A text may have many such
// lines.
func delivery(line string) (path string, ok bool) {
	for _, key := range [...]string{"Created: ", "Modified: ", "Updated: ", "Generated: ", "File: "} {
		if path, ok := strings.CutPrefix(line, key); ok {
			path = strings.TrimSpace(path)
			return path, !strings.ContainsAny(path, `\*^`)
		}
	}
	return "", false
}

func (l *reader) classify(letters string, status bool) statement {
	if status {
		return l.rules.classify(letters, status)
	}
	said, ok := l.known[letters]
	if !ok {
		said = l.rules.classify(letters, status)
		if l.known == nil || len(l.known) == 10_000 {
			l.known = map[string]statement{}
		}
		l.known[letters] = said
	}
	return said
}

// plain returns a line without colors that are written out, as in \033[31m, and without \n at
// either end. It also removes the -e that some versions of echo print.
func plain(line string) string {
	line = withoutColors(line)
	line = strings.TrimLeft(line, " \t")
	for _, option := range []string{"-e ", "-n ", "-ne ", "-en "} {
		line = strings.TrimPrefix(line, option)
	}
	for line != strings.TrimPrefix(line, `\n`) {
		line = strings.TrimPrefix(line, `\n`)
	}
	return strings.TrimSuffix(line, `\n`)
}

// withoutColors removes colors that are written out, as in \033[31m.
func withoutColors(line string) string {
	if strings.Contains(line, "[") && (strings.Contains(line, `\`) || strings.Contains(line, "^[")) {
		line = theRules().by["line-colour"].ReplaceAllString(line, "")
	}
	return line
}

// inBracket reports whether the first word, which says how the script went, is in brackets, as in
// [SUCCESS] Created: a.
func (r *reading) inBracket() bool {
	closes := func(c byte) bool { return c == ']' || c == ')' }
	return r.begin > 0 && strings.IndexByte("[(", r.letters[r.begin-1]) >= 0 && slices.ContainsFunc(r.letters[r.begin:], closes)
}

// oneWord splits a status such as not_ok into words.
var oneWord = strings.NewReplacer("_", " ", "-", " ", "/", "|")

// sayShape notes what the shape of a line says, besides its words. It returns the statement that
// still counts.
func (l *reader) sayShape(line string, said statement) statement {
	line = withoutColors(line)
	shape := l.rules.shape(line)
	switch {
	case shape == failure:
		if len(l.says.Errors) == 0 {
			l.err(strings.TrimSpace(line))
		}
		return failure
	case shape == harmless && said != success && said != failure:
	case said == partial:
		l.doubtful(line)
	case shape == cleared && said != failure:
		l.trouble, l.doubt, l.since, l.step = "", "", false, true
	case shape == trouble && (said == nothing || said == doubt || said == failure && l.rules.by["shape-weak"].MatchString(line)):
		l.trouble, l.since = strings.TrimSpace(line), false
		return nothing
	case said == doubt, shape == doubt && said == nothing:
		l.doubtful(line)
	case said == nothing:
		l.other(line)
	}
	return said
}

// other reads a line that says nothing by itself. After a step that succeeded, such a line casts
// doubt on the success, unless the line is a detail.
func (l *reader) other(line string) {
	if l.step && l.doubt == "" {
		if line = withoutColors(line); !l.rules.by["line-detail"].MatchString(line) {
			l.doubtful(line)
		}
	}
}

// doubtful notes a line that casts doubt on the successes before it.
func (l *reader) doubtful(line string) {
	if l.doubt == "" {
		l.doubt = strings.TrimSpace(line)
	}
}

func (l *reader) say(s statement) {
	if s == success {
		l.since, l.doubt, l.step = true, "", false
	}
	l.says.Succeeded = l.says.Succeeded || s == success
	l.says.Failed = l.says.Failed || s == failure
	l.found = l.found || s == success || s == failure
}

func (l *reader) deliver(path string) {
	if _, old := l.delivered[path]; old || path == "" || l.noPath(path) {
		return
	}
	l.delivered[path] = struct{}{}
	l.says.Deliverables = append(l.says.Deliverables, strings.Clone(path))
	l.found = true
}

// noPath reports whether a value is a count or a time, as in "Generated: 3 files".
func (l *reader) noPath(value string) bool {
	begins := strings.IndexByte("(nN-0123456789\xe2", value[0]) >= 0 ||
		strings.IndexByte("MTWFSmtwfs", value[0]) >= 0 && strings.Contains(value, ":")
	return begins && len(value) < 60 && l.rules.by["value-no-path"].MatchString(strings.ToLower(value)) // the expression is slow
}

// err adds an error. A text may have millions, so it keeps only some.
func (l *reader) err(message string) {
	if len(l.says.Errors) < MaxErrors {
		l.says.Errors = append(l.says.Errors, strings.Clone(message))
		return
	}
	l.says.More++
}

// sayConfidence reads a confidence: 0.92, 92%, 9/10.
func (l *reader) sayConfidence(value string) {
	m := l.rules.by["value-confidence"].FindStringSubmatch(value[:min(len(value), 60)])
	if m == nil {
		return
	}
	l.found = true
	n, _ := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64) // a number that is too large becomes infinite, which is out of range
	switch {
	case m[8] != "":
		of, _ := strconv.ParseFloat(m[8], 64)
		n /= of
	case m[5] != "":
		n /= 100
	}
	if math.IsNaN(n) || n < 0 || n > 1 {
		l.says.OutOfRange = true
		return
	}
	n, _ = strconv.ParseFloat(strconv.FormatFloat(n, 'f', 9, 64), 64) // 0.9 / 100 is not quite 0.009
	l.says.Confidence = &n
}

// sayDuration reads a duration: 120 ms, 1.5s, 2 minutes.
func (l *reader) sayDuration(value string) {
	m := l.rules.by["value-duration"].FindStringSubmatch(strings.ToLower(value[:min(len(value), 60)]))
	if m == nil {
		return
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return
	}
	switch {
	case strings.HasPrefix(m[3], "s"):
		n *= 1000
	case m[3] == "m" || strings.HasPrefix(m[3], "min"):
		n *= 60_000
	}
	l.says.Duration, l.found = &n, true
}

// A field is the key and the value of a line such as "Confidence: 0.9" or "STATUS=ok".
type field struct {
	key   string // in lowercase; "" if the line has no known key
	value string
}

func (l *reader) field(line string, r *reading) field {
	start := r.start(line)
	m := l.rules.by["line-field"].FindStringSubmatchIndex(strings.ToLower(line[start:min(len(line), start+40)]))
	if m == nil {
		return field{}
	}
	key, sign := strings.ToLower(line[start+m[2]:start+m[3]]), line[start+m[1]-1]
	if key != "confidence" && key != "status" && sign != ':' {
		return field{}
	}
	value, opened := strings.CutPrefix(strings.TrimSpace(line[start+m[1]:]), "**") // **Created:** a, **Created: a**, Created: **a**
	if opened || strings.HasSuffix(line[:start], "**") {
		value = strings.TrimSuffix(value, "**")
	}
	return field{key: key, value: strings.TrimSpace(value)}
}

// unquote removes the quotes around s, if they enclose all of s.
func unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && strings.IndexByte("`\"'", s[0]) >= 0 && strings.IndexByte(s[1:n-1], s[0]) < 0 {
		return s[1 : n-1]
	}
	return s
}
