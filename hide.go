package skillhand

import (
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/report/verdict"
)

// A Runtime hides the environment's secrets: in replies, events and verdicts here, in pages in
// package render.

// hiding returns a listener that gets events without secrets.
func hiding(hide *redact.Redactor, listener func(claude.Event)) func(claude.Event) {
	if listener == nil {
		return nil
	}
	return func(e claude.Event) {
		e.Text, e.Input = hide.Text(e.Text), hide.JSON(e.Input)
		listener(e)
	}
}

func hideInReply(hide *redact.Redactor, r *claude.Reply) {
	r.Output, r.Stderr = hide.Text(r.Output), hide.Text(r.Stderr)
	r.JSON, r.Denials, r.Usage = hide.JSON(r.JSON), hide.JSON(r.Denials), hide.JSON(r.Usage)
	for i := range r.Attempts {
		r.Attempts[i].Error = hide.Text(r.Attempts[i].Error)
	}
}

func hideInVerdict(hide *redact.Redactor, v *verdict.Verdict) {
	for i := range v.Problems {
		v.Problems[i].Message = hide.Text(v.Problems[i].Message)
	}
	for i := range v.Warnings {
		v.Warnings[i].Path, v.Warnings[i].Message = hide.Text(v.Warnings[i].Path), hide.Text(v.Warnings[i].Message)
	}
	if v.Report == nil {
		return
	}
	for i, d := range v.Report.Deliverables {
		v.Report.Deliverables[i] = hide.Text(d)
	}
	for name, value := range v.Report.Metrics {
		if clean := hide.Text(name); clean != name {
			delete(v.Report.Metrics, name)
			v.Report.Metrics[clean] = value
		}
	}
	for i := range v.Report.Errors {
		e := &v.Report.Errors[i]
		e.Code, e.Message, e.Stack = hide.Text(e.Code), hide.Text(e.Message), hide.Text(e.Stack)
		e.Context = hide.JSON(e.Context)
	}
}
