package permit

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word reads a word as far as its value is known before the command runs.
func (r *reading) word(w *syntax.Word, c context) word {
	out := word{span: spanOf(w)}
	var val, bare strings.Builder // bare: the characters outside of quotes
	for i, p := range w.Parts {
		if isMore(p) && strings.Count(bare.String(), "{") > strings.Count(bare.String(), "}") {
			r.refuse(w, "Claude Code does not analyse a quote or a variable inside of braces", "Contains brace with quote character (expansion obfuscation)")
		}
		switch p := p.(type) {
		case *syntax.Lit:
			if i == 0 && len(p.Value) > 1 && p.Value[0] == '=' && isName(p.Value[1]) {
				r.refuse(w, "Claude Code does not analyse a word that begins with =", "Contains zsh =cmd equals expansion")
			}
			r.literal(w, p.Value, &val, &bare, &out)
		case *syntax.SglQuoted:
			out.quoted = true
			if p.Dollar {
				r.refuse(p, "Claude Code does not analyse $'…'", "Text with escape codes in this command can't be checked before it runs")
			}
			r.hidden(p, p.Value)
			val.WriteString(p.Value)
		case *syntax.DblQuoted:
			out.quoted = true
			if p.Dollar {
				r.refuse(p, `Claude Code does not analyse $"…"`, "This command can't be checked before it runs")
			}
			r.double(p, &val, &out, c)
		case *syntax.ParamExp:
			r.param(p, &val, &out)
			bare.WriteByte('$')
		case *syntax.ArithmExp:
			r.arithmetic(p, &val)
		case *syntax.CmdSubst:
			r.refuse(p, "Claude Code cannot check $(…) outside of double quotes before it runs",
				"A nested command in this command can't be checked before it runs")
			c.nested = true
			r.stmts(p.Stmts, c)
		case *syntax.ProcSubst:
			r.refuse(p, "Claude Code does not analyse a command used as a file",
				"A command used as a file in this command can't be checked before it runs")
		default:
			r.refuse(p, "Claude Code does not analyse this pattern", "This command can't be checked before it runs")
		}
	}
	if b := bare.String(); strings.Contains(b, "{") && (strings.Contains(b, ",") || strings.Contains(b, "..")) {
		r.refuse(w, "Claude Code does not analyse braces that the shell would expand", "Brace expansion", "quote them")
	}
	out.val = val.String()
	return out
}

// isMore reports a piece of a word that is more than its characters.
func isMore(p syntax.WordPart) bool {
	switch p.(type) {
	case *syntax.SglQuoted, *syntax.DblQuoted, *syntax.ParamExp:
		return true
	}
	return false
}

func isName(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// literal adds a piece of a word that stands outside of quotes.
func (r *reading) literal(w *syntax.Word, s string, val, bare *strings.Builder, out *word) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch c {
		case '\\':
			i++
			if i < len(s) && s[i] != '\n' {
				val.WriteByte(s[i])
				out.quoted = true
			}
			continue
		case '*', '?', '[':
			out.glob = true
		case '$':
			r.refuse(w, "Claude Code does not analyse a $ outside of quotes", "This command can't be checked before it runs")
		}
		val.WriteByte(c)
		bare.WriteByte(c)
	}
}

// hidden refuses a quoted text with a line that looks like a comment.
func (r *reading) hidden(n syntax.Node, s string) {
	for {
		_, after, ok := strings.Cut(s, "\n")
		if !ok {
			return
		}
		if strings.HasPrefix(strings.TrimLeft(after, " \t"), "#") {
			r.refuse(n, "Claude Code does not analyse a quoted line that begins with #",
				"Newline followed by # inside a quoted argument can hide arguments from path validation")
			return
		}
		s = after
	}
}

// double reads a text in double quotes. Claude Code analyses a nested command in it only if at least
// two characters beside it are known.
func (r *reading) double(q *syntax.DblQuoted, val *strings.Builder, out *word, c context) {
	known := 0
	var subs []*syntax.CmdSubst
	var sums []*syntax.ArithmExp
	for _, p := range q.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			r.hidden(p, p.Value)
			known += unquoteDouble(p.Value, val)
		case *syntax.ParamExp:
			before := val.Len()
			r.param(p, val, out)
			known += val.Len() - before
		case *syntax.ArithmExp:
			r.arithmetic(p, val)
			sums = append(sums, p)
		case *syntax.CmdSubst:
			if text, ok := hereText(p, r.src); ok {
				known += 2
				val.WriteString(text)
				continue
			}
			subs = append(subs, p)
			val.WriteString(nestedMark)
		}
	}
	for _, sum := range sums {
		if known < 2 {
			r.refuse(sum, "Claude Code cannot check $((…)) before it runs, if no other text is in the same double quotes",
				"Quoted text in this command can't be checked before it runs")
			return
		}
	}
	for _, sub := range subs {
		if known < 2 {
			r.refuse(sub, "Claude Code cannot check $(…) before it runs, if no other text is in the same double quotes",
				"Quoted text in this command can't be checked before it runs")
			return
		}
		r.inner(sub, c)
	}
}

// inner takes a nested command apart.
func (r *reading) inner(sub *syntax.CmdSubst, c context) {
	if len(sub.Stmts) != 1 {
		r.refuse(sub, "Claude Code analyses a nested command only if it is a single one", "This command can't be checked before it runs")
		return
	}
	before, pipes := len(r.parts), r.pipes
	r.pipes = false
	c.nested = true
	r.stmt(sub.Stmts[0], c)
	for _, p := range r.parts[before:] {
		if name, args := p.name(); name == "find" {
			r.quotedGlob(args)
		}
	}
	if r.pipes || r.subshells || r.background {
		r.refuse(sub, "Claude Code does not analyse a nested command with a pipe", "This Bash command contains multiple operations.")
	}
	r.pipes = pipes
	if len(r.parts) == before {
		r.refuse(sub, "Claude Code does not analyse an empty nested command", "")
	}
}

// quotedGlob refuses a pattern of a nested find in double quotes. Claude Code takes the inner
// quotes for the end of the outer ones, and the pattern for one outside of quotes.
func (r *reading) quotedGlob(args []word) {
	for _, w := range args {
		if text := r.src[w.off:w.end]; strings.HasPrefix(text, `"`) && strings.ContainsAny(text, "*?[") && r.block == nil {
			r.block = newFault(w.span, "Claude Code does not analyse a pattern in double quotes inside of double quotes", "", "use single ones")
		}
	}
}

// hereText returns the text of "$(cat <<'EOF' …)", which Claude Code takes as plain text.
func hereText(sub *syntax.CmdSubst, src string) (string, bool) {
	if len(sub.Stmts) != 1 || len(sub.Stmts[0].Redirs) != 1 {
		return "", false
	}
	s := sub.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	redir := s.Redirs[0]
	if !ok || len(call.Args) != 1 || call.Args[0].Lit() != "cat" || redir.Hdoc == nil {
		return "", false
	}
	if !strings.ContainsAny(src[redir.Word.Pos().Offset():redir.Word.End().Offset()], `'"\`) {
		return "", false
	}
	return src[redir.Hdoc.Pos().Offset():redir.Hdoc.End().Offset()], true
}

// unquoteDouble writes what a text in double quotes stands for and returns its length in
// characters.
func unquoteDouble(s string, val *strings.Builder) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
		}
		val.WriteByte(s[i])
		if s[i]&0xc0 != 0x80 { // the first byte of a character
			n++
		}
	}
	return n
}

// param reads $HOME, the one variable whose value Claude Code knows.
func (r *reading) param(p *syntax.ParamExp, val *strings.Builder, out *word) {
	switch {
	case p.Short && p.Param != nil && p.Param.Value == "HOME":
		val.WriteString(r.home)
		out.home = true
	case p.Short:
		val.WriteString(variableMark)
		r.refuse(p, "the value of a variable is not known before the command runs",
			"A variable in this command can't be checked before it runs")
	default:
		val.WriteString(variableMark)
		r.refuse(p, "the value of a variable is not known before the command runs", "A variable in braces in this command can't be checked before it runs")
	}
}

// arithmetic reads $((1+1)); a name in it would be a variable.
func (r *reading) arithmetic(p *syntax.ArithmExp, val *strings.Builder) {
	val.WriteString(nestedMark)
	syntax.Walk(p, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ArithmExp:
			if n.Bracket {
				r.refuse(p, "Claude Code does not analyse $[…]", "Arithmetic expansion references variable or non-literal: $[")
			}
		case *syntax.Lit:
			if _, err := strconv.ParseInt(n.Value, 0, 64); err != nil {
				r.refuse(p, "Claude Code does not analyse arithmetic with a variable",
					"Arithmetic expansion references variable or non-literal: "+n.Value)
			}
		case *syntax.ParamExp, *syntax.CmdSubst:
			r.refuse(p, "Claude Code does not analyse arithmetic with a variable", "")
		}
		return true
	})
}
