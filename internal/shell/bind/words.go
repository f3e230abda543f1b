package bind

import (
	"slices"
	"strings"
)

// A reading is a program whose words are judged in their order, and the state of that.
type reading struct {
	r        *row
	name     string
	in       input
	ended    bool   // no option follows
	given    bool   // its code is known, so the words that follow are data
	operands int    // how many operands there were so far
	option   option // the last option
	stands   string // the text that represents the program's input: xargs -I{}
	begin    string // how the names that it finds begin
	chosen   bool   // a value may choose these names
}

// words judges the words of a program: options by the row's entry for each, operands by what the
// program does with them.
func (s *scope) words(r *row, name string, args []field, in input) {
	w := &reading{r: r, name: name, in: in, begin: "./"}
	if r.has("remote") {
		s.away++
		defer func() { s.away-- }()
	}
	if k, reads := r.kinds["in"]; reads && in.fed {
		s.all(k, name+"'s input", whyCode, "give it the text as an argument")
	}
	if s.foreign && r.has("folder") {
		s.all(number, "the files that "+name+" runs", whyCode, ownFile)
	}
	if r.has("dashless") && len(args) > 0 && !strings.HasPrefix(args[0].lead(), "-") { // tar xf
		args = append([]field{{bits: merge([]bit{{text: "-"}}, args[0].bits...)}}, args[1:]...)
	}
	n := 0 // the number of words that were read
	for ; len(args) > 0 && len(s.findings) == 0; args = args[min(n, len(args)):] {
		f := args[0]
		n = 1
		w.chosen = w.chosen || n < len(args) && args[1].reached() || f.reached()
		switch text := f.full(); {
		case !w.ended && (text == "--" || text == "--end-of-options") && !f.dirty() && !r.has("no--"):
			w.ended = true
		case text == "--" && !w.ended: // npm does not end its options with it: an option after it is another program's
		case text == "--version" || text == "--help":
			return
		case !w.ended && strings.HasPrefix(f.lead(), "-") && text != "-":
			if n = s.flag(w, args); n == 0 {
				return
			}
		case !w.ended && r.kind == isTool && strings.IndexAny(f.lead(), "+@") == 0 && f.reached(): // less +!x, gcc @x
			s.flag(w, args[:1])
		case !w.ended && f.lead() == "" && f.reached() && s.valueFlag(w, f):
		default:
			if s.operand(w, args) {
				return
			}
			w.option = option{}
		}
	}
	if !w.given && len(s.findings) == 0 {
		s.unnamed(w)
	}
}

// flag judges an option that the author wrote, with its word. It returns how many words these are,
// or 0 if it judged all that follow.
func (s *scope) flag(w *reading, args []field) int {
	f, o := args[0], w.r.option(args[0].lead())
	attached := o.rest < len(f.lead()) || len(f.bits) > 1
	w.option = o
	w.given = w.given || o.sort == '#' || o.sort == '%' && w.r.has("operand")
	rest := args[1:]
	if attached {
		rest = append([]field{after(f, o.rest)}, rest...)
	}
	switch {
	case o.sort == '?':
		return 0
	case f.reached() && !w.r.has("dashless") && s.listed(w, f): // git log --$0
		return 1
	case o.sort == '-' || o.sort == '~':
		if attached { // curl -s$0
			s.within(f, number, w.name, whyOption, optionHint(w, f))
		}
		return 1
	case len(rest) == 0:
		return 1
	case o.sort == 0 && w.r.has("reads"): // xargs --replace=x
		s.all(inert, w.name+" "+f.lit(), whyCode, "use -I")
	case o.sort == '&':
		return 3
	case o.sort == '!' && w.r.runs(): // env -S"A=1 bash -c" "$0"
		s.shellCode(joined(rest), w.name)
		return 0
	case o.sort == ';': // find -exec
		n := slices.IndexFunc(append(rest, literal(";")), func(f field) bool { return slices.Contains([]string{";", `\;`, "+"}, f.lit()) })
		s.moves = s.moves || strings.HasSuffix(o.name, "dir")
		chosen := w.chosen || s.named() || joined(rest[min(n, len(rest)):]).reached()
		s.roams = s.roams || chosen // it finds names in any folder below
		command := replaced(rest[:n], "{}", w.begin, chosen)
		if n < len(rest) && rest[n].lit() == "+" { // the names of several files
			command = append(command, field{bits: []bit{{text: w.begin}, {hole: true, dirty: chosen}}})
		}
		s.run(command, w.in)
		return n + 2
	case o.sort == '/': // python -m
		s.module(rest[0], rest[1:], w.in)
		return 0
	case o.sort == 0 && !attached: // it may take the next word, or may not
		return s.unlisted(w, args)
	}
	s.optionWord(w, rest[0])
	switch {
	case o.sort == '#' && w.r.has("python"):
		return 0 // the words after the code belong to the code
	case attached:
		return 1
	}
	return 2
}

// unlisted judges an unknown option with the word after it. The word may belong to the option or
// not: both must be harmless.
func (s *scope) unlisted(w *reading, args []field) int {
	next := args[1]
	text := next.lit()
	switch {
	case w.r.runs() && next.reached() && len(args) > 2:
		s.within(next, number, w.name, whyChoice, ownCommand)
		return 2
	case next.reached() || s.mentions(next.own()):
		s.optionWord(w, next)
	case w.r.runs() && !strings.HasPrefix(text, "-") && !strings.Contains(text, "/") && lookup(programName(text), nil) == nil:
		s.words(w.r, w.name, args[2:], w.in)
	}
	return 1
}

// optionWord judges the word of an option by the table's entry for the option.
func (s *scope) optionWord(w *reading, f field) {
	place := w.name + " " + w.option.name
	switch w.option.sort {
	case '=', ':', '-':
	case '<':
		s.reads(f)
	case '>':
		s.written(f)
		if f.reached() && !w.r.has("writes") {
			s.within(f, dataFile, place, whyOption, "write the file's name yourself, or end it with .txt or the like")
		}
	case '!':
		s.shellCode(f, place)
	case '#':
		s.langCode(f, w.r, w.name)
	case '@': // git -c key=x is git config key x
		key, _, _ := strings.Cut(f.lead(), "=")
		r, _ := find("git", []field{literal("config"), literal(key)})
		s.words(r.alone(), "git config", []field{after(f, len(key)+1)}, input{})
		s.setting(key, after(f, len(key)+1), false)
		if _, code, runs := strings.Cut(f.lit(), "=!"); runs {
			s.shellCode(literal(code), place)
		}
	case '^':
		s.strays = s.strays || !s.ours(f) && relative(f.full())
		s.goes(f)
		if among("starters", strings.Fields(w.name)[0]) && f.reached() && !s.picked(f) {
			s.within(f, never, place, whyChoice, ownFolder)
		}
	case '{':
		s.within(f, number, place, whyChoice, "write it yourself")
		w.stands = f.lit()
	case '%':
		if f.lit() == "-" || strings.HasPrefix(f.lit(), "/dev/") {
			s.stdin(w.in, &row{kind: isLang}, w.name)
			return
		}
		s.script(f, place)
	default:
		if s.mentions(f.own()) {
			s.all(inert, place, whyWritten, dataName)
		}
		s.within(f, number, "an option of "+w.name, whyOption, optionHint(w, f))
	}
}

// valueFlag judges a word that begins with a value, and reports whether it is an option that the
// row lists.
func (s *scope) valueFlag(w *reading, f field) bool {
	text, signs := f.full(), "-"
	if w.r.kind == isTool {
		signs = `-+@|\`
	}
	switch {
	case (len(w.r.subs) > 0 || w.r.has("sub")) && w.operands == 0 && !strings.HasPrefix(text, "-") && !w.r.runs():
		s.within(f, never, w.name+"'s subcommand", whyChoice, "write the subcommand yourself")
	case f.dirty():
		k := s.kept(noOption)
		if !s.harmless(w.r) { // a=(-exec "$0")
			k = number
		}
		s.within(f, k, "an option of "+w.name, whyOption, optionHint(w, f))
	case w.r.runs():
	case len(text) > 1 && strings.Contains(signs, text[:1]):
		if !s.listed(w, f) {
			s.within(f, never, "an option of "+w.name, whyOption, optionHint(w, f))
		}
		return text[0] == '-'
	}
	return false
}

// listed reports whether a word, with the values in it, is an option that the row lists as
// harmless.
func (s *scope) listed(w *reading, f field) bool {
	o := w.r.option(f.full())
	return !f.dirty() && (o.sort == '-' || o.sort == '=' && w.r.kind == isTool)
}

// operand judges a word that is not an option, and reports whether it judged all that follow.
func (s *scope) operand(w *reading, args []field) bool {
	f, r := args[0], w.r
	unsure := w.option.sort == 0 && w.option.name != "" &&
		!strings.ContainsAny(f.lit(), "./") && f.lit() != "" // it may be the option's own
	w.operands++
	switch {
	case r.kind == isTool:
		s.toolOperand(w, f)
		return false
	case r.runs():
		return s.wrapOperand(w, args)
	case r.has("first") && w.operands == 1: // a database; each word after it is code
		return false
	case w.given && !r.has("first"):
		if k, ok := r.kinds["rest"]; ok && f.reached() { // perl runs names with a pipe in them as commands, go run runs each file of Go
			s.within(f, k, w.name, whyCode, "give it the file as its input: < file")
		}
		w.ended = w.ended || !r.has("permutes")
	case r.has("operand"), r.has("first"):
		w.given = true
		s.langCode(f, r, w.name)
	case r.lang == "talk":
		s.within(f, operand, w.name, whyOption, optionHint(w, f))
	case f.lit() == "-":
		w.given = true
		s.stdin(w.in, r, w.name)
	default:
		w.given = !unsure
		w.ended = w.ended || w.given
		s.script(f, w.name)
	}
	return false
}

// toolOperand judges an operand of a program with options. For some programs it is code, or a file
// that they write.
func (s *scope) toolOperand(w *reading, f field) {
	if f.dirty() {
		w.begin = "" // find "$x": names begin as the value does
	}
	key, _, sets := strings.Cut(f.lead(), "=")
	k, listed := w.r.kinds["ops"]
	switch {
	case !f.reached():
		if (k.name == number.name || k.name == inert.name) && s.mentions(f.own()) {
			s.all(k, w.name, whyWritten, toScript)
		}
	case sets && w.r.has("variables"):
		k := plain
		if key = strings.TrimRight(key, ":?+"); commandLike.Get().MatchString(key) || isObeyed(key) && key != "ENV" {
			k = inert
		}
		s.within(f, k, w.name+" "+key, whyCode, "check the value first, or pass it to a script of your own")
	case w.r.has("ops:never2") && (w.operands > 1 || f.many && f.dirty() && s.named()): // uniq *
		s.within(f, device, w.name+"'s second file, which it writes", whyOption, "write the file's name yourself, or use > file")
	case listed && (k.name == word.name || k.name == aPackage.name) && strings.Contains(f.own(), "/"): // npm pack ./$0 runs what is there
		s.within(f, never, w.name, whyChoice, ownFolder)
	case listed && w.r.has("variables") && s.settable(f): // make $0 with ARGS=hello
	case listed:
		s.within(f, k, w.name, whyCode, "a value there is "+k.name+": check it first")
	}
}

// settable reports whether a value sets a variable of make that no program obeys, and sets it to an
// inert value.
func (s *scope) settable(f field) bool {
	key, set, sets := strings.Cut(f.full(), "=")
	return sets && !f.dirty() && isName(key) && !commandLike.Get().MatchString(key) && !isObeyed(key) && s.resolve(inert).holds(set)
}

// wrapOperand judges a word before the command that a program runs, or that command with all words
// after it.
func (s *scope) wrapOperand(w *reading, args []field) bool {
	f, r := args[0], w.r
	key, _, assigns := strings.Cut(f.lead(), "=")
	switch {
	case key == "-" && r.has("assigns"):
		w.operands--
	case assigns && r.has("assigns") && isName(key):
		w.operands--
		s.names("export", f, true)
	case assigns && w.name == "env":
		if s.mentions(f.own()) || f.reached() {
			s.all(number, w.name, whySetting, nameIt)
		}
	case w.operands <= r.before && !(w.ended && r.has("dashes")) || strings.HasPrefix(f.full(), "-"):
		k, ok := r.kinds["ops"]
		if !ok {
			k = operand
		}
		if f.reached() {
			s.within(f, k, w.name, whyChoice, "write it yourself")
		} else if p := lookup(programName(f.lit()), nil); p != nil && p.kind > isTool { // it may be the command
			s.run(args, w.in)
		}
	default:
		s.wrapped(w, args)
		return true
	}
	return false
}

// unnamed judges a program if the line gives it no code or command: the program may read that from
// its input.
func (s *scope) unnamed(w *reading) {
	switch {
	case w.r.kind == isLang:
		s.stdin(w.in, w.r, w.name)
	case w.r.kind == isJoin, w.r.kind == isWrap && w.in.fed && !among("idle", w.name):
		s.stdin(w.in, &row{kind: isShell}, w.name)
	}
}
