package activity

import (
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Tokens counts the tokens of requests.
type Tokens struct {
	Input       int64 `json:"input,omitzero"`
	Output      int64 `json:"output,omitzero"`
	CacheRead   int64 `json:"cache_read,omitzero"`
	CacheWrite  int64 `json:"cache_write,omitzero"`    // cached for five minutes
	CacheWrite1 int64 `json:"cache_write_1h,omitzero"` // cached for an hour
}

// Sum returns the sum of all kinds.
func (t Tokens) Sum() int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite + t.CacheWrite1 }

func (t Tokens) plus(u Tokens) Tokens {
	return Tokens{t.Input + u.Input, t.Output + u.Output,
		t.CacheRead + u.CacheRead, t.CacheWrite + u.CacheWrite, t.CacheWrite1 + u.CacheWrite1}
}

func (t Tokens) minus(u Tokens) Tokens {
	return Tokens{t.Input - u.Input, t.Output - u.Output,
		t.CacheRead - u.CacheRead, t.CacheWrite - u.CacheWrite, t.CacheWrite1 - u.CacheWrite1}
}

func (t Tokens) most(u Tokens) Tokens {
	return Tokens{
		max(t.Input, u.Input), max(t.Output, u.Output), max(t.CacheRead, u.CacheRead), max(t.CacheWrite, u.CacheWrite),
		max(t.CacheWrite1, u.CacheWrite1),
	}
}

// A tally sums up one file so far: its requests, its events of skills, and the state that the next
// line needs. It holds names, counts and times, but no text.
type tally struct {
	Agent   string
	Session string
	Project string    `json:",omitzero"`
	Version string    `json:",omitzero"`
	Known   bool      `json:",omitzero"` // the reader knows the kind of at least one line
	Branch  bool      `json:",omitzero"` // lines name the session that they were copied from
	First   time.Time `json:",omitzero"`
	Last    time.Time `json:",omitzero"`

	Turns  []turn          `json:",omitzero"`
	Events []event         `json:",omitzero"`
	Paid   map[string]paid `json:",omitzero"` // by model: the agent's record for the whole session

	Compactions int `json:",omitzero"` // each is a request that has no line

	// The fields of a subagent's file.
	AgentID string            `json:",omitzero"`
	Spawn   string            `json:",omitzero"` // the id of the call that started it
	Fork    string            `json:",omitzero"` // the skill that it is a fork of
	Spawns  map[string]string `json:",omitzero"` // id of a subagent, or of the call in this file that starts it → the skill at work then
	Claimed []string          `json:",omitzero"` // forks that a call in this file started

	state state               // the state that the next line needs
	side  *talk               // the sidechain of the line; nil means the main conversation
	lists map[string][]Listed // the lists of skills in the lines
	now   time.Time           // the time of the line
	id    string              // the id of the line; "" if it has none
	line  int64               // the offset of the line

	message, usage record // of the last line; the next line reuses their memory
}

// A turn is a request to a model. Copies in other files have the same key.
type turn struct {
	Key      uint64      `json:"k"`
	At       int64       `json:"t"` // Unix milliseconds
	Model    string      `json:"m"`
	Asked    string      `json:"r,omitzero"` // the requested model, if its name is different
	Skill    string      `json:"s,omitzero"` // the skill at work; "" means none
	Tokens   Tokens      `json:"u"`
	Texts    []textShare `json:"x,omitzero"` // the part of the tokens that carries skills' texts
	Factor   float64     `json:"f,omitzero"` // a multiple of the model's price; 0 means 1
	Searches int         `json:"w,omitzero"` // web searches
}

// A textShare is the part of a request's tokens that carries a skill's text.
type textShare struct {
	Skill  string `json:"s"`
	Tokens Tokens `json:"u"`
}

// The kinds of events.
const (
	offered   = "offered"   // a list had it; the event names the list
	called    = "called"    // the model called it
	typed     = "typed"     // a person called it
	delivered = "delivered" // its text reached the model
	refused   = "refused"   // a rule, a person, or its own frontmatter refused the call
	failed    = "failed"    // its page could not be rendered
	blocked   = "blocked"   // its page could not be rendered: no rule allows a command on it
	unknown   = "unknown"   // no skill has this name
	forked    = "forked"    // it was delivered to a subagent of its own
	subagent  = "subagent"  // it was delivered to a subagent
	compacted = "compacted" // compaction removed its text from the context
	restored  = "restored"  // the agent itself restored it
	reloaded  = "reloaded"  // it was called again after compaction
	lost      = "lost"      // a person called it right after the model had chosen another skill
)

// An event is something that happened to a skill. Copies in other files have the same key.
type event struct {
	Key   uint64 `json:"k"`
	What  string `json:"e"`
	Skill string `json:"s"`
	At    int64  `json:"t"`          // Unix milliseconds
	Turn  int    `json:"n"`          // the number of turns before it in the file
	Call  bool   `json:"c,omitzero"` // the key identifies a call; otherwise the next turn has a better key
	Said  int64  `json:"p,omitzero"` // the offset of the line of the prompt before it
	Other string `json:"o,omitzero"` // of lost: the skill that the model had chosen
}

// A paid is an agent's record of a cost.
type paid struct {
	Tokens Tokens
	USD    float64
}

// A state is the state that the next line of a file needs.
type state struct {
	Main  talk
	Side  map[string]*talk  `json:",omitzero"` // sidechains in the main file, by the id of their first line
	Chain map[string]string `json:",omitzero"` // lines of sidechains → their first line
	Calls map[string]call   `json:",omitzero"` // calls whose result or text may still follow
	Seen  Tokens            // the sum of all requests so far
	Model string            `json:",omitzero"` // the current model, if lines do not name it
	Said  int64             // the offset of the last prompt's line
	Bulk  int               `json:",omitzero"` // the size of a fork's text until its name is known
	Key   uint64            // the key of the last request
}

// A talk is a conversation: the main conversation, or a subagent's in the same file.
type talk struct {
	Active string          `json:",omitzero"` // the skill at work
	Chosen string          `json:",omitzero"` // the skill that the model chose for the last prompt
	Before string          `json:",omitzero"` // the skill that the model chose for the prompt before
	Person string          `json:",omitzero"` // a command that a person typed, until its text follows
	Texts  []held          `json:",omitzero"` // skills' texts in the context
	Gone   map[string]bool `json:",omitzero"` // skills whose text compaction removed
	Owner  string          `json:",omitzero"` // of a sidechain: the skill that was at work when it began
}

// A call is a call of a skill by the model.
type call struct {
	Skill string
	Key   uint64 // the key of the request that made it
	Done  bool   `json:",omitzero"` // it has a result
}

// A held is a text in the context. Each request pays for it.
type held struct {
	Skill  string
	Tokens int64
	Fresh  bool `json:",omitzero"` // no request has carried it yet
}

// A Listed is a skill in a list that a model received.
type Listed struct {
	Name string
	Bare bool `json:",omitzero"` // without its description
}

const (
	maxRecent = 32  // requests that later lines may repeat
	maxCalls  = 256 // calls without a result; more are forgotten
	maxChain  = 4096
)

// begin sets the time and the id of the next line.
func (t *tally) begin(when time.Time, id string) {
	t.id, t.side = id, nil
	if when.IsZero() {
		return
	}
	t.now = when.UTC()
	if t.First.IsZero() || t.now.Before(t.First) {
		t.First = t.now
	}
	if t.now.After(t.Last) {
		t.Last = t.now
	}
}

// talk returns the conversation of the line.
func (t *tally) talk() *talk {
	if t.side != nil {
		return t.side
	}
	return &t.state.Main
}

// sidechain notes that the line belongs to a subagent's conversation in the main file.
func (t *tally) sidechain(parent string) {
	first, known := t.state.Chain[parent]
	if !known {
		first = t.id
	}
	if t.state.Chain == nil || len(t.state.Chain) > maxChain {
		t.state.Chain, t.state.Side = map[string]string{}, map[string]*talk{}
	}
	t.state.Chain[t.id] = first
	if t.state.Side[first] == nil {
		t.state.Side[first] = &talk{Owner: t.state.Main.Active}
	}
	t.side = t.state.Side[first]
}

func (t *tally) time() time.Time {
	if t.now.IsZero() {
		return t.Last
	}
	return t.now
}

// note records an event of a skill.
func (t *tally) note(what, skill string) *event {
	id := t.id
	if id == "" { // a copy of the file has the line at the same offset
		id = strconv.FormatInt(t.line, 10) + " " + t.Session + " " + t.AgentID
	}
	t.Events = append(t.Events, event{
		Key: keyOf(what, skill, t.Agent, id), What: what, Skill: skill, At: t.time().UnixMilli(), Turn: len(t.Turns), Said: t.state.Said,
	})
	return &t.Events[len(t.Events)-1]
}

// noteCall records an event of a call.
func (t *tally) noteCall(what, id string, c call) {
	e := t.note(what, c.Skill)
	e.Key, e.Call = keyOf(what, id, strconv.FormatUint(c.Key, 36)), true
}

// offered notes a list that the model received.
func (t *tally) offered(list []Listed) {
	if len(list) == 0 {
		return
	}
	h := fnv.New64a()
	for _, l := range list {
		h.Write([]byte(l.Name))
		h.Write([]byte{0, byte(len(strconv.FormatBool(l.Bare)))})
	}
	id := strconv.FormatUint(h.Sum64(), 36)
	if t.lists == nil {
		t.lists = map[string][]Listed{}
	}
	t.lists[id] = list
	t.note(offered, id)
}

// prompt notes a person's prompt, after which no skill is at work.
func (t *tally) prompt() {
	in := t.talk()
	in.Active, in.Before, in.Chosen, in.Person = "", in.Chosen, "", ""
	if t.side != nil {
		return
	}
	t.state.Said, t.state.Side, t.state.Chain = t.line, nil, nil
	maps.DeleteFunc(t.state.Calls, func(_ string, c call) bool { return c.Done })
}

// called notes that the model called a skill.
func (t *tally) called(id, skill string) {
	if skill == "" {
		return
	}
	if t.state.Calls == nil || len(t.state.Calls) >= maxCalls {
		t.state.Calls = map[string]call{}
	}
	c := call{Skill: skill, Key: t.state.Key}
	t.state.Calls[id] = c
	t.noteCall(called, id, c)
}

// end marks an open call as done and returns it. It reports whether there was such a call.
func (t *tally) end(id string) (call, bool) {
	c, ok := t.state.Calls[id]
	if !ok || c.Done {
		return call{}, false
	}
	c.Done = true
	t.state.Calls[id] = c
	return c, true
}

// deliveredCall notes that a call delivered its skill's text.
func (t *tally) deliveredCall(id string, c call) {
	t.noteCall(delivered, id, c)
	if t.AgentID != "" && t.Fork != c.Skill || t.side != nil {
		t.noteCall(subagent, id, c)
	}
	if t.arrive(c.Skill) {
		t.noteCall(reloaded, id, c)
	}
}

// typed notes that a person called a skill by its name in place of a prompt, and that the skill was
// delivered.
func (t *tally) typed(skill string) {
	t.note(typed, skill)
	in := t.talk()
	if in.Before != "" && in.Before != skill {
		t.note(lost, skill).Other = in.Before
	}
	t.note(delivered, skill)
	if t.arrive(skill) {
		t.note(reloaded, skill)
	}
	in.Chosen = "" // the model chose no skill
}

// arrive sets the skill at work. It reports whether compaction had removed the skill's text before.
func (t *tally) arrive(skill string) (again bool) {
	in := t.talk()
	again = in.Gone[skill]
	delete(in.Gone, skill)
	in.Active, in.Chosen = skill, skill
	return again
}

// finish ends a call of a skill, either with the skill's text or with the given outcome.
func (t *tally) finish(id string, size int, instead string) {
	c, ok := t.end(id)
	switch {
	case !ok:
	case instead != "":
		t.noteCall(instead, id, c)
	default:
		t.deliveredCall(id, c)
		t.text(c.Skill, size)
	}
}

// text adds a skill's text to the context.
func (t *tally) text(skill string, characters int) {
	if n := tokens(characters); n > 0 {
		in := t.talk()
		in.Texts = append(in.Texts, held{Skill: skill, Tokens: n, Fresh: true})
	}
}

// tokens estimates the number of tokens in a text. Transcripts do not record it.
func tokens(characters int) int64 { return int64(characters+3) / 4 }

// compacted notes that a summary replaced the context.
func (t *tally) compacted() {
	in := t.talk()
	gone := map[string]bool{}
	for _, h := range in.Texts {
		gone[h.Skill] = true
	}
	for _, skill := range slices.Sorted(maps.Keys(gone)) {
		t.note(compacted, skill)
	}
	in.Texts = nil
	if in.Gone == nil {
		in.Gone = map[string]bool{}
	}
	maps.Copy(in.Gone, gone)
}

// restored notes that the agent itself restored a text after compaction.
func (t *tally) restored(skill string, characters int) {
	t.note(restored, skill)
	delete(t.talk().Gone, skill)
	t.text(skill, characters)
}

// turn adds a request. It adds each request once, even if several lines repeat it. key identifies
// the request on this machine.
func (t *tally) turn(key uint64, r turn) {
	t.state.Key = key
	if r.Tokens == (Tokens{}) {
		return
	}
	for i := len(t.Turns) - 1; i >= max(0, len(t.Turns)-maxRecent); i-- {
		if old := &t.Turns[i]; old.Key == key {
			old.Tokens = old.Tokens.most(r.Tokens)
			old.Searches = max(old.Searches, r.Searches)
			return
		}
	}
	in := t.talk()
	t.state.Seen = t.state.Seen.plus(r.Tokens)
	r.Key, r.At, r.Skill = key, t.time().UnixMilli(), in.Active
	if r.Skill == "" {
		r.Skill = in.Owner
	}
	if r.Asked == r.Model {
		r.Asked = ""
	}
	r.Texts = split(r.Tokens, in.Texts)
	for i := range in.Texts {
		in.Texts[i].Fresh = false
	}
	t.Turns = append(t.Turns, r)
}

// work returns the tokens of a request that carry no skill's text.
func (r turn) work() Tokens {
	rest := r.Tokens
	for _, s := range r.Texts {
		rest = rest.minus(s.Tokens)
	}
	return rest
}

func (r turn) asked() string {
	if r.Asked != "" {
		return r.Asked
	}
	return r.Model
}

// aside adds a request that is not part of the conversation.
func (t *tally) aside(model string, u Tokens) {
	if u != (Tokens{}) {
		t.Turns = append(t.Turns, turn{Key: t.lineKey(), At: t.time().UnixMilli(), Model: model, Tokens: u})
	}
}

// keyFor returns the key of a request by its id, which may be "".
func (t *tally) keyFor(id string) uint64 {
	if id == "" {
		return t.lineKey()
	}
	return keyOf(t.Agent, id)
}

// lineKey returns a key for a request without an id: a copy of the file has the line at the same
// offset.
func (t *tally) lineKey() uint64 {
	return keyOf(t.Agent, t.Session, t.AgentID, strconv.FormatInt(t.line, 10), strconv.Itoa(len(t.Turns)))
}

func (t *tally) records(model string, p paid) {
	if t.Paid == nil {
		t.Paid = map[string]paid{}
	}
	old := t.Paid[model]
	t.Paid[model] = paid{old.Tokens.plus(p.Tokens), old.USD + p.USD}
}

// spawned notes a call that starts a subagent, or the subagent's id. The subagent's work belongs to
// the skill at work now.
func (t *tally) spawned(id string) {
	if id == "" {
		return
	}
	if t.Spawns == nil {
		t.Spawns = map[string]string{}
	}
	if _, known := t.Spawns[id]; !known {
		t.Spawns[id] = t.talk().Active
	}
}

// split returns the part of a request's tokens that each text in the context took; the rest is
// work. A new text was written to the cache or was plain input. An old text was read from the
// cache, as far as the count allows. No part is negative.
func split(u Tokens, texts []held) (parts []textShare) {
	for _, h := range texts {
		var part Tokens
		kinds := [][2]*int64{
			{&u.CacheWrite, &part.CacheWrite}, {&u.CacheWrite1, &part.CacheWrite1}, {&u.Input, &part.Input},
			{&u.CacheRead, &part.CacheRead},
		}
		if !h.Fresh {
			kinds = append(kinds[3:], kinds[:3]...)
		}
		left := max(0, h.Tokens)
		for _, kind := range kinds {
			n := min(left, *kind[0])
			*kind[0] -= n
			*kind[1] += n
			left -= n
		}
		if part == (Tokens{}) {
			continue
		}
		if i := slices.IndexFunc(parts, func(s textShare) bool { return s.Skill == h.Skill }); i >= 0 {
			parts[i].Tokens = parts[i].Tokens.plus(part)
		} else {
			parts = append(parts, textShare{h.Skill, part})
		}
	}
	return parts
}

// keyOf returns a hash of several names.
func keyOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}
