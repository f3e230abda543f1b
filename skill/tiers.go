package skill

import (
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/paths"
)

// agentFolders are where agents look for skills in a project, each in its folder skills.
var agentFolders = []string{
	".claude", ".agents", ".codex", ".cursor", ".github", ".gemini", ".opencode", ".qwen", ".pi", ".cline", ".continue",
}

// userFolders are where agents look for skills in the user's home.
var userFolders = []string{
	".claude", ".agents", ".codex", ".cursor", ".gemini", ".opencode", ".config/opencode", ".copilot", ".qwen", ".pi/agent", ".cline", ".continue",
	".config/agents",
}

// A tier is one kind of place that skills or commands come from.
type tier struct {
	roots   iter.Seq[root]
	own     bool // the user's
	chosen  bool // the caller named it
	plugins bool // what it has is called plugin:name
	equal   bool // its roots have no order that people could know: two of one name are reported
}

// protects reports whether what the tier has under a name must not be hidden by a project that nobody trusted.
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
			continue // such a root is as good as none: List names it
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

// includes reports whether a location is known already, by whichever path.
func (f Found) includes(loc Location) bool {
	same := func(o Location) bool { return o.File == loc.File || isCopy(o.File, loc.File) }
	return same(f.Location) || slices.ContainsFunc(f.Others, same)
}

// tiers lists where a name is looked up, in order: skills before commands, as in Claude Code.
func (f Finder) tiers(q query) []tier {
	return []tier{
		{roots: f.chosenRoots, chosen: true, equal: true},
		{roots: f.pluginRoots(false), chosen: true},
		{roots: f.agentRoots},
		{roots: f.layoutRoots(false), equal: true},
		{roots: f.moreRoots, equal: true},
		{roots: f.userRoots, own: true},
		{roots: f.installedRoots(q, false), own: true, plugins: true, equal: !q.qualified()},
		{roots: f.pluginRoots(true), chosen: true},
		{roots: f.commandRoots},
		{roots: f.layoutRoots(true), equal: true},
		{roots: f.userCommands, own: true},
		{roots: f.installedRoots(q, true), own: true, plugins: true, equal: !q.qualified()},
	}
}

func (f Finder) chosenRoots(yield func(root) bool) {
	for _, dir := range f.Roots {
		for r := range chosen(dir, FromRoot) {
			if !yield(r) {
				return
			}
		}
	}
}

func (f Finder) pluginRoots(commands bool) iter.Seq[root] {
	return func(yield func(root) bool) {
		if f.PluginRoot == "" {
			return
		}
		for r := range (Plugin{Root: f.PluginRoot}).roots(FromPlugin, commands) {
			if !yield(r) {
				return
			}
		}
	}
}

// agentRoots are the folders of agents from the working folder up to the repository's top. One in the user's home is
// the user's.
func (f Finder) agentRoots(yield func(root) bool) {
	for _, base := range upward(f.Dir) {
		for _, folder := range agentFolders {
			r := root{dir: filepath.Join(base, folder, "skills"), from: FromProject}
			if f.isUsers(r.dir) || missing(r.dir) {
				continue
			}
			if !yield(r) {
				return
			}
		}
	}
}

func (f Finder) commandRoots(yield func(root) bool) {
	for _, base := range upward(f.Dir) {
		r := root{dir: filepath.Join(base, ".claude", "commands"), from: FromProject, command: true}
		if !f.isUsers(r.dir) && !missing(r.dir) && !yield(r) {
			return
		}
	}
}

// layoutRoots are the project as authors lay it out: the repository, and the working folder in it. The user's home is
// no project.
func (f Finder) layoutRoots(commands bool) iter.Seq[root] {
	return func(yield func(root) bool) {
		bases := []string{f.Dir}
		if top := paths.Top(f.Dir); top != "" && top != f.Dir {
			bases = append(bases, top)
		}
		for _, base := range bases {
			if f.Home != "" && base == filepath.Clean(f.Home) {
				continue
			}
			for r := range layout(base, commands) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

func (f Finder) moreRoots(yield func(root) bool) {
	if f.More == nil {
		return
	}
	for _, dir := range f.More() {
		for r := range chosen(dir, FromProject) {
			if !yield(r) {
				return
			}
		}
	}
}

func (f Finder) userRoots(yield func(root) bool) {
	for _, dir := range f.userSkills() {
		if !missing(dir) && !yield(root{dir: dir, from: FromUser}) {
			return
		}
	}
}

func (f Finder) userCommands(yield func(root) bool) {
	if dir := f.userCommandFolder(); dir != "" && !missing(dir) {
		yield(root{dir: dir, from: FromUser, command: true})
	}
}

// installedRoots are those of installed plugins. A plugin whose name is asked for comes first: there may be hundreds.
func (f Finder) installedRoots(q query, commands bool) iter.Seq[root] {
	return func(yield func(root) bool) {
		if f.Installed == nil {
			return
		}
		if q.qualified() {
			for _, p := range f.Installed(q.words[0]) {
				for r := range p.roots(FromInstalled, commands) {
					if !yield(r) {
						return
					}
				}
			}
		}
		for _, p := range f.Installed() {
			for r := range p.roots(FromInstalled, commands) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// userSkills lists the folders of the user's own that skills are found in. A relative home would be the project's to
// choose.
func (f Finder) userSkills() []string {
	if !filepath.IsAbs(f.Home) {
		return nil
	}
	all := make([]string, len(userFolders))
	for i, folder := range userFolders {
		all[i] = filepath.Join(f.Home, filepath.FromSlash(folder), "skills")
	}
	return all
}

func (f Finder) userCommandFolder() string {
	if !filepath.IsAbs(f.Home) {
		return ""
	}
	return filepath.Join(f.Home, ".claude", "commands")
}

// UserFolders lists every folder of the user's own that skills and commands are found in.
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

// Folders lists the folders that hold skills here, in the order in which they are asked, and those that agents would
// look into, were they there.
func (f Finder) Folders() []string {
	var all []string
	for _, base := range upward(f.Dir) {
		for _, folder := range agentFolders {
			all = append(all, filepath.Join(base, folder, "skills"))
		}
	}
	all = append(append(all, filepath.Join(paths.Around(f.Dir), "skills")), f.userSkills()...)
	return f.folders(false, all)
}

// CommandFolders lists the folders that hold commands, in the same order.
func (f Finder) CommandFolders() []string {
	var all []string
	for _, base := range upward(f.Dir) {
		all = append(all, filepath.Join(base, ".claude", "commands"))
	}
	if dir := f.userCommandFolder(); dir != "" {
		all = append(all, dir)
	}
	return f.folders(true, all)
}

// folders lists those of the tiers, then those of more that are not among them.
func (f Finder) folders(commands bool, more []string) []string {
	var all []string
	seen := map[string]bool{}
	add := func(dir string) {
		if !seen[dir] {
			seen[dir] = true
			all = append(all, dir)
		}
	}
	for _, t := range f.tiers(query{}) {
		for r := range t.roots {
			switch {
			case r.command != commands || r.deep && !r.holdsSkills():
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

// holdsSkills reports whether a folder in the root has a SKILL.md.
func (r root) holdsSkills() bool {
	return slices.ContainsFunc(subfolders(r.dir), func(dir string) bool { return !missing(filepath.Join(dir, MainFile)) })
}

// upward lists dir and its parents up to the top of its repository; outside a repository, dir alone.
func upward(dir string) []string {
	top := paths.Top(dir)
	if top == "" {
		return []string{dir}
	}
	var dirs []string
	for ; ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == top || dir == filepath.Dir(dir) {
			return dirs
		}
	}
}
