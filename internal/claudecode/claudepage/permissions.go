package claudepage

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/permit"
)

// The reasons that Claude Code gives where a mode, and not the command, decides.
const (
	saysPlan = "Bash was not run: auto mode has no safety result for this call, " +
		"and nobody can be asked to approve it here. This is not a judgment that it is unsafe. " +
		"Issue it again once, as-is. If it is denied the same way, " +
		"don't issue it again: continue with work that doesn't need it, then tell the user that auto mode has no safety result " +
		"for it and that they can approve it themselves in another permission mode."
	saysDontAsk = "Permission to use Bash has been denied because Claude Code is running in don't ask mode. " +
		"IMPORTANT: You *may* attempt to accomplish this action using other tools that " +
		"might naturally be used to accomplish this goal, e.g. " +
		"using head instead of cat. But you *should not* attempt to work around this denial in malicious ways, e.g. do not use your " +
		"ability to run tests to execute non-test actions. " +
		"You should only try to work around this restriction in reasonable ways that do not attempt to bypass the intent behind this " +
		"denial. If you believe this capability is essential to complete the user's request, " +
		"STOP and explain to the user what you were trying to do and why you need this permission. " +
		"Let the user decide how to proceed."
)

// permit decides about every directive of the page: it runs, the page tells the model to run it, or
// the page fails with Claude Code's words. Whatever the rules say, arguments never change what a
// command is made of, unless r.Trusted says that nobody minds.
func (s *Skill) permit(p *Page, r Request, set *settings.Settings) error {
	mode := cmp.Or(r.Mode, settingsMode(set), "default")
	plain := r
	plain.Args = plainArgs(r.Args)
	same := s.plan(plain).Directives
	if !r.Trusted && len(same) != len(p.Directives) {
		return fmt.Errorf("%s: not run: the arguments add a directive, or take one away", s.File)
	}
	q := s.rules(r, set)
	for i := range p.Directives {
		d := &p.Directives[i]
		if !r.Trusted && r.Mode == "bypassPermissions" && d.Command != same[i].Command {
			return fmt.Errorf("%s:%d: --permission-mode bypassPermissions is refused where an argument stands in a directive, "+
				"unless the environment says SKILLHAND_TRUST=all", s.File, d.Line)
		}
		if err := d.decide(q, s.front.forbidden, mode); err != nil {
			return err
		}
		if !r.Trusted && !d.Deferred && !words.SameShape(d.Command, same[i].Command) {
			return fmt.Errorf("%s:%d: not run: the arguments change which commands, redirections or expansions the line has: %s", s.File, d.Line, d.Command)
		}
	}
	p.tell()
	return nil
}

// settingsMode returns the mode in which the user's sessions start.
func settingsMode(set *settings.Settings) (mode string) {
	for _, f := range set.Files {
		if f.Mode != "" && (f.Source == settings.User || f.Source == settings.Managed) {
			mode = f.Mode
		}
	}
	if mode == "manual" {
		return "default"
	}
	return mode
}

// plainArgs has a plain word for each word of the arguments.
func plainArgs(args string) string {
	return strings.Repeat("x ", max(0, len(splitArgs(args))-1)) + strings.Repeat("x", min(1, len(splitArgs(args))))
}

// rules returns those in force for the skill: its own, and those of the settings.
func (s *Skill) rules(r Request, set *settings.Settings) permit.Request {
	q := permit.Request{Allow: slices.Clone(s.front.allowed), Dir: r.Project, Home: r.Home, SkillDir: s.Dir}
	if s.plugin != nil {
		q.PluginRoot = s.plugin.Root
	}
	for _, rule := range set.Rules() {
		switch {
		case rule.Ignored:
		case rule.Kind == settings.Allow:
			q.Allow = append(q.Allow, rule.Text)
		case rule.Kind == settings.Deny:
			q.Deny = append(q.Deny, rule.Text)
		case rule.Kind == settings.Ask:
			q.Ask = append(q.Ask, rule.Text)
		}
	}
	return q
}

// decide returns what Claude Code does with one directive in a mode. Rules of disallowed-tools forbid what would run, but
// not one for the whole of Bash (check/testdata/claude/SK401-deny.txtar).
func (d *Directive) decide(q permit.Request, forbidden []string, mode string) error {
	q.Command = d.Command
	if mode == "acceptEdits" || mode == "bypassPermissions" {
		q.Mode = mode
	}
	v := permit.Decide(q)
	said := says(v, q.Dir)
	switch {
	case v.Decision == permit.Allow && mode != "bypassPermissions" && forbids(q, forbidden):
		said = "Permission to use Bash has been denied."
	case v.Decision == permit.Allow:
		return nil
	case v.Decision == permit.Deny:
	case mode == "auto":
		d.Deferred = true
		return nil
	case mode == "plan":
		said = saysPlan
	case mode == "dontAsk":
		said = saysDontAsk
	}
	return &Failure{fmt.Sprintf("Shell command permission check failed for pattern \"%s\": %s", d.Source, said)}
}

func forbids(q permit.Request, own []string) bool {
	for _, text := range own {
		for _, r := range permit.ParseRules(text) {
			if r.Kind != permit.All {
				q.Deny = append(slices.Clone(q.Deny), r.Text)
			}
		}
	}
	return permit.Decide(q).Decision == permit.Deny
}

// says returns why Claude Code asks, in its own words: of commands that write files it names the first.
func says(v permit.Verdict, dir string) string {
	said := cmp.Or(v.Said, "This command requires approval")
	fields := strings.Fields(v.Part)
	if said == "This command requires approval" && len(fields) > 1 && slices.Contains([]string{"touch", "mkdir", "cp", "mv", "rm", "rmdir"}, fields[0]) {
		i := slices.IndexFunc(fields[1:], func(w string) bool { return w[0] != '-' })
		if i < 0 || strings.ContainsAny(fields[i+1], "$`*?[{~\\\"'") {
			return said
		}
		file := fields[i+1]
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		said = fields[0] + " in '" + file + "' needs approval."
	}
	if before, ok := strings.CutSuffix(said, "' needs approval."); ok && files.Inside(dir, before[strings.IndexByte(before, '\'')+1:]) {
		said += " The path is inside the working directories for this session ('" + dir +
			"'), and Claude Code asks before a shell command creates, changes or removes files there."
	}
	return said
}

// tell puts the order to run them in the place of the directives that do not run.
func (p *Page) tell() {
	var deferred []*Directive
	for i := range p.Directives {
		if p.Directives[i].Deferred {
			deferred = append(deferred, &p.Directives[i])
		}
	}
	slices.SortStableFunc(deferred, func(a, b *Directive) int { return strings.Index(p.Text, a.Source) - strings.Index(p.Text, b.Source) })
	if len(deferred) == 1 {
		d, text := deferred[0], ""
		if strings.ContainsAny(d.Command, "\n`") {
			text = "[run this first, exactly as written, and use its output:]\n```\n" + d.Command + "\n```"
		} else {
			text = "[run this first, exactly as written, and use its output: `" + d.Command + "`]"
		}
		p.Text = splice(p.Text, d.Source, text)
		return
	}
	for i, d := range deferred {
		if i == 0 {
			p.before = fmt.Sprintf("[Run these %d commands first, exactly as written, and use their output where each is named below. "+
				"Run them one per call, or all in one Bash call joined with &&.]\n", len(deferred))
		}
		p.before += fmt.Sprintf("%d. `%s`\n", i+1, d.Command)
		p.Text = splice(p.Text, d.Source, fmt.Sprintf("[output of command %d, `%s`]", i+1, d.Command))
	}
	if p.before != "" {
		p.before += "\n"
	}
}
