package verdict

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/skillhand/skillhand/internal/files"
)

const (
	// maxWalk limits how long the folders among the deliverables are searched for changes.
	maxWalk = 5 * time.Second
	// ClockTick is how far file times may lag behind the clock. Systems stamp files with the time
	// of their last timer interrupt.
	ClockTick = 10 * time.Millisecond
)

// Verify adds a problem for each wrong deliverable of the report. Relative paths start in dir. Each
// deliverable must exist, and must have been made or changed since.
func (v *Verdict) Verify(ctx context.Context, dir string, since time.Time) {
	if v.Report == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, maxWalk)
	defer cancel()
	v.Problems = append(v.Problems, verify(ctx, dir, v.Report.Deliverables, since)...)
	v.OK = len(v.Problems) == 0
}

// verify checks that each deliverable exists and was made or changed since. After the context ends,
// it searches no further folders.
func verify(ctx context.Context, dir string, deliverables []string, since time.Time) []Problem {
	var problems []Problem
	for _, d := range deliverables {
		path := d
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, d)
		}
		// The target of a link counts: a new link to an old file is not a new file. For a folder
		// behind a new link, only the folder itself counts. The link may lead to any folder of the
		// machine, and some folders always contain something new.
		newLink := isLink(path) && isNew(path, since)
		path, err := filepath.EvalSymlinks(path)
		if err != nil {
			problems = append(problems, Problem{Code: DeliverableMissing, Message: fmt.Sprintf("%s: %v", d, files.Cause(err))})
			continue
		}
		found := isNew(path, since)
		if !found && !newLink {
			found, err = touched(ctx, path, since)
		}
		switch {
		case !kept(path):
			problems = append(problems, Problem{Code: DeliverableUnchecked,
				Message: d + ": not an ordinary file or folder, so it cannot be checked"})
		case err != nil:
			problems = append(problems, Problem{Code: DeliverableUnchecked,
				Message: d + ": could not be checked in time: name the files made in it"})
		case !found:
			problems = append(problems, Problem{Code: DeliverableUnchanged, Message: d + ": was not changed during the run"})
		}
	}
	return problems
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// touched reports whether a file or folder, or anything in the folder, changed since. An error
// means that the time ran out.
func touched(ctx context.Context, path string, since time.Time) (found bool, err error) {
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err == nil && isNew(name, since) {
			found = true
			return fs.SkipAll
		}
		if name == path && d != nil && !d.IsDir() {
			return nil // a file takes no time
		}
		return ctx.Err()
	})
	return found, err
}

// kept reports whether a path is a file or folder on a file system that keeps what is written.
// Devices, pipes and files in /proc are not.
func kept(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.Mode().IsRegular() || info.IsDir()) && keepsFiles(path)
}

// isNew reports whether a file was made, or its content changed or touched, since. An old file that
// was moved, renamed or given another mode is still old.
func isNew(path string, since time.Time) bool {
	t, err := fileTimes(path)
	return err == nil && t.newer(since, time.Now())
}

// newer reports whether a file with these times was made or changed since.
func (t times) newer(since, now time.Time) bool {
	// Some file systems count in steps of one or two seconds. If only the content's time is in
	// whole seconds, somebody set it.
	if t.modified.Nanosecond() == 0 && t.changed.Nanosecond() == 0 {
		since = since.Truncate(2 * time.Second)
	}
	// A modification time in the future was set by hand, and says nothing.
	return !t.made.Before(since) || !t.modified.Before(since) && !t.modified.After(now.Add(ClockTick))
}

// times holds when a file was made, when its content last changed, and when anything about it last
// changed. made is zero if the system does not keep it.
type times struct {
	made, modified, changed time.Time
}
