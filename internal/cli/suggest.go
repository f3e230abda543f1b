package cli

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/words"
)

// borrowed returns the commands that names from other programs stand for, by parent command. It is
// a function because a map of this size would slow every start.
func borrowed() map[string]map[string]string {
	return map[string]map[string]string{
		"skillhand": {
			"lint": "check", "validate": "check", "verify": "check", "fix": "check --fix", "fmt": "check --fix", "format": "check --fix",
			"rules": "check --explain", "rule": "check --explain",
			"eval": "try", "evals": "try", "evaluate": "try", "benchmark": "try", "bench": "try",
			"new": "init", "create": "init", "scaffold": "init", "add": "init", "generate": "init",
			"render": "load", "show": "load", "cat": "load", "view": "load", "print": "load", "get": "load", "read": "load", "preview": "page",
			"open": "page", "ui": "page", "web": "page", "dashboard": "page",
			"ls": "list", "skills": "list", "find": "list", "search": "list",
			"exec": "run", "execute": "run", "start": "run", "prompt": "ask", "chat": "ask", "query": "ask", "claude": "ask",
			"install": "help install", "setup": "help install", "update": "upgrade", "self-update": "upgrade", "remove": "uninstall",
			"rm": "uninstall", "delete": "uninstall",
			"config": "doctor", "settings": "doctor", "info": "doctor", "diagnose": "doctor", "env": "help environment",
			"environment": "help environment",
			"status":      "history status", "retro": "history retro", "explain": "check --explain",
			"exit-codes": "help exit-codes", "log": "history", "logs": "history", "stats": "usage", "cost": "usage", "costs": "usage",
			"permission": "may", "permissions": "may", "permit": "may", "can": "may",
			"allow": "trust", "untrust": "trust --revoke", "serve": "mcp", "jobs": "batch", "queue": "batch", "retry": "batch retry",
			"cancel": "batch cancel", "convert": "migrate",
			"golden": "test", "report": "emit",
		},
		"skillhand batch": {
			"start": "run", "resume": "run", "go": "run", "exec": "run", "submit": "add", "enqueue": "add", "worker": "work", "status": "show",
			"logs": "show", "log": "show", "results": "show", "get": "show",
			"ls": "list", "remove": "rm", "delete": "rm", "stop": "cancel", "kill": "cancel", "rerun": "retry", "check": "run --dry-run",
			"validate": "run --dry-run",
		},
		"skillhand init": {"job": "batch", "jobs": "batch", "command": "skill"},
	}
}

// borrowedFlag returns advice about a flag that other programs have and this command lacks, or "".
func borrowedFlag(path, name string) string {
	const noRules = ": rules are switched off in .skillhand.yaml, as in check: {rules: {SK308: off}}"
	said := map[string]map[string]string{
		"skillhand ask": {
			"p":             ": the prompt is an argument, as in skillhand ask 'Say hello'",
			"print":         ": the prompt is an argument, as in skillhand ask 'Say hello'",
			"output-format": "--json or --events",
		},
		"skillhand check": {
			"quiet": "--severity error", "errors-only": "--severity error", "level": "--severity error", "min-severity": "--severity error",
			"only": noRules, "rule": noRules, "rules": noRules, "select": noRules, "ignore": noRules, "disable": noRules, "diff": "--dry-run",
		},
		"skillhand load":       {"agent": "--reader"},
		"skillhand init skill": {"plain": ": a new skill is plain without it; --launcher makes one that calls skillhand load"},
		"skillhand history":    {"here": ": this project is the default"},
		"skillhand try":        {"results": "--output", "concurrency": "--jobs", "parallel": "--jobs"},
		"skillhand batch run":  {"concurrency": "--jobs", "parallel": "--jobs", "workers": "--jobs"},
		"skillhand batch work": {"concurrency": "--jobs", "parallel": "--jobs", "workers": "--jobs"},
		"skillhand batch show": {"export": "--format"},
		"skillhand page":       {"export": "--output"},
		"skillhand mcp":        {"print": "--dry-run"},
	}[path][name]
	if strings.HasPrefix(said, "--") {
		return ", did you mean " + said + "?"
	}
	return said
}

// DidYouMean returns the end of a message about a mistyped name: names that may have been meant, or
// "".
func DidYouMean(typed string, names []string) string {
	if near := suggest(typed, names); len(near) > 0 && len(near) <= 3 { // a longer list would not help
		return ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// unknown returns the error for a word that names no command below cmd.
func unknown(cmd *cobra.Command, word string) error {
	text := fmt.Sprintf("unknown command %q", word)
	near := Meant(cmd, word)
	if info, err := os.Stat(word); err == nil && len(near) == 0 {
		near = forFile(cmd.CommandPath(), word, info.IsDir())
	}
	if len(near) > 0 {
		text += ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return Usagef("%s\nsee %s --help", text, cmd.CommandPath())
}

// forFile returns the command that was probably meant if a file or folder is where a command should
// be.
func forFile(path, file string, folder bool) []string {
	switch {
	case path == "skillhand":
		return []string{"skillhand check " + words.Quote(file)}
	case path == "skillhand batch" && !folder:
		return []string{"skillhand batch run " + words.Quote(file)}
	}
	return nil
}

// NoCommand refuses arguments of a command with subcommands: an argument is a mistyped subcommand.
func NoCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if hint := meantValue(cmd, args[0]); hint != "" && len(Meant(cmd, args[0])) == 0 {
		return Usagef("unknown command %q%s\nsee %s --help", args[0], hint, cmd.CommandPath())
	}
	return unknown(cmd, args[0])
}

// Meant lists the commands that a word may stand for. A word of another program stands for one
// command; a mistyped word stands for those within a few keystrokes.
func Meant(cmd *cobra.Command, word string) []string {
	path := cmd.CommandPath()
	if ours, ok := borrowed()[path][strings.ToLower(word)]; ok {
		return []string{path + " " + ours}
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	near := suggest(word, names)
	if len(near) == 0 && len(word) > 3 {
		others := slices.DeleteFunc(slices.Sorted(maps.Keys(borrowed()[path])), func(other string) bool { return len(other) < 4 })
		close := suggest(word, others)
		for _, other := range close {
			if words.Distance(word, other) == words.Distance(word, close[0]) {
				near = append(near, borrowed()[path][other])
			}
		}
		slices.Sort(near)
		near = slices.Compact(near)
	}
	for i := range near {
		near[i] = path + " " + near[i]
	}
	return near
}
