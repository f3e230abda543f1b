package migrate

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
)

var jsonStart = words.Regexp(`^\s*(\{\s*($|["}])|\[\s*($|[{"]|\]\s*$))`)

func looksLikeJSON(text string) bool {
	return jsonStart.Get().MatchString(strings.NewReplacer(`\n`, "\n", `\x7b`, "{", `\x22`, `"`).Replace(text))
}

// learnJSON finds the variables that hold JSON and the functions that print JSON. It may learn
// about a value after it has seen what uses the value, so it looks several times, but not often
// enough for long chains.
func (u *usage) learnJSON() {
	for range 3 {
		known := len(u.json)
		syntax.Walk(u.file, func(n syntax.Node) bool {
			u.usedAsJSON(n)
			switch n := n.(type) {
			case *syntax.Assign:
				if n.Name != nil &&
					(u.isJSON(n.Value) || n.Array != nil && slices.ContainsFunc(n.Array.Elems,
						func(e *syntax.ArrayElem) bool { return u.isJSON(e.Value) })) {
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
				case literal(c.Args[0]) == "printf" && literal(c.Args[1]) == "-v" && len(c.Args) > 3 &&
					slices.ContainsFunc(c.Args[3:], u.isJSON):
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

// hasJSON reports whether some command in a body prints JSON that neither a substitution nor a pipe
// keeps.
func (u *usage) hasJSON(body *syntax.Stmt) (has bool) {
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			return false
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe && !u.passesOn(n.Y, top) {
				has = has || u.hasJSON(n.Y)
				return false
			}
		case *syntax.Stmt:
			c, ok := n.Cmd.(*syntax.CallExpr)
			has = has || ok && u.redirected(n, top).own && u.printsJSON(n, c)
		}
		return !has
	})
	return has
}

// isJSON reports whether a word begins as JSON does, with a variable that holds JSON, or with the
// output of a command that prints JSON.
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
		return n.Param != nil && !n.Length && n.Slice == nil && (u.json[n.Param.Value] || n.Exp != nil && u.isJSON(n.Exp.Word))
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
	if slices.Contains([]string{"cat", "head", "tail", "tr"}, name) && slices.ContainsFunc(c.Args[1:], isJSONFile) {
		return true
	}
	return name == "jq" && !rawJQ(c.Args) || u.json[name+"()"] || u.printsJSON(st, c)
}

func isJSONFile(w *syntax.Word) bool { return strings.HasSuffix(tail(w), ".json") }

// usedAsJSON notes a variable that the script itself reads as JSON: jq gets all of it, or grep or
// sed look for a key in it.
func (u *usage) usedAsJSON(n syntax.Node) {
	var reader *syntax.Stmt
	var word *syntax.Word
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		c, ok := n.X.Cmd.(*syntax.CallExpr)
		if name := ""; ok && n.Op == syntax.Pipe && len(c.Args) > 1 {
			if name = literal(c.Args[0]); name == "echo" || name == "printf" {
				reader, word = n.Y, c.Args[len(c.Args)-1]
			}
		}
	case *syntax.Stmt:
		for _, r := range n.Redirs {
			if r.Op == syntax.WordHdoc {
				reader, word = n, r.Word
			}
		}
	}
	if name := variable(word); name != "" && readsKeys(reader) {
		u.json[name] = true
	}
}

var jsonKey = words.Regexp(`\\?"\w+\\?"\s*(?:\\s\*|\[\[:space:\]\]\*| \*)?:`)

// readsKeys reports whether a statement reads its input as JSON.
func readsKeys(st *syntax.Stmt) bool {
	for {
		b, ok := st.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		st = b.X
	}
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) < 2 {
		return false
	}
	switch literal(c.Args[0]) {
	case "jq":
		return !slices.ContainsFunc(c.Args, func(w *syntax.Word) bool {
			word := literal(w)
			return strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.ContainsAny(word, "Rn") ||
				word == "--raw-input" || word == "--null-input"
		})
	case "grep", "egrep", "sed":
		return jsonKey.Get().MatchString(readAll(c.Args[1:]).text)
	}
	return false
}

// printedJSON matches code in other languages that contains JSON in a string, or makes JSON with a
// function.
var printedJSON = words.Regexp(`print\(\s*json\.dumps|json\.dump\(|console\.log\(\s*JSON\.stringify|["'(]\s*\{\s*\\*["']`)

// printsJSON reports whether a command prints JSON, by its words.
func (u *usage) printsJSON(st *syntax.Stmt, c *syntax.CallExpr) bool {
	if len(c.Args) == 0 || literal(c.Args[0]) == "printf" && literal(second(c.Args)) == "-v" {
		return false
	}
	switch name := literal(c.Args[0]); name {
	case "echo", "printf", "cat", "tee", "sed", "tr", "envsubst":
		return looksLikeJSON(printed(st, c)) || (name == "echo" || name == "printf") && slices.ContainsFunc(c.Args[1:], u.isJSON) ||
			name == "cat" && slices.ContainsFunc(c.Args[1:], isJSONFile)
	case "jq":
		return makesJSON(c.Args)
	case "awk", "gawk", "perl", "php", "python", "python3", "node", "ruby":
		return printedJSON.Get().MatchString(readAll(c.Args[1:]).text + read1(hereDocument(st)).text)
	default: // a function that prints its arguments
		return u.printsOne(name, c.Args[1:], u.isJSON, 0)
	}
}

// passesOn reports whether JSON that goes through a pipe into a statement may come out of
// it on the script's stdout.
func (u *usage) passesOn(into *syntax.Stmt, p flow) bool {
	p = u.redirected(into, p)
	if !p.own && !p.pipe {
		return false
	}
	switch cmd := into.Cmd.(type) {
	case *syntax.BinaryCmd:
		return u.passesOn(cmd.X, p)
	case *syntax.CallExpr:
		switch literal(first(cmd.Args)) {
		case "jq":
			return !rawJQ(cmd.Args) && literal(second(cmd.Args)) != "empty"
		case "grep", "wc", "cut", "xargs", "md5sum", "sha256sum", "curl":
			return false
		}
	case *syntax.WhileClause:
		return false
	}
	return true
}

// maxCalls is how many functions an argument is followed through.
const maxCalls = 5

// printsOne reports whether a function prints one of its wanted arguments as it is.
func (u *usage) printsOne(name string, args []*syntax.Word, wanted func(*syntax.Word) bool, depth int) bool {
	f := u.functions[name]
	if f == nil {
		return false
	}
	for i, w := range args {
		if wanted(w) && (depth > maxCalls || slices.ContainsFunc(f.bodies, func(body *syntax.Stmt) bool {
			return u.printsArgument(body, strconv.Itoa(i+1), depth)
		})) {
			return true
		}
	}
	return false
}

// printsArgument reports whether the body of a function prints its nth argument as it is. After a
// shift, any argument may be the nth.
func (u *usage) printsArgument(body *syntax.Stmt, n string, depth int) (prints bool) {
	given := map[string]bool{n: true, "@": true, "*": true}
	isGiven := func(w *syntax.Word) bool {
		name, e := parameter(w)
		return e != nil && !e.Length && given[name]
	}
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && isGiven(n.Value) {
				given[n.Name.Value] = true
			}
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe && !u.passesOn(n.Y, top) {
				return false
			}
		case *syntax.Stmt:
			if c, ok := n.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				name := literal(c.Args[0])
				if name == "shift" {
					for i := range 9 {
						given[strconv.Itoa(i+1)] = true
					}
				}
				if u.redirected(n, top).own {
					prints = prints || (name == "echo" || name == "printf") && slices.ContainsFunc(c.Args[1:], isGiven) ||
						u.printsOne(name, c.Args[1:], isGiven, depth+1)
				}
			}
		case *syntax.CmdSubst:
			return false
		}
		return !prints
	})
	return prints
}

// asksForJSON reports whether a program is asked to print JSON, and not a part that it picks out of
// the JSON.
func asksForJSON(args []*syntax.Word) bool {
	has := func(options ...string) bool {
		return slices.ContainsFunc(args, func(w *syntax.Word) bool { return slices.Contains(options, literal(w)) })
	}
	return has("--json") && !has("--jq", "-q", "--template", "-t")
}

var echoOption = words.Regexp(`^-[neE]+ `)

// printed returns the text that a command prints or passes on, as far as it is known.
func printed(st *syntax.Stmt, c *syntax.CallExpr) string {
	switch literal(c.Args[0]) {
	case "echo":
		text := readAll(c.Args[1:]).text
		for echoOption.Get().MatchString(text) {
			_, text, _ = strings.Cut(text, " ")
		}
		return text
	case "printf":
		return strings.ReplaceAll(readAll(c.Args[1:]).text, "%%", "%")
	}
	return read1(hereDocument(st)).text
}

// makesJSON reports whether jq prints a document, and not a number or a string that it picks out of
// one.
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
	return true // without a filter, jq prints all of it
}

// rawJQ reports whether jq prints text instead of JSON.
func rawJQ(args []*syntax.Word) bool {
	return slices.ContainsFunc(args[1:], func(w *syntax.Word) bool {
		word := literal(w)
		return word == "--raw-output" || word == "--join-output" || word == "--help" || word == "--version" ||
			strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.ContainsAny(word, "rj")
	})
}

// learnText finds the statements before which their list certainly prints text on the stdout that
// they share. If the script sends its own stdout elsewhere, nothing is certain.
func (u *usage) learnText() {
	u.after, u.asked = map[*syntax.Stmt]bool{}, map[*syntax.Stmt]bool{}
	moved := false
	list := func(stmts []*syntax.Stmt) {
		said := false
		for _, st := range stmts {
			u.after[st] = said
			said = said || u.saysText(st, 0)
		}
	}
	syntax.Walk(u.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.File:
			list(n.Stmts)
		case *syntax.Block:
			list(n.Stmts)
		case *syntax.Subshell:
			list(n.Stmts)
		case *syntax.IfClause:
			list(n.Then)
			if asksJSON(n.Cond) {
				u.ask(n.Then)
			}
		case *syntax.WhileClause:
			list(n.Do)
		case *syntax.ForClause:
			list(n.Do)
		case *syntax.CaseItem:
			list(n.Stmts)
			if slices.ContainsFunc(n.Patterns, func(w *syntax.Word) bool { return literal(w) == "json" }) {
				u.ask(n.Stmts)
			}
		case *syntax.BinaryCmd:
			if n.Op == syntax.AndStmt && asksJSON([]*syntax.Stmt{n.X}) {
				u.ask([]*syntax.Stmt{n.Y})
			}
		case *syntax.Stmt:
			c, ok := n.Cmd.(*syntax.CallExpr)
			moved = moved || ok && literal(first(c.Args)) == "exec" && len(n.Redirs) > 0
		}
		return true
	})
	if moved {
		clear(u.after)
	}
}

var letters = words.Regexp(`\pL{3}`)

// saysText reports whether a statement certainly prints text that is not JSON: by itself, or by a
// function that begins with such a statement.
func (u *usage) saysText(st *syntax.Stmt, depth int) bool {
	c, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || st.Background || st.Negated || !u.redirected(st, top).own {
		return false
	}
	name := literal(c.Args[0])
	if f := u.functions[name]; f != nil {
		return depth < 3 && len(f.bodies) == 1 && u.beginsWithText(f.bodies[0], depth+1)
	}
	if name != "echo" && name != "printf" && name != "cat" || u.printsJSON(st, c) || literal(second(c.Args)) == "-v" ||
		name == "cat" && len(c.Args) > 1 {
		return false
	}
	text := strings.TrimSpace(printed(st, c))
	return letters.Get().MatchString(text) && !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[{")
}

// beginsWithText reports whether a function prints text before any statement that may end it.
func (u *usage) beginsWithText(body *syntax.Stmt, depth int) bool {
	b, ok := body.Cmd.(*syntax.Block)
	if !ok || !u.redirected(body, top).own {
		return false
	}
	for _, st := range b.Stmts {
		switch c := st.Cmd.(type) {
		case *syntax.DeclClause:
			continue
		case *syntax.CallExpr:
			if u.saysText(st, depth) {
				return true
			}
			if len(c.Args) == 0 || slices.Contains([]string{"shift", "echo", "printf", "local"}, literal(c.Args[0])) {
				continue
			}
		}
		return false
	}
	return false
}

func (u *usage) ask(stmts []*syntax.Stmt) {
	for _, st := range stmts {
		u.asked[st] = true
	}
}

// asksJSON reports whether a condition tests that the caller asks for JSON: $FORMAT is json, or a
// switch with json in its name is on.
func asksJSON(cond []*syntax.Stmt) bool {
	if len(cond) != 1 || cond[0].Negated {
		return false
	}
	var words []*syntax.Word
	switch c := cond[0].Cmd.(type) {
	case *syntax.CallExpr: // [ "$FORMAT" = json ], or $JSON
		words = c.Args
		if len(words) == 5 && literal(words[0]) == "[" {
			if op := literal(words[2]); op != "=" && op != "==" && op != "-eq" {
				return false
			}
			words = []*syntax.Word{words[1], words[3]}
		} else if len(words) != 1 {
			return false
		}
	case *syntax.TestClause:
		b, ok := c.X.(*syntax.BinaryTest)
		if !ok || b.Op != syntax.TsMatch && b.Op != syntax.TsMatchShort && b.Op != syntax.TsEql {
			return false
		}
		x, _ := b.X.(*syntax.Word)
		y, _ := b.Y.(*syntax.Word)
		words = []*syntax.Word{x, y}
	default:
		return false
	}
	if literal(words[len(words)-1]) == "json" {
		return true
	}
	named := strings.Contains(strings.ToLower(variable(words[0])), "json")
	return named && (len(words) == 1 || slices.Contains([]string{"true", "yes", "1", "on"}, literal(words[1])))
}
