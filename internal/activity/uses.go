package activity

import (
	"path/filepath"
	"time"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/session"
)

// A Use says how often a skill was used in any way, and when it was last used.
type Use struct {
	Count int
	Last  time.Time
}

func (u Use) plus(v Use) Use {
	if v.Last.After(u.Last) {
		u.Last = v.Last
	}
	u.Count += v.Count
	return u
}

// Used returns the use of a skill, by its name for agents and by its file. A skill is used if an
// agent called it, or if it was run, asked for, tried, or loaded in a session.
func (a *Account) Used(call, file string) Use {
	use := a.uses[call]
	if plain := "run " + session.PlainName(call); call != "" {
		use = use.plus(a.uses[plain])
	}
	return use.plus(a.uses["load "+filepath.Clean(file)])
}

// Runs returns how often skillhand ran a skill or asked for it.
func (a *Account) Runs(call string) int { return a.uses["run "+session.PlainName(call)].Count }

// addUses adds the uses in the history and the sessions: a skill that was run or loaded was used,
// even if no transcript names it.
func (a *Account) addUses(h here.Here, o Options) error {
	a.uses = map[string]Use{}
	add := func(key string, count int, last time.Time) {
		a.uses[key] = a.uses[key].plus(Use{count, last})
	}
	for _, s := range a.Skills {
		add(s.Name, s.Counts.Fired(), s.Last)
	}
	loads := o.Loads
	if loads == nil {
		loads = allMarks(h.Sessions())
	}
	for _, m := range loads {
		if !m.Time.Before(o.Since) && (o.Session == "" || o.Session == m.Session) {
			add("load "+filepath.Clean(m.File), 1, m.Time)
			add("name "+session.PlainName(m.Skill), 1, m.Time)
		}
	}
	runs, err := o.Runs, error(nil)
	if runs == nil {
		runs, err = SkillRuns(store(h), Query{Since: o.Since, Session: o.Session})
	}
	gates := map[string]*Gates{}
	for _, r := range runs {
		if r.Time.Before(o.Since) || o.Session != "" && o.Session != r.Session || o.Project != "" && !files.Inside(o.Project, r.Project) {
			continue
		}
		if r.Gate == nil {
			add("run "+r.Skill, 1, r.Time)
			continue
		}
		if gates[r.Skill] == nil {
			gates[r.Skill] = &Gates{}
		}
		gates[r.Skill].add(*r.Gate)
	}
	for i := range a.Skills {
		s := &a.Skills[i]
		plain := session.PlainName(s.Name)
		s.Gate = gates[plain]
		last := a.uses["run "+plain].plus(a.uses["name "+plain]).Last.UTC().Truncate(time.Second)
		if last.After(s.Last) {
			s.Last = last
		}
	}
	return err
}

// A SkillRun records that skillhand ran a skill, asked for it, or ran its gate.
type SkillRun struct {
	Skill            string // without the name of its plugin
	Project, Session string
	Time             time.Time
	Gate             *Gates // the outcome of its gate, if it was a gate
}

// SkillRuns returns the skill runs in a history.
func SkillRuns(store Store, q Query) ([]SkillRun, error) {
	runs := []SkillRun{}
	_, err := store.Each(q, func(r *Record) {
		if r.Skill != "" {
			runs = append(runs, SkillRun{session.PlainName(r.Skill), r.Project, r.Session, r.Time, r.gate()})
		}
	})
	return runs, err
}

// allMarks returns the marks of every agent in every session. It ignores unreadable sessions.
func allMarks(store session.Store) (all []session.Mark) {
	ids, _ := store.IDs()
	for _, id := range ids {
		marks, _ := store.Marks(id)
		all = append(all, marks...)
	}
	return all
}
