package migrate

import (
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/report"
)

// A text is what words say, as far as that is known without running anything.
type text struct {
	text  string            // with number and unknown for what is not known
	loud  bool              // a part is unknown, and may say anything
	known map[string]string // variables that say nothing by themselves: number, or "" for a colour
}

const (
	number  = "\x00"
	unknown = "\x01"
)

// readAll reads words as echo would print them.
func readAll(args []*syntax.Word, known map[string]string) text {
	var all text
	for i, w := range args {
		t := readKnown(w, known)
		if i > 0 {
			all.text += " "
		}
		all.text += t.text
		all.loud = all.loud || t.loud
	}
	return all
}

// read1 reads one word.
func read1(w *syntax.Word) text { return readKnown(w, nil) }

func readKnown(w *syntax.Word, known map[string]string) text {
	t := text{known: known}
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
			if quietCommand(part) {
				t.text += number
			} else {
				t.text += unknown
			}
		default:
			t.text += unknown
		}
	}
}

// expansion adds a variable. Some are numbers or paths; one that the script itself sets
// may be known; the rest may say anything.
func (t *text) expansion(e *syntax.ParamExp) {
	name := ""
	if e.Param != nil {
		name = e.Param.Value
	}
	value, known := t.known[name]
	switch {
	case e.Length, name == "?", name == "#", name == "$", name == "!", name == "SECONDS", name == "LINENO", name == "RANDOM", name == "UID", name == "EUID", name == "PPID":
		t.text += number
	case name == "0", name == "BASH_SOURCE", name == "PWD":
		t.text += "/x"
	case known && words.Plain(e):
		t.text += value
	default:
		t.text += unknown
	}
}

// Compiled when first needed: most commands never are.
var (
	onlyColour = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?:\\033|\\e|\\x1[bB]|\x1b)\[[0-9;]*m)*$`)
	})
	onlyDigits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+$`) })
)

// quietValue is what a variable that is set to a word adds to a text: number, or
// "" for a colour. It is not ok if it may say more.
func quietValue(w *syntax.Word) (value string, ok bool) {
	switch t := read1(w); {
	case onlyColour().MatchString(t.text):
		return "", true
	case t.text == number || onlyDigits().MatchString(t.text):
		return number, true
	}
	pieces := words.Pieces(w)
	if len(pieces) == 1 {
		if s, ok := pieces[0].Node.(*syntax.CmdSubst); ok && len(s.Stmts) == 1 {
			c, ok := s.Stmts[0].Cmd.(*syntax.CallExpr)
			return "", ok && literal(first(c.Args)) == "tput"
		}
	}
	return "", false
}

// quietCommand reports whether a substitution can only be a date, a number or a path.
func quietCommand(s *syntax.CmdSubst) bool {
	if len(s.Stmts) != 1 {
		return false
	}
	c, ok := s.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok {
		return false
	}
	switch literal(first(c.Args)) {
	case "date", "pwd", "whoami", "hostname", "wc", "uname", "nproc", "id":
		return true
	case "basename", "dirname":
		return len(c.Args) == 2 && isSelf(c.Args[1])
	}
	return false
}

// says reports whether the text may say something that a report would hold.
// That it succeeded is nothing new to a report.
func (t text) says() bool {
	if t.loud {
		return true
	}
	text := strings.NewReplacer(`\033`, "\x1b", `\e`, "\x1b", `\x1b`, "\x1b", `\n`, "\n", `\t`, "\t").Replace(t.text)
	unstated := 0.123
	for _, n := range []string{"0", "7"} {
		r := report.Parse([]byte(strings.ReplaceAll(text, number, n)), report.Options{DefaultConfidence: &unstated})
		if r.Report == nil {
			continue
		}
		if r.Stated && !r.Report.Success || len(r.Report.Deliverables)+len(r.Report.Errors) > 0 || r.Report.Confidence != unstated {
			return true
		}
	}
	return false
}

// states reports whether the text says something, whatever its unknown parts are.
func (t text) states() bool {
	return text{text: strings.NewReplacer(unknown, "x", "%s", "x", "%d", "7").Replace(t.text)}.says()
}

// begins reports whether the text says something if more follows, as "Status: " does.
func (t text) begins() bool {
	return text{text: t.text + "0.7"}.says() || text{text: t.text + "failed"}.says()
}

var jsonStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(\{\s*($|["}])|\[\s*($|[{"]|\]\s*$))`) })

// heads reports whether what follows the text may take back what it says, as
// "none" does below "Errors:".
func (t text) heads() bool {
	return !t.loud && t.says() && !text{text: t.text + "\nnone"}.says()
}

// looksLikeJSON reports whether a text begins as JSON does.
func looksLikeJSON(text string) bool {
	return jsonStart().MatchString(strings.ReplaceAll(text, `\n`, "\n"))
}

// printsJSON reports whether a value is a substitution that ends in JSON: by jq, or by a here-document.
func printsJSON(w *syntax.Word) bool {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return false
	}
	s, ok := parts[0].(*syntax.CmdSubst)
	if !ok || len(s.Stmts) == 0 {
		return false
	}
	st := s.Stmts[len(s.Stmts)-1]
	for {
		b, ok := st.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		st = b.Y
	}
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		return false
	}
	switch literal(c.Args[0]) {
	case "jq":
		return !rawJQ(c.Args)
	case "cat":
		return looksLikeJSON(read1(hereDocument(st)).text)
	}
	return false
}

// literal is a word that is known, without its quotes; "" if it is not.
func literal(w *syntax.Word) string { return words.Lit(w) }

// variable is the name of the one variable that a word is, quoted or not.
func variable(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return ""
	}
	if e, ok := parts[0].(*syntax.ParamExp); ok && e.Param != nil && !e.Length && e.Exp == nil && e.Slice == nil && e.Repl == nil {
		return e.Param.Value
	}
	return ""
}

// tail is what a word plainly ends in, after its last expansion.
func tail(w *syntax.Word) (end string) {
	for _, p := range words.Pieces(w) {
		if end += p.Text; p.Node != nil {
			end = ""
		}
	}
	return end
}
