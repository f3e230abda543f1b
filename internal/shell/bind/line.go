package bind

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
)

// A line records what a command line does anywhere in it, also in code within code.
type line struct {
	*Program
	vals     []value
	world    World
	inert    map[string]bool // by kind and text, once that was asked
	pieces   []string        // the words of all values; nil if nobody asked for them
	foreign  bool            // files, their names and the output of commands may contain text that nobody trusts
	files    Files
	findings []Finding
	pass     int                     // the number of the pass over the line; the last pass judges
	nested   map[string]*syntax.File // code within the line, parsed
	first    map[string]int          // by kind, the index of the first value that does not fit it, or -1

	sets    map[string][]*syntax.Word    // variables, and all words that they are set to; nil means an unknown word
	classes map[string]class             // of variables, once that was asked
	lists   map[string]*syntax.ArrayExpr // lists that it writes out once: a=(grep "$0"); nil if it changes a list in other ways
	shifted bool                         // it sets $1 and the like to words that may be values
	anyVar  bool                         // it sets a variable whose name is known only when it runs
	handed  map[string]bool              // variables with a value that its programs get
	funcs   map[string]bool
	dash    bool // a value begins with a dash

	writes  map[string]bool // base names of the files that it writes
	loose   string          // a file of these that has no name of a data file
	unpacks map[string]bool // programs in it that write files whose names it does not contain
	brings  bool            // a value may choose these files: git merge "$0"
	moves   bool            // it goes to a folder that a value chooses
	strays  bool            // an option goes to another folder, where relative names mean other files
	options map[string]bool // options in its text and lists, which may end up before a value
	fits    map[*row]bool   // whether all these options are harmless in a row
	cuts    bool            // it may take parts of its values, not only parts between signs
	told    bool            // it reads the content of a file or folder that a value names
	changes bool            // it may make other texts of its values, or read elsewhere
	fetches bool            // it uses the output of a program that gets a value: git show "$0:x" | sh
	parts   bool            // it takes parts of its values between signs, or changes their case
	joins   bool            // it joins values
	roams   bool            // it goes to a folder that is known only when it runs
	dirs    map[string]bool // the folders that the author wrote before a value, or that it goes to: sub/
	away    int             // greater than 0 in a command that runs elsewhere: ssh, docker exec
}

// A value is one of the line's values, with the words that it is split into.
type value struct {
	written string
	name    string // of the variable that holds it
	data    string
	words   []string
	ours    bool
}

// noteList records how the node at the path's end sets a variable: to a list, or in any other way.
func (l *line) noteList(path []syntax.Node, name string) {
	var list *syntax.ArrayExpr
	_, declared := path[len(path)-2].(*syntax.DeclClause)
	if n, assigns := path[len(path)-1].(*syntax.Assign); assigns && !n.Append && n.Index == nil && !declared {
		list = n.Array
	}
	if was, known := l.lists[name]; known && was != list {
		list = nil
	}
	l.lists[name] = list
}

// globs are the characters of patterns for names of files.
const globs = "*?["

// named reports whether such a name may be a value: from somebody else, made by the line, or in a
// folder that a value names.
func (l *line) named() bool { return l.foreign || l.moves || len(l.writes) > 0 }

// set records a word that a variable may hold. nil means an unknown word.
func (l *line) set(name string, w *syntax.Word) {
	switch list := l.sets[name]; {
	case slices.Contains(list, w):
	case len(list) < 8:
		l.sets[name] = append(list, w)
	default:
		list[7] = nil
	}
}

// assigned calls f for each variable that the node at the path's end sets. f gets the word, which
// is nil if it is unknown, and whether programs get the variable.
func assigned(p []syntax.Node, f func(name string, w *syntax.Word, exported bool)) {
	switch n := p[len(p)-1].(type) {
	case *syntax.Assign:
		if n.Name == nil || n.Naked {
			return
		}
		call, before := p[len(p)-2].(*syntax.CallExpr)
		decl, declared := p[len(p)-2].(*syntax.DeclClause)
		w := n.Value
		switch {
		case n.Append || n.Index != nil || declared && declares(decl, "i"):
			w = nil
		case w == nil && n.Array == nil:
			w = &syntax.Word{} // x=
		}
		f(n.Name.Value, w, before && len(call.Args) > 0 || declared && exports(decl))
	case *syntax.WordIter:
		for _, w := range n.Items {
			if split := *w; syntax.SplitBraces(&split) && !sequence.Get().MatchString(words.Lit(w)) {
				w = nil
			}
			f(n.Name.Value, w, false)
		}
		if len(n.Items) == 0 {
			f(n.Name.Value, nil, false)
		}
	case *syntax.ParamExp:
		if n.Exp != nil && n.Param != nil && strings.HasSuffix(n.Exp.Op.String(), "=") {
			f(n.Param.Value, n.Exp.Word, false)
		}
	}
}

// sequence matches braces that count: {1..5}.
var sequence = words.Regexp(`^\{\d+\.\.\d+\}$`)

// effects records what a program does to the line: the texts that it makes, the files that it
// writes, the folder that it goes to.
func (s *scope) effects(name string, r *row, args []field, in input) {
	all := joined(args)
	own := all.own()
	s.texts(name, r, all, in)
	edits := among("editors", versionless(name)) && inPlace.Get().MatchString(own)
	shows := r.has("view") || r.has("still") || contents.Get().MatchString(name+" "+own)
	quiet := !r.is(isTool) || shows || !all.reached() && !in.fed && !s.mentions(own) // git merge "$0" and tar x < "$0" are not quiet
	if edits || !quiet || r.has("brings") {
		s.unpacks[name] = true
		s.brings = s.brings || r.is(isTool) && !shows && all.reached()
	}
	for _, f := range args {
		switch {
		case name == "cd" || name == "pushd":
			s.goes(f)
		case name == "set":
			s.shifted = s.shifted || f.reached() || f.many || strings.ContainsAny(f.lit(), "*?[")
		case among("writers", name) && !strings.HasPrefix(f.lit(), "-"):
			s.written(f)
		case strings.HasPrefix(f.lead(), "of="):
			s.written(after(f, 3))
		}
	}
}

// texts records what a program makes of the values: parts, other texts, or the content of a file
// that they name.
func (s *scope) texts(name string, r *row, all field, in input) {
	own := all.own()
	whole := name + " " + own
	cuts := cutting.Get().MatchString(whole)
	keeps := r == nil || r.runs() || r.is(isCall) && name != "printf" || r.is(isTool) && !among("outputs", name) || among("keepers", name)
	parting, fills := parting.Get().MatchString(whole), filling.Get().MatchString(whole) && !s.mentions(own)
	parts := parting || fills || keeping.Get().MatchString(whole)
	other := (!keeps || cuts) && !parts && !leaving.Get().MatchString(whole)
	made := in.prints && other
	s.parts = s.parts || parting
	s.fetches = s.fetches || in.saved && other || parts && !parting && !fills && name != "echo" && name != "printf"
	s.cuts = s.cuts || made && cuts || dividing.Get().MatchString(whole)
	s.changes = s.changes || made && !cuts
	s.fetch(name, r, all, in)
	repeats := among("repeaters", name) && !strings.ContainsAny(own, globs)
	if base := rows()[name]; in.prints && all.reached() && !repeats && !r.is(isCall) && !r.runs() && base != nil && base.subs == nil {
		sub, _, _ := strings.Cut(own, " ")
		names := among("tellers", name) || among("tellers", name+"/"+sub)
		s.told = true
		s.changes = s.changes || !names || s.unlike(inside) >= 0
	}
}

// fetch records that the line continues with something that a program made of a value, or found
// with it, and not with the value itself.
func (s *scope) fetch(name string, r *row, all field, in input) {
	whole := name + " " + all.own()
	passes := name == "echo" || name == "printf" || r.runs() || r.is(isCall) && !among("readers", name) ||
		parting.Get().MatchString(whole) ||
		filling.Get().MatchString(whole) && !s.mentions(all.own())
	goesOn := in.prints || in.saved || r.is(isTool) && len(s.writes) > 0
	s.fetches = s.fetches || goesOn && all.reached() && !passes
}

// says records the options in the words that a command passes on: to a variable, a list, a
// function, or another command's words.
func (s *scope) says(fs []field, in input) {
	name, args, first := fs[0].lit(), fs[1:], ""
	if len(args) > 0 {
		first = args[0].lit()
	}
	switch {
	case s.funcs[name]:
	case name == "set" && (first == "--" || !strings.HasPrefix(first, "-")):
	case name == "printf" && (in.prints || first == "-v"), name == "echo" && in.prints:
		if flags.Get().MatchString(first) {
			args = args[1:]
		}
	default:
		return
	}
	for _, f := range args {
		if f.lit() != "--" {
			s.dashes(f.own())
		}
	}
}

// flags matches the options of echo and printf.
var flags = words.Regexp(`^-[neEv]+$`)

// dashes records the options in a text that a value may follow.
func (s *scope) dashes(text string) {
	for word := range strings.FieldsSeq(text + "\x00") {
		option, _, _ := strings.Cut(word, "\x00")
		if strings.HasPrefix(option, "-") && strings.Trim(word, "-") != "" {
			s.options[option] = true
		}
	}
}

// harmless reports whether no option in the line's texts does anything with a value.
func (s *scope) harmless(r *row) bool {
	is, known := s.fits[r]
	if !known && s.pass == judging {
		is = true
		for text := range s.options {
			o := r.option(text)
			is = is && (o.sort == '-' || o.sort == '=' || o.sort == ':')
		}
		s.fits[r] = is
	}
	return is
}

// reads records a file whose text becomes part of the line.
func (s *scope) reads(f field) {
	if f.reached() {
		s.told, s.changes = true, true
	}
}

// goes records a folder that the line goes to.
func (s *scope) goes(f field) {
	text, known := f.literal()
	switch {
	case f.reached() && !s.picked(f) && f.full() != ".":
		s.moves, s.told, s.changes = true, true, true
	case known, len(f.bits) > 0 && f.bits[0].ours():
		s.dirs[cmp.Or(text, f.full())+"/"] = true
	default:
		s.roams = true
	}
}

// written records a file that the line writes.
func (s *scope) written(f field) {
	text, known := f.literal()
	base := path.Base(f.own())
	if known && (text == "" || aNumber(text) ||
		slices.Contains([]string{"-", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"}, text)) {
		return
	}
	s.writes[base] = true
	if !isDataName(f.own()) || slices.ContainsFunc(f.bits, bit.given) && !isDataName(f.full()) {
		s.loose = f.own()
	}
}

// parting matches commands that print a part of a text between signs, or its letters in another
// case.
var parting = words.Regexp(`^(?:cut -d ?[^\w\s\x00] -f ?\d+|cut -f ?\d+ -d ?[^\w\s\x00]|awk (?:-F ?\\?[^\w\s\x00] )?\{ ?print \$\d+ ?\}|` +
	`tr (?:a-z A-Z|A-Z a-z|\[:lower:\] \[:upper:\]|\[:upper:\] \[:lower:\])|dirname [^-]\S*|basename [^-]\S*(?: \.\w+)?)$`)

// filling matches commands that put a value into the text of a file: sed "s/NAME/$0/" page.html.
var filling = words.Regexp(`^sed (?:-E )?s/[^/\x00]*/(?:[^/\\\x00]*[^/\\\w\x00])?\x00(?:[^/\\\w\x00][^/\\\x00]*)?/g? [^\s\x00-][^\s\x00]*$`)

// cutting matches commands that take any part of a text, or put a dash before it.
var cutting = words.Regexp(`^(?:cut |tr -d |(?:head|tail) .*-(?:c|-by)|(?:[ef]?grep|rg) (?:.* )?-(?:[a-zA-Z]*o|-onl)|(?:date|seq) .*-\x00)`)

// dividing matches commands that split text at a letter, or after a number of characters.
var dividing = words.Regexp(`^(?:(?:(?:read|mapfile|readarray) (?:.* )?|xargs (?:-\S+ )*)-(?:\w*d|-delimiter)[ ` +
	`=]?[\w\x00]|read (?:.* )?-\w*[nN] ?[\d\x00])`)

// contents matches commands that list the contents of an archive.
var contents = words.Regexp(`^(?:(?:bsd)?tar (?:-?[vzjJ]*t[vzjJ]*f?(?: |$)|--list)|unzip -[lZ]|zipinfo )[^\x00-]*\x00?$`)

var inPlace = words.Regexp(`(?:^| )(?:-[a-zA-Z]{0,4}i|--in-place)`)

// keeping matches commands that print their input, or parts of it between signs, or only digits.
var keeping = words.Regexp(`^(?s:echo (?:-n )?(?:[^$-][^$]*)?|printf (?:[^%\\\x00-]|\\[nt])*(?:%s(?:[^%\\\x00-]|\\[nt])*(?:\\0)?)*(?: ` +
	`.*)?|jq (?:-r |-c )?\.?[\w.\[\]"-]+(?: \S+)?|` +
	`cut -d ?\W -f.*|cut -f ?[\d,-]+(?: -d ?[^\w\s].*)?|` +
	`awk (?:-F ?\\?[^\w\s] )?\{ ?print \$?\w+(?: ?, ?\$?\w+)* ?\})$`)

func exports(d *syntax.DeclClause) bool { return d.Variant.Value == "export" || declares(d, "x") }

func declares(d *syntax.DeclClause, flags string) bool {
	return slices.ContainsFunc(d.Args, func(a *syntax.Assign) bool {
		flag := words.Lit(a.Value)
		return a.Naked && strings.HasPrefix(flag, "-") && strings.ContainsAny(flag, flags)
	})
}
