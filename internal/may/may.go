// Package may answers one question: would Claude Code let this run here, and by which rule?
//
// It puts the rules of all settings files before package permit, and keeps in mind where each of them stands.
package may

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/permit"
)

// A Place is where Claude Code is started, with the rules that hold there.
type Place struct {
	Where settings.Where
	Files *settings.Settings
	rules []rule
	dirs  []string
}

// A rule is one of a settings file or of a skill, with the text that permit knows it by.
type rule struct {
	settings.Rule
	text string
}

// Sources of rules that are no settings files.
const (
	Flag  settings.Source = "--settings"
	Skill settings.Source = "skill"
)

// At reads the settings that hold in a folder. A project's own rules that allow count only if the user trusts the folder.
func At(w settings.Where) *Place {
	w.Dir = files.Real(w.Dir) // as Claude Code names it
	p := &Place{Where: w, Files: settings.Read(w)}
	for _, r := range p.Files.Rules() {
		if !r.Ignored {
			p.add(r)
		}
	}
	for _, f := range p.Files.Files {
		if f.Source != settings.Project || p.Files.Trusted {
			p.dirs = append(p.dirs, f.Dirs...)
		}
	}
	return p
}

// AddSettings adds what claude --settings is given: a file, or JSON.
func (p *Place) AddSettings(fileOrJSON string) error {
	name, src := string(Flag), []byte(fileOrJSON)
	if !strings.HasPrefix(strings.TrimSpace(fileOrJSON), "{") {
		var err error
		if src, err = os.ReadFile(fileOrJSON); err != nil {
			return err
		}
		name = fileOrJSON
	}
	f, err := settings.Parse(name, src)
	if err != nil {
		return err
	}
	for _, r := range f.Rules {
		r.File, r.Source = name, Flag
		p.add(r)
	}
	p.dirs = append(p.dirs, f.Dirs...)
	return nil
}

// AddSkill adds the rules of a skill's allowed-tools, as they hold while the skill is in use.
func (p *Place) AddSkill(file string, allowed []string) {
	for _, list := range allowed {
		for _, r := range permit.ParseRules(list) {
			p.add(settings.Rule{Kind: settings.Allow, Text: r.Text, File: file, Source: Skill})
		}
	}
}

// add takes a rule in. An item of a settings file is one rule: two in it match nothing.
func (p *Place) add(r settings.Rule) {
	if len(permit.ParseRules(r.Text)) != 1 {
		return
	}
	text := r.Text
	// A path that begins with / is counted from the folder of the settings: the user's are not in the project.
	if tool, rest, ok := strings.Cut(text, "(/"); ok && !strings.HasPrefix(rest, "/") && (tool == "Read" || tool == "Edit") {
		switch r.Source {
		case settings.User, settings.Managed, Flag:
			text = tool + "(/" + filepath.ToSlash(filepath.Join(filepath.Dir(r.File), "/")) + "/" + rest
		}
	}
	p.rules = append(p.rules, rule{r, text})
}

// An Answer is what Claude Code would decide about a use of a tool, in each mode.
type Answer struct {
	Tool    string      `json:"tool"`
	Command string      `json:"command"` // or file, or URL
	Modes   []InMode    `json:"modes"`
	Suggest *Suggestion `json:"suggest,omitempty"`
	Code    string      `json:"runs_code,omitempty"` // the program that runs any code it is given, so that no rule is suggested
}

// An InMode is the decision in one mode, and what it hangs on.
type InMode struct {
	Mode     string          `json:"mode"`
	Decision permit.Decision `json:"decision"`
	Part     string          `json:"part"` // the piece of the command that decided
	Rule     string          `json:"rule"`
	RuleFile string          `json:"rule_file,omitempty"` // with its line
	Source   settings.Source `json:"rule_source,omitempty"`
	Reason   string          `json:"reason"`
}

// A Suggestion would let it run in default mode. Rules, in the file, or the other spelling: either is enough.
type Suggestion struct {
	Rules   []string `json:"rules,omitempty"`
	File    string   `json:"file,omitempty"`
	Command string   `json:"command,omitempty"`
}

// Parse splits what a person asks about into a tool and its argument: a command of the shell, or a use of a tool as rules
// write it, such as Read(.env), WebFetch(https://example.com) or mcp__server__tool.
func Parse(use string) (tool, argument string) {
	if strings.HasPrefix(use, "mcp__") && !strings.ContainsAny(use, " \t\n(") {
		return use, ""
	}
	for _, tool := range []string{"Bash", "Read", "Edit", "Write", "WebFetch"} {
		if rest, ok := strings.CutPrefix(use, tool+"("); ok {
			if inner, ok := strings.CutSuffix(rest, ")"); ok {
				return tool, inner
			}
		}
	}
	return "Bash", use
}

// request asks about a use of a tool under all rules.
func (p *Place) request(tool, argument, mode string) permit.Request {
	q := permit.Request{
		Tool: tool, Command: argument, Mode: mode,
		Dir: filepath.ToSlash(p.Where.Dir), Home: filepath.ToSlash(p.Where.Home),
	}
	for _, r := range p.rules {
		switch r.Kind {
		case settings.Allow:
			q.Allow = append(q.Allow, r.text)
		case settings.Deny:
			q.Deny = append(q.Deny, r.text)
		case settings.Ask:
			q.Ask = append(q.Ask, r.text)
		}
	}
	for _, dir := range p.dirs {
		switch rest, home := strings.CutPrefix(dir, "~/"); {
		case home:
			dir = filepath.Join(p.Where.Home, rest)
		default:
			dir = files.In(p.Where.Dir, dir)
		}
		q.Dirs = append(q.Dirs, filepath.ToSlash(dir))
	}
	return q
}

// Ask says what Claude Code would decide, in each mode.
func (p *Place) Ask(use string) Answer {
	tool, argument := Parse(use)
	a := Answer{Tool: tool, Command: argument}
	for _, mode := range claudecode.Modes() {
		v := permit.Decide(p.request(tool, argument, mode))
		in := InMode{Mode: mode, Decision: v.Decision, Part: v.Part, Rule: v.Rule, Reason: v.Reason}
		if r := p.find(v); r != nil {
			in.Rule, in.Source, in.RuleFile = r.Text, r.Source, p.near(r.File)
			in.Reason = strings.ReplaceAll(in.Reason, r.text, r.Text)
			if r.Line > 0 {
				in.RuleFile = fmt.Sprintf("%s:%d", in.RuleFile, r.Line)
			}
		}
		a.Modes = append(a.Modes, in)
		if mode == "default" {
			a.Code = v.RunsCode
		}
		if mode == "default" && v.Suggest != nil {
			a.Suggest = &Suggestion{Rules: v.Suggest.Rules, Command: v.Suggest.Command}
			if len(v.Suggest.Rules) > 0 {
				a.Suggest.File = p.near(p.Where.File(settings.Local))
			}
		}
	}
	return a
}

// near returns a file's name as people write it: from the working folder, or from their home.
func (p *Place) near(file string) string {
	if near := term.Near(file); near != file || !filepath.IsAbs(file) {
		return near
	}
	if rel, err := filepath.Rel(p.Where.Home, file); err == nil && p.Where.Home != "" && files.Inside(p.Where.Home, file) {
		return "~/" + filepath.ToSlash(rel)
	}
	return file
}

// find returns the rule that decided, or nil.
func (p *Place) find(v permit.Verdict) *rule {
	kind := settings.Kind(v.Decision)
	if v.Decision == permit.Deny && slices.ContainsFunc(p.rules, func(r rule) bool { return r.Kind == settings.Ask && r.text == v.Rule }) {
		kind = settings.Ask // dontAsk denies what a rule asks about
	}
	i := slices.IndexFunc(p.rules, func(r rule) bool { return r.text == v.Rule && r.Kind == kind })
	if i < 0 {
		return nil
	}
	return &p.rules[i]
}

// In returns the decision in a mode.
func (a Answer) In(mode string) InMode {
	i := slices.IndexFunc(a.Modes, func(m InMode) bool { return m.Mode == mode })
	return a.Modes[i]
}

// words says in a person's words what a decision comes to.
func words(d permit.Decision) string {
	if d == permit.Classifier {
		return "the classifier decides"
	}
	return string(d)
}

// Text returns what people read of an answer, in lines of so many columns.
func (a Answer) Text(columns int, paint func(code, text string) string) string {
	colors := map[permit.Decision]string{permit.Allow: "32", permit.Deny: "31"}
	head := a.Command
	if a.Tool != "Bash" {
		head = strings.TrimSuffix(a.Tool+"("+a.Command+")", "()")
	}
	var b strings.Builder
	b.WriteString(term.Visible(head) + "\n")
	said := ""
	for _, m := range a.Modes {
		why := m.Reason
		if m.Part != "" && m.Part != a.Command && a.Tool == "Bash" {
			why = term.Flat(m.Part) + ": " + why
		}
		if m.Rule != "" && !strings.Contains(why, m.Rule) {
			why += ": " + m.Rule
		}
		if m.RuleFile != "" {
			why += " (" + m.RuleFile + ")"
		}
		line := fmt.Sprintf("  %-17s  %s", m.Mode, paint(orYellow(colors[m.Decision]), words(m.Decision)))
		if why == said {
			b.WriteString(line + "\n")
			continue
		}
		said = why
		pad := strings.Repeat(" ", max(0, 22-term.Cells(words(m.Decision))))
		lines := strings.TrimLeft(term.Hang(strings.Repeat(" ", 43), why, columns), " ")
		b.WriteString(line + pad + "  " + lines)
	}
	if a.Code != "" {
		b.WriteString("  no safe rule allows it: " + a.Code + " would run any code that it is given\n")
	}
	if s := a.Suggest; s != nil {
		for _, r := range s.Rules {
			b.WriteString("  to allow it: add " + r + " to " + s.File + "\n")
		}
		if s.Command != "" {
			b.WriteString("  or write: " + s.Command + "\n")
		}
	}
	return b.String()
}

func orYellow(code string) string {
	if code == "" {
		return "33"
	}
	return code
}

// MarshalJSON adds the Claude Code that the answer is about.
func (a Answer) MarshalJSON() ([]byte, error) {
	type plain Answer
	return json.Marshal(struct {
		Claude string `json:"claude_version"`
		plain
	}{claudecode.Version, plain(a)})
}
