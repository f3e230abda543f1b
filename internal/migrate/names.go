package migrate

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
)

// values holds the words to which the variables of a script are set, and the arguments with which
// its functions are called.
type values struct {
	words map[string][]*syntax.Word
	open  map[string]bool // the variables that may hold anything
	args  map[string][]*syntax.Word
	steps int // the steps that were taken to follow the current word
}

func newValues() values {
	return values{words: map[string][]*syntax.Word{}, open: map[string]bool{}, args: map[string][]*syntax.Word{}}
}

func (v *values) take(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Assign:
		switch {
		case n.Name == nil:
		case n.Array != nil:
			for _, e := range n.Array.Elems {
				if e.Value != nil {
					v.words[n.Name.Value] = append(v.words[n.Name.Value], e.Value)
				}
			}
		case n.Value != nil:
			v.words[n.Name.Value] = append(v.words[n.Name.Value], n.Value)
			v.open[n.Name.Value] = v.open[n.Name.Value] || n.Append
		}
	case *syntax.WordIter:
		v.words[n.Name.Value] = append(v.words[n.Name.Value], n.Items...)
		v.open[n.Name.Value] = v.open[n.Name.Value] || !n.InPos.IsValid() // for x: the arguments
	case *syntax.CallExpr:
		name := literal(first(n.Args))
		if name == "" {
			return
		}
		v.args[name] = append(v.args[name], n.Args[1:]...)
		switch name {
		case "read", "mapfile", "readarray", "getopts", "printf":
			for _, w := range n.Args[1:] {
				v.open[literal(w)] = true
			}
		}
	}
}

// isSwitch reports whether a script sets a variable only to true or false, or to such a word by
// default, as in VERBOSE=${VERBOSE:-false}. Used as a command, the variable is a condition.
func (v *values) isSwitch(name string) bool {
	set := v.words[name]
	return len(set) > 0 && !v.open[name] && !slices.ContainsFunc(set, func(w *syntax.Word) bool {
		if _, e := parameter(w); e != nil && e.Exp != nil && e.Exp.Op == syntax.DefaultUnsetOrNull {
			w = e.Exp.Word
		}
		word := literal(w)
		return word != "true" && word != "false" && word != ":"
	})
}

// maxNames and maxSteps limit how many names a word is followed to, and how far. A script may call
// a function hundreds of times, with arguments that must be followed too.
const (
	maxNames = 100
	maxSteps = 1000
)

// names lists what a word may stand for: names, or patterns with unknown in place of unknown parts.
// f is the function in whose body the word is, or nil.
func (v *values) names(w *syntax.Word, f *function, depth int) []string {
	if depth == 0 {
		v.steps = 0
	}
	all := []string{""}
	for _, p := range words.Pieces(w) {
		next := []string{p.Text}
		if p.Node != nil {
			next = v.expanded(p.Node, f, depth)
		}
		var joined []string
		for _, a := range all {
			for _, b := range next {
				joined = append(joined, a+b)
			}
		}
		if all = joined; len(all) > maxNames {
			return []string{unknown}
		}
	}
	return all
}

// expanded lists what an expansion may stand for.
func (v *values) expanded(n syntax.Node, f *function, depth int) (all []string) {
	if isOwnFolder(n) {
		return []string{own}
	}
	e, ok := n.(*syntax.ParamExp)
	if !ok || depth > 5 || e.Param == nil || e.Excl || e.Length || e.Exp != nil || e.Slice != nil || e.Repl != nil {
		return []string{unknown}
	}
	name := e.Param.Value
	set := v.words[name]
	if f != nil && strings.Trim(name, "123456789@*") == "" {
		set = v.args[f.name]
	}
	if len(set) == 0 || v.open[name] {
		return []string{unknown}
	}
	for _, w := range set {
		if v.steps++; v.steps > maxSteps || len(all) > maxNames {
			return []string{unknown}
		}
		all = append(all, v.names(w, f, depth+1)...)
	}
	return all
}

// isOwnFolder reports whether an expansion is the folder that contains the script, as in $(cd
// "$(dirname "$0")" && pwd).
func isOwnFolder(n syntax.Node) bool {
	if _, ok := n.(*syntax.CmdSubst); !ok {
		return false
	}
	self, folder, other := false, false, false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			switch literal(first(n.Args)) {
			case "dirname":
				folder = true
			case "cd":
				other = other || len(n.Args) != 2 || strings.Contains(tail(n.Args[1]), "..")
			case "pwd", "readlink", "realpath":
			default:
				other = true
			}
		case *syntax.ParamExp:
			self = self || n.Param != nil && (n.Param.Value == "0" || n.Param.Value == "BASH_SOURCE")
		}
		return true
	})
	return self && folder && !other
}

// wrappers are programs that run the command in their arguments. The values are their options that
// take a word; a digit is the number of words before the command.
var wrappers = map[string]string{
	"bash": "oO", "sh": "o", "dash": "o", "zsh": "o", "ksh": "o", "exec": "a", "command": "", "builtin": "", "env": "uCS", "timeout": "ks1",
	"sudo": "ugpChDRT", "time": "fo",
	"nice": "n", "nohup": "", "setsid": "", "stdbuf": "ioe", "xargs": "InPLdasE", "parallel": "jINnLd",
}

// isWrapper reports whether a program runs the command in its arguments.
func isWrapper(name string) bool { _, ok := wrappers[name]; return ok }

var notCommand = words.Regexp(`^(-.*|[A-Za-z_]\w*=.*|[0-9.]+[smhd]?)$`)

// computed notes all scripts that a command may be, if its name is not plain.
func (u *usage) computed(c *syntax.CallExpr, p flow) {
	args := c.Args
	if literal(args[0]) == "find" {
		i := slices.IndexFunc(args, func(w *syntax.Word) bool { return strings.HasPrefix(literal(w), "-exec") })
		if i < 0 {
			return
		}
		args = args[i+1:]
	}
	var wrapper string // the last wrapper
	operands := 0      // words of the wrapper's own that are still to come
	value := false     // the next word is the value of an option
	fed := false       // a pipe supplies the names
	for _, w := range args {
		name, plain := words.Literal(w)
		switch {
		case value:
			value = false
		case plain && strings.HasPrefix(name, "-"):
			if strings.HasSuffix(name, "c") && !fed {
				return // commandLine reads bash -c
			}
			value = len(name) == 2 && strings.Contains(wrappers[wrapper], name[1:])
		case operands > 0:
			operands--
		case !plain:
			u.mayBe(w, u.values.names(w, u.current, 0), p)
			return
		case isWrapper(name):
			wrapper = name
			fed = fed || name == "xargs" || name == "parallel"
			operands = strings.Count(wrappers[name], "1")
		case name == "{}":
			u.mayBe(w, []string{unknown}, p)
			return
		case !notCommand.Get().MatchString(name):
			return
		}
	}
	if fed && wrapper != "xargs" { // xargs without a command only prints the names
		u.mayBe(c, []string{unknown}, p)
	}
}

// quiet are commands that run nothing that they are given, or whose words are read elsewhere.
var quiet = []string{
	":", ".", "[", "alias", "basename", "bat", "cd", "chgrp", "chmod", "chown", "cmp", "code", "command", "diff", "dirname", "du", "echo",
	"eval", "exit", "export",
	"false", "file", "grep", "head", "hash", "less", "local", "ls", "md5sum", "mkdir", "more", "nano", "open", "pgrep", "pkill", "printf",
	"pushd", "readlink", "realpath", "return", "rm",
	"rmdir", "set", "sha256sum", "shellcheck", "shfmt", "shift", "source", "stat", "tail", "test", "touch", "trap", "true", "type", "unset",
	"vi", "vim", "wc", "which",
}

// given notes the scripts that a program is given: by a word of their own, as a command line, or in
// a variable of its environment. The program may run them and read their output.
func (u *usage) given(c *syntax.CallExpr, name string, p flow) {
	for _, a := range c.Assigns {
		u.handed(a.Value, p)
	}
	switch {
	// These are handled elsewhere.
	case u.functions[name] != nil, slices.Contains(quiet, name),
		isWrapper(name), slices.Contains(textTools, name) && name != "awk" && name != "cat" && name != "sed":
	case (name == "cat" || name == "sed") && !p.used: // no copy is made
	case name == "git" && slices.Contains([]string{"add", "commit", "diff", "log", "mv", "rm", "show", "status"}, literal(second(c.Args))):
	default:
		for _, w := range c.Args[1:] {
			u.handed(w, p)
		}
	}
}

// handed notes a word that a program may run.
func (u *usage) handed(w *syntax.Word, p flow) {
	if w == nil {
		return
	}
	for _, text := range u.values.names(w, u.current, 0) {
		if strings.ContainsAny(text, "/.") && !strings.Contains(text, "://") {
			if strings.HasPrefix(text, "-") { // --preview=./x.sh
				_, text, _ = strings.Cut(text, "=")
			}
			from := len(u.calls)
			u.within(strings.TrimPrefix(text, "!"), int(w.Pos().Line()), p.consumed())
			for i := range u.calls[from:] {
				u.calls[from+i].may = true
				u.calls[from+i].open = *u.lines > maxLines // an unknown name is no reason to doubt all programs
			}
		}
	}
}

// readsAll reports whether a command reads all of its input, as a filter or a hook does. A command
// that reads one line may ask a question.
func readsAll(st *syntax.Stmt, c *syntax.CallExpr, name string) bool {
	operands := slices.DeleteFunc(slices.Clone(c.Args[1:]), func(w *syntax.Word) bool {
		word := literal(w)
		return word == "-" || word == "/dev/stdin" || strings.HasPrefix(word, "-") && word != ""
	})
	switch name {
	case "cat", "mapfile", "readarray":
		return len(operands) == 0 || name != "cat"
	case "jq":
		return len(operands) <= 1 && !slices.ContainsFunc(c.Args,
			func(w *syntax.Word) bool { return literal(w) == "-n" || literal(w) == "--null-input" })
	case "read":
		return slices.ContainsFunc(c.Args, func(w *syntax.Word) bool {
			return strings.HasPrefix(literal(w), "-") && strings.HasSuffix(literal(w), "d")
		})
	case "python", "python3", "node":
		return strings.Contains(readAll(c.Args[1:]).text+read1(hereDocument(st)).text, "stdin")
	}
	return false
}

func (u *usage) mayBe(n syntax.Node, names []string, p flow) {
	for _, name := range names {
		u.calls = append(u.calls, mention{line: int(n.Pos().Line()), text: name, flow: p,
			open: strings.ContainsAny(name, unknown+own+"*?["), log: u.log})
	}
}

// like lists the scripts whose path ends as pattern says. unknown in the pattern matches anything.
func (t *tree) like(pattern string) (scripts []string) {
	if known, ok := t.likes[pattern]; ok {
		return known
	}
	defer func() { t.likes[pattern] = scripts }()
	for strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../") {
		_, pattern, _ = strings.Cut(pattern, "/")
	}
	var b strings.Builder
	for _, r := range pattern {
		switch string(r) {
		case unknown, own:
			b.WriteString(".*")
		case "*":
			b.WriteString("[^/]*")
		case "?", "[", "]":
			b.WriteString("[^/]?")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	ends, err := regexp.Compile("(?s)/" + strings.TrimPrefix(b.String(), "/") + "$")
	for p := range t.files {
		if (err != nil || ends.MatchString("/"+p)) && t.isScript(p) && path.Base(p) != ReportFile {
			scripts = append(scripts, p)
		}
	}
	return scripts
}
