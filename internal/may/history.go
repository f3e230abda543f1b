package may

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/permit"
)

// A Used is the use of a tool in a session, and what became of it.
type Used struct {
	Use      string // as Parse takes it
	Mode     string // "" means that it is unknown
	Approved bool   // a person was asked, and said yes
	Denied   bool   // a person was asked, and said no
	Unsaid   bool   // it was used, and nobody wrote down who let it
}

// A History is what sessions tell of the rules in force now. It is described by schemas/may-v1.schema.json.
type History struct {
	Uses     int       `json:"uses"`
	Asked    []Asked   `json:"asked"`     // the most often first
	Unused   []OneRule `json:"unused"`    // rules that spoke of no use
	Never    []OneRule `json:"never"`     // rules that can match nothing
	Rules    []string  `json:"rules"`     // the smallest set that covers what was approved
	File     string    `json:"file"`      // they belong in
	NotCover []string  `json:"uncovered"` // approved, and no rule allows it, or a person denied it too
}

// An Asked is a use that a person was asked about.
type Asked struct {
	Use      string `json:"use"`
	Approved int    `json:"approved"`
	Denied   int    `json:"denied"`
	Derived  int    `json:"derived"` // of those approved: it ran, the transcript does not say who let it, and rules would ask
	Now      string `json:"now"`     // the decision in default mode
}

// A OneRule is a rule, and where it stands.
type OneRule struct {
	Kind settings.Kind `json:"kind"`
	Rule string        `json:"rule"`
	File string        `json:"file"`
	Why  string        `json:"why,omitempty"`
}

// Look says what the uses of sessions tell of the rules that hold here.
func (p *Place) Look(uses []Used) *History {
	h := &History{
		Uses: len(uses), Asked: []Asked{}, Unused: []OneRule{}, Never: []OneRule{}, Rules: []string{}, NotCover: []string{},
		File: p.near(p.Where.File(settings.Local)),
	}
	by, answers, left := map[string]*Asked{}, map[string]Answer{}, slices.Clone(p.rules)
	for _, u := range uses {
		answer, known := answers[u.Use]
		if !known {
			answer = p.Ask(u.Use)
			answers[u.Use], left = answer, p.withoutSpeaking(left, answer)
		}
		mode := cmp.Or(u.Mode, "default")
		derived := u.Unsaid && slices.Contains(claudecode.Modes(), mode) && answer.In(mode).Decision == permit.Ask
		if !u.Approved && !u.Denied && !derived {
			continue
		}
		a := by[u.Use]
		if a == nil {
			a = &Asked{Use: u.Use, Now: string(answer.In("default").Decision)}
			by[u.Use] = a
		}
		switch {
		case u.Denied:
			a.Denied++
		case derived:
			a.Derived++
			fallthrough
		default:
			a.Approved++
		}
	}
	for _, a := range by {
		h.Asked = append(h.Asked, *a)
	}
	slices.SortFunc(h.Asked, func(a, b Asked) int {
		return cmp.Or(b.Approved+b.Denied-a.Approved-a.Denied, strings.Compare(a.Use, b.Use))
	})
	p.rulesOf(h, left)
	p.cover(h)
	return h
}

// withoutSpeaking drops the rules that speak of a use, however deep in it.
func (p *Place) withoutSpeaking(rules []rule, a Answer) []rule {
	for len(rules) > 0 {
		q := p.request(a.Tool, a.Command, "")
		q.Allow, q.Ask, q.Deny = nil, nil, nil
		for _, r := range rules {
			q.Deny = append(q.Deny, r.text)
		}
		v := permit.Decide(q)
		if v.Decision != permit.Deny && v.Decision != permit.Ask || v.Rule == "" {
			return rules
		}
		rules = slices.DeleteFunc(rules, func(r rule) bool { return r.text == v.Rule })
	}
	return nil
}

// rulesOf sorts the rules that spoke of nothing: some could not.
func (p *Place) rulesOf(h *History, unused []rule) {
	for _, r := range p.Files.Rules() { // those with several rules in an item are not among ours
		if n := len(permit.ParseRules(r.Text)); n != 1 && strings.TrimSpace(r.Text) != "" {
			h.Never = append(h.Never, p.one(r, "an item of the list is one rule"))
		}
	}
	for _, r := range unused {
		parsed := permit.ParseRule(r.Text)
		why := parsed.Never
		if r.Kind != settings.Allow {
			why = parsed.NeverDenies()
		}
		if why != "" {
			h.Never = append(h.Never, p.one(r.Rule, why))
		} else {
			h.Unused = append(h.Unused, p.one(r.Rule, ""))
		}
	}
}

func (p *Place) one(r settings.Rule, why string) OneRule {
	file := p.near(r.File)
	if r.Line > 0 {
		file = fmt.Sprintf("%s:%d", file, r.Line)
	}
	return OneRule{r.Kind, r.Text, file, why}
}

// cover finds the rules that would have covered what was approved: each names one command, file, host or tool, as narrowly as
// a rule can.
func (p *Place) cover(h *History) {
	with := *p
	add := func(rules []string) {
		with.rules = slices.Clone(p.rules)
		for _, r := range rules {
			with.add(settings.Rule{Kind: settings.Allow, Text: r, File: p.Where.File(settings.Local), Source: settings.Local})
		}
	}
	allowed := func(use string) bool { return with.Ask(use).In("default").Decision == permit.Allow }
	var covered []string
	for _, a := range h.Asked {
		if a.Approved == 0 || a.Now == string(permit.Allow) {
			continue
		}
		add(h.Rules)
		answer := with.Ask(a.Use)
		switch {
		case a.Denied > 0, answer.In("default").Decision == permit.Deny,
			answer.Suggest == nil && answer.In("default").Decision != permit.Allow:
			h.NotCover = append(h.NotCover, a.Use)
			continue
		case answer.Suggest != nil && answer.In("default").Decision != permit.Allow:
			if len(answer.Suggest.Rules) == 0 {
				h.NotCover = append(h.NotCover, a.Use)
				continue
			}
			h.Rules = append(h.Rules, answer.Suggest.Rules...)
		}
		covered = append(covered, a.Use)
	}
	for i := len(h.Rules) - 1; i >= 0; i-- { // a later one may do the work of an earlier
		fewer := slices.Delete(slices.Clone(h.Rules), i, i+1)
		if add(fewer); !slices.ContainsFunc(covered, func(use string) bool { return !allowed(use) }) {
			h.Rules = fewer
		}
	}
}

// Written writes the use of a tool as Parse reads it, if its decisions are known.
func Written(tool, argument string) (use string, ok bool) {
	switch {
	case tool == "Bash":
		return argument, strings.TrimSpace(argument) != ""
	case strings.HasPrefix(tool, "mcp__"):
		return tool, true
	case tool == "Read", tool == "Edit", tool == "Write", tool == "WebFetch":
		return tool + "(" + argument + ")", argument != ""
	}
	return "", false
}

// Edit returns the change that adds rules which allow to the user's own settings of the project.
func (p *Place) Edit(rules []string) (file string, e *files.Edit, err error) {
	file = p.Where.File(settings.Local)
	src, err := files.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	after, err := settings.AddItems(p.near(file), src, rules, claudecode.KeyPermissions, string(settings.Allow))
	return file, &files.Edit{Name: p.near(file), Before: src, After: after}, err
}

// Text returns what people read.
func (h *History) Text(columns int) string {
	var b strings.Builder
	derived := 0
	if len(h.Asked) > 0 {
		b.WriteString("approved  denied  what Claude Code asked about\n")
	}
	for _, a := range h.Asked {
		derived += a.Derived
		b.WriteString(term.Hang(fmt.Sprintf("%8d  %6d  ", a.Approved, a.Denied), term.Flat(a.Use), columns))
	}
	if derived > 0 {
		fmt.Fprintf(&b, "%d of these approvals are derived: it ran, its transcript does not say who let it, and the rules would ask\n", derived)
	}
	if len(h.Asked) == 0 {
		fmt.Fprintf(&b, "nobody was asked about any of %s\n", term.Plural(h.Uses, "use"))
	}
	list := func(title string, rules []OneRule) {
		if len(rules) > 0 {
			b.WriteString("\n" + title + ":\n")
		}
		for _, r := range rules {
			why := ""
			if r.Why != "" {
				why = ": " + r.Why
			}
			fmt.Fprintf(&b, "  %-5s  %s (%s)%s\n", r.Kind, r.Rule, r.File, why)
		}
	}
	list("rules that can never match", h.Never)
	list("rules that matched nothing", h.Unused)
	if len(h.Rules) > 0 {
		b.WriteString("\nto be asked about none of what you approved, add to " + h.File + ":\n")
		for _, r := range h.Rules {
			b.WriteString("  " + r + "\n")
		}
	}
	if len(h.NotCover) > 0 {
		fmt.Fprintf(&b, "\nno rule is suggested for %s: you denied it too, or no rule can allow it\n", term.Several(h.NotCover, 3))
	}
	return b.String()
}

// MarshalJSON adds the Claude Code that the answers are about.
func (h *History) MarshalJSON() ([]byte, error) {
	type plain History
	return json.Marshal(struct {
		Claude string `json:"claude_version"`
		*plain
	}{claudecode.Version, (*plain)(h)})
}
