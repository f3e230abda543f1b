package find

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

// Skipped are names of folders that hold other people's files.
var Skipped = []string{".git", ".hg", ".svn", "node_modules"}

// depth is how deep below a folder of skills a skill may lie.
const depth = 3

// folders remembers the folders that were read: folders of skills are walked first, and listed
// later.
type folders map[string]listing

// A listing is the content of a folder, or the error from reading it.
type listing struct {
	entries []fs.DirEntry
	err     error
}

func (f folders) read(dir string) ([]fs.DirEntry, error) {
	l, known := f[dir]
	if !known {
		l.entries, l.err = os.ReadDir(dir)
		f[dir] = l
	}
	return l.entries, l.err
}

// nested yields a folder of skills, and the folders in it that may hold skills too: skills/x,
// skills/.curated/x, skills/a/b/x. It also yields the skills themselves, because some hold others.
func (f folders) nested(dir, from string, plugin func() string) iter.Seq[root] {
	return func(yield func(root) bool) {
		level := []string{dir}
		for n := range depth {
			var next []string
			for _, d := range level {
				r := root{dir: d, from: from, plugin: plugin, deep: n > 0}
				if p := filepath.Dir(d); plugin == nil && filepath.Base(d) == "skills" && isPlugin(p) {
					r.plugin = Plugin{Root: p}.name()
				}
				if !yield(r) {
					return
				}
				if n < depth-1 {
					next = append(next, f.below(d)...)
				}
			}
			level = next
		}
	}
}

// below lists the folders in a folder, and the links to folders.
func (f folders) below(dir string) []string {
	entries, _ := f.read(dir) // List reports a folder that cannot be read
	var all []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if (e.IsDir() || !e.Type().IsRegular() && files.IsFolder(path)) && !slices.Contains(Skipped, e.Name()) {
			all = append(all, path)
		}
	}
	return all
}

// chosen yields the roots of a folder that the caller named: as one skill, as a folder of skills,
// and as a repository.
func (f folders) chosen(dir, from string) iter.Seq[root] {
	return func(yield func(root) bool) {
		if !missing(filepath.Join(dir, skill.MainFile)) && !yield(root{dir: dir, from: from, single: true}) {
			return
		}
		for r := range f.nested(dir, from, nil) {
			if !yield(r) {
				return
			}
		}
		for r := range f.layout(dir, false) {
			r.from = from
			if !yield(r) {
				return
			}
		}
	}
}

// layout yields the folders of skills, or of plugins' commands, where authors put them in a
// repository.
func (f folders) layout(base string, commands bool) iter.Seq[root] {
	return func(yield func(root) bool) {
		seen := map[string]bool{}
		// once yields a folder only once for each plugin.
		once := func(r root, of string) bool {
			key := r.dir + "\x00" + of
			if seen[key] {
				return true
			}
			seen[key] = true
			return yield(r)
		}
		all := func(p Plugin) bool {
			for r := range p.roots(skill.FromProject, commands) {
				if !once(r, p.Name) {
					return false
				}
			}
			return true
		}
		if !commands {
			var plugin func() string
			if isPlugin(base) {
				plugin = Plugin{Root: base}.name()
			}
			if dir := filepath.Join(base, "skills"); !missing(dir) {
				for r := range f.nested(dir, skill.FromProject, plugin) {
					if !once(r, "") {
						return
					}
				}
			}
		}
		for _, dir := range f.below(filepath.Join(base, "plugins")) {
			if !all(Plugin{Root: dir}) {
				return
			}
		}
		if !commands && !once(root{dir: base, from: skill.FromProject}, "") {
			return
		}
		if isPlugin(base) && !all(Plugin{Root: base}) {
			return
		}
		for _, p := range readMarket(base) {
			if !all(p) {
				return
			}
		}
		for _, dir := range f.below(base) { // the layout that skillhand init plugin makes
			if isPlugin(dir) && !all(Plugin{Root: dir}) {
				return
			}
		}
	}
}
