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
	// maxWalk is how long the folders among deliverables are searched for something new.
	maxWalk = 5 * time.Second
	// ClockTick is how far file times may lag behind: systems stamp files with
	// the time of their last timer interrupt.
	ClockTick = 10 * time.Millisecond
)

// Verify adds what is wrong with the deliverables that the report names: each
// must be in dir, and have been made or changed since.
func (v *Verdict) Verify(ctx context.Context, dir string, since time.Time) {
	if v.Report == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, maxWalk)
	defer cancel()
	v.Problems = append(v.Problems, verify(ctx, dir, v.Report.Deliverables, since)...)
	v.OK = len(v.Problems) == 0
}

// verify checks that each deliverable is there and was made or changed since.
// When the context has ended, no folder is searched any more.
func verify(ctx context.Context, dir string, deliverables []string, since time.Time) []Problem {
	var problems []Problem
	for _, d := range deliverables {
		path := d
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, d)
		}
		// The target of a link counts: a new link to an old file is no new
		// file. Of a folder behind a new link only the folder itself counts: it may be
		// any folder of the machine, and in some there is always something new.
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
			problems = append(problems, Problem{Code: DeliverableUnchecked, Message: d + ": not an ordinary file or folder, so it cannot be checked"})
		case err != nil:
			problems = append(problems, Problem{Code: DeliverableUnchecked, Message: d + ": could not be checked in time: name the files made in it"})
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

// touched reports whether a file, or a folder or something in it, changed since.
// An error means that there was no time to tell.
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

// kept reports whether a path is a file or folder on a file system that keeps
// what is written: a device, a pipe or a file in /proc is none.
func kept(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.Mode().IsRegular() || info.IsDir()) && keepsFiles(path)
}

// isNew reports whether a file was made, or its content changed or touched, since.
// An old file that was moved here, got another mode or another name is still old.
func isNew(path string, since time.Time) bool {
	t, err := fileTimes(path)
	return err == nil && t.newer(since, time.Now())
}

// newer decides by a file's times.
func (t times) newer(since, now time.Time) bool {
	// Some file systems count in steps of one or two seconds. Whole seconds of
	// the content alone are a time that somebody set.
	if t.modified.Nanosecond() == 0 && t.changed.Nanosecond() == 0 {
		since = since.Truncate(2 * time.Second)
	}
	// A time that lies ahead was set by hand, and says nothing.
	return !t.made.Before(since) || !t.modified.Before(since) && !t.modified.After(now.Add(ClockTick))
}

// times are a file's own: of its making (the zero time if the system does not
// keep it), of the last change of its content, and of anything about it.
type times struct {
	made, modified, changed time.Time
}
