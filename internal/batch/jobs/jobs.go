// Package jobs answers one question: what does a job of a batch do? A run and an ask are each one
// call of the Runtime. Their failures decide what happens next to the job and to its batch. Package
// eval makes trials.
package jobs

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
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/report/verdict"
)

// A Runner does the jobs of batches on this machine. DB is required.
type Runner struct {
	DB  *batch.DB
	Env here.Env // the environment of the programs that it starts
	// Trial makes one attempt at a trial: see eval.Maker. Without it, the Runner cannot do trials.
	Trial func(ctx context.Context, env here.Env, trial json.RawMessage) (json.RawMessage, batch.Retry)
}

// Worker returns a worker that does these jobs.
func (r *Runner) Worker() *batch.Worker {
	return &batch.Worker{DB: r.DB, Do: r.Do, Fit: r.Fit, Orphaned: func(id string) {
		proc.KillMarked(batch.WorkerVariable, id)
		_ = os.RemoveAll(Scratch(id)) // the folder is below the temporary folder
	}}
}

// Scratch returns the folder for all folders of a worker's trials. It is not in a project, because
// agents read files in the folders above.
func Scratch(worker string) string {
	return filepath.Join(files.Real(os.TempDir()), "skilltry-"+worker)
}

// Fit returns why no job of a kind can be done here, or nil. An ask needs the agent's program.
func (r *Runner) Fit(kind string) error {
	name := AgentOf(kind)
	if name == "" {
		return nil
	}
	other, err := skillhand.Agent(name)
	if err != nil {
		return err // an agent of a later version
	}
	program := cmp.Or(r.Env.Get("SKILLHAND_CLAUDE"), name)
	if other != nil {
		program = cmp.Or(r.Env.Get(other.Variable()), name)
	}
	if _, err := skillhand.FindProgram(program, r.Env); err != nil {
		if _, refused := errors.AsType[*trust.NotTrusted](err); refused {
			return fmt.Errorf("%s: %w", program, err)
		}
		return fmt.Errorf("%w (%s)", err, claude.Absent(other, r.Env))
	}
	return nil
}

// Do does one job. It is a batch.Func.
func (r *Runner) Do(ctx context.Context, payload json.RawMessage) (json.RawMessage, batch.Retry) {
	var job struct {
		Spec
		Trial json.RawMessage `json:"trial"`
	}
	err := json.Unmarshal(payload, &job)
	if err == nil && job.Trial != nil && r.Trial == nil {
		err = errors.New("a trial")
	}
	if err != nil {
		return nil, batch.Retry{Error: fmt.Sprintf("not a job of this version: %v", err)}
	}
	of := batch.Current(ctx)
	env := r.Env.With(batch.WorkerVariable, of.Worker)
	if job.Trial != nil {
		return r.Trial(ctx, env, job.Trial)
	}
	name := activity.Job{Name: of.Batch + "/" + job.ID, Batch: of.Made.Format(time.RFC3339Nano)}
	rt := &skillhand.Runtime{Here: here.Here{Dir: job.Dir, Env: env}, Builtins: skillhand.Builtins()}
	if job.Run != "" {
		return run(ctx, rt, job.Spec, name)
	}
	return ask(ctx, rt, job.Spec, name)
}

func run(ctx context.Context, rt *skillhand.Runtime, spec Spec, name activity.Job) (json.RawMessage, batch.Retry) {
	args := spec.Args
	if spec.Raw != "" {
		words, err := shell.Words(spec.Raw)
		if err != nil {
			return nil, batch.Retry{Error: fmt.Sprintf("args: %v", err)}
		}
		args = words
	}
	stderr := &tail{line: func(line string) { batch.Note(ctx, line) }}
	rt.Stderr = stderr
	v, err := rt.Run(ctx, skillhand.RunRequest{Script: spec.Run, Args: args, Timeout: spec.Timeout, Job: name})
	if err != nil {
		v = verdict.NotRun(err)
	}
	result, err := json.Marshal(v)
	if err != nil {
		return nil, batch.Retry{Error: err.Error()}
	}
	retry := AfterRun(v)
	if retry.Error != "" {
		retry.Log = stderr.text()
	}
	return result, retry
}

// AfterRun returns what a verdict means for a job. A script's failure has no category. Only two
// exit statuses mean "not now": 75, from sysexits, and our 4.
func AfterRun(v *verdict.Verdict) batch.Retry {
	if v.OK {
		return batch.Retry{}
	}
	var why []string
	for _, p := range v.Problems {
		// If a script crashed, its missing report is not a separate problem.
		if p.Code == string(report.NoReport) && (v.Exit != 0 || v.TimedOut) && len(v.Problems) > 1 {
			continue
		}
		why = append(why, p.Message)
	}
	const tempFail, later = 75, 4
	return batch.Retry{Error: strings.Join(why, "; "), Again: !v.TimedOut && (v.Exit == tempFail || v.Exit == later)}
}

func ask(ctx context.Context, rt *skillhand.Runtime, spec Spec, name activity.Job) (json.RawMessage, batch.Retry) {
	// The batch counts attempts, so the client makes only one.
	rt.Claude = claude.Client{Timeout: spec.Timeout, IdleTimeout: spec.IdleTimeout, OnEvent: func(e claude.Event) { NoteTool(ctx, e) }}
	req := skillhand.AskRequest{
		Request: claude.Request{
			Prompt: spec.Ask, Model: spec.Model, MaxTurns: spec.MaxTurns, AllowedTools: spec.AllowedTools,
			Resume: spec.Resume, MaxBudgetUSD: cmp.Or(spec.MaxBudgetUSD, batch.Current(ctx).MaxUSD), Schema: spec.Schema,
		},
		Agent: spec.Agent, Skill: spec.Skill, Strict: spec.Strict, Label: spec.ID, Job: name, SkillArgs: render.ParseArgs(spec.Raw),
	}
	if spec.Args != nil {
		req.SkillArgs = render.JoinArgs(spec.Args)
	}
	if spec.NoTools {
		req.Args = []string{"--tools", "", "--setting-sources", "user"}
	}
	before := sessionCost(rt.Env, spec.Resume)
	reply, err := rt.Ask(ctx, req)
	var cost float64
	if reply != nil {
		cost = max(0, reply.CostUSD-before)
	}
	retry := AfterAsk(err, time.Now())
	if KindOf(spec.Agent) != Ask {
		retry = ofAgent(retry)
	}
	retry.CostUSD = cost
	if reply != nil {
		retry.TurnUSD, retry.MostUSD = reply.TurnUSD, claudecode.MostOfTurn(reply.Model)
		if retry.CostUnknown && cost == 0 {
			retry.CostUSD = min(claudecode.CostAtMost(reply.Model, reply.Billed), batch.Current(ctx).HeldUSD)
		}
	}
	if reply == nil && err != nil {
		return nil, retry
	}
	result, err := json.Marshal(claude.NewDocument(reply, err))
	if err != nil {
		return nil, batch.Retry{Error: err.Error(), CostUSD: cost}
	}
	return result, retry
}

// NoteTool shows people who look at the batch which tool a job uses.
func NoteTool(ctx context.Context, e claude.Event) {
	if e.Tool != "" {
		batch.Note(ctx, fmt.Sprintf("turn %d: %s", e.Turn, e.Tool))
	}
}

// sessionCost returns what a session of Claude Code has cost so far, according to its own file, or
// 0 if that is unknown. For a question that resumes the session, the CLI reports the sum.
func sessionCost(env here.Env, session string) (usd float64) {
	if session == "" || strings.ContainsAny(session, `/\*?[`) {
		return 0
	}
	home := cmp.Or(env.Get("CLAUDE_CONFIG_DIR"), filepath.Join(env.Get("HOME"), ".claude"))
	for _, file := range files.Glob(home, "projects/*/"+session+".jsonl") {
		text, _ := os.ReadFile(file) // a file that cannot be read counts as empty
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

// AfterAsk returns what a failure to get an answer means for a job, and for its batch.
func AfterAsk(err error, now time.Time) batch.Retry {
	if err == nil {
		return batch.Retry{}
	}
	r := batch.Retry{Error: err.Error()}
	if _, ok := errors.AsType[*claude.StartError](err); ok {
		r.Unfit = true
		return r
	}
	e, ok := errors.AsType[*claude.Error](err)
	if !ok {
		return r
	}
	// The CLI reports the cost in its last event, which these failures lack.
	r.CostUnknown = slices.Contains(
		[]claude.Kind{claude.Deadline, claude.Idle, claude.Crashed, claude.NoResult, claude.Interrupted}, e.Kind)
	switch {
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

// ofAgent turns a reason to stop the batch, such as credentials, into a reason to stop only one
// agent's jobs. The jobs of other agents continue.
func ofAgent(r batch.Retry) batch.Retry {
	r.Unfit, r.Stop = r.Unfit || r.Stop != "", ""
	return r
}

// maxLog is how many bytes of a failed job's stderr are kept.
const maxLog = 8 << 10

// A tail keeps the end of what is written to it, and passes on the last line.
type tail struct {
	line func(text string)
	kept []byte
	cut  bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - maxLog; over > 0 {
		t.kept, t.cut = append(t.kept[:0], t.kept[over:]...), true
	}
	if i := bytes.LastIndexByte(t.kept, '\n'); i >= 0 && bytes.IndexByte(p, '\n') >= 0 {
		lines := bytes.Split(bytes.TrimRight(t.kept[:i], "\n"), []byte("\n"))
		t.line(string(lines[len(lines)-1]))
	}
	return len(p), nil
}

// text returns the kept bytes, from the start of a line if possible.
func (t *tail) text() string {
	text := string(t.kept)
	if t.cut {
		if i := strings.IndexByte(text, '\n'); i >= 0 && i+1 < len(text) {
			text = text[i+1:]
		}
		text = "…\n" + text
	}
	return strings.TrimRight(text, "\n")
}
