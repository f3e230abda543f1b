package check

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
)

// A Checkup is a check of files at a place, by the configuration that holds there. Command line, editor, page and
// doctor all begin with At, so that they agree.
type Checkup struct {
	Finder  Finder
	Options Options
	Config  string // the configuration file, which need not exist

	paths  []string
	agents []string // those that the project's skills are for, if its configuration says so
	top    string   // the folder that is the project
}

// At prepares a check of paths at a place: of a file, or of all that a folder holds. No paths mean the project and what
// it would load. Errors are about the configuration file; the checkup then does without it.
func At(h Here, paths []string) (*Checkup, error) {
	c := newCheckup(h, paths)
	c.Config = ConfigFile(h.Dir)
	err := c.configure()
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return c, err
}

// AtConfig works as At does, with a configuration file of the caller's choice, which must exist.
func AtConfig(h Here, file string, paths []string) (*Checkup, error) {
	c := newCheckup(h, paths)
	c.Config = file
	return c, c.configure()
}

// ConfigFile returns where the configuration for a folder stands: at the top of its repository, or in it.
func ConfigFile(dir string) string { return here.ConfigFile(dir) }

func newCheckup(h here.Here, named []string) *Checkup {
	c := &Checkup{paths: named, top: files.Around(h.Dir)}
	where := h.Settings()
	where.Dir = c.top
	c.Finder = h.Tree()
	if said, err := h.Config(); err == nil {
		c.agents = said.Agents
	}
	c.Options.Settings = &where
	c.Options.Listing = newListing(where, h.Env.Get, time.Now())
	c.Options.Listing.Uncalled = func() []string { return activity.Uncalled(h, time.Now().AddDate(0, 0, -30)) }
	if len(named) == 0 { // what is installed matters only beside everything else that is listed
		c.Options.Listing.Also = installedSkills(where)
	}
	return c
}

func (c *Checkup) configure() error {
	src, err := files.ReadFile(c.Config)
	if err != nil {
		return err
	}
	conf, err := ParseConfig(term.Near(c.Config), src)
	if err != nil {
		return err
	}
	c.Finder.Exclude = conf.Exclude
	c.Options.Agents, c.Options.Rules, c.Options.As = conf.Agents, conf.Rules, conf.As
	if len(c.Options.Agents) == 0 {
		c.Options.Agents = slices.DeleteFunc(slices.Clone(c.agents), func(a string) bool { return !slices.Contains(Agents(), a) })
	}
	return nil
}

// Files finds the files to check. There may be both files and an error: about paths that stand for none.
func (c *Checkup) Files() ([]File, error) {
	c.Finder.Excluded = map[string]bool{}
	if !c.Options.NoSkip {
		c.Finder.Fixtures = map[string]int{}
	}
	c.Finder.Others, c.Finder.Packages = c.Options.isForOthers(), c.Options.NoSkip
	return c.Finder.Find(c.paths)
}

// Skipped returns how many files Files skipped, and the folders that they are in.
func (c *Checkup) Skipped() (n int, folders []string) {
	for _, count := range c.Finder.Fixtures {
		n += count
	}
	return n, slices.Sorted(maps.Keys(c.Finder.Fixtures))
}

// Unused lists the patterns of the configuration that excluded nothing. Some of the paths may leave out what is
// excluded, so there are none if paths were named.
func (c *Checkup) Unused() []string {
	if len(c.paths) > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Finder.Exclude), func(pattern string) bool { return c.Finder.Excluded[pattern] })
}

// Run checks all files.
func (c *Checkup) Run(ctx context.Context) (*Result, error) {
	files, err := c.Files()
	if err != nil {
		return nil, err
	}
	res := Run(ctx, files, c.Options)
	res.Skipped, _ = c.Skipped()
	return res, nil
}

// Source works as Run does, for a text that stands for a file, whether or not that exists. A file that the configuration excludes,
// or that is nothing to an agent, has no findings.
func (c *Checkup) Source(ctx context.Context, path string, src []byte) *Result {
	var files []File
	if f := c.Finder.Source(path, src); f.Kind != Text && !c.Finder.Excludes(path) {
		files = append(files, f)
	}
	return Run(ctx, files, c.Options)
}

// Fixable lists the files that may be fixed: all that were named, or else the project's, without the user's own.
func (c *Checkup) Fixable(found []File) []File {
	if len(c.paths) > 0 {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), func(f File) bool {
		return !files.Inside(c.top, f.Path) || c.Finder.IsUsers(f.Path) && !c.Finder.IsUsers(c.top)
	})
}
