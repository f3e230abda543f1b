package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/gate"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

// A Choice says which skills to try with which cases. The zero value means all skills that have
// cases.
type Choice struct {
	Names []string          // skills, and folders of plugins; none means the skills of the project, and its plugin
	Files []string          // files of cases; none means those in the evals folders
	Tags  []string          // only cases with at least one of these tags
	Bare  bool              // without cases, because they are still to be written
	Warn  func(text string) // receives warnings; may be nil
}

// Subjects finds the chosen skills and reads their cases. If the choice names no skills, Subjects
// leaves out skills without cases.
func (o *Options) Subjects(c Choice) ([]*Subject, error) {
	if c.Warn == nil {
		c.Warn = func(string) {}
	}
	h := o.Runtime.Here
	finder := h.Finder()
	var locs []skill.Location
	var faults []error
	var plugins []string
	for _, name := range c.Names {
		if root := pluginAt(h, name); root != "" {
			plugins = append(plugins, root)
			continue
		}
		loc, err := finder.Find(name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		locs = append(locs, loc)
	}
	if len(c.Names) == 0 {
		listed, odd := finder.List()
		for _, err := range odd {
			c.Warn(err.Error())
		}
		for _, loc := range listed {
			if !loc.Command && !loc.IsOwn() {
				locs = append(locs, loc)
			}
		}
	}
	if len(c.Names) == 0 {
		for _, dir := range []string{h.PluginRoot, h.Dir} {
			if root := pluginAt(h, dir); root != "" && !slices.Contains(plugins, root) {
				plugins = append(plugins, root)
			}
		}
	}
	if len(c.Files) > 0 && len(locs)+len(plugins) != 1 && len(faults) == 0 {
		return nil, fmt.Errorf("%s: cases for one skill, but %d skills are selected; name one",
			strings.Join(c.Files, ", "), len(locs)+len(plugins))
	}
	var subjects []*Subject
	for i := range len(locs) + len(plugins) {
		var s *Subject
		var err error
		if i < len(locs) {
			s, err = o.skill(c, locs[i])
		} else {
			s, err = o.plugin(c, plugins[i-len(locs)])
		}
		switch {
		case err == nil:
			subjects, err = addSubject(subjects, s)
			faults = append(faults, err)
		case len(c.Names) == 0 && errors.Is(err, ErrNoCases):
		default:
			faults = append(faults, err)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if len(subjects) == 0 && len(locs) == 0 {
		return nil, fmt.Errorf("%w: there are no skills here", ErrNoCases)
	}
	if len(subjects) == 0 {
		return nil, fmt.Errorf("%w: looked for evals/*.json and evals/*.yaml beside %s\nto create cases, run: skillhand try --init SKILL",
			ErrNoCases, term.Plural(len(locs), "skill"))
	}
	return subjects, nil
}

// addSubject adds a skill, unless the list already has it under some name.
func addSubject(subjects []*Subject, s *Subject) ([]*Subject, error) {
	for _, have := range subjects {
		switch {
		case have.Folder == s.Folder:
			return subjects, nil
		case have.Name == s.Name:
			return subjects, fmt.Errorf("%s: two skills have this name: %s and %s; try one at a time", s.Name, have.Folder, s.Folder)
		}
	}
	return append(subjects, s), nil
}

// skill returns one skill with its cases.
func (o *Options) skill(c Choice, loc skill.Location) (*Subject, error) {
	s, err := NewSubject(loc)
	if err != nil && len(c.Names) == 0 {
		c.Warn(err.Error()) // the other cases can still be tried
		return nil, ErrNoCases
	}
	if err != nil || c.Bare {
		return s, err
	}
	if len(c.Files) > 0 {
		err = s.ReadCases(c.Files...)
	} else {
		err = o.cases(c, s)
	}
	if errors.Is(err, ErrNoCases) {
		err = fmt.Errorf("%s: %w: looked for evals/*.json and evals/*.yaml in %s\nto create cases, run: skillhand try --init %s",
			loc.Name, ErrNoCases, s.Folder, loc.Name)
	}
	return s, err
}

// plugin returns a plugin as a whole, with the plugin's own cases.
func (o *Options) plugin(c Choice, root string) (*Subject, error) {
	s, err := NewPlugin(root)
	if err != nil {
		return nil, err
	}
	if len(c.Files) > 0 {
		s.Cases, err = ReadCases(root, c.Files...)
		return s, err
	}
	return s, o.cases(c, s)
}

// pluginAt returns the root of the plugin if dir is that root and not a skill too, else "".
func pluginAt(h here.Here, dir string) string {
	if dir == "" {
		return ""
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(h.Dir, dir)
	}
	_, plugin := os.Stat(filepath.Join(dir, ".claude-plugin", "plugin.json"))
	if _, isSkill := os.Stat(filepath.Join(dir, skill.MainFile)); plugin != nil || isSkill == nil {
		return ""
	}
	return files.Real(dir)
}

// cases reads the cases of a skill or a plugin that have the wanted tags.
func (o *Options) cases(c Choice, s *Subject) error {
	if err := s.FindCases(c.Warn); err != nil {
		return err
	}
	if len(c.Tags) > 0 {
		s.Cases = slices.DeleteFunc(s.Cases, func(of Case) bool {
			return of.Suite == nil || !slices.ContainsFunc(of.Suite.Tags, func(tag string) bool { return slices.Contains(c.Tags, tag) })
		})
		if len(s.Cases) == 0 {
			return fmt.Errorf("%s: %w with the tag %s", s.Name, ErrNoCases, strings.Join(c.Tags, ", "))
		}
	}
	for _, text := range o.unmet(s) {
		c.Warn(text)
	}
	return nil
}

// unmet says what cases ask for but do not get, each thing once.
func (o *Options) unmet(s *Subject) []string {
	var tools []string
	scaffold := 0
	for _, c := range s.Cases {
		if c.Suite == nil {
			continue
		}
		if c.Suite.Scaffold != "" && !o.Scaffold {
			scaffold++
		}
		for _, tool := range c.Suite.Allowed {
			granted := slices.ContainsFunc(o.AllowedTools, func(t string) bool { return t == tool || strings.HasPrefix(tool, t+"(") })
			if Guarded(tool) && !granted && !slices.Contains(tools, tool) {
				tools = append(tools, tool)
			}
		}
	}
	var all []string
	if scaffold > 0 {
		all = append(all, fmt.Sprintf("%s: %s start in an empty folder; to run their scaffold scripts, add --scaffold",
			s.Name, term.Plural(scaffold, "case")))
	}
	if len(tools) > 0 {
		all = append(all, fmt.Sprintf("%s: cases ask for %s; to allow these tools, add --allowed-tool",
			s.Name, strings.Join(tools, ", ")))
	}
	return all
}

// Trusted returns an error if the commands that check trials may not run because the project is not
// trusted.
func (o *Options) Trusted(ctx context.Context, subjects []*Subject) error {
	policy := o.Runtime.Policy(o.Runtime.Here).Now()
	for _, s := range subjects {
		for _, c := range s.Cases {
			file, line := c.File, c.Line
			commands := func() (all []string) {
				if c.Suite != nil && c.Suite.Scaffold != "" && o.Scaffold {
					all = append(all, "bash "+c.Suite.Scaffold)
				}
				for _, check := range c.Checks {
					if check.Command == "" {
						continue
					}
					if len(all) == 0 && check.Line > 0 {
						file, line = filepath.Join(s.Folder, gate.DoneFile), check.Line
					}
					all = append(all, check.Command)
				}
				return all
			}
			if err := policy.Allow(ctx, c.File, commands); err != nil {
				return fmt.Errorf("%s:%d: %w", file, line, err)
			}
		}
	}
	return nil
}
