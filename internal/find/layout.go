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

// Skipped are folders that hold other people's files.
var Skipped = []string{".git", ".hg", ".svn", "node_modules"}

// depth is how deep below a folder of skills a skill may lie.
const depth = 3

// folders remembers what was read of folders: those of skills are walked through, and then listed.
type folders map[string]listing

// A listing is what a folder has, or why that cannot be read.
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

// nested lists a folder of skills, and the folders in it that may be such: skills/x, skills/.curated/x, skills/a/b/x. The
// skills themselves are among them, since some hold others.
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

// below lists the folders in a folder, links to such among them.
func (f folders) below(dir string) []string {
	entries, _ := f.read(dir) // List names one that cannot be read
	var all []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if (e.IsDir() || !e.Type().IsRegular() && files.IsFolder(path)) && !slices.Contains(Skipped, e.Name()) {
			all = append(all, path)
		}
	}
	return all
}

// chosen lists what a folder that was named has: skills as in a folder of skills, or as in a repository, or it is one.
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

// layout lists the folders of skills, or of plugins' commands, in a repository, as authors lay it out.
func (f folders) layout(base string, commands bool) iter.Seq[root] {
	return func(yield func(root) bool) {
		seen := map[string]bool{}
		// A folder comes once, but for another plugin.
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
		for _, dir := range f.below(base) { // as init plugin makes them
			if isPlugin(dir) && !all(Plugin{Root: dir}) {
				return
			}
		}
	}
}
