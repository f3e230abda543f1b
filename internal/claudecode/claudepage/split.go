package claudepage

import (
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/words"
)

// splitArgs cuts an argument string into $0, $1, and so on. Claude Code reads
// the string as a shell program and takes the words of its first simple
// command, so operators end the arguments, redirections and lone expansions
// vanish, and quotes group. Where there is no command it cuts at white space.
// Its parser forgives everything, and so must this one: what it makes of odd
// input was learnt by asking the program (testdata/recorded.json).
func splitArgs(args string) []string {
	if _, more := cutUnits(args, maxParsed); !more {
		if words := (&splitter{s: args}).program(); words != nil {
			return words
		}
	}
	return strings.FieldsFunc(args, claudecode.IsSpace)
}

const maxParsed = 10_000 // UTF-16 units; a longer string is not parsed

// A splitter reads a shell program up to the end of its first simple command.
type splitter struct {
	s string
	i int

	joined     bool // the statement continues a list or pipeline, or is negated
	redirected bool // the last command ended in a redirection

	depth int // of programs within programs
	plain int // up to here, no redirection follows
}

const maxDepth = 100 // deeper ones are not looked into: time must grow with the input alone

// inner returns the words of the first simple command in a program within this one.
func (p *splitter) inner(s string) []string {
	if p.depth == maxDepth {
		return nil
	}
	return (&splitter{s: s, depth: p.depth + 1}).program()
}

// program returns the words of the first simple command, or nil. A redirection
// after a list, a pipeline or a subshell takes all of it away: only a redirected
// simple command still counts.
func (p *splitter) program() []string {
	var first []string
	for {
		p.blanks()
		if p.i >= len(p.s) {
			return first
		}
		if n := p.join(); n > 0 {
			p.i += n
			p.joined = p.joined || first != nil
			continue
		}
		if strings.IndexByte("\n;&)", p.s[p.i]) >= 0 {
			if first != nil {
				return first
			}
			p.i++
			p.joined = false
			continue
		}
		at := p.i
		p.redirected = false
		words := p.statement()
		if p.i == at {
			p.i++ // nothing here can begin a statement
		}
		if p.redirected && p.joined {
			first = nil
		} else if first == nil {
			first = words
		}
	}
}

// join returns the length of the operator here that joins two commands.
func (p *splitter) join() int {
	switch {
	case p.has("&&"), p.has("||"), p.has("|&"):
		return 2
	case p.has("|"):
		return 1
	}
	return 0
}

// statement reads one statement, or as much of one as is not a simple command.
func (p *splitter) statement() []string {
	switch c := p.s[p.i]; {
	case c == '#':
		p.comment()
		return nil
	case p.has("(("):
		return p.arithmetic()
	case c == '(':
		return p.subshell()
	case c == '`':
		p.i++
		return nil
	case c == '[':
		return p.test()
	}
	if p.opener() {
		return nil
	}
	switch word := p.bare(); word {
	case "for", "select":
		p.i += len(word)
		return p.loop()
	case "function":
		p.i += len(word)
		p.name()
		return nil
	case "case":
		p.i += len(word)
		p.cases()
		return nil
	}
	switch word := p.literal(); word {
	case "export", "declare", "typeset", "readonly", "local":
		p.command()
		return []string{word} // the words of a declaration are not arguments
	case "unset":
		p.command()
		return nil
	}
	if p.function() {
		return nil
	}
	return p.command()
}

// opener skips a reserved word that stands before a statement or after it.
func (p *splitter) opener() bool {
	word := p.bare()
	after := p.i + len(word)
	switch word {
	case "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "esac", "}":
	case "!":
		if after == len(p.s) || p.s[after] != ' ' && p.s[after] != '\t' {
			return false
		}
		p.joined = true
	case "{":
		if after < len(p.s) && strings.IndexByte(" \t\r\n", p.s[after]) < 0 {
			return false
		}
	default:
		return false
	}
	p.i = after
	return true
}

// reserved reports whether a reserved word stands here. Openers are skipped.
func (p *splitter) reserved() bool {
	switch p.bare() {
	case "for", "select", "function", "case":
		return true
	}
	return p.opener()
}

// name skips the name of a loop's variable or of a function.
func (p *splitter) name() {
	p.blanks()
	switch {
	case p.has("$"):
		p.i++
	case p.has("'") || p.has(`"`):
		p.quoted(p.s[p.i])
	default:
		p.i += len(p.bare())
	}
}

// subshell reads ( … ).
func (p *splitter) subshell() []string {
	at := p.i + 1
	inside := p.s[at:]
	if p.parens() {
		inside = p.s[at : p.i-1]
	}
	words := p.inner(inside)
	p.blanks()
	if r := p.redirect(); r == fileRedirect || r == hereDocument {
		p.redirected, p.joined = true, true
		return nil
	}
	return words
}

// loop reads the head of a for or select: a name, and the words after in.
func (p *splitter) loop() []string {
	p.blanks()
	if p.has("((") {
		return p.arithmetic()
	}
	p.name()
	p.blanks()
	if p.literal() != "in" {
		return nil
	}
	p.i += len("in")
	for {
		p.blanks()
		at := p.i
		if w := p.word(); len(w.commands) > 0 {
			return p.inner(w.commands[0])
		}
		if p.i == at {
			return nil
		}
	}
}

// cases skips the head of a case and its first pattern, if it has them.
func (p *splitter) cases() {
	p.blanks()
	if p.word().raw == "" {
		return
	}
	for p.i < len(p.s) && p.s[p.i] != ')' {
		p.blanks()
		if p.redirect() != noRedirect {
			return
		}
		if p.word().raw == "" && p.i < len(p.s) && p.s[p.i] != ')' {
			p.i++
		}
	}
}

// function reports whether a function is defined here, and reads its head.
func (p *splitter) function() bool {
	at := p.i
	if w := p.literal(); w != "" {
		p.i += len(w)
		p.blanks()
		if p.has("(") {
			p.i++
			p.blanks()
			if p.has(")") {
				p.i++
				p.blanks()
				body := p.i < len(p.s) && strings.IndexByte(";&|<>)", p.s[p.i]) < 0
				switch p.bare() {
				case "then", "elif", "else", "fi", "do", "done", "esac", "}":
					body = false
				}
				if body {
					return true
				}
			}
		}
	}
	p.i = at
	return false
}

// arithmetic reads (( … )), in which only a command substitution counts.
func (p *splitter) arithmetic() []string {
	end := strings.Index(p.s[p.i:], "))")
	if end < 0 {
		p.i += len("((")
		p.blanks()
		p.i += len(p.bare())
		return nil
	}
	body := p.s[p.i+2 : p.i+end]
	p.i += end + 2
	if _, inner, ok := strings.Cut(body, "$("); ok {
		return p.inner(inner)
	}
	return nil
}

// test reads [ … ] or [[ … ]] as far as it looks like one. If it does not and
// a redirection follows, what stands after the bracket is a command.
func (p *splitter) test() []string {
	p.i++
	single := !p.has("[")
	if !single {
		p.i++
	}
	if at := p.i; single && at >= p.plain {
		words := p.command()
		if p.redirected && !p.joined && words[len(words)-1] != "]" {
			return words
		}
		if !p.redirected {
			p.plain = p.i
		}
		p.i, p.redirected = at, false
	}
	for {
		p.blanks()
		w := p.word()
		if len(w.commands) > 0 {
			return p.inner(w.commands[0])
		}
		if w.raw == "" {
			return nil
		}
		if testOperator[w.text] {
			continue
		}
		p.blanks()
		if !p.testJoin() {
			return nil
		}
	}
}

var testOperator = map[string]bool{
	"!": true, "-f": true, "-d": true, "-e": true, "-n": true, "-z": true, "-x": true, "-r": true, "-w": true, "-s": true,
	"-v": true, "-L": true,
}

// testJoin reads what can stand between two operands and reports whether there
// is something. A closing bracket ends the test.
func (p *splitter) testJoin() bool {
	if w := p.literal(); w == "]" || w == "]]" {
		p.i += len(w)
		return false
	}
	for _, op := range []string{
		"&&", "||", "==", "!=", "=~", "=", "<", ">", "-eq ", "-ne ", "-lt ", "-le ", "-gt ", "-ge ", "-nt ", "-ot ", "-ef ", "-a ",
		"-o ",
	} {
		if p.has(op) {
			p.i += len(op)
			return true
		}
	}
	return false
}

var assignment = words.Regexp(`^[A-Za-z_][A-Za-z0-9_]*(\[[^\]]*\])?\+?=`)

// command reads a simple command: assignments and redirections, a name, and
// words up to the end of the command or to the first redirection after it.
func (p *splitter) command() []string {
	start := p.i
	assigned := false
	for {
		p.blanks()
		if n := len(assignment.Get().FindString(p.s[p.i:])); n > 0 && !strings.HasPrefix(p.s[p.i+n:], "=") {
			p.i += n
			if p.has("(") && !p.parens() {
				p.i = len(p.s)
				return nil
			}
			p.word()
			assigned = true
			continue
		}
		if at := p.i; assigned && p.has("(") {
			p.parens()
			if p.blanks(); p.i >= len(p.s) {
				p.i = at
				return nil
			}
			continue
		}
		r := p.redirect()
		if r == noRedirect {
			break
		}
		if r == hereDocument {
			p.i = len(p.s)
			return nil
		}
	}
	if p.has("`") || p.has("#") || p.i > start && p.reserved() {
		return nil
	}
	name := p.word()
	if name.raw == "" {
		return nil
	}
	words := []string{name.text}
	for {
		p.blanks()
		if p.i >= len(p.s) || strings.IndexByte("\n;&|)#", p.s[p.i]) >= 0 {
			return words
		}
		if p.has("(") {
			if p.has("((") && !p.has("(((") || !p.parens() {
				return words
			}
			continue
		}
		switch p.redirect() {
		case hereString:
			continue
		case fileRedirect, hereDocument:
			p.redirected = true
			p.rest()
			return words
		}
		at := p.i
		w := p.word()
		if p.i == at || len(w.commands) > 0 {
			return words
		}
		if p.has("(") && w.bareEnd {
			continue
		}
		if w.kept() && w.raw != "=" {
			words = append(words, w.text)
		}
	}
}

// rest skips the words that follow a redirection: they are no arguments.
func (p *splitter) rest() {
	for p.i < len(p.s) && strings.IndexByte("\n;&|)#", p.s[p.i]) < 0 {
		if p.redirect() == noRedirect && p.word().raw == "" {
			p.i++
		}
		p.blanks()
	}
}

type redirection int

const (
	noRedirect redirection = iota
	fileRedirect
	hereString
	hereDocument
)

var redirectOperator = words.Regexp(`^(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(?:<<<|<<-?|&>>?|>>|>\||>&|<&|<>|<|>)`)

// redirect reads a redirection and its target, if there is one here.
func (p *splitter) redirect() redirection {
	op := redirectOperator.Get().FindString(p.s[p.i:])
	if op == "" || (op == "<" || op == ">") && strings.HasPrefix(p.s[p.i+1:], "(") {
		return noRedirect
	}
	p.i += len(op)
	p.blanks()
	p.word()
	switch {
	case strings.HasSuffix(op, "<<<"):
		return hereString
	case strings.Contains(op, "<<"):
		return hereDocument
	}
	return fileRedirect
}

// parens skips a balanced ( … ) and reports whether it was closed.
func (p *splitter) parens() bool {
	end, ok := closing(p.s, p.i+1, ')')
	p.i = end
	return ok
}

// A shellWord is one word of a command and what is known of its parts.
type shellWord struct {
	raw      string
	text     string   // with quotes and escapes resolved, as far as Claude Code does
	parts    int      // how many parts were put together
	vanishes bool     // its only part is one that is no argument, such as $X
	bareEnd  bool     // its last part is unquoted text
	commands []string // command substitutions in it
}

func (w shellWord) kept() bool { return w.parts > 1 || !w.vanishes }

var sequence = words.Regexp(`^\{[A-Za-z0-9]+\.\.[A-Za-z0-9]+\}$`)

func (p *splitter) word() shellWord {
	var w shellWord
	var text strings.Builder
	start := p.i
	for p.i < len(p.s) {
		at := p.i
		bare := false
		switch c := p.s[p.i]; {
		case c == '\'':
			p.quoted('\'')
			text.WriteString(unquote(p.s[at:p.i]))
		case c == '"':
			p.quoted('"')
			text.WriteString(unquote(p.s[at:p.i]))
		case c == '`':
			inner := p.backquoted()
			w.commands = append(w.commands, inner)
			text.WriteString(p.s[at:p.i])
		case c == '$' && p.expansion(&w):
			w.vanishes = true
			text.WriteString(p.s[at:p.i])
		case (c == '<' || c == '>') && strings.HasPrefix(p.s[p.i+1:], "("):
			p.i++
			p.parens()
			w.commands = append(w.commands, p.s[at+2:p.i])
			text.WriteString(p.s[at:p.i])
		default:
			n := len(p.bare())
			if n == 0 {
				goto end
			}
			p.i += n
			part := p.s[at:p.i]
			if sequence.Get().MatchString(part) || part == "$" {
				w.vanishes = true
			}
			bare = true
			text.WriteString(unescape(part))
			if p.has("\\") { // at the very end, or before a newline
				w.parts, w.bareEnd = w.parts+1, true
				goto end
			}
		}
		w.parts, w.bareEnd = w.parts+1, bare
	}
end:
	w.raw = p.s[start:p.i]
	w.text = text.String()
	if len(w.commands) > 0 {
		w.text = w.raw
	}
	return w
}

// bare returns the unquoted text that begins here.
func (p *splitter) bare() string {
	brace := false
	i := p.i
	for i < len(p.s) {
		c := p.s[i]
		switch {
		case c == '\\':
			if i+1 >= len(p.s) || p.s[i+1] == '\n' {
				return p.s[p.i:i]
			}
			i += 2
			continue
		case strings.IndexByte(" \t\r\n;&|<>()", c) >= 0:
			return p.s[p.i:i]
		case c == '{':
			brace = true // quotes mean nothing after a brace
		case strings.IndexByte("'\"`$", c) >= 0 && !brace:
			if c == '$' && i == p.i {
				break // a dollar that expands nothing
			}
			return p.s[p.i:i]
		}
		i++
	}
	return p.s[p.i:]
}

// literal returns the word here if it is nothing but plain characters.
func (p *splitter) literal() string {
	w := p.bare()
	if end := p.i + len(w); end < len(p.s) && strings.IndexByte("'\"`$\\", p.s[end]) >= 0 {
		return ""
	}
	return w
}

// quoted skips a quoted string; an unclosed one reaches to the end.
func (p *splitter) quoted(quote byte) {
	if end, ok := closingQuote(p.s, p.i+1, quote); ok {
		p.i = end
	} else {
		p.i = len(p.s)
	}
}

func (p *splitter) backquoted() string {
	at := p.i + 1
	end, _ := closingQuote(p.s, at, '`')
	p.i = end
	return strings.TrimSuffix(p.s[at:end], "`")
}

var parameter = words.Regexp(`^\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]|[@*#?$!-])`)

// expansion skips what a dollar begins and reports whether it begins anything.
func (p *splitter) expansion(w *shellWord) bool {
	switch rest := p.s[p.i:]; {
	case strings.HasPrefix(rest, "$(("):
		end := strings.Index(rest, "))")
		if end < 0 {
			p.i = len(p.s)
		} else {
			p.i += end + 2
		}
		return true
	case strings.HasPrefix(rest, "$("):
		at := p.i + 2
		p.i, _ = closing(p.s, at, ')')
		w.commands = append(w.commands, p.s[at:p.i])
		return true
	case strings.HasPrefix(rest, "${"):
		p.i, _ = closing(p.s, p.i+2, '}')
		return true
	case strings.HasPrefix(rest, "$'"):
		p.i++
		p.quoted('\'')
		return true
	}
	n := len(parameter.Get().FindString(p.s[p.i:]))
	p.i += n
	return n > 0
}

// blanks skips spaces, tabs, carriage returns and continued lines.
func (p *splitter) blanks() {
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == ' ' || c == '\t' || c == '\r':
			p.i++
		case p.has("\\\n"):
			p.i += 2
		case c == '\\' && p.i == len(p.s)-1:
			p.i++
		default:
			return
		}
	}
}

func (p *splitter) comment() {
	if n := strings.IndexByte(p.s[p.i:], '\n'); n >= 0 {
		p.i += n
	} else {
		p.i = len(p.s)
	}
}

func (p *splitter) has(prefix string) bool { return strings.HasPrefix(p.s[p.i:], prefix) }

// closing returns the index after the end that matches what was opened before
// i, minding quotes and nesting, and whether there is one.
func closing(s string, i int, end byte) (int, bool) {
	open := byte('(')
	if end == '}' {
		open = '{'
	}
	for depth := 1; i < len(s); {
		switch c := s[i]; {
		case c == '\\':
			i += 2
			continue
		case c == '\'' || c == '"' || c == '`':
			next, ok := closingQuote(s, i+1, c)
			if !ok {
				return len(s), false
			}
			i = next
			continue
		case c == open:
			depth++
		case c == end:
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
		i++
	}
	return len(s), false
}

// closingQuote returns the index after the quote that ends a string whose text
// begins at i.
func closingQuote(s string, i int, quote byte) (int, bool) {
	for i < len(s) {
		switch c := s[i]; {
		case c == quote:
			return i + 1, true
		case c == '\\' && quote != '\'':
			i += 2
			continue
		case quote == '"' && strings.HasPrefix(s[i:], "$("):
			next, ok := closing(s, i+2, ')')
			if !ok {
				return len(s), false
			}
			i = next
			continue
		}
		i++
	}
	return len(s), false
}

// unquote takes a pair of quotes off, and nothing else: escapes inside stay.
func unquote(s string) string {
	if len(s) >= 2 && s[0] == s[len(s)-1] {
		return s[1 : len(s)-1]
	}
	return s
}

var escape = words.Regexp("\\\\([^\n\r\u2028\u2029])")

func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return escape.Get().ReplaceAllString(s, "$1")
}
