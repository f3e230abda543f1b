package bind

import (
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
	"mvdan.cc/sh/v3/syntax"
)

// A field is an argument as far as it is known before the line runs.
type field struct {
	bits []bit
	many bool // it may become several words, or none
}

// A bit of a field is text, a value of the line, or a hole: what is not known yet.
type bit struct {
	text  string // the text; of a value that is split, the word that stands here
	value int    // 1 + the index of the value, or 0
	hole  bool
	dirty bool // the hole may hold any value
}

// said returns the word of a value that this bit is.
func (x bit) said(vs []value) string {
	if x.text != "" {
		return x.text
	}
	return vs[x.value-1].data
}

// join puts the field together, with a NUL for each hole, and for each value what f says.
func (f field) join(value func(bit) string) string {
	var b strings.Builder
	for _, x := range f.bits {
		switch {
		case x.hole:
			b.WriteByte(0)
		case x.value > 0:
			b.WriteString(value(x))
		default:
			b.WriteString(x.text)
		}
	}
	return b.String()
}

// full is the field with its values, own only what the author wrote.
func (f field) full(vs []value) string { return f.join(func(x bit) string { return x.said(vs) }) }
func (f field) own() string            { return f.join(func(bit) string { return "\x00" }) }

// lead is the author's text with which the field begins.
func (f field) lead() string {
	if len(f.bits) > 0 && f.bits[0].value == 0 && !f.bits[0].hole {
		return f.bits[0].text
	}
	return ""
}

// literal returns the text of a field that is nothing but text.
func (f field) literal() (string, bool) {
	if slices.ContainsFunc(f.bits, func(x bit) bool { return x.hole || x.value > 0 }) {
		return "", false
	}
	return f.own(), true
}

func (f field) lit() string { text, _ := f.literal(); return text }

func (f field) dirty() bool { return slices.ContainsFunc(f.bits, func(x bit) bool { return x.dirty }) }

// values lists the values from outside that stand in the field.
func (f field) values(vs []value) (list []int) {
	for _, x := range f.bits {
		if x.value > 0 && !vs[x.value-1].place {
			list = append(list, x.value-1)
		}
	}
	return list
}

// reached reports whether a value can be part of the field, by whatever way.
func (f field) reached(vs []value) bool { return f.dirty() || len(f.values(vs)) > 0 }

// after returns a field without the first n bytes of the text that it begins with.
func after(f field, n int) field {
	bits := slices.Clone(f.bits)
	if len(bits) > 0 && bits[0].value == 0 && !bits[0].hole {
		bits[0].text = bits[0].text[min(n, len(bits[0].text)):]
	}
	return field{bits: bits, many: f.many}
}

// joined puts fields together as echo and eval do.
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

// unknown is a field that may hold any value.
func unknown() field { return field{bits: []bit{{hole: true, dirty: true}}, many: true} }

// fields evaluates arguments.
func (s *scope) fields(args []*syntax.Word) (list []field) {
	for _, w := range args {
		list = append(list, s.word(w)...)
	}
	return list
}

// word evaluates one word, which can become several fields.
func (s *scope) word(w *syntax.Word) []field {
	done := []field{{}}
	pieces := words.Pieces(w)
	if len(pieces) == 0 {
		return nil
	}
	last := func() *field { return &done[len(done)-1] }
	for _, p := range pieces {
		if p.Node == nil {
			if s.foreign && p.Expand && strings.ContainsAny(p.Text, "*?[") && p.Text != "[" { // names of the project's files
				at := strings.IndexAny(p.Text, "*?[")
				last().bits, last().many = merge(last().bits, bit{text: p.Text[:at]}, bit{hole: true, dirty: true}), true
				if at == 0 && len(last().bits) == 2 {
					last().bits = last().bits[1:]
				}
				continue
			}
			last().bits = merge(last().bits, s.marked(p.Text)...)
			continue
		}
		quoted := p.Quoted && !isList(p.Node)
		switch x := s.expansion(p.Node); {
		case quoted, x.hole, x.value > 0 && s.vals[x.value-1].place:
			last().bits = merge(last().bits, x)
			last().many = last().many || x.hole && !quoted
			if x.dirty && !quoted && s.splits() {
				done = append(done, unknown()) // the words behind the first
			}
		default:
			list := strings.Fields(x.text)
			if x.value > 0 {
				list = s.vals[x.value-1].words
			}
			last().many = last().many || len(list) == 0
			for i, text := range list {
				if i > 0 {
					done = append(done, field{})
				}
				if text != "" {
					last().bits = merge(last().bits, bit{text: text, value: x.value})
				}
			}
		}
	}
	return done
}

// isList recognises "$@" and "${a[@]}", which are several words in spite of the quotes.
func isList(n syntax.WordPart) bool {
	p, ok := n.(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Length {
		return false
	}
	index, _ := p.Index.(*syntax.Word)
	return p.Param.Value == "@" || words.Lit(index) == "@"
}

// splits reports whether what a variable holds may become several words.
func (s *scope) splits() bool { return s.changes || s.unlike(noBlank) >= 0 }

// text evaluates a word that is one text, such as a here-document.
func (s *scope) text(w *syntax.Word) (f field) {
	for _, p := range words.Pieces(w) {
		if p.Node == nil {
			f.bits = merge(f.bits, s.marked(p.Text)...)
		} else {
			f.bits = merge(f.bits, s.expansion(p.Node))
		}
	}
	return f
}

// merge appends bits; texts beside each other become one.
func merge(list []bit, more ...bit) []bit {
	for _, x := range more {
		if n := len(list); n > 0 && x.value == 0 && !x.hole && list[n-1].value == 0 && !list[n-1].hole {
			list[n-1].text += x.text
		} else {
			list = append(list, x)
		}
	}
	return list
}

// marked finds the values in literal text.
func (s *scope) marked(text string) (list []bit) {
	at := 0
	for _, m := range s.marks(text) {
		if m.from > at {
			list = append(list, bit{text: text[at:m.from]})
		}
		list = append(list, bit{value: m.i + 1})
		at = m.to
	}
	if at < len(text) || len(list) == 0 {
		list = append(list, bit{text: text[at:]})
	}
	return list
}

// expansion evaluates an expansion: a value, a number, a variable that the line sets to a text, or a hole.
func (s *scope) expansion(n syntax.WordPart) bit {
	switch n := n.(type) {
	case *syntax.ArithmExp:
		return bit{text: "0"}
	case *syntax.SglQuoted: // $'…'
		if len(s.marks(n.Value)) == 0 {
			return bit{text: ansi(n.Value)}
		}
	case *syntax.ParamExp:
		if n.Param == nil {
			break
		}
		if i, ok := s.index(n.Param.Value); ok {
			return bit{value: i + 1}
		}
		if n.Length || isSpecial(n.Param.Value, "?#$!-") && words.Plain(n) {
			return bit{text: "0"}
		}
		return s.variable(n)
	case *syntax.CmdSubst:
		if m := lookUp().FindStringSubmatch(last(n)); m != nil {
			return bit{text: m[1]}
		}
		if s.counts(n) {
			return bit{text: "0"}
		}
		return bit{hole: true, dirty: s.holds(n)}
	}
	return bit{hole: true, dirty: true}
}

// variable evaluates a variable: the text that the line sets it to, or a hole.
func (s *scope) variable(n *syntax.ParamExp) bit {
	x := bit{hole: true, dirty: s.holds(n)}
	list := s.sets[n.Param.Value]
	if len(list) == 0 || !words.Plain(n) || s.anyVar || slices.Contains(list, nil) {
		return x
	}
	text, ok := words.Literal(list[0])
	for _, w := range list[1:] {
		other, same := words.Literal(w)
		ok = ok && same && other == text
	}
	if ok && len(s.marks(text)) == 0 {
		return bit{text: text}
	}
	if pieces := words.Pieces(list[0]); len(list) == 1 && len(pieces) == 1 && !x.dirty {
		if sub, ok := pieces[0].Node.(*syntax.CmdSubst); ok && strings.HasPrefix(last(sub), "mktemp") {
			return bit{text: "/tmp/" + n.Param.Value + ".txt"}
		}
	}
	return x
}

// ansi decodes the escapes of $'…' that matter here; what else it has stays as it is.
func ansi(text string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\'`, "'", `\\`, `\`, `\"`, `"`).Replace(text)
}

// holds reports whether a value may be part of what n stands for. It looks once: a variable that the line
// sets to fixed text or to what a few harmless commands print holds none, and neither does one that the line
// does not set. All others may.
func (s *scope) holds(n syntax.Node) bool {
	return s.any(n, func(name string) bool { return s.open(name) })
}

// open reports whether a variable may hold a value. It looks at what the line sets the variable to, and those in that; not further.
func (s *scope) open(name string) bool { return s.opens(asked{name, 2}) }

// asked is a variable, and how far to look.
type asked struct {
	name string
	far  int
}

func (s *scope) opens(a asked) bool {
	name, list := a.name, s.sets[a.name]
	_, ours := s.index(name)
	switch {
	case ours, s.anyVar:
		return true
	case name == "@" || name == "*" || name != "" && name[0] >= '1' && name[0] <= '9':
		return s.positional
	case slices.Contains([]string{"REPLY", "MAPFILE", "BASH_REMATCH", "_", "OPTARG", "COPROC"}, name), strings.HasPrefix(name, "BASH_ARG"):
		return true
	case name == "PWD" || name == "OLDPWD" || name == "DIRSTACK":
		return s.moves
	case a.far == 0 || len(list) == 0:
		return len(list) > 0
	}
	is, known := s.opened[a]
	if !known {
		is = slices.ContainsFunc(list, func(w *syntax.Word) bool {
			return w == nil || s.any(w, func(other string) bool { return other != name && s.opens(asked{other, a.far - 1}) }) // PATH="x:$PATH"
		})
		s.opened[a] = is
	}
	return is
}

// any reports whether n has a value in it, a variable of that sort, or what a command prints.
func (s *scope) any(n syntax.Node, variable func(string) bool) bool {
	dirty := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			dirty = dirty || n.Param == nil || n.Excl || variable(n.Param.Value)
		case *syntax.CmdSubst:
			if s.counts(n) {
				return false
			}
			dirty = dirty || !s.innocent(n)
			return !dirty && !s.foreign
		case *syntax.ProcSubst:
			dirty = true
		case *syntax.SglQuoted:
			dirty = dirty || len(s.marks(n.Value)) > 0
		case *syntax.Lit:
			dirty = dirty || len(s.marks(n.Value)) > 0 || s.foreign && strings.ContainsAny(n.Value, "*?[") && n.Value != "["
		}
		return !dirty
	})
	return dirty
}

// innocent recognises substitutions of commands that print nothing but where something is, or when.
func (s *scope) innocent(n *syntax.CmdSubst) bool {
	only := true
	for _, st := range n.Stmts {
		syntax.Walk(st, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CallExpr:
				if len(n.Args) > 0 {
					name := words.Lit(n.Args[0])
					if name == "git" && len(n.Args) > 1 {
						name = "git/" + words.Lit(n.Args[1])
					}
					only = only && among("places", name)
				}
			case *syntax.Redirect:
				only = only && (n.Op == syntax.RdrOut || n.Op == syntax.DplOut) // 2>/dev/null
			}
			return only
		})
	}
	return only
}

// last is the command that prints what a substitution stands for: the last of its pipeline, without || true and || echo 0.
func last(n *syntax.CmdSubst) string {
	if len(n.Stmts) != 1 {
		return ""
	}
	cmd := n.Stmts[0].Cmd
	for {
		b, ok := cmd.(*syntax.BinaryCmd)
		switch {
		case ok && b.Op == syntax.Pipe:
			cmd = b.Y.Cmd
		case ok && b.Op == syntax.OrStmt && slices.Contains([]string{"true", ":", "echo 0"}, command(b.Y.Cmd)):
			cmd = b.X.Cmd
		default:
			return command(cmd)
		}
	}
}

// command is a simple command as text, with nothing for words that are not fixed.
func command(cmd syntax.Command) string {
	var text []string
	if call, ok := cmd.(*syntax.CallExpr); ok {
		for _, w := range call.Args {
			text = append(text, words.Lit(w))
		}
	}
	return strings.Join(text, " ")
}

// counts recognises substitutions that print a number: $(… | wc -l), $(grep -c x f || true), $(date +%s).
func (s *scope) counts(n *syntax.CmdSubst) bool { return !s.dash && counting().MatchString(last(n)) }

// lookUp is how one asks where a program is: $(command -v python3) stands for the program.
var lookUp = regexpOnce(`^(?:which|command|type) (?:-\w+ )?(\w[\w.-]*)$`)

// counting are commands that print a number.
var counting = regexpOnce(`^(?:wc -[lcw]|grep -ci? [^ ]*(?: [^ *?\[]*)?|date(?: -u)?(?: -d .*)? \+%s|` +
	`jq (?:-\w+ )?[\w.\[\]| ]*\blength(?: [^ ]*)?|git rev-list --count .*|stat -c [%XYZsb]+ .*)$`)

// numeric reports whether arithmetic has nothing in it but numbers, and names of what can only be one.
func (s *scope) numeric(n syntax.Node) bool { return s.numerals(n, 1) }

// numerals is numeric, and says how far it looks for what variables are set to. Arithmetic within is judged by itself.
func (s *scope) numerals(root syntax.Node, far int) bool {
	if w, ok := root.(*syntax.Word); root == nil || ok && w == nil {
		return true
	}
	only := true
	variable := func(name string) bool {
		list := s.sets[name]
		return far > 0 && len(list) > 0 && !s.anyVar && !slices.ContainsFunc(list, func(w *syntax.Word) bool { return w == nil || !s.numerals(w, far-1) })
	}
	syntax.Walk(root, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SglQuoted:
			only = only && aNumber(n.Value)
		case *syntax.Lit:
			only = only && (aNumber(n.Value) || variable(n.Value))
		case *syntax.ParamExp:
			only = only && (n.Length || n.Param != nil && (isSpecial(n.Param.Value, "?#") || words.Plain(n) && variable(n.Param.Value)))
			return false
		case *syntax.CmdSubst:
			only = only && s.counts(n)
			return false
		case *syntax.ArithmExp:
			return only && n == root
		case *syntax.ProcSubst:
			only = false
		}
		return only
	})
	return only
}

// isSpecial reports whether a parameter is one of the shell's own with a sign for a name.
func isSpecial(name, signs string) bool { return len(name) == 1 && strings.ContainsAny(name, signs) }
