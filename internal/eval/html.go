package eval

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/atomicfile"
	"github.com/skillhand/skillhand/internal/here"
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
	page, err := htmlReport.Clone()
	if err != nil {
		return nil, err
	}
	page.Funcs(template.FuncMap{"transcript": func(file string) string { return beginning(file, hide) }})
	var out bytes.Buffer
	err = page.Execute(&out, r)
	return out.Bytes(), err
}

// of are the trials of a case in an arm.
func (a *AgentReport) of(skill, id string, arm Arm) []Trial {
	return slices.DeleteFunc(slices.Clone(a.Trials), func(t Trial) bool { return t.Skill != skill || t.Case != id || t.Arm != arm })
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
	"totals": (*SkillSummary).totals, "why": (*SkillSummary).why, "wants": (*CaseSummary).wants, "counted": (*ArmSummary).counted,
	"notes": (*Summary).notes, "class": (*Trial).class, "trials": (*AgentReport).of, "dollars": dollars, "transcript": fmt.Sprint, // see HTML
	"scored": func(arms []ArmSummary) bool {
		return slices.ContainsFunc(arms, func(a ArmSummary) bool { return a.Score != nil })
	},
	"score": func(score *float64) string {
		if score == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", *score)
	},
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
{{range $a := .Agents}}{{$free := .Summary.NoCost}}
<p>{{if $.Fates}}<b>{{.Agent}}</b>: {{end}}{{.Summary.Trials}} trials, {{dollars .Summary.CostUSD $free}}.</p>
{{range notes .Summary}}<p class="bad">{{.}}</p>{{end}}
{{range $k := .Summary.Skills}}
<h2>{{.Skill}}{{if $.Fates}} <small>{{$a.Agent}}</small>{{end}}</h2>
<table>{{range totals .}}<tr><th>{{index . 0}}</th><td>{{index . 1}}</td></tr>{{end}}</table>
{{with why .}}<ul>{{range .}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{range $c := .Cases}}{{$scored := scored .Arms}}
<h3>{{.Case}} <small>wants: {{wants .}}</small></h3>
<div class="wide"><table>
<tr><th>arm</th><th>runs</th><th>outcomes</th><th>as wanted</th><th>passed</th>{{if $scored}}<th>score</th>{{end}}<th>cost</th></tr>
{{range .Arms}}<tr><td>{{.Arm}}</td><td>{{range trials $a $k.Skill $c.Case .Arm}}<span class="{{class .}}">●</span>{{end}}</td><td>{{counted .}}</td>` +
	`<td>{{template "rate" .Right}}</td><td>{{template "rate" .Passed}}</td>{{if $scored}}<td>{{score .Score}}</td>{{end}}<td>{{dollars .CostUSD $free}}</td></tr>
{{end}}</table></div>
{{range .Arms}}{{range trials $a $k.Skill $c.Case .Arm}}<details><summary class="{{class .}}">` +
	`{{.Arm}} {{.Run}}: {{.Outcome}} {{.Why}} ({{dollars .CostUSD .NoCost}}, {{ms .DurationMS}})</summary>
{{if .Checks}}<table class="checks">{{range .Checks}}<tr><td>{{ok .OK}}</td><td>{{.Check}}</td><td>{{.Why}}</td></tr>{{end}}</table>{{end}}
<pre>{{transcript .Transcript}}</pre></details>
{{end}}{{end}}{{end}}{{end}}{{end}}
</body>
</html>
`))
