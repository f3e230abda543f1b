package permit

import (
	"slices"
	"strings"
)

// Commands that take code as arguments: no prefix rule covers them.
var evaluators = fields(`eval source . exec trap alias complete enable hash let mapfile readarray shopt bind coproc nocorrect`)

// Launchers that are not looked through.
var launchers = fields(`watch ionice setsid flock strace ltrace chrt nsenter script taskset unshare`)

var zshBuiltins = fields(`zmodload emulate sysopen sysread syswrite sysseek zpty ztcp zsocket zf_rm zf_mv zf_ln zf_chmod zf_chown zf_mkdir zf_rmdir zf_chgrp`)

// unsafe judges what a prefix rule never covers and the table never holds.
func (j *decision) unsafe(p *part) *fault {
	if p.test {
		return unsafeTest(p, p.words)
	}
	name, args := p.name()
	ask := func(why, said string) *fault { return newFault(p.span, why, said) }
	switch {
	case len(p.words) == 0 && settable(p.assigns):
		return nil
	case len(p.words) == 0:
		return ask("a variable is set, and later commands might use it", "A variable set in this command can't be checked before it runs")
	case name == "":
		return ask("the command has no name", "Empty command name — argv[0] may not reflect what bash runs")
	case strings.HasPrefix(name, "-"):
		return ask("a flag is no command", "Command appears to be an incomplete fragment")
	case p.words[0].nested():
		return ask("the command's name is known only when it runs", "Command name is runtime-determined (placeholder argv[0])")
	case evaluators()[name]:
		return ask(name+" takes its arguments as code", "'"+name+"' evaluates arguments as shell code")
	case launchers()[name] && len(args) > 0:
		return ask("Claude Code does not analyse what "+name+" starts", "What '"+name+"' starts can't be checked before it runs")
	case zshBuiltins()[name]:
		return ask(name+" is a builtin of zsh that can do anything", "Zsh builtin '"+name+"' can bypass security checks")
	}
	for _, a := range p.assigns {
		if a.name == "IFS" {
			return ask("IFS changes how words are split", "IFS assignment changes word-splitting — cannot model statically")
		}
	}
	if f := unsafeLauncher(p); f != nil {
		return f
	}
	for _, w := range args {
		if strings.HasPrefix(w.val, "-") && !strings.HasPrefix(strings.TrimLeft(w.val, "-"), " ") && w.nested() {
			return newFault(w.span, "Claude Code does not analyse a flag known only at run time", "Argument starting with `-` contains runtime-determined content")
		}
	}
	if p.inShell() {
		if f := unsafeBuiltin(p, name, args); f != nil {
			return f
		}
	}
	switch name {
	case "find":
		return j.unsafeFind(args)
	case "jq":
		return unsafeJq(p, args)
	case "awk", "gawk", "mawk":
		return unsafeAwk(p, args)
	case "printf":
		if slices.ContainsFunc(args, word.nested) {
			return ask("printf of text known only at run time", "printf operand is runtime-determined and may carry an array subscript")
		}
	case "set":
		return unsafeSet(p, args)
	case "test", "[":
		return unsafeTest(p, args)
	}
	return nil
}

// unsafeLauncher judges launchers whose flags or commands are not seen through.
func unsafeLauncher(p *part) *fault {
	for words := p.words; len(words) > 1; {
		name, next := words[0].val, words[1].val
		opaque := func() *fault {
			return newFault(p.span, "Claude Code does not analyse what "+name+" "+next+" starts", "'"+name+" "+next+"' can't be checked before it runs")
		}
		rest, ok := launched(words)
		if !ok {
			rest, ok = launchedByEnv(words)
		}
		behind := slices.IndexFunc(words[1:], func(w word) bool { return !isAssign(w.val) }) // the assignments
		switch {
		case name == "command" && oddFlag(words[1:]),
			name == "env" && behind > 0 && isFlag(words[1+behind].val),
			name == "env" && !ok && !isAssign(next) && next != "-i" && next != "-u",
			(name == "time" || name == "nohup") && next == "[",
			name == "time" && len(p.assigns) > 0,
			name == "noglob" && isFlag(next),
			name == "command" && ok && rest[0].val == "noglob",
			name == "noglob" && isAssign(next) && !safeName(strings.Split(next, "=")[0]),
			(name == "timeout" || name == "nice") && !ok && slices.ContainsFunc(words[1:min(3, len(words))], word.nested):
			return opaque()
		case name == "xargs" && !isFlag(next):
			return unsafeXargs(p, part{words: words[1:]})
		case !ok:
			return nil
		}
		words = rest
	}
	return nil
}

// oddFlag reports a flag that command does not have.
func oddFlag(words []word) bool {
	for len(words) > 0 && (words[0].val == "-p" || words[0].val == "--") {
		words = words[1:]
	}
	return len(words) > 0 && isFlag(words[0].val) && strings.Trim(words[0].val[1:], "pvV") != ""
}

// unsafeXargs judges commands to which xargs could add what changes all.
func unsafeXargs(p *part, added part) *fault {
	name, _ := added.name()
	if name == "find" || name == "jq" || evaluators()[name] || strings.Contains(name, nestedMark) {
		return newFault(p.span, "Claude Code does not analyse what xargs adds to "+name, "What xargs adds to "+name+" can't be checked before it runs")
	}
	return nil
}

// inShell reports whether the shell itself runs the command, and no program that it starts.
func (p part) inShell() bool {
	words := p.words
	for len(words) > 0 {
		rest, ok := modified(words)
		if !ok && words[0].val == "time" {
			rest, ok = words[1:], true
		}
		if !ok {
			break
		}
		words = rest
	}
	name, _ := p.name()
	return len(words) > 0 && words[0].val == name
}

// unsafeBuiltin judges builtins that change what later commands mean.
func unsafeBuiltin(p *part, name string, args []word) *fault {
	sets := newFault(p.span, name+" sets a variable", "A variable set in this command can't be checked before it runs")
	switch name {
	case "read", "getopts":
		if slices.ContainsFunc(args, func(w word) bool { return !strings.HasPrefix(w.val, "-") }) {
			return sets
		}
	case "printf":
		if slices.ContainsFunc(args, func(w word) bool { return w.val == "-v" }) {
			return sets
		}
	case "export", "declare", "local", "readonly", "typeset":
		if len(p.words) > len(args)+1 && slices.ContainsFunc(args, func(w word) bool { return isAssign(w.val) }) {
			return sets
		}
	case "unset":
		return unsafeUnset(args)
	}
	return nil
}

// steering are the variables that the shell itself goes by.
var steering = fields(`PATH path IFS PS4 HOME SHELL ENV BASH_ENV CDPATH FPATH MANPATH ZDOTDIR HISTFILE LANG LC_ALL LC_CTYPE
	LD_PRELOAD LD_LIBRARY_PATH OPTIND RANDOM UID`)

// unsafeUnset lets plain names go, but for those that later commands are found by.
func unsafeUnset(args []word) *fault {
	for i, w := range args {
		switch {
		case i == 0 && (w.val == "-v" || w.val == "-f"):
		case !isVariable(w.val) || w.quoted || w.home:
			return newFault(w.span, "unset of something else than a plain name", "unset operand '"+w.val+"' is not a plain variable name")
		case steering()[w.val]:
			return newFault(w.span, "unset "+w.val+" changes what later commands do", "'unset' targets shell variable "+w.val)
		}
	}
	return nil
}

// unsafeTest judges operands that the shell would evaluate as arithmetic, and a shape that
// Claude Code's parser does not read.
func unsafeTest(p *part, args []word) *fault {
	for i, w := range args {
		switch {
		case comparesNumbers(w.val) && i > 0 && i+1 < len(args) && !(isInteger(args[i-1].val) && isInteger(args[i+1].val)):
			return newFault(p.span, "a comparison of numbers with something else", "'"+p.words[0].val+" ... "+w.val+" ...' operand is non-numeric")
		case w.val == "-t" && i+1 < len(args) && !isNumber(args[i+1].val) && args[i+1].val != "]" && p.words[0].val == "test":
			return newFault(p.span, "test -t takes a number", "'test -t' operand is non-numeric")
		}
	}
	return nil
}

func isInteger(s string) bool { return isNumber(strings.TrimPrefix(s, "-")) }

// settable reports assignments that may stand alone: harmless names but for the language's, which
// changes how later commands are found.
func settable(assigns []assign) bool {
	for _, a := range assigns {
		if strings.HasPrefix(a.name, "L") && a.name != "LINES" && a.name != "LS_COLORS" || !safeName(a.name) || a.val.nested() {
			return false
		}
	}
	return true
}

func unsafeSet(p *part, args []word) *fault {
	for i, w := range args {
		switch {
		case w.val == "--":
			return nil
		case w.val == "-o" || w.val == "+o":
			continue
		case i > 0 && (strings.HasSuffix(args[i-1].val, "o")) && strings.HasPrefix(args[i-1].val, "-"):
			continue
		case len(w.val) > 1 && (w.val[0] == '-' || w.val[0] == '+') && strings.Trim(w.val[1:], "euxovfnhbmCET") != "":
			return newFault(p.span, "set "+w.val+" changes how the shell reads commands",
				"'set "+w.val+"' changes shell option state (allexport/keyword/…) — defeats static env-var analysis; see SET_O_SAFE_LETTERS")
		}
	}
	return nil
}

// findValues has the tests and actions of find that take a value.
var findValues = fields(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -regextype
	-type -xtype -user -group -uid -gid -perm -size -printf -newer -anewer -cnewer -newermt -samefile -inum -links -fstype
	-mtime -atime -ctime -mmin -amin -cmin -used -maxdepth -mindepth -context`)

// comparesTimes reports -newerXY of find: X is a time of the file, Y one of another file, or a text.
func comparesTimes(test string) bool {
	xy, ok := strings.CutPrefix(test, "-newer")
	return ok && len(xy) == 2 && strings.IndexByte("aBcm", xy[0]) >= 0 && strings.IndexByte("aBcmt", xy[1]) >= 0
}

func (j *decision) unsafeFind(args []word) *fault {
	value := false // of the test before it
	for _, w := range args {
		if value && !w.glob {
			value = false
			continue
		}
		value = findValues()[w.val] || comparesTimes(w.val)
		switch v := w.val; {
		case w.nested():
			return newFault(w.span, "Claude Code does not analyse find with text known only at run time",
				"find argument is runtime-determined — could resolve to a dangerous action")
		case v == "-exec", v == "-execdir", v == "-ok", v == "-okdir", v == "-delete", v == "-fls", strings.HasPrefix(v, "-fprint"), v == "-files0-from":
			return newFault(w.span, "find with "+v+" runs commands or changes files",
				"find with '"+v+"' executes commands or modifies files — cannot be auto-allowed by a Bash(find:*) prefix rule")
		}
		if w.glob {
			return newFault(w.span, "a pattern outside of quotes could become an action of find",
				"find contains unquoted glob characters — could glob-expand to a dangerous action before find runs", "quote it")
		}
		if strings.ContainsAny(w.val, "*?[") {
			return newFault(w.span, "a pattern stands where find takes none",
				"find argument '"+w.val+"' contains glob characters — could glob-expand to a dangerous action")
		}
	}
	return nil
}

func unsafeJq(p *part, args []word) *fault {
	for _, w := range args {
		flag, _, _ := strings.Cut(w.val, "=")
		switch flag {
		case "--from-file", "--library-path", "--rawfile", "--slurpfile":
			return newFault(p.span, "jq with "+flag+" reads code or any file", "jq command contains dangerous flags that could execute code or read arbitrary files")
		}
		if len(flag) > 1 && flag[0] == '-' && isLetters(flag[1:]) && strings.ContainsAny(flag, "fL") {
			return newFault(p.span, "jq with "+flag+" reads code or any file", "jq command contains dangerous flags that could execute code or read arbitrary files")
		}
		if containsWord(w.val, "import") || containsWord(w.val, "include") {
			return newFault(p.span, "jq with import or include reads code", "jq command contains include/import")
		}
	}
	return nil
}

func pipesCommand(program string) bool {
	for {
		_, after, ok := strings.Cut(program, "|")
		if !ok {
			return false
		}
		if t := strings.TrimLeft(after, " \t&"); strings.HasPrefix(t, `"`) || strings.HasPrefix(t, "getline") {
			return true
		}
		program = strings.TrimPrefix(after, "|")
	}
}

func unsafeAwk(p *part, args []word) *fault {
	for _, w := range args {
		switch v := w.val; {
		case strings.HasPrefix(v, "-") && !strings.HasPrefix(v, "-F") && v != "-v" && v != "--":
			return newFault(p.span, "Claude Code does not analyse awk with "+v, "awk has an option that can't be checked before it runs")
		case w.nested():
			return newFault(p.span, "Claude Code does not analyse awk with text known only at run time", "awk is given text that can't be checked before it runs")
		case strings.Contains(v, "system("), pipesCommand(v), strings.Contains(v, "@"):
			return newFault(p.span, "Claude Code does not analyse awk that runs other code", "awk program contains system() which executes arbitrary commands")
		}
	}
	return nil
}

// edits judges the mode acceptEdits, which lets files inside be changed.
func (j *decision) edits(p *part) bool {
	if !j.acceptsEdits() {
		return false
	}
	if len(p.words) == 0 || len(p.assigns) > 0 || p.led {
		return false
	}
	switch name, args := p.name(); name {
	case "touch", "mkdir", "rm", "rmdir", "mv", "cp":
		return true
	case "sed":
		quiet, names, ok := sedScript(args)
		return ok && !quiet && substitutes(names[0].val)
	}
	return false
}
