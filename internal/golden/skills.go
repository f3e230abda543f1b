package golden

import (
	"cmp"
	"errors"
	"slices"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/skill"
)

// Skills finds skills by name, or by the name or folder of their plugin. Without names it returns
// the skills of the project and of the plugin that f names.
func Skills(f find.Finder, names []string) ([]skill.Location, error) {
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
		if err == nil {
			all = append(all, loc)
			continue
		}
		in := inPlugin(f, name)
		if all = append(all, in...); len(in) == 0 {
			faults = append(faults, err)
		}
	}
	return all, errors.Join(faults...)
}

func inPlugin(f find.Finder, name string) []skill.Location {
	of := func(loc skill.Location) bool { return loc.Plugin == name }
	if files.Is(name) {
		f.PluginRoot = files.In(cmp.Or(f.Here, f.Dir), name)
		of = func(loc skill.Location) bool { return loc.From == skill.FromPlugin }
	}
	listed, _ := f.List() // errors concern other folders
	return slices.DeleteFunc(listed, func(loc skill.Location) bool { return loc.Command || !of(loc) })
}
