package bind

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/words"
)

// shell judges what a shell runs: the text after -c, a file, or its input.
func (s *scope) shell(name string, args []field, in input) {
	if (name == "busybox" || name == "toybox") && len(args) > 0 {
		s.run(args, in)
		return
	}
	if i := slices.IndexFunc(args, func(f field) bool { return f.lit() == "--" }); name == "capsh" && i >= 0 {
		args = args[i+1:] // bash's own
	}
	code, input := false, false
	spelled := name == "pwsh" || name == "powershell" // its flags are words: -NoProfile, -Command
	for i := 0; i < len(args); i++ {
		f := args[i]
		text, isLit := f.literal()
		switch {
		case spelled && isLit && strings.HasPrefix(text, "-"):
			code = code || strings.HasPrefix(strings.ToLower(text), "-c")
		case isLit && len(text) > 1 && (text[0] == '-' || text[0] == '+') && text[1] != '-':
			if text == "-n" {
				return // it only reads the file
			}
			code = code || text[0] == '-' && strings.Contains(text, "c")
			input = input || text[0] == '-' && strings.Contains(text, "s")
			i += strings.Count(text, "o") + strings.Count(text, "O") // each has a word of its own: -euo pipefail
		case text == "--version" || text == "--help":
			return
		case text == "--command":
			code = true
		case text == "--rcfile" || text == "--init-file":
			if i++; i < len(args) {
				s.script(args[i], in, aShell, name)
			}
		case isLit && strings.HasPrefix(text, "--") && text != "--", isLit && text == "-":
		default:
			if text == "--" {
				if i++; i >= len(args) {
					continue
				}
				f = args[i]
			}
			switch {
			case code:
				s.shellCode(f, args[i+1:], in, name+" -c")
			case input:
				s.options(args[i:], options{runs: "*"}, name)
				s.nested(in, args[i:], name)
			default:
				s.script(f, in, aShell, name)
			}
			return
		}
	}
	if !code {
		s.nested(in, nil, name)
	}
}

// nested judges a shell that reads its code from its input.
func (s *scope) nested(in input, args []field, name string) {
	if in.code != nil {
		s.shellCode(*in.code, args, input{}, name+"'s input")
		return
	}
	s.stdin(in, aShell, name)
}

// script judges a file that is run.
func (s *scope) script(f field, in input, l lang, name string) {
	const instead = "run a file of your own, and pass the value as an argument"
	text, known := f.literal()
	known = known && !strings.ContainsAny(text, "*?[") // sh ./tmp.*
	switch {
	case len(f.values(s.vals)) > 0 && !s.chosen(f):
		s.report(f.values(s.vals)[0], "the file that "+name+" runs", whyCode, instead)
	case f.open():
		s.all(numbers, "the file that "+name+" runs", whyCode, instead)
	case known && (text == "/dev/stdin" || text == "/dev/fd/0" || text == "-"):
		s.stdin(in, l, name)
	case known && (strings.HasPrefix(text, "/dev/") || strings.HasPrefix(text, "/proc/")) && text != "/dev/null":
		s.all(numbers, text, whyCode, instead) // whatever was opened there
	case !known && len(s.deeds.writes) > 0:
		s.all(numbers, "the file that "+name+" runs", whyCode, instead)
	case known && s.deeds.moves && !strings.HasPrefix(text, "/") && text != "":
		s.all(never, text+" in a folder that a value chooses", whyCode, "write the folder yourself, or begin its path with a folder of yours")
	case known && s.written(text):
		s.all(numbers, text+", which the line writes", whyCode, instead)
	case l == aShell && s.makes(f):
		k := plainMany
		if s.deeds.exports {
			k = numbers
		}
		s.all(k, "the file that "+name+" runs, which the line makes", whyCode, instead) // its own code may run values
	}
}

// makes reports whether the line itself may make the file that a word names: <(echo …), or one that it writes to.
func (s *scope) makes(f field) bool {
	text, known := f.literal()
	if tail, ours := s.inPlace(f); ours {
		text, known = tail, true
	}
	if known {
		return s.deeds.made[path.Base(text)]
	}
	return len(s.deeds.made) > 0 || len(f.bits) == 1 && f.bits[0].hole && f.bits[0].name == ""
}

// stdin judges a program that reads its code from its input.
func (s *scope) stdin(in input, l lang, name string) {
	switch {
	case in.code != nil && l == aShell:
		s.shellCode(*in.code, nil, input{}, name+"'s input")
	case in.code != nil:
		s.langCode(*in.code, l, name)
	case in.open, s.deeds.files() && l == aShell:
		s.all(numbers, name+"'s input", whyCode, asArgument)
	}
}

// shellCode judges text that a shell parses again, with args as its $1 and the
// following. A value there is pasted, so it must be plain; then the text is
// judged as a line of its own.
func (s *scope) shellCode(f field, args []field, in input, place string) {
	if !s.pasted(f, plainWords, place, asArgument) || len(s.findings) > 0 {
		return
	}
	var b strings.Builder
	for _, x := range f.bits {
		switch {
		case x.value > 0:
			b.WriteString("${" + s.Vars[x.value-1].Name + "}")
		case x.hole:
			b.WriteString("${" + s.prefix + "hole}")
		default:
			b.WriteString(x.text)
		}
	}
	file, err := words.Parse(b.String())
	if err != nil || s.depth >= maxDepth {
		if len(f.values(s.vals)) > 0 || s.deeds.exports && strings.Contains(f.lit(), "$") {
			s.all(numbers, place, whyCode, asArgument)
		}
		return
	}
	inner := &scope{judge: s.judge, depth: s.depth + 1, open: cloneOpen(s.open), fed: in.open}
	inner.positional = s.positional && (place == "eval" || place == "trap") || slices.ContainsFunc(args, func(f field) bool { return f.reached(s.vals) })
	outer := [3]any{s.assigns, s.funcs, s.inputs}
	inner.look(file)
	s.assigns, s.funcs, s.inputs = outer[0].(map[string]bool), outer[1].(map[string]bool), outer[2].(inputs)
}

func cloneOpen(m map[string]bool) map[string]bool {
	c := make(map[string]bool, len(m))
	for k := range m {
		c[k] = true
	}
	return c
}

// pasted judges the values that stand in code. One that came by a detour could be all of it.
func (s *scope) pasted(f field, harmless func(string) bool, place, instead string) bool {
	if f.open() && !s.all(numbers, place, whyCode, instead) {
		return false
	}
	for _, x := range f.bits {
		if x.value > 0 && !harmless(x.said(s.vals)) {
			s.report(x.value-1, place, whyCode, s.hint(x.value-1, place, instead))
			return false
		}
	}
	return true
}

// hint says how to write it: $1 may well be awk's own.
func (s *scope) hint(i int, place, instead string) string {
	written := s.vals[i].written
	if len(written) == 2 && written[0] == '$' && '0' <= written[1] && written[1] <= '9' {
		return `write \` + written + ` if you mean the program's own; else ` + instead
	}
	return instead
}

// reader judges an interpreter: its code, its file, or its input, and options that bring more code.
func (s *scope) reader(name string, r reader, args []field, in input) {
	given := false // the code is known: operands are data
	for i := 0; i < len(args) && len(s.findings) == 0; i++ {
		f := args[i]
		text, isLit := f.literal()
		flag := f.lead()
		next := field{}
		if i+1 < len(args) {
			next = args[i+1]
		}
		switch {
		case isLit && text == "--":
			s.operands(name, r, args[i+1:], in, given, true)
			return
		case isLit && text == "-" && !(given && r.operand):
			s.stdin(in, r.lang, name)
			for _, f := range args[i+1:] {
				s.perl(name, f)
			}
			return
		case isLit && (text == "--version" || text == "--help" || text == "--check" || len(args) == 1 && (text == "-V" || text == "-v" || text == "-h")), text == "-l" && name == "php":
			return // it only reads the file, or none
		case isLit && text == "--args": // gdb's
			s.run(args[i+1:], in)
			return
		case isLit && r.isCode(text):
			given, i = true, i+1
			s.langCode(next, r.lang, name)
			if r.rest {
				return
			}
		case r.codeWithin(flag) > 0:
			given = true
			s.langCode(after(f, flag[:r.codeWithin(flag)]), r.lang, name)
		case isLit && len(text) > 2 && text[1] != '-' && listed(r.data, "-"+text[len(text)-1:]) && !listed(r.data, text[:2]):
			i++ // -nl 5
		case r.codeJoined(flag) && f.reached(s.vals):
			given = true
			s.langCode(after(f, flag[:r.joined(r.code, flag)]), r.lang, name)
		case isLit && listed(r.files, text):
			i++
			s.script(next, in, r.lang, name)
			s.module(next.lit(), args[min(i+1, len(args)):], in)
			if r.rest {
				return // a module: the rest is data
			}
			given = given || r.operand || text == "-f" || text == "--file"
		case r.joined(r.files, flag) > 0 && !listed(r.data, flag[:2]):
			s.script(after(f, flag[:r.joined(r.files, flag)]), in, r.lang, name)
			given = given || r.operand
		case isLit && listed(r.data, text):
			i++
			if (next.many || text == "-W" && versionless(name) == "python") && next.reached(s.vals) && !s.all(wordOnly, name, whyCode, "put the value in double quotes") {
				return
			}
		case r.joined(r.data, flag) > 0:
			if f.many && f.reached(s.vals) && !s.all(plainOnly, name, whyCode, "put the value in double quotes") {
				return
			}
		case strings.HasPrefix(f.text(s.vals), "-"):
			if f.reached(s.vals) {
				s.all(numbers, "an option of "+name, whyOption, asArgument)
			}
		case !given && isDatabase(name):
			s.database(name, r, args[i:], in)
			return
		case !given && text == "run" && (name == "deno" || name == "bun" || name == "mix"):
		default:
			s.operands(name, r, args[i:i+1], in, given, false)
			if base := path.Base(text); base == "artisan" || base == "manage.py" || base == "rails" || base == "console" {
				s.codeWords(base, args[i+1:])
			}
			if name == "gdb" || name == "lldb" {
				continue // options may follow
			}
			if !given && !r.operand {
				return // the rest is data
			}
			given = true
		}
	}
	if !given {
		s.stdin(in, r.lang, name)
	}
}

// operands judges what follows the options: the code or a file that runs, unless that was given; then data.
func (s *scope) operands(name string, r reader, args []field, in input, given, dashes bool) {
	for i, f := range args {
		switch {
		case given || i > 0:
			if !dashes {
				s.options([]field{f}, options{runs: "*"}, name)
			}
			s.perl(name, f)
		case r.operand:
			s.langCode(f, r.lang, name)
		default:
			s.script(f, in, r.lang, name)
			return
		}
	}
}

func isDatabase(name string) bool {
	return name == "sqlite3" || name == "duckdb" || name == "psql" || name == "mysql" || name == "mariadb"
}

// module judges python -m: some modules run what they are given.
func (s *scope) module(name string, args []field, in input) {
	if _, known := risky()[name]; known || packagers()[name] {
		s.plain(name, args, in) // python -m pip
	}
	switch name {
	case "json.tool":
		s.apart(name, args)
	case "zipfile", "tarfile":
		s.options(args, options{runs: "*"}, name)
	}
	if !runningModules()[name] {
		return
	}
	if s.deeds.exports && !s.all(numbers, "python -m "+name, whyCode, "run a file of your own") {
		return
	}
	for _, f := range args {
		if f.reached(s.vals) && (f.open() || !s.chosen(f) && !(dotted().MatchString(f.text(s.vals)) && !runsCode()[name])) {
			s.all(numbers, "python -m "+name, whyCode, "run a file of your own, and pass the value as an argument")
			return
		}
	}
	s.stdin(in, aScript, "python -m "+name)
}

// dotted: a module in a package of the author's, tests.test_x; not a file, x.py.
var dotted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\w+(\.\w+)*\.\w*[A-Za-oq-xz_0-9]$`) })

// runsCode are modules that take code itself.
var runsCode = sync.OnceValue(func() map[string]bool { return set("timeit code pdb cProfile profile trace runpy pydoc inspect") })

// database judges what follows a database's name: for sqlite3 that is code.
func (s *scope) database(name string, r reader, args []field, in input) {
	s.options(args, risky()[name], name)
	if name == "sqlite3" || name == "duckdb" {
		for _, f := range args[1:] {
			s.langCode(f, r.lang, name)
		}
	}
	if name != "sqlite3" || len(args) == 1 {
		for i, f := range args {
			if t := f.lit(); (t == "-c" || t == "-e" || t == "--command" || t == "--execute") && i+1 < len(args) {
				s.langCode(args[i+1], r.lang, name)
			}
		}
		s.stdin(in, r.lang, name)
	}
}

// perl opens its operands, and runs one that has a pipe in it; so does ruby.
func (s *scope) perl(name string, f field) {
	if (name == "perl" || name == "ruby") && f.reached(s.vals) {
		s.all(noPipe, name, whyCode, "give it the file as its input: < file")
	}
}

// isCode recognises a flag whose word is code, also joined to others: -ne.
func (r reader) isCode(text string) bool {
	if listed(r.code, text) {
		return true
	}
	return len(text) > 2 && text[0] == '-' && text[1] != '-' && !listed(r.data, text[:2]) && listed(r.code, "-"+text[len(text)-1:])
}

// codeWithin finds where the code begins in perl's -pe1: flags, and then code in the same word.
func (r reader) codeWithin(text string) int {
	if len(text) < 3 || text[0] != '-' || text[1] == '-' || r.lang != aScript || !listed(r.code, "-e") || listed(r.files+" "+r.data, text[:2]) {
		return 0
	}
	i := strings.IndexFunc(text[1:], func(c rune) bool { return listed(r.code, "-"+string(c)) })
	if i < 0 || i+2 >= len(text) || strings.Trim(text[1:1+i], "abcdefghijklmnopqrstuvwxyz0") != "" {
		return 0
	}
	return i + 2
}

// codeJoined recognises -e… and --expression=… with the code in the same word.
func (r reader) codeJoined(flag string) bool { return r.joined(r.code, flag) > 0 }

// joined returns how long the option of a list is with which a word begins.
func (r reader) joined(list, word string) int {
	if len(word) < 2 || word[0] != '-' {
		return 0
	}
	if word[1] != '-' {
		if listed(list, word[:2]) { // -F"$0" too
			return 2
		}
		return 0
	}
	name, _, ok := strings.Cut(word, "=")
	if ok && len(name) > 2 && slices.ContainsFunc(strings.Fields(list), func(l string) bool { return strings.HasPrefix(l, name) }) {
		return len(name) + 1
	}
	return 0
}

// langCode judges code of another language.
func (s *scope) langCode(f field, l lang, name string) {
	place := name + "'s program"
	whole := f.text(s.vals)
	var own strings.Builder // the author's part
	for _, x := range f.bits {
		if x.value == 0 {
			own.WriteString(x.text)
		}
	}
	if tame := runs(own.String(), l, versionless(name)); tame != nil {
		if !s.all(*tame, place+", which runs things", whyCode, "check the value in the program first") {
			return
		}
	}
	if (name == "perl" || name == "ruby") && setsOperands().MatchString(own.String()) && !s.all(noPipe, place+", which opens files", whyCode, "open the file with three arguments") {
		return
	}
	if f.open() && !s.all(numbers, place, whyCode, asArgument) {
		return
	}
	at := 0
	for _, x := range f.bits {
		if x.value == 0 {
			at += len(x.text)
			if x.hole {
				at++
			}
			continue
		}
		said := x.said(s.vals)
		before, behind := whole[:at], whole[at+len(said):]
		at += len(said)
		instead, ok := s.fits(said, before, behind, l)
		if ok && loads(versionless(name), before) {
			ok = aNumber(said)
		}
		if tcl()[name] {
			ok = ok && !strings.Contains(said, "[") // a command, in its quotes too
		}
		if !ok {
			if instead == "" {
				instead = s.hint(x.value-1, place, asArgument)
			}
			s.report(x.value-1, place, whyCode, instead)
			return
		}
	}
}

var tcl = sync.OnceValue(func() map[string]bool { return set("tclsh wish expect") })

// setsOperands finds code that says itself which files perl's <> and ruby's ARGF open: one with a pipe in its name is a command.
var setsOperands = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`@\{?(main)?(::)?ARGV\b|\$ARGV\[\d*\]\s*=[^=~]|\*ARGV\b|\bARGV\s*(<<|=|\.(replace|push|unshift|concat|insert|append|prepend))`)
})

// loads reports whether code before a value is about to load what it names: import, require.
func loads(name, before string) bool {
	switch name {
	case "psql", "mysql", "mariadb", "sqlite", "duckdb", "redis-cli", "mongosh", "mongo":
		return false
	}
	return loading().MatchString(before)
}

var loading = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?m)(^|[;:{(\\s])(import|from|require|require_relative|include|include_once|require_once|load|use|do|source|import_module|__import__|library|loadfile|dofile)\\b[\\s(]*[\"'`]?[^;\"'`()\n]*\\z")
})

// fits reports whether a value does no harm where it stands in code, and if not, how to write it.
func (s *scope) fits(said, before, behind string, l lang) (instead string, ok bool) {
	if aNumber(said) {
		return "", true
	}
	simple := !strings.ContainsAny(before+behind, "\n`")
	if d := perlPattern().FindStringSubmatch(before); d != nil && l == aScript && plainWords(said) && !strings.Contains(said, d[1]) && strings.Contains(behind, d[1]) {
		return "", true // s/x/HERE/
	}
	switch l {
	case aSed:
		return fitsSed(said, before, behind)
	case anAwk:
		if q, ok := openQuote(before); ok && simple && q == '"' {
			return "", strings.IndexByte(behind, q) >= 0 && inQuotes(said, q)
		}
		if awkRegex().MatchString(before) && simple && strings.Contains(behind, "/") {
			return "", between(said, '/')
		}
		return "", plainText(said) && !strings.Contains(said, "/")
	}
	if q, ok := openQuote(before); ok && strings.Contains(before[strings.LastIndexByte(before, q):], "{") {
		return "", plainText(said) && said != "" && !strings.HasPrefix(said, ".") // f"{HERE}"
	}
	if q, ok := openQuote(before); ok && simple && !strings.ContainsAny(before, "#\\") && !strings.Contains(before, "//") && !strings.Contains(before, "'''") && !strings.Contains(before, `"""`) && strings.IndexByte(behind, q) >= 0 {
		return "", inQuotes(said, q)
	}
	// In code of several lines, plain words between quotes of one line.
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if q, ok := openQuote(line); ok && !strings.Contains(line, "#") && strings.IndexByte(strings.SplitN(behind, "\n", 2)[0], q) >= 0 && plainWords(said) {
		return "", true
	}
	return "", plainText(said) && said != "" && !strings.HasPrefix(said, ".")
}

// openQuote returns the quote that is open at the end of code.
func openQuote(code string) (byte, bool) {
	var quote byte
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '\\':
			i++
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote, quote != 0
}

var perlPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:s([/|,!])[^/|,!\\]*(?:[/|,!][^/|,!\\]*)?)$`)
})

var awkRegex = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[~!({;,&|])\s*/[^/\\]*$`) })
