// Package activity answers one question: what happened here?
//
// It reads the transcripts that agents leave on this machine and the history that skillhand keeps,
// and makes one account of both. Usage, status, retrospective, status line and dashboard are views
// of that account. From transcripts it keeps names, counts, tokens and times in an index, but no
// text. It writes nothing to the folders where an agent keeps its files.
package activity

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/session"
)

// Options select part of the activity. The zero value selects everything.
type Options struct {
	Since   time.Time // from this day on; zero means all
	Until   time.Time // before this day; zero means until now
	Project string    // in this folder or below it
	Agent   string    // one of Agents
	Skill   string    // only this skill; the total still covers everything
	Session string    // only this session

	Installed []Installed    // the skills on this machine, for Advice about skills that no transcript names
	IndexOnly bool           // use only the index and read no transcript
	Loads     []session.Mark // the skills that agents loaded through skillhand; nil: Read reads the sessions
	Runs      []SkillRun     // the skills that skillhand ran; nil: Read reads the history
}

// An Account reports what happened to skills. schemas/usage-v1.schema.json describes it.
type Account struct {
	Since    string    `json:"since"`    // the first day of the period; empty means all
	Sessions []Session `json:"sessions"` // the latest first
	Skills   []Skill   `json:"skills"`   // the most expensive first
	Rest     Cost      `json:"rest"`     // the cost of requests that belong to no skill
	Total    Cost      `json:"total"`    // of all skills and the rest
	Days     []Day     `json:"days"`     // in order, without the days that have no session
	Advice   []Advice  `json:"advice"`
	Story    []Fire    `json:"story,omitempty"` // with Options.Skill: the skill's latest calls, the latest first

	Prices   string    `json:"prices"`   // the date of the price table
	Unpriced []string  `json:"unpriced"` // models without a price and without a recorded cost
	Skipped  []Skipped `json:"skipped"`  // transcripts in an unknown format
	Read     int64     `json:"read"`     // the number of new bytes that were read
	Damaged  int       `json:"damaged"`  // the number of unreadable lines

	Faults []error `json:"-"` // errors about files that could not be read

	uses map[string]Use // by the name of a skill, or by its file
}

// A Skipped counts transcripts of an agent that no reader understands.
type Skipped struct {
	Agent   string `json:"agent"`
	Version string `json:"version"` // "" if the transcripts do not name it
	Files   int    `json:"files"`
	First   string `json:"first"` // the path of the first file
}

// String returns the warning about these transcripts.
func (s Skipped) String() string {
	who := s.Agent
	if s.Version != "" {
		who += " " + s.Version
	}
	if s.Files == 1 {
		return fmt.Sprintf("skipped a transcript of %s, whose format is unknown: %s", who, s.First)
	}
	return fmt.Sprintf("skipped %d transcripts of %s, whose format is unknown: %s and others", s.Files, who, s.First)
}

// A Cost is the cost of a set of requests.
type Cost struct {
	USD      *float64 `json:"cost_usd"`        // the known part; null means that no part is known
	Unpriced int64    `json:"unpriced_tokens"` // tokens whose cost is unknown
	Turns    int      `json:"turns"`
	Text     Tokens   `json:"text"` // tokens of skills' own texts, counted again for each request that carried them
	TextUSD  float64  `json:"text_usd"`
	Work     Tokens   `json:"work"` // the remaining tokens of the requests from a skill's delivery to the next skill or prompt
	WorkUSD  float64  `json:"work_usd"`
}

// Counts say how often each event happened to a skill.
type Counts struct {
	Offered   int `json:"offered"` // sessions whose list of skills had it
	Bare      int `json:"bare"`    // sessions whose list had its name but not its description
	ByModel   int `json:"by_model"`
	ByPerson  int `json:"by_person"`
	Delivered int `json:"delivered"`
	Refused   int `json:"refused"`           // by a rule, a person, or the skill's own frontmatter
	Failed    int `json:"failed"`            // its page could not be rendered
	Blocked   int `json:"blocked,omitempty"` // the failures where no rule allows a command on its page
	Unknown   int `json:"unknown"`           // no skill has this name
	Forked    int `json:"forked"`
	Subagent  int `json:"subagent"`  // deliveries to a subagent
	Compacted int `json:"compacted"` // compaction removed its text from the context
	Restored  int `json:"restored"`  // the agent itself restored it
	Reloaded  int `json:"reloaded"`  // it was called again after compaction
}

func (c *Counts) add(what string) {
	switch what {
	case called:
		c.ByModel++
	case typed:
		c.ByPerson++
	case delivered:
		c.Delivered++
	case refused:
		c.Refused++
	case failed:
		c.Failed++
	case blocked:
		c.Failed++
		c.Blocked++
	case unknown:
		c.Unknown++
	case forked:
		c.Forked++
	case subagent:
		c.Subagent++
	case compacted:
		c.Compacted++
	case restored:
		c.Restored++
	case reloaded:
		c.Reloaded++
	}
}

// Fired returns how often the skill was called.
func (c Counts) Fired() int { return c.ByModel + c.ByPerson }

// A Skill reports what happened to one skill.
type Skill struct {
	Name   string         `json:"name"`
	Counts Counts         `json:"counts"`
	Cost   Cost           `json:"cost"`
	Gate   *Gates         `json:"gate,omitempty"`    // nil: the skill's gate never ran
	LostTo map[string]int `json:"lost_to,omitempty"` // calls by a person right after the model had chosen another skill, by that skill
	Last   time.Time      `json:"last,omitzero"`     // when it was last called, run or loaded, with any outcome
	Agents []string       `json:"agents"`
	Days   []Day          `json:"days"`
}

// Gates counts how often a skill's checks passed when an agent stopped.
type Gates struct {
	First    int `json:"first"`    // without a reminder
	Reminded int `json:"reminded"` // after one or more reminders
	Never    int `json:"never"`    // skillhand let the agent stop anyway
}

func (g *Gates) add(more Gates) {
	g.First, g.Reminded, g.Never = g.First+more.First, g.Reminded+more.Reminded, g.Never+more.Never
}

// gate returns the outcome of a gate, or nil if the record is about something else.
func (r *Record) gate() *Gates {
	switch {
	case r.Kind != Gate:
		return nil
	case !r.OK:
		return &Gates{Never: 1}
	case r.Reminders > 0:
		return &Gates{Reminded: 1}
	}
	return &Gates{First: 1}
}

// String returns the counts in words.
func (g *Gates) String() string {
	return fmt.Sprintf("passed %d at once, %d after a reminder, %d never", g.First, g.Reminded, g.Never)
}

// PerCall returns the cost of one delivery of the skill. known is false if the cost is unknown.
func (s Skill) PerCall() (usd float64, known bool) {
	if s.Counts.Delivered == 0 || s.Cost.USD == nil {
		return 0, false
	}
	return *s.Cost.USD / float64(s.Counts.Delivered), true
}

// Unused reports whether agents offered the skill to a model but it was never used.
func (s Skill) Unused() bool { return s.Counts.Offered > 0 && s.Last.IsZero() }

// A Fire is an event of a skill.
type Fire struct {
	ID      string    `json:"id"` // identifies the event for Case
	Time    time.Time `json:"time"`
	What    string    `json:"what"` // delivered, refused, failed, blocked or compacted
	Agent   string    `json:"agent"`
	Session string    `json:"session"`
	Project string    `json:"project"`

	file string
	said int64
}

// A Day reports the activity of one skill, or of all skills, on a day.
type Day struct {
	Day   string `json:"day"`
	Fired int    `json:"fired"`
	Cost  Cost   `json:"cost"`
}

// A Session is one conversation, including its subagents.
type Session struct {
	ID      string    `json:"id"`
	Agent   string    `json:"agent"`
	Project string    `json:"project"`
	Version string    `json:"version"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	Skills  []string  `json:"skills"` // delivered
	Cost    Cost      `json:"cost"`
}

// Read returns an account of the transcripts and the history on this machine. It reads the new
// parts of the transcripts and adds them to the index.
func Read(h here.Here, o Options) (*Account, error) {
	h, err := h.Complete()
	if err != nil {
		return nil, err
	}
	all, err := folders(h, o.Agent)
	if err != nil {
		return nil, err
	}
	r, a := readFolders(all, o)
	if err := a.addUses(h, o); err != nil {
		a.Faults = append(a.Faults, err)
	}
	a.Advice = append(a.Advice, r.advise(a, o.Installed)...)
	return a, nil
}

// readFolders returns an account of the transcripts in the folders, without advice.
func readFolders(all []*folder, o Options) (*accountant, *Account) {
	var read int64
	var faults []error
	if o.IndexOnly {
		loadAll(all)
	} else {
		read, faults = refresh(all)
		if err := save(all); err != nil {
			faults = append(faults, err)
		}
	}
	r := newAccountant(o)
	for _, f := range all {
		r.add(f)
	}
	a := r.account()
	a.Read, a.Faults = read, faults
	return r, a
}

// An accountant adds up tallies.
type accountant struct {
	o        Options
	since    string
	until    string
	lists    map[string][]Listed
	files    []*tallied
	groups   map[string]*group
	skills   map[string]*Skill
	days     map[[2]string]*Day // by skill and day; the skill "" means all
	rest     Cost
	total    Cost
	sessions []Session
	unpriced map[string]bool
	damaged  int
	skipped  []Skipped
	story    []Fire
	chances  []chance
	dates    map[int64]string // days, by quarter of an hour
}

// A tallied file is a tally with the parts that count in this file: other files may have copies of
// the same lines.
type tallied struct {
	*tally
	path   string
	turns  []bool // for each of Turns: it counts in this file
	events []bool // for each of Events: it counts in this file
	copied bool   // part of the file counts in another file
}

// A group is the files of one session.
type group struct {
	main  *tallied
	files []*tallied
}

func newAccountant(o Options) *accountant {
	r := &accountant{
		o: o, lists: map[string][]Listed{}, groups: map[string]*group{}, skills: map[string]*Skill{}, days: map[[2]string]*Day{},
		unpriced: map[string]bool{}, dates: map[int64]string{},
	}
	if !o.Since.IsZero() {
		r.since = o.Since.Local().Format(time.DateOnly)
	}
	if !o.Until.IsZero() {
		r.until = o.Until.Local().Format(time.DateOnly)
	}
	return r
}

func (r *accountant) add(f *folder) {
	maps.Copy(r.lists, f.shard.Lists)
	for _, name := range slices.Sorted(maps.Keys(f.shard.Files)) {
		e := f.shard.Files[name]
		path := filepath.Join(f.dir, name)
		if e.strange() {
			r.skip(e, path)
			continue
		}
		r.damaged += e.Damaged
		r.addTally(e.Tally, path)
	}
}

// skip notes a file that no reader understands if it changed during the period.
func (r *accountant) skip(e *indexed, file string) {
	if time.Unix(0, e.Changed).Before(r.o.Since) {
		return
	}
	i := slices.IndexFunc(r.skipped, func(s Skipped) bool { return s.Agent == e.Tally.Agent && s.Version == e.Tally.Version })
	if i < 0 {
		i = len(r.skipped)
		r.skipped = append(r.skipped, Skipped{Agent: e.Tally.Agent, Version: e.Tally.Version, First: file})
	}
	r.skipped[i].Files++
}

func (r *accountant) addTally(t *tally, path string) {
	r.files = append(r.files, &tallied{tally: t, path: path})
}

// claim decides in which file each request and each event counts: the first file that has it. A
// session that was copied, by a fork, a branch or cp, keeps the ids of its messages and lines.
func (r *accountant) claim() {
	slices.SortStableFunc(r.files, func(a, b *tallied) int {
		return cmp.Or(a.First.Compare(b.First), compareBool(a.Branch, b.Branch), a.Last.Compare(b.Last), strings.Compare(a.path, b.path))
	})
	seen := map[uint64]bool{}
	for _, f := range r.files {
		f.turns, f.events = make([]bool, len(f.Turns)), make([]bool, len(f.Events))
		for i, t := range f.Turns {
			f.turns[i] = !seen[t.Key]
			f.copied = f.copied || seen[t.Key]
			seen[t.Key] = true
		}
		same := map[uint64]uint64{} // how many events of one kind precede the same turn
		for i, e := range f.Events {
			f.events[i] = !seen[e.Key]
			seen[e.Key] = true
			if e.Call || e.Turn >= len(f.Turns) {
				continue
			}
			// Some versions gave copied lines new ids but kept the ids of messages.
			next := keyOf(e.What, e.Skill, fmt.Sprint(f.Turns[e.Turn].Key))
			same[next]++
			next += same[next]
			f.events[i] = f.events[i] && !seen[next]
			seen[next] = true
		}
		key := f.Agent + "\x00" + f.Session
		g := r.groups[key]
		if g == nil {
			g = &group{}
			r.groups[key] = g
		}
		g.files = append(g.files, f)
		if f.AgentID == "" && g.main == nil {
			g.main = f
		}
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// account adds up all files.
func (r *accountant) account() *Account {
	r.claim()
	for _, key := range slices.Sorted(maps.Keys(r.groups)) {
		g := r.groups[key]
		if g.main == nil {
			g.main = g.files[0] // the session's own file does not exist any more
		}
		if r.wants(g.main.tally) {
			r.session(g)
		}
	}
	a := &Account{
		Since: r.since, Sessions: r.sessions, Rest: r.rest, Total: r.total,
		Prices: claudecode.PricesOf, Damaged: r.damaged, Advice: []Advice{},
		Skipped: append([]Skipped{}, r.skipped...),
		Story:   r.story, Unpriced: append([]string{}, slices.Sorted(maps.Keys(r.unpriced))...), Skills: []Skill{}, Days: []Day{},
	}
	if a.Sessions == nil {
		a.Sessions = []Session{}
	}
	for _, key := range slices.SortedFunc(maps.Keys(r.days), func(a, b [2]string) int { return strings.Compare(a[1], b[1]) }) {
		days := &a.Days
		if key[0] != "" {
			days = &r.skills[key[0]].Days
		}
		*days = append(*days, *r.days[key])
	}
	for _, s := range r.skills {
		slices.Sort(s.Agents)
		if r.o.Skill == "" || s.Name == r.o.Skill {
			a.Skills = append(a.Skills, *s)
		}
	}
	slices.SortFunc(a.Skills, func(a, b Skill) int {
		return cmp.Or(cmp.Compare(b.Cost.Known(), a.Cost.Known()), cmp.Compare(b.Counts.Fired(), a.Counts.Fired()),
			strings.Compare(a.Name, b.Name))
	})
	slices.SortFunc(a.Story, func(a, b Fire) int { return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.ID, b.ID)) })
	a.Story = a.Story[:min(len(a.Story), maxStory)]
	slices.SortFunc(a.Sessions, func(a, b Session) int { return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.ID, b.ID)) })
	return a
}

func (r *accountant) wants(t *tally) bool {
	if r.o.Session != "" && t.Session != r.o.Session {
		return false
	}
	return r.o.Project == "" || files.Inside(r.o.Project, t.Project)
}

func (r *accountant) counts(day string) bool {
	return day >= r.since && (r.until == "" || day < r.until)
}

// dayOf returns the local day of a time in Unix milliseconds.
func (r *accountant) dayOf(ms int64) string {
	hour := ms / int64(15*time.Minute/time.Millisecond) // in no time zone is midnight within a quarter of an hour
	day, ok := r.dates[hour]
	if !ok {
		day = time.UnixMilli(ms).Local().Format(time.DateOnly)
		r.dates[hour] = day
	}
	return day
}
