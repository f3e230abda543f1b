package find

import (
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

// A tier is one kind of place that skills or commands come from.
type tier struct {
	roots   iter.Seq[root]
	own     bool // it belongs to the user
	chosen  bool // the caller named it
	plugins bool // its skills are called plugin:name
	equal   bool // its roots have no order that people could know: a name that two of them have is reported
}

// protects reports whether an untrusted project must not hide what the tier has under a name.
func (t tier) protects(q query) bool { return t.own && (!t.plugins || q.qualified()) }

// find looks for a name in the tier's roots.
func (t tier) find(q query) (Found, error) {
	var found Found
	for r := range t.roots {
		loc, err := r.find(q)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case found.File != "":
			if err == nil && !found.includes(loc) {
				found.Others = append(found.Others, loc)
			}
			continue
		case err != nil && !r.canEnter():
			continue // a root that cannot be entered is treated as missing: List reports it
		}
		found.Location = loc
		if err != nil || !t.equal {
			return found, err
		}
	}
	if found.File == "" {
		return found, fs.ErrNotExist
	}
	return found, nil
}

// includes reports whether f already has a location, or a copy of it.
func (f Found) includes(loc skill.Location) bool {
	same := func(o skill.Location) bool { return o.File == loc.File || isCopy(o.File, loc.File) }
	return same(f.Location) || slices.ContainsFunc(f.Others, same)
}

// A search looks up a name, or lists everything. It reads nothing twice.
type search struct {
	finder  Finder
	query   query
	folders folders
	top     func() string // the top of the repository; "" outside of one
}

func (f Finder) search(q query) search {
	return search{f, q, folders{}, sync.OnceValue(func() string { return files.Top(f.Dir) })}
}

// tiers lists the places where a name is looked up, in order. Skills come before commands, as in
// Claude Code.
func (s search) tiers() []tier {
	return []tier{
		{roots: s.chosenRoots, chosen: true, equal: true},
		{roots: s.pluginRoots(false), chosen: true},
		{roots: s.agentRoots},
		{roots: s.layoutRoots(false), equal: true},
		{roots: s.moreRoots, equal: true},
		{roots: s.userRoots, own: true},
		{roots: s.installedRoots(false), own: true, plugins: true, equal: !s.query.qualified()},
		{roots: s.pluginRoots(true), chosen: true},
		{roots: s.commandRoots},
		{roots: s.layoutRoots(true), equal: true},
		{roots: s.userCommands, own: true},
		{roots: s.installedRoots(true), own: true, plugins: true, equal: !s.query.qualified()},
	}
}

func (s search) chosenRoots(yield func(root) bool) {
	for _, dir := range s.finder.Roots {
		for r := range s.folders.chosen(dir, skill.FromRoot) {
			if !yield(r) {
				return
			}
		}
	}
}

func (s search) pluginRoots(commands bool) iter.Seq[root] {
	return func(yield func(root) bool) {
		if s.finder.PluginRoot == "" {
			return
		}
		for r := range (Plugin{Root: s.finder.PluginRoot}).roots(skill.FromPlugin, commands) {
			if !yield(r) {
				return
			}
		}
	}
}

// agentRoots yields the folders of agents from the working folder up to the repository's top. It
// leaves out the user's own folders, which come later.
func (s search) agentRoots(yield func(root) bool) {
	for _, base := range s.upward() {
		for _, folder := range agents.SkillFolders(false) {
			r := root{dir: filepath.Join(base, folder), from: skill.FromProject}
			if missing(r.dir) || s.finder.isUsers(r.dir) {
				continue
			}
			if !yield(r) {
				return
			}
		}
	}
}

func (s search) commandRoots(yield func(root) bool) {
	for _, base := range s.upward() {
		r := root{dir: filepath.Join(base, ".claude", "commands"), from: skill.FromProject, command: true}
		if !missing(r.dir) && !s.finder.isUsers(r.dir) && !yield(r) {
			return
		}
	}
}

// layoutRoots yields the folders in which authors put skills or commands, in the working folder and
// in the repository. It also yields the working folder itself if that is a skill. The user's home
// is not a project.
func (s search) layoutRoots(commands bool) iter.Seq[root] {
	return func(yield func(root) bool) {
		bases := []string{s.finder.Dir}
		if top := s.top(); top != "" && top != s.finder.Dir {
			bases = append(bases, top)
		}
		for _, base := range bases {
			if s.finder.Home != "" && base == filepath.Clean(s.finder.Home) {
				continue
			}
			for r := range s.folders.layout(base, commands) {
				if !yield(r) {
					return
				}
			}
		}
		if own := s.finder.Dir; !commands && !missing(filepath.Join(own, skill.MainFile)) && !s.finder.isUsers(filepath.Dir(own)) {
			yield(root{dir: own, from: skill.FromProject, single: true})
		}
	}
}

func (s search) moreRoots(yield func(root) bool) {
	if s.finder.More == nil {
		return
	}
	for _, dir := range s.finder.More() {
		for r := range s.folders.chosen(dir, skill.FromProject) {
			if !yield(r) {
				return
			}
		}
	}
}

func (s search) userRoots(yield func(root) bool) {
	for _, dir := range s.finder.userSkills() {
		if !missing(dir) && !yield(root{dir: dir, from: skill.FromUser}) {
			return
		}
	}
}

func (s search) userCommands(yield func(root) bool) {
	if dir := s.finder.userCommandFolder(); dir != "" && !missing(dir) {
		yield(root{dir: dir, from: skill.FromUser, command: true})
	}
}

// installedRoots yields the folders of installed plugins. A plugin whose name is asked for comes
// first, because there may be hundreds.
func (s search) installedRoots(commands bool) iter.Seq[root] {
	return func(yield func(root) bool) {
		if s.finder.Installed == nil {
			return
		}
		if s.query.qualified() {
			for _, p := range s.finder.Installed(s.query.words[0]) {
				for r := range p.roots(skill.FromInstalled, commands) {
					if !yield(r) {
						return
					}
				}
			}
		}
		for _, p := range s.finder.Installed() {
			for r := range p.roots(skill.FromInstalled, commands) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// userSkills lists the user's own folders of skills. It ignores a relative home, which a project
// could choose.
func (f Finder) userSkills() []string {
	if !filepath.IsAbs(f.Home) {
		return nil
	}
	all := agents.SkillFolders(true)
	for i, folder := range all {
		all[i] = filepath.Join(f.Home, filepath.FromSlash(folder))
	}
	return all
}

func (f Finder) userCommandFolder() string {
	if !filepath.IsAbs(f.Home) {
		return ""
	}
	return filepath.Join(f.Home, ".claude", "commands")
}

// UserFolders lists all of the user's own folders of skills and commands.
func (f Finder) UserFolders() []string {
	all := f.userSkills()
	if dir := f.userCommandFolder(); dir != "" {
		all = append(all, dir)
	}
	return all
}

func (f Finder) isUsers(dir string) bool {
	return filepath.IsAbs(f.Home) && strings.HasPrefix(dir, filepath.Clean(f.Home)) && slices.Contains(f.UserFolders(), dir)
}

// Folders lists the folders that hold skills here, in the order of lookup. Then it lists the
// folders in which agents would look if they existed.
func (f Finder) Folders() []string {
	return f.folders(false, f.search(query{}).usual())
}

// usual lists the folders in which agents look for skills here, even if they do not exist.
func (s search) usual() []string {
	var all []string
	for _, base := range s.upward() {
		for _, folder := range agents.SkillFolders(false) {
			all = append(all, filepath.Join(base, folder))
		}
	}
	return append(append(all, filepath.Join(files.Around(s.finder.Dir), "skills")), s.finder.userSkills()...)
}

// CommandFolders lists the folders for commands, in the same order.
func (f Finder) CommandFolders() []string {
	var all []string
	for _, base := range f.search(query{}).upward() {
		all = append(all, filepath.Join(base, ".claude", "commands"))
	}
	if dir := f.userCommandFolder(); dir != "" {
		all = append(all, dir)
	}
	return f.folders(true, all)
}

// folders lists the folders of the tiers, then the folders in more that are not among them.
func (f Finder) folders(commands bool, more []string) []string {
	var all []string
	seen := map[string]bool{}
	add := func(dir string) {
		if !seen[dir] {
			seen[dir] = true
			all = append(all, dir)
		}
	}
	s := f.search(query{})
	for _, t := range s.tiers() {
		for r := range t.roots {
			switch {
			case r.command != commands || r.deep && !s.folders.holdSkills(r.dir):
			case r.single:
				add(filepath.Dir(r.dir))
			default:
				add(r.dir)
			}
		}
	}
	for _, dir := range more {
		add(dir)
	}
	return all
}

// holdSkills reports whether any folder in dir has a SKILL.md.
func (f folders) holdSkills(dir string) bool {
	return slices.ContainsFunc(f.below(dir), func(dir string) bool { return !missing(filepath.Join(dir, skill.MainFile)) })
}

// upward lists the working folder and its parents up to the top of its repository. Outside a
// repository, it lists the working folder alone.
func (s search) upward() []string {
	dirs := []string{s.finder.Dir}
	for dir := s.finder.Dir; s.top() != "" && dir != s.top() && dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}
