package skill

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/skillhand/skillhand/internal/cause"
	"github.com/skillhand/skillhand/internal/paths"
)

// A Finder knows the folders in which skills and commands are looked for.
type Finder struct {
	PluginRoot string   // the plugin that was named, or ""
	Dir        string   // the folder to look in, and above
	Here       string   // where relative paths start; "" means Dir
	Home       string   // the user's home, or ""
	Extra      []string // further folders of skills, looked into last
}

// Where a skill comes from.
const (
	FromPlugin  = "plugin"
	FromProject = "project"
	FromUser    = "user"
	FromExtra   = "extra" // one of the Finder's Extra folders
)

// A Location is where a skill or command was found.
type Location struct {
	Name    string `json:"name"`             // foo, also for a plugin's plug:foo and for foo-first-use/SKILL.md; for a command in a folder folder:foo
	Plugin  string `json:"plugin,omitempty"` // the plugin's name, if it is from one
	From    string `json:"from"`             // one of the constants above; "" if it was named by its path
	Command bool   `json:"command"`          // commands/foo.md, no skill
	File    string `json:"file"`             // the file to read
	Folder  string `json:"-"`                // the skill's folder, or that of all commands, as it was found: File, links resolved, lies inside it
}

// Find looks a skill up by name, by plugin:name, or by the path of its folder
// or file; then a command, by name, by folder:name or by plugin:name.
func (f Finder) Find(name string) (Location, error) {
	if paths.Is(name) {
		return f.byPath(name)
	}
	words := strings.Split(name, ":")
	for _, word := range words {
		if err := checkName(word); err != nil {
			return Location{}, fmt.Errorf("%q: %w", name, err)
		}
	}
	for _, root := range f.roots() {
		if missing(root.dir) {
			continue
		}
		loc, err := root.find(words)
		// A root that cannot be entered is as good as none: List names it.
		if err == nil || !errors.Is(err, fs.ErrNotExist) && root.canEnter() {
			return loc, err
		}
	}
	if len(words) == 2 {
		if err := f.checkPlugin(name, words[0]); err != nil {
			return Location{}, err
		}
	}
	return Location{}, f.missing(name, words[len(words)-1])
}

// A root is a folder that holds skills or commands.
type root struct {
	dir     string
	from    string
	plugin  func() string // its name; nil if it is of no plugin
	command bool
}

// lookup says in which folders names are looked up, in order: skills before
// commands, as in Claude Code; what other agents read comes after what Claude
// Code does. A project's come for each folder up to the top of its repository.
var lookup = []struct {
	from    string
	folders []string
}{
	{FromPlugin, []string{"skills"}},
	{FromProject, []string{".claude/skills", ".agents/skills"}},
	{FromUser, []string{".claude/skills", ".agents/skills"}},
	{FromProject, []string{".github/skills", ".gemini/skills", ".opencode/skills"}},
	{FromUser, []string{".config/agents/skills"}},
	{FromExtra, []string{""}},
	{FromPlugin, []string{"commands"}},
	{FromProject, []string{".claude/commands"}},
	{FromUser, []string{".claude/commands"}},
}

// roots lists the folders in which names are looked up, in order.
func (f Finder) roots() []root {
	bases := map[string][]string{FromProject: upward(f.Dir), FromUser: f.homes(), FromExtra: f.Extra}
	var plugin func() string
	if f.PluginRoot != "" {
		bases[FromPlugin] = []string{f.PluginRoot}
		plugin = sync.OnceValue(func() string { return PluginName(f.PluginRoot) })
	}
	home := filepath.Clean(f.Home)
	all := make([]root, 0, 16)
	for _, where := range lookup {
		for _, base := range bases[where.from] {
			for _, folder := range where.folders {
				r := root{dir: below(base, folder), from: where.from, command: strings.HasSuffix(folder, "commands")}
				switch {
				case slices.ContainsFunc(all, func(other root) bool { return other.dir == r.dir }):
					continue
				case r.from == FromPlugin:
					r.plugin = plugin
				case r.from == FromProject && base == home && slices.Contains(f.UserFolders(), r.dir):
					r.from = FromUser
				}
				all = append(all, r)
			}
		}
	}
	return all
}

func below(base, folder string) string {
	if folder == "" {
		return base
	}
	return filepath.Join(base, filepath.FromSlash(folder))
}

func (r root) canEnter() bool {
	_, err := os.Stat(r.dir + string(filepath.Separator) + ".")
	return err == nil
}

// find looks for a name in the root. Only a plugin's name and, for a command,
// folders may stand before it.
func (r root) find(words []string) (Location, error) {
	if len(words) > 1 && r.plugin != nil && words[0] == r.plugin() {
		words = words[1:]
	}
	if r.command {
		return r.findCommand(words)
	}
	if len(words) > 1 {
		return Location{}, fs.ErrNotExist
	}
	loc, err := inFolder(filepath.Join(r.dir, words[0]), words[0])
	return r.mark(loc), err
}

// findCommand looks for folder/name.md, and for folder/name/SKILL.md, which
// Claude Code takes too.
func (r root) findCommand(words []string) (Location, error) {
	path := filepath.Join(r.dir, filepath.Join(words...))
	for _, file := range []string{path + ".md", filepath.Join(path, MainFile)} {
		loc := r.mark(Location{Name: strings.Join(words, ":"), File: file, Folder: r.dir})
		if err := checkFile(loc); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return loc, err
		}
	}
	return Location{}, fs.ErrNotExist
}

// mark says in a location where it is from.
func (r root) mark(loc Location) Location {
	loc.From, loc.Command = r.from, r.command
	if r.plugin != nil {
		loc.Plugin = r.plugin()
	}
	return loc
}

// Roots lists the folders that hold skills, in the order in which they are asked.
func (f Finder) Roots() []string { return f.rootsOf(false) }

// CommandRoots lists the folders that hold commands, in the same order.
func (f Finder) CommandRoots() []string { return f.rootsOf(true) }

func (f Finder) rootsOf(commands bool) []string {
	var dirs []string
	for _, r := range f.roots() {
		if r.command == commands {
			dirs = append(dirs, r.dir)
		}
	}
	return dirs
}

// UserFolders lists every folder of the user's own that skills and commands are found in.
func (f Finder) UserFolders() []string {
	var all []string
	for _, where := range lookup {
		if where.from != FromUser {
			continue
		}
		for _, home := range f.homes() {
			for _, folder := range where.folders {
				all = append(all, below(home, folder))
			}
		}
	}
	return all
}

// homes is the user's home. A relative one would be the project's to choose.
func (f Finder) homes() []string {
	if !filepath.IsAbs(f.Home) {
		return nil
	}
	return []string{f.Home}
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

func checkName(name string) error {
	if name == "" {
		return errors.New("the skill's name is empty")
	}
	if name == ".." || strings.Contains(name, "..") {
		return errors.New(`a skill's name cannot contain ".."; to name a folder, write its path with a /`)
	}
	for _, r := range name {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.", r)) {
			return fmt.Errorf("a skill's name may contain only letters, digits, -, _ and ., not %q", r)
		}
	}
	return nil
}

func (f Finder) byPath(path string) (Location, error) {
	abs := path
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(cmp.Or(f.Here, f.Dir), path)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return Location{}, fmt.Errorf("%s: %w", path, cause.Of(err))
	}
	if !info.IsDir() {
		folder := filepath.Dir(abs)
		loc := Location{Name: Plain(filepath.Base(folder)), File: abs, Folder: folder}
		if stem, ok := strings.CutSuffix(filepath.Base(abs), ".md"); ok && filepath.Base(folder) == "commands" && checkName(stem) == nil {
			loc.Name, loc.Command = stem, true
		}
		return loc, checkFile(loc)
	}
	loc, err := inFolder(abs, Plain(filepath.Base(abs)))
	if errors.Is(err, fs.ErrNotExist) {
		return Location{}, fmt.Errorf("%s: no SKILL.md here", path)
	}
	return loc, err
}

// inFolder finds the file of the skill in folder: its companion's, its text, its SKILL.md.
func inFolder(folder, name string) (Location, error) {
	tries := [...]Location{
		{Folder: Companion(folder), File: MainFile},
		{Folder: folder, File: textFiles[0]},
		{Folder: folder, File: textFiles[1]},
		{Folder: folder, File: MainFile},
	}
	for _, loc := range tries {
		loc.Name, loc.File = name, filepath.Join(loc.Folder, loc.File)
		if err := checkFile(loc); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return loc, err
		}
	}
	return Location{}, fs.ErrNotExist
}

// checkFile reports whether a location's file is there and, links resolved,
// lies in the skill's own folder. The folder itself may be a link: installers
// make such. A linked file could be any file of the user's.
func checkFile(loc Location) error {
	info, err := os.Lstat(loc.File)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return fs.ErrNotExist
	case errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		return fmt.Errorf("%s: %w", loc.File, cause.Of(err))
	case info.Mode().IsRegular() && loc.direct():
		return nil
	}
	if info, err = os.Stat(loc.File); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: a broken link", loc.File)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", loc.File, cause.Of(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", loc.File)
	}
	real, _, err := loc.where()
	if err != nil {
		return err
	}
	return real.check(loc)
}

// LinksOut reports whether a file is a link to one that lies outside its folder, and to which. The
// folder itself may be a link: installers make such.
func LinksOut(file string) (real string, out bool) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	return real, err != nil || !paths.Inside(dir, real)
}

func (f Finder) checkPlugin(name, plugin string) error {
	if f.PluginRoot == "" {
		return fmt.Errorf("%s: no such command, and no plugin is named: use --plugin-root or set CLAUDE_PLUGIN_ROOT", name)
	}
	if have := PluginName(f.PluginRoot); have != plugin {
		return fmt.Errorf("%s: the plugin at %s is called %s", name, f.PluginRoot, have)
	}
	return nil
}

// PluginName returns what a plugin calls itself, else its folder's name.
func PluginName(root string) string {
	var manifest struct{ Name string }
	data, err := ReadFile(filepath.Join(root, ".claude-plugin", "plugin.json"))
	if err == nil && json.Unmarshal(data, &manifest) == nil && manifest.Name != "" {
		return manifest.Name
	}
	return filepath.Base(root)
}

// missing is the error for a skill that is nowhere, with the names it may have been meant for.
func (f Finder) missing(name, short string) error {
	var names []string
	all, _ := f.List()
	for _, loc := range all {
		names = append(names, loc.Name)
	}
	text := fmt.Sprintf("%s: no such skill", name)
	close := closest(short, names)
	if _, err := inFolder(filepath.Join(cmp.Or(f.Here, f.Dir), short), short); err == nil && name == short {
		close = slices.Insert(close, 0, "./"+name)
	}
	const most = 10
	switch {
	case len(close) > 0:
		text += ": did you mean " + strings.Join(close, " or ") + "?"
	case len(names) > most:
		text += fmt.Sprintf("; available: %s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	case len(names) > 0:
		text += "; available: " + strings.Join(names, ", ")
	default:
		text += "; there are no skills in " + strings.Join(f.Roots(), ", ")
	}
	return &NotFoundError{Name: name, text: text}
}

// A NotFoundError says that no folder has the skill.
type NotFoundError struct {
	Name string
	text string
}

func (e *NotFoundError) Error() string { return e.text }

// Unwrap makes it a kind of fs.ErrNotExist.
func (e *NotFoundError) Unwrap() error { return fs.ErrNotExist }

// closest returns up to three names that are a few keystrokes away, nearest first.
func closest(name string, names []string) []string {
	type near struct {
		name string
		far  int
	}
	var found []near
	for _, n := range names {
		far := Distance(strings.ToLower(name), strings.ToLower(n))
		if strings.HasPrefix(n, name) || far <= max(2, len(name)/3) {
			found = append(found, near{n, far})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return a.far - b.far })
	var close []string
	for _, n := range found[:min(len(found), 3)] {
		close = append(close, n.name)
	}
	return close
}

// Distance counts the characters to insert, delete, replace or swap to turn a into b.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
