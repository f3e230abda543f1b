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
	s.surroundings(fs)
	text, known := fs[0].literal()
	if !known {
		if text = fs[0].full(s.vals); strings.LastIndexByte(text, 0) >= strings.LastIndexByte(text, '/') {
			s.nameless(fs[1:])
			return
		}
		text = "x/" + text[strings.LastIndexByte(path.Dir(text), '/')+1:] // $ROOT/bin/sh
	}
	if text != "[" && strings.ContainsAny(text, "*?[") {
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
	if base := rows()[name]; base != nil && r != base && len(rest)+1 < len(args) { // its own options stand before the subcommand
		s.words(&row{kind: isTool, said: base.said, begins: base.begins, kinds: base.kinds}, name, args[:len(args)-len(rest)-1], in)
	}
	switch r.kind {
	case isCall:
		s.builtin(name, args)
	case isShell:
		s.shell(name, args, in)
	case isTool, isLang, isWrap, isJoin:
		if sub := len(args) - len(rest); sub > 0 && r.kind == isTool {
			name += " " + args[sub-1].lit()
		}
		s.words(r, name, rest, in)
	}
}

// authors judges a program that the table does not name. Its words are the author's business, unless one of
// them is a program that reads code, with the words behind it.
func (s *scope) authors(args []field, in input) {
	for i, f := range args[:max(0, len(args)-1)] {
		r := lookup(programName(f.lit()), nil)
		if r.is(isShell) || r.is(isLang) && strings.HasPrefix(args[i+1].lead(), "-") {
			s.run(args[i:], in)
			return
		}
	}
}

// builtin judges commands that read their words in a way of their own, most of them the shell's.
func (s *scope) builtin(name string, args []field) {
	if len(args) > 0 && args[0].lit() == "--" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
	case name == "eval":
		s.shellCode(joined(args), name)
	case name == "source" || name == ".":
		s.script(args[0], name)
	case name == "trap":
		s.shellCode(args[0], name)
	case name == "test" || name == "[":
		s.test(name, args)
	case name == "printf":
		s.printf(args)
	case among("namers", name):
		s.namer(name, args)
	default: // alias, and declare by a detour
		s.all(number, name, whySetting, nameIt)
	}
}

// namer judges commands of the shell whose words are names of variables.
func (s *scope) namer(name string, args []field) {
	for _, f := range args {
		switch text := f.lit(); {
		case strings.HasPrefix(text, "-") && strings.Contains(text, "C") && name != "read": // mapfile -C runs its word
			s.all(number, name, whyCode, nameIt)
		case strings.HasPrefix(text, "-"):
		case isObeyed(text) && name != "unset":
			s.all(never, name+" "+text, whySetting, "use a variable of your own")
		default:
			s.names(name, f)
		}
	}
}

// printf judges the variable that printf -v sets.
func (s *scope) printf(args []field) {
	switch f := args[0]; {
	case f.dirty():
		s.all(noOption, "printf", whyOption, "write '%s' before it")
	case f.lit() == "-v" && len(args) > 1:
		s.namer("printf -v", args[1:2])
	case strings.HasPrefix(f.full(s.vals), "-v"):
		s.all(number, "printf -v", whySetting, nameIt)
	}
}

// test judges [ and test: -v and -R take a variable's name, which is expanded.
func (s *scope) test(name string, args []field) {
	for i, f := range args {
		if f.lit() == "-v" || f.lit() == "-R" {
			s.expanded(name + " " + f.lit())
		}
		asked := i > 0 && among("asks", args[i-1].lit()) && !f.many // [ -n "$0" ]
		switch {
		case asked:
		case strings.HasPrefix(f.lead(), "-"): // [ -$0 x ]
			s.within(f, number, name+" -v", whyArithmetic, "write the operator yourself")
		case f.lead() == "":
			s.within(f, noSwitch, name+" -v", whyArithmetic, "write -n before it")
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

// wrapped judges the command that a wrapper runs.
func (s *scope) wrapped(w *reading, rest []field) {
	name, in := w.name, w.in
	switch {
	case w.r.has("pastes"): // parallel puts the words behind ::: and its input into the command
		end := slices.IndexFunc(append(rest, literal(":::")), func(f field) bool { return strings.HasPrefix(f.lit(), "::") })
		fed := in.fed || len(s.writes) > 0 || s.foreign || joined(rest[end:]).reached(s.vals)
		if rest = rest[:end]; fed && (end == 0 || !lookup(rest[0].lit(), nil).is(isData)) {
			s.all(number, name, whyCode, asArgument)
		}
		s.shellCode(joined(rest), name)
	case w.r.kind == isJoin:
		s.shellCode(joined(rest), name)
	case name == "xargs":
		rest = replaced(replaced(rest, "{}"), w.stands)
		s.run(append(rest, unknown(), unknown()), input{}) // an option may take the first
	default:
		s.run(rest, in)
	}
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

// wordKind is what the values must be so that no word which the line makes of them is an option.
func (s *scope) wordKind() kind {
	if s.changes {
		return number
	}
	return noOption
}

// optionHint says what to write instead.
func optionHint(w *reading) string {
	switch program, _, _ := strings.Cut(w.name, " "); {
	case program == "find" && strings.HasSuffix(w.option.name, "name"):
		return "put it in double quotes, or write the name yourself"
	case program == "find":
		return "write the options yourself, and begin a path with ./"
	case program == "gh" || program == "glab":
		return "write the options yourself"
	case program == "git":
		return "write the options yourself, or put -- before it if it is a path"
	}
	return "write the options yourself; before a path put -- or ./"
}

var commandLike = regexpOnce(`(?i)^\.|(^|_)(cmd|command|run|exec|prog|program|tool|sh|shell|script|code|eval|hook|` +
	`cc|cxx|compiler|editor|pager|runner|interpreter|bin|python|node)[0-9]*$|flags$|!$`)
