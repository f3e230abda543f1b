package bind

import (
	"cmp"
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
	if name == "git" && r == rows()["git"].subs["config"] {
		s.gitConfigCommand(rest)
		return
	}
	if base := rows()[name]; base != nil && r != base && len(rest)+1 < len(args) { // its own options stand before the subcommand
		s.tool(&row{kind: isTool, said: base.said, begins: base.begins, kinds: base.kinds}, name, args[:len(args)-len(rest)-1], in)
	}
	switch r.kind {
	case isShell:
		s.shell(name, args, in)
	case isLang:
		s.reader(r, name, rest, in)
	case isWrap, isJoin:
		s.wrapper(r, name, rest, in)
	case isTool:
		if sub := len(args) - len(rest); sub > 0 {
			name += " " + args[sub-1].lit()
		}
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
		"let":    func(s *scope, name string, _ []field, _ input) { s.expanded(name) },
		"printf": (*scope).printf, "test": (*scope).test, "[": (*scope).test, "find": (*scope).find,
	}
	calls["."] = calls["source"]
	for _, name := range []string{"unset", "read", "mapfile", "readarray", "getopts", "wait", "declare", "typeset", "local", "export", "readonly"} {
		calls[name] = (*scope).namer
	}
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

// printf judges the variable that printf -v sets.
func (s *scope) printf(_ string, args []field, _ input) {
	args = append(slices.Clone(args), field{}, field{})
	switch f, to := args[0], args[1].lit(); {
	case f.dirty():
		s.all(noOption, "printf", whyOption, "write '%s' before it")
	case strings.HasPrefix(f.full(s.vals), "-v") && (f.lit() != "-v" || !isName(to) || isObeyed(to) || among("integers", to) || s.ints[to]):
		s.all(number, "printf -v", whySetting, nameIt)
	}
}

// test judges [ and test: -v and -R take a variable's name, which is expanded.
func (s *scope) test(name string, args []field, _ input) {
	for i, f := range args {
		if f.lit() == "-v" || f.lit() == "-R" {
			s.expanded(name + " " + f.lit())
		}
		asked := i > 0 && strings.HasPrefix(args[i-1].lit(), "-") && !f.many // [ -n "$0" ]
		if f.lead() == "" && !asked && !s.within(f, noSwitch, name+" -v", whyArithmetic, "write -n before it") {
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
		s.langCode(*in.code, r, name)
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
		switch {
		case !known:
		case text == "-n" || text == "--version" || text == "--help":
			return // it only reads the file, or none
		case strings.HasPrefix(text, "--c"):
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
	rest, open := args, r.before
	for len(rest) > 0 && len(s.findings) == 0 {
		f := rest[0]
		key, _, assigns := strings.Cut(f.lead(), "=")
		n := 1
		switch {
		case f.lit() == "--":
			if r.has("dashes") {
				open = 0
			}
		case strings.HasPrefix(key, "-") && len(f.lead()) > 1:
			if n = s.ownOption(r, name, rest, in); n == 0 {
				return
			}
		case strings.HasPrefix(key, "-") && r.has("assigns"):
		case assigns && r.has("assigns") && isName(key):
			s.setting(key, after(f, len(key)+1), true)
		case assigns && name == "env":
			if s.mentions(f.own()) || f.reached(s.vals) {
				s.all(number, name, whySetting, nameIt)
			}
		case open > 0 || strings.HasPrefix(f.full(s.vals), "-"):
			if f.reached(s.vals) {
				k, ok := r.kinds["ops"]
				if !ok {
					k = operand
				}
				s.within(f, k, name, whyChoice, "write it yourself")
			}
			open--
		default:
			s.wrapped(r, name, args, rest, in)
			return
		}
		rest = rest[n:]
	}
	if r.kind == isJoin && len(s.findings) == 0 || in.fed && !among("idle", name) {
		s.stdin(in, &row{kind: isShell}, name)
	}
}

// ownOption judges a wrapper's own option, and returns how many words it takes; 0 if the rest is its code.
func (s *scope) ownOption(r *row, name string, rest []field, in input) int {
	f := rest[0]
	o := r.option(f.lead())
	attached := o.rest < len(f.lead()) || len(f.bits) > 1
	switch {
	case o.sort == '!':
		code := rest[1:]
		if attached { // env -S"A=1 bash -c" "$0"
			code = append([]field{after(f, o.rest)}, code...)
		}
		s.shellCode(joined(code), name)
		return 0
	case o.sort == 0 && !attached && len(rest) > 2: // nobody knows whether the next word belongs to it: both must be harmless
		next := rest[1].lit()
		if rest[1].reached(s.vals) {
			s.within(rest[1], number, name, whyChoice, ownCommand)
			return 2
		}
		if !strings.HasPrefix(next, "-") && !strings.Contains(next, "/") && lookup(programName(next), nil) == nil {
			s.wrapper(r, name, rest[2:], in)
		}
	}
	return 1 + s.flag(r, name, rest, in)
}

// wrapped judges the command that a wrapper runs.
func (s *scope) wrapped(r *row, name string, args, rest []field, in input) {
	switch {
	case r.has("pastes"): // parallel puts the words behind ::: and its input into the command
		end := slices.IndexFunc(append(rest, literal(":::")), func(f field) bool { return strings.HasPrefix(f.lit(), "::") })
		fed := in.fed || len(s.writes) > 0 || s.foreign || joined(rest[end:]).reached(s.vals)
		if rest = rest[:end]; fed && (end == 0 || !lookup(rest[0].lit(), nil).is(isData)) {
			s.all(number, name, whyCode, asArgument)
		}
		s.shellCode(joined(rest), name)
	case r.kind == isJoin:
		s.shellCode(joined(rest), name)
	case name == "xargs":
		if m := replacement().FindStringSubmatch(joined(args[:len(args)-len(rest)]).own()); m != nil {
			rest = replaced(rest, cmp.Or(m[1], m[2], m[3], "{}"))
		} else {
			rest = append(slices.Clone(rest), unknown(), unknown()) // an option may take the first
		}
		s.run(rest, input{})
	default:
		s.run(rest, in)
	}
}

// replacement is what xargs replaces by its input.
var replacement = regexpOnce(`(?:^| )(?:-[a-zA-Z0-9]*I ?(\S+)|-[a-zA-Z0-9]*i(\S*)|--re[a-z]*(?:=(\S+))?)`)

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
		case f.full(s.vals) == "--" && !f.dirty() && !r.has("no--"):
			ended = true
		case f.lit() == "--version" || f.lit() == "--help":
			return
		case !ended && strings.HasPrefix(f.lead(), "-") && (len(f.lead()) > 1 || len(f.bits) > 1) && !aNumber(f.lit()):
			i += s.flag(r, name, args[i:], in)
		case !ended && strings.IndexAny(f.lead(), "+@") == 0 && f.reached(s.vals): // less +!x, gcc @x: these take no other word
			s.flag(r, name, args[i:i+1], in)
		case !ended && f.lead() == "" && f.reached(s.vals):
			takes := s.optionLike(r, name, args[:i+1], isSub && operands == 0 || name == "tar" && i == 0)
			if takes && i+1 < len(args) && args[i+1].lead() == "" {
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
	if k, ok := r.kinds["in"]; ok && in.fed && len(s.findings) == 0 {
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
	case '@':
		s.gitConfig(f)
	case '#':
		s.langCode(f, r, name)
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

// optionLike judges the last of some words, which begins with a value: it may be an option of the list, and takes the next word if that one does.
func (s *scope) optionLike(r *row, name string, words []field, isSub bool) (takes bool) {
	f := words[len(words)-1]
	text, hint := f.full(s.vals), optionHint(name, words...)
	if isSub && !strings.HasPrefix(text, "-") && name != "tar" {
		if sub := r.subs[text]; len(f.bits) > 1 || f.dirty() || sub == nil || sub.kind != isTool && sub.kind != isData {
			s.within(f, never, name+"'s subcommand", whyChoice, "write the subcommand yourself")
		}
		return false
	}
	if name == "tar" && isSub && !strings.HasPrefix(text, "-") && !tarWord().MatchString(text) {
		s.within(f, never, "an option of tar", whyOption, hint)
		return false
	}
	if f.dirty() {
		s.within(f, s.wordKind(), "an option of "+name, whyOption, hint)
		return false
	}
	if len(text) < 2 || !strings.ContainsRune("-+@|\\", rune(text[0])) || aNumber(text) {
		return false
	}
	o := r.option(text)
	if o.sort != '-' && o.sort != '=' {
		s.within(f, never, "an option of "+name, whyOption, hint)
	}
	return o.sort == '=' && o.rest >= len(text)
}

// tarWord is a file; tar takes letters alone for options.
var tarWord = regexpOnce(`[./_\d ]|^[xt][vzjJ]*f?$`)

// wordKind is what the values must be so that no word which the line makes of them is an option.
func (s *scope) wordKind() kind {
	if s.changes {
		return number
	}
	return noOption
}

// optionHint says what to write instead, by the program and the words before.
func optionHint(name string, before ...field) string {
	switch {
	case name == "find" && slices.ContainsFunc(before, func(f field) bool { return strings.HasSuffix(f.lit(), "name") }):
		return "put it in double quotes, or write the name yourself"
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
		if r.has("ops:number") && s.mentions(f.own()) {
			s.all(number, name, whyWritten, asArgument)
		}
		return
	}
	if key, _, sets := strings.Cut(f.lead(), "="); sets && r.has("variables") {
		k := plain
		if key = strings.TrimRight(key, ":?+"); commandLike().MatchString(key) || isObeyed(key) && key != "ENV" {
			k = number
		}
		s.within(f, k, name+" "+key, whyCode, "check the value first, or pass it to a script of your own")
		return
	}
	if r.has("ops:data2") && n > 0 {
		s.within(f, dataFile, name+"'s second file, which it writes", whyOption, "write the file's name yourself, or end it with .txt or the like")
	}
	if k, ok := r.kinds["ops"]; ok {
		s.within(f, k, name, whyCode, "a value there is "+k.name+": check it first")
	}
}

// find judges find: -exec runs what was found, and the rest is as with other tools.
func (s *scope) find(name string, args []field, in input) {
	var own []field
	for i := 0; i < len(args) && len(s.findings) == 0; i++ {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, args[i].lit()) {
			own = append(own, args[i])
			continue
		}
		end := i + 1
		for end < len(args) && !slices.Contains([]string{";", `\;`, "+"}, args[end].lit()) {
			end++
		}
		rest := args[i+1 : end]
		if joined(own).reached(s.vals) || len(s.writes) > 0 || s.foreign {
			rest = replaced(rest, "{}")
		}
		s.run(rest, in)
		i = end
	}
	s.tool(lookup(name, nil), name, own, in)
}

var commandLike = regexpOnce(`(?i)^\.|(^|_)(cmd|command|run|exec|prog|program|tool|sh|shell|script|code|eval|hook|` +
	`cc|cxx|compiler|editor|pager|runner|interpreter|bin|python|node)[0-9]*$|flags$|!$`)

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

// gitConfigCommand judges git config: a value is a setting of a harmless one, or the name of one that is shown.
func (s *scope) gitConfigCommand(args []field) {
	operands := slices.DeleteFunc(slices.Clone(args), func(f field) bool {
		return !f.reached(s.vals) && (strings.HasPrefix(f.lead(), "-") || f.lit() == "set" || f.lit() == "get")
	})
	shows := slices.ContainsFunc(args, func(f field) bool {
		return slices.Contains([]string{"--get", "--get-all", "--get-regexp", "get"}, f.lit())
	})
	switch {
	case shows || len(operands) < 2:
		for _, f := range operands {
			s.within(f, operand, "git config", whyOption, optionHint("git"))
		}
	default:
		all := joined(operands)
		all.bits = append(slices.Clone(operands[0].bits), append([]bit{{text: "="}}, joined(operands[1:]).bits...)...)
		s.gitConfig(all)
	}
}
