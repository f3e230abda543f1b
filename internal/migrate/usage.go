package migrate

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/files"
)

// A flow says where a command's output goes and in which shell it runs.
type flow struct {
	own   bool // its stdout is the script's stdout
	used  bool // something reads its stdout: a substitution, a pipe, a file
	main  bool // it runs in the script's own shell, not in a subshell
	pipe  bool // a pipe leads from it to the script's stdout: JSON that goes in may come out
	fed   bool // its stdin is not the script's stdin
	said  bool // the script's stdout has text already: it is not a JSON document any more
	asked bool // it is in a branch for callers who ask for JSON
}

var top = flow{own: true, main: true}

// consumed returns the flow of a command whose output becomes part of a command with flow p.
func (p flow) consumed() flow { return flow{used: true, fed: p.fed, said: p.said, asked: p.asked} }

// flows returns all possible flows, in a fixed order, so that the same script always gives the same
// result.
var flows = sync.OnceValue(func() (all []flow) {
	for n := range 1 << 7 {
		all = append(all, flow{n&1 == 0, n&2 != 0, n&4 == 0, n&8 != 0, n&16 != 0, n&32 != 0, n&64 != 0})
	}
	return all
})

// A usage says what a script does, as far as its syntax shows.
type usage struct {
	file       *syntax.File
	functions  map[string]*function
	order      []*function       // in the order of their definitions
	exported   map[string]bool   // functions that other shells run too
	variables  map[string]string // the plain text at the end of the variables' values
	values     values
	after      map[*syntax.Stmt]bool // the statements before which their list certainly prints text
	asked      map[*syntax.Stmt]bool // the statements in a branch for callers who ask for JSON
	asks       bool                  // it prints JSON if it is asked to
	json       map[string]bool       // variables that hold JSON, and functions that print JSON
	files      map[string]bool       // the words that its commands are given, or that they read from
	log        string                // the file that takes both streams of the current statement, or ""
	current    *function             // the function whose body is being read, or nil
	dynamic    []flow                // the flows of commands whose name is unknown
	traps      []int                 // the offsets at which trap is called for EXIT
	background []*syntax.Stmt
	sources    []mention    // files that it sources
	calls      []mention    // commands that may be scripts
	writes     []mention    // the texts that it prints to a pipe or a file
	obstacles  []files.Note // the reasons why it must be left alone
	selfLines  []mention    // the places where it reads its own lines by number
	migrated   bool         // it is already migrated
	reports    bool         // it prints a report itself
	exits      bool         // an exit certainly ends it
	catches    bool         // it has traps for signals
	trapsExit  bool         // it has a trap for EXIT, in any place
	exportsAll bool         // it exports all of its functions
	waits      bool         // it waits for its background commands
	lines      *int         // how many command lines within words were read
}

// A function is a function of the script, with the flows from which it is called.
type function struct {
	name   string
	bodies []*syntax.Stmt // one for each definition
	flows  map[flow]bool
	read   map[flow]bool // the flows for which its body was read
	traps  []int
}

// A mention is a word of a command that ends in plain text.
type mention struct {
	line  int
	text  string // the plain text at its end: the whole word, or the part after the last expansion
	flow  flow
	n     int    // a line number, in selfLines
	open  bool   // the text is a pattern
	may   bool   // it is passed to a program, which may call it
	log   string // the file that takes both its streams, or ""
	ext   string // in writes: the ending of the name of the file that takes the text; "" means unknown
	piped bool   // in writes: a pipe takes the text
}

// maxLines limits how many command lines in the words of a script are read, because their own words
// may contain others.
const maxLines = 10_000

func understand(file *syntax.File) *usage { return understandWithin(file, new(int)) }

// understandWithin reads a script, or a command line within one. lines counts the command lines
// that were read so far.
func understandWithin(file *syntax.File, lines *int) *usage {
	u := &usage{
		file: file, functions: map[string]*function{}, exported: map[string]bool{},
		variables: map[string]string{}, values: newValues(), json: map[string]bool{}, files: map[string]bool{}, lines: lines,
	}
	syntax.Walk(file, u.declare)
	u.learnJSON()
	u.learnText()
	for _, st := range file.Stmts {
		u.stmt(st, top)
		u.exits = u.exits || isExit(st)
	}
	u.follow()
	for _, f := range u.order {
		if len(f.flows) == 0 { // called by a computed name, if at all
			for _, p := range u.dynamic {
				f.flows[p] = true
			}
		}
	}
	u.follow()
	u.collect()
	return u
}

// declare notes what holds for the whole script, in whatever place it is written.
func (u *usage) declare(n syntax.Node) bool {
	u.values.take(n)
	switch n := n.(type) {
	case *syntax.FuncDecl:
		if n.Name != nil {
			f := u.functions[n.Name.Value]
			if f == nil {
				f = &function{name: n.Name.Value, flows: map[flow]bool{}, read: map[flow]bool{}}
				u.functions[f.name] = f
				u.order = append(u.order, f)
			}
			f.bodies = append(f.bodies, n.Body)
			u.migrated = u.migrated || n.Name.Value == "skillhand_report"
		}
	case *syntax.Assign:
		if n.Name != nil && n.Value != nil {
			u.variables[n.Name.Value] = tail(n.Value)
		}
	case *syntax.DeclClause:
		u.export(n)
	case *syntax.Redirect:
		if n.Op == syntax.RdrIn {
			u.files[fileKey(n.Word)] = true
		}
	case *syntax.CallExpr:
		u.takeFiles(n)
		u.trapsExit = u.trapsExit || setsExitTrap(n)
		u.waits = u.waits || literal(first(n.Args)) == "wait"
		if name := literal(first(n.Args)); name == "." || name == "source" {
			u.migrated = u.migrated || len(n.Args) > 1 && path.Base(tail(n.Args[1])) == ReportFile
		}
	}
	return true
}

// readNone are commands that do not read the files whose names they are given.
var readNone = []string{
	"[", "basename", "cd", "chmod", "chown", "dirname", "echo", "export", "local", "ls", "mkdir", "printf", "realpath", "rm",
	"tee", "test", "touch",
}

// takeFiles notes the words of a command that may read them as files.
func (u *usage) takeFiles(c *syntax.CallExpr) {
	if len(c.Args) == 0 || slices.Contains(readNone, literal(c.Args[0])) {
		return
	}
	for _, w := range c.Args[1:] {
		u.files[fileKey(w)] = true
	}
}

// fileKey returns a key for a word that names a file, by which the file can be found elsewhere in a
// script.
func fileKey(w *syntax.Word) string {
	if v := variable(w); v != "" {
		return "$" + v
	}
	return strings.TrimPrefix(read1(w).text, "./")
}

// uses reports whether a command of the script is given a file, or reads from it.
func (u *usage) uses(file string) bool { return file != "" && u.files[file] }

// logOf returns the file that takes both streams of a statement, or "".
func logOf(st *syntax.Stmt) (log string) {
	both := false
	for _, r := range st.Redirs {
		switch r.Op {
		case syntax.RdrAll, syntax.AppAll:
			both, log = true, fileKey(r.Word)
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
			if r.N == nil || r.N.Value == "1" {
				log = fileKey(r.Word)
			}
		case syntax.DplOut:
			both = both || r.N != nil && r.N.Value == "2" && literal(r.Word) == "1"
		}
	}
	if !both {
		return ""
	}
	return log
}

// export reads export -f and declare -f, which pass functions to other shells.
func (u *usage) export(d *syntax.DeclClause) {
	functions := false
	var names []string
	for _, a := range d.Args {
		switch {
		case a.Name != nil:
			names = append(names, a.Name.Value)
		case a.Value != nil:
			word := literal(a.Value)
			functions = functions || strings.HasPrefix(word, "-") && strings.Contains(word, "f")
			if !strings.HasPrefix(word, "-") {
				names = append(names, word)
			}
		}
	}
	if !functions || d.Variant.Value == "local" {
		return
	}
	for _, name := range names {
		u.exported[name] = true
	}
	if len(names) == 0 || slices.Contains(names, "") { // all of them, or unknown ones
		u.exportsAll = true
	}
}

// follow reads the bodies of functions in the flows from which they are called, until no call leads
// to a new flow.
func (u *usage) follow() {
	for again := true; again; {
		again = false
		for _, f := range u.order {
			for _, p := range flows() {
				if f.flows[p] && !f.read[p] {
					f.read[p], again = true, true
					u.current = f
					for _, body := range f.bodies {
						u.stmt(body, p)
					}
				}
			}
		}
	}
	u.current = nil
}

// collect gathers the places to edit, once all calls of functions are known.
func (u *usage) collect() {
	for _, f := range u.order {
		if u.exported[f.name] || u.exportsAll {
			if len(f.traps) > 0 {
				u.stop(f.bodies[0], "a function that other shells run sets an EXIT trap")
			}
			continue
		}
		u.traps = append(u.traps, f.traps...)
	}
	slices.Sort(u.traps)
	u.traps = slices.Compact(u.traps)
	slices.SortFunc(u.background, func(a, b *syntax.Stmt) int { return int(a.Pos().Offset()) - int(b.Pos().Offset()) })
	u.background = slices.Compact(u.background)
	slices.SortStableFunc(u.obstacles, func(a, b files.Note) int { return a.Line - b.Line })
}

// library reports whether the script only defines things.
func (u *usage) library() bool {
	return !slices.ContainsFunc(u.file.Stmts, func(st *syntax.Stmt) bool { return !defines(st) })
}

// defines reports whether a statement only defines things.
func defines(st *syntax.Stmt) bool {
	switch c := st.Cmd.(type) {
	case *syntax.FuncDecl, *syntax.DeclClause, nil:
		return true
	case *syntax.CallExpr:
		return len(c.Args) == 0 || slices.Contains([]string{"set", "shopt", "source", ".", "return", "umask", "unset"}, literal(c.Args[0]))
	case *syntax.BinaryCmd, *syntax.IfClause:
		return onlyReturns(st)
	}
	return false
}

// guard returns the last statement of a script that can be sourced as well as run, or nil. The
// statement contains the commands of a run. Before it, the script only defines things.
func (u *usage) guard() *syntax.IfClause {
	last := len(u.file.Stmts) - 1
	if last < 0 || len(u.traps) > 0 {
		return nil
	}
	c, ok := u.file.Stmts[last].Cmd.(*syntax.IfClause)
	if !ok || c.Else != nil || len(c.Cond) != 1 || len(c.Then) == 0 || !asksWhetherRun(c.Cond[0]) {
		return nil
	}
	if slices.ContainsFunc(u.file.Stmts[:last], func(st *syntax.Stmt) bool { return !defines(st) }) {
		return nil
	}
	return c
}

// asksWhetherRun reports whether a condition tests that the script is run, not sourced.
func asksWhetherRun(cond *syntax.Stmt) bool {
	var x, y *syntax.Word
	switch c := cond.Cmd.(type) {
	case *syntax.TestClause:
		b, ok := c.X.(*syntax.BinaryTest)
		if !ok || b.Op != syntax.TsMatch && b.Op != syntax.TsMatchShort {
			return false
		}
		x, _ = b.X.(*syntax.Word)
		y, _ = b.Y.(*syntax.Word)
	case *syntax.CallExpr:
		if op := ""; len(c.Args) == 5 && literal(c.Args[0]) == "[" {
			if op = literal(c.Args[2]); op == "=" || op == "==" {
				x, y = c.Args[1], c.Args[3]
			}
		}
	}
	return !cond.Negated && isSelf(x) && isSelf(y) && variable(x) != variable(y)
}

// onlyReturns reports whether a statement is a guard such as [[ -n $loaded ]] && return.
func onlyReturns(st *syntax.Stmt) bool {
	only := true
	syntax.Walk(st, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.CallExpr:
			name := literal(first(n.Args))
			only = only && (len(n.Args) == 0 || slices.Contains([]string{"return", "[", "test", ":", "true", "source", "."}, name))
		case *syntax.Subshell, *syntax.WhileClause, *syntax.ForClause:
			only = false
		}
		return only
	})
	return only
}

// obstacle returns the first reason why the script must be left alone, if the lines from start on
// move.
func (u *usage) obstacle(start int) (files.Note, bool) {
	for _, m := range u.selfLines {
		if m.n >= start {
			u.obstacles = append(u.obstacles, files.Note{Line: m.line, Text: "it reads its own lines by their number"})
		}
	}
	if len(u.obstacles) == 0 {
		return files.Note{}, false
	}
	return slices.MinFunc(u.obstacles, func(a, b files.Note) int { return a.Line - b.Line }), true
}

func (u *usage) stop(n syntax.Node, reason string) {
	u.obstacles = append(u.obstacles, files.Note{Line: int(n.Pos().Line()), Text: reason})
}

func (u *usage) stmt(st *syntax.Stmt, p flow) {
	if st.Background {
		u.background = append(u.background, st)
		p.main = false
	}
	p.said = p.said || p.own && u.after[st]
	p.asked = p.asked || u.asked[st]
	p = u.redirected(st, p)
	if log := logOf(st); log != "" {
		defer func(outer string) { u.log = outer }(u.log)
		u.log = log
	}
	if st.Background && !u.waits && u.late(st, p, maxCalls) {
		u.stop(st, "a command in the background may print after the report")
	}
	switch cmd := st.Cmd.(type) {
	case *syntax.BinaryCmd:
		left, right := p, p
		if cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll {
			left, right.main, right.fed = flow{used: true, pipe: u.passesOn(cmd.Y, p), fed: p.fed,
				said: p.said, asked: p.asked}, false, true
			switch name := filter(cmd.Y); {
			case name == "tee": // a log beside the script's stdout; if it also gets stderr, it misses nothing
				left.own = p.own
				left.used = cmd.Op == syntax.Pipe && !withStderr(cmd.X)
			case slices.Contains(viewers, name) && p.own: // shown as it would be without the pipe, and nothing depends on it
				left.own, left.used = true, p.used
			}
		}
		from := len(u.writes)
		u.stmt(cmd.X, left)
		if left.used {
			u.writes = append(u.writes[:from], piped(u.writes[from:], cmd.Y)...)
		}
		u.stmt(cmd.Y, right)
	case *syntax.FuncDecl: // a function is read where it is called
	case *syntax.Subshell:
		p.main = false
		u.inside(cmd, p)
	case *syntax.CoprocClause:
		u.inside(cmd, flow{used: true, fed: true})
	case *syntax.CallExpr:
		u.call(st, cmd, p)
		u.inside(cmd, p)
	case *syntax.DeclClause:
		for _, a := range cmd.Args {
			if cmd.Variant.Value == "export" {
				u.handed(a.Value, p)
			}
		}
		u.inside(cmd, p)
	case nil:
	default:
		u.inside(cmd, p)
	}
	for _, r := range st.Redirs {
		u.inside(r, p)
	}
}

// viewers show their input, or a part of it, to a person. Their exit status does not depend on it.
var viewers = []string{"cat", "column", "fold", "head", "less", "more", "nl", "tail"}

// textTools are programs that run nothing of their input.
var textTools = []string{
	"awk", "base64", "bc", "cat", "column", "cut", "fold", "fmt", "grep", "egrep", "head", "jq", "less", "logger", "md5sum", "more", "nl",
	"od", "paste", "read", "rev", "sed", "sha256sum",
	"sort", "tail", "tee", "tr", "uniq", "wc", "yq",
}

// piped returns the texts that count, of those that go through a pipe into a statement. A tool for
// text runs nothing of its input.
func piped(writes []mention, into *syntax.Stmt) (counting []mention) {
	c, ok := into.Cmd.(*syntax.CallExpr)
	tool := ok && slices.Contains(textTools, literal(first(c.Args)))
	for _, m := range writes {
		if m.piped = true; m.ext != "" || !tool {
			counting = append(counting, m)
		}
	}
	return counting
}

// inside reads the statements within a node.
func (u *usage) inside(n syntax.Node, p flow) {
	syntax.Walk(n, func(m syntax.Node) bool {
		switch m := m.(type) {
		case *syntax.Stmt:
			u.stmt(m, p)
			return false
		case *syntax.CmdSubst:
			from := len(u.writes)
			for _, st := range m.Stmts {
				u.stmt(st, p.consumed())
			}
			// If a variable gets a text of several words, the text is a message.
			u.writes = append(u.writes[:from], slices.DeleteFunc(slices.Clone(u.writes[from:]), func(m mention) bool {
				return m.ext == "" && !m.piped && strings.ContainsAny(strings.TrimSpace(m.text), " \n")
			})...)
			return false
		case *syntax.ProcSubst:
			within := p.consumed()
			if m.Op == syntax.CmdOut {
				within = flow{own: p.own, used: p.used, fed: true, said: p.said, asked: p.asked}
				if p.own && !silent(m.Stmts) {
					u.stop(m, "what >( ) prints may come after the report")
				}
			}
			for _, st := range m.Stmts {
				u.stmt(st, within)
			}
			return false
		}
		return true
	})
}

// redirected returns the flow of a statement's command, after its redirections.
func (u *usage) redirected(st *syntax.Stmt, p flow) flow {
	both := false // stderr goes the same way as stdout
	file := false
	for _, r := range st.Redirs {
		n := ""
		if r.N != nil {
			n = r.N.Value
		}
		target := literal(r.Word)
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrInOut:
			if n == "1" || n == "" && r.Op != syntax.RdrInOut {
				if !hasProcSubst(r.Word) && target != "/dev/stdout" {
					p.own, p.used = false, target != "/dev/null" && target != "/dev/stderr" && target != "/dev/tty"
					file = p.used
				}
			}
		case syntax.RdrAll, syntax.AppAll:
			if !hasProcSubst(r.Word) {
				p.own, p.used = false, false
				file = true
				both = true
			}
		case syntax.DplOut:
			switch {
			case (n == "" || n == "1") && target != "1":
				p.own, p.used = false, false
			case n == "2" && target == "1":
				both = true
			}
		case syntax.RdrIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			p.fed = p.fed || (n == "" || n == "0") && target != "/dev/stdin"
		}
	}
	if file && both {
		p.used = u.uses(logOf(st)) // a log that nobody reads may get the report with everything else
	}
	return p
}

// call reads a simple command.
func (u *usage) call(st *syntax.Stmt, c *syntax.CallExpr, p flow) {
	if len(c.Args) == 0 {
		return
	}
	name := literal(c.Args[0])
	if f := u.functions[name]; f != nil {
		f.flows[p] = true
	}
	for _, w := range c.Args[1:] { // run_step build: an argument may be a function to call
		if f := u.functions[literal(w)]; f != nil {
			f.flows[p] = true
		}
	}
	u.mention(c, name, p)
	u.computed(c, p)
	u.given(c, name, p)
	if !p.said && ((p.own || p.pipe) && u.printsJSON(st, c) || p.own && asksForJSON(c.Args)) {
		if u.asks = true; !p.asked {
			u.stop(c, "it prints JSON already")
		}
	}
	if !p.fed && readsAll(st, c, name) {
		u.stop(c, "it reads all of its input: what gives it that may read what it prints")
	}
	u.known(st, c, name, p)
}

// known notes how a command with a well-known name affects what the script prints.
func (u *usage) known(st *syntax.Stmt, c *syntax.CallExpr, name string, p flow) {
	switch name {
	case "":
		if !u.values.isSwitch(variable(c.Args[0])) {
			u.dynamic = append(u.dynamic, p)
		}
		if isSelf(c.Args[0]) && p.used {
			u.stop(c, "it calls itself and reads what that prints")
		}
	case "exec":
		if len(c.Args) > 1 && p.main {
			u.stop(c, "exec replaces the script, and nothing is left to print the report")
		}
	case "trap":
		u.trap(c, p)
	case "command", "builtin":
		if second := literal(second(c.Args)); second == "trap" && p.main {
			u.stop(c, "trap is called through "+name)
		} else if second == "exec" && p.main {
			u.stop(c, "exec replaces the script, and nothing is left to print the report")
		}
	case "bash", "sh", "dash", "zsh", "ksh":
		u.commandLine(c, p)
	case "eval":
		u.within(readAll(c.Args[1:]).text, int(c.Pos().Line()), p)
		for _, w := range c.Args[1:] {
			if t := read1(w); strings.Contains(t.text, "trap") && p.main {
				u.stop(c, "trap is called through eval")
			}
		}
	case "alias":
		for _, w := range c.Args[1:] {
			_, command, _ := strings.Cut(read1(w).text, "=")
			u.within(command, int(c.Pos().Line()), p)
		}
	case "set", "shopt":
		u.option(c)
	case "source", ".":
		if len(c.Args) > 1 {
			u.sources = append(u.sources, u.named(c.Args[1], p))
		}
	case "echo", "printf", "cat":
		if p.used {
			u.writes = append(u.writes, u.written(st, c))
		}
	case "skillhand":
		if p.own && literal(second(c.Args)) == "emit" {
			u.reports = true
			u.stop(c, "it prints a report already")
		}
	case "sed", "tail", "head", "awk":
		u.ownLines(c)
	}
}

// written returns the text that a command writes, and the ending of the file that takes it.
func (u *usage) written(st *syntax.Stmt, c *syntax.CallExpr) mention {
	m := mention{line: int(c.Pos().Line()), text: printed(st, c)}
	for _, r := range st.Redirs {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			m.line++
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
			m.ext = path.Ext(u.named(r.Word, flow{}).text)
		}
	}
	return m
}

// commandLine notes the commands that a shell gets by -c.
func (u *usage) commandLine(c *syntax.CallExpr, p flow) {
	for i, w := range c.Args[1:] {
		if option := literal(w); strings.HasPrefix(option, "-") && strings.HasSuffix(option, "c") && i+2 < len(c.Args) {
			u.within(read1(c.Args[i+2]).text, int(c.Pos().Line()), p)
			return
		}
	}
}

// within notes the scripts that a command line in a text calls. An unknown part stands for a word.
func (u *usage) within(text string, line int, p flow) {
	if *u.lines++; *u.lines > maxLines {
		u.calls = append(u.calls, mention{line: line, text: unknown, flow: p, open: true})
		return
	}
	file, err := parse("", []byte(strings.NewReplacer(unknown, "${__}", number, "0").Replace(text)))
	if err != nil {
		return
	}
	for _, m := range understandWithin(file, u.lines).calls {
		m.line, m.flow.used = line, m.flow.used || p.used
		u.calls = append(u.calls, m)
	}
}

// mention notes a command that may be a script, and scripts that are given to a shell.
func (u *usage) mention(c *syntax.CallExpr, name string, p flow) {
	u.calls = append(u.calls, u.named(c.Args[0], p))
	switch name {
	case "bash", "sh", "exec", "command", "env", "timeout", "sudo", "time", "nice", "nohup", "xargs":
		for _, w := range c.Args[1:] {
			if m := u.named(w, p); m.text != "" && !strings.HasPrefix(m.text, "-") {
				u.calls = append(u.calls, m)
			}
			if isSelf(w) && p.used {
				u.stop(c, "it calls itself and reads what that prints")
			}
		}
	}
}

func (u *usage) named(w *syntax.Word, p flow) mention {
	text := tail(w)
	if text == "" && len(w.Parts) == 1 {
		text = u.variables[variable(w)]
	}
	if names := u.values.names(w, u.current, 0); len(names) == 1 && strings.HasPrefix(names[0], own+"/") &&
		!strings.Contains(names[0], unknown) {
		text = names[0]
	}
	return mention{line: int(w.Pos().Line()), text: text, flow: p, log: u.log}
}

func (u *usage) trap(c *syntax.CallExpr, p flow) {
	args := c.Args[1:]
	if len(args) > 0 && literal(args[0]) == "--" {
		args = args[1:]
	}
	if len(args) < 2 || literal(args[0]) == "-p" || literal(args[0]) == "-l" {
		return
	}
	handler := read1(args[0]).text
	u.handler(args[0], p)
	for _, word := range strings.FieldsFunc(handler, func(r rune) bool { return strings.ContainsRune(" \t\n;&|", r) }) {
		if f := u.functions[word]; f != nil {
			f.flows[p] = true
		}
	}
	for _, w := range args[1:] {
		switch signal := strings.ToUpper(literal(w)); signal {
		case "EXIT", "0", "":
			if p.main {
				if offset := int(c.Args[0].Pos().Offset()); u.current != nil {
					u.current.traps = append(u.current.traps, offset)
				} else {
					u.traps = append(u.traps, offset)
				}
			}
			u.catches = u.catches || signal == ""
		case "ERR", "DEBUG", "RETURN", "SIGERR":
		default:
			u.catches = u.catches || p.main && handler != ""
		}
	}
}

// handler reads the commands of a trap that are written in single quotes, because these are in the
// file byte for byte.
func (u *usage) handler(w *syntax.Word, p flow) {
	if len(w.Parts) != 1 {
		return
	}
	q, ok := w.Parts[0].(*syntax.SglQuoted)
	if !ok || q.Dollar {
		return
	}
	file, err := parse("", []byte(q.Value))
	if err != nil {
		return
	}
	within := &usage{
		file: file, functions: u.functions, exported: u.exported, variables: u.variables, values: u.values, json: u.json,
		files: u.files, lines: u.lines,
	}
	for _, st := range file.Stmts {
		within.stmt(st, p)
	}
	for _, n := range within.obstacles {
		u.stop(w, n.Text)
	}
	for _, m := range within.calls {
		m.line = int(w.Pos().Line())
		u.calls = append(u.calls, m)
	}
}

// option reads set and shopt.
func (u *usage) option(c *syntax.CallExpr) {
	for i, w := range c.Args[1:] {
		switch word, before := literal(w), literal(c.Args[i]); {
		case word == "posix" && before != "+o":
			u.stop(c, "it runs in posix mode")
		case word == "-a" && before == "set", word == "allexport" && before == "-o":
			u.exportsAll = true
		case word == "+a" && before == "set", word == "allexport" && before == "+o":
			u.exportsAll = false // set -a; source .env; set +a
		}
	}
}

// ownLines notes a command that reads lines of the script itself by number.
func (u *usage) ownLines(c *syntax.CallExpr) {
	if !slices.ContainsFunc(c.Args, isSelf) {
		return
	}
	for _, w := range c.Args[1:] {
		if isSelf(w) {
			continue
		}
		t := read1(w)
		if t.loud {
			u.selfLines = append(u.selfLines, mention{line: int(c.Pos().Line()), n: 1 << 30})
		}
		for _, digits := range strings.FieldsFunc(t.text, func(r rune) bool { return r < '0' || r > '9' }) {
			n, err := strconv.Atoi(digits)
			if err != nil {
				n = 1 << 30
			}
			u.selfLines = append(u.selfLines, mention{line: int(c.Pos().Line()), n: n})
		}
	}
}

// printNone are commands that print nothing on stdout.
var printNone = []string{
	":", "[", "break", "cd", "continue", "exit", "false", "kill", "mkdir", "read", "return", "rm", "shift", "sleep", "test", "touch",
	"true", "unset",
}

// late reports whether a statement in the background may print on the script's stdout. It follows
// calls of functions within each other, up to depth.
func (u *usage) late(st *syntax.Stmt, p flow, depth int) bool {
	p = u.redirected(st, p)
	if !p.own {
		return false
	}
	any := func(lists ...[]*syntax.Stmt) bool {
		return slices.ContainsFunc(slices.Concat(lists...), func(st *syntax.Stmt) bool { return u.late(st, p, depth) })
	}
	switch cmd := st.Cmd.(type) {
	case nil, *syntax.DeclClause, *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		return false
	case *syntax.BinaryCmd:
		return any([]*syntax.Stmt{cmd.Y}) || (cmd.Op == syntax.AndStmt || cmd.Op == syntax.OrStmt) && any([]*syntax.Stmt{cmd.X})
	case *syntax.Block:
		return any(cmd.Stmts)
	case *syntax.Subshell:
		return any(cmd.Stmts)
	case *syntax.WhileClause:
		return any(cmd.Cond, cmd.Do)
	case *syntax.ForClause:
		return any(cmd.Do)
	case *syntax.IfClause:
		for ; cmd != nil; cmd = cmd.Else {
			if any(cmd.Cond, cmd.Then) {
				return true
			}
		}
		return false
	case *syntax.CaseClause:
		return slices.ContainsFunc(cmd.Items, func(i *syntax.CaseItem) bool { return any(i.Stmts) })
	case *syntax.CallExpr:
		if f := u.functions[literal(first(cmd.Args))]; f != nil {
			return depth == 0 || slices.ContainsFunc(f.bodies, func(body *syntax.Stmt) bool { return u.late(body, p, depth-1) })
		}
		return len(cmd.Args) > 0 && !slices.Contains(printNone, literal(cmd.Args[0]))
	}
	return true
}

// silent reports whether everything that statements print goes to a file.
func silent(stmts []*syntax.Stmt) bool {
	return !slices.ContainsFunc(stmts, func(st *syntax.Stmt) bool {
		return !slices.ContainsFunc(st.Redirs, func(r *syntax.Redirect) bool {
			return r.N == nil &&
				slices.Contains([]syntax.RedirOperator{syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob}, r.Op)
		})
	})
}

// isExit reports whether a statement certainly ends the script.
func isExit(st *syntax.Stmt) bool {
	c, ok := st.Cmd.(*syntax.CallExpr)
	return ok && len(c.Args) > 0 && literal(c.Args[0]) == "exit" && !st.Background
}

// withStderr reports whether a statement's stderr goes where its stdout does.
func withStderr(st *syntax.Stmt) bool {
	return slices.ContainsFunc(st.Redirs, func(r *syntax.Redirect) bool {
		return r.Op == syntax.DplOut && r.N != nil && r.N.Value == "2" && literal(r.Word) == "1"
	})
}

// filter returns the name of the command that a statement consists of, or "" if the statement has
// redirections.
func filter(st *syntax.Stmt) string {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(st.Redirs) > 0 {
		return ""
	}
	return literal(first(c.Args))
}

// isSelf reports whether a word is the script's own path.
func isSelf(w *syntax.Word) bool { v := variable(w); return v == "0" || v == "BASH_SOURCE" }

// hereDocument returns the here-document, or here-string, that a statement reads.
func hereDocument(st *syntax.Stmt) *syntax.Word {
	for _, r := range st.Redirs {
		switch {
		case r.Hdoc != nil:
			return r.Hdoc
		case r.Op == syntax.WordHdoc:
			return r.Word
		}
	}
	return nil
}

func hasProcSubst(w *syntax.Word) bool {
	return w != nil && slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool { _, ok := p.(*syntax.ProcSubst); return ok })
}

func first(words []*syntax.Word) *syntax.Word {
	if len(words) == 0 {
		return nil
	}
	return words[0]
}

func second(words []*syntax.Word) *syntax.Word {
	if len(words) < 2 {
		return nil
	}
	return words[1]
}
