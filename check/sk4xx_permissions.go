package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/shell/bind"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/permit"
	"github.com/skillhand/skillhand/skill"
)

func permissionRules() []*Rule {
	ruled := []Kind{Skill, Command, Text, Hooks}
	return []*Rule{
		{ID: "SK401", Name: "directive-asks", Severity: Error, agent: claude, run: directiveAsks,
			Summary: "Claude Code does not run a directive: claude -p aborts the page, auto mode tells the model to run it"},
		{ID: "SK402", Name: "rule-never-matches", Severity: Error, agent: claude, kinds: ruled, run: ruleNeverMatches,
			Summary: "a rule of allowed-tools or of a settings file matches no command"},
		{ID: "SK403", Name: "rule-allows-all", Severity: Error, agent: claude, kinds: ruled, run: ruleAllowsAll,
			Summary: "a rule of allowed-tools reads as if it named some commands, or one of a settings file names none, and allows all of them"},
		{ID: "SK408", Name: "rule-shadowed", Severity: Warning, agent: claude, kinds: []Kind{Hooks}, run: ruleShadowed,
			Summary: "a rule of a settings file allows what another denies"},
		{ID: "SK404", Name: "aborts-when-installed", Severity: Warning, agent: claude, run: abortsWhenInstalled,
			Summary: "a directive runs in a project, and no longer once the skill is installed elsewhere"},
		{ID: "SK405", Name: "rule-unused", Severity: Info, Off: true, agent: claude, run: ruleUnused,
			Summary: "a rule of allowed-tools that nothing in the skill needs"},
		{ID: "SK406", Name: "cannot-activate", Severity: Warning, agent: claude, kinds: []Kind{Skill}, run: cannotActivate, together: needApproval,
			Summary: "nobody can use the skill, or in claude -p the model cannot"},
		{ID: "SK407", Name: "deferred-argument", Severity: Warning, agent: claude, run: deferredArgument,
			Summary: "in auto mode an argument becomes part of a command that the model is told to run"},
	}
}

// A Verdict is what Claude Code decides about one directive.
type Verdict struct {
	File     string          `json:"file"`
	Line     int             `json:"line"`
	Command  string          `json:"command"`
	Decision permit.Decision `json:"decision"`
	Default  Effect          `json:"default"` // what becomes of it in claude -p
	Auto     Effect          `json:"auto"`    // and in auto mode, in which an interactive session starts
	Part     string          `json:"part"`
	Rule     string          `json:"rule"`
	RuleFile string          `json:"rule_file,omitempty"` // the settings file that has the rule, with its line; none: the skill's own
	Reason   string          `json:"reason"`
	Suggest  string          `json:"suggest"`

	Range Range `json:"-"` // of the whole directive
}

// An Effect is what Claude Code does with a directive in some mode.
type Effect string

// The effects.
const (
	Runs   Effect = "run"
	Defers Effect = "defer"   // it does not run: the page tells the model to run it
	Aborts Effect = "abort"   // there is no page
	Untold Effect = "unknown" // nobody has seen it
)

// effects returns what a decision comes to in claude -p, which starts in default mode, and in auto mode.
func effects(d permit.Decision) (inDefault, inAuto Effect) {
	switch d {
	case permit.Allow:
		return Runs, Runs
	case permit.Ask:
		return Aborts, Defers
	case permit.Deny:
		return Aborts, Aborts
	}
	return Untold, Untold
}

// notRun says what happens to a directive that Claude Code does not run.
func notRun(d permit.Decision) string {
	if d == permit.Deny {
		return "the skill is not loaded"
	}
	return "claude -p does not load the skill, auto mode tells the model to run it"
}

// place returns where Claude Code is taken to load the file from.
func (d *document) place() Place {
	if d.opt.As != "" {
		return d.opt.As
	}
	return d.file.As
}

// request asks about a command of the file as if it were loaded from a place, for everybody who has
// the file: the settings that come with it count, if it is loaded from where it lies.
func (d *document) request(command string, as Place) permit.Request {
	q := d.bare(command, as)
	if d.rules != nil && as == d.file.As {
		q = d.rules.shared.add(q)
	}
	return q
}

// bare returns a request without settings. The folders are made up: what is decided depends on which
// lies in which, not on their names.
func (d *document) bare(command string, as Place) permit.Request {
	front := &d.skill.Front
	q := permit.Request{Command: command, Allow: front.AllowedTools, Dir: "/project", Home: "/home/user"}
	name := strings.ReplaceAll(d.loadName(), ":", "/")
	base := "/project/.claude"
	switch as {
	case User:
		base = "/home/user/.claude"
	case InPlugin:
		base = "/home/user/.claude/plugins/cache/market/plugin/1.0.0"
		q.PluginRoot = base
	}
	if d.file.Kind != Command { // commands have no folder of their own
		q.SkillDir = base + "/skills/" + name
	}
	return q
}

// denied returns the rules of disallowed-tools that hold for directives: one for the whole of Bash does
// not (testdata/claude/SK401-deny.txtar).
func denied(lists []string) []string {
	var held []string
	for _, list := range lists {
		for _, r := range permit.ParseRules(list) {
			if r.Kind != permit.All {
				held = append(held, r.Text)
			}
		}
	}
	return held
}

// decide adds the rules of disallowed-tools. They forbid what would run. What would not run without them either is
// asked about, so that auto mode hands it to the model (testdata/claude/SK401-deny-auto.txtar).
func (d *document) decide(q permit.Request) permit.Verdict {
	v := decide(q)
	if own := denied(d.skill.Front.DisallowedTools); v.Decision == permit.Allow && len(own) > 0 {
		q.Deny = append(slices.Clone(q.Deny), own...)
		v = decide(q)
	}
	return v
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
	for _, d := range p.doc.directives {
		if d.part != nil && d.claude {
			f(d, p.doc.decide(p.doc.request(d.plain(), as)))
		}
	}
}

// plain returns the command with something in the place of each argument, and of what Claude Code fills
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

// decideAll finds out what Claude Code decides about each directive that it runs, examples included.
func (d *document) decideAll() {
	for _, x := range d.directives {
		if !x.claude {
			continue
		}
		x.verdict, x.unfilled = d.withoutArguments(x, func(command string) permit.Request { return d.request(command, d.place()) })
		x.here = x.verdict
		if d.rules != nil {
			x.here, _ = d.withoutArguments(x, func(command string) permit.Request { return d.rules.mine.add(d.bare(command, d.place())) })
		}
		verdict := d.verdictOf(x)
		verdict.Range = d.rangeOf(x.start, x.end)
		d.verdicts = append(d.verdicts, verdict)
	}
}

// withoutArguments decides about a directive, also as it is if fewer arguments are given: $ARGUMENTS is
// empty then, and $1 stays as it is, which Claude Code takes for a variable of the shell. It is unfilled if it runs only
// with its arguments.
func (d *document) withoutArguments(x *directive, ask func(command string) permit.Request) (v permit.Verdict, unfilled bool) {
	v = d.decide(ask(x.plain()))
	if v.Decision != permit.Allow || x.part == nil {
		return v, false
	}
	at := 0
	for _, c := range x.part.Command {
		start := at
		at += len(c.Source)
		if c.Kind != skill.Variable || c.Braced || c.Escaped || c.Named || c.Source == "$ARGUMENTS" {
			continue
		}
		plain := x.plain()
		if left := d.decide(ask(plain[:start] + c.Source + plain[at:])); left.Decision == permit.Ask {
			left.Reason = fmt.Sprintf("without an argument %s stays as it is, a variable that Claude Code cannot check", c.Source)
			left.Suggest = nil
			left.Offset, left.End = start, at
			return left, true
		}
	}
	return v, false
}

func directiveAsks(p *pass) {
	for _, d := range p.doc.directives {
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
		why := reason(v) + p.doc.ruleAt(" (", v, ")")
		if d.here.Decision == permit.Allow {
			rule := cmp.Or(d.here.Rule, "your own settings") + p.doc.ruleAt(" in ", d.here, "")
			why += fmt.Sprintf("; it runs for you because of %s; other users lack that rule", rule)
		}
		f := p.at(d, v.Offset, v.End, "Claude Code does not run this command: %s; %s", why, notRun(v.Decision))
		f.directive = d
		switch {
		case d.unfilled:
			p.severe(f, Warning).Help = "let the agent run the command, or write $ARGUMENTS, which is empty then"
		case slices.ContainsFunc(p.doc.findings, d.hasUnknown): // a rule would let it run with nothing in the variable's place
			f.Help = "correct the variable first (SK206)"
		case d.plain() != d.command:
			if rule := p.prefixRule(d, v); rule != "" {
				f.Help = "add " + rule + " to allowed-tools"
			}
		case v.Suggest != nil:
			f.Help = v.Suggest.String()
			f.Fix = p.allow(d, v.Suggest)
		}
		switch {
		case f.Help != "" || v.Decision != permit.Ask || v.Instead != "": // the reason says how to write it
		case v.Rule != "":
			f.Help = "have the agent run it: then the user can be asked"
		default:
			f.Help = "put it into a script, which a rule can name, or have the agent run it"
		}
	}
}

// hasUnknown reports whether a finding is about a variable of the directive that is not filled in.
func (d *directive) hasUnknown(f *Finding) bool {
	return f.Rule == "SK206" && d.start <= f.Range.Offset && f.Range.Offset < d.end
}

// aborts reports whether a directive with this verdict takes its page with it.
func aborts(v permit.Verdict) bool { return v.Decision == permit.Ask || v.Decision == permit.Deny }

// reason returns why Claude Code decides so, in a sentence that has named it already.
func reason(v permit.Verdict) string {
	if rest, ok := strings.CutPrefix(v.Reason, "Claude Code "); ok {
		return "it " + rest
	}
	return v.Reason
}

// abortsHere tells about a directive that runs for others: of their settings this user has more,
// or does not trust the project.
func (p *pass) abortsHere(d *directive) {
	v := d.here
	if v.Rule == "" && d.verdict.Decision == permit.Allow {
		f := p.at(d, v.Offset, v.End, "%s%s lets this run only where the folder is trusted in Claude Code, which it is not here: Claude Code passes over it, and %s",
			cmp.Or(d.verdict.Rule, "a rule"), p.doc.ruleAt(" in ", d.verdict, ""), notRun(v.Decision))
		p.severe(f, Info).Help = "start claude here once and trust the folder, or have the rule in the skill's allowed-tools"
		return
	}
	f := p.at(d, v.Offset, v.End, "Claude Code does not run this here: %s%s; %s", reason(v), p.doc.ruleAt(" (", v, ")"), notRun(v.Decision))
	p.severe(f, Warning).Help = "the rule is in settings of your own: for others it may run"
}

// prefixRule returns the rule that allows a command whatever its arguments are, or "".
func (p *pass) prefixRule(d *directive, v permit.Verdict) string {
	plain := d.plain()
	head := wordsBefore(plain[v.Offset:v.End], firstDifference(plain[v.Offset:], d.command[v.Offset:]))
	if head == "" {
		return ""
	}
	rule := "Bash(" + head + ":*)"
	q := p.doc.request(plain, p.doc.place())
	q.Allow = append(slices.Clone(q.Allow), rule)
	if permit.ParseRule(rule).Never != "" || permit.Decide(q).Decision != permit.Allow {
		return ""
	}
	return rule
}

// firstDifference returns where two texts first differ.
func firstDifference(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// wordsBefore returns the whole words of a command that end before an offset; "" if what follows them could be any program.
func wordsBefore(command string, offset int) string {
	program, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil || len(program.Stmts) != 1 {
		return ""
	}
	call, ok := program.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return ""
	}
	n := 0
	for n < len(call.Args) && to(call.Args[n]) <= offset {
		n++
	}
	if n == 0 {
		return ""
	}
	head := command[from(call.Args[0]):to(call.Args[n-1])]
	word := bind.Part{Text: "$0", Value: &bind.Value{Data: "system"}} // plain, and code to whatever runs its words: bash -c, npx, awk
	if len(bind.Judge(bind.Line{Parts: []bind.Part{{Text: head + " "}, word}}, bind.World{})) > 0 {
		return ""
	}
	return head
}

func (d *document) verdictOf(x *directive) Verdict {
	v := x.here
	inDefault, inAuto := effects(v.Decision)
	out := Verdict{
		File:     d.file.Name,
		Line:     x.line,
		Command:  strings.TrimSpace(x.command),
		Decision: v.Decision,
		Default:  inDefault,
		Auto:     inAuto,
		Part:     x.command[v.Offset:v.End],
		Rule:     v.Rule,
		Reason:   v.Reason,
		RuleFile: d.ruleFile(v),
	}
	if v.Suggest != nil && x.plain() == x.command {
		out.Suggest = v.Suggest.String()
	}
	if v.Decision == permit.Ask && v.Rule == "" && x.verdict.Decision == permit.Allow {
		out.Reason += fmt.Sprintf("; %s%s would let it run, but Claude Code passes over it until the folder is trusted in Claude Code",
			cmp.Or(x.verdict.Rule, "a rule"), d.ruleAt(" in ", x.verdict, ""))
	}
	return out
}

// allow returns the fix for a directive that asks: another spelling if there is one, else rules.
func (p *pass) allow(d *directive, c *permit.Change) *Fix {
	start, end := d.at(0), d.at(len(d.command))
	// An author who writes || exit means to fail: without it SK308 would have the failure ignored.
	meant := strings.Contains(d.command, "|| exit") && !strings.Contains(c.Command, "||") && len(c.Rules) > 0
	if c.Command != "" && !meant && p.doc.src[start:end] == d.command && !strings.Contains(c.Command, "`") {
		lead := len(d.command) - len(strings.TrimLeft(d.command, " \t\n"))
		return replace("write "+clip(c.Command, 60), true, start+lead, start+len(strings.TrimRight(d.command, " \t\n")), c.Command)
	}
	if len(c.Rules) > 0 {
		return p.addTools(c.Rules, true)
	}
	return nil
}

func abortsWhenInstalled(p *pass) {
	if p.doc.place() != Project || p.doc.file.Kind != Skill || !strings.Contains(p.doc.body(), "${CLAUDE_SKILL_DIR}") {
		return
	}
	p.judged(User, func(d *directive, v permit.Verdict) {
		if v.Decision != permit.Ask || permit.Decide(p.doc.request(d.plain(), Project)).Decision != permit.Allow {
			return
		}
		f := p.at(d, v.Offset, v.End, "this runs in a project; once the skill is installed for a user or by a plugin, %s: %s", notRun(v.Decision), v.Reason)
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
	if p.doc.skill == nil {
		return
	}
	field, ok := p.doc.skill.Front.Field("allowed-tools")
	if !ok {
		return
	}
	eachTool(p.doc.src, field, f)
}

func ruleNeverMatches(p *pass) {
	neverInSettings(p)
	after := "" // the rule before, if a space took its parenthesis away
	p.toolRules(func(r permit.Rule, start, end int) {
		lone := after == "Bash" && strings.HasPrefix(r.Text, "(")
		after = r.Text
		if r.Never == "" || lone || !strings.Contains(r.Text, "(") && nearTool(r.Text) != "" { // SK403 has told, or SK108
			return
		}
		never, better := r.Never, respell(r)
		if strings.Contains(better, "), ") && strings.Contains(r.Text, ",") {
			never = "Claude Code takes the commas for a part of one command"
		}
		if strings.HasPrefix(r.Text, "[") || strings.HasSuffix(r.Text, "]") {
			never = "the list is not YAML, so its brackets count as part of the rules"
		}
		f := p.find(start, end, "%s allows nothing: %s", r.Text, never)
		if better != "" {
			f.Help = "write " + better
			if p.doc.src[start:end] == r.Text {
				f.Fix = replace("write "+better, true, start, end, better)
			}
		}
	})
}

// respell returns the rule that was likely meant, or "".
func respell(r permit.Rule) string {
	text := r.Text
	tool, spec, ok := strings.Cut(text, "(")
	if inner, closed := strings.CutSuffix(spec, ")"); closed && strings.Contains(inner, ",") {
		return respellEach(tool, strings.Split(inner, ","))
	}
	if strings.ContainsAny(spec, "[]") || strings.HasPrefix(text, "[") || strings.HasSuffix(text, "]") {
		return ""
	}
	if strings.EqualFold(tool, "Bash") {
		tool = "Bash"
	}
	if inner, closed := strings.CutSuffix(spec, ")"); closed && tool == "Bash" {
		if several := respellStars(inner); several != nil {
			return respellEach(tool, several)
		}
	}
	if ok && strings.HasSuffix(spec, ")") {
		spec = strings.Join(strings.Fields(spec[:len(spec)-1]), " ")
		base, star := strings.CutSuffix(spec, "*")
		star = star || strings.HasSuffix(base, ":") // git: is git:*
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

// respellStars returns the commands that a rule with more than one * means: each that ends in :*, if all do; else the pattern
// without arguments and with them, as a * before a space needs something after it (testdata/claude/SK402-space.txtar).
func respellStars(spec string) []string {
	each := strings.Fields(spec)
	if len(each) > 1 && !slices.ContainsFunc(each, func(word string) bool { return !strings.HasSuffix(word, ":*") }) {
		for i, word := range each {
			each[i] = strings.ReplaceAll(strings.TrimSuffix(word, ":*"), ":", " ") + ":*"
		}
		return each
	}
	if pattern, ok := strings.CutSuffix(spec, ":*"); ok && strings.Contains(pattern, "*") && !strings.HasSuffix(pattern, ":*") {
		return []string{pattern, pattern + " *"}
	}
	return nil
}

// respellEach makes a rule of each command where one rule names several, or "".
func respellEach(tool string, specs []string) string {
	var all []string
	for _, spec := range specs {
		text := tool + "(" + strings.TrimSpace(spec) + ")"
		if r := permit.ParseRule(text); r.Never != "" || r.Kind == permit.All || strings.TrimSpace(spec) == "" {
			return ""
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func ruleAllowsAll(p *pass) {
	allInSettings(p)
	var all, next *permit.Rule
	var start, end int
	report := func(nextEnd int) {
		f := p.find(start, max(end, nextEnd), "this allows every command: %s", all.Everything)
		if next != nil && strings.HasPrefix(next.Text, "(") && nextEnd > end {
			f.Help = "write " + all.Text + next.Text
			if strings.TrimSpace(p.doc.src[end:nextEnd]) == next.Text {
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
	return slices.ContainsFunc(p.doc.directives, func(d *directive) bool {
		if d.verdict.Decision != permit.Allow {
			return false
		}
		q := p.doc.bare(d.plain(), p.doc.place())
		q.Allow, q.Deny = front.AllowedTools, denied(front.DisallowedTools)
		if p.doc.rules != nil {
			q = p.doc.rules.shared.add(q)
		}
		return permit.Decide(q).Decision != permit.Allow
	})
}

func ruleUnused(p *pass) {
	var decisions []permit.Decision
	var commands []string
	for _, d := range p.doc.directives {
		if d.part != nil && d.claude {
			decisions = append(decisions, permit.Decide(p.doc.bare(d.plain(), p.doc.place())).Decision)
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
		if r.Tool != "Bash" || r.Kind == permit.All || r.Never != "" || strings.Contains(p.doc.body(), first) {
			return
		}
		for k, command := range commands {
			q := p.doc.bare(command, p.doc.place())
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

// deferredArgument reports what somebody types and auto mode makes part of an order. SK307 is about
// what it does in a command that runs.
func deferredArgument(p *pass) {
	for _, d := range p.doc.directives {
		if d.part == nil || !d.claude || d.verdict.Decision != permit.Ask || d.unfilled {
			continue // without an argument there is none in the order
		}
		i := slices.IndexFunc(d.part.Command, func(c skill.Part) bool { return c.Kind == skill.Variable && !c.Braced && !c.Escaped })
		if i < 0 || d.ownVariable(d.part.Command[i]) != "" {
			continue
		}
		c := d.part.Command[i]
		f := p.find(c.Offset, c.Offset+len(c.Source),
			"in auto mode Claude Code tells the model to run this command exactly as written, with whatever is given as %s in it", c.Source)
		f.anchor, f.directive, f.pasted = d.line, d, c.Source
		f.Help = "leave the argument out of the command and have the agent run it, or load the skill with skillhand load, where arguments are values"
	}
}

// cannotActivate reports skills that are found and cannot be used (testdata/claude/SK406-activate.txtar).
func cannotActivate(p *pass) {
	front := &p.doc.skill.Front
	if p.doc.isBroken() {
		return
	}
	if f, ok := front.Field("user-invocable"); ok && front.DisableModelInvocation && f.Value == "false" {
		x := p.find(f.Offset, f.ValueEnd, "nobody can use the skill: user-invocable is false, and disable-model-invocation keeps the model from it")
		x.Help = "remove one of the two fields"
		return
	}
	if front.DisableModelInvocation {
		return // only people start it, and they may
	}
	p.doc.approved = slices.ContainsFunc([]string{"allowed-tools", "disallowed-tools", "hooks"}, func(key string) bool {
		_, ok := front.Field(key)
		return ok
	})
}

// needApproval reports the skills that Claude Code asks about when the model wants them. Most that have
// allowed-tools are used by people, so a place has one finding for all of them; a skill that asks for
// it to be ignored has one of its own.
func needApproval(w *whole) {
	first := map[string]*Finding{}
	names := map[string][]string{}
	for _, d := range w.docs {
		if !d.approved || d.name == "" {
			continue
		}
		place := d.file.Root
		if d.ignoresAll(w.rule.ID) {
			place = d.file.Path
		}
		if names[place] = append(names[place], d.name); first[place] == nil {
			first[place] = w.find(d, 0, min(3, len(d.src)), "")
			f := (&pass{doc: d, rule: w.rule}).severe(first[place], Info)
			f.Help = "run claude with --allowedTools Skill, or have a rule such as Skill(" + d.name + ") in the settings"
		}
	}
	for place, f := range first {
		f.Message = fmt.Sprintf("in claude -p the model cannot use %s, unless Skill is allowed: skills with allowed-tools, disallowed-tools or hooks need approval",
			term.Several(names[place], 5))
	}
}

// joinConsequences makes one finding of a directive that does not run and of what becomes of its arguments: where the
// model is told to run it, they are in the order that it gets.
func joinConsequences(all []*Finding) []*Finding {
	refused := map[*directive]*Finding{}
	for _, f := range all {
		if f.Rule == "SK401" && f.directive != nil && !f.directive.unfilled {
			refused[f.directive] = f
		}
	}
	return slices.DeleteFunc(all, func(f *Finding) bool {
		first := refused[f.directive]
		if f.pasted == "" || first == nil || f == first {
			return false
		}
		if first.pasted == "" {
			first.Message += fmt.Sprintf(", with whatever is given as %s in it", f.pasted)
		}
		first.pasted = f.pasted
		return true
	})
}
