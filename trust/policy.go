package trust

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/skill"
)

// A Policy decides what may run. The zero value lets nothing run.
type Policy struct {
	Store Store
	Home  string          // the user's home
	Own   []string        // the user's own folders, trusted without asking
	More  func() []string // further ones, which take time to find
	All   bool            // everything may run

	// Confirm asks the user about a folder that is not trusted. If it says yes
	// the folder is trusted from then on. nil means no.
	Confirm func(ctx context.Context, q Question) (bool, error)

	real bool // Own and More are real paths
}

// A Question is what users must know before they trust a folder.
type Question struct {
	Dir      string
	Commands []string // what would run now
	Changes  string   // of a pinned folder: a diff of commands and scripts since it was pinned
}

// NotTrusted says that commands must not run, and what to do.
type NotTrusted struct {
	Dir     string
	Changed bool  // it was trusted and pinned, and has changed since
	Err     error // why the store is not believed, if so
}

func (e *NotTrusted) Error() string {
	switch {
	case e.Err != nil:
		return "not run: " + e.Err.Error()
	case e.Changed:
		return fmt.Sprintf("not run: %s has changed since you pinned it (review the changes and pin it again: skillhand trust --pin %s)", e.Dir, quote(e.Dir))
	}
	return fmt.Sprintf("not run: %s is not trusted (skillhand trust %s)", e.Dir, quote(e.Dir))
}

func (e *NotTrusted) Unwrap() error { return e.Err }

// Allow reports whether commands that are written in a file may run; commands
// lists them. The error is a *NotTrusted, or what kept the user from answering.
// It is the one place that asks.
func (p Policy) Allow(ctx context.Context, file string, commands func() []string) error {
	err := p.May(file)
	refused, ok := errors.AsType[*NotTrusted](err)
	if !ok {
		return err
	}
	all := commands()
	if len(all) == 0 {
		return nil
	}
	if p.Confirm == nil || refused.Err != nil {
		return err
	}
	q, digest := Question{Dir: refused.Dir, Commands: all}, ""
	if refused.Changed {
		if q.Changes, digest, err = p.Store.Changes(refused.Dir); err != nil {
			return err
		}
	}
	yes, err := p.Confirm(ctx, q)
	switch {
	case err != nil:
		return err
	case !yes:
		return refused
	case refused.Changed:
		_, err = p.Store.Pin(refused.Dir, digest)
	default:
		_, err = p.Store.Trust(refused.Dir)
	}
	return err
}

// May reports whether what lies at a path may run, by where it really is. It
// asks nobody.
func (p Policy) May(path string) error {
	if p.All {
		return nil
	}
	real, err := realPath(path)
	if err != nil {
		return &NotTrusted{Dir: path}
	}
	if p.within(real, p.Own) || p.More != nil && p.within(real, p.More()) {
		return nil
	}
	place := Place(real)
	if err := p.Store.believable(place, p.Home); err != nil {
		return &NotTrusted{Dir: place, Err: err}
	}
	dir, pinned, ok := p.Store.covering(real)
	if !ok {
		return &NotTrusted{Dir: place}
	}
	if pinned != "" {
		now, err := snapshot(dir)
		if err != nil || now.hash() != pinned {
			return &NotTrusted{Dir: dir, Changed: true}
		}
	}
	return nil
}

// Now is the policy of this moment, for judging many paths: the user's own folders
// are resolved once, not for each path.
func (p Policy) Now() Policy {
	if p.All || p.real {
		return p
	}
	more := p.More
	p.Own, p.real = realPaths(p.Own), true
	if more != nil {
		p.More = sync.OnceValue(func() []string { return realPaths(more()) })
	}
	return p
}

// within reports whether a real path lies in one of the policy's folders.
func (p Policy) within(real string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		var err error
		if !p.real {
			dir, err = realPath(dir)
		}
		return err == nil && skill.Inside(dir, real)
	})
}

// realPaths is where folders really are that are there.
func realPaths(dirs []string) []string {
	var real []string
	for _, dir := range dirs {
		if dir, err := realPath(dir); err == nil {
			real = append(real, dir)
		}
	}
	return real
}

// Place returns the folder that must be trusted for a file, or folder, to run: the
// repository it is really in, else the project or plugin around it, else its
// own folder.
func Place(file string) string {
	if real, err := realPath(file); err == nil {
		file = real
	}
	folder := filepath.Dir(file)
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		folder = file
	}
	if top := skill.Top(folder); top != "" {
		return top
	}
	of := folder
	if filepath.Base(of) == "scripts" {
		of = filepath.Dir(of) // a skill's scripts belong to it
	}
	if plugin := skill.PluginOf(of); plugin != "" {
		return plugin
	}
	skills := filepath.Dir(of)
	if around := filepath.Dir(skills); filepath.Base(skills) == "skills" && (filepath.Base(around) == ".claude" || filepath.Base(around) == ".agents") {
		return filepath.Dir(around)
	}
	return folder
}

func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(real)
}

// quote makes a path one word for a shell.
func quote(path string) string {
	if path != "" && !strings.ContainsAny(path, " \t\n'\"\\$`!*?[]{}()<>|&;#~") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
