package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/skillhand/skillhand/internal/cause"
)

// List returns the skills and commands that Find would find by name, in the
// order of their folders, and what kept it from seeing more: folders that
// cannot be read, links in a circle, files that are not what they seem.
func (f Finder) List() ([]Location, []error) {
	l := lister{seen: map[string]bool{}, walked: map[string]bool{}}
	plugin := f.PluginRoot == ""
	for _, r := range f.roots() {
		if missing(r.dir) {
			continue
		}
		plugin = plugin || r.from == FromPlugin
		if r.command {
			l.commands(r, nil)
		} else {
			l.skills(r)
		}
	}
	if !plugin && missing(f.PluginRoot) {
		l.faults = append(l.faults, fmt.Errorf("the plugin root: %s: not a folder", f.PluginRoot))
	}
	return l.all, l.faults
}

type lister struct {
	all    []Location
	faults []error
	seen   map[string]bool // names
	walked map[string]bool // folders of commands, by their real paths
}

func (l *lister) skills(r root) {
	for _, e := range l.entries(r.dir) {
		if name := Plain(e.Name()); !e.Type().IsRegular() && checkName(name) == nil {
			l.add(r.find([]string{name}))
		}
	}
}

// commands lists a folder of commands and the folders in it, each once: links
// may lead back up.
func (l *lister) commands(r root, folders []string) {
	dir := filepath.Join(r.dir, filepath.Join(folders...))
	entries := l.entries(dir)
	if len(entries) == 0 {
		return
	}
	real, err := filepath.EvalSymlinks(dir)
	if err == nil && l.walked[real] {
		err = errors.New("a link to a folder that is already listed")
	}
	if err != nil {
		l.faults = append(l.faults, fmt.Errorf("%s: %w", dir, cause.Of(err)))
		return
	}
	l.walked[real] = true
	for _, e := range entries {
		name, isFile := strings.CutSuffix(e.Name(), ".md")
		if checkName(name) != nil {
			continue
		}
		words := append(folders[:len(folders):len(folders)], name)
		switch {
		case e.Name() == MainFile && len(folders) > 0:
			l.add(r.find(folders))
		case isFile:
			l.add(r.find(words))
		case e.IsDir() || e.Type()&fs.ModeSymlink != 0 && isDir(filepath.Join(dir, e.Name())):
			l.commands(r, words)
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// entries reads a folder. One that is not there has nothing to offer.
func (l *lister) entries(dir string) []fs.DirEntry {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.faults = append(l.faults, fmt.Errorf("%s: %w", dir, cause.Of(err)))
	}
	return entries
}

// add takes what was found under a name, unless the name is taken.
func (l *lister) add(loc Location, err error) {
	switch {
	case err == nil && !l.seen[loc.Name]:
		l.seen[loc.Name] = true
		l.all = append(l.all, loc)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		l.faults = append(l.faults, err)
	}
}
