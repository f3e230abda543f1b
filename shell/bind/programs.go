package bind

import (
	"path"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
)

// run judges a simple command by its words.
func (s *scope) run(fs []field, in input) {
	for len(fs) > 0 && strings.HasPrefix(fs[0].lit(), "-") {
		fs = fs[1:] // an option of whatever runs it: command -- x
	}
	if len(fs) == 0 || len(s.findings) > 0 || !s.file(fs[0], "a command's name", whyName, ownCommand) {
		return
	}
	text, known := fs[0].literal()
	if !known {
		if text = fs[0].full(s.vals); strings.LastIndexByte(text, 0) >= strings.LastIndexByte(text, '/') {
			s.nameless(fs[1:])
			return
		}
		text = "x/" + text[strings.LastIndexByte(path.Dir(text), '/')+1:] // $ROOT/bin/sh
	}
	if s.aliases[text] || text != "[" && strings.ContainsAny(text, "*?[") {
		s.nameless(fs[1:])
		return
	}
	s.program(programName(text), fs[1:], in)
}

// nameless judges a command that could be any: no value may be what a shell or an interpreter would run.
func (s *scope) nameless(args []field) {
	seen := false
	for i, f := range args {
		if f.reached(s.vals) {
			k := operand
			if !seen || strings.HasPrefix(args[i-1].lit(), "-") {
				k = number
			}
			if !s.within(f, k, "a command whose name is not known", whyCode, "write the command's name yourself") {
				return
			}
		}
		seen = seen || !strings.HasPrefix(f.lit(), "-")
	}
}

// program judges the words of a command whose name is known.
func (s *scope) program(name string, args []field, in input) {
	if len(s.findings) > 0 || s.funcs[name] {
		return
	}
	r, rest := find(name, args)
	if r == nil {
		s.authors(args, in)
		return
	}
	if rows()[name].is(isCall) {
		calls[name](s, name, args, in)
		return
	}
	if base := rows()[name]; base != nil && r != base && len(rest)+1 < len(args) { // its own options stand before the subcommand
		s.tool(&row{kind: isTool, words: base.words}, name, args[:len(args)-len(rest)-1], in)
	}
	switch r.kind {
	case isShell:
		s.shell(name, args, in)
	case isLang:
		s.reader(r, name, rest, in)
	case isWrap, isJoin:
		s.wrapper(r, name, rest, in)
	case isTool:
		s.tool(r, name, rest, in)
	}
}

// authors judges a program that the table does not name. Its words are the author's business, unless one of
// them is a program that reads code, with the words behind it.
func (s *scope) authors(args []field, in input) {
	for i, f := range args {
		text := f.lit()
		if text == "" || strings.HasPrefix(text, "./") || i+1 == len(args) {
			continue
		}
		r := lookup(programName(text), nil)
		if r != nil && (r.kind == isShell || r.kind == isLang && strings.HasPrefix(args[i+1].lead(), "-") || text == "eval") && joined(args[i+1:]).reached(s.vals) {
			s.run(args[i:], in)
			return
		}
	}
}

// calls are programs, most of them the shell's own, that read their words in a way of their own.
var calls map[string]func(s *scope, name string, args []field, in input)

func init() {
	calls = map[string]func(*scope, string, []field, input){
		"eval": func(s *scope, name string, args []field, _ input) { s.shellCode(joined(args), name) },
		"source": func(s *scope, name string, args []field, _ input) {
			if len(args) > 0 {
				s.script(args[0], name)
			}
		},
		"trap": func(s *scope, name string, args []field, _ input) {
			if len(args) > 0 && args[0].lit() == "--" {
				args = args[1:]
			}
			if len(args) > 0 {
				s.shellCode(args[0], name)
			}
		},
		"alias": func(s *scope, name string, args []field, _ input) {
			for _, f := range args {
				s.shellCode(after(f, strings.IndexByte(f.lead(), '=')+1), name)
			}
		},
		"let": (*scope).let, "set": (*scope).setWords, "printf": (*scope).printf, "test": (*scope).test, "[": (*scope).test,
		"git": (*scope).git, "find": (*scope).find, "make": (*scope).make, "dd": (*scope).dd, "command": (*scope).command,
		"type":    func(*scope, string, []field, input) {},
		"busybox": func(s *scope, _ string, args []field, in input) { s.run(args, in) },
	}
	calls["."], calls["toybox"] = calls["source"], calls["busybox"]
	for _, name := range []string{"bind", "complete", "compgen", "compopt", "enable", "fc", "hash", "history", "shopt"} {
		calls[name] = (*scope).noValues
	}
	for _, name := range []string{"unset", "read", "mapfile", "readarray", "getopts", "wait", "declare", "typeset", "local", "export", "readonly"} {
		calls[name] = (*scope).namer
	}
}

func (s *scope) noValues(name string, args []field, _ input) {
	for _, f := range args {
		if !s.within(f, number, name, whyCode, asArgument) {
			return
		}
		if s.mentions(f.own()) || len(s.handed) > 0 && strings.Contains(f.own(), "$") {
			s.all(number, name, whyCode, asArgument)
			return
		}
	}
}

func (s *scope) let(name string, args []field, _ input) {
	if joined(args).reached(s.vals) || strings.ContainsAny(joined(args).own(), "abcdefghijklmnopqrstuvwxyz") {
		s.expanded(name)
	}
}

// setWords judges set: words behind -- are data, before it they could be options.
func (s *scope) setWords(name string, args []field, _ input) {
	for _, f := range args {
		if f.lit() == "--" {
			return
		}
		if f.reached(s.vals) && f.lead() == "" && !s.within(f, noOption, name, whyOption, "write set -- before it") {
			return
		}
	}
}

func (s *scope) command(_ string, args []field, in input) {
	if len(args) > 0 && (args[0].lit() == "-v" || args[0].lit() == "-V") {
		return
	}
	if len(args) > 0 && args[0].lit() == "-p" {
		args = args[1:]
	}
	s.run(args, in)
}

// namer judges commands of the shell whose words are names of variables.
func (s *scope) namer(name string, args []field, _ input) {
	for i, f := range args {
		flag := f.lit()
		switch {
		case i > 0 && name == "read" && slices.Contains([]string{"-p", "-d", "-i", "-t", "-n", "-N", "-u"}, args[i-1].lit()) && !f.many:
		case (name == "mapfile" || name == "readarray") && strings.HasPrefix(f.lead(), "-") && strings.Contains(f.lead(), "C"):
			s.shellCode(joined(append([]field{after(f, strings.IndexByte(f.lead(), 'C')+1)}, args[i+1:]...)), name)
			return
		case len(flag) > 1 && flag[0] == '-':
			if name != "read" && name != "unset" && name != "export" && strings.ContainsAny(flag, "inaA") {
				s.expanded(name)
			}
		case s.ints[flag] && name != "unset":
			s.expanded(name + " " + flag)
		case isObeyed(flag) && name != "unset" && name != "export":
			s.all(never, name+" "+flag, whySetting, "read into a variable of your own")
		default:
			s.names(name, f)
		}
	}
}

func (s *scope) printf(_ string, args []field, _ input) {
	if len(args) == 0 || !strings.HasPrefix(args[0].full(s.vals), "-v") && !args[0].dirty() {
		return
	}
	if args[0].dirty() {
		s.all(noOption, "printf", whyOption, "write '%s' before it")
		return
	}
	to := after(args[0], 2)
	if args[0].lit() == "-v" && len(args) > 1 {
		to = args[1]
	}
	switch {
	case len(args[0].values(s.vals)) > 0:
		s.within(args[0], never, "printf -v", whySetting, nameIt)
	case isObeyed(to.lit()):
		s.all(number, "printf -v "+to.lit(), whySetting, "print into a variable of your own")
	case !isName(to.lit()) || among("integers", to.lit()):
		s.expanded("printf -v")
		s.names("printf -v", to)
	}
}

// test judges [ and test: -v and -R take a variable's name, which is expanded.
func (s *scope) test(name string, args []field, _ input) {
	for i, f := range args {
		before := ""
		if i > 0 {
			before = args[i-1].lit()
		}
		switch {
		case f.lit() == "-v" || f.lit() == "-R":
			s.expanded(name + " " + f.lit())
		case !f.reached(s.vals) || strings.HasPrefix(before, "-") || strings.HasSuffix(before, "=") || strings.HasPrefix(before, "="):
		case i+1 < len(args) && args[i+1].lit() != "]" && isOperator(args[i+1].lit()):
		default:
			if !s.within(f, noSwitch, name+" -v", whyArithmetic, "write -n before it") {
				return
			}
		}
	}
}

func isOperator(text string) bool {
	return slices.Contains([]string{"=", "==", "!=", "<", ">", "-eq", "-ne", "-gt", "-ge", "-lt", "-le", "-nt", "-ot", "-ef", "-a", "-o"}, text)
}

func (s *scope) dd(name string, args []field, _ input) {
	for _, f := range args {
		if f.lead() == "" && f.reached(s.vals) && !s.within(f, never, name, whyOption, "write if= before it") {
			return
		}
	}
}

// script judges a file that is run by a shell or an interpreter.
func (s *scope) script(f field, name string) {
	s.file(f, "the file that "+name+" runs", whyCode, ownFile)
}

// stdin judges a program that reads its code from its input.
func (s *scope) stdin(in input, r *row, name string) {
	switch {
	case in.code != nil && r.kind == isShell:
		s.shellCode(*in.code, name+"'s input")
	case in.code != nil:
		s.langCode(*in.code, r.lang(), name)
	case in.fed, r.kind == isShell, s.depth > 0:
		s.all(number, name+"'s input", whyCode, asArgument)
	}
}

// shell judges what a shell runs: the text after -c, a file, or its input.
func (s *scope) shell(name string, args []field, in input) {
	code, fromInput := false, false
	r := lookup(name, nil)
	for i := 0; i < len(args); i++ {
		f := args[i]
		text, known := f.literal()
		power := (name == "pwsh" || name == "powershell" || name == "cmd") && known
		switch {
		case !known:
		case text == "-n" || text == "--version" || text == "--help":
			return // it only reads the file, or none
		case strings.HasPrefix(text, "--c"), power && (strings.HasPrefix(strings.ToLower(text), "-c") || strings.HasPrefix(text, "/")):
			code = true
			continue
		case text == "--rcfile" || text == "--init-file":
			if i++; i < len(args) {
				s.script(args[i], name)
			}
			continue
		case text == "-" || strings.HasPrefix(text, "--"):
			continue
		case len(text) > 1 && (text[0] == '-' || text[0] == '+'):
			code = code || strings.Contains(text, "c") && text[0] == '-'
			fromInput = fromInput || strings.Contains(text, "s") && text[0] == '-'
			i += strings.Count(text, "o") + strings.Count(text, "O") // each has a word of its own: -euo pipefail
			continue
		}
		switch {
		case code && power:
			s.shellCode(joined(args[i:]), name)
		case code:
			s.shellCode(f, name+" -c")
		case fromInput:
			if f.reached(s.vals) {
				s.within(f, noOption, name, whyOption, "write -- before it")
			}
			s.stdin(in, r, name)
		default:
			s.script(f, name)
		}
		return
	}
	if !code {
		s.stdin(in, r, name)
	}
}

// shellCode judges text that a shell parses again. Rule 2: a value there is pasted, so it must be
// plain; then the text is judged as a line of its own.
func (s *scope) shellCode(f field, place string) {
	if !s.within(f, plain, place, whyCode, asArgument) || f.dirty() && !s.all(number, place, whyCode, asArgument) {
		return
	}
	for _, x := range f.bits {
		if x.value > 0 && !plainText(strings.ReplaceAll(x.said(s.vals), " ", "")) {
			s.report(x.value-1, place, whyCode, asArgument)
			return
		}
	}
	holes := strings.NewReplacer("\x00", "${__hole}")
	if f.reached(s.vals) && !words.SameShape(holes.Replace(f.full(s.vals)), holes.Replace(f.join(func(bit) string { return "x" }))) {
		s.within(f, word, place, whyCode, asArgument) // X=$0 ls: a second word would be the command
	}
	file, err := parseHoles(f.join(func(x bit) string { // as many words as the shell will see
		return strings.TrimSpace(strings.Repeat(" ${"+s.Vars[x.value-1].Name+"}", max(1, len(strings.Fields(x.said(s.vals))))))
	}))
	if err != nil || s.depth >= maxDepth {
		if strings.Contains(f.own(), "$") || f.reached(s.vals) {
			s.all(number, place, whyCode, asArgument)
		}
		return
	}
	s.look(file, s.depth+1, true)
}

// wrapper judges a program that runs another, or hands its words to a shell: its own words, then the command.
func (s *scope) wrapper(r *row, name string, args []field, in input) {
	rest, replace, open := args, "", r.before
	for len(rest) > 0 && len(s.findings) == 0 {
		f := rest[0]
		text, known := f.literal()
		key, _, assigns := strings.Cut(f.lead(), "=")
		o := r.option(f.lead())
		switch {
		case text == "-" && r.assigns():
			rest = rest[1:]
			continue
		case text == "--":
			rest = rest[1:]
			if open > 0 && r.dashes() {
				open = 0
			}
			continue
		case assigns && isName(key) && r.assigns():
			s.setting(key, after(f, len(key)+1), true)
			rest = rest[1:]
			continue
		case assigns && name == "env" && !strings.HasPrefix(key, "-"):
			if s.mentions(f.own()) || f.reached(s.vals) {
				s.all(number, name, whySetting, nameIt)
			}
			rest = rest[1:]
			continue
		case strings.HasPrefix(f.lead(), "-") && len(f.lead()) > 1:
			if name == "xargs" && replacing().MatchString(text) {
				replace = replacement(text, rest)
			}
			n := s.ownOption(r, name, o, rest, in)
			if o.sort == '!' || n == 0 {
				return
			}
			rest = rest[n:]
			continue
		case len(f.values(s.vals)) > 0 && len(f.values(s.vals)) == len(f.bits) && strings.HasPrefix(f.full(s.vals), "-"):
			s.within(f, never, name, whyChoice, ownCommand)
			return
		case open > 0:
			if f.reached(s.vals) && !s.within(f, r.ops(operand), name, whyChoice, "write it yourself") {
				return
			}
			open--
			rest = rest[1:]
			continue
		}
		_ = known
		break
	}
	if len(rest) == 0 {
		if in.fed && !slices.Contains([]string{"xargs", "env", "nice", "nohup", "exec", "time", "builtin", "stdbuf"}, name) || name == "parallel" || name == "sem" {
			s.stdin(in, &row{kind: isShell}, name)
		}
		return
	}
	s.wrapped(r, name, rest, replace, in)
}

// ownOption judges a wrapper's own option, and returns how many words it takes.
func (s *scope) ownOption(r *row, name string, o option, rest []field, in input) int {
	f := rest[0]
	attached := o.rest < len(f.lead()) || len(f.bits) > 1
	next := ""
	if len(rest) > 1 {
		next = rest[1].own()
	}
	if len(s.handed) > 0 && strings.HasPrefix(next, "|") || s.mentions(f.own()) || o.sort != '-' && strings.ContainsAny(next, " |") && s.mentions(next) {
		s.all(number, "an option of "+name, whyWritten, dataName)
		return 0
	}
	switch {
	case o.sort == 0: // nobody knows whether the next word belongs to it: both must be harmless
		if !s.within(f, version, "an option of "+name, whyOption, "write the options yourself") {
			return 0
		}
		if len(rest) > 2 && !attached {
			next := rest[1].lit()
			switch known := lookup(programName(next), nil) != nil && !aNumber(next); {
			case rest[1].reached(s.vals):
				if !s.within(rest[1], number, name, whyChoice, ownCommand) {
					return 0
				}
				return 2
			case aNumber(next) || strings.HasSuffix(next, "/") || strings.HasPrefix(next, "/dev/"):
				return 2
			case next == "--" || strings.HasPrefix(next, "-") || known || strings.Contains(next, "/"):
			default:
				s.wrapper(r, name, rest[2:], in)
			}
		}
		return 1
	case o.sort == '-':
		return 1
	case o.sort == '&':
		return min(3, len(rest))
	case attached:
		s.optionWord(r, name, o, after(f, o.rest), in)
		if o.sort == '!' && r.kind == isWrap && len(rest) > 1 { // env -S "A=1 bash -c" "$0"
			s.shellCode(joined(append([]field{after(f, o.rest)}, rest[1:]...)), name)
		}
		return 1
	case len(rest) > 1:
		if o.sort == '!' {
			s.shellCode(joined(rest[1:]), name)
			return len(rest)
		}
		s.optionWord(r, name, o, rest[1], in)
		return 2
	}
	return 1
}

// wrapped judges the command that a wrapper runs.
func (s *scope) wrapped(r *row, name string, rest []field, replace string, in input) {
	if rest[0].lit() == "--" {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
	case r.kind == isJoin && (name == "parallel" || name == "sem"):
		s.parallel(rest, in)
	case r.kind == isJoin:
		s.shellCode(joined(rest), name)
		if in.fed && r.before > 0 && joined(rest).reached(s.vals) {
			return
		}
	case name == "xargs":
		if replace != "" {
			rest = replaced(rest, replace)
		} else {
			rest = append(slices.Clone(rest), unknown(), unknown()) // an option may take the first
		}
		s.run(rest, input{})
	default:
		s.run(rest, in)
	}
}

// parallel judges GNU parallel: the words behind ::: are pasted, and so is its input.
func (s *scope) parallel(rest []field, in input) {
	end := slices.IndexFunc(rest, func(f field) bool { return strings.HasPrefix(f.lit(), "::") })
	if end < 0 {
		end = len(rest)
	}
	command := rest[:end]
	if end == 0 || !lookup(command[0].lit(), nil).is(isData) {
		if joined(rest[end:]).reached(s.vals) || in.fed || len(s.writes) > 0 || s.foreign {
			s.all(number, "parallel", whyCode, asArgument) // what it puts in may be code
		}
	}
	s.shellCode(joined(command), "parallel")
}

var replacing = regexpOnce(`^-[a-zA-Z0-9]*[Ii]|^--re`)

// replacement is what xargs replaces by its input.
func replacement(text string, rest []field) string {
	switch at := strings.IndexAny(text, "Ii="); {
	case strings.HasPrefix(text, "--re") && at >= 0:
		return text[strings.IndexByte(text, '=')+1:]
	case strings.HasPrefix(text, "--"), strings.HasSuffix(text, "i"):
		return "{}"
	case at >= 0 && at+1 < len(text):
		return text[at+1:]
	case len(rest) > 1:
		return rest[1].lit()
	}
	return "{}"
}

// replaced puts what nobody knows where a text stands in fields.
func replaced(fs []field, text string) []field {
	var list []field
	for _, f := range fs {
		var bits []bit
		for _, x := range f.bits {
			if x.hole || x.value > 0 || text == "" || !strings.Contains(x.text, text) {
				bits = append(bits, x)
				continue
			}
			for i, part := range strings.Split(x.text, text) {
				if i > 0 {
					bits = append(bits, bit{hole: true, dirty: true})
				}
				if part != "" {
					bits = append(bits, bit{text: part})
				}
			}
		}
		list = append(list, field{bits: bits, many: f.many})
	}
	return list
}

// tool judges a program that has options which run or write something. Rule 3: a value is only one that is listed.
func (s *scope) tool(r *row, name string, args []field, in input) {
	if s.foreign && r.has("folder") {
		s.all(number, "the files that "+name+" runs", whyCode, ownFile)
	}
	operands, ended, isSub := 0, false, len(r.subs) > 0
	for i := 0; i < len(args) && len(s.findings) == 0; i++ {
		f := args[i]
		switch {
		case f.full(s.vals) == "--" && !f.dirty():
			ended = true
		case f.lit() == "--version" || f.lit() == "--help":
			return
		case !ended && strings.HasPrefix(f.lead(), "-") && (len(f.lead()) > 1 || len(f.bits) > 1) && !aNumber(f.lit()):
			i += s.flag(r, name, args[i:], in)
		case !ended && strings.IndexAny(f.lead(), "+@") == 0 && f.reached(s.vals): // less +!x, gcc @x: these take no other word
			s.flag(r, name, args[i:i+1], in)
		case !ended && f.lead() == "" && f.reached(s.vals):
			if takes := s.optionLike(r, name, f, isSub && operands == 0 || name == "tar" && i == 0); takes && i+1 < len(args) && args[i+1].lead() == "" {
				i++
			} else if !strings.HasPrefix(f.full(s.vals), "-") {
				s.operandOf(r, name, f, operands)
				operands++
			}
		case name == "tar" && i == 0:
			s.flag(r, name, append([]field{{bits: merge([]bit{{text: "-"}}, f.bits...)}}, args[1:]...), in)
		default:
			s.operandOf(r, name, f, operands)
			operands++
		}
	}
	if k, ok := r.stdinKind(); ok && in.fed && len(s.findings) == 0 {
		s.all(k, name+"'s input", whyCode, "give it the text as an argument")
	}
}

// flag judges an option that the author wrote, with its word, and returns how many words more it took.
func (s *scope) flag(r *row, name string, rest []field, in input) int {
	f := rest[0]
	o := r.option(f.lead())
	attached := o.rest < len(f.lead()) || len(f.bits) > 1
	switch {
	case o.sort == '-' && !attached, o.sort == '~':
	case o.sort == '&':
		return 2
	case attached:
		s.optionWord(r, name, o, after(f, o.rest), in)
	case o.sort == 0 && len(rest) > 1: // it may take the next word, or not
		next := rest[1]
		if next.reached(s.vals) || s.mentions(next.own()) {
			s.optionWord(r, name, o, next, in)
		}
		if strings.Contains(f.lit(), "=") && s.mentions(f.lit()) {
			s.all(number, name+" "+f.lit(), whyWritten, dataName)
		}
	case len(rest) > 1:
		s.optionWord(r, name, o, rest[1], in)
		return 1
	}
	return 0
}

// optionWord judges the word of an option by what the table says of it.
func (s *scope) optionWord(r *row, name string, o option, f field, in input) {
	place := name + " " + o.name
	switch o.sort {
	case '=', ':', '-':
	case '.':
		s.within(f, word, place, whyOption, "a value there is a word: check it first")
	case '>':
		if f.reached(s.vals) && !r.has("writes") {
			s.within(f, dataFile, place, whyOption, "write the file's name yourself, or end it with .txt or the like")
		}
	case '!':
		s.shellCode(f, place)
	case '#':
		s.langCode(f, r.lang(), name)
	case '%':
		if f.lit() == "-" || strings.HasPrefix(f.lit(), "/dev/") {
			s.stdin(in, &row{kind: isLang}, name)
			return
		}
		s.script(f, place)
	default:
		if s.mentions(f.own()) {
			s.all(number, place, whyWritten, dataName)
		}
		s.within(f, version, "an option of "+name, whyOption, optionHint(name))
	}
}

// optionLike judges a word that begins with a value: it may be an option of the list, and takes the next word if that one does.
func (s *scope) optionLike(r *row, name string, f field, isSub bool) (takes bool) {
	text := f.full(s.vals)
	if isSub && !strings.HasPrefix(text, "-") && name != "tar" {
		if sub := r.subs[text]; len(f.bits) > 1 || f.dirty() || sub == nil || sub.kind != isTool && sub.kind != isData {
			s.within(f, never, name+"'s subcommand", whyChoice, "write the subcommand yourself")
		}
		return false
	}
	if name == "tar" && isSub && !strings.HasPrefix(text, "-") && !tarWord().MatchString(text) {
		s.within(f, never, "an option of tar", whyOption, optionHint(name))
		return false
	}
	if f.dirty() {
		s.within(f, s.wordKind(), "an option of "+name, whyOption, optionHint(name))
		return false
	}
	if len(text) < 2 || !strings.ContainsRune("-+@|\\", rune(text[0])) || aNumber(text) {
		return false
	}
	o := r.option(text)
	if o.sort != '-' && o.sort != '=' {
		s.within(f, never, "an option of "+name, whyOption, optionHint(name))
	}
	return o.sort == '=' && o.rest >= len(text)
}

// tarWord is a file; tar takes letters alone for options.
var tarWord = regexpOnce(`[./_\d ]|^[xt][vzjJ]*f?$`)

// wordKind is what the values must be so that no word which the line makes of them is an option.
func (s *scope) wordKind() kind {
	switch s.shape {
	case asIs, split:
		return noOption
	case slugged:
		if s.lowers() {
			return capital
		}
		return tidy
	case cut:
		return dashless
	}
	return number
}

// lowers reports whether the line makes small letters of capitals, as slugs have it.
func (s *scope) lowers() bool {
	return strings.Contains(s.Text, "A-Z") || strings.Contains(s.Text, ":upper:") || strings.Contains(s.Text, ",,}")
}

func optionHint(name string) string {
	switch {
	case name == "find":
		return "write the options yourself, and begin a path with ./"
	case strings.HasPrefix(name, "gh") || strings.HasPrefix(name, "glab"):
		return "write the options yourself"
	case strings.HasPrefix(name, "git"):
		return "write the options yourself, or put -- before it if it is a path"
	}
	return "write the options yourself; before a path put -- or ./"
}

// operandOf judges an operand: of some programs it is code, or a file that they write.
func (s *scope) operandOf(r *row, name string, f field, n int) {
	if !f.reached(s.vals) {
		return
	}
	if r.has("ops:data2") && n > 0 {
		s.within(f, dataFile, name+"'s second file, which it writes", whyOption, "write the file's name yourself, or end it with .txt or the like")
	}
	if k := r.ops(kind{}); k.holds != nil {
		s.within(f, k, name, whyCode, "a value there is "+k.name+": check it first")
	}
}

// find judges find and its kind: a value is no predicate that runs or writes, and -exec runs what was found.
func (s *scope) find(name string, args []field, in input) {
	r := lookup(name, nil)
	for i := 0; i < len(args) && len(s.findings) == 0; i++ {
		f := args[i]
		switch text := f.full(s.vals); {
		case slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, f.lit()):
			end := i + 1 + slices.IndexFunc(args[i+1:], func(f field) bool { t := f.lit(); return t == ";" || t == "+" || t == `\;` })
			if end <= i {
				end = len(args)
			}
			rest := args[i+1 : end]
			if joined(args[:i]).reached(s.vals) || len(s.writes) > 0 || s.foreign {
				rest = replaced(rest, "{}")
			}
			s.run(rest, in)
			i = end
		case len(f.values(s.vals)) > 0 && f.lead() == "" && (strings.HasPrefix(text, "-") && len(text) > 1 || text == "!" || text == "("):
			if o := r.option(text); o.sort != '-' && o.sort != '=' {
				s.within(f, never, "an option of find", whyOption, findHint(args, i))
			}
		case f.dirty() && f.lead() == "" && (i == 0 || r.option(args[i-1].lit()).sort != '='):
			s.within(f, s.wordKind(), "an option of find", whyOption, findHint(args, i))
		case strings.HasPrefix(f.lead(), "-") && i+1 < len(args) && args[i+1].reached(s.vals):
			if o := r.option(f.lead()); o.sort == '=' {
				i++
			} else if o.sort == '>' || o.sort == 0 && len(f.lead()) > 2 {
				s.within(args[i+1], dataFile, "find "+f.lead(), whyOption, "write the file's name yourself")
			}
		}
	}
}

func findHint(args []field, i int) string {
	if slices.ContainsFunc(args[:i], func(f field) bool { return strings.HasSuffix(f.lit(), "name") }) {
		return "put it in double quotes, or write the name yourself"
	}
	return optionHint("find")
}

// make judges make: targets are words, variables reach recipes, and some options are code.
func (s *scope) make(name string, args []field, in input) {
	r := lookup(name, nil)
	shown := false // the line itself says what the recipes are
	for i := 0; i < len(args) && len(s.findings) == 0; i++ {
		f := args[i]
		key, _, sets := strings.Cut(f.own(), "=")
		switch {
		case strings.HasPrefix(f.lead(), "-") && len(f.lead()) > 1:
			shown = shown || r.option(f.lead()).sort == '%' || r.option(f.lead()).sort == '#'
			i += s.flag(r, name, args[i:], in)
		case !f.reached(s.vals):
		case sets && !strings.Contains(key, "\x00"):
			k := plain
			name := strings.TrimRight(key, ":?+")
			if shown || commandLike().MatchString(name) || isObeyed(name) && name != "ENV" {
				k = number
			}
			s.within(f, k, "make "+key, whyCode, "check the value first, or pass it to a script of your own")
		default:
			if text := f.full(s.vals); len(f.values(s.vals)) > 0 && !f.dirty() && strings.HasPrefix(text, "-") && r.option(text).sort == '-' {
				continue
			}
			s.within(f, target, name, whyCode, "check that it is a target first")
		}
	}
	if shown && len(s.handed) > 0 {
		s.all(number, "make", whyCode, asArgument)
	}
}

var commandLike = regexpOnce(`(?i)(^|_)(cmd|command|run|exec|prog|program|tool|sh|shell|script|code|eval|hook|` +
	`cc|cxx|compiler|editor|pager|runner|interpreter|bin|python|node)[0-9]*$|!$`)

// git judges git: its own options, then those of its subcommand.
func (s *scope) git(_ string, args []field, in input) {
	r := lookup("git", nil)
	for i := 0; i < len(args); i++ {
		f := args[i]
		switch {
		case f.lit() == "-c":
			if i++; i < len(args) {
				s.gitConfig(args[i])
			}
		case strings.HasPrefix(f.lead(), "-"):
			o := r.option(f.lead())
			if o.sort == '=' && o.rest >= len(f.lead()) && len(f.bits) == 1 {
				i++
			} else if o.sort == 0 || strings.HasPrefix(f.lead(), "--exec-path") {
				s.within(f, never, "an option of git", whyOption, optionHint("git"))
				if len(s.handed) > 0 {
					s.all(number, "git "+f.lead(), whySetting, optionHint("git"))
				}
			}
		case f.reached(s.vals):
			text := f.full(s.vals)
			if sub := r.subs[text]; f.dirty() || sub == nil || !sub.has("view") {
				s.within(f, never, "git's subcommand", whyChoice, "write the subcommand yourself")
				return
			}
			s.tool(r.subs[text], "git "+text, args[i+1:], in)
			return
		default:
			s.gitSub(f.lit(), args[i+1:], in)
			return
		}
	}
}

// gitConfig judges key=value of git -c, and of git config: most keys may name programs.
func (s *scope) gitConfig(f field) {
	key, _, _ := strings.Cut(f.own(), "=")
	switch {
	case f.reached(s.vals) && !harmlessKeys().MatchString(key):
		s.within(f, number, "git's setting "+strings.ReplaceAll(key, "\x00", "…"), whySetting, "set it to fixed text")
	case s.mentions(f.own()), len(s.handed) > 0 && strings.Contains(f.own(), "!"), strings.Contains(f.own(), "$") && len(s.handed) > 0:
		s.all(number, "git's setting "+key, whySetting, "set it to fixed text")
	case strings.Contains(f.lit(), "=!"):
		s.shellCode(after(f, strings.Index(f.lit(), "=!")+2), "git -c "+key)
	}
}

var harmlessKeys = regexpOnce(`(?i)^(user\.(name|email|signingkey)|init\.defaultbranch|color\.[\w.]+|log\.\w+|` +
	`core\.(quotepath|autocrlf|abbrev|eol|filemode|ignorecase)|diff\.(renames|algorithm|context|noprefix)|` +
	`pull\.(rebase|ff)|push\.default|advice\.\w+|branch\.[\w./-]+\.(remote|merge|description)|github\.user|` +
	`commit\.(gpgsign|verbose)|fetch\.prune|merge\.ff|rebase\.auto\w+)$`)

func (s *scope) gitSub(sub string, args []field, in input) {
	r := lookup("git", nil).subs[sub]
	switch {
	case r == nil && s.moves:
		s.all(never, "git "+sub+" in a folder that a value chooses", whyChoice, ownFolder)
	case r == nil: // an alias, or a program of the author's called git-x
		s.authors(args, in)
		if joined(args).reached(s.vals) {
			for _, f := range args {
				s.within(f, operand, "git "+sub, whyOption, optionHint("git"))
			}
		}
	case sub == "config":
		s.gitConfigCommand(args)
	case sub == "submodule" && len(args) > 0 && args[0].lit() == "foreach":
		s.shellCode(joined(args[1:]), "git submodule foreach")
	case sub == "bisect" && len(args) > 0 && args[0].lit() == "run":
		s.run(args[1:], in)
	default:
		s.tool(r, "git "+sub, args, in)
	}
}

func (s *scope) gitConfigCommand(args []field) {
	var operands []field
	for i, f := range args {
		switch text := f.full(s.vals); {
		case slices.Contains([]string{"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list", "--unset", "unset"}, f.lit()):
			for _, f := range args[i+1:] {
				s.within(f, operand, "git config", whyOption, optionHint("git"))
			}
			return
		case f.reached(s.vals) && f.lead() == "" && (f.dirty() || strings.HasPrefix(text, "-")) && len(operands) == 0:
			s.within(f, never, "git config", whySetting, "write the setting's name yourself")
			return
		case !strings.HasPrefix(f.lead(), "-"):
			operands = append(operands, f)
		case f.reached(s.vals):
			s.within(f, never, "git config", whySetting, "write the options yourself")
			return
		}
	}
	if len(operands) > 0 && operands[0].lit() == "set" {
		operands = operands[1:]
	}
	if len(operands) == 1 && operands[0].reached(s.vals) {
		s.within(operands[0], operand, "git config", whyOption, optionHint("git"))
	} else if len(operands) > 1 {
		s.gitConfig(joinedBy(operands[:2], "="))
	}
}

func joinedBy(fs []field, between string) (all field) {
	for i, f := range fs {
		if i > 0 {
			all.bits = merge(all.bits, bit{text: between})
		}
		all.bits = merge(all.bits, f.bits...)
	}
	return all
}
