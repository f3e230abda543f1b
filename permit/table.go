package permit

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// flags.txt has a line for each command whose flags Claude Code knows: its name, a colon, and the
// flags that may be used without a rule.
//
//	--flag   takes no value
//	--flag=  takes any value
//	--flag#  takes a number
//	--flag!  takes one character
//
//go:embed flags.txt
var flagText string

// flagTable is flags.txt by command.
var flagTable = sync.OnceValue(func() map[string]map[string]byte {
	table := map[string]map[string]byte{}
	for line := range strings.Lines(flagText) {
		name, list, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		flags := map[string]byte{}
		for _, f := range strings.Fields(list) {
			kind := f[len(f)-1]
			if strings.IndexByte("=#!", kind) >= 0 {
				flags[f[:len(f)-1]] = kind
			} else {
				flags[f] = ' '
			}
		}
		table[name] = flags
	}
	return table
})

// Commands that may have any arguments. Those of the first set may have patterns outside of
// quotes, too.
var (
	anyArgs = fields(`cat cmp column cut diff head hexdump ls nl od rev stat strings tac tail wc
		basename df dirname du echo readlink realpath tr`)
	anyArgsNoGlob = fields(`cal expr false free groups id locale nproc seq sleep true type uname uptime
		comm expand find fmt fold numfmt paste pr tsort unexpand`)
)

// readOnly reports whether a part needs no rule.
func (j *decision) readOnly(p *part) bool {
	if p.hard {
		return false
	}
	if p.test {
		return readOnlyTest(p.words[1:])
	}
	for _, a := range p.assigns {
		if len(p.words) > 0 && !safeAssign(a, false) {
			return false
		}
	}
	words, timed := launchedReadOnly(p.words, len(p.assigns) > 0)
	if len(words) == 0 {
		return settable(p.assigns)
	}
	name, args := words[0].val, words[1:]
	if slices.ContainsFunc(args, word.isOthersHome) || name == "xargs" && j.deniesFiles("Read") {
		return false
	}
	switch {
	case (name == "[" || name == "history") && len(words) < len(p.words), name == "cd" && timed:
		return false // known only if nothing stands before them
	}
	switch name {
	case "[", "jq", "uniq", "hostname":
		if len(p.assigns) > 0 || p.led || words[0].quoted {
			return false
		}
	}
	switch {
	case len(args) == 0 && bareCommands()[name]:
		return true
	case anyArgs()[name]:
		return true
	case anyArgsNoGlob()[name]:
		return !slices.ContainsFunc(args, word.isGlob)
	}
	if check, ok := special[name]; ok {
		return check(args)
	}
	return knownFlags(name, args)
}

// known reports whether a command of this name may need no rule, or begins a larger one.
func known(name string) bool {
	if bareCommands()[name] || anyArgs()[name] || anyArgsNoGlob()[name] || special[name] != nil || flagTable()[aka(name)] != nil {
		return true
	}
	switch name {
	case "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "for", "case", "esac", "select", "function", "in", "time",
		"timeout", "command", "builtin", "nohup", "nice", "stdbuf", "env", "test":
		return true
	}
	return false
}

func (w word) isGlob() bool { return w.glob || w.bare }

// isOthersHome reports ~ with a name, quoted or not.
func (w word) isOthersHome() bool {
	return strings.HasPrefix(w.val, "~") && w.val != "~" && !strings.HasPrefix(w.val, "~/")
}

// launchedReadOnly strips what may stand before a command of the table, and reports whether timeout
// was among it. noglob counts only at the very start.
func launchedReadOnly(words []word, assigned bool) (rest []word, timed bool) {
	for len(words) > 1 {
		if next, ok := modified(words); ok && !((timed || assigned) && words[0].val == "noglob") {
			words = next
			continue
		}
		if words[0].val != "timeout" || len(words) < 3 || !isDuration(words[1].val) || words[2].val == "[" {
			break
		}
		words, timed = words[2:], true
	}
	return words, timed
}

var bareCommands = fields(`pwd whoami history arch`)

// special has the commands whose arguments are more than flags and names.
var special map[string]func([]word) bool

func init() {
	special = map[string]func([]word) bool{
		"cd":       func(args []word) bool { return len(args) == 0 || len(args) == 1 && !isFlag(args[0].val) },
		"[":        readOnlyBracket,
		"test":     readOnlyTestCommand,
		"sed":      readOnlySed,
		"jq":       readOnlyJq,
		"xargs":    readOnlyXargs,
		"git":      readOnlyGit,
		"docker":   readOnlyDocker,
		"uniq":     readOnlyUniq,
		"printf":   readOnlyPrintf,
		"history":  func(args []word) bool { return len(args) == 1 && isNumber(args[0].val) },
		"arch":     func(args []word) bool { return one(args, "--help", "-h") },
		"ifconfig": readOnlyIfconfig,
		"node":     func(args []word) bool { return one(args, "-v", "--version") },
		"python":   func(args []word) bool { return one(args, "--version") },
		"python3":  func(args []word) bool { return one(args, "--version") },
		"claude":   func(args []word) bool { return one(args, "-h", "--help") },
	}
}

func one(args []word, want ...string) bool {
	return len(args) == 1 && slices.Contains(want, args[0].val)
}

// expands reports an argument that a flag table does not take: it might be expanded.
func expands(w word) bool {
	v := w.val
	return strings.Contains(v, "$") || w.nested() ||
		strings.Contains(v, "{") && (strings.Contains(v, ",") || strings.Contains(v, ".."))
}

// globs says which commands of the flag tables may have patterns outside of quotes.
var globs = fields(`grep egrep fgrep md5sum sha1sum sha256sum`)

// knownFlags judges a command by its line in flags.txt.
func knownFlags(name string, args []word) bool {
	flags, ok := flagTable()[aka(name)]
	if !ok {
		return false
	}
	if !globs()[name] && slices.ContainsFunc(args, word.isGlob) || slices.ContainsFunc(args, expands) {
		return false
	}
	names, used, ok := parseFlags(name, flags, args)
	if !ok {
		return false
	}
	if strings.HasPrefix(name, "git ") {
		return goodFormat(used) && gitOperands(name, names, args)
	}
	if check := operands[name]; check != nil {
		return check(names, used, args)
	}
	return true
}

// aka returns the name under which a command has its line in flags.txt.
func aka(name string) string {
	switch name {
	case "egrep", "fgrep":
		return "grep"
	case "fdfind":
		return "fd"
	}
	return name
}

// parseFlags walks over arguments. It returns the operands and the flags with their values, and
// false for a flag or a value that the table does not have.
func parseFlags(name string, flags map[string]byte, args []word) (names []string, used map[string]string, ok bool) {
	used = map[string]string{}
	for i := 0; i < len(args); i++ {
		v := args[i].val
		if v == "--" {
			for _, w := range args[i+1:] {
				names = append(names, w.val)
			}
			return names, used, true
		}
		if !isFlag(v) {
			names = append(names, v)
			continue
		}
		flag, value, inline := strings.Cut(v, "=")
		kind, known := flags[flag]
		if !known {
			if !shorthand(name, flags, flag) || inline {
				return nil, nil, false
			}
			used[flag] = ""
			continue
		}
		if kind == ' ' {
			if inline {
				return nil, nil, false
			}
			used[flag] = ""
			continue
		}
		if !inline {
			i++
			if i >= len(args) {
				return nil, nil, false
			}
			value = args[i].val
			if isFlag(value) {
				return nil, nil, false
			}
		} else if strings.HasPrefix(value, "-") && !(flag == "--sort" && strings.HasPrefix(name, "git ")) {
			return nil, nil, false
		}
		if kind == '#' && !isNumber(value) || kind == '!' && len([]rune(value)) != 1 {
			return nil, nil, false
		}
		used[flag] = value
	}
	return names, used, true
}

func isFlag(s string) bool {
	return len(s) > 1 && s[0] == '-'
}

// shorthand reads -5 of git, -A3 of grep, and several letters behind one dash.
func shorthand(name string, flags map[string]byte, flag string) bool {
	if strings.HasPrefix(flag, "--") || len(flag) < 2 {
		return false
	}
	switch {
	case strings.HasPrefix(name, "git ") && isNumber(flag[1:]):
		return true
	case (name == "grep" || name == "rg") && isNumber(flag[2:]) && (flags[flag[:2]] == '#' || flags[flag[:2]] == '='):
		return true
	}
	for _, c := range flag[1:] {
		if flags["-"+string(c)] != ' ' {
			return false
		}
	}
	return len(flag) > 2
}
