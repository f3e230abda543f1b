package check

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/permit"
	"github.com/skillhand/skillhand/skill"
)

func shellRules() []*Rule {
	return []*Rule{
		{ID: "SK301", Name: "find-quoted-quotes", Severity: Error, agent: claude, load: true, run: findQuotedQuotes,
			Summary: "find looks for a name that has quotes in it, and never finds one"},
		{ID: "SK302", Name: "find-name-slash", Severity: Error, agent: claude, load: true, run: findNameSlash,
			Summary: "find -name is compared with a name, which has no slash in it"},
		{ID: "SK303", Name: "dead-fallback", Severity: Warning, agent: claude, load: true, run: deadFallback,
			Summary: "what stands after || is never shown, because the pipeline before it cannot fail"},
		{ID: "SK304", Name: "and-or-chain", Severity: Warning, agent: claude, load: true, run: andOrChain,
			Summary: "A && x || B && y runs y after x too"},
		{ID: "SK305", Name: "find-or-precedence", Severity: Info, agent: claude, load: true, run: findOrPrecedence,
			Summary: "a test before the first -o holds for that side alone"},
		{ID: "SK306", Name: "fenced-example", Severity: Error, agent: claude, run: fencedExample,
			Summary: "Claude Code runs an example that stands in code"},
		{ID: "SK307", Name: "raw-argument", Severity: Warning, agent: claude, run: rawArgument,
			Summary: "an argument is pasted into a command as it is, and can add commands"},
		{ID: "SK308", Name: "aborts-empty", Severity: Warning, agent: claude, run: abortsEmpty,
			Summary: "the page aborts when what a command looks for does not exist"},
		{ID: "SK309", Name: "shell-syntax", Severity: Error, agent: claude, load: true, run: shellSyntax,
			Summary: "bash cannot read the command"},
		{ID: "SK310", Name: "block-info", Severity: Error, agent: claude, run: blockInfo,
			Summary: "a word after ```! is run as a command"},
		{ID: "SK312", Name: "directive-unclosed", Severity: Error, agent: claude, load: true, run: directiveUnclosed,
			Summary: "a directive that is not closed is not run, and the agent reads the command"},
		{ID: "SK313", Name: "fence-unclosed", Severity: Info, load: true, run: fenceUnclosed,
			Summary: "a code block is never closed, so all that follows is code"},
		{ID: "SK314", Name: "directive-no-blank", Severity: Warning, agent: claude, run: directiveNoBlank,
			Summary: "a directive has no space before it, so it does not run and the agent reads the command"},
		{ID: "SK315", Name: "directive-bare", Severity: Warning, agent: claude, load: true, run: directiveBare,
			Summary: "a line begins with ! and a command, and without backticks it does not run"},
		{ID: "SK316", Name: "missing-as-answer", Severity: Warning, agent: claude, run: missingAsAnswer,
			Summary: "a program that is not installed looks like an answer, because the command hides its error"},
	}
}

// name returns the command that a call runs, if that is plain.
func name(call *syntax.CallExpr) string { return words.Lit(call.Args[0]) }

// args returns a call's words after its name, as far as they are plain; "" for those that are not.
func args(call *syntax.CallExpr) []string {
	all := make([]string, 0, len(call.Args))
	for _, w := range call.Args[1:] {
		all = append(all, words.Lit(w))
	}
	return all
}

func from(n syntax.Node) int { return int(n.Pos().Offset()) }
func to(n syntax.Node) int   { return int(n.End().Offset()) }

// findTests lists the words after find's tests of names.
func findTests(call *syntax.CallExpr, tests ...string) []*syntax.Word {
	if name(call) != "find" {
		return nil
	}
	var found []*syntax.Word
	for i, w := range call.Args[:len(call.Args)-1] {
		if i > 0 && slices.Contains(tests, words.Lit(w)) {
			found = append(found, call.Args[i+1])
		}
	}
	return found
}

func findQuotedQuotes(p *pass) {
	p.doc.calls(func(d *directive, call *syntax.CallExpr) {
		for _, w := range findTests(call, "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-lname") {
			text, ok := words.Literal(w)
			if !ok || len(text) < 3 || text[0] != text[len(text)-1] || text[0] != '\'' && text[0] != '"' {
				continue
			}
			plain := text[1 : len(text)-1]
			f := p.at(d, from(w), to(w), "find looks for names with quotes in them, %s, so this never matches", text)
			f.Help = "quote the pattern, and do not escape the quotes: " + words.Single(plain)
			test := words.Lit(call.Args[slices.Index(call.Args, w)-1])
			switch trimmed := strings.TrimRight(plain, "/"); {
			case strings.IndexByte(plain, '`') >= 0:
			case (test == "-name" || test == "-iname") && trimmed != "" && strings.Contains(plain, "/"):
				p.usePath(f, d, call, w, trimmed) // without the quotes, -name would still never match
			default:
				f.Fix = replace("write "+words.Single(plain), false, d.at(from(w)), d.at(to(w)), words.Single(plain))
			}
		}
	})
}

func findNameSlash(p *pass) {
	p.doc.calls(func(d *directive, call *syntax.CallExpr) {
		for _, w := range findTests(call, "-name", "-iname") {
			text, ok := words.Literal(w)
			trimmed := strings.TrimRight(text, "/")
			if !ok || !strings.Contains(text, "/") || trimmed == "" || isQuotedTwice(text) {
				continue
			}
			f := p.at(d, from(w), to(w), "-name is compared with the last part of a path, which has no /, so %s never matches", text)
			p.usePath(f, d, call, w, trimmed)
		}
		p.findTooDeep(d, call)
	})
}

// usePath offers -path for -name, with a -maxdepth that lets it match, or says to search the folder that the name begins with.
func (p *pass) usePath(f *Finding, d *directive, call *syntax.CallExpr, w *syntax.Word, trimmed string) {
	if folder, base := path.Split(trimmed); trimmed[0] == '~' || trimmed[0] == '/' {
		f.Help = "search that folder: find " + path.Clean(folder) + " -name " + words.Single(base)
		return
	}
	pattern, test := "*/"+strings.TrimPrefix(trimmed, "./"), "-path"
	if strings.HasPrefix(trimmed, "*") {
		pattern = trimmed
	}
	before := call.Args[slices.Index(call.Args, w)-1]
	if words.Lit(before) == "-iname" {
		test = "-ipath"
	}
	f.Help = "compare the whole path: " + test + " " + words.Single(pattern)
	f.Fix = replace("use "+test, true, d.at(from(before)), d.at(to(w)), test+" "+words.Single(pattern))
	depth, word := maxDepth(call)
	needs := strings.Count(pattern, "/")
	switch {
	case word == nil:
	case depth < 0:
		f.Fix = nil
	case depth < needs:
		deeper := strconv.Itoa(needs)
		f.Help += ", and -maxdepth " + deeper
		f.Fix.Edits = append(f.Fix.Edits, Edit{d.at(from(word)), d.at(to(word)), deeper})
		slices.SortFunc(f.Fix.Edits, func(a, b Edit) int { return a.Offset - b.Offset })
	}
}

// findTooDeep reports a -path with more slashes than a path can have above -maxdepth.
func (p *pass) findTooDeep(d *directive, call *syntax.CallExpr) {
	depth, word := maxDepth(call)
	start, ok := findStart(call)
	if word == nil || depth < 0 || !ok || slices.ContainsFunc(call.Args, func(w *syntax.Word) bool { return words.Lit(w) == "-prune" }) {
		return
	}
	for _, w := range findTests(call, "-path", "-ipath", "-wholename", "-iwholename") {
		pattern, ok := words.Literal(w)
		not := words.Lit(call.Args[slices.Index(call.Args, w)-2])
		needs := strings.Count(pattern, "/") - strings.Count(start, "/")
		if !ok || needs <= depth || strings.ContainsAny(pattern, `[\`) || not == "!" || not == "-not" || isQuotedTwice(pattern) {
			continue
		}
		f := p.at(d, from(w), to(w), "%s needs a depth of %d, and -maxdepth keeps find above %d, so it never matches", pattern, needs, depth+1)
		f.Help = fmt.Sprintf("write -maxdepth %d, or leave it out", needs)
		f.Fix = replace(fmt.Sprintf("write -maxdepth %d", needs), true, d.at(from(word)), d.at(to(word)), strconv.Itoa(needs))
	}
}

// maxDepth returns find's -maxdepth and its word: nil if there is none, -1 if it is no number.
func maxDepth(call *syntax.CallExpr) (int, *syntax.Word) {
	all := findTests(call, "-maxdepth")
	if len(all) == 0 {
		return -1, nil
	}
	text, _ := words.Literal(all[0])
	n, err := strconv.Atoi(text)
	if err != nil {
		n = -1
	}
	return n, all[0]
}

// findStart returns the one folder that find starts in, if it is known.
func findStart(call *syntax.CallExpr) (string, bool) {
	start, n := ".", 0
	for _, w := range call.Args[1:] {
		text, ok := words.Literal(w)
		if ok && (strings.HasPrefix(text, "-") || text == "(" || text == "!") {
			break
		}
		if n++; !ok || n > 1 || strings.HasPrefix(text, "~") {
			return "", false
		}
		start = strings.TrimSuffix(text, "/")
	}
	return start, true
}

func isQuotedTwice(text string) bool {
	return len(text) > 2 && text[0] == text[len(text)-1] && (text[0] == '\'' || text[0] == '"')
}

func deadFallback(p *pass) {
	for _, d := range p.doc.directives {
		if d.program == nil || strings.Contains(d.command, "pipefail") {
			continue
		}
		syntax.Walk(d.program, func(n syntax.Node) bool {
			or, ok := n.(*syntax.BinaryCmd)
			if !ok || or.Op != syntax.OrStmt {
				return true
			}
			pipe, ok := or.X.Cmd.(*syntax.BinaryCmd)
			if !ok || pipe.Op != syntax.Pipe && pipe.Op != syntax.PipeAll || or.X.Negated || !neverFails(lastOf(or.X)) {
				return true
			}
			said, ok := or.Y.Cmd.(*syntax.CallExpr)
			if !ok || len(said.Args) == 0 || !slices.Contains([]string{"echo", "printf"}, name(said)) {
				return true
			}
			last := callOf(lastOf(or.X))
			f := p.at(d, from(or.Y), to(or.Y),
				"%s never runs: %s succeeds even if it reads nothing", clip(d.command[from(or.Y):to(or.Y)], 40), name(last))
			if name(last) == "wc" { // it counts, and says 0
				f.Help = "test what is counted, or drop the fallback"
				return true
			}
			f.Help = "end the pipeline in grep ., which fails when there is nothing: … | grep . || …"
			f.Fix = replace("add | grep .", true, d.at(to(or.X)), d.at(to(or.X)), " | grep .")
			return true
		})
	}
}

// lastOf returns the statement whose status a pipeline has.
func lastOf(s *syntax.Stmt) *syntax.Stmt {
	for {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.Pipe && b.Op != syntax.PipeAll {
			return s
		}
		s = b.Y
	}
}

// callOf returns the simple command of a statement, or nil.
func callOf(s *syntax.Stmt) *syntax.CallExpr {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	return call
}

// A filter reads stdin and succeeds, unless it is given files.
type filter struct {
	name     string
	operands int    // words that are no files
	valued   string // options that take a word
}

var filters = []filter{
	{"head", 0, "nc"}, {"tail", 0, "nc"}, {"sort", 0, "ktS"}, {"uniq", 0, "fsw"}, {"wc", 0, ""}, {"cat", 0, ""}, {"tac", 0, ""}, {"rev", 0, ""}, {"nl", 0, "bswv"},
	{"tr", 2, ""}, {"cut", 0, "dfcb"}, {"column", 0, "tsc"}, {"fold", 0, "w"}, {"paste", 0, "d"}, {"sed", 1, "e"}, {"awk", 1, "Fv"},
}

func filterOf(name string) (filter, bool) {
	i := slices.IndexFunc(filters, func(f filter) bool { return f.name == name })
	if i < 0 {
		return filter{}, false
	}
	return filters[i], true
}

// neverFails reports whether a statement at the end of a pipeline succeeds whatever it reads.
func neverFails(s *syntax.Stmt) bool {
	call := callOf(s)
	if call == nil || s.Negated || len(call.Assigns) > 0 {
		return false
	}
	for _, r := range s.Redirs {
		if r.Op != syntax.DplOut && words.Lit(r.Word) != "/dev/null" {
			return false
		}
	}
	filter, ok := filterOf(name(call))
	if !ok {
		return false
	}
	operands, code := 0, false
	all := args(call)
	for i := 0; i < len(all); i++ {
		word, raw := all[i], call.Args[i+1]
		switch {
		case word == "" && len(raw.Parts) > 0 && !isEmptyQuotes(raw):
			return false // not plain: it may be a file
		case word == "-":
		case strings.HasPrefix(word, "-") && len(word) == 2 && strings.Contains(filter.valued, word[1:]):
			i++
			code = code || word == "-e"
		case strings.HasPrefix(word, "-i") && name(call) == "sed", word == "-o" && name(call) == "sort":
			return false
		case strings.HasPrefix(word, "-"):
		default:
			operands++
			if name(call) == "awk" && strings.Contains(word, "exit") || name(call) == "sed" && strings.ContainsAny(word, "qQ") {
				return false
			}
		}
	}
	if code {
		filter.operands = 0
	}
	return operands <= filter.operands
}

func isEmptyQuotes(w *syntax.Word) bool {
	_, ok := words.Literal(w)
	return ok
}

func andOrChain(p *pass) {
	for _, d := range p.doc.directives {
		if d.program == nil {
			continue
		}
		syntax.Walk(d.program, func(n syntax.Node) bool {
			and, ok := n.(*syntax.BinaryCmd)
			if !ok || and.Op != syntax.AndStmt {
				return true
			}
			or, ok := and.X.Cmd.(*syntax.BinaryCmd)
			if !ok || or.Op != syntax.OrStmt {
				return true
			}
			if first, ok := or.X.Cmd.(*syntax.BinaryCmd); ok && first.Op == syntax.AndStmt {
				f := p.at(d, from(and.Y), to(and.Y), "this also runs after the first branch: && and || have equal precedence")
				f.Help = "say which belongs together: if A; then x; elif B; then y; fi"
			}
			return true
		})
	}
}

func findOrPrecedence(p *pass) {
	p.doc.calls(func(d *directive, call *syntax.CallExpr) {
		if name(call) != "find" {
			return
		}
		all := args(call)
		first := slices.IndexFunc(all, func(s string) bool { return s == "-o" || s == "-or" })
		kind := slices.Index(all, "-type")
		if first < 0 || kind < 0 || kind > first ||
			slices.ContainsFunc(all, func(s string) bool { return s == "(" || s == "!" || s == "," }) || slices.Contains(all[first:], "-type") {
			return
		}
		f := p.at(d, from(call.Args[kind+1]), to(call.Args[kind+2]), "-type holds only up to the first -o: what follows it is found whatever it is")
		f.Help = `put the names in parentheses: find … -type f \( -name a -o -name b \)`
		if kind+2 >= first || slices.ContainsFunc(all[first:], isFindAction) {
			return
		}
		start, end := to(call.Args[kind+2]), to(call.Args[len(call.Args)-1])
		f.Fix = &Fix{Title: "add the parentheses", Unsafe: true, Edits: []Edit{{d.at(start), d.at(start), ` \(`}, {d.at(end), d.at(end), ` \)`}}}
	})
}

func isFindAction(s string) bool {
	return strings.HasPrefix(s, "-exec") || strings.HasPrefix(s, "-print") || strings.HasPrefix(s, "-ok") ||
		slices.Contains([]string{"-delete", "-prune", "-ls", "-quit"}, s)
}

func shellSyntax(p *pass) {
	for _, d := range p.doc.directives {
		if d.fault == nil || slices.ContainsFunc(d.part.Command, func(c skill.Part) bool { return c.Kind == skill.Variable && !c.Braced }) {
			continue // what is pasted may complete it
		}
		if _, inCode := p.codeAround(d); inCode && d.isPlaceholder() {
			continue // SK306 tells
		}
		if e, ok := errors.AsType[syntax.ParseError](d.fault); ok && isRefusedByBash(e.Text) {
			p.at(d, min(int(e.Pos.Offset()), len(d.command)), len(strings.TrimRight(d.command, " \t\n")),
				"bash cannot read this, and the page aborts: %s", e.Text)
		}
	}
}

func blockInfo(p *pass) {
	for _, n := range p.doc.skill.Notes {
		if n.Code != skill.NoteBlockInfo {
			continue
		}
		line := p.doc.src[n.Offset:]
		line, _, _ = strings.Cut(line, "\n")
		info := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "`"))
		word := strings.TrimSpace(strings.TrimPrefix(info, "!"))
		if !slices.Contains([]string{"bash", "sh", "shell", "zsh", "console", "terminal", "powershell", "pwsh"}, strings.ToLower(word)) {
			continue // Claude Code runs it as the block's first line: that may be meant
		}
		start := n.Offset + strings.Index(p.doc.src[n.Offset:], "!") + 1
		end := n.Offset + len(strings.TrimRight(line, " \t\r"))
		f := p.find(start, end, "```! takes no language: Claude Code runs %s as the first command of the block", word)
		f.Help = "write ```! alone"
		f.Fix = replace("remove "+word, false, start, end, "")
	}
}

func directiveUnclosed(p *pass) {
	for _, n := range p.doc.skill.Notes {
		switch n.Code {
		case skill.NoteBlockUnclosed:
			line, _, _ := strings.Cut(p.doc.src[n.Offset:], "\n")
			f := p.find(n.Offset, n.Offset+len(strings.TrimRight(line, "\r")), "the block is not closed, so nothing runs, and the agent reads the commands")
			f.Help = "close it with a line of ```"
		case skill.NoteDirectiveUnclosed:
			p.unclosedCommand(n)
		}
	}
}

// unclosedCommand reports a !` whose ` is not in its paragraph: Claude Code takes the next one,
// wherever that is.
func (p *pass) unclosedCommand(n skill.Note) {
	for _, d := range p.doc.directives {
		if d.part == nil && d.start == n.Offset {
			f := p.find(n.Offset, n.Offset+2, "the command is not closed in its paragraph: Claude Code runs everything up to the next `, on line %d",
				p.doc.lineAt(d.end-1))
			f.Help = "close it"
			return
		}
	}
	p.severe(p.find(n.Offset, n.Offset+2, "the command is not closed, so it does not run"), Warning).Help = "close it"
}

// fenceUnclosed reports a fence that lasts to the end of the text. It matters if it holds what
// Claude Code runs: a directive that was meant to be text after the block.
func fenceUnclosed(p *pass) {
	if len(p.doc.skill.Parts) == 0 {
		return
	}
	last := p.doc.skill.Parts[len(p.doc.skill.Parts)-1]
	first, rest, more := strings.Cut(last.Source, "\n")
	open := strings.TrimLeft(first, " ")
	if !last.InCode || !more || !strings.HasPrefix(open, "```") && !strings.HasPrefix(open, "~~~") || strings.HasPrefix(open, "```!") {
		return // SK312 tells about blocks
	}
	marks := open[:len(open)-len(strings.TrimLeft(open, open[:1]))]
	end := strings.TrimSpace(rest[strings.LastIndexByte(rest, '\n')+1:])
	if strings.HasPrefix(end, marks) && strings.Trim(end, marks[:1]) == "" {
		return
	}
	f := p.find(last.Offset, last.Offset+len(strings.TrimRight(first, "\r")), "this code block is never closed, so all that follows is code")
	f.Help = p.closeHelp(marks, strings.TrimSpace(open) == marks)
	for _, d := range p.doc.directives {
		if d.start > last.Offset {
			p.severe(f, Warning).Message += ", and skillhand takes directives in it for examples"
			return
		}
	}
}

// closeHelp says how a code block that is never closed comes to an end. A line of nothing but marks was rather
// meant to close a block: one that ended before, at the end of another inside it.
func (p *pass) closeHelp(marks string, bare bool) string {
	if !bare {
		return "close it with a line of " + marks
	}
	f := p.doc.tooShortFence()
	if f == nil {
		return "close it with a line of " + marks + ", or remove this line if it was meant to close a block"
	}
	return fmt.Sprintf("the block that begins on line %d ends too early, because line %d has a fence inside it: write %s on lines %[1]d and %[4]d",
		p.doc.lineAt(f.open), p.doc.lineAt(f.inner), strings.Repeat(f.mark, f.longest+1), p.doc.lineAt(f.close))
}

// A fence is a code block as its author saw it: with others inside.
type fence struct {
	mark        string // ` or ~
	n           int    // how many
	open, close int    // offsets of its lines
	inner       int    // the first line inside that opens a block with as many marks, or more
	longest     int    // the most marks inside
}

// tooShortFence returns the last code block that has others inside which Markdown takes for its own text and its end: nil if
// there is none, or if the fences of the text do not come in pairs.
func (d *document) tooShortFence() (found *fence) {
	var opened []*fence
	offset := d.bodyStart()
	for line := range strings.Lines(d.src[offset:]) {
		at := offset
		offset += len(line)
		text := strings.TrimSpace(line)
		if !strings.HasPrefix(text, "```") && !strings.HasPrefix(text, "~~~") {
			continue
		}
		mark := text[:1]
		info := strings.TrimLeft(text, mark)
		n := len(text) - len(info)
		switch last := len(opened) - 1; {
		case strings.Contains(info, "`"): // code in a line
		case info == "" && last >= 0 && opened[last].mark == mark && n >= opened[last].n:
			opened[last].close = at
			if last == 0 && opened[0].inner > 0 {
				found = opened[0]
			}
			opened = opened[:last]
		case info == "" && last >= 0: // text of the block
		default:
			if last >= 0 && opened[0].mark == mark && n >= opened[0].n {
				opened[0].inner, opened[0].longest = cmp.Or(opened[0].inner, at), max(opened[0].longest, n)
			}
			opened = append(opened, &fence{mark: mark, n: n, open: at})
		}
	}
	if len(opened) > 0 {
		return nil
	}
	return found
}

// directiveNoBlank reports text such as Branch:!`git branch`: Claude Code runs a directive only at the
// start of a line or after white space (testdata/claude/SK310-blocks.txtar). In code, and after a
// backslash, another ! or a = it may be meant as text.
func directiveNoBlank(p *pass) {
	for at := p.doc.bodyStart(); ; at += 2 {
		i := strings.Index(p.doc.src[at:], "!`")
		if i < 0 {
			return
		}
		at += i
		if at == 0 || strings.IndexByte(" \t\r\n\\!`=", p.doc.src[at-1]) >= 0 || p.doc.inCode(at) {
			continue
		}
		line, _, _ := strings.Cut(p.doc.src[at+2:], "\n")
		command, _, closed := strings.Cut(line, "`")
		if !closed || !p.isMeant(command, p.doc.src[at-1]) {
			continue
		}
		f := p.find(at, at+3+len(command), "there is no space before the !, so Claude Code does not run this, and the agent reads the command")
		f.Help = "put a space before the !"
	}
}

// isMeant reports whether code behind a ! is a command that is meant to run. Behind punctuation of a sentence it is if it
// may be one, and behind other characters if it is one that would run.
func (p *pass) isMeant(command string, before byte) bool {
	program, err := words.Parse(command)
	switch {
	case err != nil || len(program.Stmts) == 0 || command != strings.ToLower(command) && !strings.Contains(command, " -"):
		return false
	case strings.IndexByte(":,;)", before) >= 0:
		return true
	}
	return p.doc.decide(p.doc.request(command, p.doc.place())).Decision == permit.Allow
}

// directiveBare reports a line of text, alone or in a list, that is a ! and a command which would run as a directive.
// Claude Code's answers are in testdata/claude/SK315-bare.txtar.
func directiveBare(p *pass) {
	next := p.doc.bodyStart()
	for line := range strings.Lines(p.doc.body()) {
		start := next
		next += len(line)
		rest := strings.TrimLeft(line, " \t-*+>.)0123456789")
		command, isBang := strings.CutPrefix(strings.TrimRight(rest, " \t\r\n"), "!")
		at := start + len(line) - len(rest)
		code, spaced := strings.CutPrefix(command, " `")
		if spaced && strings.IndexByte(code, '`') == len(code)-1 && p.isBare(strings.TrimSuffix(code, "`")) {
			f := p.find(at, at+1+len(command), "there is a space after the !, so nothing runs: the agent reads the command instead of its output")
			f.Help = "write !" + strings.TrimSpace(clip(command, 60))
			continue
		}
		if !isBang || p.doc.inCode(at) || !p.isBare(command) {
			continue
		}
		f := p.find(at, at+1+len(command), "a ! runs nothing without backticks: the agent reads the command instead of its output")
		f.Help = "write !`" + clip(command, 60) + "`"
		if strings.HasSuffix(command, "\\") {
			f.Help = "write the whole command on one line, between backticks"
		}
	}
}

// isBare reports whether what follows a ! is a command: it has a flag, a pipe or a second command, or Claude Code would
// run it.
func (p *pass) isBare(command string) bool {
	if command == "" || strings.Contains(command, "`") || strings.IndexByte("./~$", command[0]) < 0 && (command[0] < 'a' || command[0] > 'z') {
		return false
	}
	command = strings.TrimRight(command, "\\")
	if commandMarks.Get().MatchString(command) {
		_, err := words.Parse(command)
		return err == nil
	}
	return p.doc.decide(p.doc.request(command, p.doc.place())).Decision == permit.Allow
}

var commandMarks = words.Regexp(` --?[a-zA-Z]| \| | && `)

func (d *document) inCode(offset int) bool {
	parts := d.skill.Parts
	i := sort.Search(len(parts), func(i int) bool { return parts[i].Offset > offset }) - 1
	return i >= 0 && parts[i].InCode
}
