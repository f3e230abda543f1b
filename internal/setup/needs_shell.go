package setup

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
)

// builtins are commands of bash itself, and words that only end a test.
var builtins = strings.Fields(`: . [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable
	eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly
	return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait`)

// settled are variables that every session has, or that a shell sets itself.
var settled = strings.Fields(`BASHPID COLUMNS DIRSTACK EDITOR EPOCHSECONDS EUID FUNCNAME GROUPS HOME HOSTNAME HOSTTYPE IFS LANG LINENO LINES LOGNAME
	MACHTYPE OLDPWD OPTARG OPTERR OPTIND OSTYPE PAGER PATH PIPESTATUS PPID PWD RANDOM REPLY SECONDS SHELL SHLVL TERM TMPDIR UID USER ARGUMENTS`)

// A program holds the state of reading one shell program.
type shellText struct {
	scan      *needScan
	use       Use
	functions map[string]bool
	assigned  map[string]bool
	tested    map[string]bool // programs that the text looks for before it calls them
	demanded  map[string]bool // those of them that the text cannot do without
	variables bool            // variables of the text come from the environment
}

// shell reads a shell program, and reports whether the text is one.
func (s *needScan) shell(text string, use Use, variables bool) bool {
	file, err := words.Parse(text)
	if err != nil {
		return false
	}
	t := &shellText{s, use, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, variables}
	t.read(file)
	return true
}

func (t *shellText) read(file *syntax.File) {
	syntax.Walk(file, t.declare)
	syntax.Walk(file, t.node)
}

// nested reads code inside a word of a command. That code can call the functions of the text.
func (t *shellText) nested(code string, use Use) {
	if file, err := words.Parse(code); err == nil {
		inner := *t
		inner.use, inner.variables = use, false
		inner.read(file)
	}
}

// declare notes what the text itself defines, and the programs that it looks for.
func (t *shellText) declare(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.FuncDecl:
		if n.Name != nil {
			t.functions[n.Name.Value] = true
		}
	case *syntax.Assign:
		if n.Name != nil {
			t.assigned[n.Name.Value] = true
		}
	case *syntax.WordIter:
		t.assigned[n.Name.Value] = true
	case *syntax.CallExpr:
		list := literals(n.Args)
		if len(list) > 1 && slices.Contains([]string{"read", "mapfile", "readarray", "getopts", "printf", "alias", "unset"}, list[0]) {
			for _, w := range list[1:] {
				name, _, _ := strings.Cut(w, "=")
				t.assigned[name] = true
				t.functions[name] = t.functions[name] || list[0] == "alias"
			}
		}
	case *syntax.IfClause:
		for _, name := range lookedFor(n.Cond...) {
			t.tested[name] = true
			t.demanded[name] = t.demanded[name] || ends(n.Then...) || n.Else != nil && ends(n.Else.Then...)
		}
	case *syntax.BinaryCmd:
		if n.Op != syntax.AndStmt && n.Op != syntax.OrStmt {
			return true
		}
		for _, name := range lookedFor(n.X) {
			t.tested[name] = true
			t.demanded[name] = t.demanded[name] || n.Op == syntax.OrStmt && ends(n.Y)
		}
	}
	return true
}

// lookedFor returns the programs that a condition looks for, as in command -v jq.
func lookedFor(cond ...*syntax.Stmt) (names []string) {
	for _, st := range cond {
		syntax.Walk(st, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok {
				names = append(names, sought(literals(call.Args))...)
			}
			return true
		})
	}
	return names
}

// sought returns the programs that a command looks for.
func sought(list []string) []string {
	if len(list) > 1 && (list[0] == "command" && (list[1] == "-v" || list[1] == "-V") ||
		list[0] == "which" || list[0] == "type" || list[0] == "hash") {
		return slices.DeleteFunc(slices.Clone(list[1:]), func(w string) bool { return w == "" || w[0] == '-' })
	}
	return nil
}

// ends reports whether statements end the program.
func ends(list ...*syntax.Stmt) bool {
	found := false
	for _, st := range list {
		syntax.Walk(st, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				name := words.Lit(call.Args[0])
				zero := len(call.Args) > 1 && words.Lit(call.Args[1]) == "0"
				found = found || !zero && slices.Contains([]string{"exit", "return", "die", "fail", "fatal", "error"}, name)
			}
			return !found
		})
	}
	return found
}

func literals(list []*syntax.Word) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = words.Lit(w)
	}
	return out
}

func (t *shellText) node(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.CallExpr:
		if list := literals(n.Args); len(list) > 0 {
			t.call(list, t.at(n))
		}
		for _, w := range n.Args {
			t.hosts(w)
		}
	case *syntax.ParamExp:
		t.variable(n)
	}
	return true
}

// at returns the position of a node in the text.
func (t *shellText) at(n syntax.Node) Use {
	use := t.use
	use.Line += int(n.Pos().Line()) - 1
	return use
}

// call notes the program that a command runs, and the programs that this one runs in turn.
func (t *shellText) call(list []string, use Use) {
	for len(list) > 0 {
		name := list[0]
		if strings.HasPrefix(name, "/") && !strings.Contains(name, "$") {
			name = path.Base(name) // /usr/bin/env jq
		} else {
			t.program(name, use)
		}
		list = t.inner(name, list[1:], use)
	}
}

func (t *shellText) program(name string, use Use) {
	if !programName.Get().MatchString(name) || slices.Contains(builtins, name) || t.functions[name] {
		return
	}
	use.Optional = t.tested[name] && !t.demanded[name]
	t.scan.programs.add(name, use)
}

// inner returns the command that a program runs for its caller, without the program's own options.
func (t *shellText) inner(name string, list []string, use Use) []string {
	valued := "" // options that take a value
	switch name {
	case "command", "hash", "type", "which":
		if sought(append([]string{name}, list...)) != nil || name != "command" {
			return nil
		}
	case "exec", "builtin", "nohup", "time", "setsid", "noglob":
	case "sudo", "doas":
		valued = "ugpC"
	case "nice":
		valued = "n"
	case "xargs":
		valued = "IndPLsaE"
	case "env":
		valued = "uC"
	case "timeout":
		valued = "ks"
	case "stdbuf":
		valued = "ioe"
	case "bash", "sh", "zsh", "dash", "eval", "trap":
		for i, w := range list {
			if name == "eval" || name == "trap" || strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") && i+1 < len(list) {
				if name != "eval" && name != "trap" {
					w = list[i+1]
				}
				t.nested(w, use)
				return nil
			}
		}
		return nil
	case "find":
		for i, w := range list {
			if w == "-exec" || w == "-execdir" || w == "-ok" {
				return list[i+1:]
			}
		}
		return nil
	default:
		return nil
	}
	for len(list) > 0 && (strings.HasPrefix(list[0], "-") || name == "env" && strings.Contains(list[0], "=")) {
		hasWord := len(list[0]) == 2 && strings.Contains(valued, list[0][1:])
		if list = list[1:]; hasWord && len(list) > 0 {
			list = list[1:]
		}
	}
	if name == "timeout" && len(list) > 0 {
		list = list[1:]
	}
	return list
}

// variable notes an environment variable that must be set.
func (t *shellText) variable(n *syntax.ParamExp) {
	if n.Param == nil || n.Length || n.Excl {
		return
	}
	name := n.Param.Value
	demands := n.Exp != nil && (n.Exp.Op == syntax.ErrorUnset || n.Exp.Op == syntax.ErrorUnsetOrNull)
	excused := n.Exp != nil && !demands && strings.ContainsAny(n.Exp.Op.String(), "-+=")
	switch {
	case !variableName.Get().MatchString(name), t.assigned[name], excused, slices.Contains(settled, name):
	case strings.HasPrefix(name, "CLAUDE_"), strings.HasPrefix(name, "BASH"), strings.HasPrefix(name, "XDG_"):
	case demands || t.variables:
		t.scan.variables.add(name, t.at(n))
	}
}

// hosts notes the hosts of the addresses in the words of a command.
func (t *shellText) hosts(w *syntax.Word) {
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			t.scan.host(n.Value, t.at(n))
		case *syntax.SglQuoted:
			t.scan.host(n.Value, t.at(n))
		case *syntax.CmdSubst:
			return false // visited separately
		}
		return true
	})
}
