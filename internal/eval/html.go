package eval

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/internal/term"
)

// A Report contains the results of trials in one agent or in several.
type Report struct {
	Made    time.Time // zero if the time does not matter
	Version string    // the version of skillhand
	Agents  []AgentReport
}

// An AgentReport contains the results of trials in one agent.
type AgentReport struct {
	Agent   string
	Untried string // why nothing was tried in this agent, or ""
	Summary *Summary
	Trials  []Trial
	Before  map[string]*Before // the last try of each skill, by the skill's name
}

// NotTried returns the report on an agent in which nothing was tried.
func NotTried(agent, why string, subjects []*Subject) AgentReport {
	return AgentReport{Agent: agent, Untried: why, Summary: Summarize(subjects, nil, nil)}
}

// A Before is the result of an earlier try of a skill.
type Before struct {
	Made  time.Time
	Skill SkillSummary
}

// A Fate is the result of a skill in an agent, with one model.
type Fate struct {
	Skill string `json:"skill"`
	Agent string `json:"agent"`
	Model string `json:"model,omitempty"` // if there are several
	Fate  string `json:"fate"`            // fires, read, …, with how often; or cannot fire or not tried, and why

	Rates *SkillArm   `json:"-"` // nil if nothing was tried
	Helps *Difference `json:"-"` // nil if there was no arm without the skill
	Cost  string      `json:"-"` // the cost of a trial
	Then  *Fate       `json:"-"` // the result in the last try
	Made  time.Time   `json:"-"` // the time of that try
}

// Who names the agent, and also the model if there are several.
func (f *Fate) Who() string {
	if f.Model != "" {
		return f.Agent + ", " + f.Model
	}
	return f.Agent
}

// Fates returns the result of each skill in each agent with each model, by skill.
func (r Report) Fates() []Fate {
	all := []Fate{}
	for _, a := range r.Agents {
		for _, k := range a.Summary.Skills {
			these := k.fates(a.Summary.NoCost)
			if len(these) == 0 {
				these = []Fate{{Fate: cmp.Or(a.Untried, k.fate(nil))}}
			}
			for _, f := range these {
				if before := a.Before[k.Skill]; before != nil {
					for _, then := range before.Skill.fates(a.Summary.NoCost) {
						if then.Made = before.Made; then.Rates.Arm == f.Rates.Arm {
							f.Then = &then
						}
					}
				}
				f.Skill, f.Agent = k.Skill, a.Agent
				all = append(all, f)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Fate) int { return strings.Compare(a.Skill, b.Skill) })
	return all
}

// fates returns the result of the skill with each model.
func (k *SkillSummary) fates(noCost bool) (all []Fate) {
	for i := range k.Arms {
		arm := &k.Arms[i]
		if arm.Arm.Kind() != With {
			continue
		}
		f := Fate{Model: arm.Arm.Model(), Fate: k.fate(arm), Rates: arm, Cost: k.cost(arm.Arm, noCost)}
		for n, c := range k.Differences {
			if c.Arm == arm.Arm && c.Than.Kind() == Without {
				f.Helps = &k.Differences[n].Difference
			}
		}
		all = append(all, f)
	}
	return all
}

// cost says what a trial in an arm costs: the mean over cases and, for several cases, the 95 %
// interval of Student's t.
func (k *SkillSummary) cost(arm Arm, unknown bool) string {
	var costs []float64
	for _, c := range k.Cases {
		for _, a := range c.Arms {
			if a.Arm == arm && len(a.Outcomes) > 0 {
				costs = append(costs, a.CostUSD/float64(len(a.Outcomes)))
			}
		}
	}
	middle := mean(costs)
	if middle == nil || unknown {
		return dollars(0, true)
	}
	text, n, squares := term.Dollars(*middle), float64(len(costs)), 0.0
	for _, usd := range costs {
		squares += (usd - *middle) * (usd - *middle)
	}
	if n > 1 {
		reach := student(len(costs)-1) * math.Sqrt(squares/(n-1)/n)
		text += fmt.Sprintf(" (%s to %s)", term.Dollars(max(*middle-reach, 0)), term.Dollars(*middle+reach))
	}
	return text
}

// A Topic is a skill in a report: the results of its cases in all agents, side by side.
type Topic struct {
	Skill   string
	Why     []string
	Cases   []TopicCase
	Columns int // columns in a row
}

// A TopicCase is a case of a Topic.
type TopicCase struct {
	*CaseSummary
	Columns []Column
}

// A Column contains the results of a case in one arm of one agent.
type Column struct {
	*ArmSummary
	Title  string
	NoCost bool // the agent does not report its cost
	Trials []*Trial
}

// Topics returns the report's skills, in order.
func (r Report) Topics() (all []*Topic) {
	for n := range r.Agents {
		a := &r.Agents[n]
		for i := range a.Summary.Skills {
			if k := &a.Summary.Skills[i]; a.Untried == "" {
				at := slices.IndexFunc(all, func(t *Topic) bool { return t.Skill == k.Skill })
				if at < 0 {
					at, all = len(all), append(all, &Topic{Skill: k.Skill})
				}
				all[at].add(a, k, len(r.Agents) > 1)
			}
		}
	}
	return all
}

// add adds the results of a skill in an agent. If there are several agents, the column shows the
// agent's name. A row contains the arms of one model, or one arm in all agents and models.
func (t *Topic) add(a *AgentReport, k *SkillSummary, several bool) {
	who := ""
	if several {
		who = a.Agent + ": "
	}
	for _, line := range k.Why() {
		t.Why = append(t.Why, who+line)
	}
	kinds := map[Arm]bool{}
	for i := range k.Cases {
		c := &k.Cases[i]
		at := slices.IndexFunc(t.Cases, func(have TopicCase) bool { return have.Case == c.Case })
		if at < 0 {
			at, t.Cases = len(t.Cases), append(t.Cases, TopicCase{CaseSummary: c})
		}
		for n := range c.Arms {
			arm := &c.Arms[n]
			kinds[arm.Arm.Kind()] = true
			title := arm.Arm.Title()
			if several {
				title = a.Agent + ", w" + title[1:]
			}
			t.Cases[at].Columns = append(t.Cases[at].Columns, Column{arm, title, a.Summary.NoCost, a.Of(k.Skill, c.Case, arm.Arm)})
		}
		if t.Columns = len(kinds); t.Columns == 1 {
			t.Columns = min(len(t.Cases[at].Columns), 3)
		}
	}
}

// WriteHTML writes the report of HTML to a file, without the secrets of the environment.
func (r Report) WriteHTML(file string, env here.Env) error {
	text, err := r.HTML(redact.New(env).Text)
	if err != nil {
		return err
	}
	return files.Write(file, text, 0o644)
}

// HTML returns a report as one page that loads nothing and runs nothing. The page has a verdict for
// each skill and agent, each case with its arms side by side, and each trial as a conversation.
// Conversations are shown as plain text, and hide removes secrets from them.
func (r Report) HTML(hide func(string) string) ([]byte, error) {
	page, err := htmlReport.Clone()
	if err != nil {
		return nil, err
	}
	shown := func(text string) string { return showControls(hide(strings.ToValidUTF8(text, "\ufffd"))) }
	page.Funcs(template.FuncMap{
		"shown": shown,
		"talk": func(t *Trial) *Conversation {
			by, _ := agents.Find(t.Agent) // the agent that wrote the transcript
			c, err := ReadConversation(t.Transcript, by)
			if err != nil {
				return nil
			}
			return c
		},
	})
	var out bytes.Buffer
	err = page.Execute(&out, r)
	return out.Bytes(), err
}

// showControls replaces invisible characters, and characters that reverse text, with their numbers.
func showControls(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u200b' || r == '\ufeff':
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Of returns the trials of a case in an arm, in the order of runs.
func (a *AgentReport) Of(skill, id string, arm Arm) []*Trial {
	var all []*Trial
	for i := range a.Trials {
		if t := &a.Trials[i]; t.Skill == skill && t.Case == id && t.Arm == arm {
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b *Trial) int { return a.Run - b.Run })
	return all
}

// Asked names the models that answered and the versions of the agent, as the transcripts report
// them.
func (a *AgentReport) Asked() string {
	var all []string
	add := func(text string) {
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	by, _ := agents.Find(a.Summary.Agent)
	for i, t := range a.Trials {
		if i == 0 {
			if c, err := ReadConversation(t.Transcript, by); err == nil {
				add(c.Version)
			}
		}
		add(t.Model)
	}
	return strings.Join(all, ", ")
}

// Not returns the rate of the opposite.
func (r Rate) Not() Rate {
	return Rate{Hits: r.Of - r.Hits, Of: r.Of, Cases: r.Cases, Rate: 1 - r.Rate, Low: 1 - r.High, High: 1 - r.Low}
}

// should says what the skill should do in a case.
func (c *CaseSummary) should() string {
	return map[string]string{"fires": "should fire the skill",
		"quiet": "should not fire the skill", "called": "calls the skill by name"}[c.Wants()]
}

// Title describes an arm.
func (a Arm) Title() string {
	text := map[Arm]string{With: "With the skill", Without: "Without the skill", Against: "With the skill as it was"}[a.Kind()]
	if a.Model() != "" {
		text += ", " + a.Model()
	}
	return text
}

// Spent returns the cost of all trials of a skill.
func (k *SkillSummary) Spent() (usd float64) {
	for _, c := range k.Cases {
		for _, a := range c.Arms {
			usd += a.CostUSD
		}
	}
	return usd
}

// Class returns the style of a trial's cell: good, bad or unknown.
func (t *Trial) Class() string {
	switch cell := t.Cell(); {
	case t.Arm.Kind() == Without, cell == "?": // nothing was wanted, or the outcome is unknown
		return "unknown"
	case cell == "+":
		return "good"
	}
	return "bad"
}

// Verdict says in a few words how a trial ended and what was wrong with it.
func (t *Trial) Verdict() string {
	words := string(t.Outcome)
	switch {
	case t.Outcome == Void:
		words = "no verdict: " + t.Why
	case t.Outcome == Called:
		words = "called, its page failed: " + t.Refused
	case t.Arm.Kind() == Without || t.Open:
	case !t.Fires && !t.Right():
		words += ", but should not have"
	case t.Fires && !t.Right():
		words += ", but should have fired"
	}
	if len(t.Instead) > 0 {
		words += " (" + strings.Join(t.Instead, ", ") + ")"
	}
	switch n := t.failed(); {
	case n > 0:
		words += ", " + term.Plural(n, "check") + " failed"
	case t.Passed != nil && *t.Passed:
		words += ", checks passed"
	}
	return words
}

// A rate is drawn as a line from 0 to 1, its interval, and a dot.
var htmlFuncs = template.FuncMap{
	"should": (*CaseSummary).should, "counted": (*ArmSummary).Counted,
	"notes": (*Summary).Remarks, "class": (*Trial).Class, "verdict": (*Trial).Verdict, "dollars": dollars,
	"shown": fmt.Sprint, "talk": func(*Trial) *Conversation { return nil }, // see HTML
	"score": func(score *float64) string {
		if score == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", *score)
	},
	"x":     func(share float64) string { return fmt.Sprintf("%.1f", 5+share*150) },
	"width": func(r Rate) string { return fmt.Sprintf("%.1f", max((r.High-r.Low)*150, 1)) },
	"ms":    term.ShortDuration,
	"day":   func(t time.Time) string { return t.Format("2006-01-02 15:04") },
	"tries": func(a Arm) bool { return a.Kind() == With },
	"ok": func(ok *bool) string {
		switch {
		case ok == nil:
			return "?"
		case *ok:
			return "✓"
		}
		return "✗"
	},
}

//go:embed report.html
var reportPage string

var htmlReport = template.Must(template.New("report").Funcs(htmlFuncs).Parse(reportPage))
