package web

import (
	"cmp"
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

// A sessionRow is what one session has seen.
type sessionRow struct {
	id     string
	marks  []session.Mark // the latest first
	agents int
	saved  int // tokens that a further use of each skill would not send again

	project     string // the folder it was in; "": not known
	first, last time.Time
}

// name is what people know a session by.
func (r sessionRow) name() string {
	if r.project == "" {
		return "session " + r.id[:min(8, len(r.id))]
	}
	return filepath.Base(r.project)
}

func (r sessionRow) title() string {
	if r.project == "" {
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

// A markCache keeps what agents have seen: most sessions are over, and reading all of them takes long.
type markCache struct {
	mu    sync.Mutex
	known map[session.ID]keptMarks
}

type keptMarks struct {
	changed time.Time // when the agent's folder was
	marks   []session.Mark
}

// all lists what every agent of every session has seen, the latest first. What
// cannot be read was not seen.
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
		// A folder that changed just now may do so again without its time changing.
		if time.Since(changed) > 2*time.Second {
			known[id] = kept
		}
	}
	c.known = known
	slices.SortStableFunc(all, func(a, b session.Mark) int { return b.Time.Compare(a.Time) })
	return all, err
}

func changedAt(store session.Store, id session.ID) time.Time {
	if dir, err := store.Folder(id); err == nil {
		if info, err := os.Stat(dir); err == nil {
			return info.ModTime()
		}
	}
	return time.Now() // it is gone, or going
}

func (v *visit) sessionRows() ([]sessionRow, error) {
	v.watch(false, v.site.Runtime.SessionDir())
	marks, err := v.site.marks.all(v.site.Runtime.Sessions())
	if err != nil {
		return nil, err
	}
	index := map[string]int{}
	agents := map[[2]string]bool{}
	sizes := map[string]int{}
	var all []sessionRow
	for _, m := range marks {
		i, ok := index[m.Session]
		if !ok {
			i = len(all)
			index[m.Session] = i
			all = append(all, sessionRow{id: m.Session})
		}
		r := &all[i]
		r.marks = append(r.marks, m)
		if who := [2]string{m.Session, m.Agent}; !agents[who] {
			agents[who] = true
			r.agents++
		}
		r.saved += instructions(m.File, sizes)
		if r.last.IsZero() {
			r.last = m.Time
		}
		r.first = m.Time // the latest come first
	}
	return all, v.locate(all)
}

// locate says in which project each session was, and from when to when, as far as runs, asks and transcripts tell.
func (v *visit) locate(all []sessionRow) error {
	at := map[string]*sessionRow{}
	for i := range all {
		at[all[i].id] = &all[i]
	}
	add := func(id, project string, first, last time.Time) {
		r := at[id]
		if r == nil {
			return
		}
		r.project = cmp.Or(r.project, project)
		if first.Before(r.first) && !first.IsZero() {
			r.first = first
		}
		if last.After(r.last) {
			r.last = last
		}
	}
	_, err := activity.Store{Dir: v.site.Runtime.HistoryDir()}.Each(activity.Query{}, func(r *activity.Record) {
		if r.Session != "" {
			add(r.Session, r.Project, r.Time, r.Time)
		}
	})
	if seen, err := activity.Read(v.site.Runtime.Here, activity.Options{IndexOnly: true}); err == nil { // else nobody knows more
		for _, s := range seen.Sessions {
			add(s.ID, s.Project, s.First, s.Last)
		}
	}
	for i := range all {
		if r := &all[i]; r.project == "" {
			r.project = projectOf(r.marks, v.site.Runtime.Home)
		}
	}
	return err
}

// projectOf is the folder that the skills of a session lie in, if one of them is a project's.
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

// instructions is about how many tokens of a skill are not sent at a later use.
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
		var b strings.Builder
		b.WriteString(r.id + "\n" + r.project)
		for _, m := range r.marks {
			b.WriteString("\n" + m.Skill)
		}
		return b.String()
	}
	l.watch = func(r sessionRow) []string { return v.sessionFolders(r.id) }
	l.columns = []column[sessionRow]{
		{key: "id", title: "Session", compare: by(sessionRow.name), cell: func(r sessionRow) cell {
			return cell{Text: r.name(), Title: strings.TrimSpace(v.near(r.project) + " session " + r.id), Link: v.link("session", "id", r.id), Sub: skillNames(r.marks)}
		}},
		{key: "duration", title: "Lasted", number: true, compare: by(func(r sessionRow) time.Duration { return r.last.Sub(r.first) }), cell: func(r sessionRow) cell {
			return cell{Text: r.duration(), Title: "from " + stamp(r.first) + " to " + stamp(r.last)}
		}},
		numbered("agents", "Agents", func(r sessionRow) int { return r.agents }),
		numbered("skills", "Skills seen", func(r sessionRow) int { return len(r.marks) }),
		{key: "saved", title: "Not sent again", number: true, compare: by(func(r sessionRow) int { return r.saved }), cell: func(r sessionRow) cell {
			return cell{Text: "≈ " + thousands(r.saved), Title: "tokens that one further use of each of these skills does not send again"}
		}},
		timed("time", "Last load", func(r sessionRow) time.Time { return r.marks[0].Time }),
	}
	return &view{Name: "list", Tab: "sessions", Title: "Sessions", Data: &listData{Table: l.table(v),
		Lead:  "What each agent has read. A skill that an agent has read is not sent whole again until the session forgets it.",
		Empty: "No agent has read a skill in a session yet.",
		Hints: []string{"skillhand load NAME --session my-session"},
		Then:  "Inside Claude Code the plugin's hooks do this by themselves: see docs/sessions.md."}}, nil
}

// sessionFolders are where further marks of a session come.
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

func skillNames(marks []session.Mark) string {
	var names []string
	for _, m := range marks {
		if !slices.Contains(names, m.Skill) { // several agents may have read it
			names = append(names, m.Skill)
		}
	}
	return term.Several(names, 4)
}

// listData is a view that is a list alone.
type listData struct {
	Table *table
	Lead  string
	Facts [][2]string
	Empty string   // what to say if there is nothing
	Hints []string // commands that change that
	Then  string
	Form  *batchForm

	Budget *budget  // of a batch, or nil
	Field  *squares // its jobs, or nil
}

func (v *visit) session() (*view, error) {
	id := v.query.Get("id")
	v.watch(false, v.sessionFolders(id)...)
	l := list[session.Mark]{view: "session", keep: []string{"id"}, one: "skill seen", what: "skills seen", usual: "-time"}
	store := v.site.Runtime.Sessions()
	for _, agent := range store.Agents(id) {
		marks, err := store.Marks(agent)
		if err != nil {
			return nil, err
		}
		l.items = append(l.items, marks...)
	}
	if len(l.items) == 0 {
		return nil, errMissing{"No session " + id + " is remembered."}
	}
	sizes := map[string]int{}
	l.text = func(m session.Mark) string { return m.Skill + "\n" + m.Agent + "\n" + m.File }
	l.columns = []column[session.Mark]{
		{key: "skill", title: "Skill", compare: by(func(m session.Mark) string { return m.Skill }), cell: func(m session.Mark) cell {
			c := cell{Text: m.Skill, Sub: v.near(m.File)}
			if _, err := v.find(m.File); err == nil { // it may be of another project, or gone
				c.Link = v.link("preview", "skill", m.File, "use", "later")
			}
			return c
		}},
		{key: "agent", title: "Agent", compare: by(func(m session.Mark) string { return m.Agent }), cell: func(m session.Mark) cell {
			return cell{Text: cmp.Or(m.Agent, "main")}
		}},
		{
			key: "saved", title: "Not sent again", number: true,
			compare: by(func(m session.Mark) int { return instructions(m.File, sizes) }),
			cell:    func(m session.Mark) cell { return cell{Text: "≈ " + thousands(instructions(m.File, sizes))} },
		},
		timed("time", "Read", func(m session.Mark) time.Time { return m.Time }),
	}
	one := []sessionRow{{id: id, marks: l.items}}
	for _, m := range l.items {
		if r := &one[0]; r.first.IsZero() || m.Time.Before(r.first) {
			r.first = m.Time
		}
		if r := &one[0]; m.Time.After(r.last) {
			r.last = m.Time
		}
	}
	if err := v.locate(one); err != nil {
		return nil, err
	}
	r := one[0]
	facts := [][2]string{{"Project", cmp.Or(v.near(r.project), "–")}, {"Lasted", r.duration()}, {"Last load", stamp(r.last)}, {"Session", id}}
	return &view{Name: "list", Tab: "sessions", Title: r.title(), Data: &listData{Table: l.table(v), Facts: facts}}, nil
}
