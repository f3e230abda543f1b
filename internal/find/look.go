package find

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

// A Finder finds skills and commands by name. Only Dir is required.
type Finder struct {
	Dir        string   // the folder to search, with the folders above it
	Here       string   // where relative paths start; "" means Dir
	Home       string   // the user's home, or ""
	Roots      []string // folders of skills that the caller chose; they are searched first
	PluginRoot string   // the plugin that the caller named, or ""

	More      func() []string                // further folders of the project; nil means none
	Installed func(names ...string) []Plugin // the plugins that Claude Code would load here, all or those of these names; nil means none
	Trusted   func(path string) bool         // reports whether a skill at path may hide one of the user's own; nil means no
}

// Find looks up a skill by name, by plugin:name, or by the path of its folder or file. If there is
// none, it looks up a command by name, by folder:name or by plugin:name.
func (f Finder) Find(name string) (skill.Location, error) {
	found, err := f.Look(name)
	return found.Location, err
}

// A Found is the location that a name stands for. Others are the other locations with that name, if
// nobody could know which one is meant.
type Found struct {
	skill.Location
	Others []skill.Location
	note   string
}

// Note says in one line that there are others, and how to name them; "" if there are none.
func (f Found) Note() string { return f.note }

// Path returns the folder of the skill that has this name, if no file has it. Otherwise it returns
// name.
func (f Finder) Path(name string) string {
	if _, err := os.Lstat(name); err == nil || files.Is(name) {
		return name
	}
	if found, err := f.Look(name); err == nil {
		return found.Folder
	}
	return name
}

// Look works as Find does, and also returns the others that have the same name.
func (f Finder) Look(name string) (Found, error) {
	if files.Is(name) {
		loc, err := f.byPath(name)
		return Found{Location: loc}, err
	}
	q := newQuery(name)
	for _, word := range q.words {
		if err := checkName(word); err != nil {
			return Found{}, fmt.Errorf("%q: %w", name, err)
		}
	}
	var withheld *attempt
	for _, t := range f.search(q).tiers() {
		if withheld != nil && !t.protects(q) {
			continue
		}
		found, err := t.find(q)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case withheld != nil:
			if err == nil {
				return withheld.insteadOf(f, name, found), nil
			}
		case t.own || t.chosen || f.trusts(found.File):
			found.note = f.ambiguous(name, found)
			return found, err
		default:
			found.note = f.ambiguous(name, found)
			withheld = &attempt{found, err}
		}
	}
	if withheld != nil {
		return withheld.found, withheld.err
	}
	return Found{}, f.missed(name, q)
}

// An attempt is what an untrusted project has under a name. It never hides a skill of the user's
// own.
type attempt struct {
	found Found
	err   error
}

// insteadOf returns the user's own skill, with a note about the project's.
func (a *attempt) insteadOf(f Finder, name string, own Found) Found {
	own.Others = append([]skill.Location{a.found.Location}, a.found.Others...)
	own.note = fmt.Sprintf("%s is your own, %s: the one in this project, which is not trusted, is %s",
		name, own.File, f.Near(a.found.Location))
	return own
}

func (f Finder) trusts(path string) bool { return f.Trusted != nil && f.Trusted(path) }

// ambiguous says which other locations a name could mean.
func (f Finder) ambiguous(name string, found Found) string {
	if len(found.Others) == 0 {
		return ""
	}
	all := make([]string, 0, len(found.Others))
	for _, o := range found.Others {
		if o.Plugin != "" && o.Plugin != found.Plugin {
			all = append(all, o.Plugin+":"+o.Name)
		} else {
			all = append(all, f.Near(o))
		}
	}
	have := "have"
	if len(all) == 1 {
		have = "has"
	}
	return fmt.Sprintf("%s is taken to be %s: %s %s the same name", name, f.Near(found.Location), listed(all), have)
}

// Near returns the path by which a person here can name a location.
func (f Finder) Near(loc skill.Location) string {
	path := loc.Main().Folder
	if loc.Command {
		path = loc.File
	}
	if rel, err := filepath.Rel(cmp.Or(f.Here, f.Dir), path); err == nil && filepath.IsLocal(rel) {
		return "." + string(filepath.Separator) + rel
	}
	return path
}

// A query is a name, split at its colons.
type query struct {
	name  string
	words []string
}

func newQuery(name string) query { return query{name, strings.Split(name, ":")} }

// qualified reports whether the name may begin with a plugin's name.
func (q query) qualified() bool { return len(q.words) > 1 }

// rest returns what follows the plugin's name.
func (q query) rest() string { return q.name[len(q.words[0])+1:] }

func (f Finder) byPath(path string) (skill.Location, error) {
	abs := files.In(cmp.Or(f.Here, f.Dir), path)
	info, err := os.Stat(abs)
	if err != nil {
		return skill.Location{}, fmt.Errorf("%s: %w", path, files.Cause(err))
	}
	if !info.IsDir() {
		folder := filepath.Dir(abs)
		loc := skill.Location{Name: skill.Plain(filepath.Base(folder)), File: abs, Folder: folder}
		if stem, ok := strings.CutSuffix(filepath.Base(abs), ".md"); ok && filepath.Base(folder) == "commands" && checkName(stem) == nil {
			loc.Name, loc.Command = stem, true
		}
		return loc, checkFile(loc)
	}
	loc, err := inFolder(abs, skill.Plain(filepath.Base(abs)))
	if errors.Is(err, fs.ErrNotExist) {
		return skill.Location{}, &noSkillError{path, skillsBelow(abs)}
	}
	return loc, err
}

// A noSkillError says that a folder has no SKILL.md, and which skills are in it.
type noSkillError struct {
	path  string
	below []string
}

func (e *noSkillError) Error() string {
	text := e.path + ": no SKILL.md here"
	if len(e.below) > 0 {
		text += "; skills in it: " + listed(e.below)
	}
	return text
}

func (e *noSkillError) Unwrap() error { return fs.ErrNotExist }

func skillsBelow(dir string) (names []string) {
	for _, below := range (folders{}).below(dir) {
		if files.IsFile(filepath.Join(below, skill.MainFile)) {
			names = append(names, filepath.Base(below))
		}
	}
	return names
}

// A root is a folder that holds skills or commands.
type root struct {
	dir     string
	from    string
	plugin  func() string // the plugin's name; nil if the root belongs to no plugin
	single  bool          // the folder is one skill
	deep    bool          // the folder is in a folder of skills, and may hold no skill
	command bool
}

// find looks for a name in the root. Only the name of a plugin and, for a command, the names of
// folders may come before it.
func (r root) find(q query) (skill.Location, error) {
	if r.command {
		return r.findCommand(q)
	}
	loc, err := r.findSkill(q.name)
	if errors.Is(err, fs.ErrNotExist) && q.qualified() && r.plugin != nil && r.has(q.rest()) && r.plugin() == q.words[0] {
		return r.findSkill(q.rest())
	}
	return loc, err
}

func (r root) has(name string) bool {
	folder := r.folder(name)
	return folder != "" && (!missing(folder) || !missing(skill.Companion(folder)))
}

// folder returns where a skill of this name would be, or "".
func (r root) folder(name string) string {
	if !r.single {
		return filepath.Join(r.dir, name)
	}
	if skill.Plain(filepath.Base(r.dir)) != skill.Plain(name) {
		return ""
	}
	return r.dir
}

func (r root) findSkill(name string) (skill.Location, error) {
	if !r.has(name) {
		return skill.Location{}, fs.ErrNotExist
	}
	loc, err := inFolder(r.folder(name), skill.Plain(name))
	return r.mark(loc), err
}

// findCommand looks for folder/name.md, and for folder/name/SKILL.md, which Claude Code also
// accepts.
func (r root) findCommand(q query) (skill.Location, error) {
	words := q.words
	if q.qualified() && r.plugin != nil && r.plugin() == words[0] {
		words = words[1:]
	}
	path := filepath.Join(r.dir, filepath.Join(words...))
	if !files.Inside(r.dir, path) {
		return skill.Location{}, fs.ErrNotExist
	}
	for _, file := range []string{path + ".md", filepath.Join(path, skill.MainFile)} {
		loc := r.mark(skill.Location{Name: strings.Join(words, ":"), File: file, Folder: r.dir})
		if err := checkFile(loc); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return loc, err
		}
	}
	return skill.Location{}, fs.ErrNotExist
}

func (r root) mark(loc skill.Location) skill.Location {
	loc.From, loc.Command = r.from, r.command
	if r.plugin != nil {
		loc.Plugin = r.plugin()
	}
	return loc
}

func (r root) canEnter() bool {
	_, err := os.Stat(r.dir + string(filepath.Separator) + ".")
	return err == nil
}

// inFolder finds the file of the skill in folder: its companion's file, its text, or its SKILL.md.
func inFolder(folder, name string) (skill.Location, error) {
	tries := [...]skill.Location{
		{Folder: skill.Companion(folder), File: skill.MainFile},
		{Folder: folder, File: skill.FirstUseFile},
		{Folder: folder, File: skill.ContentFile},
		{Folder: folder, File: skill.MainFile},
	}
	for _, loc := range tries {
		loc.Name, loc.File = name, filepath.Join(loc.Folder, loc.File)
		if err := checkFile(loc); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return loc, err
		}
	}
	return skill.Location{}, fs.ErrNotExist
}

// checkFile returns an error if a location's file does not exist, or may not be read as its skill's
// file.
func checkFile(loc skill.Location) error {
	if absent(loc.File) {
		return fs.ErrNotExist
	}
	return loc.Check()
}
