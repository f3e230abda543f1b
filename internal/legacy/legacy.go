// Package legacy answers one question: what do lines of plain text say about how a script went?
//
// Scripts printed such lines before there were reports. The rules are frozen:
// testdata/*.txt are the tables of what each kind of line says.
package legacy

import (
	"math"
	"slices"
	"strconv"
	"strings"
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
	l := reader{rules: theRules(), Result: Result{Deliverables: make([]string, 0, room)}, delivered: make(map[string]struct{}, room)}
	for line := range strings.Lines(text) {
		// A carriage return ends a line too: what follows is printed over it.
		for part := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\r") {
			l.line(part)
		}
	}
	l.say(l.row)
	if l.heading && (l.Succeeded || !l.title) {
		l.say(failure)
	}
	own(l.Deliverables)
	return l.Result, l.found
}

// A reader gathers what the lines of a text say.
type reader struct {
	Result
	rules     *ruleSet
	found     bool      // something was said
	heading   bool      // the last line was one of failures: what is below it decides
	title     bool      // it was one as in Markdown, which alone says nothing
	row       statement // what the last line said, a row of a table: if it is the header, nothing
	delivered map[string]struct{}
	known     map[string]statement // what lines of letters say; logs have few kinds of lines
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
func (l *reader) line(line string) {
	if l.row != nothing && strings.TrimSpace(line) != "" {
		if !l.rules.by["line-rule"].MatchString(line) {
			l.say(l.row)
		}
		l.row = nothing
	}
	if l.heading && strings.TrimSpace(line) != "" {
		l.heading = false
		if l.rules.by["line-none"].MatchString(strings.ToLower(plain(line))) {
			return
		}
		l.say(failure)
	}
	if path, ok := delivery(line); ok {
		l.deliver(unquote(path))
		return
	}
	if !maySay(line) {
		return
	}
	line = plain(line)
	if m := l.rules.by["line-bracket"].FindStringSubmatch(line); m != nil { // all of it
		line = m[1][1 : len(m[1])-1]
	}
	r := l.rules.read(line)
	if r.inBracket() {
		end := r.start(line) + strings.IndexAny(line[r.start(line):], "])")
		if rest := line[end+1:]; l.field(rest, l.rules.read(rest)).key != "" {
			l.say(l.judge(l.rules.read(line[:end]).string(true), false))
			l.line(rest)
			return
		}
	}
	switch f := l.field(line, r); f.key {
	case "confidence":
		l.say(l.judge(r.string(false), false))
		l.sayConfidence(f.value)
	case "created", "modified", "updated":
		l.say(l.judge(l.rules.read(line[:r.start(line)]).string(false), false))
		l.deliver(unquote(f.value))
	case "status":
		l.say(l.judge(l.rules.read(line[:r.start(line)]).string(false), false))
		l.say(l.judge(l.rules.read(oneWord.Replace(unquote(f.value))).string(true), true))
	default:
		letters := r.string(!l.rules.by["line-code"].MatchString(line))
		said := l.judge(letters, false)
		if (said == failure || strings.Contains(letters, "#<")) && l.rules.by["line-heading"].MatchString(strings.ToLower(line)) {
			l.heading, l.title = true, strings.HasPrefix(strings.TrimSpace(line), "#")
			return
		}
		if f.key == "" && strings.HasPrefix(line, "|") {
			l.row = said
			return
		}
		l.say(said)
		if f.key == "error" && said == failure && f.value != "" {
			l.err(f.value)
		}
	}
}

// delivery is the path in a line that is plainly a deliverable's. There may be many.
func delivery(line string) (path string, ok bool) {
	for _, key := range [...]string{"Created: ", "Modified: ", "Updated: "} {
		if path, ok := strings.CutPrefix(line, key); ok {
			path = strings.TrimSpace(path)
			return path, !strings.ContainsAny(path, `\*^`)
		}
	}
	return "", false
}

// judge returns what a line of letters says.
func (l *reader) judge(letters string, status bool) statement {
	if status {
		return l.rules.judge(letters, status)
	}
	said, ok := l.known[letters]
	if !ok {
		said = l.rules.judge(letters, status)
		if l.known == nil || len(l.known) == 10_000 {
			l.known = map[string]statement{}
		}
		l.known[letters] = said
	}
	return said
}

// maySay reports whether a line has any of what lines say something by.
func maySay(line string) bool {
	for i := range len(line) {
		switch line[i] | 0x20 {
		case 's', 'f', 'e', 'p', 'c', 'm', 'u':
			for _, begins := range [...]string{"succ", "fail", "err", "pass", "compl", "status", "conf", "created", "modif", "updat", "unsuc"} {
				if len(line)-i >= len(begins) && strings.EqualFold(line[i:i+len(begins)], begins) {
					return true
				}
			}
		case "✅"[0] | 0x20:
			if strings.HasPrefix(line[i:], "✅") || strings.HasPrefix(line[i:], "❌") {
				return true
			}
		}
	}
	return false
}

// plain is a line without colours that are written out, as in \033[31m, without
// \n at either end, and without the -e that one echo takes and another prints.
func plain(line string) string {
	if strings.Contains(line, "[") && (strings.Contains(line, `\`) || strings.Contains(line, "^[")) {
		line = theRules().by["line-colour"].ReplaceAllString(line, "")
	}
	line = strings.TrimLeft(line, " \t")
	for _, option := range []string{"-e ", "-n ", "-ne ", "-en "} {
		line = strings.TrimPrefix(line, option)
	}
	for line != strings.TrimPrefix(line, `\n`) {
		line = strings.TrimPrefix(line, `\n`)
	}
	return strings.TrimSuffix(line, `\n`)
}

// inBracket reports whether the first word says how it went and stands in a
// bracket, as in [SUCCESS] Created: a.
func (r *reading) inBracket() bool {
	return r.begin > 0 && strings.IndexByte("[(", r.letters[r.begin-1]) >= 0 && slices.ContainsFunc(r.letters[r.begin:], func(c byte) bool { return c == ']' || c == ')' })
}

// oneWord takes apart what a status is made of, such as not_ok.
var oneWord = strings.NewReplacer("_", " ", "-", " ", "/", "|")

func (l *reader) say(s statement) {
	l.Succeeded = l.Succeeded || s == success
	l.Failed = l.Failed || s == failure
	l.found = l.found || s != nothing
}

func (l *reader) deliver(path string) {
	if _, old := l.delivered[path]; old || path == "" || strings.IndexByte("(nN-0123456789\xe2", path[0]) >= 0 && len(path) < 20 && l.rules.by["value-no-path"].MatchString(strings.ToLower(path)) {
		return
	}
	l.delivered[path] = struct{}{}
	l.Deliverables = append(l.Deliverables, path)
	l.found = true
}

// err takes in an error. A text of nothing else has millions: some are enough.
func (l *reader) err(message string) {
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

// sayConfidence takes in a confidence: 0.92, 92%, 9/10.
func (l *reader) sayConfidence(value string) {
	m := l.rules.by["value-confidence"].FindStringSubmatch(value[:min(len(value), 60)])
	if m == nil {
		return
	}
	l.found = true
	n, _ := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64) // too large is infinite, which is out of range
	switch {
	case m[8] != "":
		of, _ := strconv.ParseFloat(m[8], 64)
		n /= of
	case m[5] != "":
		n /= 100
	}
	if math.IsNaN(n) || n < 0 || n > 1 {
		l.OutOfRange = true
		return
	}
	n, _ = strconv.ParseFloat(strconv.FormatFloat(n, 'f', 9, 64), 64) // 0.9 / 100 is not quite 0.009
	l.Confidence = &n
}

// A field is what a line such as "Confidence: 0.9" or "STATUS=ok" says.
type field struct {
	key   string // in lower case; "" if the line is none that we know
	value string
}

// field reads the field that a line begins with.
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
	return field{key, strings.TrimSpace(value)}
}

// unquote drops the quotes that all of s stands in.
func unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && strings.IndexByte("`\"'", s[0]) >= 0 && strings.IndexByte(s[1:n-1], s[0]) < 0 {
		return s[1 : n-1]
	}
	return s
}
