package permit

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// decideTool decides about a tool that is not Bash.
func (j *decision) decideTool() Verdict {
	if !knownMode(j.q.Mode) {
		return verdict(Unknown, span{0, len(j.src)}, "what Claude Code does in mode "+j.q.Mode+" is not modelled")
	}
	switch tool := j.q.Tool; {
	case tool == "Read", tool == "Edit", tool == "Write":
		return j.decideFile(tool)
	case tool == "WebFetch":
		return j.decideFetch()
	case strings.HasPrefix(tool, "mcp__"):
		return j.decideMCP(tool)
	}
	return verdict(Unknown, span{0, len(j.src)}, "what Claude Code decides about "+j.q.Tool+" is not modelled")
}

// decideFile decides about a file that a tool reads or changes. Rules with a pattern name Edit for both tools that change
// files, a rule without one names the tool itself.
func (j *decision) decideFile(tool string) Verdict {
	whole := span{0, len(j.src)}
	if j.src == "" {
		return verdict(Unknown, whole, "there is no file")
	}
	abs, kind := path.Clean(j.absolute(j.src)), "Edit"
	if tool == "Read" {
		kind = tool
	}
	find := func(rules []Rule, kind string, anywhere bool) *Rule {
		if i := slices.IndexFunc(rules, func(r Rule) bool { return r.Tool == tool && r.isWhole() }); i >= 0 {
			return &rules[i]
		}
		return j.named(rules, kind, abs, anywhere)
	}
	for _, kind := range []string{kind, "Read"} { // what may not be read may not be changed
		if r := find(j.deny, kind, true); r != nil {
			return forbidsTool(*r, whole)
		}
	}
	if i := slices.IndexFunc(j.deny, func(r Rule) bool { return r.Tool == "Read" && r.isWhole() }); i >= 0 {
		return forbidsTool(j.deny[i], whole)
	}
	if r := find(j.ask, kind, true); r != nil {
		return asks(*r, whole, tool)
	}
	allowed := find(j.allow, kind, false)
	if tool == "Read" {
		return j.reads(abs, allowed)
	}
	return j.changes(tool, abs, allowed)
}

// isWhole reports a rule about every use of its tool.
func (r Rule) isWhole() bool { return r.Kind == Other && (r.Spec == "" || r.Spec == "*") }

func forbidsTool(r Rule, s span) Verdict {
	v := verdict(Deny, s, "the rule "+r.Text+" forbids it")
	v.Rule = r.Text
	return v
}

func allowsTool(r *Rule, s span) Verdict {
	v := verdict(Allow, s, "the rule "+r.Text+" allows it")
	v.Rule = r.Text
	return v
}

// reads decides about a file that no rule keeps from being read.
func (j *decision) reads(abs string, allowed *Rule) Verdict {
	whole := span{0, len(j.src)}
	switch {
	case allowed != nil:
		return allowsTool(allowed, whole)
	case j.inside(abs):
		return verdict(Allow, whole, "the file is in the session's folders")
	case j.q.Mode == "auto", j.q.Mode == "plan", j.q.Mode == "bypassPermissions":
		return verdict(Allow, whole, "in this mode every file may be read")
	}
	return j.needs("Read", "the file is outside the session's folders")
}

// changes decides about a file that no rule keeps from being changed.
func (j *decision) changes(tool, abs string, allowed *Rule) Verdict {
	whole := span{0, len(j.src)}
	protected := j.isProtected(word{span: whole, val: abs})
	switch {
	case j.q.Mode == "bypassPermissions":
		return verdict(Allow, whole, "in this mode everything runs")
	case protected:
		v := sensitive(whole, j.src).verdict()
		v.Reason = "no rule lets a tool change " + j.src
		return v
	case j.q.Mode == "plan":
		v := verdict(Deny, whole, "in this mode no tool changes files")
		v.Said = "Cannot write to " + abs + " while in plan mode."
		return v
	case allowed != nil:
		return allowsTool(allowed, whole)
	case j.acceptsEdits() && j.inside(abs):
		return verdict(Allow, whole, "in this mode files in the session's folders may be changed")
	case j.inside(abs):
		return j.needs("Edit", "changing a file needs a rule such as "+j.editRule(j.src))
	}
	return j.needs("Edit", "the file is outside the session's folders")
}

// needs asks, and names the rule that would help.
func (j *decision) needs(tool, why string) Verdict {
	v := verdict(Ask, span{0, len(j.src)}, why)
	v.tool, v.file = tool, j.src
	return v
}

// familiar has hosts from which Claude Code was seen to fetch without a rule.
var familiar = fields(`docs.python.org`)

// decideFetch decides about a page of the web: rules name its host.
func (j *decision) decideFetch() Verdict {
	whole := span{0, len(j.src)}
	u, err := url.Parse(j.src)
	if err != nil || u.Host == "" || u.User != nil {
		return verdict(Unknown, whole, "this is no URL that WebFetch takes")
	}
	host := strings.ToLower(u.Hostname())
	find := func(rules []Rule) *Rule {
		i := slices.IndexFunc(rules, func(r Rule) bool {
			domain, ok := strings.CutPrefix(r.Spec, "domain:")
			return r.Tool == "WebFetch" && (r.isWhole() || ok && like(strings.ToLower(domain), host))
		})
		if i < 0 {
			return nil
		}
		return &rules[i]
	}
	if r := find(j.deny); r != nil {
		return forbidsTool(*r, whole)
	}
	if r := find(j.ask); r != nil {
		return asks(*r, whole, "WebFetch")
	}
	if r := find(j.allow); r != nil {
		return allowsTool(r, whole)
	}
	if j.q.Mode == "bypassPermissions" {
		return verdict(Allow, whole, "in this mode everything runs")
	}
	if familiar()[host] {
		return verdict(Allow, whole, "Claude Code fetches from "+host+" without a rule")
	}
	v := verdict(Ask, whole, "no rule allows to fetch from "+host)
	v.Suggest = &Change{Rules: []string{"WebFetch(domain:" + host + ")"}}
	return v
}

func (j *decision) decideMCP(tool string) Verdict {
	whole := span{0, len(j.src)}
	find := func(rules []Rule, anyServer bool) *Rule {
		i := slices.IndexFunc(rules, func(r Rule) bool { return r.namesMCP(tool, anyServer) })
		if i < 0 {
			return nil
		}
		return &rules[i]
	}
	if r := find(j.deny, true); r != nil {
		return forbidsTool(*r, whole)
	}
	if r := find(j.ask, false); r != nil {
		return asks(*r, whole, tool)
	}
	if j.q.Mode == "plan" {
		return verdict(Unknown, whole, "in this mode only a tool whose server says that it changes nothing is called")
	}
	if r := find(j.allow, false); r != nil {
		return allowsTool(r, whole)
	}
	if j.q.Mode == "bypassPermissions" {
		return verdict(Allow, whole, "in this mode everything runs")
	}
	v := verdict(Ask, whole, "no rule allows "+tool)
	v.tool, v.file = tool, tool
	return v
}

// namesMCP reports whether a rule names a tool of an MCP server: the tool, or its server, or with a * the beginning of
// the tool's name. Only a rule that denies names all servers at once.
func (r Rule) namesMCP(tool string, anyServer bool) bool {
	if r.Kind != Other || r.Text != r.Tool || !strings.HasPrefix(r.Tool, "mcp__") {
		return false
	}
	_, name, _ := strings.Cut(tool[len("mcp__"):], "__")
	server := strings.TrimSuffix(tool, "__"+name)
	if strings.Contains(r.Tool, "*") {
		return like(r.Tool, tool) && (anyServer || strings.HasPrefix(r.Tool, server+"__"))
	}
	return r.Tool == tool || r.Tool == server
}

// interpreters run whatever they are given. In the modes auto and plan Claude Code drops the rules that allow them all of it.
var interpreters = strings.Split(`python|python2|python3|node|deno|bunx|npx|tsx|ruby|perl|php|lua|bash|sh|zsh|fish|eval|exec|env|xargs|`+
	`sudo|ssh|npm run|yarn run|pnpm run|bun run`, "|")

// trustsCode reports a rule that modes auto and plan drop: every command, or an interpreter with any arguments or any flag.
func (r Rule) trustsCode() bool {
	if r.Tool != "Bash" {
		return false
	}
	text := strings.TrimSuffix(strings.TrimPrefix(r.Text, "Bash("), ")")
	head, wild := strings.CutSuffix(text, "*")
	return r.Kind == All || wild && !strings.Contains(head, "*") && slices.ContainsFunc(interpreters, func(name string) bool {
		rest, ok := strings.CutPrefix(head, name)
		return ok && (rest == "" || rest == " " || rest == ":" || strings.HasPrefix(rest, " -"))
	})
}
