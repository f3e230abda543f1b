package activity

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// maxStory limits the number of a skill's calls in an account.
const maxStory = 200

// A rate is the price that a session paid for a model's tokens.
type rate struct {
	price claudecode.Price
	scale float64 // the recorded cost as a multiple of the price
	other float64 // the cost of requests that have no line, as a multiple of the price
	known bool
}

// session adds a session: its files, and the tokens that only the agent's cost record has.
func (r *accountant) session(g *group) {
	rates, unseen := g.rates()
	s := Session{ID: g.main.Session, Agent: g.main.Agent, Project: g.main.Project, Version: g.main.Version, Skills: []string{}}
	counted := false
	lists := map[string]bool{}
	for _, f := range g.files {
		owner := g.owner(f, 0)
		for i, t := range f.Turns {
			if !f.turns[i] {
				continue
			}
			s.extend(t.At)
			if day := r.dayOf(t.At); r.counts(day) {
				counted = true
				r.addTurn(t, owner, day, rates[t.asked()], &s.Cost)
			}
		}
		for i, e := range f.Events {
			switch day := r.dayOf(e.At); {
			case !f.events[i] || !r.counts(day):
			case e.What == offered:
				lists[e.Skill] = true
			default:
				counted = true
				r.addEvent(f, e, day)
				if e.What == delivered && !slices.Contains(s.Skills, e.Skill) {
					s.Skills = append(s.Skills, e.Skill)
				}
			}
		}
		if f.Fork != "" && !g.claims(f.AgentID) {
			counted = r.forkedByPerson(f) || counted
		}
		if !f.copied && !f.First.IsZero() {
			s.extend(f.First.UnixMilli())
			s.extend(f.Last.UnixMilli())
		}
	}
	if day := g.main.Last.Local().Format(time.DateOnly); r.counts(day) && len(unseen) > 0 {
		counted = true
		costs := r.costs("", day, &s.Cost)
		for _, c := range costs {
			c.Turns += g.main.Compactions
		}
		for _, model := range slices.Sorted(maps.Keys(unseen)) {
			r.spend(costs, unseen[model], model, rates[model], rates[model].other, false)
		}
	}
	if r.offer(g.main.tally, lists); !counted && len(lists) == 0 {
		return
	}
	slices.Sort(s.Skills)
	r.sessions = append(r.sessions, s)
}

// extend extends the session's period to include a time in Unix milliseconds.
func (s *Session) extend(ms int64) {
	when := time.UnixMilli(ms).UTC()
	if s.First.IsZero() || when.Before(s.First) {
		s.First = when
	}
	if when.After(s.Last) {
		s.Last = when
	}
}

// owner returns the skill that was at work in the conversation that started a subagent. The
// subagent's requests belong to that skill, unless the subagent has a skill of its own at work.
func (g *group) owner(f *tallied, depth int) string {
	if f.AgentID == "" || depth > len(g.files) {
		return ""
	}
	for _, other := range g.files {
		skill, ok := other.Spawns[f.Spawn]
		if !ok || f.Spawn == "" {
			skill, ok = other.Spawns[f.AgentID]
		}
		if ok && skill == "" {
			return g.owner(other, depth+1)
		} else if ok {
			return skill
		}
	}
	return ""
}

// claims reports whether a call by the model started a fork.
func (g *group) claims(agent string) bool {
	return slices.ContainsFunc(g.files, func(f *tallied) bool { return slices.Contains(f.Claimed, agent) })
}

// rates returns the rate of each model in a session, by the requested name. It also returns the
// tokens that the agent recorded but no line has, such as those of a compaction. The agent's record
// has precedence over the table.
func (g *group) rates() (rates map[string]rate, unseen map[string]Tokens) {
	rates, unseen = map[string]rate{}, map[string]Tokens{}
	seen := map[string]Tokens{}       // by the name in the agent's record
	listed := map[string][2]float64{} // as seen, in dollars by the table: with and without extras
	names := map[string]string{}
	for _, f := range g.files {
		for _, t := range f.Turns {
			name, ok := names[t.asked()]
			if !ok {
				name = g.main.recordedAs(t.asked())
				names[t.asked()] = name
				p, known := findPrice(t.Model, t.asked())
				rates[t.asked()] = rate{p, 1, 1, known}
			}
			seen[name] = seen[name].plus(t.Tokens)
			p := orUsual(rates[t.asked()].price)
			sum := listed[name]
			listed[name] = [2]float64{sum[0] + t.factor()*costOf(t.Tokens, p) + claudecode.WebSearch*float64(t.Searches),
				sum[1] + costOf(t.Tokens, p)}
		}
	}
	for model, p := range g.main.Paid {
		table, known := findPrice(model)
		for asked, name := range names {
			if !known && name == model { // a name that the user defined, for example
				table, known = rates[asked].price, rates[asked].known
			}
		}
		extra := 1.0
		if sum := listed[model]; sum[1] > 0 {
			extra = sum[0] / sum[1]
		}
		at := rate{orUsual(table), 1, extra, known}
		if whole := costOf(p.Tokens, at.price) * extra; whole > 0 && p.USD > 0 {
			at = rate{at.price, p.USD / whole, extra * p.USD / whole, true}
		}
		for asked, name := range names {
			if name == model {
				rates[asked] = at
			}
		}
		rates[model] = at
		// A copy of another session includes the record of that session, which counts there.
		if rest := p.Tokens.most(seen[model]).minus(seen[model]); rest != (Tokens{}) && !g.main.copied {
			unseen[model] = rest
		}
	}
	return rates, unseen
}

// recordedAs returns the name of a model in the agent's cost record. Old versions do not record the
// requested name, and a model responds with a longer name.
func (t *tally) recordedAs(asked string) string {
	if _, ok := t.Paid[asked]; ok {
		return asked
	}
	for _, name := range slices.Sorted(maps.Keys(t.Paid)) {
		if claudecode.ModelID(name) == claudecode.ModelID(asked) {
			return name
		}
	}
	return asked
}

// addTurn adds a request to the skill at work, or to the owner of its conversation.
func (r *accountant) addTurn(t turn, owner, day string, at rate, session *Cost) {
	name := t.Skill
	if name == "" {
		name = owner
	}
	costs := r.costs(name, day, session)
	for _, c := range costs {
		c.Turns++
	}
	r.spend(costs, t.work(), t.asked(), at, at.scale*t.factor(), false)
	if t.Searches > 0 && at.known {
		for _, c := range costs {
			c.addUSD(at.scale*claudecode.WebSearch*float64(t.Searches), &c.WorkUSD)
		}
	}
	for _, s := range t.Texts {
		r.spend(r.costs(s.Skill, day, session), s.Tokens, t.asked(), at, at.scale*t.factor(), true)
	}
}

// addEvent adds an event of a skill.
func (r *accountant) addEvent(f *tallied, e event, day string) {
	skill := r.skill(e.Skill, f.Agent)
	skill.Counts.add(e.What)
	when := time.UnixMilli(e.At).UTC().Truncate(time.Second)
	switch e.What {
	case lost:
		if skill.LostTo == nil {
			skill.LostTo = map[string]int{}
		}
		skill.LostTo[e.Other]++
		return
	case called, typed:
		r.on(skill.Name, day).Fired++
		r.on("", day).Fired++
	case delivered, refused, failed, blocked, compacted:
		if r.o.Skill == e.Skill {
			fire := f.fire(when, e.What, e.Key)
			fire.file, fire.said = f.path, e.Said
			r.story = append(r.story, fire)
		}
	}
	if e.What != compacted && e.What != restored && when.After(skill.Last) {
		skill.Last = when
	}
}

// forkedByPerson counts a fork that no call by the model started: a person typed its name.
func (r *accountant) forkedByPerson(f *tallied) bool {
	day := f.Last.Local().Format(time.DateOnly)
	if !r.counts(day) || !slices.Contains(f.turns, true) {
		return false
	}
	e := event{Skill: f.Fork, At: f.Last.UnixMilli(), Key: keyOf(f.Session, f.AgentID)}
	for _, e.What = range []string{typed, forked} {
		r.addEvent(f, e, day)
	}
	skill := r.skill(f.Fork, f.Agent)
	skill.Counts.Delivered++
	if r.o.Skill == f.Fork {
		r.story = append(r.story, f.fire(f.Last, delivered, e.Key))
	}
	return true
}

// fire returns an event in a file.
func (t *tally) fire(when time.Time, what string, key uint64) Fire {
	id := strconv.FormatUint(key|1<<63, 36) // always the maximum length
	return Fire{ID: id[len(id)-8:], Time: when.UTC().Truncate(time.Second), What: what,
		Agent: t.Agent, Session: t.Session, Project: t.Project}
}

// offer counts the skills in a session's lists, each skill once.
func (r *accountant) offer(t *tally, lists map[string]bool) {
	all, bare := map[string]bool{}, map[string]bool{}
	for id := range lists {
		for _, l := range r.lists[id] {
			all[l.Name] = true
			if l.Bare {
				bare[l.Name] = true
			}
		}
	}
	if len(all) > 0 {
		r.chances = append(r.chances, chance{t.Agent, t.Project, t.Last, all, bare})
	}
	for name := range all {
		s := r.skill(name, t.Agent)
		s.Counts.Offered++
		if bare[name] {
			s.Counts.Bare++
		}
	}
}

func (r *accountant) skill(name, agent string) *Skill {
	s := r.skills[name]
	if s == nil {
		s = &Skill{Name: name, Agents: []string{}, Days: []Day{}}
		r.skills[name] = s
	}
	if agent != "" && !slices.Contains(s.Agents, agent) {
		s.Agents = append(s.Agents, agent)
	}
	return s
}

// on returns the sums of a skill for a day; the skill "" means all skills.
func (r *accountant) on(skill, day string) *Day {
	key := [2]string{skill, day}
	if r.days[key] == nil {
		r.days[key] = &Day{Day: day}
	}
	return r.days[key]
}

// costs returns the sums that a skill's cost adds to: the skill's or the rest's, the days', the
// session's and the total.
func (r *accountant) costs(name, day string, session *Cost) []*Cost {
	all := []*Cost{&r.total, session, &r.on("", day).Cost}
	if name == "" {
		return append(all, &r.rest)
	}
	return append(all, &r.skill(name, "").Cost, &r.on(name, day).Cost)
}

// spend adds tokens to costs, at a multiple of the price.
func (r *accountant) spend(costs []*Cost, u Tokens, model string, at rate, times float64, text bool) {
	if !at.known && u != (Tokens{}) {
		r.unpriced[model] = true
	}
	for _, c := range costs {
		c.add(u, at, times, text)
	}
}

func (c *Cost) add(u Tokens, at rate, times float64, text bool) {
	tokens, usd := &c.Work, &c.WorkUSD
	if text {
		tokens, usd = &c.Text, &c.TextUSD
	}
	*tokens = tokens.plus(u)
	if !at.known {
		c.Unpriced += u.Sum()
		return
	}
	c.addUSD(times*costOf(u, at.price), usd)
}

func (c *Cost) addUSD(usd float64, part *float64) {
	if c.USD == nil {
		c.USD = new(float64)
	}
	*c.USD += usd
	*part += usd
}

// Known returns the known part of a cost, or 0.
func (c Cost) Known() float64 {
	if c.USD == nil {
		return 0
	}
	return *c.USD
}
