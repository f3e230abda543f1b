package check

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

// agentRules reports other agents than Claude Code. Package visibility has what each was recorded to do.
func agentRules() []*Rule {
	return []*Rule{
		{ID: "SK901", Name: "agent-place", Severity: Warning, agent: others, together: agentPlace,
			Summary: "an agent does not look in the folder that the skills are in"},
		{ID: "SK902", Name: "agent-unlisted", Severity: Error, agent: others, kinds: []Kind{Skill}, run: agentUnlisted,
			Summary: "an agent leaves the skill out because of what its file says"},
		{ID: "SK903", Name: "agent-description", Severity: Warning, agent: others, kinds: []Kind{Skill}, run: agentDescription,
			Summary: "an agent cuts the description"},
		{ID: "SK904", Name: "agent-list", Severity: Warning, agent: others, together: agentList,
			Summary: "an agent's list has no room for all skills"},
		{ID: "SK905", Name: "agent-field", Severity: Warning, agent: others, kinds: []Kind{Skill}, run: agentField,
			Summary: "an agent does not do what a field asks for"},
		{ID: "SK906", Name: "agent-literal", Severity: Warning, agent: others, kinds: []Kind{Skill}, run: agentLiteral,
			Summary: "an agent runs no directives and fills in no arguments"},
		{ID: "SK907", Name: "agent-headless", Severity: Info, agent: others, together: agentHeadless,
			Summary: "in an agent, no skill fires without a person"},
		{ID: "SK908", Name: "agent-list-loses", Severity: Warning, agent: others, together: listLoses,
			Summary: "the cut of an agent's list takes when to use a skill, or what tells two apart"},
	}
}

// agentsBy groups the agents that are checked for by what is said of each, in the order in which it is first said. Of
// whom nothing is said is left out.
func agentsBy(opt *Options, say func(agent string) string) (said []string, agents map[string][]string) {
	agents = map[string][]string{}
	for _, name := range opt.named() {
		what := say(name)
		if what == "" {
			continue
		}
		if agents[what] == nil {
			said = append(said, what)
		}
		agents[what] = append(agents[what], name)
	}
	return said, agents
}

// and lists names as a sentence does.
func and(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// verb returns a verb's form after so many names.
func verb(names []string, one, many string) string {
	if len(names) == 1 {
		return one
	}
	return many
}

// atField returns the line of a field, or the beginning of the file.
func (p *pass) atField(name string) (start, end int) {
	if f, ok := p.doc.skill.Front.Field(name); ok && name != "" {
		return f.Offset, max(f.End, f.ValueEnd)
	}
	return p.doc.nameRange()
}

func agentUnlisted(p *pass) {
	views := map[string]agents.View{}
	said, tellers := agentsBy(p.doc.opt, func(agent string) string {
		v := agents.Get(agent).View(p.doc.sight)
		if v.Cause != agents.ByText || v.Sight == agents.Unknown {
			return ""
		}
		what := "%s this skill out: " + v.Why
		if v.Sight == agents.Cut {
			what = "%s the name of this skill and no description: " + v.Why
		}
		views[what] = v
		return what
	})
	for _, what := range said {
		names, v := tellers[what], views[what]
		does := verb(names, "leaves", "leave")
		if v.Sight == agents.Cut {
			does = verb(names, "lists", "list")
		}
		start, end := p.atField(v.Field)
		f := p.find(start, end, "%s", strings.Replace(what, "%s", and(names)+" "+does, 1))
		f.Agent = strings.Join(names, ",")
	}
}

func agentDescription(p *pass) {
	for _, name := range p.doc.opt.named() {
		v := agents.Get(name).View(p.doc.sight)
		if v.Cause != agents.ByLength {
			continue
		}
		start, end := p.atField("description")
		f := p.find(start, end, "%s shows its model the first %d characters of the description: %s", name, v.Chars, v.Why)
		f.Help = "put first what says when to use the skill, and shorten the rest"
		f.Agent = name
		p.doc.losesWhen(f, v.Chars)
	}
}

// agentField reports wishes that an agent was seen to ignore.
func agentField(p *pass) {
	p.ignoredWish("disable-model-invocation", []agents.FaultID{agents.Hidden, agents.HiddenText},
		"%s disable-model-invocation: the model sees the skill and may load it", Warning)
	p.ignoredWish("paths", []agents.FaultID{agents.Paths}, "%s paths: the skill is always listed", Info)
	if p.doc.skill.Front.WhenToUse == "" {
		return
	}
	names := p.doc.opt.named()
	start, end := p.atField("when_to_use")
	f := p.find(start, end, "%s not show when_to_use to the model", and(names)+verb(names, " does", " do"))
	f.Help = "say when to use the skill in the description"
	f.Agent = strings.Join(names, ",")
}

func (p *pass) ignoredWish(field string, wishes []agents.FaultID, format string, severity Severity) {
	var names []string
	for _, w := range p.doc.sight.Wishes {
		for _, name := range p.doc.opt.named() {
			if slices.Contains(wishes, w.ID) && !agents.Get(name).Obeys(w.ID) && agents.Get(name).View(p.doc.sight).Sight != agents.Invisible {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return
	}
	start, end := p.atField(field)
	f := p.severe(p.find(start, end, format, and(names)+verb(names, " ignores", " ignore")), severity)
	f.Agent = strings.Join(names, ",")
	switch {
	case field == "disable-model-invocation" && slices.Contains(names, "codex"):
		f.Help = "for codex, write policy: {allow_implicit_invocation: false} into agents/openai.yaml beside the skill"
	case field == "disable-model-invocation" && slices.Contains(names, "pi"):
		f.Help = "write true without quotes"
	}
}

// agentLiteral reports what Claude Code does to a text before its model reads it, and no other agent does when its
// model loads the skill.
func agentLiteral(p *pass) {
	names := p.doc.opt.named()
	const who = "the model reads"
	tell := func(start, end int, help, format string, a ...any) {
		f := p.find(start, end, format, a...)
		f.Help = help
		f.Agent = strings.Join(names, ",")
	}
	if i := slices.IndexFunc(p.doc.directives, func(d *directive) bool { return d.claude }); i >= 0 {
		d := p.doc.directives[i]
		tell(d.start, d.end, "say in the text that the agent is to run the command", "%s %s no directives: %s %s as it stands here",
			and(names), verb(names, "runs", "run"), who, clip(p.doc.src[d.start:d.end], 40))
	}
	front := &p.doc.skill.Front
	for _, part := range p.doc.skill.Parts {
		if part.Kind != skill.Variable || part.Escaped {
			continue
		}
		if name := strings.Trim(part.Source, "${}"); strings.HasPrefix(name, "ARGUMENTS") || slices.Contains(front.Arguments, name) {
			tell(part.Offset, part.Offset+len(part.Source), "say in words what the agent is to do with what it was asked",
				"%s %s in no arguments: %s %s as it stands here", and(names), verb(names, "fills", "fill"), who, part.Source)
			return
		}
	}
}

// A shelf is a project or a home with the skills of its places, and what each agent sees of them.
type shelf struct {
	root  string
	docs  map[string]*document // those that are checked, by file
	found []agents.Skill
	views map[string][]agents.View // by agent
}

// shelves returns the projects and the home that the checked skills lie in. A skill in no place of an agent is kept to be
// copied, and nobody knows where to.
func (w *whole) shelves() []*shelf {
	if w.opt.shelves != nil {
		return w.opt.shelves
	}
	home := ""
	if w.opt.Settings != nil {
		home = w.opt.Settings.Home
	}
	byRoot := map[string]*shelf{}
	w.opt.shelves = []*shelf{}
	for _, d := range w.docs {
		root, ok := placeRoot(d.file.Path)
		if d.file.Kind != Skill || d.fault != nil || d.template || !ok {
			continue
		}
		s := byRoot[root]
		if s == nil {
			s = &shelf{root: root, docs: map[string]*document{}, views: map[string][]agents.View{}}
			byRoot[root] = s
			w.opt.shelves = append(w.opt.shelves, s)
		}
		s.docs[files.Real(d.file.Path)] = d
	}
	for _, s := range w.opt.shelves {
		project := s.root
		if project == home {
			project = "" // what is in the home counts as the user's
		}
		s.found, _ = find.ForAgents(project, home) // SK001 tells what cannot be read
		for _, agent := range w.opt.named() {
			s.views[agent] = agents.Get(agent).Views(s.found)
		}
	}
	return w.opt.shelves
}

// placeRoot returns the project or the home of a skill that lies in a place where some agent looks.
func placeRoot(file string) (root string, ok bool) {
	inProject, inHome := agents.Places()
	for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) != "skills" {
			continue
		}
		for _, place := range slices.Concat(inProject, inHome) {
			if root, ok := strings.CutSuffix(filepath.Dir(dir), string(filepath.Separator)+filepath.FromSlash(place)); ok {
				return root, true
			}
		}
	}
	return "", false
}

// doc returns the checked document of a skill that was found; nil if it is not checked.
func (s *shelf) doc(i int) *document { return s.docs[files.Real(s.found[i].File)] }

// sees reports whether an agent's model sees a skill of that name, or of that file by another way.
func (s *shelf) sees(agent string, i int) bool {
	for k, v := range s.views[agent] {
		if v.Sight != agents.Invisible && (s.found[k].CalledName() == s.found[i].CalledName() ||
			files.Real(s.found[k].File) == files.Real(s.found[i].File)) {
			return true
		}
	}
	return false
}

// A gap is a place with skills that agents do not see there.
type gap struct {
	place, why string // why is "" if the place says it
	first      *document
	names      []string
	agents     []string
}

func agentPlace(w *whole) {
	for _, s := range w.shelves() {
		var all []*gap
		for _, agent := range w.opt.named() {
			for _, g := range s.gaps(agent) {
				same := slices.IndexFunc(all, func(o *gap) bool { return o.place == g.place && o.why == g.why && slices.Equal(o.names, g.names) })
				if same < 0 {
					same, all = len(all), append(all, g)
				}
				all[same].agents = append(all[same].agents, agent)
			}
		}
		for _, g := range all {
			w.tellGap(g)
		}
	}
}

// gaps finds what an agent does not see because of its place.
func (s *shelf) gaps(agent string) []*gap {
	var all []*gap
	for i, v := range s.views[agent] {
		f := &s.found[i]
		if v.Cause != agents.ByPlace || f.Inner || s.doc(i) == nil || s.sees(agent, i) {
			continue
		}
		place, why := path.Join(placeOf(f), "skills"), v.Why
		if !agents.Get(agent).LooksIn(f.Place, f.User) {
			why = ""
		}
		same := slices.IndexFunc(all, func(g *gap) bool { return g.place == place && g.why == why })
		if same < 0 {
			same, all = len(all), append(all, &gap{place: place, why: why, first: s.doc(i)})
		}
		all[same].names = append(all[same].names, f.CalledName())
	}
	return all
}

func placeOf(s *agents.Skill) string {
	if s.User {
		return "~/" + s.Place
	}
	return s.Place
}

func (w *whole) tellGap(g *gap) {
	start, end := g.first.nameRange()
	who, do := and(g.agents), verb(g.agents, "does", "do")
	if g.why != "" {
		why := strings.NewReplacer("it does", "they do", "it takes", "they take", "it looks", "they look").Replace(g.why)
		f := w.find(g.first, start, end, "%s %s not see %s in %s: %s", who, do, term.Several(g.names, 10), g.place, verb(g.agents, g.why, why))
		f.Agent = strings.Join(g.agents, ",")
		return
	}
	f := w.find(g.first, start, end, "%s %s not look in %s, and %s not see %s", who, do, g.place, do, term.Several(g.names, 10))
	f.Help = "every agent but Claude Code looks in .agents/skills: link the folder there; or give it the pages with skillhand mcp"
	f.Agent = strings.Join(g.agents, ",")
}

func agentList(w *whole) {
	for _, s := range w.shelves() {
		for _, agent := range w.opt.named() {
			var first *document
			var names []string
			least, most := 0, 0
			for i, v := range s.views[agent] {
				if v.Cause != agents.ByRoom {
					continue
				}
				if d := s.doc(i); d != nil && first == nil {
					first = d
				}
				if len(names) == 0 || v.Chars < least {
					least = v.Chars
				}
				most = max(most, v.Chars)
				names = append(names, s.found[i].CalledName())
			}
			if first == nil {
				continue
			}
			what := "their names alone"
			if most > 0 {
				what = fmt.Sprintf("the first %d characters of their descriptions", least)
			}
			f := w.find(first, first.describedAt[0], first.describedAt[1], "%s's list %s: of %s it shows its model %s: %s",
				agent, agents.Get(agent).Room(), term.Plural(len(names), "skill"), what, term.Several(names, 10))
			f.Help = "shorten the descriptions, or put first what says when to use a skill"
			f.Agent = agent
		}
	}
}

func agentHeadless(w *whole) {
	i := slices.IndexFunc(w.docs, func(d *document) bool { return d.file.Kind == Skill && d.fault == nil })
	if i < 0 {
		return
	}
	for _, agent := range w.opt.named() {
		if why := agents.Get(agent).Headless(); why != "" {
			d := w.docs[i]
			start, end := d.nameRange()
			f := w.find(d, start, end, "in %s no skill fires without a person: %s", agent, why)
			f.Help = "its yolo mode lets skills fire, and lets the model run anything"
			f.Agent = agent
		}
	}
}
