package permit

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

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
	opaque bool       // Claude Code does not even analyse some shape

	pipes, subshells, background, functions bool
	backgroundTop                           bool // outside of branches
	fileWrites, branchPipes                 bool
	backgroundAt                            span
}

type span struct{ off, end int }

// A fault is a reason to ask, and where it stands.
type fault struct {
	span
	why     string // in our words
	said    string // in Claude Code's, if it was seen
	instead string // how to write it, if a word or two says so

	tool, file string // the rule that would help names them, such as Edit(out.txt); "" if none is known
}

func newFault(at span, why, said string, instead ...string) *fault {
	return &fault{span: at, why: why, said: said, instead: strings.Join(instead, "")}
}

// cured says which tool's rule about which file would cure the fault.
func (f *fault) cured(tool, file string) *fault {
	f.tool, f.file = tool, file
	return f
}

// A part is one simple command.
type part struct {
	span
	assigns []assign
	words   []word
	whole   span // with its redirections
	led     bool // a redirection stands before its first word, and is in its span
	hushed  bool // that is one to /dev/null, and no other
	nested  bool // inside $( )
	braced  bool // inside { }
	test    bool // [[ ]], which is compared with rules and never looked through
	hard    bool // holds something that only an exact rule covers
}

type assign struct {
	name string
	val  word
	more bool // +=
}

type word struct {
	span
	val    string // without quotes; nestedMark stands for what a nested command prints
	glob   bool   // * ? [ outside of quotes
	bare   bool   // * ? [ that quotes do not hide
	quoted bool   // some of it is
	home   bool   // holds $HOME
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

// refuse notes a shape that Claude Code does not analyse; the first one is reported.
func (r *reading) refuse(n syntax.Node, why, said string, instead ...string) {
	r.opaque = true
	r.object(n, why, said, instead...)
}

// object notes a shape that Claude Code analyses and does not let through.
func (r *reading) object(n syntax.Node, why, said string, instead ...string) {
	if r.block == nil {
		r.block = newFault(spanOf(n), why, said, instead...)
	}
}

func spanOf(n syntax.Node) span { return span{int(n.Pos().Offset()), int(n.End().Offset())} }

// text looks for what Claude Code refuses in the bare text, wherever it stands.
func (r *reading) text() {
	at := func(i, n int, why, said string) {
		if r.block == nil {
			r.block, r.opaque = newFault(span{i, i + n}, why, said), true
		}
	}
	if len(r.src) > 10_000 && len(utf16.Encode([]rune(r.src))) > 10_000 {
		at(0, len(r.src), "the command is longer than 10,000 characters", "Parser aborted (timeout, resource limit, or over-length)")
		return
	}
	if i := strings.IndexFunc(r.src, isWideSpace); i >= 0 {
		_, n := utf8.DecodeRuneInString(r.src[i:])
		at(i, n, "Claude Code does not analyse a blank that is not a plain space", "Contains Unicode whitespace")
		return
	}
	if n := len(r.src) - len(strings.TrimRight(r.src, "\\")); n%2 == 1 {
		at(len(r.src)-1, 1, "a backslash at the end has no line to go on with", "Parse error")
		return
	}
	for i := 0; i+1 < len(r.src); i++ {
		if r.src[i] != '\\' {
			continue
		}
		switch next := r.src[i+1]; {
		case next == ' ', next == '\t', next == '\n' && (i == 0 || r.src[i-1] != ' ' && r.src[i-1] != '\t'):
			at(i, 2, "Claude Code does not analyse a backslash before a blank", "Contains backslash-escaped whitespace")
			return
		case next == '\\':
			i++
		}
	}
}

// isWideSpace reports a blank that is none to the shell.
func isWideSpace(c rune) bool { return c >= 0x80 && isBlank(c) || c == '\u200b' }

// A context is what a statement stands in.
type context struct {
	branch bool // if, while or until
	nested bool // $( )
	braced bool // { }
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
			r.refuse(s, "Claude Code does not analyse a redirection without a command", "")
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
		r.refuse(s, "Claude Code does not analyse a group in parentheses", "This command uses shell operators that require approval for safety")
		r.stmts(cmd.Stmts, c)
	case *syntax.Block:
		r.refuse(s, "Claude Code does not analyse a group in braces", "A group in braces or double parentheses in this command can't be checked before it runs")
		c.braced = true
		r.stmts(cmd.Stmts, c)
	case *syntax.ForClause:
		r.object(s, "Claude Code does not analyse a for loop", "A variable set in this command can't be checked before it runs")
		c.branch = true
		r.stmts(cmd.Do, c)
	case *syntax.CaseClause:
		r.refuse(s, "Claude Code does not analyse a case statement", "A case statement in this command can't be checked before it runs")
	case *syntax.FuncDecl:
		r.functions = true
		r.refuse(s, "Claude Code does not analyse a function", "A function definition in this command can't be checked before it runs")
	case *syntax.TestClause:
		r.compound(s)
		r.testClause(cmd, c)
	case *syntax.DeclClause:
		r.decl(s, cmd, c)
	case *syntax.TimeClause:
		r.time(s, cmd, c)
	default:
		r.refuse(s, "Claude Code does not analyse this", "This command can't be checked before it runs")
	}
}

// compound refuses redirections of anything but a simple command.
func (r *reading) compound(s *syntax.Stmt) {
	if len(s.Redirs) > 0 {
		r.refuse(s, "Claude Code does not analyse a redirection of more than a simple command", "")
	}
}

func (r *reading) pipeline(s *syntax.Stmt, cmd *syntax.BinaryCmd) {
	isHdoc := func(redir *syntax.Redirect) bool { return redir.Op == syntax.Hdoc || redir.Op == syntax.DashHdoc }
	if slices.ContainsFunc(cmd.X.Redirs, isHdoc) || len(cmd.Y.Redirs) > 1 && slices.ContainsFunc(cmd.Y.Redirs, isHdoc) {
		r.refuse(s, "Claude Code does not analyse a pipe after a here-document", "A pipeline in this command can't be checked before it runs")
	}
	for _, side := range []*syntax.Stmt{cmd.X, cmd.Y} {
		if d, ok := side.Cmd.(*syntax.DeclClause); ok &&
			slices.ContainsFunc(d.Args, func(a *syntax.Assign) bool { return !a.Naked && a.Name != nil && !isHarmless(a.Name.Value) }) {
			r.refuse(side, "Claude Code does not analyse a variable that is set in a pipe", "A variable set in this command can't be checked before it runs")
		}
	}
	// In a pipe the commands are taken as text, in which the end of a line that goes on stays.
	if op := int(cmd.OpPos.Offset()); op <= len(r.src) {
		before := strings.TrimRight(r.src[:op], " \t\n")
		after := strings.TrimLeft(strings.TrimPrefix(r.src[op:], cmd.Op.String()), " \t")
		if strings.HasSuffix(before, "\\") || strings.HasPrefix(after, "\\\n") {
			r.refuse(s, "Claude Code does not analyse a line that goes on at a pipe", "", "end it with the | alone")
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
	if _, ok := cmd.Stmt.Cmd.(*syntax.TestClause); ok {
		r.refuse(s, "Claude Code does not analyse time before a test", "'time [[' can't be checked before it runs")
	}
	before := len(r.parts)
	r.stmt(cmd.Stmt, c)
	if cmd.PosixFormat || len(r.parts) == before {
		r.refuse(s, "Claude Code does not analyse time with a flag", "Command appears to be an incomplete fragment")
		return
	}
	p := &r.parts[before] // time stands before the first command of a pipe
	p.words = append([]word{{span: span{int(cmd.Time.Offset()), int(cmd.Time.Offset()) + 4}, val: "time"}}, p.words...)
	p.off = int(cmd.Time.Offset())
	p.whole.off = p.off
}

func (r *reading) call(s *syntax.Stmt, cmd *syntax.CallExpr, c context) {
	p := part{span: spanOf(cmd), whole: span{int(s.Pos().Offset()), int(s.End().Offset())}, nested: c.nested, braced: c.braced}
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
	r.leading(s, cmd, &p)
	for _, redir := range s.Redirs {
		p.whole.end = max(p.whole.end, int(redir.End().Offset()))
		if redir.Op == syntax.WordHdoc { // <<< is as good as a word
			p.end = max(p.end, int(redir.End().Offset()))
		}
	}
	p.whole.off = min(p.whole.off, p.off)
	text := r.src[p.off:p.end]
	if strings.Contains(text, "\\\n") || strings.Contains(text, `\$`) || slices.ContainsFunc(p.words, func(w word) bool { return w.home }) {
		p.baresPatterns()
	}
	r.redirects(s, c, false)
	if len(p.words) > 0 {
		r.bracket(s, p.words)
	}
	r.parts = append(r.parts, p)
}

// baresPatterns: in a command with $HOME or \$, or over several lines, quotes do not hide a pattern.
func (p *part) baresPatterns() {
	for i, w := range p.words {
		p.words[i].bare = w.glob || strings.ContainsAny(w.val, "*?[")
	}
}

// leading judges redirections before the first word: rules are compared with them, too.
func (r *reading) leading(s *syntax.Stmt, cmd *syntax.CallExpr, p *part) {
	for _, redir := range s.Redirs {
		off := int(redir.Pos().Offset())
		if len(p.words) > 0 && off < p.words[0].off {
			p.hushed = (p.hushed || !p.led) && redir.Op == syntax.RdrOut && redir.Word.Lit() == "/dev/null"
			p.led = true
			p.off = min(p.off, off)
		}
		if len(cmd.Assigns) > 0 && off < int(cmd.Assigns[0].Pos().Offset()) {
			r.refuse(redir, "Claude Code does not analyse a variable that is set after a redirection", "Parser skipped input between top-level statements")
		}
	}
}

// bracket judges [ … ], which Claude Code reads as a test, and as nothing else; and about =, which it
// reads nowhere but there.
func (r *reading) bracket(s *syntax.Stmt, words []word) {
	first, last := words[0], words[len(words)-1]
	lone := func(w word) bool { return r.src[w.off:w.end] == "=" }
	ends := func(w word) bool { return r.src[w.off:w.end] == "]" }
	switch {
	case first.val != "[" && slices.ContainsFunc(words[1:], lone):
		r.refuse(s, "a = between blanks is not read", "Parse error", "quote it")
	case !strings.HasPrefix(r.src[first.off:first.end], "["):
	case first.val != "[" && first.val != "[[":
		r.refuse(s, "Claude Code does not analyse a command whose name begins with [", "Parser skipped input between top-level statements")
	case first.val == "[" && (last.val != "]" || slices.ContainsFunc(words[:len(words)-1], ends)):
		r.refuse(s, "a test in brackets ends with ]", "Parser did not consume trailing input")
	case slices.ContainsFunc(s.Redirs, func(redir *syntax.Redirect) bool { return int(redir.Pos().Offset()) > first.off }):
		r.refuse(s, "Claude Code does not analyse a redirection of [", "A test in brackets in this command can't be checked before it runs")
	}
}

func (r *reading) assign(a *syntax.Assign, c context) assign {
	out := assign{more: a.Append}
	if a.Name != nil {
		out.name = a.Name.Value
	}
	if a.Array != nil || a.Index != nil {
		r.refuse(a, "Claude Code does not analyse an array", "A variable set in this command can't be checked before it runs")
	}
	if a.Value != nil {
		out.val = r.assigned(a.Value, c)
	}
	if strings.Contains(out.val.val, "~") {
		r.object(a, "a ~ in the value of a variable might be expanded", "Tilde in assignment value — bash may expand at assignment time")
	}
	return out
}

// assigned returns the value of an assignment, in which a nested command may stand alone.
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
			r.refuse(a, "Claude Code does not analyse a value known only at run time", "")
		}
		if f := unsafeOperand(w, r.src[w.off:w.end]); f != nil && r.block == nil {
			r.block, r.opaque = f, true
		}
		p.words = append(p.words, w)
	}
	// Only export survives: the others set variables whose values later commands might use.
	if cmd.Variant.Value != "export" {
		p.hard = true
	}
	r.parts = append(r.parts, p)
}

// unsafeOperand judges what export and its like are given beside plain names.
func unsafeOperand(w word, text string) *fault {
	switch {
	case strings.HasPrefix(w.val, "IFS="):
		return newFault(w.span, "IFS changes how words are split", "IFS assignment changes word-splitting — cannot model statically")
	case isFlag(w.val) && w.val != "--" && strings.Trim(w.val[1:], "fnp") != "":
		return newFault(w.span, "the flag "+w.val+" is not the same in all shells", "option '"+w.val+"' is not one bash and zsh are both known to accept")
	case isFlag(w.val), isVariable(w.val), isAssign(w.val), strings.Contains(text, `"`):
		return nil
	}
	return newFault(w.span, "this is no plain name of a variable", "operand '"+w.val+"' is not a plain variable name")
}

func (r *reading) testClause(cmd *syntax.TestClause, c context) {
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
			r.refuse(redir, "Claude Code does not analyse text after the start of a here-document",
				"Text after the heredoc start on the same line cannot be statically analyzed")
		case redir.Op == syntax.WordHdoc && slices.ContainsFunc(s.Redirs[:i], func(other *syntax.Redirect) bool {
			return other.Op != syntax.WordHdoc && other.Pos().After(s.Cmd.Pos())
		}):
			r.refuse(redir, "Claude Code does not analyse <<< after another redirection", "Parser did not consume trailing input", "put it first")
		case redir.Op == syntax.WordHdoc, heredoc:
		case r.wordsAfter(s, redir), last && r.more(redir):
			r.refuse(redir, "Claude Code does not analyse what stands after a redirection",
				"Redirect has multiple targets — post-redirect args swallowed", "put it last")
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
		r.refuse(redir, "Claude Code does not analyse a redirection that sets a variable", "")
	}
	switch redir.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		w := r.src[redir.Word.Pos().Offset():redir.Word.End().Offset()]
		if !strings.ContainsAny(w, `'"\`) {
			r.refuse(redir, "Claude Code analyses a here-document only if its end word is quoted, as in <<'EOF'",
				"Heredoc with unquoted delimiter undergoes shell expansion")
		}
	case syntax.WordHdoc:
		r.word(redir.Word, c)
	case syntax.RdrInOut:
		r.refuse(redir, "Claude Code does not analyse <>", "Unrecognized redirect shape")
	case syntax.DplIn, syntax.DplOut:
		lit := redir.Word.Lit()
		switch {
		case lit != "" && strings.Trim(lit, "0123456789") == "":
		case strings.HasSuffix(lit, "-"):
			r.refuse(redir, "Claude Code does not analyse closing a stream", "This command can't be checked before it runs")
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
		r.refuse(redir, "Claude Code does not analyse a redirection to an unquoted variable",
			"Redirect target concatenation contains $/` — unanalyzable gap or substitution")
	}
	if w.nested() {
		r.refuse(redir, "Claude Code does not analyse a file name known only at run time", "")
	}
	r.fileWrites = r.fileWrites || write
	r.files = append(r.files, redirect{spanOf(redir), w, write})
}
