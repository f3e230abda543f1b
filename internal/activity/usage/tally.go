package usage

import (
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Tokens counts what requests took.
type Tokens struct {
	Input       int64 `json:"input,omitzero"`
	Output      int64 `json:"output,omitzero"`
	CacheRead   int64 `json:"cache_read,omitzero"`
	CacheWrite  int64 `json:"cache_write,omitzero"`    // kept for five minutes
	CacheWrite1 int64 `json:"cache_write_1h,omitzero"` // kept for an hour
}

// Sum is all of them.
func (t Tokens) Sum() int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite + t.CacheWrite1 }

func (t Tokens) plus(u Tokens) Tokens {
	return Tokens{t.Input + u.Input, t.Output + u.Output, t.CacheRead + u.CacheRead, t.CacheWrite + u.CacheWrite, t.CacheWrite1 + u.CacheWrite1}
}

func (t Tokens) minus(u Tokens) Tokens {
	return Tokens{t.Input - u.Input, t.Output - u.Output, t.CacheRead - u.CacheRead, t.CacheWrite - u.CacheWrite, t.CacheWrite1 - u.CacheWrite1}
}

// most has the larger of each kind.
func (t Tokens) most(u Tokens) Tokens {
	return Tokens{
		max(t.Input, u.Input), max(t.Output, u.Output), max(t.CacheRead, u.CacheRead), max(t.CacheWrite, u.CacheWrite),
		max(t.CacheWrite1, u.CacheWrite1),
	}
}

// A tally is what one file says so far: sums by day, and the state that the next line needs. It holds names, counts
// and times, and no text.
type tally struct {
	Agent   string
	Session string
	Project string
	Version string
	Known   bool      // a line is of a kind that the reader knows
	Born    time.Time // the first time that the file names
	Copied  bool      // the file begins with a copy of another session
	First   time.Time
	Last    time.Time

	Sums  []sums            // by day and skill
	Lists map[string]string // list of offered skills → first day
	Paid  map[string]paid   // model → what the agent recorded for the whole session

	// A subagent's file.
	AgentID string
	Spawn   string            // the call that started it
	Fork    string            // the skill that it is a fork of
	Spawns  map[string]string // calls of this file that start subagents → the skill at work then
	Claimed []string

	state state // what the next line needs

	lists map[string][]Listed
	now   time.Time // of the line
	copy  bool      // the line is a copy from another session: it says what is in the context, and counts there
	line  int64     // where the line begins
	spans func(span)

	message record // the last one: room for the next
}

// A state is what the next line of a file needs, and the story so far.
type state struct {
	Active string            // the skill at work
	Chosen string            // the skill that the model chose for the last prompt
	Before string            // the same for the prompt before
	Texts  []held            // skills' texts in the context
	Gone   map[string]bool   // skills whose text compaction took
	Calls  map[string]string // calls without a result → skill
	Person string            // a command that a person gave, before its text arrived
	Seen   Tokens            // all requests so far
	Model  string            // where lines do not name it
	Recent []seen            // the last requests
	Said   int64             // where the last prompt's line begins
	Fires  []fire            // the last calls
	Bulk   int               // the size of a fork's text, before its name is known
}

// A fire is a call of a skill, and where the prompt before it is.
type fire struct {
	Skill string
	At    int64 // Unix
	Said  int64
	How   string
}

// A sums is what a skill did on a day.
type sums struct {
	Day    string
	Skill  string // "" means the rest
	Counts Counts // but for lists: see tally.Lists
	Turns  int
	LostTo map[string]int
	Last   int64 // of the last delivery, Unix
	Text   []spent
	Work   []spent
}

// A spent is what a model took.
type spent struct {
	Model  string
	Tokens Tokens
}

// A paid is what an agent recorded.
type paid struct {
	Tokens Tokens
	USD    float64
}

// A held text is in the context, and is paid for with each request.
type held struct {
	Skill  string
	Tokens int64
	Fresh  bool // no request has carried it yet
}

// A seen request was counted. Another line about it may have larger figures.
type seen struct {
	ID     uint64
	Tokens Tokens
	Skill  string
	Day    string
}

// Listed is a skill in a list that a model was given.
type Listed struct {
	Name string
	Bare bool // without its description
}

const (
	// slack is how much older than its file's first line a session's own line may be: lines are written
	// some milliseconds out of order. A copy is of a session that ended before this one's program began,
	// and that takes several hundred to start.
	slack = 200 * time.Millisecond

	maxRecent = 32
	maxFires  = 64
	maxCalls  = 256     // calls that never get a result are forgotten
	textOf    = "text:" // before the id of a call that delivered: its text follows
)

// at sets the time of what follows.
func (t *tally) at(when time.Time) {
	if when.IsZero() {
		return
	}
	when = when.UTC()
	t.now = when
	if t.Born.IsZero() {
		t.Born = when
	}
	if t.copy = when.Before(t.Born.Add(-slack)); t.copy {
		t.Copied = true
		return
	}
	if t.First.IsZero() || when.Before(t.First) {
		t.First = when
	}
	if when.After(t.Last) {
		t.Last = when
	}
}

func (t *tally) day() string { return t.time().Local().Format(time.DateOnly) }

func (t *tally) time() time.Time {
	if t.now.IsZero() {
		return t.Last
	}
	return t.now
}

// of is a skill's sums today. The pointer is good until the next call.
func (t *tally) of(skill string) *sums { return t.on(t.day(), skill) }

func (t *tally) on(day, skill string) *sums {
	if t.copy {
		return &sums{}
	}
	for i := len(t.Sums) - 1; i >= 0; i-- {
		if s := &t.Sums[i]; s.Skill == skill && s.Day == day {
			return s
		}
	}
	t.Sums = append(t.Sums, sums{Day: day, Skill: skill})
	return &t.Sums[len(t.Sums)-1]
}

// offered notes a list that the model was given.
func (t *tally) offered(list []Listed) {
	if len(list) == 0 || t.copy {
		return
	}
	h := fnv.New64a()
	for _, l := range list {
		h.Write([]byte(l.Name))
		h.Write([]byte{0, byte(len(strconv.FormatBool(l.Bare)))})
	}
	id := strconv.FormatUint(h.Sum64(), 36)
	if t.Lists == nil {
		t.Lists = map[string]string{}
	}
	if _, known := t.Lists[id]; !known {
		t.Lists[id] = t.day()
	}
	if t.lists == nil {
		t.lists = map[string][]Listed{}
	}
	t.lists[id] = list
}

// prompt notes that a person said something: no skill is at work any more.
func (t *tally) prompt() {
	t.state.Active, t.state.Before, t.state.Chosen, t.state.Person, t.state.Said = "", t.state.Chosen, "", "", t.line
	maps.DeleteFunc(t.state.Calls, func(id, _ string) bool { return strings.HasPrefix(id, textOf) })
}

// called notes that the model asked for a skill.
func (t *tally) called(id, skill string) {
	if skill == "" {
		return
	}
	t.of(skill).Counts.ByModel++
	if t.state.Calls == nil || len(t.state.Calls) >= maxCalls {
		t.state.Calls = map[string]string{}
	}
	t.state.Calls[id] = skill
}

// byPerson notes that a person called a skill by its name, in place of a prompt, and got it.
func (t *tally) byPerson(skill string) {
	s := t.of(skill)
	s.Counts.ByPerson++
	if other := t.state.Before; other != "" && other != skill {
		if s.LostTo == nil {
			s.LostTo = map[string]int{}
		}
		s.LostTo[other]++
	}
	t.delivered(skill)
	t.state.Chosen = "" // the model chose nothing
}

// delivered notes that a skill's text of so many characters reached the model. A text that comes in pieces is added to.
func (t *tally) delivered(skill string) {
	s := t.of(skill)
	s.Counts.Delivered++
	if t.AgentID != "" && t.Fork != skill {
		s.Counts.Subagent++
	}
	s.Last = max(s.Last, t.time().Unix())
	if t.state.Gone[skill] {
		s.Counts.Reloaded++
		delete(t.state.Gone, skill)
	}
	t.state.Active, t.state.Chosen = skill, skill
	t.mark("delivered", skill)
}

// text adds a text of a skill's to the context.
func (t *tally) text(skill string, characters int) {
	if n := tokens(characters); n > 0 {
		t.state.Texts = append(t.state.Texts, held{Skill: skill, Tokens: n, Fresh: true})
	}
}

// tokens estimates how many tokens a text has. No transcript says.
func tokens(characters int) int64 { return int64(characters+3) / 4 }

// compacted notes that the context was replaced by a summary.
func (t *tally) compacted() {
	gone := map[string]bool{}
	for _, h := range t.state.Texts {
		gone[h.Skill] = true
	}
	for skill := range gone {
		t.of(skill).Counts.Compacted++
		t.mark("compacted", skill)
	}
	t.state.Texts = nil
	if t.state.Gone == nil {
		t.state.Gone = map[string]bool{}
	}
	maps.Copy(t.state.Gone, gone)
}

// restored notes that the agent itself brought a text back after compaction.
func (t *tally) restored(skill string, characters int) {
	t.of(skill).Counts.Restored++
	delete(t.state.Gone, skill)
	t.text(skill, characters)
}

// turn counts a request once, however many lines speak of it.
func (t *tally) turn(id, model string, u Tokens) {
	if u == (Tokens{}) {
		return
	}
	key := hashOf([]byte(id))
	if i := slices.IndexFunc(t.state.Recent, func(s seen) bool { return id != "" && s.ID == key }); i >= 0 {
		old := &t.state.Recent[i]
		more := old.Tokens.most(u).minus(old.Tokens)
		old.Tokens = old.Tokens.plus(more)
		spend(&t.on(old.Day, old.Skill).Work, model, more)
		return
	}
	t.state.Seen = t.state.Seen.plus(u)
	parts, rest := split(u, t.state.Texts)
	for i, part := range parts {
		spend(&t.of(t.state.Texts[i].Skill).Text, model, part)
		t.state.Texts[i].Fresh = false
	}
	s := t.of(t.state.Active)
	spend(&s.Work, model, rest)
	s.Turns++
	t.state.Recent = append(t.state.Recent, seen{key, u, t.state.Active, t.day()})
	if len(t.state.Recent) > maxRecent {
		t.state.Recent = slices.Delete(t.state.Recent, 0, len(t.state.Recent)-maxRecent)
	}
	if t.spans != nil {
		t.spans(span{name: "chat", skill: t.state.Active, model: model, at: t.time(), tokens: u})
	}
}

// aside counts a request that the conversation did not make.
func (t *tally) aside(model string, u Tokens) {
	s := t.of("")
	spend(&s.Work, model, u)
	s.Turns++
}

// mark notes something about a skill for its story.
func (t *tally) mark(event, skill string) {
	if !t.copy {
		t.state.Fires = append(t.state.Fires, fire{skill, t.time().Unix(), t.state.Said, event})
		t.state.Fires = slices.Delete(t.state.Fires, 0, max(0, len(t.state.Fires)-maxFires))
	}
	if t.spans != nil {
		t.spans(span{name: event, skill: skill, at: t.time()})
	}
}

// records adds to what the agent recorded for a model.
func (t *tally) records(model string, p paid) {
	if t.Paid == nil {
		t.Paid = map[string]paid{}
	}
	old := t.Paid[model]
	t.Paid[model] = paid{old.Tokens.plus(p.Tokens), old.USD + p.USD}
}

func spend(all *[]spent, model string, u Tokens) {
	if u == (Tokens{}) {
		return
	}
	i := slices.IndexFunc(*all, func(s spent) bool { return s.Model == model })
	if i < 0 {
		i = len(*all)
		*all = append(*all, spent{Model: model})
	}
	(*all)[i].Tokens = (*all)[i].Tokens.plus(u)
}

// split divides what a request took into what each text in the context took, and the rest. A text that is new was
// written to the cache, or was plain input; an old one was read from the cache, if that has room. No part is negative,
// and the parts add up to the whole.
func split(u Tokens, texts []held) (parts []Tokens, rest Tokens) {
	rest = u
	parts = make([]Tokens, len(texts))
	for i, h := range texts {
		fresh := [][2]*int64{
			{&rest.CacheWrite, &parts[i].CacheWrite}, {&rest.CacheWrite1, &parts[i].CacheWrite1}, {&rest.Input, &parts[i].Input}, {&rest.CacheRead, &parts[i].CacheRead},
		}
		if !h.Fresh {
			fresh = append(fresh[3:], fresh[:3]...)
		}
		left := max(0, h.Tokens)
		for _, kind := range fresh {
			n := min(left, *kind[0])
			*kind[0] -= n
			*kind[1] += n
			left -= n
		}
	}
	return parts, rest
}

// spawned notes a call that starts a subagent: its work is that of the skill at work now.
func (t *tally) spawned(id string) {
	if t.Spawns == nil {
		t.Spawns = map[string]string{}
	}
	if !t.copy && t.state.Active != "" {
		t.Spawns[id] = t.state.Active
	}
}

// claim notes that a fork's file belongs to a call of the model's in this one.
func (t *tally) claim(agent string) { t.Claimed = append(t.Claimed, agent) }
