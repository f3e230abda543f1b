package agent

import (
	"fmt"
	"slices"
	"strings"
)

// A Skill is what decides whether an agent shows a skill to its model.
type Skill struct {
	Name        string
	Place       string // the folder below the project or the home that has its skills folder, such as .claude
	User        bool   // it is below the home
	Named       bool   // its frontmatter has a name
	Hidden      bool   // its frontmatter has disable-model-invocation
	Description int    // its length, in characters
}

// A Sight says whether an agent's model sees a skill.
type Sight string

// The sights.
const (
	Seen      Sight = "seen"
	Cut       Sight = "cut"       // the model sees the name, and not all of the description
	Invisible Sight = "invisible" // the model does not see it
)

// habits are how an agent lists skills. testdata/lists.json has what each was recorded to do.
type habits struct {
	project, user []string // places, as in Skill.Place
	obeysHidden   bool     // disable-model-invocation hides a skill
	needsName     bool     // a skill without a name is left out
	room          int      // characters for all descriptions; 0 means that none is cut
	shares        bool     // beyond that each description is cut; else those that come late in the alphabet go
	longest       int      // characters of one description; 0 means any number
}

// known are the habits, by agent. Copilot was not seen to obey or to ignore disable-model-invocation.
var known = map[string]habits{
	Claude:     {project: []string{".claude"}, user: []string{".claude"}, obeysHidden: true},
	"codex":    {project: []string{".agents", ".codex"}, user: []string{".agents", ".codex"}, room: 120 * 130, shares: true, longest: 1024},
	"copilot":  {project: []string{".agents", ".claude", ".github"}, user: []string{".agents", ".copilot"}, room: 20 * 640, needsName: true},
	"gemini":   {project: []string{".agents", ".gemini"}, user: []string{".agents", ".gemini"}, needsName: true},
	"opencode": {project: []string{".agents", ".claude", ".opencode"}, user: []string{".agents", ".claude", ".config/opencode", ".opencode"}, needsName: true},
	"pi":       {project: []string{".agents", ".pi"}, user: []string{".agents"}, obeysHidden: true},
	"qwen":     {project: []string{".agents", ".qwen"}, user: []string{".agents", ".qwen"}, obeysHidden: true, needsName: true},
}

// Places are the folders below a project and below the home in which any agent looks for skills.
func Places() (project, user []string) {
	for _, name := range Names() {
		project, user = append(project, known[name].project...), append(user, known[name].user...)
	}
	slices.Sort(project)
	slices.Sort(user)
	return slices.Compact(project), slices.Compact(user)
}

// Sees says which of all skills here an agent's model sees, in their order, and why not.
func Sees(name string, all []Skill) (sights []Sight, why []string) {
	h := known[name]
	sights, why = make([]Sight, len(all)), make([]string, len(all))
	var listed []int
	total := 0
	for i, s := range all {
		sights[i], why[i] = Seen, h.invisible(s)
		if why[i] != "" {
			sights[i] = Invisible
			continue
		}
		listed, total = append(listed, i), total+s.Description
	}
	if h.room > 0 && total > h.room && !h.shares {
		slices.SortStableFunc(listed, func(a, b int) int { return strings.Compare(all[a].Name, all[b].Name) })
	}
	used := 0
	for _, i := range listed {
		size := all[i].Description
		used += size
		switch {
		case h.room > 0 && total > h.room && h.shares && size > h.room/len(listed):
			sights[i], why[i] = Cut, fmt.Sprintf("with %d skills its list has room for about %d characters of each description", len(listed), h.room/len(listed))
		case h.room > 0 && !h.shares && used > h.room:
			sights[i], why[i] = Cut, fmt.Sprintf("its list has room for about %d characters of descriptions, in the order of names: only the name is listed", h.room)
		case h.longest > 0 && size > h.longest:
			sights[i], why[i] = Cut, fmt.Sprintf("its list has at most %d characters of a description", h.longest)
		}
	}
	return sights, why
}

// invisible says why an agent does not list a skill, however few there are; "" if it does.
func (h habits) invisible(s Skill) string {
	places := h.project
	if s.User {
		places = h.user
	}
	switch {
	case !slices.Contains(places, s.Place):
		return "it looks in " + strings.Join(places, "/skills, ") + "/skills"
	case s.Hidden && h.obeysHidden:
		return "disable-model-invocation hides it"
	case !s.Named && h.needsName:
		return "its frontmatter has no name"
	}
	return ""
}
