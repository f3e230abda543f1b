package migrate

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
)

// A text is what words say, as far as that is known without running anything.
type text struct {
	text string // with number and unknown for what is not known
	loud bool   // a part is unknown, and may say anything
}

const (
	number  = "\x00"
	unknown = "\x01"
	own     = "\x02" // the folder of the script itself
)

// readAll reads words as echo would print them.
func readAll(args []*syntax.Word) text {
	var all text
	for i, w := range args {
		t := read1(w)
		if i > 0 {
			all.text += " "
		}
		all.text += t.text
		all.loud = all.loud || t.loud
	}
	return all
}

// read1 reads one word.
func read1(w *syntax.Word) (t text) {
	t.add(w)
	t.loud = strings.Contains(t.text, unknown)
	return t
}

func (t *text) add(w *syntax.Word) {
	for _, p := range words.Pieces(w) {
		switch part := p.Node.(type) {
		case nil:
			t.text += p.Text
		case *syntax.SglQuoted: // $'\n': its escapes are read later, with printf's
			t.text += part.Value
		case *syntax.ArithmExp:
			t.text += number
		case *syntax.ParamExp:
			t.expansion(part)
		case *syntax.CmdSubst:
			t.text += unknown
		default:
			t.text += unknown
		}
	}
}

// expansion adds a variable. Some are numbers or paths; the rest may say anything.
func (t *text) expansion(e *syntax.ParamExp) {
	name := ""
	if e.Param != nil {
		name = e.Param.Value
	}
	switch {
	case e.Length, name == "?", name == "#",
		name == "$", name == "!", name == "SECONDS", name == "LINENO", name == "RANDOM", name == "UID", name == "EUID", name == "PPID":
		t.text += number
	case name == "0", name == "BASH_SOURCE", name == "PWD":
		t.text += "/x"
	default:
		t.text += unknown
	}
}

// literal returns a word that is known, without its quotes; "" if it is not.
func literal(w *syntax.Word) string { return words.Lit(w) }

// variable returns the name of the one variable that a word is, quoted or not.
func variable(w *syntax.Word) string {
	name, e := parameter(w)
	if e == nil || e.Length || e.Exp != nil || e.Slice != nil || e.Repl != nil {
		return ""
	}
	return name
}

// parameter returns the one expansion that a word is, quoted or not, and its name; nil: it is none.
func parameter(w *syntax.Word) (string, *syntax.ParamExp) {
	if w == nil {
		return "", nil
	}
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return "", nil
	}
	if e, ok := parts[0].(*syntax.ParamExp); ok && e.Param != nil {
		return e.Param.Value, e
	}
	return "", nil
}

// tail returns what a word plainly ends in, after its last expansion.
func tail(w *syntax.Word) (end string) {
	for _, p := range words.Pieces(w) {
		if end += p.Text; p.Node != nil {
			end = ""
		}
	}
	return end
}
