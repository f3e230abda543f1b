package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
)

// A Watch remembers what was checked, so that it is checked again only if something changed. The zero value has seen
// nothing.
type Watch struct {
	state, around, said string
	same                bool // only what lies around the files changed
}

// IsNew reports whether nothing was checked yet.
func (w *Watch) IsNew() bool { return w.state == "" }

// Changed reports whether the files, the configuration, or something that a finding may depend on, is other than when it
// was last asked.
func (w *Watch) Changed(c *Checkup, files []File) bool {
	state, around := c.state(files), c.around(files)
	if state == w.state && around == w.around {
		return false
	}
	w.same = state == w.state
	w.state, w.around = state, around
	return true
}

// IsNews reports whether a result is worth saying: always if a file changed, else if it differs from the last one. A project
// has many files that no finding depends on.
func (w *Watch) IsNews(res *Result) bool {
	before := w.said
	text, err := json.Marshal([]any{res.Findings, res.Verdicts})
	w.said = string(text)
	return err != nil || !w.same || w.said != before
}

// state says what the files look like from outside, with those that configure the check.
func (c *Checkup) state(files []File) string {
	all := []string{c.Config}
	for _, p := range c.Options.Settings.Paths() {
		all = append(all, p.Name)
	}
	for _, f := range files {
		all = append(all, f.Path)
	}
	var b strings.Builder
	for _, file := range all {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintln(&b, file, info.ModTime().UnixNano(), info.Size(), info.Mode())
		}
	}
	return cmp.Or(b.String(), "\n")
}

// around works as state does, for all that lies around the files: links lead there, and scripts are called. If both are the same as
// before, so are the findings.
func (c *Checkup) around(found []File) string {
	trees := []string{files.Real(c.top)}
	for _, f := range found {
		if dir := files.Real(filepath.Dir(f.Path)); !slices.ContainsFunc(trees, func(tree string) bool { return files.Inside(tree, dir) }) {
			trees = append(trees, dir)
		}
	}
	sum := fnv.New128a()
	for _, tree := range trees {
		_ = filepath.WalkDir(tree, func(path string, e fs.DirEntry, err error) error { // what cannot be read is as good as not there
			if err != nil {
				return nil
			}
			if e.IsDir() && slices.Contains(find.Skipped, e.Name()) {
				return fs.SkipDir
			}
			if info, err := e.Info(); err == nil && e.IsDir() {
				fmt.Fprintln(sum, path, info.Mode())
			} else if err == nil {
				fmt.Fprintln(sum, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return string(sum.Sum(nil))
}
