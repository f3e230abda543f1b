package skill

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// MaxSize is how long a skill's file may be. A page that long reaches no agent whole.
const MaxSize = 10 << 20

// A Finder knows the folders in which skills are looked for.
type Finder struct {
	PluginRoot string // the plugin that was named, or ""
	Dir        string // the folder to look in, and above
	Here       string // where relative paths start; "" means Dir
	Home       string // the user's home, or ""
}

// A Location is where a skill was found.
type Location struct {
	Name   string // foo, also for a plugin's plug:foo and for foo-first-use/SKILL.md
	File   string // the file to read
	Folder string // the skill's folder, as it was found: File, links resolved, lies inside it
}

// Find looks a skill up by name, by plugin:name, or by the path of its folder or file.
func (f Finder) Find(name string) (Location, error) {
	if isPath(name) {
		return f.byPath(name)
	}
	plugin, short, qualified := strings.Cut(name, ":")
	if !qualified {
		short = name
	}
	if err := checkName(short); err != nil {
		return Location{}, fmt.Errorf("%q: %w", name, err)
	}
	roots := f.Roots()
	if qualified {
		if err := f.checkPlugin(name, plugin); err != nil {
			return Location{}, err
		}
		roots = roots[:1]
	}
	for _, root := range roots {
		loc, err := inFolder(filepath.Join(root, short), short)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return loc, err
		}
	}
	return Location{}, f.missing(name, short, roots)
}

// Roots lists the folders that hold skills, in the order in which they are asked.
func (f Finder) Roots() []string {
	var roots []string
	if f.PluginRoot != "" {
		roots = append(roots, filepath.Join(f.PluginRoot, "skills"))
	}
	for _, dir := range upward(f.Dir) {
		roots = append(roots, filepath.Join(dir, ".claude", "skills"), filepath.Join(dir, ".agents", "skills"))
	}
	for _, dir := range f.UserRoots() {
		if !slices.Contains(roots, dir) {
			roots = append(roots, dir)
		}
	}
	return roots
}

// UserRoots lists the user's own folders of skills.
func (f Finder) UserRoots() []string {
	if !filepath.IsAbs(f.Home) { // a relative one would be the project's to choose
		return nil
	}
	return []string{filepath.Join(f.Home, ".claude", "skills"), filepath.Join(f.Home, ".agents", "skills")}
}

// upward lists dir and its parents up to the top of its repository; outside a repository, dir alone.
func upward(dir string) []string {
	top := Top(dir)
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

// Top returns the top of the repository that dir is in, or "".
func Top(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func isPath(name string) bool {
	return name == "." || strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator)
}

func checkName(name string) error {
	if name == "" {
		return errors.New("a skill's name is empty")
	}
	if name == ".." || strings.Contains(name, "..") {
		return errors.New(`a skill's name has no ".."; to name a folder, write its path with a /`)
	}
	for _, r := range name {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_.", r)) {
			return fmt.Errorf("a skill's name is letters, digits, - _ and . but this has %q", r)
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
		return Location{}, fmt.Errorf("%s: %w", path, reason(err))
	}
	if !info.IsDir() {
		folder := filepath.Dir(abs)
		loc := Location{Name: plainName(filepath.Base(folder)), File: abs, Folder: folder}
		return loc, checkFile(loc)
	}
	loc, err := inFolder(abs, plainName(filepath.Base(abs)))
	if errors.Is(err, fs.ErrNotExist) {
		return Location{}, fmt.Errorf("%s: no SKILL.md here", path)
	}
	return loc, err
}

// plainName drops the suffix of a companion folder.
func plainName(folder string) string { return strings.TrimSuffix(folder, "-first-use") }

// inFolder finds the file of the skill in folder: its companion's, its first-use text, its SKILL.md.
func inFolder(folder, name string) (Location, error) {
	companion := folder + "-first-use"
	if strings.HasSuffix(folder, "-first-use") {
		companion = folder
	}
	tries := []Location{
		{name, filepath.Join(companion, "SKILL.md"), companion},
		{name, filepath.Join(folder, "first-use.md"), folder},
		{name, filepath.Join(folder, "SKILL.md"), folder},
	}
	for _, loc := range tries {
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
	info, err := os.Stat(loc.File)
	if err != nil {
		if link, lerr := os.Lstat(loc.File); lerr == nil && link.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s: a link that leads nowhere", loc.File)
		}
		return fmt.Errorf("%s: %w", loc.File, reason(err))
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file", loc.File)
	}
	file, err := filepath.EvalSymlinks(loc.File)
	if err != nil {
		return err
	}
	folder, err := filepath.EvalSymlinks(loc.Folder)
	if err != nil {
		return err
	}
	if !Inside(folder, file) {
		return fmt.Errorf("%s: links to %s, outside its skill's folder", loc.File, file)
	}
	return nil
}

// Inside reports whether path is dir or lies below it. Both must be clean.
func Inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// reason is the cause of a path error, without the operation and path that callers add better.
func reason(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

func (f Finder) checkPlugin(name, plugin string) error {
	if f.PluginRoot == "" {
		return fmt.Errorf("%s: no plugin is named: give --plugin-root or set CLAUDE_PLUGIN_ROOT", name)
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
func (f Finder) missing(name, short string, roots []string) error {
	var names []string
	for _, loc := range list(roots) {
		names = append(names, loc.Name)
	}
	text := fmt.Sprintf("%s: no such skill", name)
	close := closest(short, names)
	if _, err := inFolder(filepath.Join(cmp.Or(f.Here, f.Dir), name), short); err == nil {
		close = slices.Insert(close, 0, "./"+name)
	}
	switch {
	case len(close) > 0:
		text += ": did you mean " + strings.Join(close, " or ") + "?"
	case len(names) > 0:
		text += ": there are " + strings.Join(names[:min(len(names), 10)], ", ")
	default:
		text += ": no skills in " + strings.Join(roots, ", ")
	}
	return &NotFoundError{Name: name, text: text}
}

// List returns the skills that Find would find by name, in the order of their roots.
func (f Finder) List() []Location { return list(f.Roots()) }

func list(roots []string) []Location {
	var all []Location
	seen := map[string]bool{}
	for _, root := range roots {
		entries, _ := os.ReadDir(root) // a root that is not there, or cannot be listed, has nothing to offer
		for _, e := range entries {
			name := plainName(e.Name())
			if seen[name] || checkName(name) != nil {
				continue
			}
			if loc, err := inFolder(filepath.Join(root, name), name); err == nil {
				seen[name] = true
				all = append(all, loc)
			}
		}
	}
	return all
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
		far := distance(strings.ToLower(name), strings.ToLower(n))
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

// distance counts the characters to insert, delete, replace or swap to turn a into b.
func distance(a, b string) int {
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

// Read reads and parses the skill at loc.
func Read(loc Location) (*Skill, error) {
	src, err := ReadFile(loc.File)
	if err != nil {
		return nil, err
	}
	if i := bytes.IndexByte(src, 0); i >= 0 {
		return nil, fmt.Errorf("%s:%d: not a text file (it has a zero byte)", loc.File, 1+bytes.Count(src[:i], []byte("\n")))
	}
	s := Parse(loc.File, src)
	s.Name = loc.Name
	return s, nil
}

// ReadFile reads a regular file of a sane length. A pipe or device in a
// skill's place would hang or never end.
func ReadFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, reason(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, reason(err))
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, reason(err))
	}
	if len(src) > MaxSize {
		return nil, fmt.Errorf("%s: longer than %d MB, want a text that an agent can read", file, MaxSize>>20)
	}
	return src, nil
}
