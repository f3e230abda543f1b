package bind

import (
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// A lang is a language that a program of the table reads.
type lang int

const (
	aScript lang = iota // python, node, perl, ruby and their kind
	anAwk
	aSed
	aJQ
	anSQL
	aTalk // commands a line: ed, ftp, gdb
)

// parseHoles parses code for a shell in which nobody knows some words.
func parseHoles(text string) (*syntax.File, error) {
	return words.Parse(strings.ReplaceAll(text, "\x00", "${__hole}"))
}

// reader judges an interpreter: its code, its file, or its input. What follows those is data.
func (s *scope) reader(r *row, name string, args []field, in input) {
	given, flagged, ended := false, false, false
	for i := 0; i < len(args) && len(s.findings) == 0; i++ {
		f := args[i]
		text, known := f.literal()
		if n := s.valueOption(r, name, f, ended); n > 0 {
			i += n - 1
			continue
		}
		switch {
		case slices.Contains([]string{"--version", "--help", "--check", "-V"}, text):
			return
		case known && text == "--" && !ended:
			ended = true
		case known && text == "-m" && r.has("modules") && i+1 < len(args):
			s.module(args[i+1], args[i+2:], in)
			return
		case known && text == "-" && !given:
			s.stdin(in, r, name)
			s.dataOf(r, name, args[i+1:])
			return
		case !ended && strings.HasPrefix(f.lead(), "-") && (len(f.lead()) > 1 || len(f.bits) > 1):
			o := r.option(f.lead())
			if o.sort == '#' || o.sort == '%' && r.has("operand") {
				given = true
			}
			flagged = o.sort == 0
			i += s.flag(r, name, args[i:], in)
			if o.sort == '#' && r.has("modules") {
				return // what follows python's -c is the program's own
			}
			continue
		case given:
			s.dataOf(r, name, args[i:i+1])
			ended = ended || !r.has("permutes")
		case r.has("operand"):
			given = true
			s.langCode(f, r.lang(), name)
		case r.has("first"):
			s.statements(r, name, args[i+1:], given, in)
			return
		case r.lang() == aTalk:
			s.within(f, operand, name, whyOption, optionHint(name))
		case flagged && known && !strings.ContainsAny(text, "./"): // it may be the flag's own
			s.script(f, name)
		default:
			s.script(f, name)
			s.sources(r, name, args[i+1:])
			return // the rest is data
		}
		flagged = false
	}
	if !given && len(s.findings) == 0 {
		s.stdin(in, r, name)
	}
}

// statements judges the words after the name of a database: each is code.
func (s *scope) statements(r *row, name string, args []field, given bool, in input) {
	for _, f := range args {
		if o := r.option(f.lead()); o.sort == 0 {
			s.langCode(f, r.lang(), name)
		}
		given = true
	}
	if !given {
		s.stdin(in, r, name)
	}
}

// sources judges the words after the first file: go run takes all files of Go that follow one another for the program.
func (s *scope) sources(r *row, name string, args []field) {
	for _, f := range args {
		if !r.has("sources") {
			return
		}
		if text, known := f.literal(); known && strings.HasSuffix(text, ".go") {
			continue
		}
		s.within(f, noSource, "the files that "+name+" runs", whyCode, "put -- before it")
		return
	}
}

// valueOption judges a word that begins with a value and may be an option; it returns how many words it is then.
// One that only may be an option is judged as what else it may be, too.
func (s *scope) valueOption(r *row, name string, f field, ended bool) int {
	text := f.full(s.vals)
	if ended || f.lead() != "" || !f.reached(s.vals) || !f.dirty() && (!strings.HasPrefix(text, "-") || len(text) < 2) {
		return 0
	}
	switch takes := s.optionLike(r, name, f, false); {
	case f.dirty():
		return 0
	case takes:
		return 2
	}
	return 1
}

// dataOf judges the operands of a program whose code is known: perl and ruby open names with a pipe in them as commands.
func (s *scope) dataOf(r *row, name string, args []field) {
	for _, f := range args {
		if r.has("pipes") && f.reached(s.vals) && !s.within(f, noPipe, name, whyCode, "give it the file as its input: < file") {
			return
		}
	}
}

// module judges python -m: modules that are programs of the table are judged as such, and a few others are harmless.
func (s *scope) module(f field, args []field, in input) {
	name := f.lit()
	switch {
	case f.reached(s.vals):
		s.within(f, number, "python -m", whyChoice, "name the module yourself")
	case among("pythonTools", name):
		s.program(name, args, in)
	case among("harmlessModules", name):
	default:
		for _, f := range args {
			s.within(f, number, "python -m "+name, whyCode, ownFile)
		}
		if in.fed || len(s.handed) > 0 {
			s.all(number, "python -m "+name, whyCode, ownFile)
		}
	}
}

// langCode judges code of another language. Rule 2: a value stands in quotes or in a pattern, and is plain, or it is a number.
func (s *scope) langCode(f field, l lang, name string) {
	place := name + "'s program"
	if f.dirty() && !s.all(number, place, whyCode, asArgument) {
		return
	}
	if l == aTalk && (s.mentions(f.own()) || len(s.handed) > 0 && strings.Contains(f.own(), "$")) {
		s.all(number, place, whyCode, asArgument)
	}
	r := lookup(name, nil)
	c := &code{s: s, f: f, place: place, perl: r.has("sigils"), js: r.has("js"), strict: l == aScript && !r.has("sigils") && !r.has("js") && !r.has("modules")}
	for i, x := range f.bits {
		switch {
		case x.hole:
			c.text = append(c.text, 0)
		case x.value > 0:
			c.text = append(c.text, rune(firstMark+i))
		default:
			c.text = append(c.text, []rune(x.text)...)
		}
	}
	judge := map[lang]func() bool{anAwk: c.awk, aSed: c.sed, aJQ: c.jq, anSQL: c.sql, aTalk: c.talk, aScript: c.script}[l]
	if !judge() && len(s.findings) == 0 {
		s.all(number, place+", which may run things", whyCode, "check the value in the program first, or "+asArgument)
	}
}

// firstMark is the rune that stands for the first bit of a field in code that is scanned.
const firstMark = 0xF0000

// code is a text of another language with marks for the values in it.
type code struct {
	s      *scope
	f      field
	text   []rune
	at     int
	place  string
	perl   bool // it has sigils: $x, and backquotes that run things
	js     bool
	hidden bool            // code in a text runs things
	strict bool            // nobody here knows the language well: a value in quotes is plain words
	looks  bool            // JavaScript that looks things up by names which it reckons: what it calls must have a name of its own
	bound  map[string]bool // names that the code itself gives to something
	prev   rune            // the last sign that is no blank
	module string          // the name before it
}

func (c *code) isMark(r rune) bool { return r >= firstMark }

// value judges the value at a mark.
func (c *code) value(r rune, holds func(string) bool) bool {
	i := int(r - firstMark)
	if i >= len(c.f.bits) || c.f.bits[i].value == 0 {
		return false // the author's text has this sign
	}
	x := c.f.bits[i]
	if said := x.said(c.s.vals); c.s.vals[x.value-1].place && plainText(said) || holds(said) {
		return true
	}
	if len(c.s.findings) == 0 {
		c.s.report(x.value-1, c.place, whyCode, asArgument)
	}
	return false
}

func (c *code) peek(n int) rune {
	if c.at+n < len(c.text) && c.at+n >= 0 {
		return c.text[c.at+n]
	}
	return 0
}

// without returns what a value in quotes may be: a text that does not end them, and in which nothing is expanded.
func without(signs string) func(string) bool {
	return func(v string) bool {
		return !strings.ContainsAny(v, signs+"\\\n\r\x00`") && !strings.ContainsFunc(v, func(r rune) bool { return r >= firstMark })
	}
}

// quoted reads up to the sign that ends a text, and judges the values in it. Between braces a text may have code in it.
func (c *code) quoted(end rune, more string, braces bool) bool {
	depth, from, thrice := 0, 0, c.peek(1) == end && c.peek(2) == end && end != '/'
	if thrice {
		c.at += 2
	}
	for c.at++; c.at < len(c.text); c.at++ {
		r := c.text[c.at]
		switch {
		case r == '\\':
			if c.isMark(c.peek(1)) {
				return false
			}
			c.at++
		case r == end && thrice && (c.peek(1) != end || c.peek(2) != end):
		case r == end:
			if thrice {
				c.at += 2
			}
			return true
		case r == '{' && braces:
			if depth++; depth == 1 {
				from = c.at + 1
			}
		case r == '}' && braces:
			if depth--; depth == 0 && from > 0 {
				inner := *c
				inner.text, inner.at = c.text[from:c.at], 0
				if !inner.script() {
					c.hidden = true
				}
			}
		case c.isMark(r) && depth > 0:
			if !c.value(r, aNumber) {
				return false
			}
		case c.isMark(r):
			if !c.value(r, func(v string) bool { return without(string(end)+more)(v) && (!c.strict || plainWords(v)) }) {
				return false
			}
		}
	}
	return false // it has no end
}

// script judges code of python, node, perl, ruby and their kind. Every name in it is on the list of harmless
// ones, or one that the code itself gives to something; else the code may run things, and it answers false.
func (c *code) script() bool {
	text := string(c.text)
	c.bound, c.looks, c.prev, c.module = c.names(), c.js && computed().MatchString(text), 0, ""
	harmless := !c.perl || !strings.Contains(text, "ARGV") || !strings.Contains(text, "<>")
	for ; c.at < len(c.text); c.at++ {
		r := c.text[c.at]
		switch {
		case c.isMark(r):
			if !c.value(r, aNumber) {
				return false
			}
		case r == '#' && !c.js:
			if !c.comment() {
				return false
			}
			continue
		case r == '"' || r == '\'' || r == '`':
			harmless = harmless && (r != '`' || c.js)
			format := strings.HasPrefix(strings.ToLower(c.module), "f") && len(c.module) < 3
			if !c.quoted(r, "${}", r == '`' || r == '"' && c.perl || format) {
				return false
			}
			c.module = ""
		case r == '/' && c.startsPattern():
			if !c.quoted('/', "${}[]()|?*+^@", true) {
				return false
			}
		case isLetter(r):
			word := c.word()
			harmless = c.named(word) && harmless
			c.module, c.prev = word, 'a'
			continue
		default:
			harmless = c.sign(r) && harmless
		}
		if r != ' ' && r != '\t' && r != '\n' {
			if r != '.' && r != ':' {
				c.module = ""
			}
			c.prev = r
		}
	}
	return harmless && !c.hidden
}

// startsPattern reports whether a / begins a pattern, and does not divide.
func (c *code) startsPattern() bool {
	return c.prev == 0 || strings.ContainsRune("(,=~!&|?{};:", c.prev) || slices.Contains([]string{"if", "unless", "split", "grep"}, c.module)
}

// sign judges signs by which languages call things without a name of theirs: $f->(…), x[y](…), ruby's %x(…).
func (c *code) sign(r rune) bool {
	switch {
	case c.callsResult(r):
		return false
	case !c.perl:
		return true
	case r == '$', r == '@', r == '%' && isLetter(c.peek(1)) && (c.peek(1) != 'x' || isLetter(c.peek(2))):
		first, before := c.peek(1), strings.TrimSpace(string(c.text[:c.at]))
		for isLetter(c.peek(1)) || c.peek(1) >= '0' && c.peek(1) <= '9' {
			c.at++
		}
		called := c.after() == '(' || c.prev == '&' || strings.HasSuffix(before, "->")
		return first != '$' && (r != '$' || !called && first != '{')
	case r == '%':
		return c.peek(1) != 'x'
	case r == '&':
		return !isLetter(c.peek(1))
	case r == '<':
		return c.peek(1) != '$'
	}
	return true
}

func isLetter(r rune) bool { return r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// word reads a name; the place is then its last letter.
func (c *code) word() string {
	from := c.at
	for isLetter(c.peek(1)) || c.peek(1) >= '0' && c.peek(1) <= '9' {
		c.at++
	}
	return string(c.text[from : c.at+1])
}

// comment reads up to the end of the line.
func (c *code) comment() bool {
	for c.at+1 < len(c.text) && c.peek(1) != '\n' {
		if c.at++; c.isMark(c.text[c.at]) && !c.value(c.text[c.at], without("")) {
			return false
		}
	}
	return true
}

// callsResult reports whether a bracket ends something that is called, whatever it is: x[y](…), ("f")(…).
func (c *code) callsResult(r rune) bool {
	switch next := c.after(); r {
	case ']':
		return next == '(' || c.js && next == '`' || c.js && next == '?' && strings.HasPrefix(strings.TrimSpace(string(c.text[c.at+1:])), "?.(")
	case '>', '&': // $f->(…), &{$f}
		return c.perl && (r == '>' && c.peek(-1) == '-' && next == '(' || r == '&' && c.peek(1) == '{' && c.peek(-1) != '&')
	case ')', '}':
		return c.looks && (next == '(' || next == '`') || c.perl && next == '('
	}
	return false
}

// after is the next sign that is no blank.
func (c *code) after() rune {
	for n := 1; ; n++ {
		if r := c.peek(n); r != ' ' && r != '\t' && r != '\n' {
			return r
		}
	}
}

// named judges a name in code.
func (c *code) named(word string) bool {
	next := c.peek(1)
	switch {
	case c.perl && perlQuotes().MatchString(word) && next != 0 && !isLetter(next) && !strings.ContainsRune(" \t\n=,;)}-", next):
		return c.perlQuote(word)
	case c.isMark(next) || c.at >= len(word) && c.isMark(c.text[c.at-len([]rune(word))]): // a value completes the name
		return false
	case (next == '"' || next == '\'') && len(word) < 3 && strings.Trim(strings.ToLower(word), "rbfu") == "":
		return true // a text with a prefix
	case c.prev == '.' && word == "load" && slices.Contains([]string{"json", "tomllib", "toml"}, c.module), word == "__name__", word == "__file__":
		return true
	case deniedNames().MatchString(word), c.perl && c.perlCalls(word), c.looks && c.jsCalls(word):
		return false
	case word == "require" || word == "import" || word == "from" || word == "use":
		return c.loads()
	case c.prev == '.' || c.prev == '>' && c.perl:
		return among("harmlessNames", word) || c.after() != '(' && !among("modules", c.module)
	case among("harmlessNames", word), c.bound[word], among("modules", word), word == strings.ToUpper(word) && word != "IO" && word != "PTY":
		return true
	}
	return c.perl && next == '}' || c.js && c.after() == ':' || c.after() == '=' // a key, a name for an argument
}

// perlCalls: open, and methods and classes whose names are values.
func (c *code) perlCalls(word string) bool {
	switch word {
	case "open":
		return c.prev != '.'
	case "new":
		return strings.ContainsRune("$(", c.after())
	case "to_sym":
		return c.after() != ']'
	case "inject", "reduce":
		return c.after() == '(' && !strings.Contains(string(c.text[c.at:]), "(:")
	}
	return false
}

// jsCalls: in code that looks things up by names which it reckons, what is called may be anything.
func (c *code) jsCalls(word string) bool {
	return c.bound[word] && strings.ContainsRune("(`", c.after()) || word == "call" || word == "apply" || word == "bind"
}

// loads judges require and import: what they load is a harmless module, or data.
func (c *code) loads() bool {
	line, _, _ := strings.Cut(string(c.text[c.at+1:]), "\n")
	line, _, _ = strings.Cut(line, ";")
	m := loaded().FindStringSubmatch(line)
	if m == nil || strings.ContainsFunc(line[:len(m[0])], c.isMark) {
		return false
	}
	if strings.TrimSpace(m[1]) == "" {
		return false
	}
	for name := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return r == ',' || r == ' ' }) {
		if name == "as" || name == "import" {
			break
		}
		name = strings.TrimPrefix(name, "node:")
		if c.perl && name == "re" || !among("modules", strings.SplitN(name, ".", 2)[0]) && !strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, "-M") {
			return false
		}
	}
	return true
}

var (
	loaded = regexpOnce(`^\s*\(?\s*["']?([\w.:/, -]+)["']?`)
	// Names by which languages run code or programs, or reach what does.
	deniedNames = regexpOnce(`^(eval\w*|exec\w*|system|popen\w*|spawn\w*|fork\w*|Function|GeneratorFunction|AsyncFunction|importlib|__[a-z]+__|__[a-z]+|` +
		`builtins|globals|locals|vars|getattr|setattr|attrgetter|methodcaller|ctypes|constructor|prototype|globalThis|process_?binding|binding|dlopen|` +
		`subprocess|child_process|qx|shell\w*|passthru|proc_open|open[23]|pty|PTY|webbrowser|runpy|pickle|marshal|shelve|timeit|include\w*|require_\w+|` +
		`assert|create_function|call_user_func\w*|array_map|usort|loadstring|dofile|loadfile|load|do|send|public_send|__send__|instance_\w+|class_eval|` +
		`module_eval|method|Kernel|IO|Process|syscall|Worker|vm|mainModule|module|createRequire|input|edit|writefile|load_extension)$`)
	bindings = regexpOnce(`\b(?:def|function|for|foreach|let|const|var|my|our|local|as|lambda|class|catch|sub)\s+[\w\s,$@%(){}\[\]:]*|` +
		`\(?[\w\s,]*\)?\s*=>|[\w\s,{}\[\]]+=[^=~]|\|[\w\s,]+\||function\s*\w*\([\w\s,]*\)`)
	perlQuotes = regexpOnce(`^(s|m|qr|y|tr|q|qq|qw)$`)
	// A subscript that is no number, or a key that is no name.
	computed = regexpOnce(`[\w)\]}"'?./]\s*\[\s*[^\s\]\d-]|[\]"'` + "`" + `]\s*:`)
	idents   = regexpOnce(`[A-Za-z_]\w*`)
)

// names lists the names that the code itself gives to something.
func (c *code) names() map[string]bool {
	names := map[string]bool{}
	for _, text := range bindings().FindAllString(string(c.text), -1) {
		for _, name := range idents().FindAllString(text, -1) {
			names[name] = true
		}
	}
	return names
}

// perlQuote reads q(…), m/…/, s/…/…/flags and their kind.
func (c *code) perlQuote(word string) bool {
	c.at++
	parts := 1
	if word == "s" || word == "y" || word == "tr" {
		parts = 2
	}
	end := c.text[c.at]
	if i := strings.IndexRune("([{<", end); i >= 0 {
		end = rune(")]}>"[i])
	}
	for n := range parts {
		if n > 0 && end != c.text[c.at] || n > 0 && strings.ContainsRune(")]}>", end) {
			c.at++
		}
		if !c.quoted(end, "${}[]()|?*+^@", true) {
			return false
		}
	}
	for isLetter(c.peek(1)) {
		c.at++
		if c.text[c.at] == 'e' {
			return false
		}
	}
	return !c.isMark(c.peek(1))
}

// endsStatement reports whether nothing follows in a statement of awk.
func (c *code) endsStatement() bool {
	rest := strings.TrimLeft(string(c.text[min(c.at+1, len(c.text)):]), " \t")
	return rest == "" || strings.ContainsRune(";}\n#", rune(rest[0]))
}

// awk judges a program of awk.
func (c *code) awk() bool {
	c.prev = 0
	prints, depth := false, 0
	for ; c.at < len(c.text); c.at++ {
		r := c.text[c.at]
		redirects := prints && depth == 0
		switch {
		case c.isMark(r):
			if !c.awkValue(r) {
				return false
			}
		case r == '#':
			if !c.comment() {
				return false
			}
			continue
		case r == '"':
			if !c.awkText(redirects) {
				return false
			}
		case r == '/' && (c.prev == 0 || strings.ContainsRune("(,~!&|{;}\n", c.prev)):
			if !c.quoted('/', "[]", false) {
				return false
			}
		case isLetter(r):
			word := c.word()
			if word == "system" || c.isMark(c.peek(1)) {
				return false
			}
			prints = prints || word == "print" || word == "printf"
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ';' || r == '\n' || r == '}':
			prints = false
		case r == '>' && redirects && !strings.ContainsRune("\">", c.after()):
			return false // print > name: the name is whatever the program reckons
		case r == '|' && c.peek(1) == '|':
			c.at++
		case r == '|' || r == '@':
			return false
		}
		if r != ' ' && r != '\t' {
			c.prev = r
		}
	}
	return true
}

// awkValue judges a value that stands for itself in awk's code: a number, or a variable's name.
func (c *code) awkValue(r rune) bool {
	free := c.after() != '(' && c.prev != '@' && c.prev != '|' && !isLetter(c.peek(-1)) && !isLetter(c.peek(1))
	return c.value(r, func(v string) bool { return aNumber(v) || free && isName(v) && !awkWords().MatchString(v) })
}

// awkText judges a text in quotes; behind print > it is a file.
func (c *code) awkText(redirects bool) bool {
	from := c.at
	if !c.quoted('"', "", false) || c.prev == '>' && redirects && !c.endsStatement() { // print > "./" name
		return false
	}
	return c.prev != '>' || !slices.ContainsFunc(c.text[from:c.at], func(r rune) bool { return c.isMark(r) && !c.value(r, dataFile.holds) })
}

var awkWords = regexpOnce(`^(system|getline|close|fflush|print|printf|func|function|BEGIN|END|BEGINFILE|ENDFILE|` +
	`exit|next|nextfile|delete|return|while|for|do|if|else|in)$`)

// jq judges a program of jq or yq: a value is a path, or plain text in quotes.
func (c *code) jq() bool {
	for ; c.at < len(c.text); c.at++ {
		r := c.text[c.at]
		switch {
		case r == '"':
			if !c.quoted('"', "", false) {
				return false
			}
		case c.isMark(r):
			afterDot := c.peek(-1) == '.'
			if !c.value(r, func(v string) bool {
				isPath := jqPath().MatchString(v) && afterDot != (v[0] == '.')
				return aNumber(v) || isPath || c.at == 0 && (v == "keys" || v == "length" || v == "type")
			}) {
				return false
			}
		case r == '#':
			return false
		case isLetter(r) && c.peek(-1) != '.' && c.peek(-1) != '$':
			switch c.word() {
			case "load", "load_str", "strload", "eval", "input_filename", "debug", "system", "exec":
				return false
			}
			if c.isMark(c.peek(1)) {
				return false
			}
		}
	}
	return true
}

var jqPath = regexpOnce(`^\.?[A-Za-z_][\w.-]*(\[\d*\])*(\.[\w-]+(\[\d*\])*)*$|^\.$|^\.\[\d*\]$`)

// sql judges statements, and the commands of the clients that read them: .shell, \!, system.
func (c *code) sql() bool {
	start := true // of a line or a statement
	for ; c.at < len(c.text); c.at++ {
		r := c.text[c.at]
		switch {
		case (r == '.' || r == '\\') && start, r == '\\':
			if !c.clientCommand() {
				return false
			}
		case r == '\'' || r == '"' || r == '`':
			if !c.quoted(r, "'\"", false) {
				return false
			}
		case c.isMark(r):
			next := c.after()
			glued := isLetter(c.peek(-1)) || isLetter(c.peek(1))
			if !c.value(r, func(v string) bool {
				return aNumber(v) || isName(v) && next != '(' && !start && !glued && !deniedNames().MatchString(strings.ToLower(v)) && len(v) < 40
			}) {
				return false
			}
		case isLetter(r):
			word := strings.ToLower(c.word())
			denied := deniedNames().MatchString(word) && word != "do" && word != "load" && word != "input"
			if denied || among("sqlRuns", word) || start && (word == "load" || word == "source") {
				return false
			}
		}
		start = start && (r == ' ' || r == '\t') || r == '\n' || r == ';'
	}
	return true
}

// clientCommand judges a line such as .mode csv: a few are harmless, with words only.
func (c *code) clientCommand() bool {
	c.at++
	name := ""
	if isLetter(c.peek(0)) {
		name = c.word()
	}
	if !among("sqlShows", name) {
		return false
	}
	for c.at++; c.at < len(c.text) && c.text[c.at] != '\n'; c.at++ {
		if r := c.text[c.at]; c.isMark(r) && !c.value(r, aWord) || r == '|' || r == '`' || r == '!' {
			return false
		}
	}
	return true
}

// talk judges commands for editors and their kind: nothing but lines to print.
func (c *code) talk() bool {
	if strings.ContainsAny(string(c.text), "!|") {
		return false
	}
	for _, r := range c.text {
		if c.isMark(r) && !c.value(r, func(v string) bool { return talkLine().MatchString(v) }) {
			return false
		}
	}
	return true
}

var talkLine = regexpOnce(`^[0-9,$]*[pnl=q]?$`)
