package agents

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Sight says whether an agent's model sees a skill.
type Sight string

// The sights.
const (
	Seen      Sight = "seen"
	Cut       Sight = "cut"       // the model sees the name, but not all of the description
	Invisible Sight = "invisible" // the model does not see it
	Unknown   Sight = "unknown"   // nobody knows, or the answer varies
)

// A View is what an agent's model sees of a skill.
type View struct {
	Sight Sight
	Chars int    // how many characters of the description the model sees
	Why   string // why the model does not see all
	Cause Cause
	Field string // the field of the frontmatter that is the cause; "" if there is none
}

// A Cause names the kind of reason why a model does not see a skill, or a part of its description.
type Cause string

// The causes.
const (
	ByPlace  Cause = "place"  // the agent does not look there
	ByText   Cause = "text"   // the agent does not accept the skill as it is written
	ByWish   Cause = "wish"   // the skill asks for it
	ByName   Cause = "name"   // another skill has its name
	ByRoom   Cause = "room"   // the list has no room for more
	ByLength Cause = "length" // the agent cuts a description of that length
	ByTrust  Cause = "trust"  // the agent accepts it once the project is trusted
)

// Places returns the folders below a project and below the home that hold a folder of skills in
// which an agent looks. It knows only the agents whose lists are known.
func Places() (project, user []string) {
	for _, a := range table() {
		if a.list != nil {
			project, user = append(project, a.places(false)...), append(user, a.places(true)...)
		}
	}
	slices.Sort(project)
	slices.Sort(user)
	return slices.Compact(project), slices.Compact(user)
}

// places returns the folders that hold the agent's folders of skills.
func (a *Agent) places(user bool) []string {
	var all []string
	for _, folder := range a.folders(user).Skills {
		all = append(all, path.Dir(folder))
	}
	return all
}

// LooksIn reports whether the agent looks for skills in a place below a project, or below the home.
func (a *Agent) LooksIn(place string, user bool) bool { return slices.Contains(a.places(user), place) }

// Headless says why no skill fires in an agent that runs without a person and without further
// arguments; "" if skills do.
func (a *Agent) Headless() string { return a.list.headless }

// Room says how much an agent's list of skills holds; "" if no limit is known.
func (a *Agent) Room() string { return a.list.room }

// Obeys reports whether an agent hides a skill that has this wish.
func (a *Agent) Obeys(wish FaultID) bool { return slices.Contains(a.list.obeys, wish) }

// View returns what an agent's model sees of a skill that the agent finds, without regard to other
// skills.
func (a *Agent) View(s Skill) View {
	if v := a.list.leftOut(s); v.Sight != Seen {
		return v
	}
	return a.list.cutLong(s)
}

// Views returns what an agent's model sees of all skills in the places of a project and of a home, in their order.
func (a *Agent) Views(all []Skill) []View {
	list := a.list
	views := make([]View, len(all))
	var listed []int
	for i, s := range all {
		if views[i].Why = a.passesBy(s, all); views[i].Why != "" {
			views[i].Sight, views[i].Cause = Invisible, ByPlace
			continue
		}
		if views[i] = list.leftOut(s); views[i].Sight == Seen || views[i].Sight == Cut {
			listed = append(listed, i)
		}
	}
	listed = list.dropNamesakes(all, views, listed)
	for _, i := range listed {
		if views[i].Sight == Seen {
			views[i] = list.cutLong(all[i])
		}
	}
	if list.fit != nil {
		slices.SortStableFunc(listed, func(a, b int) int { return listOrder(all[a], all[b]) })
		list.fit(all, views, listed)
	}
	for _, i := range listed {
		if v := &views[i]; a.Approve != nil && !all[i].User && v.Sight == Seen {
			v.Sight, v.Cause = Unknown, ByTrust
			v.Why = "it takes a project's skills once it trusts the project: it asks you, or " + strings.Join(a.Approve, " ") + " tells it"
		}
	}
	return views
}

// passesBy says why an agent does not look where a skill is; "" if it does.
func (a *Agent) passesBy(s Skill, all []Skill) string {
	h := a.list
	besideRoot := slices.ContainsFunc(all, func(o Skill) bool { return o.Folder == "" && o.Place == s.Place && o.User == s.User })
	switch {
	case !a.LooksIn(s.Place, s.User):
		return "it looks in " + strings.Join(a.folders(s.User).Skills, ", ") + h.plugins
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

// listOrder compares two skills as lists order them. The project's skills come before the user's,
// and each group is sorted by name.
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

// leftOut returns what an agent shows of a skill, by the faults in its text and its own wishes.
func (h *profile) leftOut(s Skill) View {
	for _, f := range s.Faults {
		if f.ID == LowerFile && slices.Contains(h.lower, s.Place) {
			continue
		}
		why := View{Sight: Invisible, Cause: ByText, Why: f.Text, Field: f.Field}
		switch {
		case f.ID == LowerFile, slices.Contains(h.refuses, f.ID):
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

// cutLong returns what an agent shows of a skill whose description it may cut.
func (h *profile) cutLong(s Skill) View {
	if h.longest > 0 && s.Size() > h.longest {
		why := fmt.Sprintf("its list has at most %d characters of a description, and this one has %d", h.longest, s.Size())
		return View{Sight: Cut, Chars: h.longest - len("..."), Cause: ByLength, Why: why, Field: "description"}
	}
	return View{Sight: Seen, Chars: s.Size()}
}

// placed returns the name of a skill's place: ~/.agents for a place below the home.
func placed(s Skill) string {
	if s.User {
		return "~/" + s.Place
	}
	return s.Place
}

// dropNamesakes keeps one skill of each name, if the agent does so.
func (h *profile) dropNamesakes(all []Skill, views []View, listed []int) []int {
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
