package try

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"strings"

	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/atomicfile"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/internal/term"
)

// htmlTranscript is how much of a transcript a report holds.
const htmlTranscript = 256 << 10

// A Report is what came of trials in one agent, or in several.
type Report struct {
	Agents []AgentReport
	Fates  []Fate // of each skill in each agent, if there are several
}

// An AgentReport is what came of trials in one agent.
type AgentReport struct {
	Agent   string
	Summary *Summary
	Trials  []Trial
}

// A Fate is what became of a skill in an agent.
type Fate struct {
	Skill string `json:"skill"`
	Agent string `json:"agent"`
	Fate  string `json:"fate"` // fires, read, …, with how often; cannot fire; not tried; and why
}

// WriteHTML writes a report as one page: see HTML. The secrets of the environment are not in it.
func (r Report) WriteHTML(file string, env here.Env) error {
	text, err := r.HTML(redact.New(env).Text)
	if err != nil {
		return err
	}
	return atomicfile.Write(file, text, 0o644)
}

// HTML is a report as one page that loads nothing and runs nothing: skills and agents, cases, arms, intervals,
// and each trial with its transcript. Whatever is in those is shown as text, without the secrets of hide.
func (r Report) HTML(hide func(string) string) ([]byte, error) {
	page := htmlPage{Fates: r.Fates}
	for _, a := range r.Agents {
		one := htmlAgentOf(a.Summary, a.Trials, hide)
		if len(r.Fates) > 0 {
			one.Agent = a.Agent
		}
		page.Agents = append(page.Agents, one)
	}
	var out bytes.Buffer
	err := htmlReport.Execute(&out, page)
	return out.Bytes(), err
}

func htmlAgentOf(s *Summary, trials []Trial, hide func(string) string) htmlAgent {
	page := htmlAgent{Summary: s, Notes: s.notes(), Cost: dollars(s.CostUSD, s.NoCost)}
	for i := range s.Skills {
		k := &s.Skills[i]
		one := htmlSkill{Name: k.Skill, Totals: k.totals(), Why: k.why()}
		for _, c := range k.Cases {
			hc := htmlCase{Name: c.Case, Wants: c.wants()}
			for _, a := range c.Arms {
				arm := htmlOf(a)
				arm.Cost = dollars(a.CostUSD, s.NoCost)
				for j := range trials {
					if t := &trials[j]; t.Skill == k.Skill && t.Case == c.Case && t.Arm == a.Arm {
						arm.Runs = append(arm.Runs, t.class())
						hc.Trials = append(hc.Trials, htmlTrial{Trial: t, Class: t.class(), Transcript: beginning(t.Transcript, hide)})
					}
				}
				hc.Scored = hc.Scored || arm.Score != ""
				hc.Arms = append(hc.Arms, arm)
			}
			one.Cases = append(one.Cases, hc)
		}
		page.Skills = append(page.Skills, one)
	}
	return page
}

type htmlPage struct {
	Fates  []Fate
	Agents []htmlAgent
}

type htmlAgent struct {
	Agent   string // "" if it is the only one
	Summary *Summary
	Notes   []string
	Cost    string
	Skills  []htmlSkill
}

type htmlSkill struct {
	Name   string
	Totals [][2]string
	Why    []string
	Cases  []htmlCase
}

type htmlCase struct {
	Name, Wants string
	Scored      bool // some arm has a score
	Arms        []htmlArm
	Trials      []htmlTrial
}

type htmlArm struct {
	Arm           Arm
	Runs          []string // the class of each
	Outcomes      string
	Right, Passed Rate
	Score, Cost   string
}

type htmlTrial struct {
	Trial      *Trial
	Class      string
	Transcript string
}

func htmlOf(a ArmSummary) htmlArm {
	h := htmlArm{Arm: a.Arm, Right: a.Right, Passed: a.Passed, Outcomes: a.counted()}
	if a.Score != nil {
		h.Score = fmt.Sprintf("%.2f", *a.Score)
	}
	return h
}

// class is the colour of a trial: what was wanted, or not.
func (t *Trial) class() string {
	switch t.Cell() {
	case "?", "o":
		return "unknown"
	case "+":
		return "good"
	}
	return "bad"
}

// beginning is as much of a transcript as a report holds.
func beginning(file string, hide func(string) string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "(the transcript is not here)"
	}
	cut := len(text) > htmlTranscript
	if cut {
		text = text[:htmlTranscript]
	}
	said := hide(strings.ToValidUTF8(string(text), "\ufffd"))
	if cut {
		said += "\n[the rest is in " + file + "]"
	}
	return said
}

// A rate is drawn as a line from 0 to 1, its interval, and a dot.
var htmlFuncs = template.FuncMap{
	"x":     func(share float64) string { return fmt.Sprintf("%.1f", 5+share*150) },
	"width": func(r Rate) string { return fmt.Sprintf("%.1f", max((r.High-r.Low)*150, 1)) },
	"ms":    term.ShortDuration,
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

var htmlReport = template.Must(template.New("report").Funcs(htmlFuncs).Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>skillhand try</title>
<style>
:root { color-scheme: light dark; --line: light-dark(#d0d7de, #3d444d); --quiet: light-dark(#59636e, #9198a1); --bar: light-dark(#0969da, #4493f8); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76em; margin: 2em auto; padding: 0 1em; background: light-dark(#fff, #0d1117);
  color: light-dark(#1f2328, #f0f6fc); }
h2 { border-bottom: 1px solid var(--line); padding-bottom: .2em; margin-top: 2em; } h3 { margin: 1.6em 0 .3em; overflow-wrap: anywhere; }
small, th { color: var(--quiet); font-weight: normal; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .25em 1.2em .25em 0; white-space: nowrap; }
.checks td { white-space: normal; overflow-wrap: anywhere; vertical-align: top; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 40em; overflow: auto; border: 1px solid var(--line); padding: .5em; font-size: 12px; }
.good { color: light-dark(#1a7f37, #3fb950); } .bad { color: light-dark(#cf222e, #f85149); } .unknown { color: var(--quiet); }
svg { vertical-align: -2px; } .scale { stroke: var(--line); } .interval { fill: var(--bar); opacity: .4; } .rate { fill: var(--bar); }
details { margin: .1em 0; } summary { cursor: pointer; overflow-wrap: anywhere; } details[open] { margin-bottom: 1em; }
</style>
</head>
<body>
<h1>skillhand try</h1>
<p>Bars are 95&nbsp;% intervals. A dot is a run: <span class="good">●</span>&nbsp;as wanted, ` +
	`<span class="bad">●</span>&nbsp;not, <span class="unknown">●</span>&nbsp;no verdict.</p>
{{if .Fates}}<div class="wide"><table><tr><th>skill</th><th>agent</th><th></th></tr>
{{range .Fates}}<tr><td>{{.Skill}}</td><td>{{.Agent}}</td><td>{{.Fate}}</td></tr>
{{end}}</table></div>{{end}}
{{define "rate"}}{{if .Of}}<svg width="160" height="14" role="img" aria-label="{{.}}">` +
	`<line class="scale" x1="5" x2="155" y1="7" y2="7"/><rect class="interval" x="{{x .Low}}" y="3" width="{{width .}}" height="8"/>` +
	`<circle class="rate" cx="{{x .Rate}}" cy="7" r="4"/></svg> {{.}}{{else}}-{{end}}{{end}}
{{range .Agents}}{{$agent := .Agent}}
<p>{{with .Agent}}<b>{{.}}</b>: {{end}}{{.Summary.Trials}} trials, {{.Cost}}.</p>
{{range .Notes}}<p class="bad">{{.}}</p>{{end}}
{{range .Skills}}
<h2>{{.Name}}{{with $agent}} <small>{{.}}</small>{{end}}</h2>
<table>{{range .Totals}}<tr><th>{{index . 0}}</th><td>{{index . 1}}</td></tr>{{end}}</table>
{{if .Why}}<ul>{{range .Why}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{range .Cases}}
<h3>{{.Name}} <small>wants: {{.Wants}}</small></h3>
<div class="wide"><table>
<tr><th>arm</th><th>runs</th><th>outcomes</th><th>as wanted</th><th>passed</th>{{if .Scored}}<th>score</th>{{end}}<th>cost</th></tr>
{{$scored := .Scored}}{{range .Arms}}<tr><td>{{.Arm}}</td><td>{{range .Runs}}<span class="{{.}}">●</span>{{end}}</td><td>{{.Outcomes}}</td>` +
	`<td>{{template "rate" .Right}}</td><td>{{template "rate" .Passed}}</td>{{if $scored}}<td>{{.Score}}</td>{{end}}<td>{{.Cost}}</td></tr>
{{end}}</table></div>
{{range .Trials}}<details><summary class="{{.Class}}">` +
	`{{.Trial.Arm}} {{.Trial.Run}}: {{.Trial.Outcome}} {{.Trial.Why}} ({{.Trial.Cost}}, {{ms .Trial.DurationMS}})</summary>
{{if .Trial.Checks}}<table class="checks">{{range .Trial.Checks}}<tr><td>{{ok .OK}}</td><td>{{.Check}}</td><td>{{.Why}}</td></tr>{{end}}</table>{{end}}
<pre>{{.Transcript}}</pre></details>
{{end}}{{end}}{{end}}{{end}}
</body>
</html>
`))
