// Package bind answers one question: how does a command line take its values? It puts values into
// the syntax tree, as data that no shell ever parses. Where a value would be read again as code, it
// judges the line with the value in it.
package bind

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// A Line is one command line. Its values are separate from its text.
type Line struct {
	Parts []Part
}

// A Part is a piece of a command line: text that is code, or a value that is not.
type Part struct {
	Text  string // code if Value is nil; else the value's name in the text: $ARGUMENTS
	Value *Value
}

// A Value is data in a command line. It never becomes code.
type Value struct {
	Data  string
	Words []string // what it becomes without quotes; nil means that Data is split at spaces, tabs and newlines
	Ours  bool     // a path or id of skillhand's own (${CLAUDE_SKILL_DIR}): never split, and may name the command
}

// A Program is a line whose values are variables. Its text is only code, without the data of any
// value.
type Program struct {
	Text string
	Vars []Variable

	prefix string       // what the variables' names begin with
	file   *syntax.File // Text, parsed; nil if it does not parse, and then it has no values
}

// A Variable holds a value while a program runs. It is never exported.
type Variable struct {
	Name  string
	Data  string
	Split bool     // it is an indexed array with Words, for a value without quotes
	Words []string // if Split

	Unused bool // it is in a comment
	value  *Value
	ours   bool
}

// A Refusal says why a line must not run with its values.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

func refuse(format string, a ...any) error { return &Refusal{fmt.Sprintf(format, a...)} }

// Bind puts the line's values into its parsed command, in three steps. First it marks each value's
// place with a separate variable, and parses the text. Then it finds out from the tree in which
// context each mark is, and refuses the line if a value would be code. Last, it quotes the marks,
// by byte offset, as their context requires. Data is never part of a text that is parsed.
func Bind(l Line, w World) (*Program, error) {
	p, file, err := l.parse()
	if err != nil {
		if len(p.Vars) == 0 {
			return &Program{Text: p.Text}, nil // bash reports what is wrong
		}
		return nil, refuse("the command cannot be parsed, so values cannot be passed to it safely: %v", err)
	}
	p.file = file
	if len(p.Vars) == 0 {
		return p, nil
	}
	if found := l.judge(p, file, w, Files{}); len(found) > 0 {
		return nil, refuse("not run: %v", found[0])
	}
	edits, err := l.place(p)
	if err != nil {
		return nil, err
	}
	if len(edits) == 0 {
		return p, nil
	}
	p.Text = apply(p.Text, edits)
	if p.file, err = words.Parse(p.Text); err != nil {
		return nil, refuse("the command cannot take values in these places: %v", err)
	}
	return p, nil
}

// parse parses the line with a mark in the place of each value.
func (l Line) parse() (*Program, *syntax.File, error) {
	p := &Program{}
	p.Text, p.prefix = l.mark(p)
	file, err := words.Parse(p.Text)
	return p, file, err
}

// mark joins the line's parts, with ${PREFIX_N} in the place of the N-th value.
func (l Line) mark(p *Program) (text, prefix string) {
	prefix = "__skillhand_"
	for slices.ContainsFunc(l.Parts, func(part Part) bool { return part.Value == nil && strings.Contains(part.Text, prefix) }) {
		prefix += "_"
	}
	var b strings.Builder
	for _, part := range l.Parts {
		if part.Value == nil {
			b.WriteString(part.Text)
			continue
		}
		v := Variable{Name: prefix + strconv.Itoa(len(p.Vars)), Data: part.Value.Data, value: part.Value, ours: part.Value.Ours}
		p.Vars = append(p.Vars, v)
		b.WriteString("${" + v.Name + "}")
	}
	return b.String(), prefix
}

// written returns the i-th value's name in the skill: $ARGUMENTS.
func (l Line) written(i int) string {
	for _, part := range l.Parts {
		if part.Value == nil {
			continue
		}
		if i == 0 {
			return part.Text
		}
		i--
	}
	return "a value"
}

// An edit replaces text[from:to].
type edit struct {
	from, to int
	with     string
}

func apply(text string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.from])
		b.WriteString(e.with)
		at = e.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// place decides for each mark how it must be written in its context.
func (l Line) place(p *Program) ([]edit, error) {
	var edits []edit
	placed := make([]bool, len(p.Vars))
	var fault error
	backquotes := map[*syntax.CmdSubst]bool{}
	walk(p.file, func(path []syntax.Node) {
		if fault != nil {
			return
		}
		switch n := path[len(path)-1].(type) {
		case *syntax.ParamExp:
			if n.Param == nil {
				return
			}
			i, ok := p.index(n.Param.Value)
			if !ok {
				return
			}
			placed[i] = true
			edits, fault = p.placeExpansion(edits, path, n, i, backquotes)
		case *syntax.SglQuoted:
			edits, fault = p.placeQuoted(edits, path, n, placed, backquotes)
		case *syntax.Redirect:
			if n.Hdoc == nil || !quotedWord(n.Word) {
				return
			}
			var more []edit
			if more, fault = p.placeHeredoc(n, placed); fault == nil && len(more) > 0 {
				fault = p.dollar(path, backquotes)
			}
			edits = append(edits, more...)
		}
	})
	if fault != nil {
		return nil, fault
	}
	for sub := range backquotes {
		edits = append(edits,
			edit{int(sub.Left.Offset()), int(sub.Left.Offset()) + 1, "$("},
			edit{int(sub.Right.Offset()), int(sub.Right.Offset()) + 1, closing(sub)})
	}
	if slices.Contains(placed, false) {
		p.placeComments(placed)
	}
	if i := slices.Index(placed, false); i >= 0 {
		return nil, refuse("%s cannot be used here; pass it to a script", l.written(i))
	}
	return edits, nil
}

// placeQuoted handles the marks between single quotes. It closes the quotes before each mark, and
// opens them again after it.
func (p *Program) placeQuoted(edits []edit, path []syntax.Node, n *syntax.SglQuoted, placed []bool,
	backquotes map[*syntax.CmdSubst]bool) ([]edit, error) {
	at := int(n.Left.Offset()) + 1
	again := "'"
	if n.Dollar {
		at++
		again = "$'"
	}
	for _, m := range p.marks(p.Text[at:n.Right.Offset()]) {
		placed[m.i] = true
		if quotedAround(path) && !patternAround(path) {
			continue // "${x:-'…'}": these quotes are characters, and ${v} is an expansion
		}
		if err := p.dollar(path, backquotes); err != nil {
			return nil, err
		}
		edits = append(edits, edit{at + m.from, at + m.to, "'\"" + p.Text[at+m.from:at+m.to] + "\"" + again})
	}
	return edits, nil
}

// placeExpansion handles a mark that the parser read as an expansion.
func (p *Program) placeExpansion(edits []edit, path []syntax.Node, n *syntax.ParamExp, i int,
	backquotes map[*syntax.CmdSubst]bool) ([]edit, error) {
	if err := p.dollar(path, backquotes); err != nil {
		return nil, err
	}
	from, to := int(n.Dollar.Offset()), int(n.End().Offset())
	v := &p.Vars[i]
	switch c := contextOf(path); {
	case c.quoted || c.heredoc || c.regex:
		return edits, nil // ${v} is not split here, and its content is not read again
	case c.list && !v.ours:
		v.Split = true
		v.Words = wordsOf(v.value, c.before, c.after)
		return append(edits, edit{from, to, `"${` + v.Name + `[@]}"`}), nil
	default:
		return append(edits, edit{from, to, `"${` + v.Name + `}"`}), nil
	}
}

// dollar records that the backquotes around a value must become $( ). Inside backquotes a backslash
// has another meaning, and quotes nest in odd ways. $( ) has neither problem. Without backslashes
// the two mean the same.
func (p *Program) dollar(path []syntax.Node, backquotes map[*syntax.CmdSubst]bool) error {
	sub := inBackquotes(path)
	if sub == nil {
		return nil
	}
	if strings.Contains(p.Text[sub.Left.Offset():sub.Right.Offset()], `\`) {
		return refuse("a value is next to a backslash inside backquotes: use $( ) instead")
	}
	backquotes[sub] = true
	return nil
}

// placeHeredoc allows expansions in a quoted here-document, for its values, and escapes the rest of
// it.
func (p *Program) placeHeredoc(r *syntax.Redirect, placed []bool) ([]edit, error) {
	from, to := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	body := p.Text[from:to]
	marks := p.marks(body)
	if len(marks) == 0 {
		return nil, nil
	}
	word := p.Text[r.Word.Pos().Offset():r.Word.End().Offset()]
	name := strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(word)
	if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") != "" {
		return nil, refuse("a value is in a here-document that ends with %s: use a plain word", word)
	}
	escape := strings.NewReplacer(`\`, `\\`, "$", `\$`, "`", "\\`")
	var b strings.Builder
	at := 0
	for _, m := range marks {
		placed[m.i] = true
		b.WriteString(escape.Replace(body[at:m.from]))
		b.WriteString(body[m.from:m.to])
		at = m.to
	}
	b.WriteString(escape.Replace(body[at:]))
	return []edit{
		{int(r.Word.Pos().Offset()), int(r.Word.End().Offset()), name},
		{from, to, b.String()},
	}, nil
}

// A mark is a value's place in a text: the i-th value at text[from:to].
type mark struct{ i, from, to int }

func (p *Program) marks(text string) []mark {
	var found []mark
	open := "${" + p.prefix
	for at := 0; ; {
		n := strings.Index(text[at:], open)
		if n < 0 {
			return found
		}
		from := at + n
		end := strings.IndexByte(text[from:], '}')
		if end < 0 {
			return found
		}
		at = from + end + 1
		if i, err := strconv.Atoi(text[from+len(open) : at-1]); err == nil && i < len(p.Vars) {
			found = append(found, mark{i, from, at})
		}
	}
}

// index returns the index of the value that a parameter holds.
func (p *Program) index(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, p.prefix)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(digits)
	return i, err == nil && i < len(p.Vars)
}

// placeComments records the marks in comments, where they have no meaning.
func (p *Program) placeComments(placed []bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(p.Text), "")
	if err != nil {
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			for _, m := range p.marks(c.Text) {
				placed[m.i] = true
				p.Vars[m.i].Unused = true
			}
		}
		return true
	})
}

// closing returns the end of a substitution that had backquotes. After a here-document, the end
// needs its own line.
func closing(sub *syntax.CmdSubst) string {
	end := ")"
	syntax.Walk(sub, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok && r.Hdoc != nil {
			end = "\n)"
		}
		return true
	})
	return end
}

// walk calls f for every node with the path to the node. The node is the last of the path.
func walk(root syntax.Node, f func(path []syntax.Node)) {
	var path []syntax.Node
	syntax.Walk(root, func(n syntax.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		f(path)
		return true
	})
}

// A spot says how the shell reads an expansion in its place.
type spot struct {
	quoted  bool // between double quotes
	heredoc bool // in a here-document's body
	regex   bool // right of =~
	list    bool // it becomes words: an argument, an item of for, an element of an array
	before  bool // another part of the same word is before it
	after   bool // another part of the same word is after it
}

func contextOf(path []syntax.Node) spot {
	var c spot
	for k := len(path) - 1; k > 0; k-- {
		child, parent := path[k], path[k-1]
		switch parent := parent.(type) {
		case *syntax.DblQuoted:
			c.quoted = true
		case *syntax.Word:
			c.before = c.before || parent.Parts[0] != child
			c.after = c.after || parent.Parts[len(parent.Parts)-1] != child
		case *syntax.ParamExp:
			// An operand: ${x:-HERE} and ${x#HERE} take a single string. Between double quotes only
			// a pattern needs quotes of its own.
			if c.quoted {
				return c
			}
			if pattern(parent, child) {
				return spot{}
			}
			outer := contextOf(path[:k])
			return spot{quoted: outer.quoted || outer.heredoc}
		case *syntax.Redirect:
			c.heredoc = parent.Hdoc == child
			return c
		case *syntax.BinaryTest:
			c.regex = parent.Op == syntax.TsReMatch && parent.Y == child
			return c
		case *syntax.CallExpr, *syntax.WordIter:
			c.list = true
			return c
		case *syntax.ArrayElem:
			c.list = parent.Index == nil
			return c
		case *syntax.Stmt, *syntax.Assign, *syntax.CaseClause, *syntax.CaseItem, *syntax.UnaryTest, *syntax.TestClause:
			return c
		}
	}
	return c
}

// pattern reports whether an operand is a pattern, ${x#HERE}, or has characters with a special
// meaning, such as & in ${x/…/HERE}.
func pattern(exp *syntax.ParamExp, operand syntax.Node) bool {
	if exp.Repl != nil {
		return exp.Repl.Orig == operand || exp.Repl.With == operand
	}
	if exp.Exp == nil {
		return false
	}
	switch exp.Exp.Op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return true
	}
	return false
}

func inBackquotes(path []syntax.Node) *syntax.CmdSubst {
	for _, n := range path {
		if sub, ok := n.(*syntax.CmdSubst); ok && sub.Backquotes {
			return sub
		}
	}
	return nil
}

// quotedAround reports whether a node is between double quotes, without a substitution between the
// quotes and the node.
func quotedAround(path []syntax.Node) bool {
	for _, n := range slices.Backward(path) {
		switch n.(type) {
		case *syntax.DblQuoted:
			return true
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
	}
	return false
}

// patternAround reports whether a node is part of a pattern, as in "${x%HERE}", where quotes are
// quotes even between double quotes.
func patternAround(path []syntax.Node) bool {
	for k := len(path) - 1; k > 0; k-- {
		switch parent := path[k-1].(type) {
		case *syntax.ParamExp:
			return pattern(parent, path[k])
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.DblQuoted:
			return false
		}
	}
	return false
}

func quotedWord(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		case *syntax.Lit:
			if strings.Contains(part.Value, `\`) {
				return true
			}
		}
	}
	return false
}

// wordsOf returns the words that a value without quotes becomes.
func wordsOf(v *Value, before, after bool) []string {
	if v.Words != nil {
		return v.Words
	}
	return splitData(v.Data, before, after)
}

// splitData splits a value without quotes into words, at white space. The value's own quotes are
// data too, with one exception. If the whole value is ordinary, so that pasting it would have been
// harmless, quotes group words as people expect: "my file.txt" --fast is two words.
func splitData(data string, before, after bool) []string {
	fields, ok := ordinaryWords(data)
	if !ok {
		fields = strings.FieldsFunc(data, isBlank)
	}
	if data == "" {
		return nil
	}
	// x$0 with " a" is the two fields x and a: the space ends the first field.
	if before && isBlank(firstRune(data)) {
		fields = append([]string{""}, fields...)
	}
	if after && len(fields) > 0 && isBlank(lastRune(data)) {
		fields = append(fields, "")
	}
	return fields
}

// isBlank reports whether the shell splits words at r with the default IFS.
func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func lastRune(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }

// ordinaryWords splits data that consists of plain characters, and of closed quotes around plain
// characters. Any character with a meaning for a shell makes the data not ordinary.
func ordinaryWords(data string) (list []string, ok bool) {
	var word strings.Builder
	inWord := false
	var quote rune
	for _, r := range data {
		switch {
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, inWord = r, true
		case quote == 0 && isBlank(r):
			if inWord {
				list = append(list, word.String())
				word.Reset()
				inWord = false
			}
		case isPlain(r) || quote != 0 && isBlank(r):
			word.WriteRune(r)
			inWord = true
		default:
			return nil, false
		}
	}
	if quote != 0 {
		return nil, false
	}
	if inWord {
		list = append(list, word.String())
	}
	return list, true
}

// isPlain reports whether r has no special meaning in any shell.
func isPlain(r rune) bool {
	return r >= 0x80 && r != utf8.RuneError ||
		'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
		strings.ContainsRune("_-./:=,@%+", r)
}

// Lookup returns the line's value that a variable of the program holds.
func (p *Program) Lookup(name string) (v Variable, ok bool) {
	if p.prefix == "" {
		return Variable{}, false
	}
	i, ok := p.index(name)
	if !ok {
		return Variable{}, false
	}
	return p.Vars[i], true
}

// HasNUL reports whether the text or a value contains a NUL byte, which ends a C string.
func (p *Program) HasNUL() bool {
	return strings.IndexByte(p.Text, 0) >= 0 ||
		slices.ContainsFunc(p.Vars, func(v Variable) bool { return strings.IndexByte(v.Data, 0) >= 0 })
}

// Parsed reports whether the text could be parsed. A text that cannot be parsed has no values, and
// bash reports what is wrong with it.
func (p *Program) Parsed() bool { return p.file != nil }

// A Call is a simple command that is a whole line.
type Call struct {
	Name  string
	Args  []string
	Plain bool // it has no redirections and no assignments, and all of its arguments are known
}

// Call returns the simple command that is the whole line, if the line is a simple command with a
// known name.
func (p *Program) Call() (c Call, ok bool) {
	if p.file == nil || len(p.file.Stmts) != 1 {
		return Call{}, false
	}
	st := p.file.Stmts[0]
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || st.Negated || st.Background || st.Coprocess || st.Disown {
		return Call{}, false
	}
	if c.Name, ok = p.name(call); !ok {
		return Call{}, false
	}
	c.Plain = len(st.Redirs) == 0 && len(call.Assigns) == 0
	for _, w := range call.Args[1:] {
		fields, ok := p.fields(w)
		c.Plain = c.Plain && ok
		c.Args = append(c.Args, fields...)
	}
	return c, true
}

// Names returns the names of the commands that the line calls, as far as they are known.
func (p *Program) Names() []string {
	if p.file == nil {
		return nil
	}
	var names []string
	syntax.Walk(p.file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			if name, ok := p.name(call); ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return true
	})
	return names
}

// A Command is one command that a line calls.
type Command struct {
	Words []string // the name, then the arguments; "" for a word that is unknown before the line runs
}

// Commands returns the commands that the line calls, and whether it sets PATH, which decides where
// commands are found.
func (p *Program) Commands() (all []Command, setsPath bool) {
	if p.file == nil {
		return nil, false
	}
	syntax.Walk(p.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			setsPath = setsPath || n.Name != nil && n.Name.Value == "PATH"
		case *syntax.Stmt:
			call, ok := n.Cmd.(*syntax.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			name, ok := p.name(call)
			if text, told := words.Text(call.Args[0], p.told); !ok && told && text != "" && !strings.ContainsAny(text, "*?[{~") {
				name = text
			}
			if !ok && isHome(call.Args[0]) {
				name = call.Args[0].Lit()
			}
			c := Command{Words: []string{name}}
			for _, w := range call.Args[1:] {
				fields, ok := p.fields(w)
				if text, told := words.Text(w, p.told); !ok && told {
					fields, ok = []string{text}, true
				}
				if !ok {
					fields = []string{""}
				}
				c.Words = append(c.Words, fields...)
			}
			all = append(all, c)
		}
		return true
	})
	return all, setsPath
}

// name returns the name of a command, if it is literal or one of the line's values.
func (p *Program) name(call *syntax.CallExpr) (string, bool) {
	if call.Args[0].Lit() == "[" {
		return "[", true
	}
	fields, ok := p.fields(call.Args[0])
	if !ok || len(fields) != 1 || fields[0] == "" {
		return "", false
	}
	return fields[0], true
}

// fields returns the fields that w becomes, if w consists only of literals, quotes and the line's
// values.
func (p *Program) fields(w *syntax.Word) ([]string, bool) {
	for _, piece := range words.Pieces(w) {
		if piece.Expand {
			return nil, false
		}
	}
	return words.Fields(w, p.value)
}

// told returns the same values as value and also recognizes the output of dirname for a known path.
func (p *Program) told(piece words.Piece) (words.Value, bool) {
	sub, ok := piece.Node.(*syntax.CmdSubst)
	if !ok || len(sub.Stmts) != 1 || len(sub.Stmts[0].Redirs) > 0 {
		return p.value(piece)
	}
	call, ok := sub.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 2 || len(call.Assigns) > 0 || call.Args[0].Lit() != "dirname" {
		return words.Value{}, false
	}
	text, ok := words.Text(call.Args[1], p.told)
	if !ok || !strings.HasPrefix(text, "/") || strings.HasSuffix(text, "/") || strings.Contains(text, "//") {
		return words.Value{}, false
	}
	return words.Value{Text: text[:max(1, strings.LastIndexByte(text, '/'))]}, true
}

// Moves returns the folder in which the whole line runs, if all of it follows a cd to a known
// folder: cd DIR && ….
func (p *Program) Moves() (dir string, ok bool) {
	if p.file == nil || len(p.file.Stmts) != 1 {
		return "", false
	}
	st := p.file.Stmts[0]
	found := false
	for {
		b, ok := st.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.AndStmt {
			break
		}
		st, found = b.X, true
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || !found || len(call.Args) != 2 || call.Args[0].Lit() != "cd" || len(st.Redirs) > 0 || st.Negated {
		return "", false
	}
	dir, ok = words.Text(call.Args[1], p.told)
	return dir, ok && strings.HasPrefix(dir, "/")
}

// value returns the value of an expansion that is one of the line's values.
func (p *Program) value(piece words.Piece) (words.Value, bool) {
	exp, ok := piece.Node.(*syntax.ParamExp)
	if !ok || exp.Param == nil {
		return words.Value{}, false
	}
	v, ok := p.Lookup(exp.Param.Value)
	switch {
	case !ok:
		return words.Value{}, false
	case v.Split && exp.Index != nil:
		return words.Value{List: v.Words, All: true}, true
	}
	return words.Value{Text: v.Data}, !v.Split && words.Plain(exp)
}
