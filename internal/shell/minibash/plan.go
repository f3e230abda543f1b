// Package minibash answers one question: can this line run without bash, exactly as in bash? If so,
// there is a plan for it. If not, it is left to bash.
package minibash

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/shell/bind"
	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// A Setup is a line and the place where it runs.
type Setup struct {
	Program *bind.Program
	Dir     string   // an absolute path
	Env     []string // if a variable occurs twice, the last value counts

	// Find returns one of the caller's commands. A nil Find means that there are none.
	Find func(name string) (Command, bool)
}

// A Command runs with arguments and returns its exit status.
type Command func(args []string, std Std) (exit int)

// A Std is what a command reads and writes.
type Std struct {
	In       io.Reader // nil means no input
	Out, Err io.Writer
	Dir      string
	Env      []string
}

// A Plan is a line that the embedded shell may run, and the meaning of each of its commands.
type Plan struct {
	setup    Setup
	file     *syntax.File
	commands map[*syntax.CallExpr]command
}

// A command says how the embedded shell runs a simple command.
type command struct {
	name   string
	own    func(*walker, command, []string) int // a command that is built into bash and into the embedded shell
	caller Command                              // a command of the caller
	path   string                               // the path of a program
}

// Make decides whether the embedded shell may run the line. It may if everything in the line is
// named here, because for these things it is known to do what bash does (testdata/embedded.txt,
// testdata/bash.txt). The error names the first thing that is left to bash.
func Make(s Setup) (*Plan, error) {
	if !s.Program.Parsed() {
		return nil, errors.New("syntax that only bash may judge")
	}
	if runtime.GOOS == "windows" {
		return nil, errors.New("a line on Windows, where bash has paths of its own")
	}
	if text := s.Program.Text; !utf8.ValidString(text) || strings.ContainsFunc(text, isControl) {
		return nil, errors.New("bytes that are not plain text")
	}
	for _, kv := range s.Env {
		if name, _, _ := strings.Cut(kv, "="); changesBash(name) {
			return nil, fmt.Errorf("the environment variable %s", name)
		}
	}
	file, err := words.Parse(s.Program.Text)
	if err != nil {
		return nil, err
	}
	return makePlan(&Plan{setup: s, file: file, commands: map[*syntax.CallExpr]command{}})
}

func makePlan(p *Plan) (*Plan, error) {
	pl := &planner{plan: p, assigned: map[string]bool{}}
	syntax.Walk(p.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				pl.assigned[n.Name.Value] = true
			}
		case *syntax.CallExpr:
			pl.moves = pl.moves || len(n.Args) > 0 && words.Lit(n.Args[0]) == "cd"
		}
		return true
	})
	if err := pl.stmts(p.file.Stmts); err != nil {
		return nil, err
	}
	// A process that a program leaves running ends with the program here, but with the line in
	// bash. A script may start a process that the next command uses.
	if pl.scripts > 0 && pl.programs > 1 {
		return nil, errors.New("a script beside another program")
	}
	return p, nil
}

// isControl reports whether a character is neither text nor white space. The parser drops carriage
// returns, and bash uses some of these characters itself.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' || r == 0x7f
}

// changesBash reports whether a variable of the environment changes how bash behaves.
func changesBash(name string) bool {
	switch name {
	case "BASH_ENV", "BASH_COMPAT", "BASHOPTS", "SHELLOPTS", "POSIXLY_CORRECT", "EXECIGNORE":
		return true
	}
	return strings.HasPrefix(name, "BASH_FUNC_")
}

// A planner checks every node of a line. Its list is closed: everything that it does not name goes
// to bash.
type planner struct {
	plan     *Plan
	assigned map[string]bool // variables that the line assigns, so their values are not known yet
	moves    bool            // the line changes its folder
	scripts  int
	programs int // including scripts
}

func (pl *planner) stmts(list []*syntax.Stmt) error {
	for _, st := range list {
		if err := pl.stmt(st, false); err != nil {
			return err
		}
	}
	return nil
}

func (pl *planner) stmt(st *syntax.Stmt, inPipe bool) error {
	if st.Background || st.Coprocess || st.Disown {
		return errors.New("a background command")
	}
	if st.Negated && inPipe {
		return errors.New("! in a pipeline")
	}
	switch cmd := st.Cmd.(type) {
	case nil:
		// In a pipeline, bash treats a failed redirection without a command as a success.
		if inPipe {
			return errors.New("a pipeline with a redirection alone")
		}
		return pl.simple(st, &syntax.CallExpr{})
	case *syntax.CallExpr:
		return pl.simple(st, cmd)
	case *syntax.BinaryCmd:
		pipe := cmd.Op == syntax.Pipe
		if !pipe && cmd.Op != syntax.AndStmt && cmd.Op != syntax.OrStmt {
			return fmt.Errorf("the operator %s", cmd.Op)
		}
		if len(st.Redirs) > 0 {
			return errors.New("a redirected list")
		}
		if err := pl.stmt(cmd.X, pipe); err != nil {
			return err
		}
		return pl.stmt(cmd.Y, pipe)
	default:
		return errors.New(nodeName(cmd))
	}
}

// nodeName returns a name for a node, for messages.
func nodeName(n syntax.Node) string {
	switch n.(type) {
	case *syntax.Subshell:
		return "a subshell ( )"
	case *syntax.Block:
		return "a group { }"
	case *syntax.IfClause:
		return "if"
	case *syntax.WhileClause:
		return "while"
	case *syntax.ForClause:
		return "for"
	case *syntax.CaseClause:
		return "case"
	case *syntax.FuncDecl:
		return "a function"
	case *syntax.TestClause:
		return "[[ ]]"
	case *syntax.ArithmCmd, *syntax.ArithmExp, *syntax.LetClause:
		return "arithmetic"
	case *syntax.DeclClause:
		return "a declaration"
	case *syntax.TimeClause:
		return "time"
	case *syntax.ProcSubst:
		return "process substitution"
	case *syntax.ExtGlob:
		return "an extended pattern"
	case *syntax.CmdSubst:
		return "$( ) without quotes"
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", n), "*syntax.")
}

// simple checks a simple command. The command must be on one line: in longer commands bash counts
// lines in its own way, which its messages show.
func (pl *planner) simple(st *syntax.Stmt, call *syntax.CallExpr) error {
	if st.Pos().Line() != st.End().Line() {
		return errors.New("a command that is longer than a line")
	}
	for _, as := range call.Assigns {
		if err := pl.assign(as, len(call.Args) > 0); err != nil {
			return err
		}
	}
	shapes := make([]shape, len(call.Args))
	for i, w := range call.Args {
		var err error
		if i == 0 && w.Lit() == "[" {
			continue
		}
		if shapes[i], err = pl.word(w); err != nil {
			return err
		}
	}
	toFile := false
	for _, r := range st.Redirs {
		file, err := pl.redirect(r)
		if err != nil {
			return err
		}
		toFile = toFile || file
	}
	if len(call.Args) == 0 {
		if len(call.Assigns) > 0 && len(st.Redirs) > 0 {
			return errors.New("an assignment with a redirection")
		}
		return nil
	}
	name, ok := pl.name(call)
	if !ok {
		return errors.New("a command whose name is not plain text")
	}
	cmd, err := pl.command(name)
	if err != nil {
		return err
	}
	switch {
	case cmd.own != nil:
		if len(call.Assigns) > 0 {
			return fmt.Errorf("assignments before %s", name)
		}
		if err := pl.arguments(name, shapes[1:]); err != nil {
			return err
		}
	case cmd.path != "" && toFile:
		// A program may check which file it writes to (cat f >>f), but package proc gives it a
		// pipe.
		return errors.New("a program's output to a file")
	}
	pl.plan.commands[call] = cmd
	return nil
}

// assign checks an assignment. An assignment before a command's name is only for that command.
func (pl *planner) assign(as *syntax.Assign, prefix bool) error {
	if as.Append || as.Naked || as.Index != nil || as.Array != nil {
		return errors.New("an assignment that is not plain")
	}
	name := as.Name.Value
	value := shape{known: true, fields: []string{""}}
	if as.Value != nil {
		var err error
		if value, err = pl.text(as.Value); err != nil {
			return err
		}
	}
	if prefix && value.known {
		// bash itself obeys these too, and complains about an unknown locale.
		locale := name == "LANG" || strings.HasPrefix(name, "LC_")
		if name == "TZ" || locale && (value.fields[0] == "C" || value.fields[0] == "POSIX") {
			return nil
		}
	}
	if bashSets(name) || bashReads(name) {
		return fmt.Errorf("an assignment to %s", name)
	}
	return nil
}

// A shape is what is known about a word before the line runs.
type shape struct {
	known  bool     // the value of the word is known
	fields []string // the value, if known
	single bool     // the word becomes exactly one field
}

// word checks a word that becomes fields: an argument.
func (pl *planner) word(w *syntax.Word) (shape, error) {
	return pl.parts(w, false)
}

// text checks a word that becomes a single string: the value of an assignment.
func (pl *planner) text(w *syntax.Word) (shape, error) {
	return pl.parts(w, true)
}

func (pl *planner) parts(w *syntax.Word, text bool) (shape, error) {
	sh := shape{known: true, single: true}
	if err := plainBraces(w); err != nil {
		return sh, err
	}
	for i, part := range w.Parts {
		var err error
		switch part := part.(type) {
		case *syntax.Lit:
			err = plainLit(part.Value, i == 0)
		case *syntax.SglQuoted:
			if part.Dollar {
				err = errors.New("the quotes $' '")
			}
		case *syntax.DblQuoted:
			switch {
			case part.Dollar:
				err = errors.New(`the quotes $" "`)
			case !pl.plan.list(part):
				err = pl.quoted(&sh, part.Parts...)
			}
		default:
			if text {
				err = pl.quoted(&sh, part)
			} else {
				err = pl.unquoted(&sh, part)
			}
		}
		if err != nil {
			return sh, err
		}
	}
	if sh.known {
		now := &walker{line: &line{plan: pl.plan}, dir: pl.plan.setup.Dir}
		if text {
			sh.fields = []string{now.text(w)}
		} else {
			sh.fields = now.fields(w)
		}
		sh.single = len(sh.fields) == 1
	}
	return sh, nil
}

// quoted checks the parts between double quotes, or parts that are not split anyway.
func (pl *planner) quoted(sh *shape, parts ...syntax.WordPart) error {
	for _, part := range parts {
		var err error
		switch part := part.(type) {
		case *syntax.Lit:
		case *syntax.ParamExp:
			err = pl.readable(part)
			sh.known = sh.known && err == nil && pl.fixed(part.Param.Value)
		case *syntax.CmdSubst:
			err = pl.substitution(part)
			sh.known = false
		default:
			err = errors.New(nodeName(part))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unquoted checks an expansion outside quotes. The shell splits such an expansion into words, which
// it then matches against files.
func (pl *planner) unquoted(sh *shape, part syntax.WordPart) error {
	exp, ok := part.(*syntax.ParamExp)
	if !ok {
		return errors.New(nodeName(part))
	}
	if err := pl.readable(exp); err != nil {
		return err
	}
	name := exp.Param.Value
	if name == "?" { // a number is never split
		sh.known = false
		return nil
	}
	if !pl.fixed(name) {
		return fmt.Errorf("$%s without quotes, which the line assigns", name)
	}
	if value, _ := words.Getenv(pl.plan.setup.Env, name); strings.ContainsAny(value, `*?[\`) {
		return fmt.Errorf("$%s without quotes, which holds a pattern", name)
	}
	sh.single = false
	return nil
}

// fixed reports whether a variable keeps the value that it had before the line.
func (pl *planner) fixed(name string) bool {
	return name != "?" && !pl.assigned[name] && !(name == "PWD" && pl.moves)
}

// readable allows an expansion of an ordinary variable, or of the last exit status.
func (pl *planner) readable(exp *syntax.ParamExp) error {
	if !words.Plain(exp) {
		return errors.New("an expansion that is not plain")
	}
	name := exp.Param.Value
	if name == "?" {
		return nil
	}
	if !syntax.ValidName(name) {
		return fmt.Errorf("$%s", name)
	}
	if _, ok := words.Getenv(pl.plan.setup.Env, name); bashSets(name) && !(ok && bashKeeps(name)) {
		return fmt.Errorf("$%s, which bash sets", name)
	}
	return nil
}

func (pl *planner) substitution(sub *syntax.CmdSubst) error {
	if sub.Backquotes || sub.TempFile || sub.ReplyVar {
		return errors.New("backquotes")
	}
	if sub.Pos().Line() != sub.End().Line() {
		return errors.New("$( ) over several lines")
	}
	if len(sub.Stmts) == 1 && sub.Stmts[0].Cmd == nil {
		return errors.New("$(<file)")
	}
	return pl.stmts(sub.Stmts)
}

// plainLit allows text outside quotes if nothing in it is expanded.
func plainLit(s string, first bool) error {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) || s[i] == '\n' {
				return errors.New("a backslash at the end of a line")
			}
		case '*', '?', '[':
			return fmt.Errorf("the pattern %s", s)
		case '$': // a $ is text, but a word that contains one is not always split
			return errors.New("a lone $ without quotes")
		case '~':
			// HEAD~1 is text, but ~, a:~ and a=~ are home folders.
			if first && i == 0 || i > 0 && (s[i-1] == ':' || s[i-1] == '=') {
				return errors.New("the expansion ~")
			}
		}
	}
	return nil
}

// plainBraces allows braces that are not expanded: {} and HEAD@{1}.
func plainBraces(w *syntax.Word) error {
	braces, sequence := false, false
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			braces = braces || strings.Contains(lit.Value, "{")
			sequence = sequence || strings.Contains(lit.Value, ",") || strings.Contains(lit.Value, "..")
		}
	}
	if braces && (sequence || len(w.Parts) > 1) {
		return errors.New("the expansion { }")
	}
	return nil
}

// redirect checks a redirection, and reports whether it sends output to a file.
func (pl *planner) redirect(r *syntax.Redirect) (toFile bool, err error) {
	fd := ""
	if r.N != nil {
		fd = r.N.Value
	}
	unknown := fmt.Errorf("the redirection %s%s", fd, r.Op)
	switch r.Op {
	case syntax.DplOut:
		to := r.Word.Lit()
		if fd != "" && fd != "1" && fd != "2" || to != "1" && to != "2" {
			return false, unknown
		}
		return false, nil
	case syntax.RdrIn:
		if fd != "" && fd != "0" {
			return false, unknown
		}
	case syntax.RdrOut, syntax.AppOut:
		if fd != "" && fd != "1" && fd != "2" {
			return false, unknown
		}
	case syntax.RdrAll, syntax.AppAll:
		if fd != "" {
			return false, unknown
		}
	default:
		return false, unknown
	}
	sh, err := pl.text(r.Word)
	if err != nil {
		return false, err
	}
	// In >2>&1, bash takes the 2 for a part of the next operator.
	if lit := r.Word.Lit(); lit != "" && strings.Trim(lit, "0123456789") == "" {
		return false, unknown
	}
	// bash splits unquoted expansions here, and may then report an ambiguous redirection.
	if !sh.known || slices.ContainsFunc(r.Word.Parts, isExpansion) {
		return false, errors.New("a redirection whose file is not known before")
	}
	path := sh.fields[0]
	if path == "/dev/null" {
		return false, nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(pl.plan.setup.Dir, path)
	}
	// Some names below these folders have a special meaning for bash, or depend on the process that
	// opens them.
	if clean := filepath.Clean(path); strings.HasPrefix(clean, "/dev/") || strings.HasPrefix(clean, "/proc/") {
		return false, fmt.Errorf("the redirection to %s", path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return false, fmt.Errorf("the redirection to %s", path)
	}
	return r.Op != syntax.RdrIn, nil
}

func isExpansion(part syntax.WordPart) bool {
	_, ok := part.(*syntax.ParamExp)
	return ok
}

// name returns the name of a command, if it is plain text or one of the line's values.
func (pl *planner) name(call *syntax.CallExpr) (string, bool) {
	if call.Args[0].Lit() == "[" {
		return "[", true
	}
	fields, ok := words.Fields(call.Args[0], pl.plan.value)
	if !ok || len(fields) != 1 || fields[0] == "" {
		return "", false
	}
	return fields[0], true
}

// value returns the value of an expansion that is one of the line's values.
func (p *Plan) value(piece words.Piece) (words.Value, bool) {
	exp, ok := piece.Node.(*syntax.ParamExp)
	if !ok || exp.Param == nil {
		return words.Value{}, false
	}
	v, ok := p.setup.Program.Lookup(exp.Param.Value)
	if v.Split {
		return words.Value{List: v.Words, All: true}, ok && exp.Index != nil
	}
	return words.Value{Text: v.Data}, ok && words.Plain(exp)
}

// list reports whether a word is "${v[@]}" with one of the line's values.
func (p *Plan) list(q *syntax.DblQuoted) bool {
	if len(q.Parts) != 1 {
		return false
	}
	v, ok := p.value(words.Piece{Node: q.Parts[0]})
	return ok && v.All
}

func (pl *planner) find(name string) (Command, bool) {
	if pl.plan.setup.Find == nil {
		return nil, false
	}
	return pl.plan.setup.Find(name)
}

// command returns what a command's name means.
func (pl *planner) command(name string) (command, error) {
	cmd := command{name: name}
	if caller, ok := pl.find(name); ok {
		if pl.moves && strings.Contains(name, "/") && !filepath.IsAbs(name) {
			return cmd, errors.New("a path after cd")
		}
		cmd.caller = caller
		return cmd, nil
	}
	if own := ownCommands[name]; own != nil {
		cmd.own = own
		return cmd, nil
	}
	if Has(name) {
		return cmd, errors.New(name)
	}
	switch name {
	case "env", "printenv": // these show what bash adds to the environment
		return cmd, errors.New(name)
	}
	path, script, ok := pl.program(name)
	if !ok {
		return cmd, fmt.Errorf("%s, which is not an executable file in PATH", name)
	}
	cmd.path = path
	pl.programs++
	if script {
		pl.scripts++
	}
	return cmd, nil
}

// program finds a program as bash does. ok is false if it is not sure.
func (pl *planner) program(name string) (path string, script, ok bool) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			if pl.moves {
				return "", false, false
			}
			name = filepath.Join(pl.plan.setup.Dir, name)
		}
		found, script := runnable(name)
		return name, script, found == yes
	}
	list, _ := words.Getenv(pl.plan.setup.Env, "PATH")
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			return "", false, false
		}
		path := filepath.Join(dir, name)
		switch found, script := runnable(path); found {
		case yes:
			return path, script, true
		case unsure:
			return "", false, false
		}
	}
	return "", false, false
}

// arguments checks the arguments of a command that is built into bash. It accepts them if every
// byte of the output is known.
func (pl *planner) arguments(name string, args []shape) error {
	odd := fmt.Errorf("%s with these arguments", name)
	switch name {
	case ":", "true", "false":
		return nil
	case "pwd":
		if len(args) > 0 {
			return odd
		}
		return nil
	case "echo":
		// The meaning of \u depends on the locale.
		for _, a := range args {
			for _, f := range a.fields {
				if strings.Contains(f, `\u`) || strings.Contains(f, `\U`) {
					return odd
				}
			}
		}
		return nil
	case "exit":
		if len(args) == 0 {
			return nil
		}
		if len(args) > 1 || !args[0].known || len(args[0].fields) != 1 {
			return odd
		}
		if n, err := strconv.ParseUint(args[0].fields[0], 10, 8); err != nil || strconv.FormatUint(n, 10) != args[0].fields[0] {
			return odd
		}
		return nil
	case "cd":
		_, cdpath := words.Getenv(pl.plan.setup.Env, "CDPATH")
		if cdpath || len(args) != 1 || !args[0].known || !args[0].single {
			return odd
		}
		// When bash complains, it quotes other characters.
		dir := args[0].fields[0]
		if dir == "" || dir[0] == '-' || strings.HasPrefix(dir, "//") ||
			strings.IndexFunc(dir, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
			return odd
		}
		return nil
	case "printf":
		return printfArguments(args, odd)
	case "test", "[":
		return testArguments(name, args, odd)
	}
	return odd
}

// printfArguments allows formats that consist of text, %s and %%, and %d for plain numbers.
func printfArguments(args []shape, odd error) error {
	if len(args) == 0 || !args[0].known || !args[0].single {
		return odd
	}
	format, ok := parseFormat(args[0].fields[0])
	if !ok {
		return odd
	}
	if !slices.ContainsFunc(format, func(p formatPart) bool { return p.verb == 'd' }) {
		return nil
	}
	var verbs []byte
	for _, p := range format {
		if p.verb != 0 {
			verbs = append(verbs, p.verb)
		}
	}
	i := 0
	for _, a := range args[1:] {
		if !a.known {
			return odd
		}
		for _, f := range a.fields {
			if verbs[i%len(verbs)] == 'd' {
				if n, err := strconv.ParseInt(f, 10, 64); err != nil || strconv.FormatInt(n, 10) != f {
					return odd
				}
			}
			i++
		}
	}
	return nil
}

// testArguments allows tests that the number of arguments and known operators alone decide. No
// operand can then be mistaken for an operator.
func testArguments(name string, args []shape, odd error) error {
	words := make([]string, len(args)) // "" for an unknown word
	for i, a := range args {
		if !a.single {
			return odd
		}
		if a.known {
			words[i] = a.fields[0]
		}
		if strings.HasPrefix(words[i], "/dev/") { // some of these names have a special meaning for bash
			return odd
		}
	}
	if name == "[" {
		if len(words) == 0 || words[len(words)-1] != "]" {
			return odd
		}
		words = words[:len(words)-1]
	}
	if len(words) > 2 && words[0] == "!" && binaryTests[words[1]] == nil {
		words = words[1:]
	}
	switch {
	case len(words) == 1,
		len(words) == 2 && unaryTests[words[0]] != nil,
		len(words) == 3 && binaryTests[words[1]] != nil:
		return nil
	}
	return odd
}

// An answer is yes, no, or unsure, which leaves the line to bash.
type answer int

const (
	no answer = iota
	yes
	unsure
)

func beginning(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 128))
}

// runnable reports whether the system would run a file for every user, and whether the file is a
// script.
func runnable(path string) (found answer, script bool) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return no, false
	case err != nil:
		return unsure, false
	case info.IsDir() || info.Mode()&0o111 == 0:
		return no, false
	case !info.Mode().IsRegular() || info.Mode()&0o111 != 0o111:
		return unsure, false
	}
	start, err := beginning(path)
	if err != nil {
		return unsure, false
	}
	if line, ok := strings.CutPrefix(string(start), "#!"); ok {
		line, _, ok = strings.Cut(line, "\n")
		words := strings.Fields(line)
		if !ok || len(words) == 0 || !filepath.IsAbs(words[0]) || strings.ContainsRune(line, '\r') {
			return unsure, true
		}
		if info, err := os.Stat(words[0]); err != nil || info.IsDir() || info.Mode()&0o111 != 0o111 {
			return unsure, true
		}
		return yes, true
	}
	for _, magic := range []string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"} {
		if strings.HasPrefix(string(start), magic) {
			return yes, false
		}
	}
	return unsure, false // bash itself runs a text file without #!
}

// Has reports whether bash has a command or a keyword with this name.
func Has(name string) bool { return bashNames[name] }

var bashNames = set(". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown " +
	"echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd " +
	"pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias " +
	"unset wait if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc")

// bashSets reports whether bash itself sets a variable.
func bashSets(name string) bool {
	return bashVariables[name] || strings.HasPrefix(name, "BASH") || strings.HasPrefix(name, "COMP_") ||
		strings.HasPrefix(name, "READLINE_")
}

var bashVariables = set("_ COPROC DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD HOSTNAME HOSTTYPE IFS LINENO " +
	"MACHTYPE MAPFILE OLDPWD OPTARG OPTERR OPTIND OSTYPE PATH PIPESTATUS PPID PS1 PS2 PS3 PS4 RANDOM REPLY SECONDS SHELL " +
	"SHELLOPTS SHLVL SRANDOM TERM UID COLUMNS LINES COMPREPLY histchars auto_resume MAILCHECK")

// bashKeeps reports whether bash sets a variable only if the environment does not have it.
func bashKeeps(name string) bool {
	switch name {
	case "HOSTNAME", "PATH", "SHELL", "TERM":
		return true
	}
	return false
}

// bashReads reports whether an assignment to a variable changes what bash does.
func bashReads(name string) bool {
	return bashSettings[name] || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "HIST") || strings.HasPrefix(name, "PROMPT")
}

var bashSettings = set("CDPATH CHILD_MAX EMACS ENV EXECIGNORE FCEDIT FIGNORE FUNCNEST GLOBIGNORE GLOBSORT HOME HOSTFILE IGNOREEOF " +
	"INPUTRC INSIDE_EMACS LANG LANGUAGE MAIL MAILPATH POSIXLY_CORRECT PWD TEXTDOMAIN TEXTDOMAINDIR TIMEFORMAT TMOUT TMPDIR TZ")

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
