package claudepage

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// findsNothing reports whether exit status 1 of a command only says that there was nothing to find
// or that two things differ. Its last simple command decides, by the name as it is written.
func findsNothing(command string) bool {
	f, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil || len(f.Stmts) == 0 {
		return false
	}
	stmt := f.Stmts[len(f.Stmts)-1]
	if len(f.Stmts) > 1 && f.Stmts[len(f.Stmts)-2].Pos().Line() == stmt.Pos().Line() && hereDoc(f.Stmts[len(f.Stmts)-2]) {
		return false // what follows a here-document on its line is taken for a part of it
	}
	for {
		b, ok := stmt.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		if hereDoc(b.X) {
			return false
		}
		stmt = b.Y
	}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return false
	}
	if len(stmt.Redirs) > 0 && stmt.Redirs[0].Pos().Offset() < call.Pos().Offset() {
		return false
	}
	switch call.Args[0].Lit() {
	case "grep", "egrep", "fgrep", "rg", "find", "diff", "test", "[":
		return true
	case "git":
		return gitCommand(call.Args[1:]) == "diff"
	}
	return false
}

// hereDoc reports whether a statement reads a here-document.
func hereDoc(stmt *syntax.Stmt) bool {
	found := false
	syntax.Walk(stmt, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok && r.Hdoc != nil {
			found = true
		}
		return !found
	})
	return found
}

// gitCommand returns git's subcommand, which stands after its options.
func gitCommand(args []*syntax.Word) string {
	for i := 0; i < len(args); i++ {
		switch arg := args[i].Lit(); {
		case arg == "-C" || arg == "-c":
			i++
		case !strings.HasPrefix(arg, "-"):
			return arg
		}
	}
	return ""
}
