// Package disk answers one question: what became of these files, now that they are migrated?
//
// It reads the trees that files lie in, asks package migrate what is to become
// of them, and writes that: with a backup, in one piece, or not at all.
package disk

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/migrate"
)

// A Migration says how to migrate files. The zero value changes them, and keeps
// a copy of each.
type Migration struct {
	migrate.TreeOptions
	DryRun   bool // write nothing
	NoBackup bool // keep no copy of what changes
	Verify   bool // run each script before and after, and change it only if they agree

	Env     []string                // of the scripts that Verify runs
	Trusted func(file string) error // says why Verify may not run a file; nil: it may run all
	Step    func(done, all int)     // is told how far it is; may be nil
	Warn    func(text string)       // is told of a folder that has nothing to migrate; may be nil
}

// A Done is what became of all files.
type Done struct {
	Files   []File             // in the order of their paths
	Unclear []migrate.Position // lines that may read any script, by absolute paths
	Missing bool               // a path that was named is not there
}

// A File says what became of one file.
type File struct {
	migrate.Result
	Path   string // absolute
	Backup string // the path of its copy, or ""
}

// Run migrates files and folders. What could not be done to a file is in the result
// too. The error is that of the context.
func (m Migration) Run(ctx context.Context, paths []string) (*Done, error) {
	r := &run{migration: m, date: time.Now().Format("20060102")}
	for _, root := range r.roots(paths) {
		if err := r.tree(ctx, root); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(r.done, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return &Done{r.done, r.unclear, r.missing}, nil
}

// A run is many files on their way to the current format.
type run struct {
	migration Migration
	date      string // in the names of backups
	done      []File

	unclear []migrate.Position
	missing bool
}

// fail notes that something could not be done to a file.
func (m *run) fail(file string, err error) {
	m.done = append(m.done, File{Path: file, Result: migrate.Result{Status: migrate.Failed, Reason: files.Cause(err).Error()}})
}

// tree migrates what is wanted of one tree. Files are removed last, when what
// they said is elsewhere.
func (m *run) tree(ctx context.Context, root *root) error {
	opt := m.migration.TreeOptions
	opt.Wants, opt.Top, opt.OfSkills, opt.Unit = root.wants, root.top(), root.ofSkills, root.unit
	results, unclear := migrate.Tree(m.read(root), opt)
	for _, u := range unclear {
		m.unclear = append(m.unclear, migrate.Position{Path: filepath.Join(root.base, filepath.FromSlash(u.Path)), Line: u.Line})
	}
	results = slices.DeleteFunc(results, func(r migrate.Result) bool { return rank(r) != first && !root.wants(r.Path) })
	results = append(results, m.others(root, results)...)
	if len(results) == 0 && len(root.explicit) == 0 && m.migration.Warn != nil {
		m.migration.Warn(root.wanted[0] + ": nothing to migrate here")
	}
	results, err := m.verified(ctx, root, results)
	if err != nil {
		return err
	}
	slices.SortStableFunc(results, func(a, b migrate.Result) int { return rank(a) - rank(b) })
	broken := map[string]bool{}  // folders in which a write failed
	lacking := map[string]bool{} // the files that scripts would source and that could not be written
	for i, r := range results {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f := File{Result: r, Path: filepath.Join(root.base, filepath.FromSlash(r.Path))}
		if r.Names {
			f.Reason = filepath.Join(root.base, r.Reason)
		}
		if lacking[r.Needs] {
			reason := filepath.Join(root.base, r.Needs) + ", which it would source, could not be written"
			f.Result = migrate.Result{Path: r.Path, Status: migrate.LeftAlone, Reason: reason}
		}
		if r.Remove && broken[filepath.Dir(f.Path)] {
			f.Result = migrate.Result{Path: r.Path, Status: migrate.LeftAlone, Reason: "its content could not be moved to the skill's text"}
		}
		if err := m.apply(&f); err != nil {
			broken[filepath.Dir(f.Path)] = true
			m.fail(f.Path, err)
			lacking[r.Path] = true
		} else {
			m.done = append(m.done, f)
		}
		if m.migration.Step != nil {
			m.migration.Step(i+1, len(results))
		}
	}
	return nil
}

// verified returns the results without those of scripts that changed their ways,
// which are noted as failed. A file that no script needs any more is not made.
func (m *run) verified(ctx context.Context, root *root, results []migrate.Result) ([]migrate.Result, error) {
	if !m.migration.Verify {
		return results, nil
	}
	var kept []migrate.Result
	needed := map[string]bool{}
	for _, r := range results {
		if changesScript(r) {
			f := File{Result: r, Path: filepath.Join(root.base, filepath.FromSlash(r.Path))}
			err := m.verify(ctx, &f)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				m.fail(f.Path, err)
				continue
			}
			r = f.Result
			needed[r.Needs] = true
		}
		kept = append(kept, r)
	}
	return slices.DeleteFunc(kept, func(r migrate.Result) bool { return rank(r) == first && !needed[r.Path] }), nil
}

// changesScript reports whether a script is to become another one.
func changesScript(r migrate.Result) bool {
	return r.Status == migrate.Changed && rank(r) == then && len(r.Edit.Before) > 0 && !strings.HasSuffix(r.Path, ".md")
}

// The order of writing: what others need comes first, what they replace goes last.
const (
	first = iota
	then
	last
)

func rank(r migrate.Result) int {
	switch {
	case filepath.Base(r.Path) == migrate.ReportFile:
		return first
	case r.Remove:
		return last
	}
	return then
}

// others are the files that were named and are none of migrate's business.
func (m *run) others(root *root, results []migrate.Result) (others []migrate.Result) {
	for _, file := range root.explicit {
		rel, err := filepath.Rel(root.base, file)
		if err != nil {
			continue
		}
		rel = filepath.ToSlash(rel)
		known := slices.ContainsFunc(results, func(r migrate.Result) bool { return r.Path == rel }) ||
			slices.ContainsFunc(m.done, func(f File) bool { return f.Path == file })
		if !known {
			others = append(others, migrate.Result{Path: rel, Status: migrate.LeftAlone, Reason: "neither a shell script nor an old skill's text"})
		}
	}
	return others
}

// apply writes one result.
func (m *run) apply(f *File) error {
	if f.Status != migrate.Changed || m.migration.DryRun {
		return nil
	}
	date := m.date
	if m.migration.NoBackup {
		date = ""
	}
	var err error
	if f.Remove {
		f.Backup, err = files.RemoveEdit(f.Path, f.Edit, date)
	} else {
		f.Backup, err = files.WriteEdit(f.Path, f.Edit, date)
	}
	return err
}
