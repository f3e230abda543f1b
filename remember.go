package skillhand

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/report/verdict"
)

// remember adds a record to the history, without the environment's secrets. It warns if that fails.
func (e *environment) remember(r activity.Record) {
	if e.rt.NoHistory || e.Env.Get("SKILLHAND_HISTORY") == "off" {
		return
	}
	r.Project, r.Session = files.Real(files.Around(e.Dir)), e.Session
	for _, field := range []*string{&r.Skill, &r.Label, &r.Job, &r.Project, &r.Category, &r.Detail, &r.Session} {
		*field = e.hide.Text(*field)
	}
	if err := (activity.Store{Dir: e.HistoryDir()}).Append(r); err != nil {
		e.rt.warn(fmt.Sprintf("the history: %v", err))
	}
}

// rememberAsk adds an ask to the history.
func (e *environment) rememberAsk(req AskRequest, reply *claude.Reply, failure error) {
	r := activity.Record{
		Kind: activity.Ask, Label: req.Label, Job: req.Job.Name, Batch: req.Job.Batch, Agent: req.Agent,
		PromptHash: activity.Hash(req.Prompt), OK: failure == nil,
		DurationMS: milliseconds(reply.Duration), CostUSD: reply.CostUSD,
		InputHash: activity.Hash(req.Prompt, req.Model, string(req.Schema), req.Dir),
	}
	if req.Skill != "" {
		r.Skill = filepath.Base(strings.TrimSuffix(session.PlainName(req.Skill), "/SKILL.md"))
	}
	if e, ok := errors.AsType[*claude.Error](failure); ok {
		r.Category, r.Detail = string(e.Category), string(e.Kind)
	}
	if answer := report.Parse(reply.JSON, report.Options{NoLegacy: true}); answer.Report != nil {
		r.Confidence = &answer.Report.Confidence
	}
	e.remember(r)
}

func (e *environment) rememberRun(cwd string, req RunRequest, v *verdict.Verdict) {
	r := activity.Record{
		Kind: activity.Run, Skill: scriptName(v.Script), Job: req.Job.Name, Batch: req.Job.Batch, OK: v.OK, DurationMS: v.DurationMS,
		InputHash: activity.Hash(append([]string{v.Script, scriptText(v.Script), cwd}, req.Args...)...),
	}
	for _, problem := range v.Problems {
		if r.Category == verdict.ExitStatus && problem.Code == string(report.NoReport) {
			break // a script that crashed could not report
		}
		r.Category = problem.Code
		if problem.Code != verdict.ExitStatus {
			break // a fault of the report says more than the exit status
		}
	}
	if v.Report != nil {
		r.Confidence = &v.Report.Confidence
	}
	e.remember(r)
}

// scriptName returns the name of the script's skill, or else of the script.
func scriptName(script string) string {
	base := filepath.Base(script)
	if !strings.HasPrefix(base, "execute") {
		return base
	}
	folder := filepath.Dir(script)
	if filepath.Base(folder) == "scripts" {
		folder = filepath.Dir(folder)
	}
	return filepath.Base(folder)
}

// scriptText returns enough of a script to notice a change, which may explain another verdict.
func scriptText(script string) string {
	f, err := os.Open(script)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 1<<20)) // what cannot be read does not count
	return string(text)
}
