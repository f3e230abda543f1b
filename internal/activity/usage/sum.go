package usage

import (
	"maps"
	"slices"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// A rate is what a session paid for a model's tokens.
type rate struct {
	price claudecode.Price
	scale float64
	known bool
}

func (r rate) of(t Tokens) float64 { return r.scale * costOf(t, r.price) }

// session adds a session: its files, and what the agent recorded beyond them.
func (r *reporter) session(g *group) {
	rates, unseen := g.rates()
	s := Session{ID: g.main.Session, Agent: g.main.Agent, Project: g.main.Project, Version: g.main.Version, Skills: []string{}}
	counted := false
	for _, t := range g.files {
		for i := range t.Sums {
			sum := &t.Sums[i]
			if !r.counts(sum.Day) {
				continue
			}
			counted = true
			r.addSums(g, t, sum, rates, &s.Cost)
			if sum.Counts.Delivered > 0 && !slices.Contains(s.Skills, sum.Skill) {
				s.Skills = append(s.Skills, sum.Skill)
			}
		}
		if t.Fork != "" && !slices.Contains(g.main.Claimed, t.AgentID) {
			r.forkedByPerson(t)
		}
		if s.First.IsZero() || !t.First.IsZero() && t.First.Before(s.First) {
			s.First = t.First
		}
		if t.Last.After(s.Last) {
			s.Last = t.Last
		}
	}
	if day := g.main.lastDay(); r.counts(day) && len(unseen) > 0 {
		counted = true
		r.spend(r.costs("", day, &s.Cost), unseen, rates, false)
	}
	if offered := r.offer(g.main); !counted && !offered {
		return
	}
	slices.Sort(s.Skills)
	r.sessions = append(r.sessions, s)
}

// rates says what each model's tokens cost in a session, and which tokens the agent recorded that no line speaks of:
// those of a compaction, say. What the agent recorded wins over the table.
func (g *group) rates() (rates map[string]rate, unseen []spent) {
	rates = map[string]rate{}
	seen := map[string]Tokens{}
	for _, t := range g.files {
		for i := range t.Sums {
			for _, part := range [][]spent{t.Sums[i].Text, t.Sums[i].Work} {
				for _, s := range part {
					seen[s.Model] = seen[s.Model].plus(s.Tokens)
				}
			}
		}
	}
	for model := range seen {
		p, known := claudecode.FindPrice(model)
		rates[model] = rate{p, 1, known}
	}
	for _, model := range slices.Sorted(maps.Keys(g.main.Paid)) {
		p := g.main.Paid[model]
		table, known := claudecode.FindPrice(model)
		if !known {
			table = claudecode.UsualPrice
		}
		if whole := costOf(p.Tokens, table); whole > 0 && p.USD > 0 {
			rates[model] = rate{table, p.USD / whole, true}
		} else if p.USD == 0 && !known {
			rates[model] = rate{}
		}
		// A copy of another session brings that one's record along, which counts there.
		if rest := p.Tokens.most(seen[model]).minus(seen[model]); rest != (Tokens{}) && !g.main.Copied {
			unseen = append(unseen, spent{model, rest})
		}
	}
	return rates, unseen
}

func (t *tally) lastDay() string { return t.Last.Local().Format(time.DateOnly) }

// addSums adds what a file says of a skill on a day. The work of a subagent outside any skill of its own is that of
// the skill that was at work when it was started.
func (r *reporter) addSums(g *group, t *tally, s *sums, rates map[string]rate, session *Cost) {
	name := s.Skill
	if name == "" && t.Spawn != "" {
		name = g.main.Spawns[t.Spawn]
	}
	costs := r.costs(name, s.Day, session)
	for _, c := range costs {
		c.Turns += s.Turns
	}
	r.spend(costs, s.Text, rates, true)
	r.spend(costs, s.Work, rates, false)
	if name == "" {
		return
	}
	skill := r.skill(name, t.Agent)
	skill.Counts.add(s.Counts)
	for other, n := range s.LostTo {
		if skill.LostTo == nil {
			skill.LostTo = map[string]int{}
		}
		skill.LostTo[other] += n
	}
	r.fired(skill, s.Day, s.Counts.Fired())
	if last := time.Unix(s.Last, 0); s.Last > 0 && last.After(skill.Last) {
		skill.Last = last.UTC()
	}
}

// forkedByPerson counts a fork that no call of the model's started: a person typed its name.
func (r *reporter) forkedByPerson(t *tally) {
	if !r.counts(t.lastDay()) {
		return
	}
	skill := r.skill(t.Fork, t.Agent)
	skill.Counts.ByPerson++
	skill.Counts.Delivered++
	skill.Counts.Forked++
	if t.Last.After(skill.Last) {
		skill.Last = t.Last.UTC().Truncate(time.Second)
	}
	r.fired(skill, t.lastDay(), 1)
	if r.o.Skill == t.Fork {
		r.story = append(r.story, t.fire(t.Last, "delivered"))
	}
}

// offer counts the lists of a session: each skill once.
func (r *reporter) offer(t *tally) (any bool) {
	offered, bare := map[string]bool{}, map[string]bool{}
	for id, day := range t.Lists {
		if !r.counts(day) {
			continue
		}
		for _, l := range r.lists[id] {
			offered[l.Name] = true
			if l.Bare {
				bare[l.Name] = true
			}
		}
	}
	if len(offered) > 0 {
		r.chances = append(r.chances, chance{t.Agent, t.Project, t.Last, offered, bare})
	}
	for name := range offered {
		s := r.skill(name, t.Agent)
		s.Counts.Offered++
		if bare[name] {
			s.Counts.Bare++
		}
	}
	return len(offered) > 0
}

func (r *reporter) skill(name, agent string) *Skill {
	s := r.skills[name]
	if s == nil {
		s = &Skill{Name: name, Agents: []string{}, Days: []Day{}}
		r.skills[name] = s
	}
	if !slices.Contains(s.Agents, agent) {
		s.Agents = append(s.Agents, agent)
	}
	return s
}

func (r *reporter) fired(s *Skill, day string, n int) {
	if n > 0 {
		r.on(s.Name, day).Fired += n
		r.on("", day).Fired += n
	}
}

// on is what a skill did on a day, or all of them if it is "".
func (r *reporter) on(skill, day string) *Day {
	key := [2]string{skill, day}
	if r.days[key] == nil {
		r.days[key] = &Day{Day: day}
	}
	return r.days[key]
}

// costs are all the sums that a skill's part goes into: its own or the rest's, the days', the session's, the total.
func (r *reporter) costs(name, day string, session *Cost) []*Cost {
	all := []*Cost{&r.total, session, &r.on("", day).Cost}
	if name == "" {
		return append(all, &r.rest)
	}
	s := r.skills[name]
	if s == nil {
		s = &Skill{Name: name, Agents: []string{}, Days: []Day{}}
		r.skills[name] = s
	}
	return append(all, &s.Cost, &r.on(name, day).Cost)
}

func (r *reporter) spend(costs []*Cost, all []spent, rates map[string]rate, text bool) {
	for _, s := range all {
		at := rates[s.Model]
		if !at.known {
			r.unpriced[s.Model] = true
		}
		for _, c := range costs {
			c.add(s.Tokens, at, text)
		}
	}
}

func (c *Cost) add(u Tokens, at rate, text bool) {
	tokens, usd := &c.Work, &c.WorkUSD
	if text {
		tokens, usd = &c.Text, &c.TextUSD
	}
	*tokens = tokens.plus(u)
	if !at.known {
		c.Unpriced += u.Sum()
		return
	}
	if c.USD == nil {
		c.USD = new(float64)
	}
	*usd += at.of(u)
	*c.USD += at.of(u)
}

// known is the part of the cost that is known.
func (c Cost) known() float64 {
	if c.USD == nil {
		return 0
	}
	return *c.USD
}
