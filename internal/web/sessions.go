package web

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

// A sessionRow shows the skills that one session has seen.
type sessionRow struct {
	activity.Session // according to its transcript, if it exists

	id     string
	marks  []session.Mark // the skills loaded through skillhand, the latest first
	agents int            // the number of agents that loaded a skill
	saved  int            // the tokens that one later use of each skill would not send again

	first, last time.Time
}

func (r sessionRow) name() string {
	if r.Project == "" {
		return "session " + r.id[:min(8, len(r.id))]
	}
	return filepath.Base(r.Project)
}

func (r sessionRow) title() string {
	if r.Project == "" {
		return "Session " + r.id
	}
	return "Session in " + r.name()
}

func (r sessionRow) duration() string {
	if r.last.Sub(r.first) < time.Second {
		return "–"
	}
	return term.ShortDuration(float64(r.last.Sub(r.first).Milliseconds()))
}

// A markCache caches the seen marks of agents, because most sessions have ended and reading all of
// them takes long.
type markCache struct {
	mu    sync.Mutex
	known map[session.ID]keptMarks
}

type keptMarks struct {
	changed time.Time // when the agent's folder changed
	marks   []session.Mark
}

// all returns the marks of every agent of every session, the latest first. It ignores unreadable
// marks.
func (c *markCache) all(store session.Store) ([]session.Mark, error) {
	ids, err := store.IDs()
	c.mu.Lock()
	defer c.mu.Unlock()
	known := make(map[session.ID]keptMarks, len(ids))
	var all []session.Mark
	for _, id := range ids {
		kept, ok := c.known[id]
		changed := changedAt(store, id)
		if !ok || !kept.changed.Equal(changed) {
			kept.changed = changed
			kept.marks, _ = store.Marks(id)
		}
		all = append(all, kept.marks...)
		// A folder that changed just now may change again without a new time.
		if time.Since(changed) > 2*time.Second {
			known[id] = kept
		}
	}
	c.known = known
	slices.SortStableFunc(all, func(a, b session.Mark) int { return b.Time.Compare(a.Time) })
	return all, err
}

// A runCache caches the skills in the history until the history's files change.
type runCache struct {
	mu    sync.Mutex
	stamp string
	runs  []activity.SkillRun
}

func (c *runCache) all(dir string) ([]activity.SkillRun, error) {
	var stamp strings.Builder
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // otherwise it was removed
			fmt.Fprintln(&stamp, e.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs == nil || c.stamp != stamp.String() {
		runs, err := activity.SkillRuns(activity.Store{Dir: dir}, activity.Query{})
		if err != nil {
			return nil, err
		}
		c.stamp, c.runs = stamp.String(), runs
	}
	return c.runs, nil
}

func changedAt(store session.Store, id session.ID) time.Time {
	if dir, err := store.Folder(id); err == nil {
		if info, err := os.Stat(dir); err == nil {
			return info.ModTime()
		}
	}
	return time.Now() // it is removed, or is being removed
}

// sessionRows returns the sessions in skillhand's marks and in the transcripts of agents, the
// latest first.
func (v *visit) sessionRows() ([]sessionRow, error) {
	v.watch(false, append(activity.Folders(v.site.Runtime.Here, time.Time{}), v.site.Runtime.SessionDir())...)
	marks, err := v.site.marks.all(v.site.Runtime.Sessions())
	if err != nil {
		return nil, err
	}
	seen, err := v.account(time.Time{}, "")
	if err != nil {
		return nil, err
	}
	index := map[string]int{}
	var all []sessionRow
	at := func(id string) *sessionRow {
		i, ok := index[id]
		if !ok {
			i = len(all)
			index[id] = i
			all = append(all, sessionRow{id: id})
		}
		return &all[i]
	}
	for _, s := range seen.Sessions {
		r := at(s.ID)
		r.Session = s
		r.saw(s.First)
		r.saw(s.Last)
	}
	sizes := map[string]int{}
	agents := map[[2]string]bool{}
	for _, m := range marks {
		r := at(m.Session)
		r.marks = append(r.marks, m)
		if who := [2]string{m.Session, m.Agent}; !agents[who] {
			agents[who] = true
			r.agents++
		}
		r.saved += instructions(m.File, sizes)
		r.saw(m.Time)
	}
	for i := range all {
		if r := &all[i]; r.Project == "" {
			r.Project = projectOf(r.marks, v.site.Runtime.Home)
		}
	}
	slices.SortStableFunc(all, func(a, b sessionRow) int { return b.last.Compare(a.last) })
	return all, nil
}

// saw notes that the session was active at a time.
func (r *sessionRow) saw(at time.Time) {
	if !at.IsZero() && (r.first.IsZero() || at.Before(r.first)) {
		r.first = at
	}
	if at.After(r.last) {
		r.last = at
	}
}

// projectOf returns the project of a session if one of the session's skills is in a project's
// folder.
func projectOf(marks []session.Mark, home string) string {
	for _, m := range marks {
		for _, folder := range []string{".claude", ".agents"} {
			project, _, ok := strings.Cut(filepath.ToSlash(m.File), "/"+folder+"/skills/")
			if ok && filepath.FromSlash(project) != home {
				return filepath.FromSlash(project)
			}
		}
	}
	return ""
}

// instructions estimates the number of tokens in a skill that a later use does not send again.
func instructions(file string, known map[string]int) int {
	if n, ok := known[file]; ok {
		return n
	}
	n := 0
	if src, err := os.ReadFile(file); err == nil && len(src) <= skill.MaxSize {
		s := skill.Parse(file, src)
		sections, err := s.Sections()
		for i, p := range s.Parts {
			fresh := p.Kind == skill.Directive || p.Kind == skill.Header || err == nil && sections.Output.Has(i)
			if !fresh {
				n += tokens(p.Source)
			}
		}
	}
	known[file] = n
	return n
}

func (v *visit) sessions() (*view, error) {
	rows, err := v.sessionRows()
	if err != nil {
		return nil, err
	}
	l := list[sessionRow]{view: "sessions", one: "session", what: "sessions", items: rows, usual: "-time", sorted: true}
	l.text = func(r sessionRow) string {
		return strings.Join(append([]string{r.id, r.Project, r.Agent}, r.skills()...), "\n")
	}
	l.watch = func(r sessionRow) []string { return v.sessionFolders(r.id) }
	l.columns = []column[sessionRow]{
		{key: "id", title: "Session", compare: by(sessionRow.name), cell: func(r sessionRow) cell {
			c := cell{Text: r.name(), Link: v.link("session", "id", r.id), Sub: term.Several(r.skills(), 4)}
			c.Title = strings.TrimSpace(v.near(r.Project) + " session " + r.id)
			return c
		}},
		{key: "agent", title: "Agent", fold: true, compare: by(func(r sessionRow) string { return r.Agent }),
			cell: func(r sessionRow) cell {
				return cell{Text: cmp.Or(r.Agent, "–")}
			}},
		{key: "duration", title: "Lasted", number: true,
			compare: by(func(r sessionRow) time.Duration { return r.last.Sub(r.first) }),
			cell: func(r sessionRow) cell {
				return cell{Text: r.duration(), Title: "from " + stamp(r.first) + " to " + stamp(r.last)}
			}},
		numbered("agents", "Readers", func(r sessionRow) int { return r.agents }),
		numbered("skills", "Skills", func(r sessionRow) int { return len(r.skills()) }),
		{key: "saved", title: "Not sent again", number: true, fold: true,
			compare: by(func(r sessionRow) int { return r.saved }),
			cell: func(r sessionRow) cell {
				if r.saved == 0 {
					return nothing
				}
				return cell{Text: "≈ " + thousands(r.saved),
					Title: "tokens saved by one later use of each skill"}
			}},
		{key: "cost", title: "Cost", number: true, fold: true,
			compare: by(func(r sessionRow) float64 { return r.Cost.Known() }),
			cell: func(r sessionRow) cell {
				return cell{Text: spent(r.Cost)}
			}},
		timed("time", "Last seen", func(r sessionRow) time.Time { return r.last }),
	}
	return &view{Name: "list", Tab: "sessions", Title: "Sessions", Data: &listData{Table: l.table(v),
		Lead:  "Skills that each agent has read. skillhand sends a skill in full again only after the session forgets it.",
		Empty: "No agent has read a skill in a session yet.",
		Hints: []string{"skillhand load NAME --session my-session"},
		Then:  "Inside Claude Code the plugin's hooks do this by themselves: see docs/sessions.md."}}, nil
}

func (r sessionRow) skills() []string {
	names := slices.Clone(r.Skills)
	for _, m := range r.marks {
		if !slices.Contains(names, m.Skill) { // several agents may have read it
			names = append(names, m.Skill)
		}
	}
	return names
}

// sessionFolders returns the folders where new marks of a session appear.
func (v *visit) sessionFolders(id string) []string {
	store := v.site.Runtime.Sessions()
	all := []string{filepath.Join(store.Dir, id)}
	if session.CheckID(id) != nil {
		return nil
	}
	for _, agent := range store.Agents(id) {
		if dir, err := store.Folder(agent); err == nil {
			all = append(all, dir)
		}
	}
	return all
}

// A listData is a view with a list.
type listData struct {
	Table *table
	Lead  string
	Facts [][2]string
	Note  string
	Back  *choice  // the list that leads here
	Empty string   // the text if the list is empty
	Hints []string // commands that change that
	Then  string
	Form  *batchForm

	Budget *budget  // of a batch, or nil
	Field  *squares // the jobs of a batch, or nil
}

func (v *visit) session() (*view, error) {
	id := v.query.Get("id")
	v.watch(false, v.sessionFolders(id)...)
	rows, err := v.sessionRows()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rows, func(r sessionRow) bool { return r.id == id })
	if i < 0 {
		return nil, errMissing{"There is no session " + id + "."}
	}
	r := rows[i]
	sizes := map[string]int{}
	l := list[session.Mark]{view: "session", keep: []string{"id"}, one: "skill read", what: "skills read", usual: "-time", items: r.marks}
	for _, name := range r.Skills { // read without skillhand
		if !slices.ContainsFunc(r.marks, func(m session.Mark) bool { return session.PlainName(m.Skill) == session.PlainName(name) }) {
			l.items = append(l.items, session.Mark{Session: id, Skill: name})
		}
	}
	l.text = func(m session.Mark) string { return m.Skill + "\n" + m.Agent + "\n" + m.File }
	l.columns = []column[session.Mark]{
		{key: "skill", title: "Skill", compare: by(func(m session.Mark) string { return m.Skill }),
			cell: func(m session.Mark) cell {
				if m.File == "" {
					return cell{Text: m.Skill, Sub: "by the agent's own tool", Link: v.link("skill", "skill", m.Skill, "tab", "usage")}
				}
				c := cell{Text: m.Skill, Sub: v.near(m.File)}
				if _, err := v.find(m.File); err == nil { // it may belong to another project, or not exist any more
					c.Link = v.link("skill", "skill", m.File, "use", "later")
				}
				return c
			}},
		{key: "agent", title: "Reader", fold: true, compare: by(func(m session.Mark) string { return m.Agent }),
			cell: func(m session.Mark) cell {
				return cell{Text: cmp.Or(m.Agent, "main")}
			}},
		{
			key: "saved", title: "Not sent again", number: true,
			compare: by(func(m session.Mark) int { return instructions(m.File, sizes) }),
			cell: func(m session.Mark) cell {
				if m.File == "" {
					return nothing
				}
				return cell{Text: "≈ " + thousands(instructions(m.File, sizes))}
			},
		},
		timed("time", "Read", func(m session.Mark) time.Time { return m.Time }),
	}
	facts := [][2]string{{"Project", cmp.Or(v.near(r.Project), "–")}, {"Lasted", r.duration()}, {"Last seen", stamp(r.last)}}
	if r.Agent != "" {
		facts = append(facts, [2]string{"Agent", strings.TrimSpace(r.Agent + " " + r.Version)}, [2]string{"Cost", spent(r.Cost)},
			[2]string{"Turns", thousands(r.Cost.Turns)})
	}
	return &view{Name: "list", Tab: "sessions", Title: r.title(), Data: &listData{
		Table: l.table(v), Facts: append(facts, [2]string{"Session", id}), Empty: "No skill was read in this session.",
		Back: &choice{Title: "Sessions", Link: v.link("sessions")},
	}}, nil
}
