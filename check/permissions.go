package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/permit"
	"github.com/skillhand/skillhand/skill"
)

func permissionRules() []*Rule {
	return []*Rule{
		{ID: "SK401", Name: "directive-asks", Severity: Error, agent: claude, run: directiveAsks,
			Summary: "Claude Code would ask before it runs a directive, which it cannot, so the page aborts"},
		{ID: "SK402", Name: "rule-never-matches", Severity: Error, agent: claude, run: ruleNeverMatches,
			Summary: "a rule of allowed-tools matches no command"},
		{ID: "SK403", Name: "rule-allows-all", Severity: Error, agent: claude, run: ruleAllowsAll,
			Summary: "a rule of allowed-tools that reads as if it named some commands allows all of them"},
		{ID: "SK404", Name: "aborts-when-installed", Severity: Warning, agent: claude, run: abortsWhenInstalled,
			Summary: "a directive runs in a project and aborts the page once the skill is installed elsewhere"},
		{ID: "SK405", Name: "rule-unused", Severity: Info, Off: true, agent: claude, run: ruleUnused,
			Summary: "a rule of allowed-tools that nothing in the skill needs"},
	}
}

// A Verdict is what Claude Code decides about one directive.
type Verdict struct {
	File     string          `json:"file"`
	Line     int             `json:"line"`
	Command  string          `json:"command"`
	Decision permit.Decision `json:"decision"`
	Part     string          `json:"part"`
	Rule     string          `json:"rule"`
	RuleFile string          `json:"rule_file,omitempty"` // the settings file that has the rule, with its line; none: the skill's own
	Reason   string          `json:"reason"`
	Suggest  string          `json:"suggest"`

	Range Range `json:"-"` // of the whole directive
}

// place is where Claude Code is taken to load the file from.
func (d *document) place() Place {
	if d.opt.As != "" {
		return d.opt.As
	}
	return d.As
}

// request asks about a command of the file as if it were loaded from a place, for everybody who has
// the file: the settings that come with it count, if it is loaded from where it lies.
func (d *document) request(command string, as Place) permit.Request {
	q := d.bare(command, as)
	if d.rules != nil && as == d.As {
		q = d.rules.shared.add(q)
	}
	return q
}

// bare is a request without settings. The folders are made up: what is decided depends on which
// lies in which, not on their names.
func (d *document) bare(command string, as Place) permit.Request {
	front := &d.skill.Front
	q := permit.Request{Command: command, Allow: front.AllowedTools, Deny: front.DisallowedTools, Dir: "/project", Home: "/home/user"}
	name := strings.ReplaceAll(d.loadName(), ":", "/")
	base := "/project/.claude"
	switch as {
	case User:
		base = "/home/user/.claude"
	case InPlugin:
		base = "/home/user/.claude/plugins/cache/market/plugin/1.0.0"
		q.PluginRoot = base
	}
	if d.Kind != Command { // commands have no folder of their own
		q.SkillDir = base + "/skills/" + name
	}
	return q
}

// decide asks permit, and has the answer speak of folders as people write them, not as they are made
// up for the question.
func decide(q permit.Request) permit.Verdict {
	v := permit.Decide(q)
	for _, dir := range []struct{ made, written string }{{q.SkillDir, "${CLAUDE_SKILL_DIR}"}, {q.PluginRoot, "${CLAUDE_PLUGIN_ROOT}"}, {q.Home, "~"}} {
		if dir.made != "" && !strings.Contains(q.Command, dir.made) {
			v.Reason = strings.ReplaceAll(v.Reason, dir.made, dir.written)
		}
	}
	return v
}

// judged returns the directives that Claude Code runs and the author means to run, with what it
// decides about them.
func (p *pass) judged(as Place, f func(*directive, permit.Verdict)) {
	for _, d := range p.directives {
		if d.part != nil && d.claude {
			f(d, decide(p.request(d.plain(), as)))
		}
	}
}

// plain is the command with something in the place of each argument, and of what Claude Code fills
// in and permit does not. It has the same length, so that what is found in it can be pointed at.
func (d *directive) plain() string {
	if d.part == nil {
		return d.command
	}
	var b strings.Builder
	for _, c := range d.part.Command {
		switch {
		case c.Kind == skill.Variable && !c.Escaped && (!c.Braced || c.Name == "CLAUDE_SESSION_ID" || c.Name == "CLAUDE_EFFORT"):
			b.WriteString(strings.Repeat("x", len(c.Source)))
		case c.Kind == skill.Variable && !c.Escaped && c.Name == "CLAUDE_PLUGIN_DATA":
			b.WriteString("/" + strings.Repeat("x", len(c.Source)-1))
		default:
			b.WriteString(c.Source)
		}
	}
	return b.String()
}

// judge finds out what Claude Code decides about each directive that it runs, examples included.
func (d *document) judge() {
	for _, x := range d.directives {
		if !x.claude {
			continue
		}
		x.verdict = decide(d.request(x.plain(), d.place()))
		x.here = x.verdict
		if d.rules != nil {
			x.here = decide(d.rules.mine.add(d.bare(x.plain(), d.place())))
		}
		verdict := d.verdictOf(x)
		verdict.Range = d.rangeOf(x.start, x.end)
		d.verdicts = append(d.verdicts, verdict)
	}
}

func directiveAsks(p *pass) {
	for _, d := range p.directives {
		if d.part == nil {
			continue // SK306 tells about examples
		}
		v := d.verdict
		if !aborts(v) {
			if aborts(d.here) {
				p.abortsHere(d)
			}
			continue
		}
		why := v.Reason + p.ruleAt(" (", v, ")")
		if d.here.Decision == permit.Allow {
			why += fmt.Sprintf("; here it runs, by %s%s, which others do not have", cmp.Or(d.here.Rule, "your own settings"), p.ruleAt(" in ", d.here, ""))
		}
		f := p.at(d, v.Offset, v.End, "Claude Code will not run this, and the page aborts: %s", why)
		if d.plain() != d.command {
			if rule := p.prefixRule(d, v); rule != "" {
				f.Help = "add " + rule + " to allowed-tools"
			}
		} else if v.Suggest != nil {
			f.Help = v.Suggest.String()
			f.Fix = p.allow(d, v.Suggest)
		}
		switch {
		case f.Help != "" || v.Decision != permit.Ask || strings.Contains(v.Reason, ": "): // which says how to write it
		case v.Rule != "":
			f.Help = "have the agent run it: then the user can be asked"
		default:
			f.Help = "put it into a script, which a rule can name, or have the agent run it"
		}
	}
}

// aborts reports whether a directive with this verdict takes its page with it.
func aborts(v permit.Verdict) bool { return v.Decision == permit.Ask || v.Decision == permit.Deny }

// abortsHere tells about a directive that runs for others: of their settings this user has more,
// or does not trust the project.
func (p *pass) abortsHere(d *directive) {
	v := d.here
	if v.Rule == "" && d.verdict.Decision == permit.Allow {
		f := p.at(d, v.Offset, v.End, "%s%s lets this run only where the folder is trusted in Claude Code, which it is not here: Claude Code passes over it, and the page aborts", cmp.Or(d.verdict.Rule, "a rule"), p.ruleAt(" in ", d.verdict, ""))
		p.severe(f, Info).Help = "start claude here once and trust the folder, or have the rule in the skill's allowed-tools"
		return
	}
	f := p.at(d, v.Offset, v.End, "Claude Code will not run this here, and the page aborts: %s%s", v.Reason, p.ruleAt(" (", v, ")"))
	p.severe(f, Warning).Help = "the rule is in settings of your own: for others it may run"
}

// prefixRule is the rule that allows a command whatever its arguments are, or "".
func (p *pass) prefixRule(d *directive, v permit.Verdict) string {
	part := d.command[v.Offset:v.End]
	head, _, _ := strings.Cut(part, "$")
	rule := "Bash(" + strings.TrimRight(head, " \t\"'") + ":*)"
	q := p.request(d.plain(), p.place())
	q.Allow = append(slices.Clone(q.Allow), rule)
	if permit.ParseRule(rule).Never != "" || permit.Decide(q).Decision != permit.Allow {
		return ""
	}
	return rule
}

func (d *document) verdictOf(x *directive) Verdict {
	v := x.here
	out := Verdict{File: d.Name, Line: x.line, Command: strings.TrimSpace(x.command), Decision: v.Decision, Part: x.command[v.Offset:v.End], Rule: v.Rule, Reason: v.Reason, RuleFile: d.ruleFile(v)}
	if v.Suggest != nil && x.plain() == x.command {
		out.Suggest = v.Suggest.String()
	}
	if v.Decision == permit.Ask && v.Rule == "" && x.verdict.Decision == permit.Allow {
		out.Reason += fmt.Sprintf("; %s%s would let it run, but Claude Code passes over it until the folder is trusted in Claude Code", cmp.Or(x.verdict.Rule, "a rule"), d.ruleAt(" in ", x.verdict, ""))
	}
	return out
}

// allow is the fix for a directive that asks: another spelling if there is one, else rules.
func (p *pass) allow(d *directive, c *permit.Change) *Fix {
	start, end := d.at(0), d.at(len(d.command))
	// Who writes || exit means to fail: without it SK308 would have the failure ignored.
	meant := strings.Contains(d.command, "|| exit") && !strings.Contains(c.Command, "||") && len(c.Rules) > 0
	if c.Command != "" && !meant && p.src[start:end] == d.command && !strings.Contains(c.Command, "`") {
		lead := len(d.command) - len(strings.TrimLeft(d.command, " \t\n"))
		return replace("write "+clip(c.Command, 60), true, start+lead, start+len(strings.TrimRight(d.command, " \t\n")), c.Command)
	}
	if len(c.Rules) > 0 {
		return p.addTools(c.Rules, true)
	}
	return nil
}

func abortsWhenInstalled(p *pass) {
	if p.place() != Project || p.Kind != Skill || !strings.Contains(p.body(), "${CLAUDE_SKILL_DIR}") {
		return
	}
	p.judged(User, func(d *directive, v permit.Verdict) {
		if v.Decision != permit.Ask || permit.Decide(p.request(d.plain(), Project)).Decision != permit.Allow {
			return
		}
		f := p.at(d, v.Offset, v.End, "this runs in a project, but aborts the page once the skill is installed for a user or by a plugin: %s", v.Reason)
		if v.Suggest == nil {
			return
		}
		f.Help = v.Suggest.String()
		if rules := v.Suggest.Rules; len(rules) == 1 && strings.HasPrefix(rules[0], "Read(/${CLAUDE_SKILL_DIR}") {
			f.Fix = p.addTools(rules, false)
		}
	})
}

// toolRules calls f with each rule of allowed-tools, and where it stands.
func (p *pass) toolRules(f func(r permit.Rule, start, end int)) {
	field, ok := p.skill.Front.Field("allowed-tools")
	if !ok {
		return
	}
	items := field.Fields
	if len(items) == 0 {
		items = []skill.Field{field}
	}
	for _, item := range items {
		from := item.ValueOffset
		for _, r := range permit.ParseRules(item.Value) {
			start := strings.Index(p.src[from:item.ValueEnd], r.Text)
			if start < 0 { // escaped, or over several lines
				f(r, item.ValueOffset, item.ValueEnd)
				continue
			}
			f(r, from+start, from+start+len(r.Text))
			from += start + len(r.Text)
		}
	}
}

func ruleNeverMatches(p *pass) {
	after := "" // the rule before, if a space took its parenthesis away
	p.toolRules(func(r permit.Rule, start, end int) {
		lone := after == "Bash" && strings.HasPrefix(r.Text, "(")
		after = r.Text
		if r.Never == "" || lone { // SK403 has told
			return
		}
		f := p.find(start, end, "%s matches no command: %s", r.Text, r.Never)
		if better := respell(r); better != "" {
			f.Help = "write " + better
			if p.src[start:end] == r.Text {
				f.Fix = replace("write "+better, true, start, end, better)
			}
		}
	})
}

// respell is the rule that was likely meant, or "".
func respell(r permit.Rule) string {
	text := r.Text
	tool, spec, ok := strings.Cut(text, "(")
	if strings.EqualFold(tool, "Bash") {
		tool = "Bash"
	}
	if ok && strings.HasSuffix(spec, ")") {
		spec = strings.Join(strings.Fields(spec[:len(spec)-1]), " ")
		base, star := strings.CutSuffix(spec, "*")
		base = strings.TrimRight(base, " :.")
		if !strings.Contains(base, "/") {
			base = strings.Join(strings.Fields(strings.ReplaceAll(base, ":", " ")), " ")
		}
		spec = base
		if star {
			spec += ":*"
		}
		text = tool + "(" + spec + ")"
	} else {
		text = tool
	}
	if better := permit.ParseRule(text); better.Never == "" && better.Kind != permit.All && text != r.Text {
		return text
	}
	return ""
}

func ruleAllowsAll(p *pass) {
	var all, next *permit.Rule
	var start, end int
	report := func(nextEnd int) {
		f := p.find(start, max(end, nextEnd), "this allows every command: %s", all.Everything)
		if next != nil && strings.HasPrefix(next.Text, "(") && nextEnd > end {
			f.Help = "write " + all.Text + next.Text
			if strings.TrimSpace(p.src[end:nextEnd]) == next.Text {
				f.Fix = replace("remove the space", false, end, nextEnd-len(next.Text), "")
				f.Fix.Unsafe = p.stops(f.Fix)
			}
		} else {
			f.Help = "name the commands, as in Bash(git status:*), or write Bash if every command is meant"
		}
		all = nil
	}
	p.toolRules(func(r permit.Rule, from, to int) {
		if all != nil {
			next = &r
			report(to)
		}
		next = nil
		if r.Everything != "" {
			all, start, end = &r, from, to
			if !strings.HasPrefix(r.Everything, "the space") {
				report(0)
			}
		}
	})
	if all != nil {
		report(0)
	}
}

// stops reports whether a directive that runs would no longer run with a fix of the frontmatter.
func (p *pass) stops(fix *Fix) bool {
	front := p.parseFront(fix.Edits).Front
	return slices.ContainsFunc(p.directives, func(d *directive) bool {
		if d.verdict.Decision != permit.Allow {
			return false
		}
		q := p.bare(d.plain(), p.place())
		q.Allow, q.Deny = front.AllowedTools, front.DisallowedTools
		if p.rules != nil {
			q = p.rules.shared.add(q)
		}
		return permit.Decide(q).Decision != permit.Allow
	})
}

func ruleUnused(p *pass) {
	var decisions []permit.Decision
	var commands []string
	for _, d := range p.directives {
		if d.part != nil && d.claude {
			decisions = append(decisions, permit.Decide(p.bare(d.plain(), p.place())).Decision)
			commands = append(commands, d.plain())
		}
	}
	var all []permit.Rule
	p.toolRules(func(r permit.Rule, _, _ int) { all = append(all, r) })
	i := 0
	p.toolRules(func(r permit.Rule, start, end int) {
		rest := slices.Delete(slices.Clone(all), i, i+1)
		i++
		first, _, _ := strings.Cut(r.Spec, " ")
		if r.Tool != "Bash" || r.Kind == permit.All || r.Never != "" || strings.Contains(p.body(), first) {
			return
		}
		for k, command := range commands {
			q := p.bare(command, p.place())
			q.Allow = nil
			for _, other := range rest {
				q.Allow = append(q.Allow, other.Text)
			}
			if permit.Decide(q).Decision != decisions[k] {
				return
			}
		}
		f := p.find(start, end, "nothing in the skill needs %s", r.Text)
		f.Help = "remove it: what is granted can be used by the agent too"
	})
}
