package permit

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Change would let a command run. Either half alone is enough, and was tried; a half that is
// empty could not be found.
type Change struct {
	Command string   `json:"command,omitempty"` // another spelling, under the rules as they are
	Rules   []string `json:"rules,omitempty"`   // to be added to allowed-tools, for the command as it is
}

// String says what to do, in words.
func (c *Change) String() string {
	var ways []string
	if c.Command != "" {
		ways = append(ways, "write `"+c.Command+"`")
	}
	if len(c.Rules) > 0 {
		ways = append(ways, "add "+strings.Join(c.Rules, ", ")+" to allowed-tools")
	}
	return strings.Join(ways, ", or ")
}

func suggest(q Request, v Verdict) *Change {
	if len(q.Command) > maxLength {
		return nil
	}
	c := &Change{Rules: moreRules(q, v)}
	if q.Tool == "" || q.Tool == "Bash" {
		c.Command = respell(q)
		if c.Rules == nil {
			c.Rules = wholeRule(q)
		}
	}
	if c.Command == "" && c.Rules == nil {
		return nil
	}
	return c
}

// codeReader returns the program in a command that runs any code that it is given: an interpreter that reads the code from
// stdin, from arguments of xargs, or from the output of another command. It returns "" if there is none.
func codeReader(q Request) (name string) {
	if q.Tool != "" && q.Tool != "Bash" || len(q.Command) > maxLength {
		return ""
	}
	program, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(q.Command), "")
	if err != nil {
		return ""
	}
	syntax.Walk(program, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && name == "" {
			var words []string
			for _, w := range call.Args {
				at := spanOf(w)
				words = append(words, q.Command[at.off:at.end])
			}
			name = codeProgram(words)
		}
		return name == ""
	})
	return name
}

// codeProgram returns the program of one call that runs any code that it is given, or "".
func codeProgram(words []string) string {
	for i, word := range words {
		name, rest := path.Base(word), words[i+1:]
		switch {
		case slices.Contains(shells, name):
			if slices.Contains(words[:i], "xargs") || readsCode(rest) {
				return name
			}
			return ""
		case i == 0 && (name == "eval" || name == "source" || name == ".") && slices.ContainsFunc(rest, isComputed):
			return name
		case i == 0 && !slices.Contains(carriers, name):
			return ""
		}
	}
	return ""
}

var (
	shells = strings.Split("sh|bash|zsh|dash|ksh|fish|python|python2|python3|node|deno|bun|tsx|ruby|perl|php|lua", "|")
	// Carriers run the command that follows them.
	carriers = strings.Split("sudo|doas|env|exec|command|builtin|nohup|nice|time|timeout|stdbuf|xargs|ssh", "|")
)

// readsCode reports whether an interpreter with these words takes its code from stdin or from another command's output.
func readsCode(words []string) bool {
	if slices.ContainsFunc(words, isComputed) {
		return true
	}
	for _, w := range words {
		switch {
		case w == "-", w == "-s", w == "/dev/stdin":
			return true
		case w == "--version", w == "--help", w == "-V", w == "-v", w == "-h":
			return false
		case !strings.HasPrefix(w, "-"): // a script, or the code itself
			return false
		}
	}
	return true
}

// isComputed reports whether a word has the output of a command in it.
func isComputed(word string) bool {
	return !strings.HasPrefix(word, "'") && (strings.Contains(word, "$(") || strings.Contains(word, "<(") || strings.Contains(word, "`"))
}

// wholeRule names the whole command, which opens what no rule about a part of it does: find -exec.
func wholeRule(q Request) []string {
	rule := exactRule(strings.TrimSpace(q.Command))
	q.Allow = append(slices.Clone(q.Allow), rule)
	if rule == "" || decide(q).Decision != Allow {
		return nil
	}
	return []string{rule}
}

// moreRules adds the smallest rule for what asks, until nothing does.
func moreRules(q Request, v Verdict) []string {
	var added []string
	q.Allow = slices.Clone(q.Allow)
	for range 8 {
		rule := smallestRule(q, v)
		if rule == "" || slices.Contains(added, rule) {
			return nil
		}
		added = append(added, rule)
		q.Allow = append(q.Allow, rule)
		if v = decide(q); v.Decision == Allow {
			return added
		}
	}
	return nil
}

// smallestRule returns the narrowest rule that could cover what a verdict asks about. Whether it does
// is for decide to say.
func smallestRule(q Request, v Verdict) string {
	j := newDecision(q)
	switch {
	case strings.HasPrefix(v.tool, "mcp__"):
		return v.tool
	case q.Tool != "" && q.Tool != "Bash" && v.tool != "":
		return j.fileRule(v.tool, v.file)
	case q.Tool != "" && q.Tool != "Bash":
		return ""
	}
	var ok bool
	if j.r, ok = read(j.src, j.home); !ok {
		return ""
	}
	part := strings.TrimSpace(v.Part)
	switch {
	case j.r.block != nil:
		return exactRule(strings.TrimSpace(q.Command))
	case v.tool != "":
		return j.fileRule(v.tool, v.file)
	}
	for _, p := range j.r.parts {
		if p.hushed && j.r.pipes && j.src[p.off:p.end] == part {
			part = j.src[p.words[0].off:p.end]
		}
	}
	return exactRule(part)
}

// exactRule names one command, byte for byte, if a rule can hold it.
func exactRule(text string) string {
	rule := "Bash(" + escape.Replace(text) + ")"
	if rs := ParseRules(rule); len(rs) == 1 && rs[0].Spec == text && (rs[0].Kind == Exact || rs[0].Kind == Pattern) && !strings.Contains(text, "\n") {
		return rule
	}
	return ""
}

// fileRule opens one path, or the skill's whole folder if it is in there.
func (j *decision) fileRule(tool, p string) string {
	abs := path.Clean(j.absolute(p))
	switch {
	case tool == "Edit" && within(abs, "/dev"):
		return ""
	case j.q.SkillDir != "" && within(abs, path.Clean(j.q.SkillDir)):
		return tool + "(/${CLAUDE_SKILL_DIR}/**)"
	case j.q.PluginRoot != "" && within(abs, path.Clean(j.q.PluginRoot)):
		return tool + "(/${CLAUDE_PLUGIN_ROOT}/**)"
	case within(abs, path.Clean(j.dirs[0])) && abs != path.Clean(j.dirs[0]):
		return tool + "(" + strings.TrimPrefix(abs, path.Clean(j.dirs[0])) + ")"
	case abs == path.Clean(j.home):
		return tool + "(/" + abs + ")"
	case within(abs, path.Clean(j.home)):
		return tool + "(~" + strings.TrimPrefix(abs, path.Clean(j.home)) + ")"
	}
	return tool + "(/" + abs + ")"
}

// editRule returns the rule to name for a file that is changed: the one that is suggested, if there is one.
func (j *decision) editRule(p string) string { return cmp.Or(j.fileRule("Edit", p), "Edit("+p+")") }

// An edit replaces a piece of a command.
type edit struct {
	span
	text string
}

// spellings are ways to write the same command so that Claude Code reads it.
var spellings = []func(*reading) []edit{whichForCommand, plainGit, porcelain, noExit, noColon, redirectLast}

// respell tries the spellings one after the other, and keeps the result if it runs.
func respell(q Request) string {
	r, ok := read(q.Command, "")
	if !ok {
		return ""
	}
	for range 5 { // rounds, as one spelling may open the way to another
		changed := false
		for _, spell := range spellings {
			next := apply(q.Command, spell(r))
			if len(next) == len(q.Command) && next == q.Command {
				continue
			}
			q.Command, changed = next, true
			if decide(q).Decision == Allow {
				return next
			}
			if r, ok = read(next, ""); !ok {
				return ""
			}
		}
		if !changed {
			break
		}
	}
	return ""
}

func apply(s string, edits []edit) string {
	if len(edits) == 0 {
		return s
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.off - a.off })
	end := len(s)
	for _, e := range edits {
		if e.end <= end && e.off <= e.end {
			s = s[:e.off] + e.text + s[e.end:]
			end = e.off
		}
	}
	return strings.TrimSpace(s)
}

// whichForCommand: command -v x is which x, which is known to be read-only.
func whichForCommand(r *reading) (edits []edit) {
	for _, p := range r.parts {
		if w := p.words; len(w) == 3 && w[0].val == "command" && (w[1].val == "-v" || w[1].val == "-V") {
			edits = append(edits, edit{span{w[0].off, w[1].end}, "which"})
		}
	}
	return edits
}

// plainGit: here is where git works anyway, and no pager is used when its output is taken.
func plainGit(r *reading) (edits []edit) {
	for _, p := range r.parts {
		w := p.words
		if len(w) < 3 || w[0].val != "git" {
			continue
		}
		i := 1
		for i+1 < len(w) {
			switch {
			case w[i].val == "-C" && w[i+1].val == ".":
				i += 2
				continue
			case w[i].val == "--no-pager" || w[i].val == "-P":
				i++
				continue
			}
			break
		}
		if i > 1 && i < len(w) {
			edits = append(edits, edit{span{w[1].off, w[i].off}, ""})
		}
	}
	return edits
}

// porcelain: the format's version is no flag that Claude Code knows.
func porcelain(r *reading) (edits []edit) {
	for _, p := range r.parts {
		for _, w := range p.words {
			if p.words[0].val == "git" && (w.val == "--porcelain=v1" || w.val == "--porcelain=v2" || w.val == "--porcelain=1" || w.val == "--porcelain=2") {
				edits = append(edits, edit{w.span, "--porcelain"})
			}
		}
	}
	return edits
}

// noExit: a directive that ends in || exit fails or succeeds without it. What follows one in the
// middle would run, so there it stays; and one that says success is true in another spelling.
func noExit(r *reading) (edits []edit) {
	last := len(r.file.Stmts) - 1
	if last < 0 {
		return nil
	}
	b, ok := r.file.Stmts[last].Cmd.(*syntax.BinaryCmd)
	if !ok || b.Op != syntax.OrStmt {
		return nil
	}
	y := spanOf(b.Y)
	switch words := strings.Fields(r.src[y.off:y.end]); {
	case len(words) == 0 || len(words) > 2 || words[0] != "exit":
		return nil
	case len(words) == 2 && words[1] == "0":
		return []edit{{y, "true"}}
	}
	return []edit{{span{int(b.X.End().Offset()), y.end}, ""}}
}

// noColon: true is known to be read-only, : is not.
func noColon(r *reading) (edits []edit) {
	syntax.Walk(r.file, func(n syntax.Node) bool {
		if b, ok := n.(*syntax.BinaryCmd); ok && b.Op == syntax.OrStmt {
			if y := spanOf(b.Y); r.src[y.off:y.end] == ":" {
				edits = append(edits, edit{y, "true"})
			}
		}
		return true
	})
	return edits
}

// redirectLast moves redirections behind the words, and drops a comment after them.
func redirectLast(r *reading) (edits []edit) {
	syntax.Walk(r.file, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Stmt)
		if !ok {
			return true
		}
		call, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || len(s.Redirs) == 0 {
			return true
		}
		end := int(call.End().Offset())
		var moved string
		for _, redir := range s.Redirs {
			at := spanOf(redir)
			if redir.Hdoc == nil && r.wordsAfter(s, redir) {
				moved += " " + r.src[at.off:at.end]
				edits = append(edits, edit{span{at.off, skipBlanks(r.src, at.end)}, ""})
			} else if redir.Hdoc == nil && r.more(redir) {
				from := int(redir.Word.End().Offset())
				to := strings.IndexByte(r.src[from:], '\n')
				if to < 0 {
					to = len(r.src) - from
				}
				edits = append(edits, edit{span{from, from + to}, ""})
			}
		}
		if moved != "" {
			edits = append(edits, edit{span{end, end}, moved})
		}
		return true
	})
	return edits
}

func skipBlanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}
