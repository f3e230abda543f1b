package skillhand

import (
	"strings"

	"github.com/skillhand/skillhand/skill"
)

// A Listed is a skill, or command, that can be loaded here by its name.
//
// As JSON it is a line of what skillhand list --json prints: schemas/list-v1.schema.json.
type Listed struct {
	skill.Location
	Owners      []string `json:"owners"`      // the agents that read it where it lies; none if nobody is known to
	Description string   `json:"description"` // on one line; "" if there is none
	Trusted     bool     `json:"trusted"`     // its commands may run
	Error       string   `json:"error"`       // why it cannot be read, if so
}

// List returns what can be loaded here by name, in the order in which names are
// looked up, and what kept it from seeing more.
func (rt *Runtime) List() ([]Listed, []error) {
	p, err := rt.at("")
	if err != nil {
		return nil, []error{err}
	}
	found, faults := p.finder().List()
	c, err := p.Here.Config()
	faults = append(c.Faults(err), faults...)
	policy, owners := p.policy.Now(), p.Here.Tree().Owners()
	all := make([]Listed, 0, len(found))
	for _, loc := range found {
		one := Listed{Location: loc, Owners: owners(loc), Trusted: policy.May(loc.File) == nil}
		front, summary, err := loc.Front()
		switch {
		case err != nil:
			one.Error = err.Error()
		case front.Broken != "":
			one.Error, summary = front.Broken, ""
		}
		one.Description = strings.Join(strings.Fields(summary), " ")
		all = append(all, one)
	}
	return all, faults
}

// Locations returns where the listed are.
func Locations(all []Listed) []skill.Location {
	locs := make([]skill.Location, len(all))
	for i, one := range all {
		locs[i] = one.Location
	}
	return locs
}
