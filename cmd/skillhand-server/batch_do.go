package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/batch"
	"github.com/skillhand/skillhand/batch/jobfile"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/render"
	"github.com/skillhand/skillhand/shell"
	"github.com/skillhand/skillhand/verdict"
	"github.com/skillhand/skillhand/view"
)

// missing stops a batch for want of a program: no job of its kind can be done here.
const missing batch.Stop = "missing"

// doJob does one job of a batch, in an environment. heard, if not nil, is told when the model of a
// trial says something.
func doJob(env []string, db *batch.DB, heard func()) batch.Func {
	kits := &kits{db: db}
	return func(ctx context.Context, payload json.RawMessage) (json.RawMessage, batch.Retry) {
		var spec struct {
			jobfile.Spec
			Trial *tryJob `json:"trial"`
		}
		if err := json.Unmarshal(payload, &spec); err != nil {
			return nil, batch.Retry{Error: fmt.Sprintf("not a job of this version: %v", err)}
		}
		worker, name := batch.Where(ctx)
		own, job := here.Env(env).With(batch.WorkerVariable, worker), name+"/"+spec.ID
		if spec.Trial != nil {
			return doTrial(ctx, kits, own, spec.Trial, heard)
		}
		rt := &skillhand.Runtime{Here: here.Here{Dir: spec.Dir, Env: own}, Builtins: view.Builtins()}
		if spec.Run != "" {
			return doRun(ctx, rt, spec.Spec, job)
		}
		return doAsk(ctx, rt, spec.Spec, job)
	}
}

func doRun(ctx context.Context, rt *skillhand.Runtime, spec jobfile.Spec, job string) (json.RawMessage, batch.Retry) {
	args := spec.Args
	if spec.Raw != "" {
		words, err := shell.Words(spec.Raw)
		if err != nil {
			return nil, batch.Retry{Error: fmt.Sprintf("args: %v", err)}
		}
		args = words
	}
	var said lastLine
	said.tell = func(line string) { batch.Note(ctx, line) }
	rt.Stderr = &said
	v, err := rt.Run(ctx, skillhand.RunRequest{Script: spec.Run, Args: args, Timeout: spec.Timeout, Job: job})
	if err != nil {
		v = verdict.NotRun(err)
	}
	result, err := json.Marshal(v)
	if err != nil {
		return nil, batch.Retry{Error: err.Error()}
	}
	return result, afterRun(v)
}

// afterRun says what a verdict means for a job. A script has no categories, but a status for
// "not now": that of sysexits, or ours.
func afterRun(v *verdict.Verdict) batch.Retry {
	if v.OK {
		return batch.Retry{}
	}
	var why []string
	for _, p := range v.Problems {
		why = append(why, p.Message)
	}
	const tempFail, later = 75, 4
	return batch.Retry{Error: strings.Join(why, "; "), Again: !v.TimedOut && (v.Exit == tempFail || v.Exit == later)}
}

func doAsk(ctx context.Context, rt *skillhand.Runtime, spec jobfile.Spec, job string) (json.RawMessage, batch.Retry) {
	// The batch counts attempts, so the client makes one.
	rt.Claude = claude.Client{Timeout: spec.Timeout, IdleTimeout: spec.IdleTimeout, OnEvent: func(e claude.Event) {
		if e.Tool != "" {
			batch.Note(ctx, fmt.Sprintf("turn %d: %s", e.Turn, e.Tool))
		}
	}}
	req := skillhand.AskRequest{
		Request: claude.Request{
			Prompt: spec.Ask, Model: spec.Model, MaxTurns: spec.MaxTurns, AllowedTools: spec.AllowedTools,
			Resume: spec.Resume, MaxBudgetUSD: spec.MaxBudgetUSD, Schema: spec.Schema,
		},
		Skill: spec.Skill, Strict: spec.Strict, Label: spec.ID, Job: job, SkillArgs: render.ParseArgs(spec.Raw),
	}
	if spec.Args != nil {
		req.SkillArgs = render.JoinArgs(spec.Args)
	}
	before := sessionCost(rt.Env, spec.Resume)
	reply, err := rt.Ask(ctx, req)
	var cost float64
	if reply != nil {
		cost = max(0, reply.CostUSD-before)
	}
	retry := afterAsk(err, time.Now())
	retry.CostUSD = cost
	if reply == nil && err != nil {
		return nil, retry
	}
	result, err := json.Marshal(claude.NewDocument(reply, err))
	if err != nil {
		return nil, batch.Retry{Error: err.Error(), CostUSD: cost}
	}
	return result, retry
}

// sessionCost is what a session of Claude Code has cost so far, as its own file says: of a question
// that goes on with it, the CLI tells the sum. 0 if there is no word of it.
func sessionCost(env here.Env, session string) (usd float64) {
	if session == "" || strings.ContainsAny(session, `/\*?[`) {
		return 0
	}
	home := cmp.Or(env.Get("CLAUDE_CONFIG_DIR"), filepath.Join(env.Get("HOME"), ".claude"))
	files, _ := filepath.Glob(filepath.Join(home, "projects", "*", session+".jsonl")) // the pattern is sound
	for _, file := range files {
		text, _ := os.ReadFile(file) // what cannot be read says nothing
		for line := range bytes.Lines(text) {
			var state struct {
				Type  string  `json:"type"`
				Total float64 `json:"totalCostUSD"`
			}
			if bytes.Contains(line, []byte(`"cost-state"`)) && json.Unmarshal(line, &state) == nil && state.Type == "cost-state" {
				usd = max(usd, state.Total)
			}
		}
	}
	return usd
}

// afterAsk says what a failure to get an answer means for a job, and for its batch.
func afterAsk(err error, now time.Time) batch.Retry {
	if err == nil {
		return batch.Retry{}
	}
	r := batch.Retry{Error: err.Error()}
	if _, ok := errors.AsType[*claude.StartError](err); ok {
		r.Stop = missing
		return r
	}
	e, ok := errors.AsType[*claude.Error](err)
	switch {
	case !ok:
	case e.Category == claude.Auth, e.Kind == claude.Billing:
		r.Stop = batch.Credentials
	case e.Category == claude.Quota && e.RetryAfter > 0:
		r.Until = now.Add(e.RetryAfter)
	case e.Category == claude.Quota:
		r.Stop = batch.Limit
	default:
		r.Again, r.After = e.Temporary(), e.RetryAfter
	}
	return r
}

// A lastLine tells the last line that was written to it.
type lastLine struct {
	rest []byte
	tell func(line string)
}

func (l *lastLine) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	if i := bytes.LastIndexByte(l.rest, '\n'); i >= 0 {
		lines := bytes.Split(bytes.TrimRight(l.rest[:i], "\n"), []byte("\n"))
		l.tell(string(lines[len(lines)-1]))
		l.rest = slices.Clone(l.rest[i+1:])
	}
	if len(l.rest) > 4096 {
		l.rest = l.rest[:0] // no line at all
	}
	return len(p), nil
}
