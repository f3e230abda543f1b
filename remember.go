package skillhand

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/skillhand/skillhand/history"
	"github.com/skillhand/skillhand/internal/redact"
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

// remember adds a record to the history. It has no secret of the environment in it.
func (j *job) remember(r history.Record) error {
	if getenv(j.env, "SKILLHAND_HISTORY") == "off" {
		return nil
	}
	r.Project = Project(j.dir)
	if r.Session == "" {
		r.Session = SessionOf(j.env)
	}
	hide := redact.New(j.env)
	for _, field := range []*string{&r.Skill, &r.Project, &r.Category, &r.Detail, &r.Session} {
		*field = hide.Text(*field)
	}
	if err := historyIn(j.state).Append(r); err != nil {
		return fmt.Errorf("the history: %w", err)
	}
	return nil
}

// record is what the history keeps of a run.
func (r *run) record(args []string, v *Verdict) history.Record {
	rec := history.Record{
		Kind: history.Run, Skill: scriptName(v.Script), OK: v.OK, DurationMS: float64(v.Duration.Microseconds()) / 1000,
		InputHash: history.Hash(append([]string{v.Script, scriptText(v.Script), r.cwd}, args...)...),
	}
	if len(v.Problems) > 0 {
		rec.Category = v.Problems[0].Code
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
