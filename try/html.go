package try

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
)

// htmlTranscript is how much of a transcript a report holds.
const htmlTranscript = 256 << 10

// HTML is everything about trials as one page that loads nothing and runs nothing: cases, arms, intervals,
// and each trial with its transcript. Whatever is in those is shown as text, without the secrets of hide.
func (s *Summary) HTML(trials []Trial, hide func(string) string) ([]byte, error) {
	page := htmlPage{Summary: s, Notes: s.notes(), Cost: term.Dollars(s.CostUSD)}
	for i := range s.Skills {
		k := &s.Skills[i]
		one := htmlSkill{Name: k.Skill, Totals: k.totals(), Why: k.why()}
		for _, c := range k.Cases {
			hc := htmlCase{Name: c.Case, Wants: c.wants()}
			for _, a := range c.Arms {
				hc.Arms = append(hc.Arms, htmlOf(a))
			}
			for j := range trials {
				if t := &trials[j]; t.Skill == k.Skill && t.Case == c.Case {
					hc.Trials = append(hc.Trials, htmlTrial{Trial: t, Class: t.class(), Transcript: beginning(t.Transcript, hide)})
				}
			}
			one.Cases = append(one.Cases, hc)
		}
		page.Skills = append(page.Skills, one)
	}
	var out bytes.Buffer
	err := htmlReport.Execute(&out, page)
	return out.Bytes(), err
}

type htmlPage struct {
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
	Arms        []htmlArm
	Trials      []htmlTrial
}

type htmlArm struct {
	Arm           Arm
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
	h := htmlArm{Arm: a.Arm, Right: a.Right, Passed: a.Passed, Cost: term.Dollars(a.CostUSD), Outcomes: a.counted()}
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
	"usd":   term.Dollars,
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
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color-scheme: light dark; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2em .8em .2em 0; vertical-align: top; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 40em; overflow: auto; border: 1px solid #8886; padding: .5em; font-size: 12px; }
.good { color: #1a7f37; } .bad { color: #cf222e; } .unknown { color: #888; }
svg .scale { stroke: #8888; } svg .interval { fill: #4a90d9; opacity: .5; } svg .rate { fill: #4a90d9; }
summary { cursor: pointer; }
</style>
</head>
<body>
<h1>skillhand try</h1>
<p>{{.Summary.Trials}} trials, {{.Cost}}. Bars are 95&nbsp;% intervals.</p>
{{range .Notes}}<p class="bad">{{.}}</p>{{end}}
{{define "rate"}}{{if .Of}}<svg width="160" height="14" role="img" aria-label="{{.}}">` +
	`<line class="scale" x1="5" x2="155" y1="7" y2="7"/><rect class="interval" x="{{x .Low}}" y="3" width="{{width .}}" height="8"/>` +
	`<circle class="rate" cx="{{x .Rate}}" cy="7" r="4"/></svg> {{.}}{{else}}-{{end}}{{end}}
{{range .Skills}}
<h2>{{.Name}}</h2>
<table>{{range .Totals}}<tr><th>{{index . 0}}</th><td>{{index . 1}}</td></tr>{{end}}</table>
{{if .Why}}<ul>{{range .Why}}<li>{{.}}</li>{{end}}</ul>{{end}}
{{range .Cases}}
<h3>{{.Name}} <small>wants: {{.Wants}}</small></h3>
<table>
<tr><th>arm</th><th>outcomes</th><th>as wanted</th><th>passed</th><th>score</th><th>cost</th></tr>
{{range .Arms}}<tr><td>{{.Arm}}</td><td>{{.Outcomes}}</td><td>{{template "rate" .Right}}</td>` +
	`<td>{{template "rate" .Passed}}</td><td>{{.Score}}</td><td>{{.Cost}}</td></tr>
{{end}}</table>
{{range .Trials}}<details><summary class="{{.Class}}">` +
	`{{.Trial.Arm}} {{.Trial.Run}}: {{.Trial.Outcome}} {{.Trial.Why}} ({{usd .Trial.CostUSD}}, {{ms .Trial.DurationMS}})</summary>
{{if .Trial.Checks}}<table>{{range .Trial.Checks}}<tr><td>{{ok .OK}}</td><td>{{.Check}}</td><td>{{.Why}}</td></tr>{{end}}</table>{{end}}
<pre>{{.Transcript}}</pre></details>
{{end}}{{end}}{{end}}
</body>
</html>
`))
