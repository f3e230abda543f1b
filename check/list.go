package check

import (
	"cmp"
	"slices"

	"github.com/skillhand/skillhand/internal/find"
)

// A List is the list of skills that Claude Code gives the model.
type List struct {
	Lines  []Line // in their order
	Budget int    // characters that the list may have
	Total  int    // characters that it would have with every description
}

// A Line is one skill of a list.
type Line struct {
	Name string
	File string // "" if it is in no file that was looked at
	Own  bool   // Claude Code brings the skill along
	Head int    // characters of the line without a description, its end included
	Text int    // characters that the description adds
	Bare bool   // the list has no room for the description
	Away bool   // it is in a plugin that is not installed: it is listed once that is
}

// List returns the list that Claude Code makes of the skills in files, of installed plugins' and of its own.
func (c *Checkup) List(files []File) List {
	opt := c.Options
	opt.rules = &settingsRules{}
	if opt.Listing.Also == nil {
		opt.Listing.Also = installedSkills(*opt.Settings)
	}
	w := &whole{opt: &opt}
	away := map[string]bool{}
	for _, f := range files {
		if f.As != InPlugin {
			d := open(f, &opt)
			d.close()
			w.docs = append(w.docs, d)
			continue
		}
		if (f.Kind == Skill || f.Kind == Command) && !slices.ContainsFunc(opt.Listing.Also, func(g File) bool { return g.Path == f.Path }) {
			f.Name = find.PluginName(f.Root)
			away[f.Path] = true
			opt.Listing.Also = append(opt.Listing.Also, f)
		}
	}
	found := list{&opt.Listing, slices.Concat(w.installed(), opt.Listing.ownSkills())}
	if lists := w.lists(); len(lists) > 0 {
		found = lists[0]
	}
	out := found.exported()
	for i := range out.Lines {
		out.Lines[i].Away = away[out.Lines[i].File]
	}
	return out
}

func (l list) exported() List {
	total, dropped := l.listing.arrange(l.skills)
	out := List{Budget: cmp.Or(l.listing.Budget, DefaultBudget), Total: total}
	for _, s := range l.skills {
		one := Line{Name: s.name, File: s.file, Own: s.own, Head: s.bare(), Text: s.more(), Bare: slices.Contains(dropped, s)}
		if s.doc != nil {
			one.File = s.doc.file.Path
		}
		out.Lines = append(out.Lines, one)
	}
	return out
}
