package bind

import (
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
	text   string
	value  int // 1 + the index of the value, or 0
	hole   bool
	open   bool   // the hole may hold a value that came by a detour
	name   string // of the variable that the hole is, if it is one
	change        // what was done to the text that the hole holds
}

// text returns what the field says, with a byte that is in no text for each hole.
func (f field) text(vs []value) string {
	var b strings.Builder
	for _, x := range f.bits {
		switch {
		case x.hole:
			b.WriteByte(0)
		case x.value > 0:
			b.WriteString(x.said(vs))
		default:
			b.WriteString(x.text)
		}
	}
	return b.String()
}

// own returns the author's part of the field, with a byte that is in no text for each value and hole.
func (f field) own() string {
	var b strings.Builder
	for _, x := range f.bits {
		if x.hole || x.value > 0 {
			b.WriteByte(0)
		} else {
			b.WriteString(x.text)
		}
	}
	return b.String()
}

// said returns the word of a value that this bit is.
func (x bit) said(vs []value) string {
	if x.text != "" {
		return x.text // one of several words
	}
	return vs[x.value-1].data
}

func (f field) lead() string {
	if len(f.bits) > 0 && f.bits[0].value == 0 && !f.bits[0].hole {
		return f.bits[0].text
	}
	return ""
}

// literal returns the text of a field that is nothing but text.
func (f field) literal() (string, bool) {
	var b strings.Builder
	for _, x := range f.bits {
		if x.hole || x.value > 0 {
			return "", false
		}
		b.WriteString(x.text)
	}
	return b.String(), true
}

// lit is literal for those who need not tell an unknown field from an empty one.
func (f field) lit() string { s, _ := f.literal(); return s }

func (f field) open() bool {
	for _, x := range f.bits {
		if x.open {
			return true
		}
	}
	return false
}

// values lists the values from outside that stand in the field.
func (f field) values(vs []value) []int {
	var list []int
	for _, x := range f.bits {
		if x.value > 0 && !vs[x.value-1].place {
			list = append(list, x.value-1)
		}
	}
	return list
}

// reached reports whether a value can be part of the field, by whatever way.
func (f field) reached(vs []value) bool { return f.open() || len(f.values(vs)) > 0 }

// fields evaluates arguments.
func (s *scope) fields(args []*syntax.Word) []field {
	var list []field
	for _, w := range args {
		list = append(list, s.word(w)...)
	}
	return list
}

// word evaluates one word, which can become several fields.
func (s *scope) word(w *syntax.Word) []field {
	done := []field{{}}
	add := func(x bit) { f := &done[len(done)-1]; f.bits = append(f.bits, x) }
	some := false
	for _, p := range words.Pieces(w) {
		some = true
		if p.Node == nil {
			for _, x := range s.marked(p.Text) {
				add(x)
			}
			continue
		}
		x := s.expansion(p.Node)
		switch {
		case x.value > 0 && !p.Quoted && !s.vals[x.value-1].place:
			list := s.vals[x.value-1].words
			if len(list) == 0 {
				done[len(done)-1].many = true
			}
			for i, word := range list {
				if i > 0 {
					done = append(done, field{})
				}
				if word == "" {
					continue
				}
				add(bit{text: word, value: x.value})
			}
		case !x.hole && x.value == 0 && !p.Quoted:
			for i, word := range strings.Fields(x.text) {
				if i > 0 {
					done = append(done, field{})
				}
				add(bit{text: word})
			}
		default:
			add(x)
			if x.hole && !p.Quoted {
				done[len(done)-1].many = true
			}
		}
	}
	if !some {
		return nil
	}
	return done
}

// code evaluates a word that is one text, such as a here-document.
func (s *scope) code(w *syntax.Word) field {
	var f field
	for _, p := range words.Pieces(w) {
		if p.Node == nil {
			f.bits = append(f.bits, s.marked(p.Text)...)
		} else {
			f.bits = append(f.bits, s.expansion(p.Node))
		}
	}
	return f
}

// marked finds the values in literal text.
func (s *scope) marked(text string) []bit {
	var list []bit
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
		return bit{text: n.Value}
	case *syntax.ParamExp:
		if n.Param == nil {
			break
		}
		if i, ok := s.index(n.Param.Value); ok {
			return bit{value: i + 1}
		}
		if n.Length || strings.Contains("?#$!-", n.Param.Value) && words.Plain(n) {
			return bit{text: "0"}
		}
		if text, ok := s.constant(n.Param.Value); ok && words.Plain(n) {
			return bit{text: text}
		}
		return bit{hole: true, open: s.reach(n), name: n.Param.Value, change: s.changed.or(changesOf(n))}
	case *syntax.CmdSubst:
		if text, ok := found(n); ok {
			return bit{text: text}
		}
		c := s.changes(n)
		return bit{hole: true, open: s.reach(n), change: c}
	}
	return bit{hole: true, open: s.reach(n), change: change{cut: true, other: true}}
}

// found recognises $(command -v python3) and its kind, which stand for the program they look for.
func found(n *syntax.CmdSubst) (string, bool) {
	if len(n.Stmts) != 1 {
		return "", false
	}
	call, ok := n.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 {
		return "", false
	}
	var list []string
	for _, w := range call.Args {
		list = append(list, words.Lit(w))
	}
	last := list[len(list)-1]
	switch {
	case list[0] == "which" && len(list) == 2, list[0] == "command" && len(list) == 3 && list[1] == "-v", list[0] == "type" && len(list) == 3 && (list[1] == "-p" || list[1] == "-P"):
		return last, last != "" && !strings.Contains(last, "${")
	}
	return "", false
}

// constant returns what a variable holds that the line sets once, to a text.
func (s *scope) constant(name string) (string, bool) {
	list := s.texts[name]
	if len(list) != 1 || s.set[name] > 1 || s.deeds.anyVar {
		return "", false
	}
	return list[0], true
}
