package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/permit"
	"github.com/skillhand/skillhand/skill"
)

func toolRules() []*Rule {
	return []*Rule{
		{ID: "SK107", Name: "tools-field", Severity: Error, agent: claude, kinds: []Kind{Skill, Command, Agent}, run: toolsField,
			Summary: "tools are named in a field that Claude Code does not read there"},
		{ID: "SK108", Name: "unknown-tool", Severity: Error, agent: claude, kinds: []Kind{Skill, Command, Agent}, run: unknownTool,
			Summary: "a tool's name is almost one that exists, and stands for none"},
		{ID: "SK110", Name: "retired-tool", Severity: Warning, agent: claude, kinds: []Kind{Skill, Command, Agent}, run: retiredTool,
			Summary: "a tool is named that Claude Code no longer has"},
		{ID: "SK109", Name: "agent-name", Severity: Error, agent: claude, kinds: []Kind{Agent}, run: agentName,
			Summary: "an agent has no name, so Claude Code does not load it"},
	}
}

// toolsField reports tools in the field of the other kind of file. An agent reads tools, a skill
// or command allowed-tools (testdata/claude/SK107-*.txtar).
func toolsField(p *pass) {
	key, right := "tools", "allowed-tools"
	if p.doc.file.Kind == Agent {
		key, right = right, key
	}
	f, ok := p.doc.skill.Front.Field(key)
	_, both := p.doc.skill.Front.Field(right)
	if !ok || both && p.doc.file.Kind == Agent || f.Value == "" && len(f.Fields) == 0 {
		return
	}
	if p.doc.file.Kind == Agent {
		x := p.find(f.Offset, f.End, "an agent has no field allowed-tools: Claude Code ignores it, and the agent gets every tool")
		x.Help = "write tools"
		x.Fix = rename("write tools", "", f.Offset, f.End, "tools")
		x.Fix.Unsafe = true // it takes tools away
		return
	}
	x := p.severe(p.find(f.Offset, f.End, "a %s has no field tools: Claude Code ignores it, and nothing is allowed or taken away by it", p.doc.file.Kind), Warning)
	x.Help = "write allowed-tools for what may be used without asking, or remove it"
	if both { // it may be there for another agent
		p.severe(x, Info).Help = "remove it; disallowed-tools takes tools away"
	}
}

// unknownTool reports names that are a letter or the case away from a tool's.
func unknownTool(p *pass) {
	for _, key := range []string{"tools", "disallowedTools", "allowed-tools", "disallowed-tools"} {
		f, ok := p.doc.skill.Front.Field(key)
		isAgents := key == "tools" || key == "disallowedTools"
		if !ok || isAgents != (p.doc.file.Kind == Agent) {
			continue
		}
		known := false
		var wrong []*Finding
		eachTool(p.doc.src, f, func(r permit.Rule, start, end int) {
			name, _, _ := strings.Cut(r.Text, "(")
			near := nearTool(name)
			known = known || near == ""
			if near == "" || r.Never != "" && !isAgents && strings.Contains(r.Text, "(") { // SK402 tells
				return
			}
			what := "the rule grants nothing"
			switch key {
			case "tools":
				what = "the agent starts without it"
			case "disallowedTools", "disallowed-tools":
				what = "nothing is taken away"
			}
			x := p.find(start, end, "there is no tool %s: %s", name, what)
			x.Help = "write " + near
			if p.doc.src[start:end] == r.Text {
				x.Fix = replace("write "+near, true, start, start+len(name), near)
			}
			wrong = append(wrong, x)
		})
		if key == "tools" && !known && len(wrong) > 0 {
			wrong[0].Message += "; as no other tool is left, Claude Code refuses to start it"
		}
	}
}

// retiredTool reports tools of earlier versions (testdata/claude/SK110-retired.txtar). Each field has one finding.
func retiredTool(p *pass) {
	key := "allowed-tools"
	if p.doc.file.Kind == Agent {
		key = "tools"
	}
	field, ok := p.doc.skill.Front.Field(key)
	if !ok {
		return
	}
	var first *Finding
	var names, instead []string
	others := 0
	eachTool(p.doc.src, field, func(r permit.Rule, start, end int) {
		now, isRetired := claudecode.RetiredTools()[r.Tool]
		switch {
		case !isRetired:
			others++
			return
		case first == nil:
			first = p.find(start, end, "")
		}
		if names = append(names, r.Tool); now != "" {
			instead = append(instead, now+" for "+r.Tool)
		}
	})
	if first == nil {
		return
	}
	what := "the rule allows nothing"
	switch {
	case p.doc.file.Kind != Agent:
		p.severe(first, Info)
	case others == 0:
		what = "as no other tool is left, it refuses to start the agent"
		p.severe(first, Error)
	default:
		what = "the agent starts without " + verb(names, "it", "them")
	}
	first.Message = fmt.Sprintf("Claude Code no longer has %s: %s", and(names), what)
	first.Help = "remove " + verb(names, "it", "them")
	if len(instead) > 0 {
		first.Help = "write " + and(instead) + ", or " + first.Help
	}
}

// eachTool calls f with each tool or rule of a field, and where it stands.
func eachTool(src string, field skill.Field, f func(r permit.Rule, start, end int)) {
	items := field.Fields
	if len(items) == 0 {
		items = []skill.Field{field}
	}
	for _, item := range items {
		from := item.ValueOffset
		for _, r := range permit.ParseRules(item.Value) {
			start := strings.Index(src[from:item.ValueEnd], r.Text)
			if start < 0 { // escaped, or over several lines
				f(r, item.ValueOffset, item.ValueEnd)
				continue
			}
			f(r, from+start, from+start+len(r.Text))
			from += start + len(r.Text)
		}
	}
}

// nearTool returns the tool that a misspelt name stands for, or "". A name that is far from all of them
// may be a server's, or of a version to come.
func nearTool(name string) string {
	tools := claudecode.Tools()
	if len(name) < 3 || slices.Contains(tools, name) || strings.Contains(name, "__") || strings.ContainsAny(name, "[]") { // SK402 tells of brackets
		return ""
	}
	for _, tool := range tools {
		if strings.EqualFold(tool, name) {
			return tool
		}
	}
	for _, tool := range tools {
		if len(tool) >= 4 && name[0] == tool[0] && words.Distance(name, tool) == 1 {
			return tool
		}
	}
	return ""
}

// agentName reports agents outside of plugins: those in plugins go by their files' names
// (testdata/claude/SK106-agent.txtar).
func agentName(p *pass) {
	front := &p.doc.skill.Front
	if p.doc.file.As == InPlugin || p.doc.isBroken() || p.doc.frontEnd() == 0 || strings.TrimSpace(front.Description) == "" {
		return // SK101 and SK106 tell
	}
	if f, ok := front.Field("name"); ok && strings.TrimSpace(f.Value) != "" {
		return
	}
	x := p.find(0, 3, "the name is missing: Claude Code does not load the agent, and says nothing")
	x.Help = fmt.Sprintf("add name: %s", p.doc.stem())
	if at := strings.Index(p.doc.src[:p.doc.frontEnd()], "\n") + 1; at > 0 && nameFault(p.doc.stem()) == "" {
		if _, there := front.Field("name"); !there {
			x.Fix = replace("add the name", true, at, at, "name: "+p.doc.stem()+p.doc.lineEnd())
			x.Fix.makes = "/name"
		}
	}
}
