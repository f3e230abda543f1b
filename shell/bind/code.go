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
		if !ended && f.lead() == "" && f.reached(s.vals) && s.couldBeOption(f) {
			if takes := s.optionLike(r, name, f, false); !f.dirty() {
				if takes {
					i++
				}
				continue
			}
		}
		switch {
		case known && (text == "--version" || text == "--help" || text == "--check" || text == "-V"):
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

func (s *scope) couldBeOption(f field) bool {
	return f.dirty() || strings.HasPrefix(f.full(s.vals), "-") && len(f.full(s.vals)) > 1
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
	ok := true
	switch l {
	case anAwk:
		ok = c.awk()
	case aSed:
		ok = c.sed()
	case aJQ:
		ok = c.jq()
	case anSQL:
		ok = c.sql()
	case aTalk:
		ok = c.talk()
	default:
		ok = c.script()
	}
	if len(s.findings) == 0 && !ok {
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
	hidden bool // code in a text runs things
	strict bool // nobody here knows the language well: a value in quotes is plain words
	looks  bool // JavaScript that looks things up by names which it reckons: what it calls must have a name of its own
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
	bound := c.bound()
	c.looks = c.js && computed().MatchString(string(c.text))
	prev, module := rune(0), "" // the last sign that is no blank, and the name before a dot
	harmless := !c.perl || !strings.Contains(string(c.text), "ARGV") || !strings.Contains(string(c.text), "<>")
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
			if r == '`' && !c.js {
				harmless = false
			}
			if !c.quoted(r, "${}", r == '`' || r == '"' && c.perl || strings.HasPrefix(strings.ToLower(module), "f") && len(module) < 3) {
				return false
			}
			module = ""
		case r == '/' && (prev == 0 || strings.ContainsRune("(,=~!&|?{};:", prev) || module == "if" || module == "unless" || module == "split" || module == "grep"):
			if !c.quoted('/', "${}[]()|?*+^@", true) {
				return false
			}
		case isLetter(r):
			word := c.word()
			harmless = c.named(word, prev, module, bound) && harmless
			module, prev = word, 'a'
			continue
		case r == '%' && c.perl && c.peek(1) == 'x' && !isLetter(c.peek(2)): // ruby's %x(…)
			harmless = false
		case r == '$' && c.perl, r == '@' && c.perl, r == '%' && c.perl && isLetter(c.peek(1)):
			first, from := c.peek(1), c.at
			for isLetter(c.peek(1)) || c.peek(1) >= '0' && c.peek(1) <= '9' {
				c.at++
			}
			if next := c.after(); r == '$' && (next == '(' || prev == '&' || prev == '>' && strings.HasSuffix(strings.TrimSpace(string(c.text[:from])), "->")) || first == '$' || first == '{' && r == '$' {
				harmless = false
			}
		case r == '&' && c.perl && isLetter(c.peek(1)), c.callsResult(r):
			harmless = false
		case r == '<' && c.perl && (c.peek(1) == '$' || isLetter(c.peek(1)) && c.peek(1) != 'S'):
			harmless = harmless && c.peek(1) != '$'
		}
		if r != ' ' && r != '\t' && r != '\n' {
			if r != '.' && r != ':' {
				module = ""
			}
			prev = r
		}
	}
	return harmless && !c.hidden
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
func (c *code) named(word string, prev rune, module string, bound map[string]bool) bool {
	next := c.peek(1)
	switch {
	case c.perl && slices.Contains([]string{"s", "m", "qr", "y", "tr", "q", "qq", "qw"}, word) && next != 0 && !isLetter(next) && !strings.ContainsRune(" \t\n=,;)}-", next):
		return c.perlQuote(word)
	case c.isMark(next) || c.at >= len(word) && c.isMark(c.text[c.at-len([]rune(word))]): // a value completes the name
		return false
	case (next == '"' || next == '\'') && len(word) < 3 && strings.Trim(strings.ToLower(word), "rbfu") == "", prev == '.' && word == "load" && (module == "json" || module == "tomllib" || module == "toml"):
		return true
	case word == "__name__" || word == "__file__":
		return true
	case deniedNames().MatchString(word), c.perl && word == "open" && prev != '.':
		return false
	case c.perl && word == "new" && strings.ContainsRune("$(", c.after()), c.perl && word == "to_sym" && c.after() != ']':
		return false // a class or a method whose name is a value
	case c.perl && (word == "inject" || word == "reduce") && c.after() == '(' && !strings.Contains(string(c.text[c.at:]), "(:"):
		return false
	case c.looks && (bound[word] && strings.ContainsRune("(`", c.after()) || word == "call" || word == "apply" || word == "bind"):
		return false
	case word == "require" || word == "import" || word == "from" || word == "use":
		return c.loads(word)
	case prev == '.' || prev == '>' && c.perl:
		return among("harmlessNames", word) || c.after() != '(' && !among("modules", module)
	case among("harmlessNames", word), bound[word], among("modules", word), word == strings.ToUpper(word) && word != "IO" && word != "PTY", c.perl && (next == '}' || c.after() == '='):
		return true
	}
	return c.js && c.after() == ':' || c.after() == '=' && prev != '.' // a key, a name for an argument
}

// loads judges require and import: what they load is a harmless module, or data.
func (c *code) loads(word string) bool {
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
	deniedNames = regexpOnce(`^(eval\w*|exec\w*|system|popen\w*|spawn\w*|fork\w*|Function|GeneratorFunction|AsyncFunction|importlib|__[a-z]+__|__[a-z]+|builtins|globals|locals|vars|getattr|setattr|attrgetter|methodcaller|ctypes|constructor|prototype|globalThis|process_?binding|binding|dlopen|` +
		`subprocess|child_process|qx|shell\w*|passthru|proc_open|open[23]|pty|PTY|webbrowser|runpy|pickle|marshal|shelve|timeit|include\w*|require_\w+|assert|create_function|call_user_func\w*|array_map|usort|loadstring|dofile|loadfile|load|do|send|public_send|__send__|instance_\w+|class_eval|module_eval|method|Kernel|IO|Process|syscall|Worker|vm|mainModule|module|createRequire|input|edit|writefile|load_extension)$`)
	bindings = regexpOnce(`\b(?:def|function|for|foreach|let|const|var|my|our|local|as|lambda|class|catch|sub)\s+[\w\s,$@%(){}\[\]:]*|\(?[\w\s,]*\)?\s*=>|[\w\s,{}\[\]]+=[^=~]|\|[\w\s,]+\||function\s*\w*\([\w\s,]*\)`)
	// A subscript that is no number, or a key that is no name.
	computed = regexpOnce(`[\w)\]}"'?./]\s*\[\s*[^\s\]\d-]|[\]"'` + "`" + `]\s*:`)
	idents   = regexpOnce(`[A-Za-z_]\w*`)
)

// bound lists the names that the code itself gives to something.
func (c *code) bound() map[string]bool {
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
	prev, prints, depth := rune(0), false, 0
	for ; c.at < len(c.text); c.at++ {
		r := c.text[c.at]
		switch {
		case c.isMark(r):
			glued := isLetter(c.peek(-1)) || isLetter(c.peek(1))
			if !c.value(r, func(v string) bool {
				return aNumber(v) || isName(v) && c.after() != '(' && prev != '@' && prev != '|' && !glued && !awkWords().MatchString(v)
			}) {
				return false
			}
		case r == '#':
			if !c.comment() {
				return false
			}
			continue
		case r == '"':
			from := c.at
			if !c.quoted('"', "", false) {
				return false
			}
			if prev == '>' && prints && depth == 0 && !c.endsStatement() {
				return false // print > "./" name
			}
			for _, r := range c.text[from:c.at] {
				if prev == '>' && c.isMark(r) && !c.value(r, dataFile.holds) {
					return false
				}
			}
		case r == '/' && (prev == 0 || strings.ContainsRune("(,~!&|{;}\n", prev)):
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
		case r == '>' && prints && depth == 0 && !strings.ContainsRune("\">", c.after()):
			return false // print > name: the name is whatever the program reckons
		case r == '|' && c.peek(1) == '|':
			c.at++
		case r == '|' || r == '@':
			return false
		}
		if r != ' ' && r != '\t' {
			prev = r
		}
	}
	return true
}

var awkWords = regexpOnce(`^(system|getline|close|fflush|print|printf|func|function|BEGIN|END|BEGINFILE|ENDFILE|exit|next|nextfile|delete|return|while|for|do|if|else|in)$`)

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
				return aNumber(v) || jqPath().MatchString(v) && (afterDot || v[0] == '.') && !(afterDot && v[0] == '.') || c.at == 0 && slices.Contains([]string{"keys", "length", "type"}, v)
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
			if deniedNames().MatchString(word) && word != "do" && word != "load" && word != "input" || word == "program" || word == "copy" || word == "attach" || word == "vacuum" || start && (word == "source" || word == "load") || word == "outfile" || word == "dumpfile" {
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
	if !slices.Contains([]string{"mode", "headers", "header", "tables", "schema", "indexes", "width", "nullvalue", "separator", "timeout", "d", "dt", "l", "x", "timing", "databases", "changes", "stats"}, name) {
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
