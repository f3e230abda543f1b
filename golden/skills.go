package golden

import (
	"errors"

	"github.com/skillhand/skillhand/skill"
)

// Skills finds the skills that are named, else those of the project and of the
// plugin that was named.
func Skills(f skill.Finder, names []string) ([]skill.Location, error) {
	var all []skill.Location
	if len(names) == 0 {
		listed, faults := f.List()
		for _, loc := range listed {
			if !loc.Command && !loc.IsOwn() {
				all = append(all, loc)
			}
		}
		return all, errors.Join(faults...)
	}
	var faults []error
	for _, name := range names {
		loc, err := f.Find(name)
		all, faults = append(all, loc), append(faults, err)
	}
	return all, errors.Join(faults...)
}
