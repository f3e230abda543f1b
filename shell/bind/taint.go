package bind

import (
	"path"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// A taint follows values through a line.
type taint struct {
	line   Line
	p      *Program
	prefix string
	any    bool            // the line has a value that came from outside
	vars   map[string]bool // shell variables that may hold one
	ints   map[string]bool // shell variables whose assignments are arithmetic
	files  map[string]bool // files that the line writes one into
	funcs  map[string]*syntax.FuncDecl
	speaks map[string]bool           // functions whose output may hold one
	fed    map[*syntax.CmdSubst]bool // substitutions whose input may hold one
	fault  error
}

// positional stands for $1, $@ and their kind in vars.
const positional = "@"

func newTaint(l Line, p *Program, prefix string) *taint {
	t := &taint{
		line: l, p: p, prefix: prefix,
		vars: map[string]bool{}, ints: map[string]bool{}, files: map[string]bool{},
		funcs: map[string]*syntax.FuncDecl{}, speaks: map[string]bool{}, fed: map[*syntax.CmdSubst]bool{},
	}
	t.any = slices.ContainsFunc(p.Vars, func(v Variable) bool { return !v.place })
	walk(p.file, func(path []syntax.Node) {
		if f, ok := path[len(path)-1].(*syntax.FuncDecl); ok && f.Name != nil {
			t.funcs[f.Name.Value] = f
		}
	})
	// What values reach is found in rounds, until a round finds nothing new.
	for before := -1; before != t.known(); {
		before = t.known()
		walk(p.file, t.spread)
	}
	return t
}

func (t *taint) known() int {
	return len(t.vars) + len(t.ints) + len(t.files) + len(t.speaks) + len(t.fed)
}

// spread notes what the node at the path's end passes on.
func (t *taint) spread(path []syntax.Node) {
	switch n := path[len(path)-1].(type) {
	case *syntax.Assign:
		if n.Name != nil && (n.Value != nil && t.holds(n.Value) || n.Array != nil && t.holds(n.Array)) {
			t.vars[n.Name.Value] = true
		}
	case *syntax.ParamExp: // ${x:=value}
		if n.Exp != nil && n.Param != nil && n.Exp.Word != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && t.holds(n.Exp.Word) {
			t.vars[n.Param.Value] = true
		}
	case *syntax.WordIter:
		over := len(n.Items) == 0 && t.vars[positional] // for x; do
		if over || slices.ContainsFunc(n.Items, func(w *syntax.Word) bool { return t.holds(w) }) {
			t.vars[n.Name.Value] = true
		}
	case *syntax.DeclClause:
		for _, a := range n.Args {
			if a.Name != nil && declares(n, "i") {
				t.ints[a.Name.Value] = true
			}
		}
	case *syntax.FuncDecl:
		if n.Name != nil && t.holds(n.Body) {
			t.speaks[n.Name.Value] = true
		}
	case *syntax.CmdSubst:
		if t.input(path) {
			t.fed[n] = true
		}
	case *syntax.Stmt:
		for _, r := range n.Redirs {
			if writes(r.Op) && r.Word != nil && n.Cmd != nil && (t.holds(n.Cmd) || t.redirected(n)) {
				t.files[t.place(r.Word)] = true
			}
		}
	case *syntax.CallExpr:
		t.spreadCall(n, path)
	}
}

// spreadCall notes what a simple command passes on.
func (t *taint) spreadCall(n *syntax.CallExpr, path []syntax.Node) {
	name, args := effective(n)
	switch {
	case name == "read" || name == "mapfile" || name == "readarray":
		if t.input(path) {
			for _, w := range args {
				t.vars[literal(w)] = true
			}
			t.vars["REPLY"], t.vars["MAPFILE"] = true, true
		}
	case name == "getopts" && t.vars[positional]:
		t.vars["OPTARG"] = true
	case name == "printf" && len(args) > 1 && literal(args[0]) == "-v":
		if slices.ContainsFunc(args[2:], func(w *syntax.Word) bool { return t.holds(w) }) {
			t.vars[literal(args[1])] = true
		}
	case name == "tee" && t.input(path):
		for _, w := range args {
			t.files[t.place(w)] = true
		}
	case name == "set" || t.funcs[name] != nil:
		if slices.ContainsFunc(args, func(w *syntax.Word) bool { return t.holds(w) }) {
			t.vars[positional] = true
		}
	}
}

// effective returns the command that a call runs, without command and builtin before it.
func effective(n *syntax.CallExpr) (name string, args []*syntax.Word) {
	args = n.Args
	for len(args) > 0 {
		name, args = commandName(args[0]), args[1:]
		if name != "command" && name != "builtin" {
			return name, args
		}
		for len(args) > 0 && literal(args[0]) == "-p" {
			args = args[1:]
		}
	}
	return name, args
}

// holds reports whether a value from outside can be part of what n expands to, or prints.
func (t *taint) holds(n syntax.Node) bool {
	return t.finds(n, func(v Variable) bool { return !v.place })
}

// unclean reports whether n holds data that a second reading could take for
// code: a value from outside, or a path of ours with odd characters in it.
func (t *taint) unclean(n syntax.Node) bool {
	return t.finds(n, func(v Variable) bool { return !v.place || !plainText(v.Data) })
}

func (t *taint) finds(n syntax.Node, bad func(Variable) bool) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Param == nil || n.Length { // a length is a number
				break
			}
			if i, ours := t.p.index(n.Param.Value); ours {
				found = found || bad(t.p.Vars[i])
			} else {
				found = found || t.vars[variableName(n.Param.Value)]
			}
		case *syntax.CmdSubst:
			found = found || t.fed[n]
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				name, args := effective(n)
				found = found || t.speaks[name] || slices.ContainsFunc(args, func(w *syntax.Word) bool { return t.files[t.place(w)] })
			}
		}
		if text, ok := rawText(n); ok {
			for _, m := range t.p.marks(text, t.prefix) {
				found = found || bad(t.p.Vars[m.i])
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

// input reports whether what a command at the path's end reads can hold a value.
func (t *taint) input(path []syntax.Node) bool {
	for k := len(path) - 1; k >= 0; k-- {
		switch n := path[k].(type) {
		case *syntax.Stmt:
			if fed, bad := t.reads(n); fed {
				return bad
			}
		case *syntax.BinaryCmd:
			if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && k+1 < len(path) && path[k+1] == n.Y {
				return t.unclean(n.X)
			}
		case *syntax.FuncDecl:
			return t.any // it reads what its callers read
		}
	}
	return false
}

// reads reports whether a statement's redirections give it an input, and whether that can hold a value.
func (t *taint) reads(n *syntax.Stmt) (fed, bad bool) {
	for _, r := range n.Redirs {
		switch r.Op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			fed = true
			bad = bad || r.Hdoc != nil && t.unclean(r.Hdoc) || r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc && r.Word != nil && (t.unclean(r.Word) || t.files[t.place(r.Word)])
		}
	}
	return fed, bad
}

func (t *taint) redirected(n *syntax.Stmt) bool {
	_, bad := t.reads(n)
	return bad
}

func writes(op syntax.RedirOperator) bool {
	switch op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		return true
	}
	return false
}

// place names the file that a word names: by its text, or as it is written.
func (t *taint) place(w *syntax.Word) string {
	if text := literal(w); text != "" {
		return path.Clean(text)
	}
	return t.p.Text[w.Pos().Offset():w.End().Offset()]
}

// splits reports whether a word can become several: it has a value outside quotes.
func (t *taint) splits(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.ParamExp:
			if i, ours := t.p.index(part.Param.Value); ours {
				if v := t.p.Vars[i]; !v.place && len(splitData(v.Data, false, false)) > 1 {
					return true
				}
			} else if t.holds(part) {
				return true
			}
		case *syntax.CmdSubst:
			if t.holds(part) {
				return true
			}
		}
	}
	return false
}

// values returns what a word can begin with, if it begins with a value: the
// words of that value. known is false if that cannot be told.
func (t *taint) values(w *syntax.Word) (words []string, known bool) {
	part := w.Parts[0]
	quoted := false
	switch q := part.(type) {
	case *syntax.DblQuoted:
		if len(q.Parts) == 0 {
			return nil, true
		}
		part, quoted = q.Parts[0], true
	case *syntax.SglQuoted:
		if marks := t.p.marks(q.Value, t.prefix); len(marks) > 0 && marks[0].from == 0 {
			return []string{t.p.Vars[marks[0].i].Data}, true
		}
	}
	if leading(w) != "" {
		return nil, true
	}
	exp, ok := part.(*syntax.ParamExp)
	if !ok {
		return nil, !t.holds(w)
	}
	i, ours := t.p.index(exp.Param.Value)
	if !ours {
		return nil, !t.holds(w)
	}
	if v := t.p.Vars[i]; quoted || v.place {
		return []string{v.Data}, true
	} else if v.Data != "" {
		return splitData(v.Data, false, false), true
	}
	return nil, true
}

// dashes reports whether a word can be an option, or become one.
func (t *taint) dashes(w *syntax.Word) bool {
	if !t.holds(w) {
		return false
	}
	words, known := t.values(w)
	if !known {
		return true
	}
	return slices.ContainsFunc(words, func(s string) bool { return strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") })
}

// begins reports whether a word holds a value one of whose words begins with one of the prefixes.
func (t *taint) begins(w *syntax.Word, prefixes ...string) bool {
	if !t.holds(w) {
		return false
	}
	words, _ := t.values(w)
	return slices.ContainsFunc(words, func(s string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
	})
}

// literal returns the text of a word that is nothing but text, quoted or not, else "".
func literal(w *syntax.Word) string { return words.Lit(w) }

// leading returns the text with which a word begins, before any expansion.
func leading(w *syntax.Word) string {
	pieces := words.Pieces(w)
	if len(pieces) == 0 || pieces[0].Node != nil {
		return ""
	}
	before, _, _ := strings.Cut(pieces[0].Text, "${__skillhand_")
	return before
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

// declares reports whether a declaration has one of the one-letter flags.
func declares(n *syntax.DeclClause, flags string) bool {
	return slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool {
		if !a.Naked || a.Value == nil {
			return false
		}
		flag := literal(a.Value)
		return strings.HasPrefix(flag, "-") && strings.ContainsAny(flag, flags)
	})
}
