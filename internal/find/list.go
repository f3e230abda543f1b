package find

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

// List returns the skills and commands that Find would find, in the order of their folders. Call is
// the name, plugin:name or path that finds each. Copies of a skill in the folders of several agents
// come once. The errors say what List skipped, and why. It skips folders that cannot be read, links
// in a circle, files that are not what they seem, and names that no skill can have.
func (f Finder) List() ([]skill.Location, []error) {
	s := f.search(query{})
	l := lister{
		finder: f, folders: s.folders, files: map[string]bool{}, reals: map[string]string{},
		walked: map[string]bool{}, said: map[string]bool{}, byName: map[string][]int{},
	}
	for _, t := range s.tiers() {
		for r := range t.roots {
			if r.command {
				l.commands(t, r, nil)
			} else {
				l.skills(t, r)
			}
		}
	}
	for _, dir := range s.usual() {
		if missing(dir) { // an error already names a folder that exists but cannot be read
			l.dead(dir)
		}
	}
	if f.PluginRoot != "" && missing(f.PluginRoot) {
		l.fault(fmt.Errorf("the plugin root: %s: not a folder", f.PluginRoot))
	}
	return l.named(), l.faults
}

type lister struct {
	finder  Finder
	folders folders
	all     []entry
	faults  []error
	files   map[string]bool   // the files that were seen, by their real paths
	reals   map[string]string // the real paths of folders of skills
	byName  map[string][]int  // indices of all
	walked  map[string]bool   // the folders of commands that were seen, by their real paths
	said    map[string]bool   // the faults that were noted
}

// An entry is a location in the list.
type entry struct {
	at   skill.Location
	tier tier
}

func (l *lister) fault(err error) {
	if text := err.Error(); !l.said[text] {
		l.said[text] = true
		l.faults = append(l.faults, err)
	}
}

// dead notes a link that leads nowhere.
func (l *lister) dead(path string) {
	if !isLink(path) {
		return
	}
	if dead := deadLink(path); dead != nil {
		l.fault(fmt.Errorf("%s: %w", path, dead))
	}
}

func (l *lister) skills(t tier, r root) {
	if r.single {
		l.add(t)(r.findSkill(filepath.Base(r.dir)))
		return
	}
	entries := l.entries(r.dir)
	companions := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return skill.IsCompanion(e.Name()) })
	for _, e := range entries {
		if e.Type().IsRegular() {
			continue
		}
		folder := filepath.Join(r.dir, e.Name())
		if err := checkName(skill.Plain(e.Name())); err != nil {
			if !missing(filepath.Join(folder, skill.MainFile)) {
				l.fault(fmt.Errorf("%s: not a skill that can be called: %w", visible(folder), err))
			}
			continue
		}
		if !companions && !holdsSkill(folder) {
			l.notSkill(folder, e)
			continue
		}
		loc, err := inFolder(folder, skill.Plain(e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			l.notSkill(folder, e)
		}
		l.add(t)(r.mark(loc), err)
	}
}

// holdsSkill reports whether a folder has one of the files that make it a skill. Most folders at a
// repository's top have none. Asking costs a fifth of inFolder.
func holdsSkill(folder string) bool {
	folder += string(filepath.Separator)
	return !absent(folder+skill.MainFile) || !absent(folder+skill.FirstUseFile) || !absent(folder+skill.ContentFile)
}

// notSkill notes why an entry of a folder of skills is not a skill, if it looks like one. Such an
// entry is a link that leads nowhere, or its file has almost the right name.
func (l *lister) notSkill(folder string, e fs.DirEntry) {
	if e.Type()&fs.ModeSymlink != 0 {
		l.dead(folder)
	}
	for _, base := range [...]string{"skill.md", "Skill.md"} {
		if file := folder + string(filepath.Separator) + base; !missing(file) && files.IsFile(file) {
			l.fault(fmt.Errorf("%s: not a skill: its file must be called %s, in capitals", file, skill.MainFile))
		}
	}
}

// visible returns a path quoted if people could not read it as it is.
func visible(path string) string {
	if quoted := fmt.Sprintf("%q", path); quoted != `"`+path+`"` {
		return quoted
	}
	return path
}

// commands lists a folder of commands and the folders in it. It lists each folder once, because
// links may lead back up.
func (l *lister) commands(t tier, r root, folders []string) {
	dir := filepath.Join(r.dir, filepath.Join(folders...))
	entries := l.entries(dir)
	if len(entries) == 0 {
		return
	}
	real, err := filepath.EvalSymlinks(dir)
	if err == nil && l.walked[real] {
		if len(folders) > 0 {
			l.fault(fmt.Errorf("%s: a link to a folder that is already listed", dir))
		}
		return
	}
	if err != nil {
		l.fault(fmt.Errorf("%s: %w", dir, files.Cause(err)))
		return
	}
	l.walked[real] = true
	for _, e := range entries {
		name, isFile := strings.CutSuffix(e.Name(), ".md")
		if err := checkName(name); err != nil {
			if isFile {
				l.fault(fmt.Errorf("%s: not a command that can be called: %w", visible(filepath.Join(dir, e.Name())), err))
			}
			continue
		}
		words := slices.Concat(folders, []string{name})
		switch {
		case e.Name() == skill.MainFile && len(folders) > 0:
			l.add(t)(r.findCommand(query{words: folders}))
		case isFile:
			l.add(t)(r.findCommand(query{words: words}))
		case e.IsDir() || e.Type()&fs.ModeSymlink != 0 && files.IsFolder(filepath.Join(dir, e.Name())):
			l.commands(t, r, words)
		}
	}
}

// entries reads a folder. A missing folder has no entries.
func (l *lister) entries(dir string) []fs.DirEntry {
	entries, err := l.folders.read(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.fault(fmt.Errorf("%s: %w", dir, files.Cause(err)))
	}
	return entries
}

// add returns a function that lists a location, unless it is listed already.
func (l *lister) add(t tier) func(skill.Location, error) {
	return func(loc skill.Location, err error) {
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			l.fault(err)
		case l.known(t, loc):
		default:
			l.byName[loc.Name] = append(l.byName[loc.Name], len(l.all))
			l.all = append(l.all, entry{loc, t})
		}
	}
}

// known reports whether a skill is already listed by another path. Agents have copies of one skill
// in their folders, and people see them as one skill. Copies that an author made are all listed.
func (l *lister) known(t tier, loc skill.Location) bool {
	real := l.real(loc.File)
	if l.files[real] {
		return true
	}
	l.files[real] = true
	return !t.equal && slices.ContainsFunc(l.byName[loc.Name], func(i int) bool { return isCopy(l.all[i].at.File, loc.File) })
}

// real returns the real path of a file. Most skills are beside each other, so the real path of the
// folder around them is looked up once.
func (l *lister) real(file string) string {
	folder := filepath.Dir(file)
	above := filepath.Dir(folder)
	if isLink(file) || isLink(folder) {
		return files.Real(file)
	}
	if _, known := l.reals[above]; !known {
		l.reals[above] = files.Real(above)
	}
	return filepath.Join(l.reals[above], filepath.Base(folder), filepath.Base(file))
}

// isCopy reports whether two files have the same content.
func isCopy(a, b string) bool {
	one, err := files.ReadFile(a)
	if err != nil {
		return false
	}
	other, err := files.ReadFile(b)
	return err == nil && bytes.Equal(one, other)
}

// named sets the Call of each location. The first location of a name gets that name, as in Find.
func (l *lister) named() []skill.Location {
	taken := map[string]bool{}
	for _, same := range l.byName {
		l.call(l.first(same, false), taken, func(e *entry) string { return e.at.Name })
	}
	all := make([]skill.Location, len(l.all))
	for i := range l.all {
		e := &l.all[i]
		if e.at.Call == "" && e.at.Plugin != "" {
			same := slices.DeleteFunc(slices.Clone(l.byName[e.at.Name]), func(j int) bool { return l.all[j].at.Plugin != e.at.Plugin })
			l.call(l.first(same, true), taken, func(e *entry) string { return e.at.Plugin + ":" + e.at.Name })
		}
		if e.at.Call == "" {
			e.at.Call = l.finder.Near(e.at)
		}
		all[i] = e.at
	}
	return all
}

// first returns the location that Find takes: the first, or the user's own if the first is not
// trusted.
func (l *lister) first(same []int, qualified bool) int {
	first := &l.all[same[0]]
	if first.tier.own || first.tier.chosen || l.finder.trusts(first.at.File) {
		return same[0]
	}
	for _, i := range same {
		if t := l.all[i].tier; t.own && (!t.plugins || qualified) {
			return i
		}
	}
	return same[0]
}

// call gives a location a name, unless something else has that name.
func (l *lister) call(i int, taken map[string]bool, name func(*entry) string) {
	if e := &l.all[i]; e.at.Call == "" && !taken[name(e)] {
		e.at.Call = name(e)
		taken[e.at.Call] = true
	}
}
