package bind

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
)

// A Finding says that a value could do harm in the line.
type Finding struct {
	Value   string // as in the text: $ARGUMENTS
	Reader  string // what reads the value: eval, awk's program
	Why     string
	Instead string // what to write instead so that the line runs
}

func (f Finding) String() string {
	reader := " (in " + f.Reader + ")"
	if f.Why == whyName {
		reader = ""
	}
	return fmt.Sprintf("%s%s %s: %s", f.Value, reader, f.Why, f.Instead)
}

// The reasons why a value is refused.
const (
	whyName       = "would be the command name, and an argument cannot choose what runs"
	whyCode       = "would be part of the code"
	whyLanguage   = "could make the code run or write something"
	whyArithmetic = "would be evaluated as arithmetic, which can run commands"
	whySetting    = "would change how commands are found or run"
	whyChoice     = "would choose what runs"
	whyOption     = "could be an option that runs or writes something"
	whyWritten    = "could end up in a file that the line then runs or obeys"

	asCommand   = `write the command itself, with "ARG" as one of its arguments`
	toScript    = `put the code into a script of yours, and give it "ARG" as an argument`
	nameIt      = "name the variable yourself, and keep the value in it"
	ownFile     = "run a file of your own, and pass the value as an argument"
	ownCommand  = "write the command name yourself, and pass the value as an argument"
	ownFolder   = "write the folder yourself: src/ARG"
	dataName    = "give the file a name that says it is data, such as notes.txt, or run the program in another directive"
	checkNumber = "check that it is a number first, or compare it as text"
)

// Judge judges a line with the values that it is about to get. It has three rules:
//
//  1. No value chooses what runs: a command's name, a file that runs, a folder in which it runs, or
//     a variable that programs obey. A word may choose a file below one of the author's folders.
//  2. A value in code that the line reads is plain. If the line runs code that it does not contain
//     (eval "$x", … | sh, a file that it writes), all its values are numbers.
//  3. If a program has options that run or write something, a value may only be an option that the
//     program's list allows.
//
// Judge does not follow a value through the line. A variable may hold any value of the line, unless
// the line sets it to fixed text. So may the output of any command. The table says what each
// program does with its words. Judge refuses uses of a program that its row does not list.
func Judge(l Line, w World) []Finding {
	p, file, err := l.parse()
	if err != nil || len(p.Vars) == 0 {
		return nil
	}
	return l.judge(p, file, w, Files{})
}

// outside represents any text that somebody else wrote.
const outside = "-v -$(x) `x`;'\"|x=(a[$(x)])\\%x \x00../x"

// judge does the work of Judge. If files say so, the line is in a project that nobody trusted.
func (l Line) judge(p *Program, file *syntax.File, w World, files Files) []Finding {
	foreign := files.Guess != nil && files.Guess()
	j := &line{Program: p, world: w, foreign: foreign, files: files,
		first: map[string]int{}, sets: map[string][]*syntax.Word{}, classes: map[string]class{},
		handed: map[string]bool{}, funcs: map[string]bool{}, writes: map[string]bool{}, unpacks: map[string]bool{},
		nested: map[string]*syntax.File{}, options: map[string]bool{}, lists: map[string]*syntax.ArrayExpr{},
		dirs: map[string]bool{}, inert: map[string]bool{}, fits: map[*row]bool{}}
	for _, part := range l.Parts {
		if v := part.Value; v != nil {
			j.vals = append(j.vals, value{part.Text, p.Vars[len(j.vals)].Name, v.Data, wordsOf(v, false, false), v.Ours})
			j.dash = j.dash || strings.HasPrefix(v.Data, "-")
		}
	}
	if foreign {
		j.vals = append(j.vals, value{written: "text from this project", data: outside})
	}
	for j.pass = range judging + 1 {
		clear(j.classes)
		clear(j.inert)
		clear(j.first)
		j.look(file, 0, false)
	}
	return j.findings
}

const (
	maxDepth = 6 // of code in code
	// judging is the last pass. The passes before it learn what the line sets, writes and changes,
	// also in code within code. The second pass already knows what comes later in the line.
	judging = 2
)

// A scope is code that is judged: the line, or code for a shell inside the line.
type scope struct {
	*line
	depth      int
	positional bool // $1 and the like may hold a value
}

func (l *line) look(file syntax.Node, depth int, positional bool) {
	s := &scope{l, depth, positional}
	walk(file, func(path []syntax.Node) {
		if len(l.findings) == 0 {
			s.node(path)
		}
	})
}

func (s *scope) report(v *value, place, why, instead string) {
	if s.pass == judging {
		s.findings = append(s.findings, Finding{v.written, place, why, strings.ReplaceAll(instead, "ARG", v.written)})
	}
}

// all judges every value of the line. Any of them may be in the place, so all must be harmless.
func (s *scope) all(k kind, place, why, instead string) bool {
	k = s.resolve(k)
	i := s.unlike(k)
	if i >= 0 {
		s.report(&s.vals[i], place, k.rule(why), instead)
	}
	return i < 0
}

// unlike returns the index of the first value of the line that does not fit a kind, or -1.
func (l *line) unlike(k kind) int {
	i, known := l.first[k.name]
	if !known {
		i = slices.IndexFunc(l.vals, func(v value) bool { return !k.holds(v.data) && !(v.ours && plainWords(v.data)) })
		l.first[k.name] = i // a line with a thousand values can have a thousand such places
	}
	return i
}

// within judges the values in a field. If any value may be in the field, it judges all values of
// the line.
func (s *scope) within(f field, k kind, place, why, instead string) {
	k = s.resolve(k)
	for _, x := range f.bits {
		if x.given() && !k.holds(x.text) {
			s.report(x.from, place, k.rule(why), instead)
			return
		}
	}
	if f.dirty() {
		if holds := k.holds; s.changes { // only a number surely remains a number
			k = kind{k.name + ", a number", func(v string) bool { return holds(v) && aNumber(v) }}
		}
		s.all(k, place, why, instead)
	}
}

// kept returns the kind that values must have where the line may have changed them. A part of tame
// text is tame, and a few characters never become a command in any notation. Otherwise only numbers
// surely remain harmless.
func (s *scope) kept(k kind) kind {
	switch isTame := k.name == tame.name; {
	case isTame && s.changes && !s.told:
		return few
	case s.changes, isTame && s.told, !isTame && s.cuts:
		return number
	}
	return k
}

// expanded judges a place that expands text again: arithmetic, a subscript, a prompt.
func (s *scope) expanded(place string) { s.all(s.kept(tame), place, whyArithmetic, checkNumber) }

func (s *scope) node(path []syntax.Node) {
	assigned(path, func(name string, w *syntax.Word, exported bool) {
		s.assign(name, w, exported)
		s.noteList(path, name)
	})
	switch n := path[len(path)-1].(type) {
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		if !s.numeric(n) {
			s.expanded("arithmetic")
		}
	case *syntax.ParamExp:
		s.parameter(n)
	case *syntax.ArrayElem:
		s.subscripts(n.Index)
		if words.Lit(n.Value) != "--" {
			s.dashes(s.text(n.Value).own())
		}
	case *syntax.Assign:
		s.subscripts(n.Index)
		if n.Name != nil && n.Value != nil && !n.Naked {
			s.dashes(s.text(n.Value).own())
		}
	case *syntax.DeclClause:
		s.declaration(n)
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsReMatch:
			s.cuts = true // BASH_REMATCH
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			if !s.numeric(n.X) || !s.numeric(n.Y) {
				s.expanded("[[ " + n.Op.String() + " ]]")
			}
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			s.expanded("[[ " + n.Op.String() + " ]]")
		}
	case *syntax.FuncDecl:
		if n.Name != nil {
			s.funcs[n.Name.Value] = true
		}
		s.positional = true
	case *syntax.Redirect:
		s.redirect(n, path)
	case *syntax.CallExpr:
		if fs := s.fields(n.Args); len(fs) > 0 {
			in := s.input(path)
			s.says(fs, in)
			s.run(fs, in)
		}
	}
}

// redirect records a file that is written or read, and the content of a here-document. It also
// judges {a[…]}>file.
func (s *scope) redirect(n *syntax.Redirect, path []syntax.Node) {
	if n.N != nil && strings.Contains(n.N.Value, "[") {
		s.expanded("a subscript")
	}
	switch n.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.RdrInOut:
		s.written(s.text(n.Word))
	case syntax.RdrIn:
		_, runs := n.Word.Parts[0].(*syntax.ProcSubst) // the command there is judged separately
		if !runs {
			s.reads(s.text(n.Word))
		}
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		stmt := path[len(path)-2].(*syntax.Stmt)
		if name, _, _ := strings.Cut(command(stmt.Cmd), " "); name != "cat" || s.input(path).prints { // else its output goes on the page
			s.dashes(s.text(cmp.Or(n.Hdoc, n.Word)).own())
		}
	}
}

// subscripts judges text between brackets that is computed, or that is a position in a string.
func (s *scope) subscripts(list ...syntax.ArithmExpr) {
	if slices.ContainsFunc(list, func(x syntax.ArithmExpr) bool { return x != nil && !isAt(x) && !s.numeric(x) }) {
		s.expanded("a subscript")
	}
}

// isAt reports whether a subscript means a whole list.
func isAt(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && (words.Lit(w) == "@" || words.Lit(w) == "*")
}

// parameter judges an expansion, and records whether it changes the text of a value: ${x#a} does,
// but ${x##*/} does not.
func (s *scope) parameter(n *syntax.ParamExp) {
	prompt := n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && words.Lit(n.Exp.Word) == "P"
	s.cuts = s.cuts || n.Slice != nil
	if n.Exp != nil && n.Exp.Op >= syntax.RemSmallSuffix && n.Exp.Op <= syntax.RemLargePrefix {
		prefix := n.Exp.Op >= syntax.RemSmallPrefix
		atSign := prefix && upToSign.Get().MatchString(words.Lit(n.Exp.Word)) ||
			!prefix && fromSign.Get().MatchString(words.Lit(n.Exp.Word))
		s.cuts = s.cuts || prefix && !atSign
		s.fetches = s.fetches || !atSign
		s.parts = s.parts || atSign
	}
	if n.Exp != nil && n.Exp.Op >= syntax.UpperFirst && n.Exp.Op <= syntax.LowerAll { // ${x,,}
		s.parts, s.changes = true, s.changes || n.Exp.Word != nil && words.Lit(n.Exp.Word) != ""
	}
	if n.Exp != nil && n.Exp.Word != nil {
		s.dashes(s.text(n.Exp.Word).own())
	}
	s.changes = s.changes || n.Repl != nil || n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && !prompt
	s.subscripts(n.Index)
	if n.Slice != nil {
		s.subscripts(n.Slice.Offset, n.Slice.Length)
	}
	if n.Excl && n.Names == 0 && !isAt(n.Index) || prompt {
		s.expanded("${!…} or ${…@P}")
	}
}

var (
	// upToSign matches a prefix to remove that ends with a sign. fromSign matches a suffix to
	// remove that begins with a sign: ${x##*/}, ${x%.*}.
	upToSign = words.Regexp(`^\*\W$`)
	fromSign = words.Regexp(`^[^\w\s*?\[\]\\\x00]\w*\*?$`)
	signs    = words.Regexp(`^[^\w\x00]*$`)
)

// surroundings judges a program in a line that writes files without names of data. All programs but
// the simplest may run or obey these files.
func (s *scope) surroundings(fs []field) {
	name := programName(fs[0].lit())
	if s.funcs[name] {
		return
	}
	r := lookup(name, fs[1:])
	unpacked := len(s.unpacks) > 1 || len(s.unpacks) == 1 && !s.unpacks[name] // by another program
	if (s.loose != "" || unpacked) && !s.ours(fs[0]) && !s.quiet(r, name, fs[1:]) {
		s.all(s.filed(), name+" in a line that writes a file", whyWritten, dataName)
	}
	if s.moves && r != nil && !r.is(isShell) && !r.has("view") && !r.simple(name) {
		s.all(never, name+" in a folder that a value chooses", whyChoice, ownFolder)
	}
	s.handover(name, r, fs)
}

// quiet reports whether a program neither runs nor obeys a file that the line wrote, unless the
// line names the file to it.
func (s *scope) quiet(r *row, name string, args []field) bool {
	switch {
	case r == nil:
		return false
	case r.kind == isShell:
		return !readsProfile.Get().MatchString(joined(args).own())
	case name == "git": // git obeys files of its own
		return len(s.unpacks) == 0 && !strings.ContainsAny(s.loose, "/\x00") && !strings.Contains(s.loose, "git")
	}
	return r.simple(name)
}

// simple reports whether a program runs nothing, whatever files exist.
func (r *row) simple(name string) bool { return r.kind == isData || among("silent", name) }

// readsProfile matches the options of interactive and login shells, which run files in the home
// folder.
var readsProfile = words.Regexp(`^$|(?:^| )(?:-[a-z]*[il][a-z]*|--login|--interactive)(?: |$)`)

// handover judges the variables with values that a program gets. Rule 1: a program of the table may
// obey any variable that is not known to have no meaning.
func (s *scope) handover(name string, r *row, fs []field) {
	if r == nil || len(s.handed) == 0 || r.kind == isData {
		return
	}
	for _, v := range slices.Sorted(maps.Keys(s.handed)) {
		if r.kind == isTool && !among("meaningless", v) {
			s.all(inert, v+" of "+name, whySetting, "give "+name+" the value as an argument, or hand it to a script of your own")
		}
	}
	runs := r.kind == isTool || r.kind == isJoin || r.lang == "talk"
	switch text := joined(fs[1:]).own(); {
	case name == "make" && s.unlike(word) >= 0:
		s.all(inert, "the environment of make", whyCode, toScript)
	case runs && strings.ContainsAny(text, "$(") && s.mentions(text):
		s.all(inert, "text with a variable in it, which "+name+" may run", whyCode, toScript)
	}
}

// assign records and judges the word that a variable is set to. nil means that the word is unknown.
func (s *scope) assign(name string, w *syntax.Word, exported bool) {
	f := unknown()
	if w != nil {
		f = s.text(w)
	}
	if strings.ContainsAny(words.Lit(w), globs) && s.named() {
		w = nil // the name of some file
	}
	s.told = s.told || f.reached() && strings.ContainsAny(f.own(), globs) // names in a folder that a value chooses
	s.set(name, w)
	s.joins = s.joins || w == nil && f.reached()
	if exported && f.reached() {
		s.handed[name] = true
	}
	s.fetches = s.fetches || name == "IFS"
	s.cuts = s.cuts || name == "IFS" && !signs.Get().MatchString(f.own())
	s.setting(name, f, exported)
}

// setting judges the value of a variable. Programs obey some variables, and the shell obeys others.
func (s *scope) setting(name string, f field, exported bool) {
	text := f.lit()
	instead := "set " + name + " to fixed text, and pass the value as an argument"
	switch {
	case among("integers", name) && f.reached():
		s.expanded(name)
	case exported && !among("meaningless", name) && s.mentions(f.own()):
		s.all(inert, name, whySetting, instead)
	case folders.Get().MatchString(name) && (s.moves || s.foreign && relative(text)): // PYTHONPATH=lib, git -c core.hooksPath=scripts
		s.all(never, name, whySetting, ownFolder)
	case !isObeyed(name):
	case f.reached():
		k := never
		if name == "ENV" {
			k = kind{"a word that names no file",
				func(v string) bool { return word.holds(v) && (s.world.File == nil || !s.world.File(v)) }} // prod
		}
		s.within(f, k, name, whySetting, instead)
	case name != "PATH" && (strings.HasPrefix(text, "/dev/") || strings.HasPrefix(text, "/proc/") || s.mentions(f.own()) ||
		strings.Contains(text, "$") && (len(s.handed) > 0 || strings.HasPrefix(name, "PS"))):
		s.all(inert, name, whySetting, instead)
	}
}

// folders matches names of settings that say where programs, modules and hooks are.
var folders = words.Regexp(`(?i)(?:path|dir|home|lib)$`)

// declaration judges the names that declare and similar commands set, and with -i, -n, -a and -A
// also the contents.
func (s *scope) declaration(n *syntax.DeclClause) {
	s.anyVar = s.anyVar || declares(n, "n")
	s.parts = s.parts || declares(n, "luc")
	for _, a := range n.Args {
		f := s.text(a.Value)
		if a.Name != nil && declares(n, "aA") {
			s.set(a.Name.Value, nil)
		}
		if a.Name != nil && a.Naked && exports(n) && s.variableClass(a.Name.Value, 1) == open {
			s.handed[a.Name.Value] = true
		}
		list := a.Name != nil && s.isArray(a.Name.Value)
		if declares(n, "i") || list && a.Array == nil && f.reached() {
			s.expanded(n.Variant.Value)
		}
		if declares(n, "n") && f.reached() {
			s.all(number, n.Variant.Value, whySetting, nameIt)
		}
		if a.Naked && a.Value != nil && !strings.HasPrefix(f.lit(), "-") {
			s.names(n.Variant.Value, f, exports(n))
		}
	}
}

// isArray reports whether a variable may be a list. declare expands the text of a list again.
func (s *scope) isArray(name string) bool {
	return among("filled", name) || slices.Contains(s.sets[name], nil)
}

// names records and judges a word that names a variable, alone or before a =.
func (s *scope) names(place string, f field, exported bool) {
	key, _, sets := strings.Cut(f.lead(), "=")
	base, _, _ := strings.Cut(key, "[")
	s.lists[base] = nil
	switch text, known := f.literal(); {
	case sets && isName(key):
		if f.reached() {
			s.set(key, nil)
			s.handed[key] = s.handed[key] || exported
		}
		s.setting(key, after(f, len(key)+1), true)
		if place != "export" && s.isArray(key) && f.reached() {
			s.expanded(place)
		}
	case known && (among("integers", text) || strings.Contains(text, "[")):
		s.expanded(place)
	case known:
		s.set(text, nil)
	case f.reached():
		s.anyVar = true
		s.all(number, place, whySetting, nameIt)
	}
}

// mentions reports whether text names a file that the line writes, or a variable with a value that
// its programs get.
func (s *scope) mentions(text string) bool {
	between := func(r rune) bool { return strings.ContainsRune(" \t\n\\;|&()<>!\"'`=@,:/\x00{}$", r) }
	names := func(name string) bool { return s.writes[name] || s.handed[name] }
	if len(s.writes)+len(s.handed) == 0 {
		return false
	}
	return len(s.writes) > 0 && strings.ContainsAny(text, "*?[") || slices.ContainsFunc(strings.FieldsFunc(text, between), names)
}

// An input says what a command reads, and whether something reads its output.
type input struct {
	fed    bool   // it reads a pipe, a file or a here-document
	code   *field // the text of the here-document
	prints bool   // the output becomes part of the line again, or the input of another command
	saved  bool   // the output goes to a file
}

func (s *scope) input(p []syntax.Node) (in input) {
	for k := len(p) - 1; k >= 0 && !(in.fed && in.prints); k-- {
		switch n := p[k].(type) {
		case *syntax.Stmt:
			in.saved = in.saved || slices.ContainsFunc(n.Redirs, saves)
			if !in.fed {
				in.fed, in.code = s.redirected(n)
				if k < len(p)-2 {
					in.code = nil // another command of the same block may have read it
				}
			}
		case *syntax.BinaryCmd:
			pipe := n.Op == syntax.Pipe || n.Op == syntax.PipeAll
			if pipe && p[k+1] == n.Y && !in.fed && k == len(p)-3 {
				in.code = s.printed(n.X)
			}
			in.fed, in.prints = in.fed || pipe && p[k+1] == n.Y, in.prints || pipe && p[k+1] == n.X
		case *syntax.FuncDecl:
			in.fed = true // it reads the input of its callers
		case *syntax.CmdSubst, *syntax.ProcSubst:
			in.prints = true
		}
	}
	return in
}

// saves reports whether a redirection writes a command's output to a file.
func saves(r *syntax.Redirect) bool {
	out := r.Op == syntax.RdrOut || r.Op == syntax.AppOut || r.Op == syntax.RdrAll || r.Op == syntax.AppAll || r.Op == syntax.RdrClob
	return out && (r.N == nil || r.N.Value == "1") && words.Lit(r.Word) != "/dev/null"
}

// printed returns the text that a statement prints, if it is only echo TEXT, printf with %s, or cat
// with a here-document: echo "ls $0" | sh is sh -c "ls $0".
func (s *scope) printed(n *syntax.Stmt) *field {
	call, simple := n.Cmd.(*syntax.CallExpr)
	if !simple || len(call.Assigns) > 0 || len(call.Args) == 0 || s.funcs[words.Lit(call.Args[0])] {
		return nil
	}
	var text field
	fs := s.fields(call.Args[1:])
	switch name := words.Lit(call.Args[0]); {
	case name == "cat" && len(fs) == 0 && len(n.Redirs) == 1:
		_, code := s.redirected(n)
		return code
	case len(n.Redirs) > 0 || len(fs) == 0:
	case name == "echo":
		text = joined(fs)
	case name == "printf":
		text = formatted(fs[0], fs[1:])
	}
	if len(text.bits) == 0 || strings.HasPrefix(text.full(), "-") || text.many || text.dirty() {
		return nil
	}
	return &text
}

// formatted puts words into a format that has no verbs but %s.
func formatted(format field, args []field) (text field) {
	written, known := format.literal()
	parts := strings.Split(strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(written), "%s")
	if !known || len(parts) != len(args)+1 || strings.ContainsAny(strings.Join(parts, ""), `%\`) {
		return field{}
	}
	for i, part := range parts {
		text.bits = merge(text.bits, bit{text: part})
		if i < len(args) {
			text.bits, text.many = merge(text.bits, args[i].bits...), text.many || args[i].many
		}
	}
	return text
}

// redirected returns what a statement's own redirections make its commands read.
func (s *scope) redirected(n *syntax.Stmt) (fed bool, code *field) {
	for _, r := range n.Redirs {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			f := s.text(cmp.Or(r.Hdoc, r.Word))
			fed, code = true, &f
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn:
			fed, code = words.Lit(r.Word) != "/dev/null", nil
		}
	}
	return fed, code
}

// file judges what runs: a command, a script, a module. Rule 1: a value may only pick a file from
// one of the author's folders.
func (s *scope) file(f field, place, why, instead string) bool {
	text, known := f.literal()
	isCommand := why == whyName && known && !strings.Contains(text, "/")
	switch {
	case s.depth > 0 && why == whyName && !f.dirty() && s.resolve(absent).holds(f.full()): // bash -c "$0": nothing with that name exists
	case slices.ContainsFunc(f.bits, bit.given) && !s.picked(f):
		s.report(f.bits[slices.IndexFunc(f.bits, bit.given)].from, place, why, s.pickHint(f, instead))
	case f.dirty(), s.writes[path.Base(text)] && (!isCommand || s.loose != ""),
		strings.HasPrefix(text, "/dev/"), strings.HasPrefix(text, "/proc/"):
		s.all(absent, place, why, instead)
	case (s.loose != "" || len(s.unpacks) > 0) && !isCommand && !s.ours(f):
		s.all(s.filed(), place+", which the line may write", whyWritten, dataName)
	case s.moves && !isCommand && relative(text):
		s.all(never, text+" in a folder that a value chooses", whyChoice, ownFolder)
	case s.foreign && !isCommand && s.files.Script != nil && (s.strays && relative(text) || s.files.Script(text)):
		s.all(number, place, why, instead)
	case s.foreign && (!known && !s.ours(f) || strings.HasPrefix(text, "~") && !strings.HasPrefix(text, "~/")):
		s.all(number, place, why, instead)
	}
	return len(s.findings) == 0
}

// relative reports whether a file's name depends on the folder.
func relative(name string) bool {
	return name != "" && !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, "~/")
}

// ours reports whether a file is below one of our folders: ${SKILL_DIR}/tool.
func (s *scope) ours(f field) bool {
	return len(f.bits) > 1 && f.bits[0].ours() && !strings.Contains(f.own(), "..")
}

// picked reports whether values only pick one of the author's files: "./scripts/$0.sh". Each value
// must be a word that cannot lead elsewhere.
func (s *scope) picked(f field) bool {
	own := f.own()
	if len(f.bits) > 0 && f.bits[0].ours() {
		own = "x" + own[1:] // one of our folders
	}
	before, _, _ := strings.Cut(own, "\x00")
	if strings.Trim(path.Dir(before+"x"), "./") == "" || strings.IndexAny(before, "/~") == 0 || strings.Contains(own, "..") || f.many {
		return false
	}
	return !f.dirty() && !slices.ContainsFunc(f.bits, func(x bit) bool { return x.given() && !aWord(x.text) })
}

// pickHint returns how to pick one of the author's files, if the line tries to do that, else
// instead.
func (s *scope) pickHint(f field, instead string) string {
	if own := f.own(); strings.Count(own, "\x00") == 1 && strings.Contains(own, "/") &&
		strings.HasSuffix(own, "\x00") && !strings.HasPrefix(own, "\x00") {
		written := f.bits[slices.IndexFunc(f.bits, bit.given)].from.written
		return "a word may pick a file there: write " + strings.ReplaceAll(own, "\x00", written) + ".sh and give its name without a path"
	}
	return instead
}
