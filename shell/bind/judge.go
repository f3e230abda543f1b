package bind

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// A Finding says that a value could do harm where the line reads code again.
type Finding struct {
	Value   string // as written: $ARGUMENTS
	Place   string // what reads it: eval, awk's program
	Why     string
	Instead string // how to write it so that it runs
}

func (f Finding) String() string {
	place := " (in " + f.Place + ")"
	if f.Why == whyName {
		place = ""
	}
	return fmt.Sprintf("%s%s %s: %s", f.Value, place, f.Why, f.Instead)
}

// Judge looks at a line together with the values that it is about to get.
// Which places anywhere in it read code again, and could one of the values do
// harm there? How a value would get there does not matter: the places are few,
// and most values are harmless in all of them.
func Judge(l Line) []Finding {
	p := &Program{}
	text, prefix := l.mark(p)
	p.prefix = prefix
	file, err := words.Parse(text)
	if err != nil || len(p.Vars) == 0 {
		return nil
	}
	return l.judge(p, file)
}

func (l Line) judge(p *Program, file *syntax.File) []Finding {
	j := &judge{Program: p, first: map[string]int{}, aliases: map[string]bool{}, steps: map[syntax.Node]change{}, feeds: map[syntax.Node]change{}, opened: map[string]bool{}, deeds: deeds{writes: map[string]bool{}, maybe: map[string]bool{}, made: map[string]bool{}, scripts: map[string]bool{}, leads: map[string]bool{}}}
	for _, part := range l.Parts {
		if v := part.Value; v != nil {
			list := wordsOf(v, false, false)
			j.vals = append(j.vals, value{part.Text, v.Data, list, v.Place})
			j.escaped = j.escaped || !v.Place && strings.ContainsAny(v.Data, `%\`)
			j.dash = j.dash || strings.HasPrefix(v.Data, "-")
			j.nameFlag = j.nameFlag || strings.Contains(v.Data, "-v") || strings.Contains(v.Data, "-R")
		}
	}
	// Once to see what the line does anywhere in it, in code within code too, and again knowing that: what
	// a file or a variable of it may hold depends on what was written before.
	for range 3 {
		if len(j.findings) == 0 {
			(&scope{judge: j}).look(file)
		}
	}
	return j.findings
}

// A value is one of the line's, with the words that it is split into.
type value struct {
	written string
	data    string
	words   []string
	place   bool
}

type judge struct {
	*Program
	vals     []value
	findings []Finding
	first    map[string]int  // by kind, the first value that is not of it, or -1
	assigns  map[string]bool // variables that the line sets by any value but a text
	funcs    map[string]bool // functions that it has
	aliases  map[string]bool // names that stand for other commands
	dash     bool            // a value begins with -
	escaped  bool            // or has a % or a \ in it, which stand for other signs in formats
	nameFlag bool            // or has the flag -v or -R in it, which takes a variable's name
	steps    map[syntax.Node]change
	feeds    map[syntax.Node]change
	deeds    deeds           // what the line does that others of its commands can see
	inputs   inputs          // substitutions whose input may hold a value
	opened   map[string]bool // variables that may hold a value, anywhere in the line
}

type inputs = map[syntax.Node]bool

const maxDepth = 8 // of code in code

// look judges every node of the code.
func (s *scope) look(file syntax.Node) {
	s.assigns = map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.Assign); ok && a.Name != nil {
			if _, ok := words.Literal(a.Value); !ok || a.Array != nil {
				s.assigns[a.Name.Value] = true
			}
		}
		if it, ok := n.(*syntax.WordIter); ok {
			s.assigns[it.Name.Value] = true
		}
		return true
	})
	s.survey(file)
	if s.deeds.anyVar && namesSetting(file) {
		s.all(numbers, "a variable whose name is not known", whySetting, "name the variable yourself")
	}
	walk(file, func(path []syntax.Node) {
		if len(s.findings) == 0 {
			s.node(path)
		}
	})
}

// Why a value does not pass.
const (
	whyName       = "would be the command's name, and a value is never a command"
	whyCode       = "would be read as code, and a value is never code"
	whyArithmetic = "could run a command: arithmetic and subscripts are expanded again"
	whyVariable   = "would be the name of a variable, which runs the commands in its subscript"
	whySetting    = "would change how commands are found or run"
	whyChoice     = "would choose what runs, and a value never does"
	whyOption     = "could be an option that runs or writes something"
)

// report notes that a value may not stand where it does.
func (s *scope) report(i int, place, why, instead string) {
	written := "a value"
	if i >= 0 {
		written = s.vals[i].written
	}
	s.findings = append(s.findings, Finding{written, place, why, instead})
}

// all judges every value of the line: whichever gets there, it must be harmless.
func (s *scope) all(k kind, place, why, instead string) bool {
	if k.name == numbers.name && s.deeds.change.other {
		k = fewNumbers
	}
	i, known := s.first[k.name]
	if !known {
		i = slices.IndexFunc(s.vals, func(v value) bool { return !k.holds(v.data) && !(v.place && plainText(v.data)) })
		s.first[k.name] = i // a line of a thousand values can have a thousand such places
	}
	if i >= 0 {
		s.report(i, place, why, instead)
	}
	return i < 0
}

// expanded judges a place that expands text again: arithmetic, a subscript, a
// prompt. If a value can be in what it reads, so can what the line makes of it.
func (s *scope) expanded(place string, read ...syntax.Node) {
	k := unexpanded
	if len(read) == 0 || slices.ContainsFunc(read, s.reckons) {
		k = s.deeds.change.expandable()
	}
	s.all(k, place, whyArithmetic, "check that it is a number first, or compare it as text")
}

// node judges the node at the path's end.
func (s *scope) node(path []syntax.Node) {
	switch n := path[len(path)-1].(type) {
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
		if !s.onlyNumbers(n) {
			s.expanded("arithmetic", n)
		}
	case *syntax.ParamExp:
		s.parameter(n)
	case *syntax.ArrayElem:
		if n.Index != nil && !s.onlyNumbers(n.Index) {
			s.expanded("a subscript", n.Index)
		}
	case *syntax.Assign:
		s.assignment(n, exports(path[len(path)-2]))
	case *syntax.DeclClause:
		s.declaration(n)
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			s.expanded("[[ "+n.Op.String()+" ]]", n)
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			s.expanded("[[ " + n.Op.String() + " ]]")
		}
	case *syntax.WordIter:
		if integers()[n.Name.Value] {
			s.expanded("for " + n.Name.Value)
		}
		if isSetting(n.Name.Value) && slices.ContainsFunc(n.Items, func(w *syntax.Word) bool { return s.reach(w) || len(s.marks(words.Lit(w))) > 0 }) {
			s.all(never, "for "+n.Name.Value, whySetting, "use a variable of your own")
		}
	case *syntax.FuncDecl:
		if n.Name != nil && len(s.marks(n.Name.Value)) > 0 {
			s.report(s.marks(n.Name.Value)[0].i, "a function's name", whyName, "name the function yourself")
		}
	case *syntax.Redirect:
		if n.N != nil && strings.Contains(n.N.Value, "[") {
			s.expanded("a subscript")
		}
		if n.Hdoc != nil {
			s.named(n.Hdoc)
		} else if n.Op == syntax.WordHdoc {
			s.named(n.Word)
		}
	case *syntax.CallExpr:
		if len(n.Args) > 0 {
			s.patterns(n.Args)
			if name := words.Lit(n.Args[0]); !cutting()[name] || inTable(name) {
				s.named(n.Args[1:]...)
			}
			s.recalled(n.Args)
			s.run(s.fields(n.Args), s.input(path))
		}
	}
}

// patterns judges * and its kind where a value may be a file's name: what is found could be an option.
func (s *scope) patterns(args []*syntax.Word) {
	if !s.deeds.names {
		return
	}
	for _, w := range args[1:] {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && strings.IndexAny(lit.Value, "*?[") == 0 {
			s.all(nothingUp, lit.Value, whyOption, "write ./"+lit.Value)
			return
		}
	}
}

// named judges text that some program may take for code, and that names a file which the line writes: --filter="sh gen.sh".
func (s *scope) named(list ...*syntax.Word) {
	if !s.deeds.files() {
		return
	}
	for _, w := range list {
		if text := s.code(w).own(); strings.ContainsAny(text, " \t") && s.runsWritten(text) && !s.all(numbers, "text that names a file which the line writes", whyCode, "run a file of your own, and pass the value as an argument") {
			return
		}
	}
}

// recalled judges text that a program may take for shell code, and that has a variable in it which holds a value there: '!$X'.
// The code of shells and interpreters is judged as such.
func (s *scope) recalled(list []*syntax.Word) {
	first := words.Lit(list[0])
	if _, wraps := wrappers()[first]; !s.deeds.exports || silent()[first] && !wraps || slices.ContainsFunc(list, func(w *syntax.Word) bool {
		name := programName(words.Lit(w))
		_, isReader := readers()[versionless(name)]
		_, joins := joiners()[name]
		return isReader || joins || shells()[name] || name == "eval" || name == "jq" || name == "yq"
	}) {
		return
	}
	for _, w := range list {
		for _, m := range variables().FindAllStringSubmatch(s.code(w).text(s.vals), -1) {
			if s.open[m[1]] && !s.all(numbers, "text with $"+m[1]+" in it, which a program may run", whyCode, asArgument) {
				return
			}
		}
	}
}

var variables = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$[({]?([A-Za-z_]\w*)`) })

// runsWritten reports whether text could be a command that runs, loads or copies a file which the line writes.
func (s *scope) runsWritten(text string) bool {
	if !runner().MatchString(text) || len(s.deeds.writes) == 0 {
		return false
	}
	return strings.ContainsAny(text, "*?[{$\\") || slices.ContainsFunc(strings.FieldsFunc(text, betweenNames), func(name string) bool { return s.deeds.writes[name] })
}

// betweenNames are the signs around the base names of files in code.
func betweenNames(r rune) bool { return strings.ContainsRune(" \t\n;|&()<>!\"'`=@,:/\x00", r) }

// runner recognises the name of what runs or loads the file behind it, or puts it in another's place.
var runner = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[\s;|&(!"'=/@` + "`" + `]|^-\w)(\w*sh|source|\.|python[\d.]*|node|perl|ruby|php|make|exec|eval|cp|mv|ln|cat|tee)\s+[^;|&]*\S|(^|[\s;|&(!"'])\./`)
})

// onlyNumbers reports whether arithmetic has nothing in it but numbers, and names of what can only be one.
func (s *scope) onlyNumbers(n syntax.Node) bool {
	only := true
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			only = false
		case *syntax.Lit:
			only = only && (strings.Trim(n.Value, "0123456789") == "" || s.numeric(n.Value))
		case *syntax.ParamExp:
			only = only && (n.Length || n.Param != nil && (strings.Contains("?#", n.Param.Value) || words.Plain(n) && s.numeric(n.Param.Value)))
			return false
		case *syntax.CmdSubst:
			only = only && len(n.Stmts) == 1 && counts(n.Stmts[0])
			return false
		}
		return only
	})
	return only
}

// namesSetting reports whether code has the name of a variable in it that programs obey, or the end of one.
func namesSetting(file syntax.Node) bool {
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		text := ""
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Exp == nil {
				return n.Index != nil || n.Slice != nil || n.Repl != nil // $HOME only uses it
			}
		case *syntax.Lit:
			text = n.Value
		case *syntax.SglQuoted:
			text = n.Value
		}
		found = found || slices.ContainsFunc(anIdent().FindAllString(text, -1), isSetting)
		return !found
	})
	return found
}

// setByName judges a variable that gets a value, and whose name only the line's run will tell.
func (s *scope) setByName(place string) {
	s.all(plainMany, place, whySetting, "name the variable yourself")
}

func (s *scope) parameter(n *syntax.ParamExp) {
	if e := n.Exp; e != nil && n.Param != nil && (e.Op == syntax.AssignUnset || e.Op == syntax.AssignUnsetOrNull) && isSetting(n.Param.Value) && e.Word != nil && s.reach(e.Word) {
		s.all(never, "${"+n.Param.Value+e.Op.String()+"…}", whySetting, "set "+n.Param.Value+" to fixed text")
	}
	if n.Index != nil && !s.onlyNumbers(n.Index) && !isAt(n.Index) || n.Slice != nil && !(s.onlyNumbersOrNil(n.Slice.Offset) && s.onlyNumbersOrNil(n.Slice.Length)) {
		s.expanded("a subscript", n)
	}
	if n.Excl && n.Names == 0 && !isAt(n.Index) {
		s.expanded("${!" + n.Param.Value + "}")
	}
	if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && words.Lit(n.Exp.Word) == "P" {
		s.expanded("${…@P}")
	}
}

// numeric reports whether all that the line ever puts into a variable are numbers.
func (s *scope) numeric(name string) bool {
	return s.numerals[name] && !s.texty[name] && !s.open[name] && !s.deeds.anyVar
}

func (s *scope) onlyNumbersOrNil(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case nil:
		return true
	case *syntax.Word:
		return x == nil || s.onlyNumbers(x)
	}
	return s.onlyNumbers(x)
}

// isAt recognises the subscripts @ and *.
func isAt(n syntax.ArithmExpr) bool {
	w, ok := n.(*syntax.Word)
	return ok && w != nil && (w.Lit() == "@" || w.Lit() == "*")
}

func (s *scope) assignment(n *syntax.Assign, exported bool) {
	if n.Index != nil && !s.onlyNumbers(n.Index) {
		s.expanded("a subscript", n.Index)
	}
	if n.Name != nil && n.Value != nil && integers()[n.Name.Value] {
		s.expanded(n.Name.Value, n.Value)
	}
	if n.Name == nil || n.Value == nil || !s.setting(n.Name.Value, s.code(n.Value), exported) || !isSetting(n.Name.Value) {
		return
	}
	if text, ok := words.Literal(n.Value); ok && (s.deeds.exports || prompts()[n.Name.Value]) && strings.ContainsAny(text, " $") && n.Name.Value != "PATH" {
		s.shellCode(field{bits: []bit{{text: text}}}, nil, input{}, n.Name.Value)
	}
	if _, ok := words.Literal(n.Value); !ok && s.deeds.exports && slices.ContainsFunc(n.Value.Parts, func(p syntax.WordPart) bool { _, sub := p.(*syntax.ProcSubst); return sub }) {
		s.all(numbers, n.Name.Value, whySetting, "set "+n.Name.Value+" to a file of your own")
	}
	if !s.reach(n.Value) {
		return
	}
	if n.Name.Value == "ENV" && s.all(wordOnly, "ENV", whySetting, "set ENV to fixed text, or to a word") {
		return // what most people mean by it: prod
	}
	if n.Name.Value == "IFS" && s.all(oneByte, "IFS", whySetting, "set IFS to fixed text") {
		return
	}
	s.all(never, n.Name.Value, whySetting, "set "+n.Name.Value+" to fixed text, and pass the value as an argument")
}

// prompts are variables that the shell itself expands, or runs.
var prompts = sync.OnceValue(func() map[string]bool { return set("PS0 PS1 PS2 PS4 PROMPT_COMMAND") })

// setting judges what a variable is set to by which programs choose what to
// run, in a line that writes files: it could lead them to one of those.
func (s *scope) setting(name string, f field, exported bool) bool {
	text, known := f.literal()
	if !isSetting(name) && !(exported && leading().MatchString(name)) || name == "IFS" || known && (text == "" || text == "cat" || aSwitch.holds(text)) {
		return true
	}
	leads := s.deeds.code || s.deeds.writes[unnamed]
	if name != "PATH" { // which leads to files only by their folder
		leads = leads || known && (s.written(text) || s.runsWritten(text)) || !known && s.deeds.files()
	}
	return !leads || s.all(numbers, name+", which may lead to a file that the line writes", whySetting, "set "+name+" to a file of your own, or write the file by another line")
}

// exports reports whether what is set there goes to programs: by export, or before a command.
func exports(at syntax.Node) bool {
	switch n := at.(type) {
	case *syntax.DeclClause:
		return n.Variant.Value == "export" || declares(n, "x")
	case *syntax.CallExpr:
		return len(n.Args) > 0
	}
	return false
}

// leading recognises variables that tell programs where their settings are: AWS_CONFIG_FILE, NPMRC.
var leading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(_FILE|_CONFIG|RC|_PATH|_DIR|_HOME)$`) })

// declaration judges what declare and its kind read again: names, and with -i,
// -n, -a and -A the contents too.
func (s *scope) declaration(n *syntax.DeclClause) {
	again, open := false, false
	for _, a := range n.Args {
		if a.Naked && a.Value != nil {
			text, ok := words.Literal(a.Value)
			again = again || ok && strings.HasPrefix(text, "-") && strings.ContainsAny(text, "inaA")
			lead := s.code(a.Value).lead()
			key, _, named := strings.Cut(lead, "=")
			if named && !s.setting(key, after(s.code(a.Value), key+"="), exports(n)) {
				return
			}
			if full, _, _ := strings.Cut(s.code(a.Value).text(s.vals), "="); full != lead && !named && lead != "" && isSetting(full) {
				s.all(never, n.Variant.Value+" "+full, whySetting, "name the variable yourself")
			}
			if !ok && !named && s.reach(a.Value) && slices.ContainsFunc(s.code(a.Value).bits, func(x bit) bool { return x.value == 0 && strings.Contains(x.text, "=") }) {
				s.setByName(n.Variant.Value)
			}
			again = again || integers()[key] || strings.Contains(key, "[")
			open = open || (!ok || len(s.marks(text)) > 0) && !(named && !strings.Contains(key, "[") && !isSetting(key))
		}
	}
	if again {
		s.expanded(n.Variant.Value)
	}
	if open {
		s.names(n.Variant.Value)
	}
}

// names judges a place where a value names a variable.
func (s *scope) names(place string) {
	const instead = "name the variable yourself, and keep the value in it"
	if s.all(s.deeds.change.expandable(), place, whyVariable, instead) && s.all(unsetting, place, whySetting, instead) {
		s.all(noOption, place, whyOption, instead)
	}
}

// An input is what a command reads.
type input struct {
	open   bool
	change        // as for a bit
	code   *field // what a here-document or an echo before the pipe says
}

// input returns what the command at the path's end reads.
func (s *scope) input(p []syntax.Node) input {
	in := input{open: s.isFed(p)}
	in.change = s.fedBy(p)
	if len(p) < 2 {
		return in
	}
	st, ok := p[len(p)-2].(*syntax.Stmt)
	if !ok {
		return in
	}
	for _, r := range st.Redirs {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			f := s.code(r.Hdoc)
			in.code = &f
		case syntax.WordHdoc:
			f := s.code(r.Word)
			in.code = &f
		case syntax.RdrIn:
			in.code = nil
		}
	}
	if len(st.Redirs) > 0 || len(p) < 3 {
		return in
	}
	if pipe, ok := p[len(p)-3].(*syntax.BinaryCmd); ok && pipe.Op == syntax.Pipe && pipe.Y == st {
		if call, ok := pipe.X.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 1 && words.Lit(call.Args[0]) == "echo" && len(pipe.X.Redirs) == 0 {
			f := joined(s.fields(call.Args[1:]))
			in.code = &f
		}
	}
	return in
}

// joined puts fields together as echo and eval do.
func joined(fs []field) field {
	var all field
	for i, f := range fs {
		if i > 0 {
			all.bits = append(all.bits, bit{text: " "})
		}
		all.bits = append(all.bits, f.bits...)
		all.many = all.many || f.many
	}
	return all
}

// run judges a simple command by its words.
func (s *scope) run(fs []field, in input) {
	if len(fs) == 0 || len(s.findings) > 0 {
		return
	}
	name := fs[0]
	const instead = "write the command's name yourself, and pass the value as an argument"
	if !s.chosen(name) || !s.within(name) {
		for _, i := range name.values(s.vals) {
			s.report(i, "a command's name", whyName, instead)
			return
		}
	}
	if name.open() && !s.all(numbers, "a command's name", whyName, instead) {
		return
	}
	text, known := name.literal()
	if known && (s.written(text) && strings.Contains(text, "/") || s.deeds.writes[text] && text != "") && !s.all(numbers, text+", which the line writes", whyCode, "run a file of your own, and pass the value as an argument") {
		return
	}
	names := s.candidates(name)
	tail, inPlace := s.inPlace(name)
	ours := inPlace && !s.written(tail)
	if !known && !ours && s.deeds.files() && (len(names) == 0 || slices.ContainsFunc(names, isFile)) && !s.all(numbers, "a command that may be a file which the line writes", whyCode, "run a file of your own by its name, and pass the value as an argument") {
		return
	}
	if known && s.deeds.moves && (strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")) && !s.all(never, text+" in a folder that a value chooses", whyName, "write the folder yourself, or begin its path with a folder of yours") {
		return
	}
	args := fs[1:]
	if strings.HasPrefix(name.lead(), "/proc/") && s.deeds.files() && !s.all(numbers, "a command whose name is not known", whyCode, "write the command's name yourself") {
		return
	}
	if strings.HasPrefix(name.lead(), "/proc/") || s.deeds.shells && strings.Contains(text, "/") {
		s.unknown(args, in)
		return
	}
	if len(names) > 0 {
		for _, n := range names {
			s.program(n, args, in)
		}
		return
	}
	if base := tailName(name.text(s.vals)); base != "" {
		s.program(base, args, in)
		return
	}
	s.unknown(args, in)
}

// inPlace returns what follows a folder of ours, in a path that nothing else is in: ${SKILL_DIR}/tool.
func (s *scope) inPlace(f field) (tail string, ok bool) {
	if len(f.bits) == 0 || f.bits[0].value == 0 || !s.vals[f.bits[0].value-1].place {
		return "", false
	}
	return field{bits: f.bits[1:]}.literal()
}

// isFile reports whether a program is a file that was named, and none that PATH leads to.
func isFile(program string) bool { return strings.HasPrefix(program, "./") }

// chosen reports whether a value only picks one of the author's programs or
// scripts: "./scripts/$0.sh", and the value is a word that leads nowhere else.
func (s *scope) chosen(f field) bool {
	if dir := path.Dir(s.before(f) + "x"); strings.Trim(dir, "./") == "" || f.many {
		return false // not in a folder of the author's
	}
	for _, x := range f.bits {
		if x.value > 0 && !s.vals[x.value-1].place && !aWord(x.said(s.vals)) {
			return false
		}
	}
	return true
}

// before returns the text that stands before a field's first value from outside, without the place that it begins with.
func (s *scope) before(f field) string {
	text := ""
	for i, x := range f.bits {
		switch {
		case i == 0 && x.value > 0 && s.vals[x.value-1].place:
		case x.value > 0 || x.hole:
			return text
		default:
			text += x.text
		}
	}
	return text
}

// within reports whether a value in a command's name stands behind a folder of the skill or the
// project. Any other folder has programs in it that are not the author's.
func (s *scope) within(f field) bool {
	text := s.before(f)
	place := len(f.bits) > 0 && f.bits[0].value > 0 && s.vals[f.bits[0].value-1].place
	return (place || !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~")) && !strings.Contains(text, "..")
}

// candidates lists what a command's name can be, as far as the line says so.
func (s *scope) candidates(f field) []string {
	if text, ok := f.literal(); ok {
		if text == "" || s.aliases[text] {
			return nil
		}
		return []string{programName(text)}
	}
	if len(f.bits) != 1 || !f.bits[0].hole || f.open() || s.deeds.anyVar || s.set[f.bits[0].name] != len(s.texts[f.bits[0].name]) {
		return nil
	}
	var names []string
	for _, text := range s.texts[f.bits[0].name] {
		names = append(names, programName(text)) // x=rg, or x=grep
	}
	return names
}

// programName returns by which name the table knows a program. A script of the
// author's is his own, whatever its name: ./scripts/watch; but not a ./bash.
func programName(text string) string {
	base := tableName(path.Base(text))
	if strings.HasPrefix(base, "ld-linux") {
		return "ld.so"
	}
	if dir := path.Base(path.Dir(text)); !strings.Contains(text, "/") || dir == "bin" || dir == "sbin" || dir == ".bin" || dir == "shims" {
		return base
	}
	trimmed := versionless(base)
	if gitCommand(base) != "" {
		return base
	}
	if _, ok := readers()[trimmed]; ok || shells()[trimmed] || base == "gradlew" || base == "mvnw" || base == "manage.py" {
		return base
	}
	return "./" + base
}

// tableName finds the name by which the table has a program: gtar is tar, vim.basic is vim.
func tableName(name string) string {
	if inTable(name) || inTable(versionless(name)) {
		return name
	}
	short, _, _ := strings.Cut(name, ".")
	for _, other := range []string{short, strings.TrimPrefix(name, "g")} {
		if other != "" && inTable(other) && name != "gdb" {
			return other
		}
	}
	return name
}

func inTable(name string) bool {
	_, isReader := readers()[name]
	_, joins := joiners()[name]
	_, wraps := wrappers()[name]
	_, carries := carriers()[name]
	_, options := risky()[name]
	return isReader || joins || wraps || carries || options || shells()[name] || editors()[name] || name == "git"
}

// versionless takes the version from a program's name: python3.12, gcc-12.
func versionless(name string) string {
	trimmed := strings.TrimRight(name, ".0123456789")
	if trimmed == "" {
		return name
	}
	if len(trimmed) < len(name) {
		trimmed = strings.TrimSuffix(trimmed, "-")
	}
	if i := strings.Index(trimmed, "-linux-"); i >= 0 { // x86_64-linux-gnu-gcc
		trimmed = trimmed[strings.LastIndexByte(trimmed, '-')+1:]
	}
	return trimmed
}

// tailName is programName for a path whose beginning is not known.
func tailName(text string) string {
	i := strings.LastIndexByte(text, '/')
	if i < 0 || strings.IndexByte(text[i:], 0) >= 0 {
		return ""
	}
	return programName("x/" + text[strings.LastIndexByte(text[:i], '/')+1:])
}

// unknown judges a command that could be anything: no value may be what a shell or an interpreter would run.
func (s *scope) unknown(args []field, in input) {
	const place, instead = "a command whose name is not known", "write the command's name yourself"
	reached, operand := in.open, false
	for i, f := range args {
		text := f.lit()
		flag := i > 0 && len(args[i-1].lit()) > 1 && args[i-1].lit()[0] == '-'
		if f.reached(s.vals) {
			reached = true
			if (!operand || flag) && !s.all(numbers, place, whyCode, instead) {
				return
			}
		}
		operand = operand || !strings.HasPrefix(text, "-")
	}
	if reached {
		s.all(anOperand, place, whyCode, instead)
	}
}
