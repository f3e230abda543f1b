package bind

import (
	"path"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
)

// run judges a simple command by its words.
func (s *scope) run(fs []field, in input) {
	for len(fs) > 0 && (strings.HasPrefix(fs[0].lit(), "-") || span.holds(fs[0].lit())) {
		fs = fs[1:] // an option of the program that runs it, or a time: command -- x, timed-run 3 x
	}
	if len(fs) == 0 || len(s.findings) > 0 || !s.file(fs[0], "a command's name", whyName, ownCommand) {
		return
	}
	s.surroundings(fs)
	text, known := fs[0].literal()
	if !known {
		if text = fs[0].full(); strings.LastIndexByte(text, 0) >= strings.LastIndexByte(text, '/') {
			s.nameless(fs[1:], in)
			return
		}
		text = "x/" + text[strings.LastIndexByte(path.Dir(text), '/')+1:] // $ROOT/bin/sh
	}
	if text != "[" && strings.ContainsAny(text, "*?[") {
		s.nameless(fs[1:], in)
		return
	}
	s.program(programName(text), fs[1:], in)
}

// nameless judges a command whose name may be anything. No value may be something that a shell or
// an interpreter would run.
func (s *scope) nameless(args []field, in input) {
	if in.fed {
		s.all(inert, "the input of a command whose name is computed", whyCode, ownCommand)
	}
	if s.moves {
		s.all(never, "a command whose name is computed, in a folder that a value chooses", whyChoice, ownFolder)
	}
	k := inert // for the first word, and for a word after an option
	for _, f := range args {
		s.within(f, k, "a command whose name is computed", whyCode, "write the command name yourself")
		if k = operand; strings.HasPrefix(f.lit(), "-") {
			k = inert
		}
	}
}

// program judges the words of a command whose name is known.
func (s *scope) program(name string, args []field, in input) {
	r, rest := find(name, args)
	s.effects(name, r, args, in)
	if len(s.findings) > 0 {
		return
	}
	if r == nil {
		s.authors(args, in)
		return
	}
	if base := rows()[name]; base != nil && r != base && len(rest)+1 < len(args) { // the program's own options are before the subcommand
		s.words(base.alone(), name, args[:len(args)-len(rest)-1], in)
	}
	switch r.kind {
	case isCall:
		s.builtin(name, args)
	case isShell:
		s.shell(name, args, in)
	case isTool, isLang, isWrap, isJoin:
		if sub := len(args) - len(rest); sub > 0 && r.kind == isTool {
			name += " " + args[sub-1].full()
		}
		s.words(r, name, rest, in)
	}
}

// authors judges a program that is not in the table. The author is responsible for its words,
// unless one of them is a program that reads code. That program is judged with the words after it.
func (s *scope) authors(args []field, in input) {
	for i, f := range args[:max(0, len(args)-1)] {
		r := lookup(programName(f.lit()), nil)
		if r.is(isShell) || r.is(isLang) && strings.HasPrefix(args[i+1].lead(), "-") {
			s.run(args[i:], in)
			return
		}
	}
}

// builtin judges commands that read their words in a way of their own. Most of them are the
// shell's.
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
	case name == "alias":
		s.all(inert, name, whyCode, nameIt)
	default: // these declare variables in another way
		s.all(number, name, whySetting, nameIt)
	}
}

// namer judges commands of the shell whose words are names of variables.
func (s *scope) namer(name string, args []field) {
	for i, f := range args {
		switch text := f.lit(); {
		case i == 0 && name == "getopts", i > 0 && args[i-1].lit() == "-p" && name == "read" && !f.many: // its options, and its question
		case strings.HasPrefix(text, "-") && strings.Contains(text, "C") && name != "read": // mapfile -C runs its word
			s.all(inert, name, whyCode, nameIt)
		case strings.HasPrefix(text, "-"):
		case isObeyed(text) && name != "unset":
			s.all(never, name+" "+text, whySetting, "use a variable of your own")
		default:
			s.names(name, f, false)
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
	case strings.HasPrefix(f.full(), "-v"):
		s.all(number, "printf -v", whySetting, nameIt)
	}
}

// test judges [ and test: -v and -R take a variable's name, which is expanded. A value that is one
// word is safe in three places: alone, after a fixed operator that takes one word, or next to an
// operator that compares two words.
func (s *scope) test(name string, args []field) {
	args = slices.DeleteFunc(slices.Clone(args), func(f field) bool { return f.lit() == "]" || f.lit() == "!" })
	for i, f := range args {
		if f.lit() == "-v" || f.lit() == "-R" {
			s.expanded(name + " " + f.lit())
		}
		asked := i > 0 && among("asks", args[i-1].lit()) || i+1 < len(args) && among("compares", args[i+1].lit()) || len(args) == 1
		switch {
		case asked && !f.many:
		case strings.HasPrefix(f.lead(), "-"): // [ -$0 x ]
			s.within(f, number, name+" -v", whyArithmetic, "write the operator yourself")
		case f.lead() == "":
			k := noSwitch
			switch {
			case f.dirty() && (s.options["-"] || s.options["-v"] || s.options["-R"]): // o=-$0; [ $o x ]
				k = number
			case f.dirty():
				k = s.kept(noSwitch)
			}
			s.within(f, k, name+" -v", whyArithmetic, "write -n before it, and quote it")
		}
	}
}

// script judges a file that a shell or an interpreter runs.
func (s *scope) script(f field, name string) {
	s.file(f, "the file that "+name+" runs", whyChoice, ownFile)
}

// stdin judges a program that reads its code from its input.
func (s *scope) stdin(in input, r *row, name string) {
	switch {
	case in.code != nil && r.kind == isShell:
		s.shellCode(*in.code, name+"'s input")
	case in.code != nil:
		s.langCode(*in.code, r, name)
	case r.kind == isShell && among("posix", name):
		s.all(inert, name+"'s input", whyCode, asCommand)
	case in.fed, r.kind == isShell, s.depth > 0:
		s.all(number, name+"'s input", whyCode, r.advice(name, "ARG"))
	}
}

// shell judges what a shell runs: the text after -c, a file, or its input.
func (s *scope) shell(name string, args []field, in input) {
	code, reads := false, false
	for i := 0; i < len(args); i++ {
		f, text := args[i], args[i].lit()
		switch {
		case text == "-n" || text == "--version" || text == "--help":
			return // it only reads the file, or reads none
		case i > 0 && (args[i-1].lit() == "--rcfile" || args[i-1].lit() == "--init-file"):
			s.script(f, name)
		case strings.HasPrefix(text, "--"):
			code = code || strings.HasPrefix(text, "--c")
		case text != "" && (text[0] == '-' || text[0] == '+'):
			code = code || text[0] == '-' && strings.Contains(text, "c")
			reads = reads || text[0] == '-' && strings.Contains(text, "s")
			i += strings.Count(text, "o") + strings.Count(text, "O") // each takes a word of its own: -euo pipefail
		case code:
			s.shellCode(f, name+" -c")
			return
		case reads:
			s.within(f, noOption, name, whyOption, "write -- before it")
			s.stdin(in, lookup(name, nil), name)
			return
		default:
			s.script(f, name)
			return
		}
	}
	if !code {
		s.stdin(in, lookup(name, nil), name)
	}
}

// shellCode judges text that a shell parses again. Rule 2: a value in it is pasted, so it must be
// plain. Then the text is judged as a separate line.
func (s *scope) shellCode(f field, place string) {
	i := slices.IndexFunc(f.bits, func(x bit) bool { return x.from != nil && !plainText(strings.ReplaceAll(x.text, " ", "")) })
	if i >= 0 {
		s.report(f.bits[i].from, place, plain.rule(whyCode), asCommand)
		return
	}
	if f.dirty() && !s.all(inert, place, whyCode, asCommand) {
		return
	}
	text := f.join(func(x bit) string { // at least as many words as the shell will see: X=$0 ls
		return strings.TrimSpace(strings.Repeat(" ${"+x.from.name+"}", max(1, len(strings.Fields(x.text)))))
	})
	file, known := s.nested[text]
	if !known {
		if parsed, err := words.Parse(strings.ReplaceAll(text, "\x00", "${__hole}")); err == nil {
			file = parsed
		}
		s.nested[text] = file
	}
	switch {
	case file != nil && s.depth < maxDepth:
		s.look(file, s.depth+1, true)
	case strings.Contains(f.own(), "$") || f.reached():
		s.all(inert, place, whyCode, asCommand)
	}
}

// wrapped judges the command that a wrapper runs.
func (s *scope) wrapped(w *reading, rest []field) {
	name, in := w.name, w.in
	switch {
	case w.r.has("pastes"): // parallel puts the words after ::: and its input into the command
		end := slices.IndexFunc(append(rest, literal(":::")), func(f field) bool { return strings.HasPrefix(f.lit(), "::") })
		fed := in.fed || len(s.writes) > 0 || s.foreign || joined(rest[end:]).reached()
		if rest = rest[:end]; fed && (end == 0 || !lookup(rest[0].lit(), nil).is(isData)) {
			s.all(inert, name, whyCode, asCommand)
		}
		s.shellCode(joined(rest), name)
	case w.r.kind == isJoin:
		s.shellCode(joined(rest), name)
	case name == "xargs":
		rest = replaced(replaced(rest, "{}", "", true), w.stands, "", true)
		s.run(append(rest, unknown(), unknown()), input{prints: in.prints}) // an option may take the first
	default:
		s.run(rest, in)
	}
}

// replaced replaces a text in fields by unknown text that starts with begin. The unknown text may
// contain a value if dirty is set.
func replaced(fs []field, text, begin string, dirty bool) (list []field) {
	for _, f := range fs {
		g := field{many: f.many}
		for _, x := range f.bits {
			parts := []string{x.text}
			if text != "" && x.isText() {
				parts = strings.Split(x.text, text)
			}
			for i, part := range parts {
				if i > 0 {
					g.bits = merge(g.bits, bit{text: begin}, bit{hole: true, dirty: dirty})
				}
				if x.text = part; part != "" || !x.isText() {
					g.bits = append(g.bits, x)
				}
			}
		}
		list = append(list, g)
	}
	return list
}

// advice returns how a program takes a text that is not part of its code.
func (r *row) advice(name, text string) string {
	slashed := plainWords(text) && strings.Contains(text, "/")
	switch {
	case r.lang == "sed" && slashed:
		return `write another sign than / around it, such as s|old|ARG|`
	case r.lang == "sed":
		return `sed takes no arguments: write awk -v v="ARG" '{ gsub(/old/, v) } 1'`
	case r.lang == "awk":
		return `write \ARG if you mean awk's own; else write awk -v v="ARG" '{ print v }'`
	case r.has("pure"):
		return `write the program yourself, and pass the value: jq --arg v "ARG" '$v'`
	case name == "psql":
		return `write psql -v v="ARG" <<< "select :'v'"`
	case r.has("python"):
		return `write python3 -c 'import sys; print(sys.argv[1])' "ARG"`
	case r.lang == "script":
		return `write ` + name + ` -e 'console.log(process.argv[1])' "ARG"`
	case r.lang == "perl":
		return `write \ARG if you mean ` + name + `'s own; else ` + toScript
	}
	return toScript
}

// optionHint returns what to write instead of an option that a value chooses.
func optionHint(w *reading, f field) string {
	list := strings.FieldsFunc(f.full(), isBlank)
	switch program, _, _ := strings.Cut(w.name, " "); {
	case len(list) > 1 && !slices.ContainsFunc(list, func(text string) bool { return w.r.option(text).sort != '-' }): // --oneline -3
		return "it came as one word: give " + strings.Join(list, " and ") + " as words of their own, or with --args"
	case program == "find" && strings.HasSuffix(w.option.name, "name"):
		return "put it in double quotes, or write the name yourself"
	case program == "find":
		return "write the options yourself, and begin a path with ./"
	case program == "gh" || program == "glab" || w.r.has("no--"):
		return "write the options yourself"
	case program == "git":
		return "write the options yourself; before a path put --, before a revision --end-of-options"
	}
	return "write the options yourself; before a path put -- or ./"
}

var commandLike = words.Regexp(`(?i)^\.|(^|_)(cmd|command|run|exec|prog|program|tool|sh|shell|script|code|eval|hook|` +
	`cc|cxx|compiler|editor|pager|runner|interpreter|bin|python|node)[0-9]*$|flags$|!$`)
