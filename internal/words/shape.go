package words

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// SameShape reports whether two lines differ only in the words that their commands get. They must
// have the same commands, redirections and expansions, and set the same variables. A line that does
// not parse has no shape.
func SameShape(a, b string) bool {
	if a == b {
		return true
	}
	x, okX := shape(a)
	y, okY := shape(b)
	return okX && okY && x == y
}

// shape returns a description of everything in a line except the text of its words.
func shape(text string) (string, bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return "", false
	}
	var b strings.Builder
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil:
			b.WriteByte(')')
			return true
		case *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
			b.WriteByte('(')
		case *syntax.CallExpr:
			name := ""
			if len(n.Args) > 0 {
				name = Lit(n.Args[0])
			}
			fmt.Fprintf(&b, "call %q %d(", name, len(n.Assigns))
		case *syntax.BinaryCmd:
			fmt.Fprintf(&b, "%v(", n.Op)
		case *syntax.Redirect:
			fmt.Fprintf(&b, "redirect %v(", n.Op)
		case *syntax.ParamExp:
			name := ""
			if n.Param != nil {
				name = n.Param.Value
			}
			fmt.Fprintf(&b, "$%s %v %v(", name, Plain(n), n.Length)
		case *syntax.Assign:
			name := ""
			if n.Name != nil {
				name = n.Name.Value
			}
			fmt.Fprintf(&b, "set %q %v %v(", name, n.Naked, n.Append)
		case *syntax.FuncDecl:
			fmt.Fprintf(&b, "func %q(", n.Name.Value)
		case *syntax.WordIter:
			fmt.Fprintf(&b, "for %q(", n.Name.Value)
		case *syntax.Stmt:
			fmt.Fprintf(&b, "%v %v %v(", n.Negated, n.Background, n.Coprocess)
		default:
			fmt.Fprintf(&b, "%T(", n)
		}
		return true
	})
	text = b.String()
	for strings.Contains(text, "()") { // words that are only text
		text = strings.ReplaceAll(text, "()", "")
	}
	return text, true
}
