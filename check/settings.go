package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/permit"
)

// The settings that count for a file depend on who will have it. A project's skill comes with the
// project's shared settings; what the user has beside them lets it run here, and for nobody else. A
// user's own skill is used where the user's settings are. A plugin's, and whatever is taken as
// installed elsewhere, must do without.

// A ruleSet is what settings add to a request.
type ruleSet struct {
	allow, deny, ask []string
	dirs             []string
}

// add returns the request under these rules too.
func (r *ruleSet) add(q permit.Request) permit.Request {
	q.Allow = slices.Concat(q.Allow, r.allow)
	q.Deny = slices.Concat(q.Deny, r.deny)
	q.Ask = slices.Concat(q.Ask, r.ask)
	q.Dirs = slices.Concat(q.Dirs, r.dirs)
	return q
}

func (r *ruleSet) take(rule settings.Rule) {
	switch rule.Kind {
	case settings.Allow:
		r.allow = append(r.allow, rule.Text)
	case settings.Deny:
		r.deny = append(r.deny, rule.Text)
	case settings.Ask:
		r.ask = append(r.ask, rule.Text)
	}
}

// fileRules are those that count for the files of one folder.
type fileRules struct {
	shared ruleSet // for everybody who has the file
	mine   ruleSet // for this user, now
	all    []settings.Rule
}

// settingsRules keeps the rules of folders, each read once.
type settingsRules struct {
	mu sync.Mutex
	by map[string]*fileRules
}

// findRules returns the rules that count for a file; nil means that none do.
func (d *document) findRules() *fileRules {
	w := d.opt.Settings
	if w == nil || d.place() != d.file.As || !d.file.Claude {
		return nil
	}
	dir := ""
	if d.file.As == Project {
		dir = filepath.Dir(d.file.Root)
	}
	c := d.opt.rules
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.by[dir]
	if !ok {
		at := *w
		at.Dir = dir
		r = readRules(settings.Read(at), d.file.As)
		if c.by == nil {
			c.by = map[string]*fileRules{}
		}
		c.by[dir] = r
	}
	return r
}

func readRules(s *settings.Settings, as Place) *fileRules {
	shares := func(source settings.Source) bool { return as == User || source == settings.Project }
	r := &fileRules{}
	for _, rule := range s.Rules() {
		if len(permit.ParseRules(rule.Text)) != 1 {
			continue // settings have one rule an item: two match nothing
		}
		r.all = append(r.all, rule)
		if shares(rule.Source) {
			r.shared.take(rule)
		}
		if !rule.Ignored {
			r.mine.take(rule)
		}
	}
	for _, f := range s.Files {
		if shares(f.Source) {
			r.shared.dirs = append(r.shared.dirs, madeUp(f.Dirs)...)
		}
		if f.Source != settings.Project || s.Trusted {
			r.mine.dirs = append(r.mine.dirs, madeUp(f.Dirs)...)
		}
	}
	if len(r.all)+len(r.shared.dirs)+len(r.mine.dirs) == 0 {
		return nil
	}
	return r
}

// madeUp returns where further folders lie, seen from the folders of a request.
func madeUp(dirs []string) []string {
	var all []string
	for _, dir := range dirs {
		switch rest, home := strings.CutPrefix(dir, "~/"); {
		case home:
			dir = "/home/user/" + rest
		case !strings.HasPrefix(dir, "/"):
			dir = filepath.ToSlash(filepath.Join("/project", dir))
		}
		all = append(all, dir)
	}
	return all
}

// ruleFile returns the settings file that has the rule which decided, with its line, or "".
func (d *document) ruleFile(v permit.Verdict) string {
	if d.rules == nil || v.Rule == "" {
		return ""
	}
	kind, own := settings.Allow, d.skill.Front.AllowedTools
	switch {
	case v.Decision == permit.Deny:
		kind, own = settings.Deny, d.skill.Front.DisallowedTools
	case v.Decision == permit.Ask:
		kind, own = settings.Ask, nil
	}
	for _, list := range own {
		for _, r := range permit.ParseRules(list) {
			if r.Text == v.Rule {
				return ""
			}
		}
	}
	for _, r := range d.rules.all {
		if r.Kind == kind && r.Text == v.Rule {
			return fmt.Sprintf("%s:%d", d.near(r.File), r.Line)
		}
	}
	return ""
}

// ruleAt returns ruleFile's answer in words, or "".
func (d *document) ruleAt(before string, v permit.Verdict, after string) string {
	if at := d.ruleFile(v); at != "" {
		return before + at + after
	}
	return ""
}

// near returns what people call a settings file: as they call the file that is checked, or from their
// home folder.
func (d *document) near(file string) string {
	project := filepath.Dir(d.file.Root)
	if rel, err := filepath.Rel(project, d.file.Path); err == nil && d.file.As == Project && files.Inside(project, file) {
		if base, ok := strings.CutSuffix(d.file.Name, filepath.ToSlash(rel)); ok {
			return base + find.Relative(project, file)
		}
	}
	if home := d.opt.Settings.Home; home != "" && files.Inside(home, file) {
		return "~/" + find.Relative(home, file)
	}
	return filepath.ToSlash(file)
}
