package trust

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/words"
)

// A Policy decides what may run. The zero value lets nothing run.
type Policy struct {
	Store  Store
	Home   string          // the user's home
	Own    []string        // the user's own folders, trusted without asking
	More   func() []string // more of the user's own folders, which take time to find
	MoreIn string          // the folder above all of More's: paths elsewhere do not call More; "" means any
	All    bool            // everything may run
	Near   func() []string // the current project, by real path: a store inside it cannot vouch for it

	// Confirm asks the user about an untrusted folder. After a yes the folder is trusted. nil
	// means no.
	Confirm func(ctx context.Context, q Question) (bool, error)

	real bool      // Own and More are real paths
	held *sync.Map // the manifests of pinned folders at this moment, by folder
}

// A Question tells users what they need to know before they trust a folder.
type Question struct {
	Dir      string
	Commands []string // what would run now
	Changes  string   // for a pinned folder: a diff of commands and scripts since it was pinned
}

// NotTrusted says that commands must not run, and what to do.
type NotTrusted struct {
	Dir     string
	Changed bool  // it was trusted and pinned, and has changed since
	Err     error // why the trust store does not count, if so
}

func (e *NotTrusted) Error() string { return "not run: " + e.Reason() }

// Reason returns why commands must not run, and what to do.
func (e *NotTrusted) Reason() string {
	switch {
	case e.Err != nil:
		return e.Err.Error()
	case e.Changed:
		return fmt.Sprintf("%s has changed since you pinned it (review the changes and pin it again: %s)", e.Dir, e.Remedy(""))
	}
	return fmt.Sprintf("%s is not trusted (%s)", e.Dir, e.Remedy(""))
}

// Remedy returns the command that trusts the folder, or "". The command fits somebody who works in
// the project here.
func (e *NotTrusted) Remedy(here string) string {
	switch {
	case e == nil || e.Err != nil:
		return ""
	case e.Changed:
		return "skillhand trust --pin " + words.Quote(e.Dir)
	case e.Dir == here:
		return "skillhand trust"
	}
	return "skillhand trust " + words.Quote(e.Dir)
}

func (e *NotTrusted) Unwrap() error { return e.Err }

// Allow reports whether the listed commands of a file may run. The error is a *NotTrusted, or the
// reason why the user could not answer. No other function asks the user.
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
		if p.held != nil {
			p.held.Clear()
		}
	default:
		_, err = p.Store.Trust(refused.Dir)
	}
	return err
}

// May reports whether the file at a path may run, by its real path. It asks nobody.
func (p Policy) May(path string) error {
	if p.All {
		return nil
	}
	real, err := realPath(path)
	if err != nil {
		return &NotTrusted{Dir: path}
	}
	if p.own(real) {
		return nil
	}
	root := Root(real)
	near := []string{root}
	if p.Near != nil {
		near = append(near, p.Near()...)
	}
	if err := p.Store.believable(real, p.Home, near); err != nil {
		return &NotTrusted{Dir: root, Err: err}
	}
	dir, pinned, ok := p.Store.covering(real)
	if !ok {
		return &NotTrusted{Dir: root}
	}
	if err := onlyOurs(p.Store.file(dir)); err != nil {
		return &NotTrusted{Dir: root, Err: err}
	}
	if pinned != "" {
		now, err := p.holds(dir)
		if err != nil || now.hash() != pinned {
			return &NotTrusted{Dir: dir, Changed: true}
		}
	}
	return nil
}

// Read reports whether a text that was read from a file may decide what runs. In a pinned folder it
// must be the pinned text: the file may have changed since the folder was compared.
func (p Policy) Read(real string, text []byte) error {
	return p.asPinned(real, func(mode fs.FileMode) ([]byte, error) { return counts(real, mode, text), nil })
}

// Run reports whether the program or script at a real path may run. In a pinned folder every byte of
// it must be pinned, so Markdown may not.
func (p Policy) Run(real string) error {
	if err := p.May(real); err != nil {
		return err
	}
	return p.asPinned(real, func(fs.FileMode) ([]byte, error) { return os.ReadFile(real) })
}

// asPinned reports whether the part of a file that counts is as pinned, if its folder is pinned.
func (p Policy) asPinned(real string, text func(fs.FileMode) ([]byte, error)) error {
	if p.All || p.own(real) {
		return nil
	}
	dir, pin, ok := p.Store.covering(real)
	info, err := os.Stat(real)
	if !ok || pin == "" || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if err == nil {
		var now manifest
		var is []byte
		now, err = p.holds(dir)
		if err == nil {
			is, err = text(info.Mode())
		}
		if rel, _ := filepath.Rel(dir, real); err == nil && now[filepath.ToSlash(rel)].Hash == digest(is) {
			return nil
		}
	}
	return &NotTrusted{Dir: dir, Err: fmt.Errorf("%s is not what %s was pinned with", real, dir)}
}

// holds returns a folder's manifest. A policy from Now reads each folder only once.
func (p Policy) holds(dir string) (manifest, error) {
	if p.held == nil {
		return snapshot(dir)
	}
	if now, ok := p.held.Load(dir); ok {
		return now.(manifest), nil
	}
	now, err := snapshot(dir)
	if err == nil {
		p.held.Store(dir, now)
	}
	return now, err
}

// own reports whether a real path is in one of the user's own folders.
func (p Policy) own(real string) bool {
	return p.within(real, p.Own) || p.More != nil && (p.MoreIn == "" || p.within(real, []string{p.MoreIn})) && p.within(real, p.More())
}

// Now returns the policy as of this moment, for many questions: it resolves the user's own folders
// once, and reads each pinned folder once.
func (p Policy) Now() Policy {
	if p.All || p.real {
		return p
	}
	more := p.More
	p.Own, p.real, p.held = realPaths(p.Own), true, &sync.Map{}
	if in, err := realPath(p.MoreIn); p.MoreIn != "" && err == nil {
		p.MoreIn = in
	}
	if home, err := realPath(p.Home); err == nil {
		p.Home = home
	}
	if p.Near != nil {
		p.Near = sync.OnceValue(p.Near)
	}
	if more != nil {
		p.More = sync.OnceValue(func() []string { return realPaths(more()) })
	}
	return p
}

// within reports whether a real path is in one of the policy's folders.
func (p Policy) within(real string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		var err error
		if !p.real {
			dir, err = realPath(dir)
		}
		return err == nil && files.Inside(dir, real)
	})
}

// realPaths returns the real paths of the folders that exist.
func realPaths(dirs []string) []string {
	var real []string
	for _, dir := range dirs {
		if dir, err := realPath(dir); err == nil {
			real = append(real, dir)
		}
	}
	return real
}

// Root returns the folder that must be trusted for a file or folder to run: the repository of its
// real path, else the project or plugin around it, else its own folder.
func Root(file string) string {
	if real, err := realPath(file); err == nil {
		file = real
	}
	folder := filepath.Dir(file)
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		folder = file
	}
	if top := files.Top(folder); top != "" {
		return top
	}
	of := folder
	if filepath.Base(of) == "scripts" {
		of = filepath.Dir(of) // a skill's scripts belong to it
	}
	if plugin := find.PluginOf(of); plugin != "" {
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
