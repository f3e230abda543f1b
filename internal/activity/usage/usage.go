// Package usage answers one question: what did agents do with skills? It reads the transcripts that agents leave on
// this machine, and keeps names, counts, tokens and times of them in an index, never a text. It writes nothing where
// an agent keeps its files.
package usage

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/paths"
)

// Options say what to look at. The zero value is everything.
type Options struct {
	Since   time.Time // what happened on this day and later; zero means all
	Until   time.Time // before this day; zero means now
	Project string    // in this folder or below
	Agent   string    // one of Agents
	Skill   string    // this skill alone; the total stays that of everything
	Session string    // one session

	Installed []Installed // skills that are here, for Advice about those that no transcript names
	IndexOnly bool        // read no transcript, only what the index knows
}

// A Report is what agents did with skills. It is described by schemas/usage-v1.schema.json.
type Report struct {
	Since    string    `json:"since"`    // the first day that counts; empty means all
	Sessions []Session `json:"sessions"` // the latest first
	Skills   []Skill   `json:"skills"`   // the most expensive first
	Rest     Cost      `json:"rest"`     // what no skill cost
	Total    Cost      `json:"total"`    // of all skills and the rest
	Days     []Day     `json:"days"`     // in order; a day without a session is left out
	Advice   []Advice  `json:"advice"`
	Story    []Fire    `json:"story,omitempty"` // with Options.Skill: its last calls, the latest first

	Prices   string    `json:"prices"`   // the day of the price table
	Unpriced []string  `json:"unpriced"` // models without a price and without a recorded cost
	Skipped  []Skipped `json:"skipped"`  // transcripts in a format that is not known
	Read     int64     `json:"read"`     // bytes that were new
	Damaged  int       `json:"damaged"`  // lines that cannot be read

	Faults []error `json:"-"` // files that could not be read
}

// A Skipped is transcripts of an agent that no reader understands.
type Skipped struct {
	Agent   string `json:"agent"`
	Version string `json:"version"` // "" means that they do not say
	Files   int    `json:"files"`
	First   string `json:"first"` // one of them
}

// String says so.
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

// A Cost is what requests took.
type Cost struct {
	USD      *float64 `json:"cost_usd"`        // as far as it is known; null means not at all
	Unpriced int64    `json:"unpriced_tokens"` // tokens whose cost is unknown
	Turns    int      `json:"turns"`
	Text     Tokens   `json:"text"` // tokens of skills' own texts, again with each request that carried them
	TextUSD  float64  `json:"text_usd"`
	Work     Tokens   `json:"work"` // the rest of the requests from a skill's delivery to the next skill or prompt
	WorkUSD  float64  `json:"work_usd"`
}

// Counts are what happened to a skill.
type Counts struct {
	Offered   int `json:"offered"` // sessions whose list had it
	Bare      int `json:"bare"`    // sessions whose list had its name without its description
	ByModel   int `json:"by_model"`
	ByPerson  int `json:"by_person"`
	Delivered int `json:"delivered"`
	Refused   int `json:"refused"` // by a rule, a person, or the skill's own frontmatter
	Failed    int `json:"failed"`  // it could not be loaded
	Unknown   int `json:"unknown"` // no skill has this name
	Forked    int `json:"forked"`
	Subagent  int `json:"subagent"`  // deliveries to a subagent
	Compacted int `json:"compacted"` // its text was taken out of the context
	Restored  int `json:"restored"`  // the agent brought it back by itself
	Reloaded  int `json:"reloaded"`  // it was called again after that
}

// each are all of them.
func (c *Counts) each() [13]*int {
	return [...]*int{
		&c.Offered, &c.Bare, &c.ByModel, &c.ByPerson, &c.Delivered, &c.Refused, &c.Failed, &c.Unknown, &c.Forked, &c.Subagent, &c.Compacted, &c.Restored,
		&c.Reloaded,
	}
}

// add adds others.
func (c *Counts) add(more Counts) {
	for i, n := range more.each() {
		*c.each()[i] += *n
	}
}

// Fired is how often it was called.
func (c Counts) Fired() int { return c.ByModel + c.ByPerson }

// A Skill is what agents did with one.
type Skill struct {
	Name   string         `json:"name"`
	Counts Counts         `json:"counts"`
	Cost   Cost           `json:"cost"`
	LostTo map[string]int `json:"lost_to,omitempty"` // a person called it right after the model had chosen this one
	Last   time.Time      `json:"last,omitzero"`     // delivered
	Agents []string       `json:"agents"`
	Days   []Day          `json:"days"`
}

// A Fire is one thing that happened to a skill.
type Fire struct {
	ID      string    `json:"id"` // for Case
	Time    time.Time `json:"time"`
	What    string    `json:"what"` // delivered, refused, failed or compacted
	Agent   string    `json:"agent"`
	Session string    `json:"session"`
	Project string    `json:"project"`

	file string
	said int64
}

// A Day is what a skill did on a day, or all of them.
type Day struct {
	Day   string `json:"day"`
	Fired int    `json:"fired"`
	Cost  Cost   `json:"cost"`
}

// A Session is one conversation, its subagents included.
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

// Read looks at the transcripts on this machine, and reports what they say. It reads what is new, and keeps that in
// the index.
func Read(h here.Here, o Options) (*Report, error) {
	h, err := h.Complete()
	if err != nil {
		return nil, err
	}
	all, err := folders(h, o.Agent)
	if err != nil {
		return nil, err
	}
	return report(all, o), nil
}

// report says what the transcripts in some folders say.
func report(all []*folder, o Options) *Report {
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
	r := newReporter(o)
	for _, f := range all {
		r.add(f)
	}
	report := r.report()
	report.Advice = append(report.Advice, r.advise(report, o.Installed)...)
	report.Read, report.Faults = read, faults
	return report
}

// A reporter sums tallies up.
type reporter struct {
	o        Options
	since    string
	until    string
	lists    map[string][]Listed
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
}

// A group is the files of one session.
type group struct {
	main  *tally
	files []*tally
}

func newReporter(o Options) *reporter {
	r := &reporter{
		o: o, lists: map[string][]Listed{}, groups: map[string]*group{}, skills: map[string]*Skill{}, days: map[[2]string]*Day{},
		unpriced: map[string]bool{},
	}
	if !o.Since.IsZero() {
		r.since = o.Since.Local().Format(time.DateOnly)
	}
	if !o.Until.IsZero() {
		r.until = o.Until.Local().Format(time.DateOnly)
	}
	return r
}

func (r *reporter) add(f *folder) {
	maps.Copy(r.lists, f.shard.Lists)
	for _, name := range slices.Sorted(maps.Keys(f.shard.Files)) {
		e := f.shard.Files[name]
		if e.strange() {
			r.skip(e, filepath.Join(f.dir, name))
			continue
		}
		r.damaged += e.Damaged
		r.tell(e, filepath.Join(f.dir, name))
		r.addTally(e.Tally)
	}
}

// skip notes a file that no reader understands, if it is of the period.
func (r *reporter) skip(e *indexed, file string) {
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

func (r *reporter) addTally(t *tally) {
	key := t.Agent + "\x00" + t.Session
	g := r.groups[key]
	if g == nil {
		g = &group{}
		r.groups[key] = g
	}
	g.files = append(g.files, t)
	if t.AgentID == "" {
		g.main = t
	}
}

func (r *reporter) report() *Report {
	for _, key := range slices.Sorted(maps.Keys(r.groups)) {
		g := r.groups[key]
		if g.main == nil {
			g.main = g.files[0] // the session's own file is gone
		}
		if r.wanted(g.main) && slices.ContainsFunc(g.files, func(t *tally) bool { return t.lastDay() >= r.since }) {
			r.session(g)
		}
	}
	report := &Report{
		Since: r.since, Sessions: r.sessions, Rest: r.rest, Total: r.total, Prices: claudecode.PricesOf, Damaged: r.damaged, Advice: []Advice{},
		Skipped: append([]Skipped{}, r.skipped...),
		Story:   r.story, Unpriced: append([]string{}, slices.Sorted(maps.Keys(r.unpriced))...), Skills: []Skill{}, Days: []Day{},
	}
	if report.Sessions == nil {
		report.Sessions = []Session{}
	}
	for _, key := range slices.SortedFunc(maps.Keys(r.days), func(a, b [2]string) int { return strings.Compare(a[1], b[1]) }) {
		days := &report.Days
		if key[0] != "" {
			days = &r.skills[key[0]].Days
		}
		*days = append(*days, *r.days[key])
	}
	for _, s := range r.skills {
		slices.Sort(s.Agents)
		if r.o.Skill == "" || s.Name == r.o.Skill {
			report.Skills = append(report.Skills, *s)
		}
	}
	slices.SortFunc(report.Skills, func(a, b Skill) int {
		return cmp.Or(cmp.Compare(b.Cost.known(), a.Cost.known()), cmp.Compare(b.Counts.Fired(), a.Counts.Fired()), strings.Compare(a.Name, b.Name))
	})
	slices.SortFunc(report.Story, func(a, b Fire) int { return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.ID, b.ID)) })
	slices.SortFunc(report.Sessions, func(a, b Session) int { return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.ID, b.ID)) })
	return report
}

func (r *reporter) wanted(t *tally) bool {
	if r.o.Session != "" && t.Session != r.o.Session {
		return false
	}
	return r.o.Project == "" || paths.Inside(r.o.Project, t.Project)
}

func (r *reporter) counts(day string) bool { return day >= r.since && (r.until == "" || day < r.until) }
