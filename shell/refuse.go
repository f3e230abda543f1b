package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// refuseCode refuses a line in which a value would itself be code: as a
// command's name, in eval or any shell's -c, in arithmetic (which runs the
// commands in a[$(…)]), as the program of an interpreter, or as the name of a
// variable. Quotes cannot help there: the value is read again as code.
//
// A value also counts where it comes by way of a shell variable. What is not
// clear is refused: the author can always hand a value over as an argument.
func (l Line) refuseCode(p *program, prefix string) error {
	t := &taint{line: l, p: p, prefix: prefix, vars: map[string]bool{}, funcs: map[string]bool{}}
	for i := range p.vars {
		t.any = t.any || !p.vars[i].place
	}
	t.spread()
	walk(p.file, func(path []syntax.Node) {
		if t.fault == nil {
			t.check(path)
		}
	})
	return t.fault
}

// A taint follows values through a line.
type taint struct {
	line   Line
	p      *program
	prefix string
	any    bool            // the line has a value that came from outside
	vars   map[string]bool // shell variables that may hold one
	funcs  map[string]bool // functions that the line defines
	fault  error
}

// positional stands for $1, $@ and their kind in vars.
const positional = "@"

// spread finds the shell variables that values reach, until no more are found.
func (t *taint) spread() {
	walk(t.p.file, func(path []syntax.Node) {
		if f, ok := path[len(path)-1].(*syntax.FuncDecl); ok && f.Name != nil {
			t.funcs[f.Name.Value] = true
		}
	})
	for before := -1; before != len(t.vars); {
		before = len(t.vars)
		walk(t.p.file, func(path []syntax.Node) { t.spreadFrom(path[len(path)-1]) })
	}
}

func (t *taint) spreadFrom(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Assign:
		if n.Name != nil && (n.Value != nil && t.holds(n.Value) || n.Array != nil && t.holds(n.Array)) {
			t.vars[n.Name.Value] = true
		}
	case *syntax.WordIter:
		for _, item := range n.Items {
			if t.holds(item) {
				t.vars[n.Name.Value] = true
			}
		}
	case *syntax.CallExpr:
		if len(n.Args) == 0 {
			return
		}
		name := literal(n.Args[0])
		switch {
		case name == "read" || name == "mapfile" || name == "readarray" || name == "getopts":
			// What they read may come from a value, by a pipe or a here-string.
			if t.any {
				for _, w := range n.Args[1:] {
					t.vars[literal(w)] = true
				}
				t.vars["REPLY"], t.vars["MAPFILE"], t.vars["OPTARG"] = true, true, true
			}
		case name == "printf" && len(n.Args) > 2 && literal(n.Args[1]) == "-v":
			for _, w := range n.Args[3:] {
				if t.holds(w) {
					t.vars[literal(n.Args[2])] = true
				}
			}
		case name == "set" || t.funcs[name]:
			for _, w := range n.Args[1:] {
				if t.holds(w) {
					t.vars[positional] = true
				}
			}
		}
	}
}

// holds reports whether a value from outside can be part of what n expands to.
func (t *taint) holds(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if exp, ok := n.(*syntax.ParamExp); ok && exp.Param != nil {
			if i, ours := t.p.index(exp.Param, t.prefix); ours {
				found = found || !t.p.vars[i].place
			} else {
				found = found || t.vars[variableName(exp.Param.Value)]
			}
		}
		if text, ok := rawText(n); ok {
			for _, m := range t.p.marks(text, t.prefix) {
				found = found || !t.p.vars[m.i].place
			}
		}
		return !found
	})
	return found
}

// unclean reports whether n holds data that a second reading could take for
// code: a value from outside, or a path of ours with odd characters in it.
func (t *taint) unclean(n syntax.Node) bool {
	if t.holds(n) {
		return true
	}
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if exp, ok := n.(*syntax.ParamExp); ok {
			if i, ours := t.p.index(exp.Param, t.prefix); ours {
				found = found || !plainText(t.p.vars[i].data)
			}
		}
		if text, ok := rawText(n); ok {
			for _, m := range t.p.marks(text, t.prefix) {
				found = found || !plainText(t.p.vars[m.i].data)
			}
		}
		return !found
	})
	return found
}

// rawText returns the text of nodes whose inside the parser leaves alone.
func rawText(n syntax.Node) (string, bool) {
	switch n := n.(type) {
	case *syntax.SglQuoted:
		return n.Value, true
	case *syntax.Lit:
		return n.Value, true
	}
	return "", false
}

// variableName maps $1, $* and their kind to one name.
func variableName(s string) string {
	if s == "@" || s == "*" || s != "" && s[0] >= '0' && s[0] <= '9' {
		return positional
	}
	return s
}

// refuse reports the first value in n as the reason why the line does not run.
func (t *taint) refuse(n syntax.Node, why string) {
	if t.fault != nil {
		return
	}
	name := "a value"
	syntax.Walk(n, func(n syntax.Node) bool {
		if exp, ok := n.(*syntax.ParamExp); ok && name == "a value" {
			if i, ours := t.p.index(exp.Param, t.prefix); ours {
				name = t.line.written(i)
			} else if exp.Param != nil && t.vars[variableName(exp.Param.Value)] {
				name = "$" + exp.Param.Value
			}
		}
		if text, ok := rawText(n); ok && name == "a value" {
			if found := t.p.marks(text, t.prefix); len(found) > 0 {
				name = t.line.written(found[0].i)
			}
		}
		return true
	})
	t.fault = refuse("not run: %s %s", name, why)
}

// check refuses the node at the path's end if a value in it would be code.
func (t *taint) check(path []syntax.Node) {
	switch n := path[len(path)-1].(type) {
	case *syntax.ArithmExp:
		t.arithmetic(n.X)
	case *syntax.ArithmCmd:
		t.arithmetic(n.X)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			t.arithmetic(x)
		}
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{n.Init, n.Cond, n.Post} {
			t.arithmetic(x)
		}
	case *syntax.ParamExp:
		t.expansion(n)
	case *syntax.ArrayElem:
		t.arithmetic(n.Index)
	case *syntax.Assign:
		t.assignment(n)
	case *syntax.DeclClause:
		t.declaration(n)
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			t.arithmetic(n.X)
			t.arithmetic(n.Y)
		}
	case *syntax.UnaryTest:
		if (n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar) && t.unclean(n.X) {
			t.refuse(n, asVariable)
		}
	case *syntax.CallExpr:
		t.call(n, path)
	case *syntax.FuncDecl:
		if n.Name != nil && t.unclean(n.Name) {
			t.refuse(n.Name, asName)
		}
	}
}

// Why a value cannot stand somewhere.
const (
	asName       = "would be the command's name, and a value is never a command"
	asCode       = "would be read as code, and a value is never code: pass it as an argument"
	asArithmetic = "stands in arithmetic, which runs the commands in it: compare it as text instead"
	asVariable   = "would be the name of a variable, which runs the commands in its index"
	asSetting    = "would change how commands are found or run"
	asInput      = "could reach a program that reads its code from its input: pass it as an argument"
	asOption     = "could be an option that runs a command"
)

// arithmetic refuses values in an arithmetic expression, where even a plain
// name stands for what its variable holds.
func (t *taint) arithmetic(x syntax.Node) {
	if x == nil || isNil(x) {
		return
	}
	if t.unclean(x) {
		t.refuse(x, asArithmetic)
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		if lit, ok := n.(*syntax.Lit); ok && t.vars[lit.Value] {
			t.fault = refuse("not run: $%s %s", lit.Value, asArithmetic)
		}
		return t.fault == nil
	})
}

// isNil recognises an interface that holds a nil pointer: optional expressions may be such.
func isNil(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Word:
		return n == nil
	case *syntax.BinaryArithm:
		return n == nil
	case *syntax.UnaryArithm:
		return n == nil
	case *syntax.ParenArithm:
		return n == nil
	}
	return false
}

func (t *taint) expansion(n *syntax.ParamExp) {
	if n.Index != nil {
		t.arithmetic(n.Index)
	}
	if n.Slice != nil {
		t.arithmetic(n.Slice.Offset)
		t.arithmetic(n.Slice.Length)
	}
	if n.Param == nil || !t.vars[variableName(n.Param.Value)] {
		return
	}
	if n.Excl { // ${!x}: the value names the variable
		t.refuse(n, asVariable)
	}
	if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && literal(n.Exp.Word) == "P" { // ${x@P} runs the commands in it
		t.refuse(n, asCode)
	}
}

// settings are variables by which the shell and common programs choose what to run.
var settings = map[string]bool{
	"PATH": true, "IFS": true, "ENV": true, "BASH_ENV": true, "PS0": true, "PS1": true, "PS2": true, "PS4": true,
	"PROMPT_COMMAND": true, "SHELL": true, "SHELLOPTS": true, "BASHOPTS": true, "PAGER": true, "EDITOR": true, "VISUAL": true, "BROWSER": true,
	"GIT_PAGER": true, "GIT_EDITOR": true, "GIT_SSH": true, "GIT_SSH_COMMAND": true, "GIT_EXTERNAL_DIFF": true, "GIT_ASKPASS": true, "SSH_ASKPASS": true,
	"MANPAGER": true, "LESSOPEN": true, "LESSCLOSE": true, "PYTHONSTARTUP": true, "PYTHONPATH": true, "PERL5OPT": true, "PERL5LIB": true, "RUBYOPT": true, "NODE_OPTIONS": true,
}

func isSetting(name string) bool {
	return settings[name] || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(name, "GIT_CONFIG")
}

func (t *taint) assignment(n *syntax.Assign) {
	if n.Index != nil {
		t.arithmetic(n.Index)
	}
	if n.Name != nil && isSetting(n.Name.Value) && n.Value != nil && t.holds(n.Value) {
		t.refuse(n.Value, asSetting)
	}
}

func (t *taint) declaration(n *syntax.DeclClause) {
	for _, a := range n.Args {
		if a.Naked && a.Value != nil {
			flag := literal(a.Value)
			if t.any && strings.HasPrefix(flag, "-") && strings.ContainsAny(flag, "in") {
				t.fault = refuse("not run: with %s %s, an assignment runs the commands in its value", n.Variant.Value, flag)
				return
			}
			if t.holds(a.Value) {
				t.refuse(a.Value, asVariable)
			}
		}
	}
}

// shells run the text after -c, the file that is their first operand, or their input.
var shells = set("bash sh dash zsh ksh ksh93 mksh ash rbash yash fish csh tcsh busybox pwsh powershell elvish nu xonsh")

// interpreters run the text after one of their flags, a file, or their input.
var interpreters = map[string]string{
	"python": "c", "python2": "c", "python3": "c", "pypy": "c", "pypy3": "c", "perl": "eE", "ruby": "e", "node": "ep", "nodejs": "ep", "deno": "e", "bun": "ep",
	"php": "rBRE", "lua": "e", "tclsh": "", "osascript": "e", "Rscript": "e", "julia": "eE", "guile": "c", "expect": "c", "gdb": "", "sqlite3": "", "bc": "", "ed": "",
}

// wrappers run the command that is among their arguments.
var wrappers = set("exec command builtin env nohup nice ionice timeout sudo doas stdbuf setsid xargs chroot unbuffer script watch strace ltrace flock chrt taskset time parallel find fd " +
	"su runuser sg systemd-run docker podman kubectl nsenter unshare git npx bunx uvx pnpx npm pnpm yarn make entr at batch crontab ssh mosh rsh start-stop-daemon coproc")

// valued are the flags by which wrappers take a word that is not yet the command.
var valued = map[string]string{
	"env": "uCS", "nice": "n", "ionice": "cnpt", "timeout": "ks", "sudo": "ughpCRTDrt", "doas": "uC", "stdbuf": "ioe", "xargs": "adEILnPs",
	"strace": "oepsEPS", "exec": "a", "flock": "wE", "chrt": "TPD", "taskset": "p", "su": "sgGw", "runuser": "ugGsw", "git": "cC",
}

// readers take the names of variables.
var readers = set("read mapfile readarray unset getopts wait")

// evaluators read their arguments as code.
var evaluators = set("eval trap alias bind complete compgen compopt enable fc hash let")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// call refuses a simple command that would run one of its values.
func (t *taint) call(n *syntax.CallExpr, at []syntax.Node) {
	if len(n.Args) == 0 {
		return
	}
	if t.holds(n.Args[0]) {
		t.refuse(n.Args[0], asName)
		return
	}
	name := commandName(n.Args[0])
	t.command(name, n.Args[1:])
	if t.fault != nil || !wrappers[name] {
		// Whatever the program, sh -c among its arguments is a shell.
		for i, w := range n.Args[1:] {
			if name := commandName(w); shells[name] && flagWord(n.Args[1:][i+1:], "c") >= 0 {
				t.shell(n.Args[1:][i+1:])
			}
		}
		return
	}
	t.wrapped(name, n.Args[1:])
}

// command refuses values in the places where the program called name reads code.
func (t *taint) command(name string, args []*syntax.Word) {
	code, interpreter := interpreters[strings.TrimRight(name, ".0123456789")]
	if !interpreter {
		code, interpreter = interpreters[name]
	}
	switch {
	case evaluators[name]:
		t.each(args, t.unclean, asCode)
	case name == "source" || name == ".":
		if len(args) > 0 && t.holds(args[0]) {
			t.refuse(args[0], asCode)
		}
	case readers[name]:
		t.each(args, t.holds, asVariable)
	case shells[name]:
		t.shell(args)
	case interpreter:
		t.interpreter(args, code)
	case name == "awk" || name == "gawk" || name == "mawk" || name == "nawk":
		t.script(args, "fE", "Fv")
	case name == "sed" || name == "gsed":
		t.script(args, "fe", "")
	case name == "test" || name == "[":
		t.test(args)
	case name == "printf":
		t.printf(args)
	case name == "set":
		if i := t.first(args); i >= 0 && !hasLiteral(args[:i], "--") {
			t.refuse(args[i], asSetting)
		}
	}
}

// each refuses the first of args that is bad.
func (t *taint) each(args []*syntax.Word, bad func(syntax.Node) bool, why string) {
	for _, w := range args {
		if bad(w) {
			t.refuse(w, why)
			return
		}
	}
}

// first returns the index of the first argument that holds a value from outside, or -1.
func (t *taint) first(args []*syntax.Word) int {
	for i, w := range args {
		if t.holds(w) {
			return i
		}
	}
	return -1
}

// shell refuses values in what a shell runs. What follows that is data: $0, $1.
func (t *taint) shell(args []*syntax.Word) {
	if i := flagWord(args, "c"); i >= 0 {
		for _, w := range args[:i+1] {
			if t.holds(w) {
				t.refuse(w, asCode)
			}
		}
		// Options may stand between -c and its text: bash -c -e 'text'.
		for i++; i < len(args); i++ {
			if t.unclean(args[i]) {
				t.refuse(args[i], asCode)
			}
			if !strings.HasPrefix(literal(args[i]), "-") && !strings.HasPrefix(literal(args[i]), "+") {
				return
			}
		}
		return
	}
	t.program(args, "o")
}

// interpreter refuses values in what an interpreter runs.
func (t *taint) interpreter(args []*syntax.Word, code string) {
	for i, w := range args {
		text := literal(w)
		if !t.holds(w) && !strings.HasPrefix(text, "-") {
			break // its program: the rest is data
		}
		long := text == "--eval" || text == "--print" || text == "--execute" || text == "eval"
		short := len(text) > 1 && text[1] != '-' && strings.ContainsAny(text[1:], code) && code != ""
		if (long || short) && i+1 < len(args) {
			if t.unclean(args[i+1]) {
				t.refuse(args[i+1], asCode)
			}
			return
		}
		if text == "-m" {
			return
		}
		if t.holds(w) {
			t.refuse(w, asCode)
			return
		}
	}
	t.program(args, "")
}

// program refuses a value that would be the program's file, or could be its input.
func (t *taint) program(args []*syntax.Word, valued string) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		if t.holds(w) {
			t.refuse(w, asCode)
			return
		}
		text := literal(w)
		if text == "-" || text == "/dev/stdin" || len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.Contains(text, "s") {
			break // it reads its program from its input
		}
		if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
			if len(text) == 2 && valued != "" && strings.Contains(valued, text[1:]) {
				i++
			}
			continue
		}
		return // a file of the author's
	}
	if t.any {
		t.fault = refuse("not run: a value %s", asInput)
	}
}

// script refuses values in a program given as text, awk's or sed's: by one of
// the flags of code, else as the first operand. Flags of data take a word of their own.
func (t *taint) script(args []*syntax.Word, code, data string) {
	given := false
	for i := 0; i < len(args); i++ {
		w := args[i]
		flag := leading(w)
		switch {
		case len(flag) < 2 || flag[0] != '-':
			if !given && t.unclean(w) {
				t.refuse(w, asCode)
				return
			}
			if given && t.holds(w) && t.dashed() {
				t.refuse(w, asOption)
				return
			}
			given = true
		case flag == "--":
		case flag[1] != '-' && strings.Contains(data, flag[1:2]):
			if len(flag) == 2 && !t.holds(w) {
				i++
			}
		case flag[1] != '-' && strings.Contains(code, flag[len(flag)-1:]):
			given = true
			if i++; i < len(args) && t.unclean(args[i]) {
				t.refuse(args[i], asCode)
				return
			}
		default: // --expression=…, -e…, and flags that take nothing
			given = given || strings.ContainsAny(flag[1:2], code) || strings.HasPrefix(flag, "--expression") || strings.HasPrefix(flag, "--file")
			if t.holds(w) {
				t.refuse(w, asCode)
				return
			}
		}
	}
}

// dashed reports whether a value has a word that a program could take for an option.
func (t *taint) dashed() bool {
	for _, part := range t.line.Parts {
		if part.Value == nil || part.Value.Place {
			continue
		}
		for word := range strings.FieldsSeq(part.Value.Data) {
			if strings.HasPrefix(strings.TrimLeft(word, `"'`), "-") {
				return true
			}
		}
	}
	return false
}

// test refuses a value that could become an operator: -v runs the commands in an index.
func (t *taint) test(args []*syntax.Word) {
	i := t.first(args)
	if i < 0 {
		return
	}
	if hasLiteral(args, "-v") || hasLiteral(args, "-R") {
		t.refuse(args[i], asVariable)
		return
	}
	for _, part := range t.line.Parts {
		if part.Value == nil || part.Value.Place {
			continue
		}
		words := strings.FieldsFunc(part.Value.Data, isBlank)
		for _, word := range words {
			if word == "-v" || word == "-R" {
				t.refuse(args[i], asVariable)
				return
			}
		}
	}
}

// printf refuses a value as the format, where -v would name a variable.
func (t *taint) printf(args []*syntax.Word) {
	for i, w := range args {
		if t.holds(w) {
			if leading(w) == "" && !hasLiteral(args[:i], "--") {
				t.refuse(w, asVariable)
			}
			return
		}
		switch text := literal(w); {
		case text == "-v":
			if i+1 < len(args) && t.holds(args[i+1]) {
				t.refuse(args[i+1], asVariable)
				return
			}
		case !strings.HasPrefix(text, "-"):
			return
		}
	}
}

// wrapped refuses values in the command that another one runs. Which of a
// wrapper's words is the command is not always clear, so each that could be is looked at.
func (t *taint) wrapped(name string, args []*syntax.Word) {
	if name == "command" && len(args) > 0 && (literal(args[0]) == "-v" || literal(args[0]) == "-V") {
		return // only asks where a command is
	}
	switch name {
	case "ssh", "mosh", "rsh", "at", "batch", "crontab", "watch", "parallel":
		// They hand everything, or their input, to a shell.
		if t.any && (name == "at" || name == "batch" || name == "crontab" || name == "parallel") {
			t.fault = refuse("not run: a value %s", asInput)
		}
		t.each(args, t.unclean, asCode)
		return
	case "find", "fd":
		t.find(args)
	case "xargs":
		if t.any && t.reaches(args) {
			t.fault = refuse("not run: a value %s", asInput)
		}
	}
	if t.fault != nil {
		return
	}
	found := name == "find" || name == "fd" || name == "make"
	for i, w := range args {
		if t.holds(w) {
			lead := leading(w)
			if eq := strings.IndexByte(lead, '='); eq > 0 && !strings.HasPrefix(lead, "-") { // env NAME=value
				if isSetting(lead[:eq]) {
					t.refuse(w, asSetting)
				}
				continue
			}
			if !found {
				t.refuse(w, asName)
				return
			}
			continue
		}
		text := literal(w)
		if flag := commandFlag(name); flag != "" && text == flag && i+1 < len(args) && t.unclean(args[i+1]) {
			t.refuse(args[i+1], asCode)
			return
		}
		if text == "" || strings.HasPrefix(text, "-") || strings.Contains(text, "=") || text[0] >= '0' && text[0] <= '9' {
			continue
		}
		if i == 0 || !takesWord(name, literal(args[i-1])) {
			found = true
		}
		t.command(commandName(w), args[i+1:])
		if t.fault != nil {
			return
		}
	}
}

// takesWord reports whether a wrapper's flag takes the next word.
func takesWord(name, flag string) bool {
	return len(flag) > 1 && flag[0] == '-' && flag[1] != '-' && strings.Contains(valued[name], flag[len(flag)-1:])
}

// commandFlag returns the flag by which a program takes a command line.
func commandFlag(name string) string {
	switch name {
	case "su", "runuser", "sg", "script", "flock":
		return "-c"
	}
	return ""
}

// reaches reports whether xargs hands its input to a shell or interpreter.
func (t *taint) reaches(args []*syntax.Word) bool {
	for _, w := range args {
		name := commandName(w)
		if _, ok := interpreters[strings.TrimRight(name, ".0123456789")]; ok || shells[name] || evaluators[name] || name == "env" {
			return true
		}
	}
	return len(args) > 0 && t.first(args) >= 0
}

// find refuses values that add an action: -exec and its kind.
func (t *taint) find(args []*syntax.Word) {
	i := t.first(args)
	if i < 0 {
		return
	}
	for _, part := range t.line.Parts {
		if part.Value == nil || part.Value.Place {
			continue
		}
		for word := range strings.FieldsSeq(part.Value.Data) {
			word = strings.Trim(word, `"'`)
			if strings.HasPrefix(word, "-exec") || strings.HasPrefix(word, "-ok") || strings.HasPrefix(word, "-delete") || strings.HasPrefix(word, "-fprint") || strings.HasPrefix(word, "-fls") || word == "-x" || word == "-X" || strings.HasPrefix(word, "--exec") {
				t.refuse(args[i], asOption)
				return
			}
		}
	}
}

// literal returns the text of a word that is nothing but text, quoted or not, else "".
func literal(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(part.Value, ""))
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, part := range part.Parts {
				lit, ok := part.(*syntax.Lit)
				if !ok {
					return ""
				}
				b.WriteString(unescape(lit.Value, "$`\"\\\n"))
			}
		default:
			return ""
		}
	}
	return b.String()
}

// leading returns the text with which a word begins, before any expansion.
func leading(w *syntax.Word) string {
	if len(w.Parts) == 0 {
		return ""
	}
	switch part := w.Parts[0].(type) {
	case *syntax.Lit:
		return unescape(part.Value, "")
	case *syntax.SglQuoted:
		before, _, _ := strings.Cut(part.Value, "${__skillhand_")
		return before
	case *syntax.DblQuoted:
		if len(part.Parts) > 0 {
			if lit, ok := part.Parts[0].(*syntax.Lit); ok {
				return unescape(lit.Value, "$`\"\\\n")
			}
		}
	}
	return ""
}

// commandName returns the base name of the program that a word names. A path
// below a value of ours counts too: "${CLAUDE_SKILL_DIR}/bin/bash".
func commandName(w *syntax.Word) string {
	if text := literal(w); text != "" {
		return path.Base(text)
	}
	if len(w.Parts) == 0 {
		return ""
	}
	last := w.Parts[len(w.Parts)-1]
	if q, ok := last.(*syntax.DblQuoted); ok && len(q.Parts) > 0 {
		last = q.Parts[len(q.Parts)-1]
	}
	if lit, ok := last.(*syntax.Lit); ok {
		if i := strings.LastIndexByte(lit.Value, '/'); i >= 0 {
			return lit.Value[i+1:]
		}
	}
	return ""
}

func hasLiteral(args []*syntax.Word, text string) bool {
	for _, w := range args {
		if literal(w) == text {
			return true
		}
	}
	return false
}

// flagWord returns the index of the first word that has a one-letter flag,
// alone or among others (-lc), before any operand; or -1.
func flagWord(args []*syntax.Word, flag string) int {
	for i, w := range args {
		text := literal(w)
		if len(text) < 2 || text[0] != '-' && text[0] != '+' {
			if text == "sh" || text == "ash" { // busybox sh -c
				continue
			}
			return -1
		}
		if text[0] == '-' && text[1] != '-' && strings.Contains(text, flag) || text == "--command" || text == "-Command" {
			return i
		}
	}
	return -1
}
