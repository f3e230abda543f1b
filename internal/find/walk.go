package find

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

// A Tree finds the files in a project that mean something to an agent: in all of it, or in the
// named paths.
type Tree struct {
	Dir     string   // where relative paths start
	Base    string   // where names start; "" means Dir
	Home    string   // the user's home, or ""
	Config  string   // the value of $CLAUDE_CONFIG_DIR; "" means .claude in Home
	Roots   []string // further folders to search if no path is named
	Exclude []string // patterns of names to leave out: as for path.Match, ** for any folders

	// Others also finds files of agents other than Claude Code: in a folder such as .cursor, or in
	// one of their plugins. Files that are named are always found.
	Others bool

	// Excluded, if it is not nil, gets the patterns that left something out.
	Excluded map[string]bool

	// Fixtures, if it is not nil, leaves out folders of tests and of other people's code, and gets
	// the number of files in each. It does not leave out the content of a folder that was named, or
	// files that an agent lists from there.
	Fixtures map[string]int

	Packages bool // also search node_modules
}

// Find lists the files that the named paths stand for: a file, or all files in a folder. Without
// names, it lists the files of the project, of Roots and of the user's own folders. The error is
// about paths that stand for no file. Find may return both files and an error.
func (f Tree) Find(named []string) ([]File, error) {
	w := newWalker(f)
	usual := len(named) == 0
	if usual {
		named = f.usual()
	}
	var faults []error
	var rest []string // other folders; folders that orNamed changes come first, because each is listed once
	for _, p := range named {
		abs := p
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(f.Dir, p)
		}
		w.named = append(w.named, abs)
		info, err := os.Stat(abs)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %w", p, files.Cause(err)))
		case info.IsDir():
			if in := w.around(abs); in.orNamed(abs) != in {
				w.folder(abs, in.orNamed(abs), true)
			} else {
				rest = append(rest, abs)
			}
		default:
			if !w.file(abs, w.around(filepath.Dir(abs)), true) {
				faults = append(faults, fmt.Errorf("%s: not checked: no Markdown, plugin, marketplace, hooks or settings file", p))
			}
		}
	}
	for _, dir := range rest {
		w.folder(dir, w.around(dir), true)
	}
	for len(w.later) > 0 {
		later := w.later
		w.later = nil
		for _, follow := range later {
			follow()
		}
	}
	slices.SortStableFunc(w.found, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	if usual {
		w.strays()
	}
	return w.found, errors.Join(faults...)
}

// usual returns the project, Roots and the user's own folders.
func (f Tree) usual() []string {
	top := files.Top(f.Dir)
	if top == "" {
		top = f.Dir
	}
	usual := append([]string{top}, f.Roots...)
	if !filepath.IsAbs(f.Home) {
		return usual
	}
	config, agents := f.config(), filepath.Join(f.Home, ".agents")
	for _, dir := range []string{
		filepath.Join(config, "skills"), filepath.Join(config, "commands"), filepath.Join(config, "agents"),
		filepath.Join(agents, "skills"),
	} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && !files.Inside(top, dir) {
			usual = append(usual, dir)
		}
	}
	return usual
}

// config returns the folder of the user's own files for Claude Code, or "".
func (f Tree) config() string {
	switch {
	case f.Config != "" && !filepath.IsAbs(f.Config):
		return filepath.Join(f.Dir, f.Config)
	case f.Config != "":
		return filepath.Clean(f.Config)
	case f.Home != "":
		return filepath.Join(f.Home, ".claude")
	}
	return ""
}

// isClaude reports whether a folder holds what Claude Code loads. It is a project's .claude, or the
// user's folder, which may have any name.
func (f Tree) isClaude(dir string) bool {
	return filepath.Base(dir) == ".claude" || dir == f.config()
}

// IsUsers reports whether a path lies in one of the user's own folders.
func (f Tree) IsUsers(p string) bool {
	return slices.ContainsFunc([]string{f.config(), filepath.Join(f.Home, ".agents")}, func(dir string) bool {
		return filepath.IsAbs(dir) && files.Inside(dir, p)
	})
}

// A walker goes through the folders of a Tree.
type walker struct {
	finder   Tree
	top      string // the top of the repository, or ""
	named    []string
	home     string // the repository, or the folder that paths start in
	real     string // the real path of home
	found    []File
	later    []func()            // functions that follow links, after everything else was walked
	seen     map[string]bool     // files, by the paths that shown returns
	dirs     map[string]bool     // folders, by their real paths
	plugins  map[string]bool     // folders that a marketplace lists
	listed   map[string][]string // folders of skills that a marketplace lists, by plugin
	skillsOf map[string][]string // folders of skills, by .claude, plugin or repository: see skillFolders and isSkills
	markets  map[string]bool     // marketplace files that were read
	strayed  map[string]bool     // folders of skills with a misplacement that all their skills share
	ownersOf map[string][]string // agents, by plugin
	folders  folders             // the folders that were read

	shownDirs map[string]string // the results of shown for folders, by the paths that led to them
}

func newWalker(f Tree) *walker {
	top := files.Top(f.Dir)
	home := cmp.Or(top, f.Dir)
	return &walker{
		finder: f, top: top, home: home, real: files.Real(home),
		seen: map[string]bool{}, dirs: map[string]bool{}, plugins: map[string]bool{}, strayed: map[string]bool{},
		shownDirs: map[string]string{},
		ownersOf:  map[string][]string{}, folders: folders{},
		listed: map[string][]string{}, skillsOf: map[string][]string{}, markets: map[string]bool{},
	}
}

// A setting says which .claude or plugin a folder is in.
type setting struct {
	claude string // the .claude it is in
	plugin string // the plugin it is in
}

func (in setting) root() string { return in.claude + in.plugin } // one of them is ""

// around returns the setting of a folder.
func (w *walker) around(dir string) setting {
	w.marketsAbove(dir)
	for d := dir; ; d = filepath.Dir(d) {
		if w.finder.isClaude(d) {
			return setting{claude: d}
		}
		if files.IsFile(filepath.Join(d, ".claude-plugin", "plugin.json")) || w.plugins[d] {
			return setting{plugin: d}
		}
		if d == filepath.Dir(d) || IsThere(filepath.Join(d, ".git")) {
			return setting{}
		}
	}
}

// orNamed returns the setting of a folder that was named. A folder of commands or agents that is in
// no .claude is treated as if its parent were one.
func (in setting) orNamed(dir string) setting {
	for d := dir; in == (setting{}) && d != filepath.Dir(d); d = filepath.Dir(d) {
		if base := filepath.Base(d); base == "commands" || base == "agents" {
			return setting{claude: filepath.Dir(d)}
		}
		if IsThere(filepath.Join(d, ".git")) {
			break
		}
	}
	return in
}

// IsThere reports whether anything is at a path, even a link that leads nowhere.
func IsThere(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// folder lists the files in a folder. It lists each folder once, because links may lead back up. It
// leaves out another agent's folder, unless the folder was named or Others is set.
func (w *walker) folder(dir string, in setting, named bool) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil && w.dirs[real] {
		return
	}
	var entries []fs.DirEntry
	if err == nil {
		entries, err = w.read(dir)
	}
	if !named && !w.finder.Others && w.isOthers(dir, entries) {
		return
	}
	w.dirs[real] = true
	if err != nil {
		w.add(File{Path: dir, Name: w.name(dir), Kind: Text, Fault: fmt.Errorf("the folder cannot be read: %w", files.Cause(err))})
		return
	}
	if w.finder.isClaude(dir) {
		in = setting{claude: dir}
	}
	if market := filepath.Join(dir, ".claude-plugin", "marketplace.json"); files.IsFile(market) {
		w.market(dir, market)
	}
	if w.plugins[dir] || files.IsFile(filepath.Join(dir, ".claude-plugin", "plugin.json")) {
		in = setting{plugin: dir}
	}
	for _, e := range slices.SortedStableFunc(slices.Values(entries),
		func(a, b fs.DirEntry) int { return cmp.Compare(walkRank(a), walkRank(b)) }) {
		w.entry(filepath.Join(dir, e.Name()), e, in)
	}
}

// entry lists the files that an entry of a folder is or holds. If an entry is a link to a folder
// from which nothing is loaded, it is followed last. So the files behind it are known by their real
// place.
func (w *walker) entry(p string, e fs.DirEntry, in setting) {
	isDir, isLink := e.IsDir(), e.Type()&fs.ModeSymlink != 0
	if isLink {
		if dead := deadLink(p); dead != nil {
			if w.isLoaded(p, in) && !w.excluded(p) {
				w.add(w.placed(File{Path: p, Name: w.name(p), Kind: Text, As: Project, Plugin: in.plugin, Fault: dead}, in))
			}
			return
		}
		isDir = files.IsFolder(p)
	}
	switch {
	case isDir && (w.isSkipped(e.Name()) || w.excluded(p)):
	case isDir && w.isFixture(p, in):
		w.skip(p, in)
	case isDir && isLink && !w.isLoaded(p, in):
		w.later = append(w.later, func() { w.folder(p, in, false) })
	case isDir:
		w.folder(p, in, false)
	default:
		w.file(p, in, false)
	}
}

// isSkipped reports whether folders of a name are not searched. Folders of packages may be large,
// so their files are not counted either.
func (w *walker) isSkipped(name string) bool {
	return slices.Contains(Skipped, name) && !(w.finder.Packages && name == "node_modules")
}

// fixtures are names of folders of tests, which contain faults on purpose, and of other people's
// code.
var fixtures = []string{"test", "tests", "__tests__", "fixture", "fixtures", "__fixtures__", "testdata", "vendor", ".evals"}

// isFixture reports whether a folder is left out. Such a folder holds tests or other people's code,
// nobody named it or what it is in, and no agent lists anything from it. A skill may be called
// tests.
func (w *walker) isFixture(dir string, in setting) bool {
	isFor := func(dir string) bool { return slices.Contains(fixtures, filepath.Base(dir)) }
	if w.finder.Fixtures == nil || !isFor(dir) || w.isLoaded(dir, in) ||
		IsThere(filepath.Join(dir, ".claude")) || IsThere(filepath.Join(dir, skill.MainFile)) {
		return false
	}
	for plugin := range w.plugins {
		if files.Inside(dir, plugin) {
			return false
		}
	}
	return !slices.ContainsFunc(w.named, func(named string) bool {
		for top := files.Top(named); named != top && named != filepath.Dir(named); named = filepath.Dir(named) {
			if isFor(named) && files.Inside(named, dir) {
				return true
			}
		}
		return false
	})
}

// skip counts the files in a folder, and leaves them out.
func (w *walker) skip(dir string, in setting) {
	found, later, counts := len(w.found), len(w.later), w.finder.Fixtures
	w.finder.Fixtures = nil // all files below count for this folder
	w.folder(dir, in, false)
	if n := len(w.found) - found; n > 0 {
		counts[w.name(dir)] = n
	}
	w.found, w.later, w.finder.Fixtures = w.found[:found], w.later[:later], counts
}

// loaded are the folders from which files are loaded, in a .claude, in another agent's folder or in
// a plugin.
var loaded = []string{"skills", "commands", "agents", "hooks"}

// isLoaded reports whether a path is, or is in, a folder that some agent loads from. It also
// returns true for the path of a file that would mean something to an agent.
func (w *walker) isLoaded(p string, in setting) bool {
	if kindOf(p, in, false) != "" || filepath.Base(filepath.Dir(p)) == "skills" {
		return true
	}
	if rel, err := filepath.Rel(in.root(), p); err == nil && in != (setting{}) && filepath.IsLocal(rel) {
		first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		return slices.Contains(loaded, first)
	}
	return slices.ContainsFunc([]Kind{Skill, Command, Agent, Hooks}, func(kind Kind) bool { return len(w.readers(kind, p)) > 0 })
}

// read reads a folder, once.
func (w *walker) read(dir string) ([]fs.DirEntry, error) { return w.folders.read(dir) }

// walkRank returns the rank of an entry in its folder: lower ranks are walked first. A folder is
// seen only once, even if several links lead to it: as Claude Code loads it, or else where it
// really is.
func walkRank(e fs.DirEntry) int {
	switch {
	case e.Name() == ".claude":
		return 0
	case e.Type()&fs.ModeSymlink == 0:
		return 1
	}
	return 2
}

// market notes the plugins that a marketplace lists in folders beside it.
func (w *walker) market(dir, file string) {
	if w.markets[file] {
		return
	}
	w.markets[file] = true
	for _, p := range readMarket(dir) {
		w.plugins[p.Root], w.plugins[files.Real(p.Root)] = true, true
		w.listed[p.Root] = append(w.listed[p.Root], p.only...)
	}
}

// file adds a file if it means something to an agent, and reports whether it does.
func (w *walker) file(p string, in setting, named bool) bool {
	if w.excluded(p) {
		return true
	}
	kind := kindOf(p, in, named)
	if kind == "" && w.misplaced(p, in).Text != "" {
		kind = Text
	}
	if shown := w.shown(p); kind != "" && !w.seen[shown] {
		w.seen[shown] = true
		w.add(w.placed(File{Path: p, Name: w.name(p), Kind: kind, As: Project, Plugin: in.plugin}, in))
	}
	return kind != ""
}

// placed fills in where a file is loaded from, and which agents read it.
func (w *walker) placed(f File, in setting) File {
	p := f.Path
	f.Top = w.top
	if f.Fault == nil {
		f.Misplaced = w.misplaced(p, in)
	}
	if folder := filepath.Dir(filepath.Dir(p)); f.Misplaced.shared {
		f.Misplaced.Told, w.strayed[folder] = w.strayed[folder], true // the folder's first skill reports it
	}
	if shown := w.shown(p); w.top != "" && files.Inside(w.top, shown) {
		f.Fixed = Relative(w.top, shown)
	}
	switch {
	case in.plugin != "":
		f.As, f.Root = InPlugin, in.plugin
	case in.claude != "":
		f.Root, f.Claude = in.claude, w.finder.isClaude(in.claude)
		if in.claude == w.finder.config() {
			f.As = User
		}
	default:
		f.Root = filepath.Dir(p)
	}
	f.Owners = w.owners(&f, in)
	if f.Kind != Skill && f.Kind != FirstUse {
		return f
	}
	// A .claude folder or a plugin loads only the folders directly in skills. A skill that is
	// deeper belongs to the folder around it, which nobody lists or a manifest names.
	if folder := filepath.Dir(filepath.Dir(p)); in == (setting{}) || folder != filepath.Join(f.Root, "skills") {
		f.Root, f.Claude = folder, false
		if w.finder.Home != "" && folder == filepath.Join(w.finder.Home, ".agents", "skills") {
			f.As = User
		}
	}
	return f
}

func (w *walker) add(f File) { w.found = append(w.found, f) }

// kindOf returns the kind of a file from its name and place, or "".
func kindOf(p string, in setting, named bool) Kind {
	dir, base := filepath.Split(p)
	folder := filepath.Base(dir)
	root := in.root()
	inside := func(name string) bool {
		return root != "" && files.Inside(filepath.Join(root, name), p) ||
			named && slices.Contains(strings.Split(filepath.ToSlash(dir), "/"), name)
	}
	switch {
	case base == skill.MainFile:
		return Skill
	case skill.IsTextFile(base) && files.IsFile(filepath.Join(dir, skill.MainFile)):
		return FirstUse
	case base == "plugin.json" && folder == ".claude-plugin":
		return Manifest
	case base == "marketplace.json" && folder == ".claude-plugin":
		return Marketplace
	case folder == "hooks" && strings.HasSuffix(base, ".json") && filepath.Base(filepath.Dir(filepath.Clean(dir))) == ".github":
		return Hooks // Copilot's
	case base == "hooks.json" && (folder == "hooks" && isRoot(filepath.Dir(filepath.Clean(dir)), in) || named),
		strings.HasPrefix(base, "settings") && strings.HasSuffix(base, ".json") &&
			(folder == ".claude" || in.claude == filepath.Clean(dir)):
		return Hooks
	case strings.HasSuffix(base, ".md") && inside("commands"):
		return Command
	case strings.HasSuffix(base, ".md") && inside("agents"):
		return Agent
	case named && base == "plugin.json":
		return Manifest
	case named && base == "marketplace.json":
		return Marketplace
	case named && strings.HasSuffix(base, ".json") && hasHooks(p):
		return Hooks
	case named && slices.Contains([]string{".md", ".markdown", ".mdx"}, strings.ToLower(filepath.Ext(base))):
		return Text
	}
	return ""
}

// isRoot reports whether a folder may be given to Claude Code as a plugin: it is a plugin, or it
// holds what makes a plugin.
func isRoot(dir string, in setting) bool {
	if agents.OwnerOf("."+filepath.Base(dir)) != nil {
		return in.plugin == dir
	}
	return in.plugin == dir || in.claude != "" ||
		slices.ContainsFunc([]string{".git", "skills", "commands", "agents"},
			func(name string) bool { return IsThere(filepath.Join(dir, name)) })
}

// hasHooks reports whether a JSON file of any name has hooks in it. It also returns true for a file
// that cannot be read or is not JSON, so that the error is reported.
func hasHooks(file string) bool {
	src, err := files.ReadFile(file)
	if err != nil {
		return true
	}
	root, fault := doc.ParseJSON(string(src))
	return fault != nil || root.Get("hooks") != nil
}

// name returns the path of a file from Base, as people see it.
func (w *walker) name(p string) string {
	return Relative(cmp.Or(w.finder.Base, w.finder.Dir), w.shown(p))
}

// shown returns the path by which people know a file. It begins with the real folder instead of the
// link that led there, unless the real folder is outside the repository. A linked file is a file of
// its own, which Claude Code loads or refuses.
func (w *walker) shown(p string) string {
	dir := filepath.Dir(p)
	shown, ok := w.shownDirs[dir]
	if !ok {
		shown = dir
		if rel, err := filepath.Rel(w.real, files.Real(dir)); err == nil && filepath.IsLocal(rel) {
			shown = filepath.Join(w.home, rel)
		}
		w.shownDirs[dir] = shown
	}
	return filepath.Join(shown, filepath.Base(p))
}

// Relative returns p relative to dir if it is in dir, and as it is otherwise.
func Relative(dir, p string) string {
	if files.Inside(dir, p) {
		if rel, err := filepath.Rel(dir, p); err == nil {
			p = rel
		}
	}
	return strings.ToValidUTF8(filepath.ToSlash(p), "\ufffd")
}

// Excludes reports whether a file, or a folder above it, should be left out.
func (f Tree) Excludes(p string) bool {
	return newWalker(f).excluded(p)
}

// excluded reports whether a file or folder should be left out. Patterns match names from the
// repository's top: the path of the link that led to the file, or the path where it really is.
func (w *walker) excluded(p string) bool {
	if len(w.finder.Exclude) == 0 {
		return false
	}
	names := []string{Relative(w.home, p), Relative(w.home, w.shown(p))}
	for _, pattern := range w.finder.Exclude {
		if slices.ContainsFunc(names, func(name string) bool { return files.Match(pattern, name) }) {
			if w.finder.Excluded != nil {
				w.finder.Excluded[pattern] = true
			}
			return true
		}
	}
	return false
}

// Source returns src as a file of that name, which need not exist. If name is "", it is a skill
// without a place.
func (f Tree) Source(name string, src []byte) File {
	if name == "" {
		return File{Name: "-", Kind: Skill, As: Project, Source: src}
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(f.Dir, name)
	}
	w := newWalker(f)
	in := w.around(filepath.Dir(name))
	kind := kindOf(name, in, true)
	if kind == "" {
		kind = Text
	}
	return w.placed(File{Path: name, Name: w.name(name), Kind: kind, As: Project, Plugin: in.plugin, Source: src}, in)
}
