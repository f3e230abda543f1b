package migrate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/files"
)

// A Migration says how to migrate files. The zero value changes them, and keeps a copy of each.
type Migration struct {
	TreeOptions
	DryRun   bool // write nothing
	NoBackup bool // keep no copy of what changes
	Verify   bool // run each script before and after, and change it only if both runs agree

	Env     []string                // the environment of the scripts that Verify runs
	Trusted func(file string) error // says why Verify must not run a file; nil allows all files
	Step    func(done, all int)     // gets the progress; may be nil
	Warn    func(text string)       // gets a warning about a folder that has nothing to migrate; may be nil
}

// A Done is the outcome of all files.
type Done struct {
	Files   []Migrated // sorted by path
	Unclear []Position // lines that may read the output of any script, by absolute paths
	Missing bool       // a path that was named does not exist
}

// A Migrated says what became of one file.
type Migrated struct {
	Result
	Path   string // absolute
	Backup string // the path of its copy, or ""
}

// Run migrates files and folders. The result also says which files could not be migrated. The error
// is only that of the context.
func (m Migration) Run(ctx context.Context, paths []string) (*Done, error) {
	r := &migration{migration: m, date: time.Now().Format("20060102")}
	for _, root := range r.roots(paths) {
		if err := r.tree(ctx, root); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(r.done, func(a, b Migrated) int { return strings.Compare(a.Path, b.Path) })
	return &Done{r.done, r.unclear, r.missing}, nil
}

// A migration is the state of one Run.
type migration struct {
	migration Migration
	date      string // in the names of backups
	done      []Migrated

	unclear []Position
	missing bool
}

// fail notes that a file could not be migrated.
func (m *migration) fail(file string, err error) {
	m.done = append(m.done, Migrated{Path: file, Result: Result{Status: Failed, Reason: files.Cause(err).Error()}})
}

// tree migrates the files of one tree that are wanted. It removes files last, when their content is
// elsewhere.
func (m *migration) tree(ctx context.Context, root *root) error {
	opt := m.migration.TreeOptions
	opt.Wants, opt.Top, opt.OfSkills, opt.Unit = root.wants, root.top(), root.ofSkills, root.unit
	results, unclear := Tree(m.read(root), opt)
	for _, u := range unclear {
		m.unclear = append(m.unclear, Position{Path: filepath.Join(root.base, filepath.FromSlash(u.Path)), Line: u.Line})
	}
	results = slices.DeleteFunc(results, func(r Result) bool { return rank(r) != writeFirst && !root.wants(r.Path) })
	results = append(results, m.others(root, results)...)
	if len(results) == 0 && len(root.explicit) == 0 && m.migration.Warn != nil {
		m.migration.Warn(root.wanted[0] + ": nothing to migrate here")
	}
	results, err := m.verified(ctx, root, results)
	if err != nil {
		return err
	}
	slices.SortStableFunc(results, func(a, b Result) int { return rank(a) - rank(b) })
	broken := map[string]bool{}  // folders in which a write failed
	lacking := map[string]bool{} // the files that scripts would source but that could not be written
	for i, r := range results {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f := Migrated{Result: r, Path: filepath.Join(root.base, filepath.FromSlash(r.Path))}
		if r.Names {
			f.Reason = filepath.Join(root.base, r.Reason)
		}
		if lacking[r.Needs] {
			reason := filepath.Join(root.base, r.Needs) + ", which it would source, could not be written"
			f.Result = Result{Path: r.Path, Status: LeftAlone, Reason: reason}
		}
		if r.Remove && broken[filepath.Dir(f.Path)] {
			f.Result = Result{Path: r.Path, Status: LeftAlone, Reason: "its content could not be moved to the skill's text"}
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

// verified returns the results without scripts that behave differently after the change, and notes
// these as failed. It drops a ReportFile that no script needs any more.
func (m *migration) verified(ctx context.Context, root *root, results []Result) ([]Result, error) {
	if !m.migration.Verify {
		return results, nil
	}
	var kept []Result
	needed := map[string]bool{}
	for _, r := range results {
		if changesScript(r) {
			f := Migrated{Result: r, Path: filepath.Join(root.base, filepath.FromSlash(r.Path))}
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
	return slices.DeleteFunc(kept, func(r Result) bool { return rank(r) == writeFirst && !needed[r.Path] }), nil
}

func changesScript(r Result) bool {
	return r.Status == Changed && rank(r) == writeThen && len(r.Edit.Before) > 0 && !strings.HasSuffix(r.Path, ".md")
}

// The order of writing. Files that others need come first; files that others replace come last.
const (
	writeFirst = iota
	writeThen
	writeLast
)

func rank(r Result) int {
	switch {
	case filepath.Base(r.Path) == ReportFile:
		return writeFirst
	case r.Remove:
		return writeLast
	}
	return writeThen
}

// others returns a result for each named file that migrate does not handle.
func (m *migration) others(root *root, results []Result) (others []Result) {
	for _, file := range root.explicit {
		rel, err := filepath.Rel(root.base, file)
		if err != nil {
			continue
		}
		rel = filepath.ToSlash(rel)
		known := slices.ContainsFunc(results, func(r Result) bool { return r.Path == rel }) ||
			slices.ContainsFunc(m.done, func(f Migrated) bool { return f.Path == file })
		if !known {
			others = append(others, Result{Path: rel, Status: LeftAlone, Reason: "neither a shell script nor an old skill's text"})
		}
	}
	return others
}

func (m *migration) apply(f *Migrated) error {
	if f.Status != Changed || m.migration.DryRun {
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
