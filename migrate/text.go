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
	text string // with number and unknown for what is not known
	loud bool   // a part is unknown, and may say anything
}

const (
	number  = "\x00"
	unknown = "\x01"
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
func read1(w *syntax.Word) text {
	var t text
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

// Compiled when first needed: most commands never are.
var (
	colourName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(.*_)?(red|green|yellow|blue|cyan|magenta|purple|white|black|gr[ae]y|orange|bold|dim|underline|nc|reset|normal|no_?colou?r|end_?colou?r|colou?r_?(off|end|reset))(_.*)?$`)
	})
	numberName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(i|j|n|count|counter|total|num|index|idx|.*_(count|total|num|index|ms|seconds|size|port|pid|lines)|(num|total|n)_.*|line_?no|seconds|random|ppid|uid|euid)$`)
	})
)

// expansion adds a variable: a colour is nothing, some are numbers, and the
// rest may say anything.
func (t *text) expansion(e *syntax.ParamExp) {
	name := ""
	if e.Param != nil {
		name = e.Param.Value
	}
	switch {
	case e.Length, name == "?", name == "#", name == "$", name == "!", numberName().MatchString(name):
		t.text += number
	case colourName().MatchString(name):
	case name == "0", name == "BASH_SOURCE", name == "PWD", name == "HOME", name == "USER", name == "HOSTNAME":
		t.text += "/x"
	default:
		t.text += unknown
	}
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
	text := strings.ReplaceAll(strings.NewReplacer(`\033`, "\x1b", `\e`, "\x1b", `\x1b`, "\x1b", `\n`, "\n", `\t`, "\t").Replace(t.text), "%", "7")
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

// begins reports whether the text says something if more follows, as "Status: " does.
func (t text) begins() bool {
	return text{text: t.text + "0.7"}.says() || text{text: t.text + "failed"}.says()
}

var jsonStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(\{\s*($|["}])|\[\s*($|[{"]|\]\s*$))`) })

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
