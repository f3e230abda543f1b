package bind

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// refuseCode refuses a line in which a value would itself be code: as a
// command's name, in eval or any shell's -c, in arithmetic (which runs the
// commands in a[$(…)]), as the program of an interpreter, or as the name of a
// variable. Quotes cannot help there: the value is read again as code.
//
// A value also counts where it comes by way of a shell variable, a pipe, a
// function or a file. What is not clear is refused: the author can always hand
// a value over as an argument.
func (l Line) refuseCode(p *Program, prefix string) error {
	t := newTaint(l, p, prefix)
	walk(p.file, func(path []syntax.Node) {
		if t.fault == nil {
			t.check(path)
		}
	})
	return t.fault
}

// Why a value cannot stand somewhere.
const (
	asName       = "would be the command's name, and a value is never a command"
	asCode       = "would be read as code, and a value is never code: pass it as an argument"
	asArithmetic = "stands in arithmetic, which runs the commands in it: compare it as text instead"
	asVariable   = "would be the name of a variable, which runs the commands in its index"
	asSetting    = "would change how commands are found or run"
	asInput      = "reaches a program that reads its code from its input: pass it as an argument"
	asOption     = "could be an option that runs a command: put -- before it"
)

// refuse reports the first value in n as the reason why the line does not run.
func (t *taint) refuse(n syntax.Node, why string) {
	if t.fault != nil {
		return
	}
	name := ""
	syntax.Walk(n, func(n syntax.Node) bool {
		if exp, ok := n.(*syntax.ParamExp); ok && exp.Param != nil && name == "" {
			if i, ours := t.p.index(exp.Param.Value); ours {
				name = t.line.written(i)
			} else if t.vars[variableName(exp.Param.Value)] {
				name = "$" + exp.Param.Value
			}
		}
		if text, ok := rawText(n); ok && name == "" {
			if found := t.p.marks(text, t.prefix); len(found) > 0 {
				name = t.line.written(found[0].i)
			}
		}
		return name == ""
	})
	if name == "" {
		name = "a value"
	}
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
		if exp, ok := n.(*syntax.ParamExp); ok && exp.Length {
			return false
		}
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
	if n.Excl && n.Index == nil && n.Names == 0 { // ${!x}: the value names the variable
		t.refuse(n, asVariable)
	}
	if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && literal(n.Exp.Word) == "P" { // ${x@P} runs the commands in it
		t.refuse(n, asCode)
	}
}

// settings are variables by which the shell and common programs choose what to run.
var settings = set("PATH IFS ENV BASH_ENV PS0 PS1 PS2 PS4 PROMPT_COMMAND SHELL SHELLOPTS BASHOPTS PAGER EDITOR VISUAL BROWSER GIT_PAGER GIT_EDITOR GIT_SSH GIT_SSH_COMMAND " +
	"GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS MANPAGER LESSOPEN LESSCLOSE PYTHONSTARTUP PYTHONPATH PERL5OPT PERL5LIB RUBYOPT NODE_OPTIONS MAKEFLAGS")

func isSetting(name string) bool {
	return settings[name] || strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(name, "GIT_CONFIG")
}

func (t *taint) assignment(n *syntax.Assign) {
	if n.Index != nil {
		t.arithmetic(n.Index)
	}
	if n.Name == nil || n.Value == nil || !t.holds(n.Value) {
		return
	}
	if isSetting(n.Name.Value) {
		t.refuse(n.Value, asSetting)
	}
	if t.ints[n.Name.Value] {
		t.refuse(n.Value, asArithmetic)
	}
}

// declaration refuses values that bash reads again: as a name, and with -n, -a
// and -A as the contents of the variable too.
func (t *taint) declaration(n *syntax.DeclClause) {
	again := declares(n, "naA")
	for _, a := range n.Args {
		if a.Value != nil && (a.Naked || again) && t.holds(a.Value) {
			t.refuse(a.Value, asVariable)
		}
	}
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

var (
	// shells run the text after -c, the file that is their first operand, or their input.
	shells = set("bash sh dash zsh ksh ksh93 mksh ash rbash yash fish csh tcsh busybox pwsh powershell elvish nu xonsh")

	// evaluators read their arguments as code.
	evaluators = set("eval trap alias bind complete compgen compopt enable fc hash let")

	// namers take the names of variables.
	namers = set("read mapfile readarray unset getopts wait declare typeset local export readonly")

	// prefixes run the command that their first operand names.
	prefixes = set("exec command builtin env nohup nice ionice timeout sudo doas stdbuf setsid xargs chroot unbuffer strace ltrace chrt taskset time " +
		"npx bunx uvx pnpx coproc setarch linux32 linux64 fakeroot faketime gosu su-exec tini dumb-init pkexec xvfb-run dbus-run-session caffeinate")

	// runners run commands in ways of their own: what they are given is code.
	runners = set("systemd-run nsenter unshare start-stop-daemon prlimit chpst runcon numactl proot firejail bwrap su runuser sg script flock watch parallel ssh mosh rsh at batch crontab make gmake tmux screen expect entr vim vi nvim ex view emacs ed sqlite3 psql mysql")
)

// interpreters run the text after one of their flags, a file, or their input.
var interpreters = map[string]struct{ code, valued string }{
	"python": {"c", "WXm"}, "pypy": {"c", "WXm"}, "perl": {"eE", ""}, "ruby": {"e", "IrC"}, "node": {"ep", "rC"}, "nodejs": {"ep", "rC"}, "deno": {"", ""}, "bun": {"ep", "r"},
	"php": {"rBRE", "dcfz"}, "lua": {"e", "l"}, "tclsh": {"", ""}, "osascript": {"e", "l"}, "Rscript": {"e", ""}, "julia": {"eE", "pLJ"}, "guile": {"c", "Ll"}, "bc": {"", ""}, "gdb": {"", ""},
}

// valued are the flags by which prefixes and git take a word that is not yet the command.
var valued = map[string]string{
	"env": "uC", "nice": "n", "ionice": "cnpt", "timeout": "ks", "sudo": "ughpCRTDrt", "doas": "uC", "stdbuf": "ioe", "xargs": "adEILnPs",
	"strace": "oepsEPS", "exec": "a", "chrt": "TPD", "taskset": "p", "git": "C",
}

// operands counts what some prefixes take before the command: a duration, a folder, a user.
var operands = map[string]int{"timeout": 1, "setarch": 1, "chroot": 1, "taskset": 1, "chrt": 1, "faketime": 1, "gosu": 1, "su-exec": 1}

// call refuses a simple command that would run one of its values.
func (t *taint) call(n *syntax.CallExpr, path []syntax.Node) {
	if len(n.Args) == 0 {
		return
	}
	t.command(n.Args, path)
	// Whatever the program, sh -c among its arguments is a shell.
	for i, w := range n.Args {
		if rest := n.Args[i+1:]; i > 0 && shells[commandName(w)] && flagWord(rest, "c") >= 0 {
			t.shell(rest, path)
		}
	}
}

// command refuses values in the places where the command that words[0] names reads code.
func (t *taint) command(words []*syntax.Word, path []syntax.Node) {
	if t.holds(words[0]) {
		t.refuse(words[0], asName)
		return
	}
	if t.files[t.place(words[0])] {
		t.refuse(words[0], asCode)
		return
	}
	name, args := commandName(words[0]), words[1:]
	base := strings.TrimRight(name, ".0123456789")
	switch _, interpreter := interpreters[base]; {
	case evaluators[name]:
		t.each(args, t.unclean)
	case name == "source" || name == ".":
		if len(args) > 0 {
			t.file(args[0], path)
		}
	case namers[name]:
		t.names(name, args)
	case shells[name]:
		t.shell(args, path)
	case interpreter:
		t.interpreter(base, args, path)
	case name == "awk" || name == "gawk" || name == "mawk" || name == "nawk":
		t.script(args, "fE", "Fv")
	case name == "sed" || name == "gsed":
		t.script(args, "fe", "")
	case name == "test" || name == "[":
		t.test(args)
	case name == "printf":
		t.printf(args)
	case name == "set":
		if i := slices.IndexFunc(args, func(w *syntax.Word) bool { return t.holds(w) }); i >= 0 && !hasLiteral(args[:i], "--") {
			t.refuse(args[i], asSetting)
		}
	case name == "skillhand":
		// Its flags trust a plugin and write files.
		for _, w := range args {
			if literal(w) == "--" {
				break
			}
			if t.dashes(w) {
				t.refuse(w, asOption)
			}
		}
	case name == "find" || name == "fd" || name == "fdfind":
		t.options(args, "-exec", "-ok", "-delete", "-fprint", "-fls", "-x", "-X", "--exec")
	case name == "tar" || name == "bsdtar":
		t.options(args, "--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command", "-F", "--info-script", "--new-volume-script")
	case name == "rsync" || name == "scp" || name == "sftp":
		t.options(args, "-")
	case name == "split":
		t.each(args, func(n syntax.Node) bool {
			return strings.HasPrefix(leading(n.(*syntax.Word)), "--filter") && t.unclean(n)
		})
	case name == "git":
		t.git(args)
	case runners[name]:
		t.each(args, t.unclean)
		if t.input(path) {
			t.refuse(words[0], asInput)
		}
	case prefixes[name]:
		t.prefixed(name, args, path)
	}
}

// each refuses, as code, the first of args that is bad.
func (t *taint) each(args []*syntax.Word, bad func(syntax.Node) bool) {
	for _, w := range args {
		if bad(w) {
			t.refuse(w, asCode)
			return
		}
	}
}

// options refuses a value that begins like one of the options by which a program runs commands.
func (t *taint) options(args []*syntax.Word, options ...string) {
	for _, w := range args {
		if literal(w) == "--" {
			return
		}
		if t.begins(w, options...) {
			t.refuse(w, asOption)
			return
		}
	}
}

// file refuses a file to be run: one that a value names, holds, or is read from the input.
func (t *taint) file(w *syntax.Word, path []syntax.Node) {
	switch text := literal(w); {
	case t.holds(w) || t.files[t.place(w)]:
		t.refuse(w, asCode)
	case text == "/dev/stdin" || strings.HasPrefix(text, "/dev/fd/") || strings.HasPrefix(text, "/proc/"):
		if t.input(path) {
			t.refuse(w, asInput)
		}
	}
}

// names refuses values that would name variables. The texts of read's own options are none.
func (t *taint) names(name string, args []*syntax.Word) {
	for i, w := range args {
		text := name == "read" && (strings.HasPrefix(leading(w), "-p") || i > 0 && slices.Contains([]string{"-p", "-d", "-i", "-t", "-n", "-N", "-u"}, literal(args[i-1])))
		if t.holds(w) && (!text || t.splits(w)) {
			t.refuse(w, asVariable)
			return
		}
	}
}

// shell refuses values in what a shell runs. What follows that is data: $0, $1.
func (t *taint) shell(args []*syntax.Word, path []syntax.Node) {
	i := flagWord(args, "c")
	if i < 0 {
		t.program(args, "oO", path)
		return
	}
	t.each(args[:i+1], t.holds)
	// Options may stand between -c and its text: bash -c -e 'text'.
	for i++; i < len(args) && t.fault == nil; i++ {
		if t.unclean(args[i]) {
			t.refuse(args[i], asCode)
		}
		if text := literal(args[i]); !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "+") {
			return
		}
	}
}

// interpreter refuses values in what an interpreter runs.
func (t *taint) interpreter(name string, args []*syntax.Word, path []syntax.Node) {
	lang := interpreters[name]
	given := false // its code, by a flag
	for i, w := range args {
		text := literal(w)
		switch {
		case text == "--eval" || text == "--print" || text == "--execute" || text == "eval" && name == "deno" || isFlag(text) && strings.ContainsAny(text[len(text)-1:], lang.code):
			given = true
			if i+1 < len(args) && t.unclean(args[i+1]) {
				t.refuse(args[i+1], asCode)
				return
			}
			if name == "python" || name == "pypy" {
				return // what follows is data
			}
		case given && t.dashes(w):
			t.refuse(w, asOption) // more code could follow
			return
		case given && t.holds(w) && name == "perl" && slices.ContainsFunc(args, func(w *syntax.Word) bool { return isFlag(literal(w)) && strings.ContainsAny(literal(w), "np") }):
			t.refuse(w, asCode) // perl -n opens its arguments, and runs one that ends with a pipe
			return
		case strings.HasPrefix(leading(w), "-") && t.holds(w):
			t.refuse(w, asCode)
			return
		}
	}
	if !given {
		t.program(args, lang.valued, path)
	}
}

// program refuses a value that would be the program's file or could be its input.
func (t *taint) program(args []*syntax.Word, valued string, path []syntax.Node) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		text := literal(w)
		switch {
		case t.holds(w):
			t.refuse(w, asCode)
			return
		case text == "--version" || text == "--help" || text == "-V" || text == "-h" || text == "-v" && len(args) == 1:
			return // it reads nothing
		case text == "-m" && strings.Contains(valued, "m"):
			return // a module: the rest is data
		case text == "-" || isFlag(text) && strings.Contains(text, "s"):
			t.feed(path) // it reads its program from its input, the rest is data
			if text != "-" {
				t.options(args[i+1:], "-", "+")
			}
			return
		case isFlag(text) && valued != "" && strings.Contains(valued, text[len(text)-1:]):
			i++
			if i < len(args) && t.holds(args[i]) {
				t.refuse(args[i], asCode)
				return
			}
		case text == "--":
		case strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+"):
		default:
			t.file(w, path) // a file of the author's: the rest is data
			return
		}
	}
	t.feed(path)
}

// feed refuses a program that reads its code from an input with a value in it.
func (t *taint) feed(path []syntax.Node) {
	if t.input(path) {
		t.fault = refuse("not run: a value %s", asInput)
	}
}

// script refuses values in a program given as text, awk's or sed's: by one of
// the flags of code, else as the first operand. Flags of data take a word of their own.
func (t *taint) script(args []*syntax.Word, code, data string) {
	given, ended := false, false
	for i := 0; i < len(args); i++ {
		w := args[i]
		flag := leading(w)
		switch {
		case ended || len(flag) < 2 || flag[0] != '-':
			if !given && t.unclean(w) {
				t.refuse(w, asCode)
				return
			}
			if given && !ended && t.dashes(w) {
				t.refuse(w, asOption)
				return
			}
			given = true
		case flag == "--":
			ended = true
		case isFlag(flag) && strings.Contains(data, flag[1:2]):
			if t.splits(w) {
				t.refuse(w, asCode)
				return
			}
			if len(flag) == 2 && !t.holds(w) {
				if i++; i < len(args) && t.splits(args[i]) {
					t.refuse(args[i], asCode)
					return
				}
			}
		case isFlag(flag) && strings.Contains(code, flag[len(flag)-1:]) || flag == "--expression" || flag == "--file":
			given = true
			if t.holds(w) {
				t.refuse(w, asCode)
				return
			}
			if i++; i < len(args) && t.unclean(args[i]) {
				t.refuse(args[i], asCode)
				return
			}
		default: // --expression=…, -e…, and flags that take nothing
			given = given || strings.Contains(code, flag[1:2]) || strings.HasPrefix(flag, "--expression") || strings.HasPrefix(flag, "--file")
			if t.holds(w) {
				t.refuse(w, asCode)
				return
			}
		}
	}
}

// test refuses a value that could become an operator: -v runs the commands in an index.
func (t *taint) test(args []*syntax.Word) {
	operator := func(s string) bool { return s == "-v" || s == "-R" }
	for i, w := range args {
		if !t.holds(w) {
			continue
		}
		words, known := t.values(w)
		switch {
		case hasLiteral(args, "-v") || hasLiteral(args, "-R"):
			t.refuse(w, asVariable)
		case !known && t.splits(w):
			t.refuse(w, asVariable)
		case len(words) > 1 && slices.ContainsFunc(words, operator):
			t.refuse(w, asVariable)
		case len(words) == 1 && operator(words[0]) && (i == 0 || literal(args[i-1]) == "!" || literal(args[i-1]) == "("):
			t.refuse(w, asVariable)
		}
	}
}

// printf refuses a value that could be -v, which names a variable.
func (t *taint) printf(args []*syntax.Word) {
	for i, w := range args {
		if t.holds(w) {
			if t.dashes(w) && !hasLiteral(args[:i], "--") {
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

// git refuses values where git runs them: as the subcommand, as settings, and as options and addresses that name a program.
func (t *taint) git(args []*syntax.Word) {
	for i, w := range args {
		text := literal(w)
		if t.holds(w) {
			quotedValue := i > 0 && takesWord("git", literal(args[i-1])) && !t.splits(w)
			if lead := leading(w); !quotedValue && (!strings.Contains(lead, "=") || t.splits(w)) {
				t.refuse(w, asName)
				return
			}
			continue
		}
		if text == "" || strings.HasPrefix(text, "-") || i > 0 && (takesWord("git", literal(args[i-1])) || literal(args[i-1]) == "-c") {
			continue
		}
		t.options(args[i+1:], "--upload-pack", "--receive-pack", "--exec", "--open-files-in-pager", "-O", "-x", "--config", "-c", "-u", "--template", "ext::")
		return
	}
}

// prefixed refuses values where a command runs another one.
func (t *taint) prefixed(name string, args []*syntax.Word, path []syntax.Node) {
	if name == "command" && len(args) > 0 && (literal(args[0]) == "-v" || literal(args[0]) == "-V") {
		return // only asks where a command is
	}
	before := operands[name]
	for i, w := range args {
		text := literal(w)
		flagged := i > 0 && takesWord(name, literal(args[i-1]))
		switch {
		case t.holds(w) && flagged && !t.splits(w):
		case t.holds(w) && before > 0 && !t.splits(w) && !t.dashes(w):
			before--
		case t.holds(w):
			lead := leading(w)
			eq := strings.IndexByte(lead, '=')
			if eq <= 0 || strings.HasPrefix(lead, "-") || t.splits(w) { // not env NAME=value
				t.refuse(w, asName)
				return
			}
			if isSetting(lead[:eq]) {
				t.refuse(w, asSetting)
				return
			}
		case flagged || strings.HasPrefix(text, "-") || strings.Contains(text, "=") && !strings.Contains(text, "/"):
		case before > 0:
			before--
		default:
			t.prefixedCommand(name, args[i:], path)
			return
		}
	}
	t.feed(path) // there is no command: it runs a shell, or what it reads
}

// prefixedCommand looks at the command that a prefix runs. xargs adds what it reads to it.
func (t *taint) prefixedCommand(name string, words []*syntax.Word, path []syntax.Node) {
	inner := commandName(words[0])
	_, interpreter := interpreters[strings.TrimRight(inner, ".0123456789")]
	if name == "xargs" && t.input(path) && (shells[inner] || interpreter || evaluators[inner] || runners[inner] || prefixes[inner] || inner == "find") {
		t.fault = refuse("not run: a value %s", asInput)
		return
	}
	t.command(words, path)
}

// takesWord reports whether a flag of a command takes the next word.
func takesWord(name, flag string) bool {
	return isFlag(flag) && strings.Contains(valued[name], flag[len(flag)-1:])
}

// isFlag recognises one-letter flags, alone or several together.
func isFlag(text string) bool {
	return len(text) > 1 && text[0] == '-' && text[1] != '-'
}

func hasLiteral(args []*syntax.Word, text string) bool {
	return slices.ContainsFunc(args, func(w *syntax.Word) bool { return literal(w) == text })
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
		if isFlag(text) && strings.Contains(text, flag) || text == "--command" || text == "-Command" {
			return i
		}
	}
	return -1
}
