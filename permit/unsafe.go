package permit

import "strings"

// Commands that take code as arguments: no prefix rule covers them.
var evaluators = fields(`eval source . exec trap alias complete enable hash let mapfile readarray shopt bind coproc`)

// Launchers that are not looked through.
var launchers = fields(`watch ionice setsid flock strace ltrace chrt nsenter script taskset unshare`)

var zshBuiltins = fields(`zmodload emulate sysopen sysread syswrite sysseek zpty ztcp zsocket zf_rm zf_mv zf_ln zf_chmod zf_chown zf_mkdir zf_rmdir zf_chgrp`)

// unsafe is about what a prefix rule never covers and the table never holds.
func (j *judge) unsafe(p *part) *fault {
	if p.test {
		return unsafeTest(p, p.words)
	}
	name, args := p.name()
	ask := func(why, said string) *fault { return &fault{p.span, why, said} }
	switch {
	case len(p.words) == 0 && settable(p.assigns):
		return nil
	case len(p.words) == 0:
		return ask("a variable is set, and later commands might use it", "A variable set in this command can't be checked before it runs")
	case strings.HasPrefix(name, "-"):
		return ask("a flag is no command", "Command appears to be an incomplete fragment")
	case p.words[0].nested():
		return ask("the command's name is known only when it runs", "Command name is runtime-determined (placeholder argv[0])")
	case evaluators()[name]:
		return ask(name+" takes its arguments as code", "'"+name+"' evaluates arguments as shell code")
	case launchers()[name] && len(args) > 0:
		return ask("what "+name+" starts is not looked into", "What '"+name+"' starts can't be checked before it runs")
	case zshBuiltins()[name]:
		return ask(name+" is a builtin of zsh that can do anything", "Zsh builtin '"+name+"' can bypass security checks")
	}
	for _, a := range p.assigns {
		if a.name == "IFS" {
			return ask("IFS changes how words are split", "IFS assignment changes word-splitting — cannot model statically")
		}
	}
	switch name {
	case "find":
		return j.unsafeFind(p, args)
	case "jq":
		return unsafeJq(p, args)
	case "awk", "gawk", "mawk":
		return unsafeAwk(p, args)
	case "read", "getopts":
		for _, w := range args {
			if !strings.HasPrefix(w.val, "-") {
				return ask(name+" sets a variable", "A variable set in this command can't be checked before it runs")
			}
		}
	case "printf":
		for _, w := range args {
			if w.val == "-v" {
				return ask("printf -v sets a variable", "A variable set in this command can't be checked before it runs")
			}
			if w.nested() {
				return ask("printf of what only the run shows", "")
			}
		}
	case "set":
		return unsafeSet(p, args)
	case "test", "[":
		return unsafeTest(p, args)
	}
	return nil
}

// unsafeTest is about operands that the shell would evaluate as arithmetic, and a shape that
// Claude Code's parser does not read.
func unsafeTest(p *part, args []word) *fault {
	for i, w := range args {
		switch {
		case w.val == "=" && p.words[0].val == "test":
			return &fault{p.span, "test with = is not read: write [ a = b ]", "Parse error"}
		case comparesNumbers(w.val) && i > 0 && i+1 < len(args) && !(isInteger(args[i-1].val) && isInteger(args[i+1].val)):
			return &fault{p.span, "a comparison of numbers with something else", "'" + p.words[0].val + " ... " + w.val + " ...' operand is non-numeric"}
		case w.val == "-t" && i+1 < len(args) && !isNumber(args[i+1].val) && args[i+1].val != "]" && p.words[0].val == "test":
			return &fault{p.span, "test -t takes a number", "'test -t' operand is non-numeric"}
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
			return &fault{p.span, "set " + w.val + " changes how the shell reads commands",
				"'set " + w.val + "' changes shell option state (allexport/keyword/…) — defeats static env-var analysis; see SET_O_SAFE_LETTERS"}
		}
	}
	return nil
}

// findValues has the tests and actions of find that take a value.
var findValues = fields(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -regextype
	-type -xtype -user -group -uid -gid -perm -size -printf -newer -anewer -cnewer -newermt -samefile -inum -links -fstype
	-mtime -atime -ctime -mmin -amin -cmin -used -maxdepth -mindepth -context`)

func (j *judge) unsafeFind(p *part, args []word) *fault {
	for i, w := range args {
		switch v := w.val; {
		case v == "-exec", v == "-execdir", v == "-ok", v == "-okdir", v == "-delete", v == "-fls", strings.HasPrefix(v, "-fprint"), v == "-files0-from":
			return &fault{w.span, "find with " + v + " runs commands or changes files",
				"find with '" + v + "' executes commands or modifies files — cannot be auto-allowed by a Bash(find:*) prefix rule"}
		}
		if w.glob {
			return &fault{w.span, "a pattern outside of quotes could become an action of find: quote it",
				"find contains unquoted glob characters — could glob-expand to a dangerous action before find runs"}
		}
		if strings.ContainsAny(w.val, "*?[") && (i == 0 || !findValues()[args[i-1].val]) {
			return &fault{w.span, "a pattern stands where find takes none",
				"find argument '" + w.val + "' contains glob characters — could glob-expand to a dangerous action"}
		}
	}
	return nil
}

func unsafeJq(p *part, args []word) *fault {
	for _, w := range args {
		flag, _, _ := strings.Cut(w.val, "=")
		switch flag {
		case "--from-file", "--library-path", "--rawfile", "--slurpfile":
			return &fault{p.span, "jq with " + flag + " reads code or any file", "jq command contains dangerous flags that could execute code or read arbitrary files"}
		}
		if len(flag) > 1 && flag[0] == '-' && isLetters(flag[1:]) && strings.ContainsAny(flag, "fL") {
			return &fault{p.span, "jq with " + flag + " reads code or any file", "jq command contains dangerous flags that could execute code or read arbitrary files"}
		}
		if containsWord(w.val, "import") || containsWord(w.val, "include") {
			return &fault{p.span, "jq with import or include reads code", "jq command contains include/import"}
		}
	}
	return nil
}

// pipesCommand reports a pipe to or from a command in a program of awk.
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
			return &fault{p.span, "awk with " + v + " is not looked into", "awk has an option that can't be checked before it runs"}
		case strings.Contains(v, "system("), pipesCommand(v), strings.Contains(v, "@"):
			return &fault{p.span, "awk that runs other code is not looked into", "awk program contains system() which executes arbitrary commands"}
		}
	}
	return nil
}

// edits is about the mode acceptEdits, which lets files inside be changed.
func (j *judge) edits(p *part) bool {
	if j.q.Mode != "acceptEdits" {
		return false
	}
	if len(p.words) == 0 || len(p.assigns) > 0 {
		return false
	}
	switch p.words[0].val {
	case "touch", "mkdir", "rm", "rmdir", "mv", "cp":
		return true
	case "sed":
		quiet, names, ok := sedScript(p.words[1:])
		return ok && !quiet && substitutes(names[0].val)
	}
	return false
}
