package migrate

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
)

var jsonStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(\{\s*($|["}])|\[\s*($|[{"]|\]\s*$))`) })

// looksLikeJSON reports whether a text begins as JSON does.
func looksLikeJSON(text string) bool {
	return jsonStart().MatchString(strings.NewReplacer(`\n`, "\n", `\x7b`, "{", `\x22`, `"`).Replace(text))
}

// learnJSON finds the variables that hold JSON and the functions that print some. What
// one is made of may be learned later than it, but not in a long chain.
func (u *usage) learnJSON() {
	for range 3 {
		known := len(u.json)
		syntax.Walk(u.file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				if n.Name != nil && (u.isJSON(n.Value) || n.Array != nil && slices.ContainsFunc(n.Array.Elems, func(e *syntax.ArrayElem) bool { return u.isJSON(e.Value) })) {
					u.json[n.Name.Value] = true
				}
			case *syntax.FuncDecl:
				if n.Name != nil && u.hasJSON(n.Body) {
					u.json[n.Name.Value+"()"] = true
				}
			case *syntax.Stmt:
				c, ok := n.Cmd.(*syntax.CallExpr)
				switch {
				case !ok || len(c.Args) < 2:
				case literal(c.Args[0]) == "read" && looksLikeJSON(read1(hereDocument(n)).text):
					u.json[literal(c.Args[len(c.Args)-1])] = true
				case literal(c.Args[0]) == "printf" && literal(c.Args[1]) == "-v" && len(c.Args) > 3 && slices.ContainsFunc(c.Args[3:], u.isJSON):
					u.json[literal(c.Args[2])] = true
				}
			}
			return true
		})
		if len(u.json) == known {
			return
		}
	}
}

// hasJSON reports whether some command in a body prints JSON.
func (u *usage) hasJSON(body *syntax.Stmt) (has bool) {
	syntax.Walk(body, func(n syntax.Node) bool {
		if st, ok := n.(*syntax.Stmt); ok && !has {
			c, ok := st.Cmd.(*syntax.CallExpr)
			has = ok && u.redirected(st, top).own && u.printsJSON(st, c)
		}
		return !has
	})
	return has
}

// isJSON reports whether a word begins as JSON does, or with a variable that holds some,
// or with what a command prints.
func (u *usage) isJSON(w *syntax.Word) bool {
	if w == nil {
		return false
	}
	if looksLikeJSON(read1(w).text) {
		return true
	}
	pieces := words.Pieces(w)
	if len(pieces) == 0 {
		return false
	}
	switch n := pieces[0].Node.(type) {
	case *syntax.ParamExp:
		return n.Param != nil && !n.Length && (u.json[n.Param.Value] || n.Exp != nil && u.isJSON(n.Exp.Word))
	case *syntax.CmdSubst:
		return len(n.Stmts) > 0 && u.endsInJSON(n.Stmts[len(n.Stmts)-1])
	}
	return false
}

// endsInJSON reports whether the last command of a pipe or a list prints JSON.
func (u *usage) endsInJSON(st *syntax.Stmt) bool {
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
	name := literal(c.Args[0])
	return name == "jq" && !rawJQ(c.Args) || u.json[name+"()"] || u.printsJSON(st, c)
}

// In the code of other languages: a text that is JSON, or a function that makes some.
var printedJSON = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`print\(\s*json\.dumps|json\.dump\(|console\.log\(\s*JSON\.stringify|["'(]\s*\{\s*\\*["']`)
})

// printsJSON reports whether a command prints JSON, by what is written in it.
func (u *usage) printsJSON(st *syntax.Stmt, c *syntax.CallExpr) bool {
	if len(c.Args) == 0 || literal(c.Args[0]) == "printf" && literal(second(c.Args)) == "-v" {
		return false
	}
	switch name := literal(c.Args[0]); name {
	case "echo", "printf", "cat", "tee", "sed", "tr", "envsubst":
		return looksLikeJSON(printed(st, c)) || (name == "echo" || name == "printf") && slices.ContainsFunc(c.Args[1:], u.isJSON) ||
			name == "cat" && slices.ContainsFunc(c.Args[1:], func(w *syntax.Word) bool { return strings.HasSuffix(tail(w), ".json") })
	case "jq":
		return makesJSON(c.Args)
	case "awk", "gawk", "perl", "php", "python", "python3", "node", "ruby":
		return printedJSON().MatchString(readAll(c.Args[1:]).text + read1(hereDocument(st)).text)
	default: // a function that may print what it is given
		return u.functions[name] != nil && slices.ContainsFunc(c.Args[1:], u.isJSON)
	}
}

// asksForJSON reports whether a program is told to print JSON, and nothing that it picks out of it.
func asksForJSON(args []*syntax.Word) bool {
	has := func(options ...string) bool {
		return slices.ContainsFunc(args, func(w *syntax.Word) bool { return slices.Contains(options, literal(w)) })
	}
	return has("--json") && !has("--jq", "-q", "--template", "-t")
}

var echoOption = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-[neE]+ `) })

// printed is the text that a command prints or passes on, as far as that is plain.
func printed(st *syntax.Stmt, c *syntax.CallExpr) string {
	switch literal(c.Args[0]) {
	case "echo":
		text := readAll(c.Args[1:]).text
		for echoOption().MatchString(text) {
			_, text, _ = strings.Cut(text, " ")
		}
		return text
	case "printf":
		return strings.ReplaceAll(readAll(c.Args[1:]).text, "%%", "%")
	}
	return read1(hereDocument(st)).text
}

// makesJSON reports whether jq prints a document, not a number or a text that it picks out.
func makesJSON(args []*syntax.Word) bool {
	if rawJQ(args) {
		return false
	}
	for i, w := range args[1:] {
		word := strings.TrimSpace(read1(w).text)
		switch {
		case word == "-n" || word == "--null-input" || word == "." || strings.HasPrefix(word, "{") || strings.HasPrefix(word, "["):
			return true
		case !strings.HasPrefix(word, "-") && (i == 0 || !strings.HasPrefix(literal(args[i]), "--")):
			return strings.HasSuffix(word, "}") || strings.HasSuffix(word, "]") || strings.Contains(word, unknown)
		}
	}
	return true // no filter: all of it
}

// rawJQ reports whether jq prints text and not JSON.
func rawJQ(args []*syntax.Word) bool {
	return slices.ContainsFunc(args[1:], func(w *syntax.Word) bool {
		word := literal(w)
		return word == "--raw-output" || word == "--join-output" || word == "--help" || word == "--version" ||
			strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.ContainsAny(word, "rj")
	})
}
