// Package visibility answers: which skills does an agent's model see, and how much of each?
//
// Every sentence about an agent here has a recorded answer of the real program behind it: testdata has skills, and what
// each agent sent of them to its model.
package visibility

import (
	"fmt"
	"slices"
	"strings"
)

// A Sight says whether an agent's model sees a skill.
type Sight string

// The sights.
const (
	Seen      Sight = "seen"
	Cut       Sight = "cut"       // the model sees the name, and not all of the description
	Invisible Sight = "invisible" // the model does not see it
	Unknown   Sight = "unknown"   // nobody knows, or it is not always the same
)

// A View is what an agent's model sees of a skill.
type View struct {
	Sight Sight
	Chars int    // characters of the description that it sees
	Why   string // why that is not all
	Cause Cause
	Field string // the field of the frontmatter that is the cause; "" if none is
}

// A Cause says what sort of thing keeps a skill, or a part of its description, from a model.
type Cause string

// The causes.
const (
	ByPlace  Cause = "place"  // the agent does not look there
	ByText   Cause = "text"   // the agent does not take the skill as it is written
	ByWish   Cause = "wish"   // the skill asks for it
	ByName   Cause = "name"   // another skill has its name
	ByRoom   Cause = "room"   // the list has no room for more
	ByLength Cause = "length" // the agent cuts a description of that length
)

// Agents are the names of the agents that are known, in their order.
func Agents() []string {
	var names []string
	for name := range known() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Places are the folders below a project and below the home in which any agent looks for skills.
func Places() (project, user []string) {
	for _, h := range known() {
		project, user = append(project, h.project...), append(user, h.user...)
	}
	slices.Sort(project)
	slices.Sort(user)
	return slices.Compact(project), slices.Compact(user)
}

// Looks are the folders below a project, or below the home, in which one agent looks for skills.
func Looks(agent string, user bool) []string { return known()[agent].places(user) }

// Owner is the agent whose own folder a place is, because no other looks there; "" if several do, or none.
func Owner(place string) string {
	owner := ""
	for name, h := range known() {
		switch looks := slices.Contains(h.project, place) || slices.Contains(h.user, place); {
		case looks && owner != "":
			return ""
		case looks:
			owner = name
		}
	}
	return owner
}

// Headless says why no skill fires in an agent that runs without a person, as it is; "" if one does.
func Headless(agent string) string { return known()[agent].headless }

// Room says how much an agent's list of skills holds; "" if nothing was seen to be too much.
func Room(agent string) string { return known()[agent].room }

// Obeys reports whether an agent hides a skill that wishes it.
func Obeys(agent string, wish FaultID) bool { return slices.Contains(known()[agent].obeys, wish) }

// Of is what an agent's model sees of a skill that it finds, whatever others there are.
func Of(agent string, s Skill) View {
	h := known()[agent]
	if v := h.leftOut(s); v.Sight != Seen {
		return v
	}
	return h.own(s)
}

// See is what an agent's model sees of all skills in the places of a project and of a home, in their order.
func See(agent string, all []Skill) []View {
	h := known()[agent]
	views := make([]View, len(all))
	var listed []int
	for i, s := range all {
		if views[i].Why = h.passesBy(s, all); views[i].Why != "" {
			views[i].Sight, views[i].Cause = Invisible, ByPlace
			continue
		}
		if views[i] = h.leftOut(s); views[i].Sight == Seen || views[i].Sight == Cut {
			listed = append(listed, i)
		}
	}
	listed = h.dropNamesakes(all, views, listed)
	for _, i := range listed {
		if views[i].Sight == Seen {
			views[i] = h.own(all[i])
		}
	}
	if h.fit != nil {
		slices.SortStableFunc(listed, func(a, b int) int { return listOrder(all[a], all[b]) })
		h.fit(all, views, listed)
	}
	return views
}

// passesBy says why an agent does not look where a skill lies; "" if it does.
func (h *habits) passesBy(s Skill, all []Skill) string {
	places := h.places(s.User)
	besideRoot := slices.ContainsFunc(all, func(o Skill) bool { return o.Folder == "" && o.Place == s.Place && o.User == s.User })
	switch {
	case !slices.Contains(places, s.Place):
		return "it looks in " + strings.Join(places, "/skills, ") + "/skills" + h.plugins
	case s.Folder == "" && !h.root:
		return "it looks in the folders below the folder of skills"
	case s.Folder == "":
	case besideRoot && h.rootAlone:
		return "with a SKILL.md in it, it takes the folder of skills for one skill"
	case strings.Contains(s.Folder, "/") && !h.nested:
		return "it does not look in folders within folders"
	case s.Inner && !h.inner:
		return "it does not look inside another skill's folder"
	case (strings.HasPrefix(s.Folder, ".") || strings.Contains(s.Folder, "/.")) && !h.dotted:
		return "it does not look in folders that begin with a dot"
	}
	return ""
}

// listOrder orders two skills as lists have them: the project's come before the user's, and each by their names.
func listOrder(a, b Skill) int {
	if a.User != b.User {
		return b2i(a.User) - b2i(b.User)
	}
	return strings.Compare(a.CalledName(), b.CalledName())
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (h *habits) places(user bool) []string {
	if user {
		return h.user
	}
	return h.project
}

// leftOut is what of a skill is kept back because of its text, or at its own wish.
func (h *habits) leftOut(s Skill) View {
	for _, f := range s.Faults {
		why := View{Sight: Invisible, Cause: ByText, Why: f.Text, Field: f.Field}
		switch {
		case slices.Contains(h.refuses, f.ID):
			return why
		case slices.Contains(h.unsure, f.ID):
			why.Sight = Unknown
			return why
		case slices.Contains(h.bare, f.ID):
			why.Sight = Cut
			return why
		}
	}
	if h.names != nil && s.Name != "" && !h.names(s.Name) {
		return View{Sight: Invisible, Cause: ByText, Field: "name", Why: fmt.Sprintf("it takes no skill that is called %q", s.Name)}
	}
	for _, w := range s.Wishes {
		if slices.Contains(h.obeys, w.ID) {
			return View{Sight: Invisible, Cause: ByWish, Why: w.Text, Field: w.Field}
		}
	}
	return View{Sight: Seen, Chars: s.Size()}
}

// own is how much an agent shows of one description.
func (h *habits) own(s Skill) View {
	if h.longest > 0 && s.Size() > h.longest {
		why := fmt.Sprintf("its list has at most %d characters of a description, and this one has %d", h.longest, s.Size())
		return View{Sight: Cut, Chars: h.longest - len("..."), Cause: ByLength, Why: why, Field: "description"}
	}
	return View{Sight: Seen, Chars: s.Size()}
}

// placed names a place with what it is below: ~/.agents for the home's.
func placed(s Skill) string {
	if s.User {
		return "~/" + s.Place
	}
	return s.Place
}

// dropNamesakes leaves one skill of a name, if the agent does.
func (h *habits) dropNamesakes(all []Skill, views []View, listed []int) []int {
	if h.namesakes {
		return listed
	}
	byName := map[string][]int{}
	for _, i := range listed {
		name := all[i].CalledName()
		byName[name] = append(byName[name], i)
	}
	return slices.DeleteFunc(listed, func(i int) bool {
		same := byName[all[i].CalledName()]
		if len(same) == 1 {
			return false
		}
		if h.order == nil {
			views[i] = View{Sight: Unknown, Cause: ByName, Why: "it takes one of the skills of this name, and not always the same"}
			return true
		}
		first := slices.MinFunc(same, func(a, b int) int {
			return slices.Index(h.order, placed(all[a])) - slices.Index(h.order, placed(all[b]))
		})
		if first == i {
			return false
		}
		views[i] = View{Sight: Invisible, Cause: ByName, Why: "it takes " + all[first].shortFile() + ", which has the same name"}
		return true
	})
}
