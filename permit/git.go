package permit

import (
	"slices"
	"strings"
)

// readOnlyGit judges git by its subcommand, each of which has its line in flags.txt.
func readOnlyGit(args []word) bool {
	if len(args) == 0 {
		return false
	}
	name, rest := "git "+args[0].val, args[1:]
	switch args[0].val {
	case "stash", "worktree", "config":
		if len(rest) == 0 {
			return false
		}
		name += " " + rest[0].val
		rest = rest[1:]
	}
	return knownFlags(name, rest)
}

var changesReflog = fields(`expire delete exists drop write`)

// gitOperands checks what remains of a git command beside its flags.
func gitOperands(sub string, names []string, args []word) bool {
	switch sub {
	case "git branch": // a name alone would make a branch
		return (len(names) == 0 || listsFirst(sub, args, "--list", "-l", "--merged", "--no-merged")) &&
			!slices.ContainsFunc(args, func(w word) bool { return w.val == "--abbrev" })
	case "git tag":
		return len(names) == 0 || listsFirst(sub, args, "--list", "-l")
	case "git reflog":
		return len(names) == 0 || names[0] == "show" || names[0] == "list" || isFlag(args[0].val) && !changesReflog()[names[0]]
	case "git ls-remote": // a name may be any address, and so may the word after --sort
		return len(names) == 0 && !slices.ContainsFunc(args, func(w word) bool { return w.val == "--sort" })
	case "git remote":
		return len(names) == 0 && !slices.ContainsFunc(args, func(w word) bool { return isNumber(w.val[1:]) })
	}
	return true
}

// listsFirst reports whether one of the flags that list stands before any name.
func listsFirst(sub string, args []word, flags ...string) bool {
	for i, w := range args {
		flag, _, inline := strings.Cut(w.val, "=")
		switch {
		case slices.Contains(flags, flag):
			return true
		case !isFlag(w.val) && (i == 0 || inline || flagTable()[sub][args[i-1].val] <= ' '):
			return false
		}
	}
	return false
}

func has(used map[string]string, flags ...string) bool {
	return slices.ContainsFunc(flags, func(f string) bool { _, ok := used[f]; return ok })
}

// goodFormat reports whether --format and --pretty are spelled out: a name might be an alias of
// the repository's own.
func goodFormat(used map[string]string) bool {
	for _, flag := range []string{"--format", "--pretty"} {
		v, ok := used[flag]
		if !ok || v == "" || strings.Contains(v, "%") || strings.HasPrefix(v, "format:") || strings.HasPrefix(v, "tformat:") {
			continue
		}
		switch v {
		case "oneline", "short", "medium", "full", "fuller", "email", "raw":
		default:
			return false
		}
	}
	return true
}
