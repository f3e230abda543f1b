package permit

import (
	"slices"
	"strings"
)

// terminalChanges has what tput can be asked to do that outlasts it.
var terminalChanges = fields(`init reset clear rs1 rs2 rs3 is1 is2 is3 iprog if rf smcup rmcup mc0 mc4 mc5 mc5i mc5p pfkey pfloc pfx pfxl`)

// operands checks what remains of a command of the flag tables beside its flags.
var operands = map[string]func(names []string, used map[string]string, args []word) bool{
	"ss": func(names []string, _ map[string]string, _ []word) bool {
		if len(names) == 0 {
			return true
		}
		first, _, _ := strings.Cut(names[0], " ")
		return first == "state" || first == "sport" || first == "dport" || first == "src" || first == "dst"
	},
	"man": func(_ []string, used map[string]string, args []word) bool {
		// -f and -k turn man into other programs, and only as the first argument.
		tilde := slices.ContainsFunc(args, func(w word) bool { return strings.Contains(w.val, "~") })
		return !tilde && (!has(used, "-f", "-k") || args[0].val == "-f" || args[0].val == "-k")
	},
	"hostname": func(names []string, _ map[string]string, args []word) bool {
		return len(names) == 0 && !slices.ContainsFunc(args, func(w word) bool { return w.val == "--" })
	},
	"date": func(names []string, _ map[string]string, args []word) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !strings.HasPrefix(n, "+") })
	},
	"ps": func(names []string, _ map[string]string, args []word) bool {
		// The letters of BSD may not hold the one that shows the environment.
		return !slices.ContainsFunc(args, func(w word) bool { return !isFlag(w.val) && strings.Contains(w.val, "e") })
	},
	"tput": func(names []string, _ map[string]string, _ []word) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return terminalChanges()[n] })
	},
	"help": func(names []string, _ map[string]string, _ []word) bool {
		return !slices.ContainsFunc(names, func(n string) bool {
			return strings.ContainsAny(n, "/~")
		})
	},
	"lsof": func(names []string, _ map[string]string, _ []word) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "+m") })
	},
}

func isLetters(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == '_' || !isName(c) {
			return false
		}
	}
	return s != ""
}

// readOnlyPrintf: a format that is no flag, and anything after it.
func readOnlyPrintf(args []word) bool {
	switch {
	case slices.ContainsFunc(args, word.isGlob):
		return false
	case len(args) > 0 && args[0].val == "--":
		args = args[1:]
	case len(args) > 0 && strings.HasPrefix(args[0].val, "-"):
		return false
	}
	return len(args) == 0 || !strings.Contains(args[0].val, "$")
}

// readOnlyUniq: flags of any name, and no file.
func readOnlyUniq(args []word) bool {
	for i := 0; i < len(args); i++ {
		v := args[i].val
		switch {
		case args[i].isGlob() || expands(args[i]):
			return false
		case (v == "-f" || v == "-s" || v == "-w") && i+1 < len(args) && isNumber(args[i+1].val):
			i++
		case strings.HasPrefix(v, "--"):
			flag, value, inline := strings.Cut(v[2:], "=")
			if strings.Trim(flag, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" || flag == "" || inline && value == "" {
				return false
			}
		case !strings.HasPrefix(v, "-") || !isLetters(v[1:]):
			return false
		}
	}
	return true
}

func readOnlyIfconfig(args []word) bool {
	if len(args) == 0 {
		return true
	}
	v := args[0].val
	return len(args) == 1 && v != "" && isName(v[0]) && !args[0].isGlob() && !expands(args[0])
}

// readOnlyBracket judges [ … ] with one operator. Of variables not even $HOME may stand in it.
func readOnlyBracket(args []word) bool {
	n := len(args)
	if n == 0 || args[n-1].val != "]" {
		return false
	}
	args = args[:n-1]
	for _, w := range args {
		if w.isGlob() || w.home {
			return false
		}
	}
	if len(args) > 1 && args[0].val == "!" {
		args = args[1:]
	}
	switch len(args) {
	case 0, 1:
		return true
	case 2:
		return len(args[0].val) == 2 && args[0].val[0] == '-'
	case 3:
		switch args[1].val {
		case "=", "==", "!=", "=~", "-nt", "-ot", "-ef":
			return true
		}
		return comparesNumbers(args[1].val)
	}
	return false
}

func comparesNumbers(op string) bool {
	switch op {
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	}
	return false
}

// readOnlyTestCommand judges test, whose flags are a table of their own.
func readOnlyTestCommand(args []word) bool {
	for _, w := range args {
		if w.isGlob() || expands(w) {
			return false
		}
	}
	_, _, ok := parseFlags("test", flagTable()["test"], args)
	return ok
}

// readOnlyTest judges [[ … ]].
func readOnlyTest(words []word) bool {
	return !slices.ContainsFunc(words, func(w word) bool { return w.isGlob() || w.home })
}

// readOnlySed: lines by number with -n, or one s/// of standard input.
func readOnlySed(args []word) bool {
	quiet, names, ok := sedScript(args)
	switch {
	case !ok || slices.ContainsFunc(names, word.isGlob):
		return false
	case quiet:
		return printsLines(names[0].val)
	}
	return len(names) == 1 && substitutes(names[0].val)
}

// sedScript reads the arguments of a plain sed: a script and files. It reports false for any flag
// that changes files or adds scripts.
func sedScript(args []word) (quiet bool, names []word, ok bool) {
	for _, w := range args {
		switch v := w.val; {
		case v == "--quiet" || v == "--silent":
			quiet = true
		case v == "--posix" || v == "--regexp-extended":
		case strings.HasPrefix(v, "--"):
			return false, nil, false
		case isFlag(v):
			if strings.Trim(v[1:], "nErz") != "" {
				return false, nil, false
			}
			quiet = quiet || strings.Contains(v, "n")
		default:
			names = append(names, w)
		}
	}
	return quiet, names, len(names) > 0
}

// printsLines reports a script such as 5p or 1,5p;8p.
func printsLines(script string) bool {
	for cmd := range strings.SplitSeq(script, ";") {
		cmd = strings.TrimSpace(cmd)
		lines, ok := strings.CutSuffix(cmd, "p")
		if !ok {
			return false
		}
		from, to, both := strings.Cut(lines, ",")
		if lines != "" && (!isNumber(from) || both && !isNumber(to)) {
			return false
		}
	}
	return true
}

// substitutes reports s/a/b/ with harmless flags.
func substitutes(script string) bool {
	rest, ok := strings.CutPrefix(script, "s/")
	if !ok || strings.ContainsAny(rest, "${}\n") || strings.Contains(rest, `\/`) {
		return false
	}
	parts := strings.Split(rest, "/")
	return len(parts) == 3 && strings.Trim(parts[2], "gpimIM123456789") == "" && isASCII(script)
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// readOnlyJq: flags, then a filter, then files.
func readOnlyJq(args []word) bool {
	names := 0
	for i := 0; i < len(args); i++ {
		w := args[i]
		if w.isGlob() || w.nested() || containsWord(w.val, "env") || containsWord(w.val, "$ENV") || strings.Contains(w.val, "`") {
			return false
		}
		flag, _, _ := strings.Cut(w.val, "=")
		switch {
		case flag == "--argfile", flag == "--run-tests", flag == "--":
			return false
		case strings.HasPrefix(w.val, "--"):
			if names > 0 || !isLetters(strings.ReplaceAll(flag[2:], "-", "")) {
				return false
			}
		case strings.HasPrefix(w.val, "-"):
			if names > 0 || !isLetters(w.val[1:]) {
				return false
			}
		default:
			names++
		}
	}
	return names > 0
}

// containsWord reports whether w stands in s with no letter beside it.
func containsWord(s, w string) bool {
	for i := 0; ; {
		k := strings.Index(s[i:], w)
		if k < 0 {
			return false
		}
		k += i
		end := k + len(w)
		if (k == 0 || !isWordByte(s[k-1]) || w[0] == '$') && (end == len(s) || !isWordByte(s[end])) {
			return true
		}
		i = k + 1
	}
}

func isWordByte(c byte) bool { return isName(c) || '0' <= c && c <= '9' }

// readOnlyXargs: a few flags, then one of a few commands.
func readOnlyXargs(args []word) bool {
	if slices.ContainsFunc(args, expands) || slices.ContainsFunc(args, word.isGlob) {
		return false
	}
	i := 0
	for ; i < len(args); i++ {
		v := args[i].val
		if !strings.HasPrefix(v, "-") {
			break
		}
		switch v {
		case "--":
			return xargsCommand(args[i+1:])
		case "-n", "-P", "-L", "-s":
			i++
			if i >= len(args) || !isNumber(args[i].val) {
				return false
			}
		case "-I":
			i++
			if i >= len(args) || args[i].val != "{}" {
				return false
			}
		case "-d":
			i++
			if i >= len(args) || len([]rune(args[i].val)) != 1 {
				return false
			}
		default:
			if strings.Trim(v[1:], "0rtx") != "" {
				return false
			}
		}
	}
	return xargsCommand(args[i:])
}

func xargsCommand(args []word) bool {
	if len(args) == 0 {
		return true
	}
	switch args[0].val {
	case "echo", "printf", "wc", "grep", "head", "tail":
		return true
	}
	return false
}

// otherDaemon has the flags of docker and podman that name another machine or configuration.
var otherDaemon = fields(`-H --host -c --context --config -r --remote --url --connection --identity`)

// readOnlyDocker: four subcommands, two of which know their flags.
func readOnlyDocker(args []word) bool {
	if len(args) == 0 || slices.ContainsFunc(args, word.isGlob) ||
		slices.ContainsFunc(args, func(w word) bool { return strings.HasPrefix(w.val, "~") || strings.Contains(w.val, "=~") }) {
		return false
	}
	switch sub := args[0].val; sub {
	case "ps", "images":
		return !slices.ContainsFunc(args[1:], func(w word) bool {
			flag, _, _ := strings.Cut(w.val, "=")
			return otherDaemon()[flag]
		})
	case "logs", "inspect":
		return knownFlags("docker "+sub, args[1:])
	}
	return false
}
