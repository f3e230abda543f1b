package permit

import (
	"strings"
	"sync"
	"unicode/utf16"

	"mvdan.cc/sh/v3/syntax"
)

// A reading is a command line taken apart: its simple commands, and what stands in the way of
// judging them one by one.
type reading struct {
	src    string
	home   string
	file   *syntax.File
	called []call
	parts  []part
	files  []redirect // redirections from and to files
	block  *fault     // the first shape that Claude Code does not let through
	opaque bool       // some shape is not even looked into

	pipes, subshells, background, functions bool
	backgroundTop                           bool // outside of branches
	fileWrites, branchPipes                 bool
	backgroundAt                            span
}

type span struct{ off, end int }

// A fault is a reason to ask, and where it stands.
type fault struct {
	span
	why  string // in our words
	said string // in Claude Code's, if it was seen
}

// A part is one simple command.
type part struct {
	span
	assigns []assign
	words   []word
	whole   span // with its redirections
	nested  bool // inside $( )
	test    bool // [[ ]], which is compared with rules and never looked through
	hard    bool // holds something that only an exact rule covers
}

type assign struct {
	name string
	val  word
}

type word struct {
	span
	val    string // without quotes; nestedMark stands for what a nested command prints
	glob   bool   // * ? [ outside of quotes
	quoted bool   // some of it is
	home   bool   // holds $HOME
	tilde  bool   // begins with ~ outside of quotes
}

// The marks stand for text that nobody knows before the command runs: what a nested command
// prints, and the value of a variable.
const (
	nestedMark   = "\x00"
	variableMark = "\x01"
)

func (w word) nested() bool { return strings.ContainsAny(w.val, nestedMark+variableMark) }

type redirect struct {
	span
	to    word
	write bool
}

var parsers = sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }}

// read takes a command line apart. It reports false if the text is not a program of bash.
func read(src, home string) (r *reading, ok bool) {
	r = &reading{src: src, home: home}
	p := parsers.Get().(*syntax.Parser)
	file, err := p.Parse(strings.NewReader(src), "")
	parsers.Put(p)
	if err != nil {
		return r, false
	}
	r.file = file
	r.text()
	r.stmts(file.Stmts, context{})
	return r, true
}

// refuse notes a shape that is not looked into; the first one is reported.
func (r *reading) refuse(n syntax.Node, why, said string) {
	r.opaque = true
	r.object(n, why, said)
}

// object notes a shape that is looked into, and not let through.
func (r *reading) object(n syntax.Node, why, said string) {
	if r.block == nil {
		r.block = &fault{spanOf(n), why, said}
	}
}

func spanOf(n syntax.Node) span { return span{int(n.Pos().Offset()), int(n.End().Offset())} }

// text looks for what Claude Code refuses in the bare text, wherever it stands.
func (r *reading) text() {
	at := func(i, n int, why, said string) {
		if r.block == nil {
			r.block, r.opaque = &fault{span{i, i + n}, why, said}, true
		}
	}
	if len(r.src) > 10_000 && len(utf16.Encode([]rune(r.src))) > 10_000 {
		at(0, len(r.src), "the command is longer than 10,000 characters", "Parser aborted (timeout, resource limit, or over-length)")
		return
	}
	for i := 0; i+1 < len(r.src); i++ {
		if r.src[i] != '\\' {
			continue
		}
		switch next := r.src[i+1]; {
		case next == ' ', next == '\t', next == '\n' && i > 0 && !isSpace(r.src[i-1]):
			at(i, 2, "a backslash before a blank is not looked into", "Contains backslash-escaped whitespace")
			return
		case next == '\\':
			i++
		}
	}
}

// A context is what a statement stands in.
type context struct {
	branch bool // if, while or until
	nested bool // $( )
}

func (r *reading) stmts(list []*syntax.Stmt, c context) {
	for _, s := range list {
		r.stmt(s, c)
	}
}

func (r *reading) stmt(s *syntax.Stmt, c context) {
	if s.Background || s.Coprocess || s.Disown {
		r.background = true
		r.backgroundAt = spanOf(s)
		r.backgroundTop = r.backgroundTop || !c.branch && !c.nested
	}
	switch cmd := s.Cmd.(type) {
	case nil:
		r.redirects(s, c, true)
		if len(s.Redirs) > 0 {
			r.refuse(s, "a redirection without a command is not looked into", "")
		}
	case *syntax.CallExpr:
		r.call(s, cmd, c)
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			r.pipes = true
			r.branchPipes = r.branchPipes || c.branch
			r.pipeline(s, cmd)
		}
		r.compound(s)
		r.stmt(cmd.X, c)
		r.stmt(cmd.Y, c)
	case *syntax.IfClause:
		r.compound(s)
		r.branch(cmd, c)
	case *syntax.WhileClause:
		r.compound(s)
		c.branch = true
		r.stmts(cmd.Cond, c)
		r.stmts(cmd.Do, c)
	case *syntax.Subshell:
		r.subshells = true
		r.refuse(s, "a group in parentheses is not looked into", "This command uses shell operators that require approval for safety")
		r.stmts(cmd.Stmts, c)
	case *syntax.Block:
		r.refuse(s, "a group in braces is not looked into", "A group in braces or double parentheses in this command can't be checked before it runs")
		r.stmts(cmd.Stmts, c)
	case *syntax.ForClause:
		r.object(s, "a for loop is not looked into", "A variable set in this command can't be checked before it runs")
		c.branch = true
		r.stmts(cmd.Do, c)
	case *syntax.CaseClause:
		r.refuse(s, "a case statement is not looked into", "A case statement in this command can't be checked before it runs")
	case *syntax.FuncDecl:
		r.functions = true
		r.refuse(s, "a function is not looked into", "A function definition in this command can't be checked before it runs")
	case *syntax.TestClause:
		r.compound(s)
		r.testClause(s, cmd, c)
	case *syntax.DeclClause:
		r.decl(s, cmd, c)
	case *syntax.TimeClause:
		r.time(s, cmd, c)
	default:
		r.refuse(s, "this is not looked into", "This command can't be checked before it runs")
	}
}

// compound refuses redirections of anything but a simple command.
func (r *reading) compound(s *syntax.Stmt) {
	if len(s.Redirs) > 0 {
		r.refuse(s, "a redirection of more than a simple command is not looked into", "")
	}
}

func (r *reading) pipeline(s *syntax.Stmt, cmd *syntax.BinaryCmd) {
	for _, side := range []*syntax.Stmt{cmd.X, cmd.Y} {
		for _, redir := range side.Redirs {
			if redir.Op == syntax.Hdoc || redir.Op == syntax.DashHdoc {
				r.refuse(s, "a pipe after a here-document is not looked into", "A pipeline in this command can't be checked before it runs")
			}
		}
	}
}

func (r *reading) branch(cmd *syntax.IfClause, c context) {
	c.branch = true
	for ; cmd != nil; cmd = cmd.Else {
		r.stmts(cmd.Cond, c)
		r.stmts(cmd.Then, c)
	}
}

func (r *reading) time(s *syntax.Stmt, cmd *syntax.TimeClause, c context) {
	r.compound(s)
	if cmd.Stmt == nil {
		r.parts = append(r.parts, part{span: spanOf(s), whole: spanOf(s), words: []word{{span: spanOf(s), val: "time"}}})
		return
	}
	before := len(r.parts)
	r.stmt(cmd.Stmt, c)
	if cmd.PosixFormat || len(r.parts) == before {
		r.refuse(s, "time with a flag is not looked into", "Command appears to be an incomplete fragment")
		return
	}
	p := &r.parts[before] // time stands before the first command of a pipe
	p.words = append([]word{{span: span{int(cmd.Time.Offset()), int(cmd.Time.Offset()) + 4}, val: "time"}}, p.words...)
	p.off = int(cmd.Time.Offset())
	p.whole.off = p.off
}

func (r *reading) call(s *syntax.Stmt, cmd *syntax.CallExpr, c context) {
	p := part{span: spanOf(cmd), whole: span{int(s.Pos().Offset()), int(s.End().Offset())}, nested: c.nested}
	if s.Negated {
		p.whole.off = p.off
	}
	if s.Semicolon.IsValid() {
		p.whole.end = p.end
	}
	for _, a := range cmd.Assigns {
		p.assigns = append(p.assigns, r.assign(a, c))
	}
	for _, w := range cmd.Args {
		p.words = append(p.words, r.word(w, c))
	}
	for _, redir := range s.Redirs {
		p.whole.end = max(p.whole.end, int(redir.End().Offset()))
	}
	p.whole.off = min(p.whole.off, p.off)
	r.redirects(s, c, false)
	if len(p.words) > 0 && p.words[0].val == "[" && len(s.Redirs) > 0 {
		r.refuse(s, "a redirection of [ is not looked into", "A test in brackets in this command can't be checked before it runs")
	}
	r.parts = append(r.parts, p)
}

func (r *reading) assign(a *syntax.Assign, c context) assign {
	out := assign{}
	if a.Name != nil {
		out.name = a.Name.Value
	}
	if a.Array != nil || a.Index != nil || a.Append {
		r.refuse(a, "an array or += is not looked into", "A variable set in this command can't be checked before it runs")
	}
	if a.Value != nil {
		out.val = r.assigned(a.Value, c)
	}
	return out
}

// assigned is the value of an assignment, in which a nested command may stand alone.
func (r *reading) assigned(w *syntax.Word, c context) word {
	if len(w.Parts) == 1 {
		if sub, ok := w.Parts[0].(*syntax.CmdSubst); ok {
			r.inner(sub, c)
			return word{span: spanOf(w), val: nestedMark}
		}
	}
	return r.word(w, c)
}

func (r *reading) decl(s *syntax.Stmt, cmd *syntax.DeclClause, c context) {
	p := part{span: spanOf(cmd), whole: spanOf(s), nested: c.nested}
	r.redirects(s, c, false)
	p.words = append(p.words, word{span: spanOf(cmd.Variant), val: cmd.Variant.Value})
	for _, a := range cmd.Args {
		w := word{span: spanOf(a)}
		switch {
		case a.Naked && a.Name == nil && a.Value != nil:
			w = r.word(a.Value, c)
		case a.Name != nil:
			as := r.assign(a, c)
			w.val = as.name
			if !a.Naked {
				w.val += "=" + as.val.val
			}
		}
		if w.nested() {
			r.refuse(a, "a value that only the run shows is not looked into", "")
		}
		p.words = append(p.words, w)
	}
	// Only export survives: the others set variables whose values later commands might use.
	if cmd.Variant.Value != "export" {
		p.hard = true
	}
	r.parts = append(r.parts, p)
}

func (r *reading) testClause(s *syntax.Stmt, cmd *syntax.TestClause, c context) {
	p := part{span: spanOf(cmd), whole: spanOf(cmd), nested: c.nested, test: true}
	p.words = append(p.words, word{span: p.span, val: "[["})
	var visit func(n syntax.Node) bool
	visit = func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			p.words = append(p.words, r.word(n, c))
			return false
		case *syntax.BinaryTest:
			syntax.Walk(n.X, visit)
			p.words = append(p.words, word{span: p.span, val: n.Op.String()})
			syntax.Walk(n.Y, visit)
			return false
		}
		return true
	}
	syntax.Walk(cmd.X, visit)
	r.parts = append(r.parts, p)
}

// redirects reads the redirections of a statement.
func (r *reading) redirects(s *syntax.Stmt, c context, bare bool) {
	for i, redir := range s.Redirs {
		r.redirect(redir, c)
		if bare {
			continue
		}
		heredoc := redir.Op == syntax.Hdoc || redir.Op == syntax.DashHdoc
		last := i == len(s.Redirs)-1
		switch {
		case heredoc && (r.more(redir) || !last):
			r.refuse(redir, "text after the start of a here-document is not looked into", "Text after the heredoc start on the same line cannot be statically analyzed")
		case redir.Op == syntax.WordHdoc, heredoc:
		case r.wordsAfter(s, redir), last && r.more(redir):
			r.refuse(redir, "what stands after a redirection is not looked into: put it last",
				"Redirect has multiple targets — post-redirect args swallowed")
		}
	}
}

// wordsAfter reports whether the command has words before and after a redirection.
func (r *reading) wordsAfter(s *syntax.Stmt, redir *syntax.Redirect) bool {
	cmd, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || redir.Pos().Offset() < cmd.Pos().Offset() || len(cmd.Args) == 0 {
		return false
	}
	return cmd.Args[len(cmd.Args)-1].Pos().Offset() > redir.Pos().Offset() && cmd.Args[0].Pos().Offset() < redir.Pos().Offset()
}

// more reports whether a comment follows a redirection on its line, or for a here-document anything.
func (r *reading) more(redir *syntax.Redirect) bool {
	i := int(redir.Word.End().Offset())
	for i < len(r.src) && (r.src[i] == ' ' || r.src[i] == '\t') {
		i++
	}
	if i >= len(r.src) {
		return false
	}
	if redir.Op == syntax.Hdoc || redir.Op == syntax.DashHdoc {
		return r.src[i] != '\n'
	}
	return r.src[i] == '#'
}

func (r *reading) redirect(redir *syntax.Redirect, c context) {
	if redir.N != nil && strings.HasPrefix(redir.N.Value, "{") {
		r.refuse(redir, "a redirection that sets a variable is not looked into", "")
	}
	switch redir.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		w := r.src[redir.Word.Pos().Offset():redir.Word.End().Offset()]
		if !strings.ContainsAny(w, `'"\`) {
			r.refuse(redir, "a here-document is looked into only if its end word is quoted, as in <<'EOF'",
				"Heredoc with unquoted delimiter undergoes shell expansion")
		}
	case syntax.WordHdoc:
		r.word(redir.Word, c)
	case syntax.RdrInOut:
		r.refuse(redir, "<> is not looked into", "Unrecognized redirect shape")
	case syntax.DplIn, syntax.DplOut:
		lit := redir.Word.Lit()
		switch {
		case lit != "" && strings.Trim(lit, "0123456789") == "":
		case strings.HasSuffix(lit, "-"):
			r.refuse(redir, "closing a stream is not looked into", "This command can't be checked before it runs")
		default:
			r.target(redir, c, redir.Op == syntax.DplOut)
		}
	case syntax.RdrIn:
		r.target(redir, c, false)
	default:
		r.target(redir, c, true)
	}
}

func (r *reading) target(redir *syntax.Redirect, c context, write bool) {
	w := r.word(redir.Word, c)
	if w.val == "/dev/null" {
		return
	}
	if w.home && !w.quoted {
		r.refuse(redir, "a redirection to an unquoted variable is not looked into", "Redirect target concatenation contains $/` — unanalyzable gap or substitution")
	}
	if w.nested() {
		r.refuse(redir, "a file name that only the run shows is not looked into", "")
	}
	r.fileWrites = r.fileWrites || write
	r.files = append(r.files, redirect{spanOf(redir), w, write})
}
