package bind

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
)

// A field is an argument, as far as it is known before the line runs.
type field struct {
	bits []bit
	many bool // it may become several words, or no word
}

// A bit is a part of a field: text, a value of the line, or a hole, whose content is still unknown.
type bit struct {
	text  string // of a split value: the word in this place
	from  *value // the value, if it is one
	hole  bool
	dirty bool // the hole may contain any value
}

func (x bit) isText() bool { return x.from == nil && !x.hole }
func (x bit) ours() bool   { return x.from != nil && x.from.ours }
func (x bit) given() bool  { return x.from != nil && !x.from.ours } // by the user

// join joins the field's bits, with a NUL for each hole, and the result of value for each value.
func (f field) join(value func(bit) string) string {
	var b strings.Builder
	for _, x := range f.bits {
		switch {
		case x.hole:
			b.WriteByte(0)
		case x.from != nil:
			b.WriteString(value(x))
		default:
			b.WriteString(x.text)
		}
	}
	return b.String()
}

// full returns the field with its values. own returns only what the author wrote.
func (f field) full() string { return f.join(func(x bit) string { return x.text }) }
func (f field) own() string  { return f.join(func(bit) string { return "\x00" }) }

// lead returns the author's text at the beginning of the field.
func (f field) lead() string {
	if len(f.bits) > 0 && f.bits[0].isText() {
		return f.bits[0].text
	}
	return ""
}

// literal returns the text of a field that consists only of text.
func (f field) literal() (string, bool) {
	if slices.ContainsFunc(f.bits, func(x bit) bool { return !x.isText() }) {
		return "", false
	}
	return f.own(), true
}

func (f field) lit() string { text, _ := f.literal(); return text }

func (f field) dirty() bool { return slices.ContainsFunc(f.bits, func(x bit) bool { return x.dirty }) }

// reached reports whether a value can be part of the field in any way.
func (f field) reached() bool {
	return slices.ContainsFunc(f.bits, func(x bit) bool { return x.dirty || x.given() })
}

// after returns a field without the first n bytes of the text at its beginning.
func after(f field, n int) field {
	bits := slices.Clone(f.bits)
	if len(bits) > 0 && bits[0].isText() {
		bits[0].text = bits[0].text[min(n, len(bits[0].text)):]
	}
	return field{bits: bits, many: f.many}
}

// joined joins fields with spaces, as echo and eval do.
func joined(fs []field) (all field) {
	for i, f := range fs {
		if i > 0 {
			all.bits = append(all.bits, bit{text: " "})
		}
		all.bits = append(all.bits, f.bits...)
		all.many = all.many || f.many
	}
	return all
}

func literal(text string) field { return field{bits: []bit{{text: text}}} }

// unknown returns a field that may contain any value.
func unknown() field { return field{bits: []bit{{hole: true, dirty: true}}, many: true} }

func (s *scope) fields(args []*syntax.Word) (list []field) {
	for _, w := range args {
		ws := braced(w)
		for _, w := range ws {
			list = append(list, s.word(w)...)
		}
		if len(ws) > maxBraced {
			list = append(list, unknown())
		}
	}
	return list
}

const maxBraced = 1000

// braced returns the words that braces make of one word: sort {-r,"$0"}. Of very many words it
// returns the first.
func braced(w *syntax.Word) (list []*syntax.Word) {
	split := *w
	if !syntax.SplitBraces(&split) {
		return []*syntax.Word{w}
	}
	for one := range expand.BracesSeq(nil, &split) {
		if list = append(list, one); len(list) > maxBraced {
			break
		}
	}
	return list
}

// elements returns the fields of "${a[@]}", if the line writes that list out and the list contains
// no other list.
func (s *scope) elements(p words.Piece) (list []field, known bool) {
	n, ok := p.Node.(*syntax.ParamExp)
	if !ok || !p.Quoted || !isList(n) || n.Param.Value == "@" || words.Lit(n.Index.(*syntax.Word)) != "@" ||
		n.Length || n.Excl || n.Exp != nil || n.Slice != nil || n.Repl != nil || s.anyVar {
		return nil, false
	}
	a := s.lists[n.Param.Value]
	if a == nil || len(a.Elems) == 0 || len(a.Elems) > maxInert {
		return nil, false
	}
	lists := s.lists
	s.lists = nil
	defer func() { s.lists = lists }()
	for _, e := range a.Elems {
		if e.Index != nil || e.Value == nil {
			return nil, false
		}
		list = append(list, s.fields([]*syntax.Word{e.Value})...)
	}
	return list, true
}

// word evaluates one word, which can become several fields.
func (s *scope) word(w *syntax.Word) []field {
	done := []field{{}}
	pieces := words.Pieces(w)
	if len(pieces) == 0 {
		return nil
	}
	if list, known := s.elements(pieces[0]); known && len(pieces) == 1 {
		return list
	}
	last := func() *field { return &done[len(done)-1] }
	for _, p := range pieces {
		if p.Node == nil {
			if at := strings.IndexAny(p.Text, globs); at >= 0 && s.named() && p.Expand && p.Text != "[" {
				last().bits, last().many = merge(last().bits, append(s.marked(p.Text[:at]), bit{hole: true, dirty: true})...), true
				continue
			}
			last().bits = merge(last().bits, s.marked(p.Text)...)
			continue
		}
		if _, ok := p.Node.(*syntax.ProcSubst); ok {
			last().bits = merge(last().bits, bit{text: "/dev/fd/"}, bit{hole: true, dirty: true})
			continue
		}
		quoted := p.Quoted && !isList(p.Node)
		switch x := s.expansion(p.Node); {
		case quoted, x.hole, x.ours():
			last().bits = merge(last().bits, x)
			last().many = last().many || x.hole && !quoted
			if x.dirty && !quoted && (s.changes || s.unlike(noBlank) >= 0) {
				done = append(done, unknown()) // the words after the first
			}
		default:
			list := s.split(x)
			last().many = last().many || len(list) == 0
			for i, text := range list {
				if i > 0 {
					done = append(done, field{})
				}
				if text != "" {
					last().bits = merge(last().bits, bit{text: text, from: x.from})
				}
			}
		}
	}
	for _, f := range done {
		s.trace(f)
	}
	if s.depth > 0 { // a value that ends with a space leaves an empty field
		done = slices.DeleteFunc(done, func(f field) bool { return len(f.bits) == 0 && !f.many })
	}
	return done
}

// split returns the words that an expansion without quotes becomes. In code for a shell a value is
// pasted: its spaces split it, and a space at its edge separates it from the text next to it.
func (s *scope) split(x bit) []string {
	switch {
	case x.from == nil:
		return strings.Fields(x.text)
	case s.depth > 0:
		return strings.Split(x.text, " ")
	}
	return x.from.words
}

// isList reports whether an expansion is "$@" or "${a[@]}", which become several words in spite of
// the quotes.
func isList(n syntax.WordPart) bool {
	p, ok := n.(*syntax.ParamExp)
	return ok && p.Param != nil && !p.Length && (p.Param.Value == "@" || isAt(p.Index))
}

// text evaluates a word that becomes a single string, such as a here-document.
func (s *scope) text(w *syntax.Word) (f field) {
	for _, p := range words.Pieces(w) {
		if p.Node == nil {
			f.bits = merge(f.bits, s.marked(p.Text)...)
		} else {
			f.bits = merge(f.bits, s.expansion(p.Node))
		}
	}
	return s.trace(f)
}

// merge appends bits, and joins text bits that are next to each other.
func merge(list []bit, more ...bit) []bit {
	for _, x := range more {
		if n := len(list); n > 0 && x.isText() && list[n-1].isText() {
			list[n-1].text += x.text
		} else {
			list = append(list, x)
		}
	}
	return list
}

func (s *scope) value(i int) bit { return bit{text: s.vals[i].data, from: &s.vals[i]} }

// marked returns literal text as bits, with the values in it.
func (s *scope) marked(text string) (list []bit) {
	at := 0
	for _, m := range s.marks(text) {
		if m.from > at {
			list = append(list, bit{text: text[at:m.from]})
		}
		list = append(list, s.value(m.i))
		at = m.to
	}
	if at < len(text) || len(list) == 0 {
		list = append(list, bit{text: text[at:]})
	}
	return list
}

// expansion evaluates an expansion: a value, a number, the text that the line assigns to a
// variable, or a hole.
func (s *scope) expansion(n syntax.WordPart) bit {
	switch n := n.(type) {
	case *syntax.SglQuoted: // $'\x2d'
		if text, _, err := expand.Format(nil, n.Value, nil); err == nil && len(s.marks(n.Value)) == 0 && !s.foreign {
			return bit{text: text}
		}
	case *syntax.ArithmExp:
		return bit{text: "0"} // it is judged separately
	case *syntax.ParamExp:
		if n.Param == nil {
			break
		}
		if i, ok := s.index(n.Param.Value); ok {
			return s.value(i)
		}
		list := s.sets[n.Param.Value]
		if len(list) != 1 || list[0] == nil || !words.Plain(n) || s.anyVar {
			break
		}
		if text, ok := words.Literal(list[0]); ok && len(s.marks(text)) == 0 {
			return bit{text: text}
		}
		if pieces := words.Pieces(list[0]); len(pieces) == 1 {
			if sub, ok := pieces[0].Node.(*syntax.CmdSubst); ok {
				return s.expansion(sub)
			}
		}
	case *syntax.CmdSubst:
		if strings.HasPrefix(last(n), "mktemp") && !s.holds(n) {
			return bit{text: "/tmp/mktemp.txt"}
		}
	}
	switch s.class(n, 1, "", false) {
	case digits:
		return bit{text: "0"}
	case fixed:
		return bit{hole: true}
	}
	return bit{hole: true, dirty: true}
}

// A class says what a string may contain.
type class int

const (
	digits class = iota // a number, whatever the values of the line are
	fixed               // no value is part of it
	open                // any value may be part of it
)

// holds reports whether a value may be part of what n becomes.
func (s *scope) holds(n syntax.Node) bool { return s.class(n, 1, "", false) == open }

// numeric reports whether arithmetic consists only of numbers, and of names of variables that can
// only be numbers.
func (s *scope) numeric(n syntax.Node) bool {
	w, isWord := n.(*syntax.Word)
	return n == nil || isWord && w == nil || s.class(n, 1, "", true) == digits
}

// class returns what n can become. It looks once at the words that the line assigns to a variable.
// A variable in these words may be anything. A variable that refers to itself (PATH="x:$PATH") adds
// nothing. In arithmetic, names are variables.
func (s *scope) class(root syntax.Node, far int, self string, reckons bool) class {
	most := digits
	syntax.Walk(root, func(n syntax.Node) bool {
		is, inside := digits, true
		switch n := n.(type) {
		case *syntax.Lit:
			is = s.textClass(n.Value)
			if is == fixed && reckons {
				is = s.variableClass(n.Value, far)
			} else if s.named() && strings.ContainsAny(n.Value, globs) && n.Value != "[" {
				is = open
			}
		case *syntax.SglQuoted:
			is = s.textClass(n.Value)
		case *syntax.ArithmExp:
			inside = n == root // else it is judged separately
		case *syntax.ProcSubst:
			is = open
		case *syntax.ParamExp:
			plain := words.Plain(n)
			switch {
			case n.Param == nil || n.Excl:
				is = open
			case n.Length || plain && len(n.Param.Value) == 1 && strings.Contains("?#$!", n.Param.Value):
				return false
			case n.Param.Value != self:
				is = s.variableClass(n.Param.Value, far)
			}
			if !plain {
				is = max(is, fixed)
			}
		case *syntax.CmdSubst:
			switch {
			case s.counts(n):
				return false
			case innocent(n, s.foreign):
				is = fixed
			default:
				is = open
			}
		}
		most = max(most, is)
		return inside && most < open
	})
	return most
}

func (s *scope) textClass(text string) class {
	switch {
	case len(s.marks(text)) > 0:
		return open
	case aNumber(text) || text == "":
		return digits
	}
	return fixed
}

func (s *scope) variableClass(name string, far int) class {
	_, ours := s.index(name)
	positional := name == "@" || name == "*" || name != "" && name[0] >= '1' && name[0] <= '9'
	switch list := s.sets[name]; {
	case ours, s.anyVar, positional && (s.positional || s.shifted), among("filled", name),
		strings.HasSuffix(name, "PWD") && s.moves, far == 0 && len(list) > 0:
		return open
	case len(list) == 0:
		return fixed
	}
	is, known := s.classes[name]
	if !known {
		for _, w := range s.sets[name] {
			if w == nil {
				is = open
			} else {
				is = max(is, s.class(w, far-1, name, false))
			}
		}
		s.classes[name] = is
	}
	return is
}

// innocent reports whether a substitution runs a command that only prints where something is, or a
// time. The name of a branch is chosen by the project: git clone accepts a name that begins like an
// option.
func innocent(n *syntax.CmdSubst, foreign bool) bool {
	text := last(n)
	name, rest, _ := strings.Cut(text, " ")
	sub, _, _ := strings.Cut(rest, " ")
	names := strings.Contains(text, " --abbrev-ref") || strings.Contains(text, " --symbolic")
	return (among("places", name) || among("places", name+"/"+sub)) && !(foreign && names)
}

// last returns the command whose output a substitution becomes: the last of its pipeline, without
// || true and || echo 0.
func last(n *syntax.CmdSubst) string {
	if len(n.Stmts) != 1 {
		return ""
	}
	cmd := n.Stmts[0].Cmd
	for {
		b, ok := cmd.(*syntax.BinaryCmd)
		switch {
		case ok && b.Op == syntax.Pipe && passing.Get().MatchString(command(b.Y.Cmd)):
			cmd = b.X.Cmd
		case ok && b.Op == syntax.Pipe:
			cmd = b.Y.Cmd
		case ok && b.Op == syntax.OrStmt && slices.Contains([]string{"true", ":", "echo 0"}, command(b.Y.Cmd)):
			cmd = b.X.Cmd
		default:
			return command(cmd)
		}
	}
}

// command returns a simple command as text, with nothing for words that are not literal.
func command(cmd syntax.Command) string {
	var text []string
	if call, ok := cmd.(*syntax.CallExpr); ok {
		for _, w := range call.Args {
			text = append(text, words.Lit(w))
		}
	}
	return strings.Join(text, " ")
}

// counts reports whether a substitution prints a number: $(… | wc -l), $(grep -c x f || true),
// $(date +%s).
func (s *scope) counts(n *syntax.CmdSubst) bool {
	text := last(n)
	return !s.dash && counting.Get().MatchString(text) || leaving.Get().MatchString(text) && s.unlike(fewDigits) < 0
}

var (
	// passing matches commands that print some of their input lines. leaving matches commands that
	// keep only the digits of a text.
	passing = words.Regexp(`^(?:head|tail)(?: -n)? -?\d+$|^(?:sort|uniq)(?: -[nru]+)?$`)
	leaving = words.Regexp(`^(?:(?:sed|sed -E) s/\[\^0-9\][+*]?//g|tr -cd \[?(?:0-9|:digit:)\]?|grep -o(?:E|h|Eh)? ` +
		`\[0-9\]\\?\+|grep -oP \\d\+)$`)
)

// counting matches commands that print a number.
var counting = words.Regexp(`^(?:wc -[lcw]|grep -ci? [^ ]*(?: [^ *?\[]*)?|date(?: -u)?(?: -d .*)? \+%s|` +
	`jq (?:-\w+ )?[\w.\[\]| ]*\blength(?: [^ ]*)?|git rev-list --count .*|stat -c [%XYZsb]+ .*)$`)
