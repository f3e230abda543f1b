// Package permit answers one question: what would Claude Code decide about this command, under
// these rules, from these folders? It models one version, named by Version, as it was seen to
// behave; testdata holds the decisions it was seen to take. It reads no files, starts nothing
// and knows no time. What it does not know it calls Unknown.
//
// A directive in a skill cannot ask: what would ask aborts the page, or in mode auto is left to the model.
package permit

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Decision is what becomes of a command.
type Decision string

// The decisions.
const (
	Allow   Decision = "allow"   // it runs
	Ask     Decision = "ask"     // a person would be asked; a directive aborts its page
	Defer   Decision = "defer"   // a directive in mode auto: it does not run, and the page tells the model to run it
	Deny    Decision = "deny"    // a rule or the mode forbids it
	Unknown Decision = "unknown" // nobody has seen what happens

	// Classifier: in modes auto and plan a model of Claude Code's own decides about a tool call.
	Classifier Decision = "classifier"
)

// A Request is a command and all that the decision depends on.
type Request struct {
	// Tool is what the model calls: Bash with a command, Read, Edit or Write with a file, WebFetch with a URL, or
	// mcp__SERVER__TOOL. "" means that a skill has the command as a directive.
	Tool    string
	Command string // or file, or URL; arguments put in
	// Allow, Deny and Ask are rules as written; an item may hold several, as in allowed-tools.
	Allow, Deny, Ask []string
	Dir              string   // the session's folder; "" means /project
	Dirs             []string // further folders that the session may read
	Home             string   // the user's; "" means /home/user
	SkillDir         string   // for ${CLAUDE_SKILL_DIR}; "" leaves that as it stands, and Claude Code asks
	PluginRoot       string   // for ${CLAUDE_PLUGIN_ROOT}, likewise
	Mode             string   // "" or default, acceptEdits, plan, auto, dontAsk, bypassPermissions; others are Unknown
}

// A Verdict is the answer, and what it hangs on.
type Verdict struct {
	Decision Decision `json:"decision"`
	Part     string   `json:"part"` // the piece of the command that decided, as written
	Offset   int      `json:"offset"`
	End      int      `json:"end"`
	Rule     string   `json:"rule"`           // that decided, as written; "" if none did
	Reason   string   `json:"reason"`         // in plain words
	Said     string   `json:"said,omitempty"` // what Claude Code says, where that is known
	Suggest  *Change  `json:"suggest,omitempty"`
	Instead  string   `json:"-"` // how to write it, where that ends the reason
	RunsCode string   `json:"-"` // the program for which no rule is suggested, as it runs any code that it is given

	tool, file string // the rule that would help, if the fault says so
	firm       bool   // no mode asks a classifier instead
}

// Decide says what Claude Code would do.
func Decide(q Request) Verdict {
	v := decide(q)
	if (v.Decision == Ask || v.Decision == Classifier || v.Decision == Deny) && v.Rule == "" && q.Tool != "WebFetch" {
		if v.RunsCode = codeReader(q); v.RunsCode == "" {
			v.Suggest = suggest(q, v)
		}
	}
	return v
}

// decide works as Decide does, without a suggestion.
func decide(q Request) Verdict {
	j := newDecision(q)
	v := j.inMode(j.decide())
	v.Offset, v.End = j.cmd.original(v.Offset), j.cmd.original(v.End)
	v.End = max(v.Offset, v.End)
	v.Part = q.Command[v.Offset:v.End]
	return v
}

// inMode says what the mode makes of a verdict that a person would be asked about.
func (j *decision) inMode(v Verdict) Verdict {
	if v.Decision != Ask {
		return v
	}
	careful := j.q.Mode == "auto" || j.q.Mode == "plan"
	switch {
	case j.q.Mode == "dontAsk":
		v.Decision = Deny
		v.Said = "Permission to use " + cmp.Or(j.q.Tool, "Bash") + " has been denied because Claude Code is running in don't ask mode."
	case j.q.Tool == "" && j.q.Mode == "auto":
		v.Decision = Defer
	case j.q.Tool == "" || v.Rule != "" || !careful:
	case v.firm:
		v.Decision, v.Said = Deny, "Permission for this command was denied by a built-in Claude Code safety check, not by the user."
	default:
		v.Decision = Classifier
	}
	return v
}

// A decision is one request in the course of being decided.
type decision struct {
	q                Request
	cmd              expansion // the command after substitution
	src              string
	allow, deny, ask []Rule
	dirs             []string
	home             string
	r                *reading
}

func newDecision(q Request) *decision {
	if q.Dir == "" {
		q.Dir = "/project"
	}
	if q.Home == "" {
		q.Home = "/home/user"
	}
	j := &decision{q: q, home: q.Home, dirs: append([]string{q.Dir}, q.Dirs...)}
	vars := []variable{{"${CLAUDE_SKILL_DIR}", q.SkillDir}, {"${CLAUDE_PROJECT_DIR}", q.Dir}, {"${CLAUDE_PLUGIN_ROOT}", q.PluginRoot}}
	j.cmd = expand(q.Command, vars)
	if q.Tool != "" {
		j.cmd = expansion{text: q.Command}
	}
	j.src = strings.TrimRightFunc(j.cmd.text, isBlank)
	j.allow = j.rules(q.Allow, vars)
	j.deny = j.rules(q.Deny, vars)
	j.ask = j.rules(q.Ask, vars)
	if q.Tool != "" && (q.Mode == "auto" || q.Mode == "plan") {
		j.allow = slices.DeleteFunc(j.allow, Rule.trustsCode)
	}
	return j
}

func (j *decision) rules(lists []string, vars []variable) []Rule {
	var rules []Rule
	for _, list := range lists {
		for _, r := range ParseRules(list) {
			if strings.Contains(r.Text, "${") {
				text := r.Text
				r = ParseRule(expand(text, vars).text)
				r.Text = text
			}
			rules = append(rules, r)
		}
	}
	return rules
}

func (j *decision) decide() Verdict {
	whole := span{0, len(j.src)}
	if j.q.Tool != "" && j.q.Tool != "Bash" {
		return j.decideTool()
	}
	if strings.TrimSpace(j.src) == "" {
		return verdict(Unknown, whole, "there is no command")
	}
	if len(j.src) > maxLength {
		return j.tooLong()
	}
	if i, n := control(j.src); n > 0 {
		v := verdict(Ask, span{i, i + n}, "Claude Code takes no command with a control character in it")
		v.Said = "command contains control characters that would be hidden in the approval dialog"
		return v
	}
	var parsed bool
	j.r, parsed = read(j.src, j.home)
	if r, s := j.spokenOf(j.deny); r != nil {
		return forbids(*r, s, j.src)
	}
	if r, s := j.forbidsFile(); r != nil {
		v := forbids(*r, s, j.src)
		if j.r.subshells {
			v.Decision, v.Said = Ask, "was blocked by a deny rule."
		}
		return v
	}
	if r, s := j.spokenOf(j.ask); r != nil {
		return asks(*r, s, "Bash")
	}
	if !knownMode(j.q.Mode) {
		return verdict(Unknown, whole, "what Claude Code does in mode "+j.q.Mode+" is not modelled")
	}
	for i := range j.r.parts {
		if f := j.removes(&j.r.parts[i]); f != nil && (j.q.Mode == "bypassPermissions" || j.q.Tool != "") {
			v := f.verdict()
			v.firm = true
			return v
		}
	}
	if j.q.Mode == "bypassPermissions" {
		return verdict(Allow, whole, "in this mode everything runs")
	}
	return j.permitted(parsed)
}

// knownMode reports a mode that the real program was asked about.
func knownMode(mode string) bool {
	switch mode {
	case "", "default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions":
		return true
	}
	return false
}

// acceptsEdits reports whether commands may change the files of the session's folders: the model's do in auto mode too.
func (j *decision) acceptsEdits() bool {
	return j.q.Mode == "acceptEdits" || j.q.Mode == "auto" && j.q.Tool != ""
}

func asks(r Rule, s span, tool string) Verdict {
	v := verdict(Ask, s, "the rule "+r.Text+" has Claude Code ask first")
	v.Rule, v.Said = r.Text, "Claude requested permissions to use "+tool+", but you haven't granted it yet."
	return v
}

// isBlank reports what Claude Code drops at the end of a command.
func isBlank(c rune) bool { return c == '\ufeff' || c != '\u0085' && unicode.IsSpace(c) }

// control finds a character that a terminal does not show, and its length.
func control(s string) (at, length int) {
	for i, c := range s {
		if c != '\t' && c != '\n' && c != '\r' && unicode.IsControl(c) {
			return i, utf8.RuneLen(c)
		}
	}
	return 0, 0
}

// maxLength is in bytes: what is longer is not even parsed, as it might be nested without end.
const maxLength = 1 << 16

// tooLong: Claude Code asks about whatever has more than 10,000 characters, unless everything is
// allowed.
func (j *decision) tooLong() Verdict {
	whole := span{0, len(j.src)}
	if j.deny != nil || j.ask != nil || slices.ContainsFunc(j.allow, Rule.isAll) || j.q.Mode != "" && j.q.Mode != "default" {
		return verdict(Unknown, whole, "the command is too long to be looked at")
	}
	return verdict(Ask, whole, "the command is longer than 10,000 characters")
}

func forbids(r Rule, s span, command string) Verdict {
	v := verdict(Deny, s, "the rule "+r.Text+" forbids it")
	v.Rule, v.Said = r.Text, "Permission to use Bash with command "+command+" has been denied."
	if r.Kind == All {
		v.Said = "Permission to use Bash has been denied."
	}
	return v
}

// permitted judges rules that allow, and what needs none.
func (j *decision) permitted(parsed bool) Verdict {
	if !parsed {
		return j.unparsed()
	}
	if i := slices.IndexFunc(j.allow, Rule.isAll); i >= 0 {
		return j.blanket(j.allow[i])
	}
	return j.ordinary()
}

func (r Rule) isAll() bool { return r.Kind == All }

func verdict(d Decision, s span, why string) Verdict {
	return Verdict{Decision: d, Offset: s.off, End: s.end, Reason: why}
}

func (f *fault) verdict() Verdict {
	v := verdict(Ask, f.span, f.why)
	v.Said, v.Instead, v.tool, v.file = f.said, f.instead, f.tool, f.file
	if v.Instead != "" {
		v.Reason += ": " + v.Instead
	}
	return v
}

// ordinary decides without a blanket rule: shapes, then each simple command, then the whole.
func (j *decision) ordinary() Verdict {
	exact := j.exact()
	if j.r.block != nil && exact == nil {
		return j.r.block.verdict()
	}
	if f := j.background(); f != nil {
		return f.verdict()
	}
	if f := j.whole(); f != nil {
		return f.verdict()
	}
	if f := j.readsUnseen(); f != nil {
		return f.verdict()
	}
	line := j.line()
	for _, r := range j.r.files {
		if line != nil && r.write && (exact != nil || !j.isProtected(r.to)) {
			continue
		}
		if f := j.redirect(r); f != nil {
			return f.verdict()
		}
	}
	rule, f := j.parts(exact != nil, line)
	if f != nil {
		return f.verdict()
	}
	v := verdict(Allow, span{0, len(j.src)}, "every part is read-only")
	if slices.ContainsFunc(j.r.parts, func(p part) bool { return !j.readOnly(&p) }) || j.r.fileWrites {
		v.Reason = "in this mode files in the session's folders may be changed"
	}
	if exact == nil {
		exact = line
	}
	switch {
	case exact != nil:
		v.Rule, v.Reason = exact.Text, "a rule names this very command"
	case rule != "":
		v.Rule, v.Reason = rule, "every part is read-only or covered by a rule"
	}
	return v
}

// parts judges each simple command. It returns the last rule that was needed. line names them all.
func (j *decision) parts(exact bool, line *Rule) (rule string, f *fault) {
	inside := "" // the rule of a nested command whose outer one comes next
	exports := slices.ContainsFunc(j.r.parts, part.exports)
	for i := range j.r.parts {
		p := &j.r.parts[i]
		if f := j.paths(p); f != nil && line == nil {
			return "", f
		}
		if exact {
			continue
		}
		if f := j.unsafe(p); f != nil {
			return "", f
		}
		readOnly := (j.readOnly(p) || j.edits(p)) && !exports
		r := cmp.Or(j.ruleFor(j.allow, *p), line)
		switch {
		case r != nil && !p.hard && p.nested && !readOnly:
			rule, inside = r.Text, r.Text
		case r != nil && !p.hard:
			rule, inside = r.Text, ""
		case !readOnly:
			return "", j.uncovered(p)
		case !p.nested && inside != "":
			// A command and all that is nested in it are read-only as one, or not at all.
			return "", j.uncovered(p)
		}
	}
	return rule, nil
}

// moves reports whether the part changes the folder of those after it.
func (p part) moves() bool {
	name, _ := p.name()
	return (name == "cd" || name == "chdir" || name == "pushd" || name == "popd") && p.words[0].val != "env"
}

// exports reports export of a variable that may change what other commands do.
func (p part) exports() bool {
	name, args := p.name()
	return name == "export" && slices.ContainsFunc(args, func(w word) bool {
		variable, _, ok := strings.Cut(w.val, "=")
		return ok && !isHarmless(variable)
	})
}

func (j *decision) uncovered(p *part) *fault {
	said := "This command requires approval"
	if len(j.r.parts) > 1 {
		said = "This Bash command contains multiple operations. The following part requires approval: " + j.src[p.off:p.end]
	}
	return newFault(p.span, "it is not known to be read-only, and no rule covers it", said)
}

// exact returns the rule without a * that equals the whole command. It opens most of what
// Claude Code otherwise does not analyse.
func (j *decision) exact() *Rule {
	if j.r.pipes || j.r.subshells || j.r.background || j.r.functions {
		return nil
	}
	text := strings.TrimSpace(j.src)
	for i, r := range j.allow {
		if r.Kind == Exact && r.Spec == text {
			return &j.allow[i]
		}
	}
	return nil
}

// line returns the rule that names the whole of a command with several parts, or nil. The rule covers
// each part, and opens all paths but those that another rule denies. Only commands of the model were asked about.
func (j *decision) line() *Rule {
	if j.q.Tool == "" || len(j.r.parts) < 2 || j.r.pipes || j.r.subshells || j.r.background || j.r.functions {
		return nil
	}
	text := strings.TrimSpace(j.src)
	for i, r := range j.allow {
		if r.Tool == "Bash" && (r.names(text) || r.Kind == Prefix && r.names(squeeze(text))) {
			return &j.allow[i]
		}
	}
	return nil
}

func (j *decision) background() *fault {
	if !j.r.background {
		return nil
	}
	return newFault(j.r.backgroundAt, "a command in the background would outlive the check",
		"This command uses the `&` background operator, which defers execution past approval-time safety checks. Approve only if you trust it.")
}

// whole judges what the parts are together.
func (j *decision) whole() *fault {
	all := span{0, len(j.src)}
	cds, moved, git, writes := 0, false, false, false
	for _, p := range j.r.parts {
		name, _ := p.name()
		switch {
		case p.moves():
			cds++
			moved = moved || !j.stays(p)
		case name == "git":
			git = true
		default:
			writes = writes || writers[name]
		}
	}
	switch {
	case cds > 1:
		return newFault(all, "more than one cd", "Multiple directory changes in one command require approval for clarity")
	case moved && git:
		return newFault(all, "cd to another folder, with git in the same command",
			"This command changes directory before running a version-control command, which can pick up untrusted hooks or configuration.")
	case cds > 0 && j.r.fileWrites:
		return newFault(all, "cd, and a redirection to a file in the same command",
			"Commands that change directories and write via output redirection require explicit approval to ensure paths are evaluated correctly.")
	case (moved || cds > 0 && len(j.r.parts) == 1) && slices.ContainsFunc(j.r.files, func(f redirect) bool { return !f.write }):
		return newFault(all, "cd, and a redirection from a file in the same command",
			"Input redirection requires manual approval: the file it names depends on glob expansion or a directory change in the command.")
	case cds > 0 && writes:
		return newFault(all, "cd, and a command that changes files",
			"Commands that change directories and perform write operations require explicit approval to ensure paths are evaluated correctly.")
	case j.r.branchPipes:
		return newFault(all, "a pipe inside if, while or until", "")
	}
	return nil
}

// blanket decides with a rule that allows every command: nearly all runs.
func (j *decision) blanket(rule Rule) Verdict {
	if f := j.blanketFault(); f != nil {
		return f.verdict()
	}
	if j.deniesFiles("Edit") && j.movesOut() && slices.ContainsFunc(j.r.parts, func(p part) bool { name, _ := p.name(); return writers[name] }) {
		return verdict(Unknown, span{0, len(j.src)}, "a rule forbids to change some files, and which ones the command changes after cd is not known")
	}
	v := verdict(Allow, span{0, len(j.src)}, "a rule allows every command")
	v.Rule = rule.Text
	return v
}

func (j *decision) blanketFault() *fault {
	for i := range j.r.parts {
		if f := j.removes(&j.r.parts[i]); f != nil {
			return f
		}
	}
	if j.r.opaque {
		return nil // Claude Code does not analyse it, and finds no fault with it
	}
	for i := range j.r.parts {
		if f := j.protected(&j.r.parts[i]); f != nil {
			return f
		}
	}
	for _, f := range j.r.files {
		if f.write && j.isProtected(f.to) {
			return sensitive(f.span, f.to.val)
		}
	}
	needsRule := func(p part) bool { return len(p.words) > 0 && !j.readOnly(&p) }
	if j.r.backgroundTop && j.r.block == nil && !j.r.fileWrites && !slices.ContainsFunc(j.r.parts, needsRule) {
		return j.background()
	}
	return nil
}

// unparsed judges text that bash would refuse. Claude Code's parser reads more, and nobody knows
// how; but a first word that needs a rule needs it however the rest is read.
func (j *decision) unparsed() Verdict {
	first := strings.Fields(j.src)[0]
	at := strings.Index(j.src, first)
	covers := func(r Rule) bool { return r.Kind == All || r.Tool == "Bash" && r.mayBegin(first) }
	if isPlain(first) && !known(first) && !slices.ContainsFunc(j.allow, covers) {
		v := verdict(Ask, span{at, at + len(first)}, "it is not known to be read-only, and no rule covers it; bash could not read the rest")
		v.Said = "This command requires approval"
		return v
	}
	return verdict(Unknown, span{0, len(j.src)}, "this is no program of bash, and what Claude Code makes of it is not known")
}

// isPlain reports a word in which nothing means anything to the shell.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isWordByte(c) && c != '-' && c != '.' && c != '/' {
			return false
		}
	}
	return true
}
