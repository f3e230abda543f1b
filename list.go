package skillhand

import (
	"errors"
	"strings"

	"github.com/skillhand/skillhand/skill"
)

// A Listed is a skill or command that can be loaded here by name.
//
// skillhand list --json prints one a line: schemas/list-v1.schema.json.
type Listed struct {
	skill.Location
	Owners      []string `json:"owners"`      // the agents known to read it where it is
	Description string   `json:"description"` // on one line; "" if there is none
	Trusted     bool     `json:"trusted"`     // whether its commands may run
	Error       string   `json:"error"`       // why it cannot be read, if it cannot

	Refused *NotTrusted `json:"-"` // why its commands may not run, or nil
}

// List returns what can be loaded here by name, in lookup order. The error says what could not be
// read.
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
		one := Listed{Location: loc, Owners: owners(loc)}
		one.Refused, _ = errors.AsType[*NotTrusted](policy.May(loc.File))
		one.Trusted = one.Refused == nil
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

// Locations returns the locations of all listed skills.
func Locations(all []Listed) []skill.Location {
	locs := make([]skill.Location, len(all))
	for i, one := range all {
		locs[i] = one.Location
	}
	return locs
}
