package bind

import (
	"path"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// A scope is code that is judged: the line, or code for a shell that stands in it.
//
// It knows which of its variables cannot hold a value. That is the only way in
// which data is followed, and it errs to one side: what is not seen to be closed is open.
type scope struct {
	*judge
	depth      int
	set        map[string]int            // how often each variable is set
	numerals   map[string]bool           // variables that are set to a number
	texty      map[string]bool           // and to something else
	texts      map[string][]string       // the plain texts that it is set to
	sources    map[string][]*syntax.Word // all that it is set to
	open       map[string]bool           // variables that may hold a value
	positional bool                      // so may $1, $@ and their kind
	fed        bool                      // so may the input of the whole code
	reached    answers
	varied     answers
	changed    change // what variables may hold of what was put into them
}

// uses lists the variables that a node depends on, and whether it has a value in it.
type uses struct {
	vars  []string
	dirty bool
}

func (s *scope) uses(n syntax.Node) uses {
	var u uses
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Param == nil {
				u.dirty = true
				return true
			}
			name := n.Param.Value
			_, ours := s.index(name)
			switch {
			case n.Length && !ours, strings.Contains("?#$!-", name) && words.Plain(n):
			case ours, n.Excl && n.Names == 0 && n.Index == nil:
				u.dirty = true
			case isPositional(name):
				u.dirty = u.dirty || s.positional
			case s.deeds.anyVar:
				u.dirty = true
			case s.deeds.moves && (name == "PWD" || name == "OLDPWD" || name == "DIRSTACK"):
				u.dirty = true
			case name == "REPLY" || name == "MAPFILE" || name == "BASH_REMATCH" || name == "_" || name == "OPTARG" || name == "COPROC" || strings.HasPrefix(name, "BASH_ARG"):
				u.dirty = true
			default:
				u.vars = append(u.vars, name)
			}
		case *syntax.CmdSubst:
			if len(n.Stmts) == 1 && counts(n.Stmts[0]) {
				return false
			}
			u.dirty = u.dirty || s.fed || s.deeds.opened || s.inputs[n]
		case *syntax.ProcSubst:
			u.dirty = u.dirty || s.fed || s.deeds.opened || s.inputs[n]
		case *syntax.SglQuoted:
			u.dirty = u.dirty || len(s.marks(n.Value)) > 0
		case *syntax.Lit:
			u.dirty = u.dirty || len(s.marks(n.Value)) > 0 || ofProcess().MatchString(n.Value) || s.deeds.names && strings.ContainsAny(n.Value, "*?[")
		case *syntax.DeclClause:
			u.dirty = u.dirty || len(n.Args) == 0 || declares(n, "p") // it shows variables
		case *syntax.Redirect:
			u.dirty = u.dirty || n.Op == syntax.RdrIn && s.reads(words.Lit(n.Word))
		case *syntax.CallExpr:
			// These show variables without naming them as such.
			if len(n.Args) > 0 {
				switch name := path.Base(words.Lit(n.Args[0])); name {
				case "printenv", "env", "set", "declare", "export", "typeset", "compgen", "trap", "alias", "history", "fc":
					u.dirty = true
				default:
					u.dirty = u.dirty || s.funcs[name] || (len(s.deeds.writes) > 0 || s.deeds.exports || s.deeds.state) && !silent()[name] || s.deeds.moves && name == "pwd"
				}
			}
		}
		return true
	})
	return u
}

func isPositional(name string) bool {
	return name == "@" || name == "*" || name != "" && name[0] >= '1' && name[0] <= '9'
}

// halves takes a pipeline apart, or two commands joined by && or ||.
func halves(n syntax.Node) (x, y *syntax.Stmt, ok bool) {
	if st, isStmt := n.(*syntax.Stmt); isStmt && st != nil && len(st.Redirs) == 0 && st.Cmd != nil {
		n = st.Cmd
	}
	b, ok := n.(*syntax.BinaryCmd)
	if !ok {
		return nil, nil, false
	}
	return b.X, b.Y, true
}

// An answers keeps what was found out about pipelines: each stage asks about all before it.
type answers map[syntax.Node]bool

func (a answers) either(n syntax.Node, x, y *syntax.Stmt, ask func(syntax.Node) bool) bool {
	known, ok := a[n]
	if !ok {
		known = ask(x) || ask(y)
		a[n] = known
	}
	return known
}

// forget drops answers that hold no more.
func (s *scope) forget() { s.reached, s.varied = answers{}, answers{} }

// reach reports whether a value can be part of what n expands to.
func (s *scope) reach(n syntax.Node) bool {
	if x, y, ok := halves(n); ok {
		return s.reached.either(n, x, y, s.reach)
	}
	u := s.uses(n)
	return u.dirty || slices.ContainsFunc(u.vars, func(name string) bool { return s.open[name] })
}

// survey finds out what the scope's code sets, writes and reads.
func (s *scope) survey(root syntax.Node) {
	s.set, s.texts, s.sources = map[string]int{}, map[string][]string{}, map[string][]*syntax.Word{}
	s.numerals, s.texty = map[string]bool{}, map[string]bool{}
	if s.open == nil {
		s.open = map[string]bool{}
	}
	for name := range s.opened {
		s.open[name] = true
	}
	s.forget()
	s.surveyFunctions(root)
	s.forget()
	g := &assigned{scope: s, dependents: map[string][]string{}}
	walk(root, g.node)
	for len(g.dirty) > 0 {
		name := g.dirty[len(g.dirty)-1]
		g.dirty = g.dirty[:len(g.dirty)-1]
		if !s.open[name] {
			s.open[name], s.opened[name] = true, true
			g.dirty = append(g.dirty, g.dependents[name]...)
		}
	}
	s.forget()
	s.surveyDeeds(root)
	s.forget()
}

// assigned collects what a scope's variables are set to.
type assigned struct {
	*scope
	dependents map[string][]string // variable → those that are set from it
	dirty      []string            // those that are set to a value
}

// sets notes that a variable is set to what a node stands for; certain, if that may be a value for sure.
func (g *assigned) sets(name string, n syntax.Node, certain bool) {
	g.set[name]++
	w, ok := n.(*syntax.Word)
	switch {
	case !certain && ok && w == nil:
	case !certain && ok && isNumeral(w):
		g.numerals[name] = true
	default:
		g.texty[name] = true
	}
	if certain {
		g.dirty = append(g.dirty, name)
		return
	}
	if n == nil || isNilWord(n) {
		return
	}
	u := g.uses(n)
	if u.dirty {
		g.dirty = append(g.dirty, name)
	}
	for _, v := range u.vars {
		g.dependents[v] = append(g.dependents[v], name)
	}
}

// node notes what the node at the path's end sets.
func (g *assigned) node(path []syntax.Node) {
	switch n := path[len(path)-1].(type) {
	case *syntax.Assign:
		g.assign(n, path[len(path)-2])
	case *syntax.WordIter:
		g.set[n.Name.Value]++
		if len(n.Items) == 0 && g.positional {
			g.sets(n.Name.Value, nil, true)
		}
		for _, w := range n.Items {
			g.sets(n.Name.Value, w, false)
		}
	case *syntax.ParamExp:
		if n.Exp != nil && n.Param != nil && n.Exp.Word != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
			g.set[n.Param.Value]++
			g.sets(n.Param.Value, n.Exp.Word, false)
		}
	case *syntax.CallExpr:
		for i, w := range n.Args {
			g.builtin(words.Lit(w), n.Args[i+1:], path)
		}
	}
}

func (g *assigned) assign(n *syntax.Assign, parent syntax.Node) {
	if n.Name == nil {
		g.declared(n.Value)
		return
	}
	name := n.Name.Value
	g.sources[name] = append(g.sources[name], n.Value)
	if text, ok := words.Literal(n.Value); ok && n.Array == nil && !n.Append && n.Index == nil && len(g.marks(text)) == 0 {
		g.texts[name] = append(g.texts[name], text)
	} else {
		g.set[name]++ // so that it is no constant
	}
	if d, ok := parent.(*syntax.DeclClause); ok && declares(d, "n") {
		g.deeds.anyVar = true // another name for a variable
	}
	if n.Array != nil {
		g.sets(name, n.Array, false)
	}
	g.sets(name, n.Value, false)
	if n.Value != nil {
		g.changed = g.changed.or(g.changes(n.Value))
	}
}

// declared notes a word of declare and its kind: of "$x=1", only the line knows which variable that is.
func (g *assigned) declared(w *syntax.Word) {
	text, ok := words.Literal(w)
	if w == nil || ok && len(g.marks(text)) == 0 {
		return
	}
	if key, _, named := strings.Cut(g.code(w).lead(), "="); named && isName(key) {
		g.sets(key, w, false)
		return
	}
	u := g.uses(w)
	g.deeds.anyVar = g.deeds.anyVar || u.dirty || len(u.vars) > 0
}

// builtin notes what read, printf -v and their kind set.
func (g *assigned) builtin(name string, args []*syntax.Word, path []syntax.Node) {
	switch name {
	case "read", "mapfile", "readarray", "getopts":
		g.changed = g.changed.or(g.fedBy(path))
		for _, w := range args {
			g.deeds.anyVar = g.deeds.anyVar || words.Lit(w) == "" && g.uses(w).dirty
			g.sets(words.Lit(w), nil, g.isFed(path) || name == "getopts" && g.positional)
			g.set[words.Lit(w)]++
		}
	case "printf":
		if len(args) > 1 && words.Lit(args[0]) == "-v" {
			g.deeds.anyVar = g.deeds.anyVar || words.Lit(args[1]) == ""
			for _, w := range args[2:] {
				g.sets(words.Lit(args[1]), w, false)
			}
			g.set[words.Lit(args[1])] += 2
		}
	}
}

// fedBy reports what is done to the text that a command at the path's end
// reads. What holds for a node is kept: a pipeline's stages share all but their ends.
func (s *scope) fedBy(path []syntax.Node) (c change) {
	last := len(path) - 1
	if last < 0 {
		return c
	}
	if c, known := s.feeds[path[last]]; known {
		return c
	}
	c = s.fedBy(path[:last])
	if last > 0 {
		if pipe, ok := path[last-1].(*syntax.BinaryCmd); ok && pipe.Op == syntax.Pipe && path[last] == pipe.Y {
			c = c.or(s.changes(pipe.X))
		}
	}
	if st, ok := path[last].(*syntax.Stmt); ok {
		for _, r := range st.Redirs {
			if r.Word != nil {
				c = c.or(s.changes(r.Word))
			}
		}
	}
	s.feeds[path[last]] = c
	return c
}

// declares reports whether a declaration has one of the one-letter flags.
func declares(d *syntax.DeclClause, flags string) bool {
	return slices.ContainsFunc(d.Args, func(a *syntax.Assign) bool {
		flag := words.Lit(a.Value)
		return a.Naked && strings.HasPrefix(flag, "-") && strings.ContainsAny(flag, flags)
	})
}

func isNilWord(n syntax.Node) bool { w, ok := n.(*syntax.Word); return ok && w == nil }

// surveyFunctions finds the code's functions, whether $1 may hold a value, and substitutions whose input may.
func (s *scope) surveyFunctions(root syntax.Node) {
	s.deeds.change = s.deeds.change.or(s.changes(root))
	s.funcs, s.inputs = map[string]bool{}, map[syntax.Node]bool{}
	walk(root, func(p []syntax.Node) {
		switch n := p[len(p)-1].(type) {
		case *syntax.FuncDecl:
			if n.Name != nil {
				s.funcs[n.Name.Value] = true
				s.positional = true
			}
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				return
			}
			switch path.Base(words.Lit(n.Args[0])) {
			case "alias":
				for _, w := range n.Args[1:] {
					name, _, _ := strings.Cut(s.code(w).lead(), "=")
					s.aliases[name] = true
				}
			case "set":
				s.positional = s.positional || len(n.Args) > 1 && slices.ContainsFunc(n.Args[1:], func(w *syntax.Word) bool {
					text, ok := words.Literal(w)
					return !ok || len(s.marks(text)) > 0 || strings.ContainsAny(text, "*?[")
				})
			}
		}
	})
	walk(root, func(p []syntax.Node) {
		switch n := p[len(p)-1].(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			if s.isFed(p) {
				s.inputs[n] = true
			}
		}
	})
}

// isFed reports whether what a command at the path's end reads may hold a value.
func (s *scope) isFed(p []syntax.Node) bool {
	if s.deeds.opened {
		return true
	}
	for k := len(p) - 1; k >= 0; k-- {
		switch n := p[k].(type) {
		case *syntax.Stmt:
			for _, r := range n.Redirs {
				switch r.Op {
				case syntax.Hdoc, syntax.DashHdoc:
					return s.variable(r.Hdoc)
				case syntax.WordHdoc:
					return s.variable(r.Word)
				case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn:
					return s.variable(r.Word) || s.reads(words.Lit(r.Word))
				}
			}
		case *syntax.BinaryCmd:
			if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && k+1 < len(p) && p[k+1] == n.Y && s.variable(n.X) {
				return true // else it may pass on what the whole pipeline reads
			}
		case *syntax.FuncDecl:
			return true // it reads what its callers read
		}
	}
	return s.fed
}

// variable reports whether a node has a value in it, or anything that could hold one. Variables are not told apart here.
func (s *scope) variable(n syntax.Node) bool {
	if n == nil || isNilWord(n) {
		return false
	}
	if x, y, ok := halves(n); ok {
		return s.varied.either(n, x, y, s.variable)
	}
	u := s.uses(n)
	return u.dirty || slices.ContainsFunc(u.vars, func(v string) bool { return s.open[v] || s.assigns[v] })
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == "" && (s[0] < '0' || s[0] > '9')
}

// isNumeral recognises a number, and what can only become one: arithmetic, a length, a count.
func isNumeral(w *syntax.Word) bool {
	if text, ok := words.Literal(w); ok {
		return aNumeral().MatchString(text)
	}
	if len(w.Parts) != 1 {
		return false
	}
	part := w.Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	switch n := part.(type) {
	case *syntax.ArithmExp:
		return true
	case *syntax.ParamExp:
		return n.Length
	case *syntax.CmdSubst:
		return len(n.Stmts) == 1 && counts(n.Stmts[0])
	}
	return false
}
