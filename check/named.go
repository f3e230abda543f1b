package check

import (
	"errors"
	"os"
	"slices"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
)

// Named puts the folder of a skill in the place of its name. A path that exists is taken for one, and so is -.
func Named(h Here, names []string) ([]string, error) {
	all := slices.Clone(names)
	for i, name := range all {
		if _, err := os.Stat(name); err == nil || files.Is(name) || name == "-" {
			continue
		}
		loc, err := h.Finder().Find(name)
		if err != nil {
			if missing, ok := errors.AsType[*find.NotFoundError](err); ok {
				missing.OrFile = true
			}
			return nil, err
		}
		all[i] = loc.Main().Folder
		if loc.Command {
			all[i] = loc.File
		}
	}
	return all, nil
}
