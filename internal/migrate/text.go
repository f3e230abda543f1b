package migrate

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
)

// A text is what words say, as far as that is known without running anything.
type text struct {
	text string // with number and unknown in place of unknown parts
	loud bool   // a part is unknown, and may be anything
}

const (
	number  = "\x00"
	unknown = "\x01"
	own     = "\x02" // the folder of the script itself
)

// readAll returns the text of words, as echo would print them.
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

// read1 returns the text of one word.
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
		case *syntax.SglQuoted: // $'\n': its escapes are read later, with those of printf
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

// expansion adds a variable. Some variables are numbers or paths; the others may be anything.
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

// literal returns the text of a word without its quotes, or "" if the word is not fully known.
func literal(w *syntax.Word) string { return words.Lit(w) }

// variable returns the name of the variable that makes up a word, quoted or not, or "".
func variable(w *syntax.Word) string {
	name, e := parameter(w)
	if e == nil || e.Length || e.Exp != nil || e.Slice != nil || e.Repl != nil {
		return ""
	}
	return name
}

// parameter returns the expansion that makes up a word, quoted or not, and its name. It returns nil
// for any other word.
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

// tail returns the plain text at the end of a word, after its last expansion.
func tail(w *syntax.Word) (end string) {
	for _, p := range words.Pieces(w) {
		if end += p.Text; p.Node != nil {
			end = ""
		}
	}
	return end
}
