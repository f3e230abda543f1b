package skillhand

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/history"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/session"
	"github.com/skillhand/skillhand/skill"
)

// History is where an environment says that the history is kept.
func History(env []string) history.Store { return historyIn(StateDir(env)) }

func historyIn(state string) history.Store {
	return history.Store{Dir: filepath.Join(state, "history")}
}

// Project is what the history calls the project that a folder belongs to: the
// top of its repository, else the folder itself.
func Project(dir string) string {
	if top := skill.Top(dir); top != "" {
		dir = top
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

// SessionOf returns the session that an environment belongs to, or "".
func SessionOf(env []string) string {
	for _, name := range []string{"CLAUDE_SESSION_ID", "CLAUDE_CODE_SESSION_ID"} {
		if id := getenv(env, name); session.CheckID(id) == nil {
			return id
		}
	}
	return ""
}

// remember adds a record to the history.
func (j *job) remember(r history.Record) error { return remember(j.state, j.dir, j.env, r) }

// remember adds a record of what happened in dir to the history in a state
// folder. It has no secret of the environment in it.
func remember(state, dir string, env []string, r history.Record) error {
	if getenv(env, "SKILLHAND_HISTORY") == "off" {
		return nil
	}
	r.Project, r.Session = Project(dir), SessionOf(env)
	hide := redact.New(env)
	for _, field := range []*string{&r.Skill, &r.Project, &r.Category, &r.Detail, &r.Session} {
		*field = hide.Text(*field)
	}
	if err := historyIn(state).Append(r); err != nil {
		return fmt.Errorf("the history: %w", err)
	}
	return nil
}

// rememberAsk adds a question to the history, and warns if it cannot.
func (rt *Runtime) rememberAsk(env []string, req AskRequest, reply *claude.Reply, failure error) {
	r := history.Record{
		Kind: history.Ask, PromptHash: history.Hash(req.Prompt), OK: failure == nil,
		DurationMS: float64(reply.Duration.Microseconds()) / 1000, CostUSD: reply.CostUSD,
		InputHash: history.Hash(req.Prompt, req.Model, string(req.Schema), req.Dir),
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
	state := rt.StateDir
	if state == "" {
		state = StateDir(env)
	}
	dir, err := filepath.Abs(rt.Dir)
	if err == nil {
		err = remember(state, dir, env, r)
	}
	if err != nil {
		req.Warn(err.Error())
	}
}

// record is what the history keeps of a run.
func (r *run) record(args []string, v *Verdict) history.Record {
	rec := history.Record{
		Kind: history.Run, Skill: scriptName(v.Script), OK: v.OK, DurationMS: float64(v.Duration.Microseconds()) / 1000,
		InputHash: history.Hash(append([]string{v.Script, scriptText(v.Script), r.cwd}, args...)...),
	}
	for _, p := range v.Problems {
		rec.Category = p.Code
		if p.Code != ExitStatus {
			break // an exit status says least, and goes with most others
		}
	}
	if v.Report != nil {
		rec.Confidence = &v.Report.Confidence
	}
	return rec
}

// scriptName is the name of the skill that a script belongs to, else its own.
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

// scriptText is enough of a script to notice that it was changed: a change is
// a reason for another verdict.
func scriptText(script string) string {
	f, err := os.Open(script)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 1<<20)) // as much as can be read
	return string(text)
}
