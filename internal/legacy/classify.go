package legacy

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Rules is the text of the rules. Package migrate also makes bash from it.
//
//go:embed rules.txt
var Rules string

// A statement is what a line says about how the script went.
type statement int

const (
	nothing statement = iota
	success
	failure // wins over success

	// What the shape of a line says.
	trouble // an error of some program
	doubt   // a word that hints at trouble
	partial // a success that the same line takes back: a doubt, whatever its shape
	cleared // a summary of everything: there was no trouble
	harmless
)

// ruleSet holds the rules of rules.txt as Go reads them.
type ruleSet struct {
	words map[string]byte
	signs []sign
	rules []rule
	by    map[string]*regexp.Regexp // the expressions that have a name
	marks [256][]string             // a line without any of these says nothing; by the first byte of each
}

// A sign is a symbol of more than one byte, which is read as one letter.
type sign struct {
	text   string
	letter byte
}

type rule struct {
	letter string
	expr   *regexp.Regexp
}

// A Rule is a line of the rules, with its sets filled in.
type Rule struct{ Kind, Name, Text string }

// ReadRules parses the rules. Package migrate uses it to write them in another language.
func ReadRules() []Rule {
	var all []Rule
	var sets []string
	shapes := map[string]int{} // the indices in all
	for line := range strings.Lines(Rules) {
		kind, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || kind == "#" {
			continue
		}
		name, text := "", strings.TrimSpace(rest)
		if kind == "word" || kind == "sign" || kind == "set" || kind == "rule" {
			name, text, _ = strings.Cut(text, " ")
		}
		switch kind {
		case "error", "fatal", "harmless", "weak", "mild", "doubt", "clear":
			_, text, _ = strings.Cut(text, " ") // without the programs
			kind, text = "shape-"+kind, "("+strings.TrimSpace(text)+")"
			if at, ok := shapes[kind]; ok {
				all[at].Text += "|" + text
				continue
			}
			shapes[kind] = len(all)
		default:
			text = strings.NewReplacer(sets...).Replace(text)
		}
		if kind == "set" {
			sets = append(sets, "{"+name+"}", text)
			continue
		}
		all = append(all, Rule{Kind: kind, Name: name, Text: text})
	}
	return all
}

var theRules = sync.OnceValue(func() *ruleSet {
	r := &ruleSet{words: map[string]byte{}, by: map[string]*regexp.Regexp{}}
	for _, line := range ReadRules() {
		switch line.Kind {
		case "word":
			for word := range strings.FieldsSeq(line.Text) {
				r.words[word] = line.Name[0]
			}
		case "sign":
			for text := range strings.FieldsSeq(line.Text) {
				r.signs = append(r.signs, sign{text: text, letter: line.Name[0]})
				if line.Name == "X" || line.Name == "Y" {
					r.mark(text)
				}
			}
		case "marks":
			for mark := range strings.FieldsSeq(line.Text) {
				r.mark(strings.ReplaceAll(mark, "_", " "))
			}
		case "rule":
			r.rules = append(r.rules, rule{letter: line.Name, expr: regexp.MustCompilePOSIX(line.Text)})
		default:
			r.by[line.Kind] = regexp.MustCompilePOSIX(line.Text)
		}
	}
	return r
})

func (r *ruleSet) mark(text string) { r.marks[text[0]] = append(r.marks[text[0]], text) }

// maySay reports whether a line contains any of the marks, or begins with a program's name.
func (r *ruleSet) maySay(line string) bool {
	if line != "" && ('a' <= line[0] && line[0] <= 'z' || line[0] == 'E') && r.by["line-named"].MatchString(line) {
		return true
	}
	for i := range len(line) {
		c := line[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		for _, mark := range r.marks[c] {
			if len(line)-i >= len(mark) && strings.EqualFold(line[i:i+len(mark)], mark) {
				return true
			}
		}
	}
	return false
}

func (r *ruleSet) shape(line string) statement {
	line = line[:min(len(line), longest)]
	switch {
	case r.by["shape-harmless"].MatchString(line):
		return harmless
	case r.by["shape-fatal"].MatchString(line):
		return failure
	case r.by["shape-clear"].MatchString(line):
		return cleared
	case r.by["shape-error"].MatchString(line) && !r.by["shape-mild"].MatchString(line):
		return trouble
	case r.by["shape-doubt"].MatchString(line):
		return doubt
	}
	return nothing
}

func (r *ruleSet) classify(letters string, status bool) statement {
	fails := "fails"
	if status {
		if r.by["status-begins-failed"].MatchString(letters) {
			return failure
		}
		fails = "status-fails"
		letters = strings.NewReplacer("<k", "<g", "<y", "<g").Replace(letters)
	} else if !mayJudge(letters) {
		return nothing
	}
	for _, rule := range r.rules {
		for m := rule.expr.FindStringSubmatchIndex(letters); m != nil; m = rule.expr.FindStringSubmatchIndex(letters) {
			letters = letters[:m[4]] + rule.letter + letters[m[5]:]
		}
	}
	switch {
	case r.by[fails].MatchString(letters):
		return failure
	case r.by["passes"].MatchString(letters) && r.by["unless"].MatchString(letters):
		return partial
	case r.by["passes"].MatchString(letters):
		return success
	case !status && r.by["doubts"].MatchString(letters):
		return doubt
	}
	return nothing
}

// mayJudge reports whether letters contain a word or a symbol that could count.
func mayJudge(letters string) bool {
	first := letters[strings.IndexByte(letters, '<')+1]
	return first == 'g' || first == 'x' || strings.ContainsAny(letters, "fetudGFETUWXY") || strings.Contains(letters, "[<k")
}

// A reading is a line as letters, with the place of each letter in the line.
type reading struct {
	letters []byte
	at      []int
	begin   int // the index of the first word's letter, after bullets and brackets
}

// string returns the line as letters, in the form that the rules match. Without a first word the
// line has no beginning that counts.
func (r *reading) string(begins bool) string {
	begin := r.begin
	if !begins {
		begin = len(r.letters)
	}
	return "!" + string(r.letters[:begin]) + "<" + string(r.letters[begin:]) + "~"
}

// start returns the index of the first word in the line.
func (r *reading) start(line string) int {
	if r.begin == len(r.letters) {
		return len(line)
	}
	return r.at[r.begin]
}

// longest is how many bytes of a line are read.
const longest = 1000

// read turns a line into letters.
func (r *ruleSet) read(line string) *reading {
	line = line[:min(len(line), longest)]
	out := &reading{}
	word := false // a word was read
	for i := 0; i < len(line); {
		letter, n := r.letter(line[i:], word)
		if letter != 0 {
			out.letters = append(out.letters, letter)
			out.at = append(out.at, i)
			word = word || isWord(letter)
		}
		i += n
	}
	for out.begin < len(out.letters) {
		n := bullet(out.letters[out.begin:])
		if n == 0 {
			break
		}
		out.begin += n
	}
	return out
}

func isWord(letter byte) bool { return isAlnum(letter) && letter != 'X' && letter != 'Y' }

// bullet returns how many letters come before the first word: a symbol, or all of a bracket such as
// [12:30], but not all of [SUCCESS].
func bullet(letters []byte) int {
	switch c := letters[0]; {
	case c == '[' || c == '(':
		end := slices.IndexFunc(letters, func(c byte) bool { return c == ']' || c == ')' })
		if end > 1 && strings.IndexByte("gfetuGFETUky", letters[1]) < 0 {
			return end + 1
		}
		return 1
	case isWord(c) || c == '_' || c == 'q':
		return 0
	}
	return 1
}

// letter reads the beginning of text. It returns its letter, or 0 if it has none, and its length.
// Before the first word, some characters are bullets, and others do not count as a beginning.
func (r *ruleSet) letter(text string, word bool) (letter byte, n int) {
	for _, s := range r.signs {
		if strings.HasPrefix(text, s.text) {
			return s.letter, len(s.text)
		}
	}
	if n := emptyBrackets(text); n > 0 {
		return '_', n
	}
	c := text[0]
	switch {
	case isAlnum(c) || c == '_' || isPath(text):
		return r.word(text, word)
	case c == '$':
		n = len(text) - len(strings.TrimLeft(text[1:], "{"))
		return 'w', n + span(text[n:], func(c byte) bool { return isAlnum(c) || c == '_' })
	case c == '#':
		if digits := span(text[1:], isDigit); digits > 0 {
			return '1', 1 + digits
		}
		return 0, 1
	case c == '-', c == '=', c == '.':
		n = span(text, func(d byte) bool { return c == d })
		switch {
		case c == '-' && !word && n < len(text) && (isAlnum(text[n]) || text[n] == '_'):
			return 'q', n // an option, such as --fail
		case n > 1 && c != '-':
			return 0, n // a rule, or dots that lead to a value
		case c == '.' && !word:
			return 'q', n
		}
		return c, 1
	case !word && strings.IndexByte("\"'`{}/\\", c) >= 0:
		return 'q', 1
	case strings.IndexByte(":,;|()[]/?", c) >= 0:
		return c, 1
	}
	return 0, 1
}

// emptyBrackets returns the length of brackets with nothing in them.
func emptyBrackets(text string) int {
	n := 1 + span(text[1:], func(c byte) bool { return c == ' ' || c == '\t' })
	if n < len(text) && (text[0] == '[' && text[n] == ']' || text[0] == '(' && text[n] == ')') {
		return n + 1
	}
	return 0
}

// isPath reports whether text begins with a path: /a, ./a, ../a or ~/a.
func isPath(text string) bool {
	n := span(text, func(c byte) bool { return c == '.' || c == '~' })
	return n < 3 && n+1 < len(text) && text[n] == '/' && (isAlnum(text[n+1]) || text[n+1] == '_')
}

// word reads a word, a number or a name.
func (r *ruleSet) word(text string, word bool) (letter byte, n int) {
	if isDigit(text[0]) {
		if n := r.item(text); n > 0 && !word {
			return 0, n
		}
		if m := r.by["form-many"].FindString(text); m != "" {
			return '1', len(m)
		}
		if m := r.by["form-ratio"].FindStringSubmatch(text); m != nil {
			return share(m[1], m[5]), len(m[0])
		}
		if m := r.by["form-percent"].FindStringSubmatch(text); m != nil {
			if number(m[1]) == '0' && number(m[2]) == '1' {
				return 'p', len(m[0])
			}
			return share(m[1], "100"), len(m[0])
		}
	}
	chunk := text[:span(text, isAlnum)]
	next := len(chunk)
	joined := next < len(text) && strings.IndexByte("-./\\@'_(", text[next]) >= 0
	if next == 0 || joined || strings.EqualFold(chunk[:min(next, 4)], "roll") { // the expression is slow
		chunk = r.by["form-word"].FindString(text)
	}
	name := strings.ReplaceAll(strings.ToLower(chunk), " ", "-") // rolled back
	letter, known := r.words[name]
	switch {
	case known:
		if bare := strings.TrimSuffix(chunk, "(s)"); strings.ToUpper(bare) == bare && strings.IndexByte("gfetu", letter) >= 0 {
			letter -= 'a' - 'A'
		}
	case isDigit(chunk[0]) && r.by["form-number"].MatchString(chunk):
		letter = number(chunk)
	case strings.HasSuffix(name, "n't"):
		letter = 'x'
	case strings.ContainsAny(chunk, "-.") && r.by["form-joined"].MatchString(chunk) && !r.by["form-name"].MatchString(chunk):
		letter = 'F'
	case isDigit(chunk[0]):
		letter = '1'
	default:
		letter = 'w'
	}
	return letter, len(chunk)
}

// item returns the length of a number in a list: 1. or 1) or 1 as a keycap.
func (r *ruleSet) item(text string) int {
	for _, key := range []string{"\ufe0f\u20e3", "\u20e3"} {
		if strings.HasPrefix(text[1:], key) {
			return 1 + len(key)
		}
	}
	return len(r.by["form-item"].FindString(text))
}

func number(digits string) byte {
	switch {
	case strings.Trim(digits, "0") == "":
		return '0'
	case strings.Trim(digits, "0.") == "":
		return 'Z'
	}
	return '1'
}

// share returns the letter for a ratio such as 3 of 5. Both arguments are numbers.
func share(some, all string) byte {
	some, all = strings.TrimLeft(some, "0"), strings.TrimLeft(all, "0")
	switch {
	case some == "":
		return 'z'
	case len(some) < len(all) || len(some) == len(all) && some < all:
		return 'p'
	}
	return '1'
}

func span(s string, is func(byte) bool) (n int) {
	for n < len(s) && is(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }
