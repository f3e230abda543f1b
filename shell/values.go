package shell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A program is a line whose values have become variables: its text is all
// code, and no value's data is in it.
type program struct {
	text string
	file *syntax.File // text, parsed; nil if it does not parse, and then it has no values
	vars []variable
}

// A variable holds a value while a program runs. It is never exported.
type variable struct {
	name  string
	data  string
	split bool // an indexed array that holds words, for a value that stands unquoted
	words []string
	place bool
}

// A refusal says why a line must not run with the values it was given.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

func refuse(format string, a ...any) error { return &refusal{fmt.Sprintf(format, a...)} }

// program puts the line's values into its parsed command. It works in three
// steps: each value's place is marked by a variable of its own and the text is
// parsed; the tree says in which context each mark stands, and the line is
// refused where a value would be code; the marks are then quoted, by byte
// offset, as their context asks. Data is never part of any text that is parsed.
func (l Line) program() (*program, error) {
	p := &program{}
	text, prefix := l.mark(p)
	file, err := parse(text)
	if err != nil {
		if len(p.vars) == 0 {
			return &program{text: text}, nil // bash shall say what is wrong
		}
		return nil, refuse("the command cannot be parsed, so its values cannot be kept apart from it: %v", err)
	}
	p.text, p.file = text, file
	if len(p.vars) == 0 {
		return p, nil
	}
	if err := l.refuseCode(p, prefix); err != nil {
		return nil, err
	}
	edits, err := l.place(p, prefix)
	if err != nil {
		return nil, err
	}
	if len(edits) == 0 {
		return p, nil
	}
	p.text = apply(text, edits)
	if p.file, err = parse(p.text); err != nil {
		return nil, refuse("the command cannot take values where they stand: %v", err)
	}
	return p, nil
}

func parse(text string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// mark joins the line's parts, with ${PREFIX_N} where the N-th value stands.
func (l Line) mark(p *program) (text, prefix string) {
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
		v := variable{name: prefix + strconv.Itoa(len(p.vars)), data: part.Value.Data, place: part.Value.Place}
		p.vars = append(p.vars, v)
		b.WriteString("${" + v.name + "}")
	}
	return b.String(), prefix
}

// written returns what stands in the skill for the i-th value: $ARGUMENTS.
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

// place decides for every mark how it must be written in its context.
func (l Line) place(p *program, prefix string) ([]edit, error) {
	var edits []edit
	placed := make([]bool, len(p.vars))
	var fault error
	backquotes := map[*syntax.CmdSubst]bool{}
	walk(p.file, func(path []syntax.Node) {
		if fault != nil {
			return
		}
		switch n := path[len(path)-1].(type) {
		case *syntax.ParamExp:
			i, ok := p.index(n.Param, prefix)
			if !ok {
				return
			}
			placed[i] = true
			edits, fault = p.placeExpansion(edits, path, n, i, backquotes)
		case *syntax.SglQuoted:
			at := int(n.Left.Offset()) + 1
			again := "'"
			if n.Dollar {
				at++
				again = "$'"
			}
			for _, m := range p.marks(p.text[at:n.Right.Offset()], prefix) {
				placed[m.i] = true
				if quotedAround(path) {
					continue // "${x:-'…'}": these quotes are characters, and ${v} is an expansion
				}
				if inBackquotes(path) != nil {
					fault = refuse("%s stands in quotes inside backquotes: use $( ) instead", l.written(m.i))
				}
				edits = append(edits, edit{at + m.from, at + m.to, "'\"" + p.text[at+m.from:at+m.to] + "\"" + again})
			}
		case *syntax.Redirect:
			if n.Hdoc == nil || !quotedWord(n.Word) {
				return
			}
			var more []edit
			more, fault = p.placeHeredoc(n, prefix, placed)
			edits = append(edits, more...)
		}
	})
	if fault != nil {
		return nil, fault
	}
	for sub := range backquotes {
		edits = append(edits,
			edit{int(sub.Left.Offset()), int(sub.Left.Offset()) + 1, "$("},
			edit{int(sub.Right.Offset()), int(sub.Right.Offset()) + 1, ")"})
	}
	for i, ok := range placed {
		if !ok && !inComment(p, i) {
			return nil, refuse("%s stands where no value can be put", l.written(i))
		}
	}
	return edits, nil
}

// placeExpansion handles a mark that the parser saw as an expansion.
func (p *program) placeExpansion(edits []edit, path []syntax.Node, n *syntax.ParamExp, i int, backquotes map[*syntax.CmdSubst]bool) ([]edit, error) {
	if sub := inBackquotes(path); sub != nil {
		// Inside backquotes a backslash means something else, and quotes nest in
		// odd ways; $( ) has neither problem, and without backslashes they are equal.
		if strings.Contains(p.text[sub.Left.Offset():sub.Right.Offset()], `\`) {
			return nil, refuse("a value stands beside a backslash inside backquotes: use $( ) instead")
		}
		backquotes[sub] = true
	}
	from, to := int(n.Dollar.Offset()), int(n.End().Offset())
	v := &p.vars[i]
	switch c := contextOf(path); {
	case c.quoted || c.heredoc || c.regex:
		return edits, nil // ${v} is not split here, and what it holds is not read again
	case c.list && !v.place:
		v.split = true
		v.words = splitData(v.data, c.before, c.after)
		return append(edits, edit{from, to, `"${` + v.name + `[@]}"`}), nil
	default:
		return append(edits, edit{from, to, `"${` + v.name + `}"`}), nil
	}
}

// placeHeredoc opens a quoted here-document for its values and escapes the rest of it.
func (p *program) placeHeredoc(r *syntax.Redirect, prefix string, placed []bool) ([]edit, error) {
	from, to := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	body := p.text[from:to]
	marks := p.marks(body, prefix)
	if len(marks) == 0 {
		return nil, nil
	}
	word := p.text[r.Word.Pos().Offset():r.Word.End().Offset()]
	name := strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(word)
	if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") != "" {
		return nil, refuse("a value stands in a here-document that ends with %s: use a plain word", word)
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

// marks finds the marks in a literal text.
func (p *program) marks(text, prefix string) []mark {
	var found []mark
	open := "${" + prefix
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
		if i, err := strconv.Atoi(text[from+len(open) : at-1]); err == nil && i < len(p.vars) {
			found = append(found, mark{i, from, at})
		}
	}
}

// index returns which of the line's values a parameter stands for.
func (p *program) index(param *syntax.Lit, prefix string) (int, bool) {
	if param == nil {
		return 0, false
	}
	digits, ok := strings.CutPrefix(param.Value, prefix)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(digits)
	return i, err == nil && i < len(p.vars)
}

// inComment reports whether the i-th mark stands in a comment, where it means nothing.
func inComment(p *program, i int) bool {
	at := strings.Index(p.text, "${"+p.vars[i].name+"}")
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(p.text), "")
	if at < 0 || err != nil {
		return false
	}
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && int(c.Pos().Offset()) <= at && at < int(c.End().Offset()) {
			found = true
		}
		return !found
	})
	return found
}

// walk calls f for every node with the path that leads to it, the node last.
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

// A spot says how the shell reads an expansion where it stands.
type spot struct {
	quoted  bool // between double quotes
	heredoc bool // in a here-document's body
	regex   bool // right of =~
	list    bool // makes words: an argument, an item of for, an element of an array
	before  bool // another part of the same word stands before it
	after   bool // and after it
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
			// An operand: ${x:-HERE} and ${x#HERE} take one text. Between double
			// quotes only a pattern needs quotes of its own.
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

// pattern reports whether the operand is matched against, ${x#HERE}, or means
// something beside itself, as & does in ${x/…/HERE}.
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

// quotedAround reports whether a node stands between double quotes, with no
// substitution of its own in between.
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

// splitData splits a value that stands unquoted into words, at white space. Its
// quotes are data too, with one exception: where the whole value is ordinary,
// so that pasting it would have been harmless, quotes group as people mean
// them: "my file.txt" --fast is two words.
func splitData(data string, before, after bool) []string {
	words, ok := ordinaryWords(data)
	if !ok {
		words = strings.FieldsFunc(data, isBlank)
	}
	if data == "" {
		return nil
	}
	// x$0 with " a" is the two words x and a: the blank still ends the first one.
	if before && isBlank(firstRune(data)) {
		words = append([]string{""}, words...)
	}
	if after && len(words) > 0 && isBlank(lastRune(data)) {
		words = append(words, "")
	}
	return words
}

// isBlank reports whether the shell splits words at r, as its default IFS says.
func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func lastRune(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }

// ordinaryWords splits data that is made of plain characters and closed quotes
// around plain characters. Anything a shell would act on makes it not ordinary.
func ordinaryWords(data string) (words []string, ok bool) {
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
				words = append(words, word.String())
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
		words = append(words, word.String())
	}
	return words, true
}

// isPlain reports whether r means nothing to any shell.
func isPlain(r rune) bool {
	return r >= 0x80 && r != utf8.RuneError ||
		'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
		strings.ContainsRune("_-./:=,@%+", r)
}

// plainText reports whether s means nothing to any shell, wherever it stands.
func plainText(s string) bool {
	for _, r := range s {
		if !isPlain(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// fields returns the words that w stands for, if it is made of nothing but
// literals, quotes and the line's values.
func (p *program) fields(w *syntax.Word) ([]string, bool) {
	words := []string{""}
	made := false // whether anything but an empty list stood there
	add := func(more []string) {
		if len(more) == 0 {
			return
		}
		made = true
		words[len(words)-1] += more[0]
		words = append(words, more[1:]...)
	}
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(part.Value, "*?[{~") {
				return nil, false
			}
			add([]string{unescape(part.Value, "")})
		case *syntax.SglQuoted:
			if part.Dollar && strings.Contains(part.Value, `\`) {
				return nil, false
			}
			add([]string{part.Value})
		case *syntax.DblQuoted:
			if part.Dollar {
				return nil, false
			}
			if list, ok := p.list(part); ok {
				add(list)
				continue
			}
			text, ok := p.quotedText(part.Parts)
			if !ok {
				return nil, false
			}
			add([]string{text})
		default:
			return nil, false
		}
	}
	if !made {
		return nil, true
	}
	return words, true
}

// list recognises "${v[@]}" for one of the line's split values.
func (p *program) list(q *syntax.DblQuoted) ([]string, bool) {
	if len(q.Parts) != 1 {
		return nil, false
	}
	exp, ok := q.Parts[0].(*syntax.ParamExp)
	if !ok || exp.Param == nil || exp.Index == nil {
		return nil, false
	}
	for _, v := range p.vars {
		if v.split && v.name == exp.Param.Value {
			return v.words, true
		}
	}
	return nil, false
}

// quotedText returns the text between double quotes.
func (p *program) quotedText(parts []syntax.WordPart) (string, bool) {
	var b strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(part.Value, "$`\"\\\n"))
		case *syntax.ParamExp:
			v, ok := p.value(part)
			if !ok {
				return "", false
			}
			b.WriteString(v)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// value returns what a plain ${v} holds, if it is one of the line's values.
func (p *program) value(exp *syntax.ParamExp) (string, bool) {
	if exp.Param == nil || exp.Excl || exp.Length || exp.Index != nil || exp.Slice != nil || exp.Repl != nil || exp.Exp != nil || exp.Names != 0 {
		return "", false
	}
	for _, v := range p.vars {
		if !v.split && v.name == exp.Param.Value {
			return v.data, true
		}
	}
	return "", false
}

// unescape removes the backslashes that quote. Between double quotes only
// those before the characters of only do.
func unescape(s, only string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) || only != "" && !strings.Contains(only, s[i+1:i+2]) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if s[i] != '\n' { // a backslash at a line's end joins the lines
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
