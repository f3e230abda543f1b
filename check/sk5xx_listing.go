package check

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

// A Listing is what is known of the list of skills that Claude Code gives the model, beside the
// skills that are checked. The zero value is Claude Code as it is installed.
type Listing struct {
	Budget         int                 // characters that the list may have; 0 means DefaultBudget
	MaxDescription int                 // characters of one description; 0 means 1536
	Overrides      map[string]Override // by skill
	NoBundled      bool                // without most of Claude Code's own skills
	Used           map[string]float64  // how much each skill is used; those used more come first
	Also           []File              // skills that are listed and not checked: those of installed plugins
	Uncalled       func() []string     // skills that agents were offered in the last 30 days and never called; nil means unknown
}

// DefaultBudget is how many characters Claude Code's list of all skills may have with today's models.
const DefaultBudget = claudecode.DefaultListBudget

// newListing returns the listing of a user, in a folder.
func newListing(w settings.Where, getenv func(string) string, now time.Time) Listing {
	s := settings.Read(w)
	said := s.Listing()
	l := Listing{MaxDescription: said.MaxDescription, Overrides: said.Overrides, NoBundled: said.NoBundled, Used: settings.Usage(w, now)}
	env := s.Env()
	get := func(name string) string { return cmp.Or(env[name], getenv(name)) }
	l.Budget = claudecode.ListBudget(cmp.Or(get("ANTHROPIC_MODEL"), said.Model), said.Fraction)
	if n, err := strconv.Atoi(get("SLASH_COMMAND_TOOL_CHAR_BUDGET")); err == nil && n > 0 {
		l.Budget = n
	}
	return l
}

// installedSkills returns those of the plugins that are enabled.
func installedSkills(w settings.Where) []File {
	plugins, _ := find.Loaded(w, w.Dir) // a broken list is doctor's to tell
	var all []File
	for _, p := range slices.CompactFunc(plugins, func(a, b find.InstalledPlugin) bool { return a.ID == b.ID }) {
		files, _ := Finder{Dir: p.From}.Find([]string{p.From})
		for _, f := range files {
			if f.Fault == nil && (f.Kind == Skill || f.Kind == Command) {
				f.As = InPlugin
				f.Name, _, _ = strings.Cut(p.ID, "@")
				all = append(all, f)
			}
		}
	}
	return all
}

// A listed skill is a line of the list.
type listed struct {
	doc   *document // nil if it is not checked
	file  string    // that has it, if it is not checked; "" if it is Claude Code's own
	name  string
	chars int // of its description, cut
	full  int // the same, uncut
	used  float64
	fixed bool // it keeps its description
	own   bool // Claude Code's own
}

// bare returns what the line takes without a description, its end included.
func (s *listed) bare() int { return len("- \n") + length(s.name) }

func (s *listed) more() int {
	if s.chars == 0 {
		return 0
	}
	return len(": ") + s.chars
}

// ownSkills returns the lines of Claude Code's own.
func (l *Listing) ownSkills() []*listed {
	var all []*listed
	for _, b := range claudecode.BundledSkills() {
		if l.NoBundled && b.Name != "plugin-authoring" {
			continue
		}
		s := &listed{name: b.Name, own: true, fixed: b.Name != "init" && b.Name != "security-review", used: l.Used[b.Name]}
		s.chars = min(b.Chars-len("- : ")-len(b.Name), cmp.Or(l.MaxDescription, claudecode.MaxListed))
		if l.override(s) {
			all = append(all, s)
		}
	}
	return all
}

// override does what settings say of a skill, and reports whether it is listed.
func (l *Listing) override(s *listed) bool {
	switch l.Overrides[s.name] {
	case settings.NameOnly:
		s.chars, s.full = 0, 0
	case settings.Off, settings.UserOnly:
		return false
	}
	return true
}

func (l *Listing) line(d *document, name string) *listed {
	s := &listed{doc: d, name: name, full: length(d.listing), used: l.Used[name]}
	if d.alias != "" && d.alias != d.name {
		s.name += " (" + d.alias + ")"
	}
	s.chars = min(s.full, cmp.Or(l.MaxDescription, claudecode.MaxListed))
	return s
}

// arrange finds the skills that lose their descriptions: those used least, and of those the last.
// A short one that still fits after a long one that does not is kept.
func (l *Listing) arrange(all []*listed) (total int, dropped []*listed) {
	budget := cmp.Or(l.Budget, DefaultBudget)
	left := budget + 1 // the last line has no end
	for _, s := range all {
		total += s.bare() + s.more()
		left -= s.bare()
		if s.fixed {
			left -= s.more()
		}
	}
	total--
	if total <= budget {
		return total, nil
	}
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b *listed) int { return cmp.Compare(b.used, a.used) })
	for _, s := range order {
		switch {
		case s.fixed || s.chars == 0:
		case s.more() <= left:
			left -= s.more()
		default:
			dropped = append(dropped, s)
		}
	}
	return total, dropped
}

// level returns how long descriptions can be so that all fit: those that are longer have to be cut to
// it. 0 means that no length does.
func (l *Listing) level(all []*listed) int {
	left := cmp.Or(l.Budget, DefaultBudget) + 1
	var lengths []int
	for _, s := range all {
		left -= s.bare()
		switch {
		case s.chars == 0, s.own && !s.fixed && s.used == 0: // they come last
		case s.doc == nil: // nobody here can shorten it
			left -= s.more()
		default:
			left -= len(": ")
			lengths = append(lengths, s.chars)
		}
	}
	slices.Sort(lengths)
	for i, n := range lengths {
		if rest := len(lengths) - i; n*rest > left {
			return max(0, left/rest)
		}
		left -= n
	}
	return 0
}

func listingBudget(w *whole) {
	for _, list := range w.lists() {
		w.tellListing(list.listing, list.skills)
	}
}

// A list is what Claude Code lists together.
type list struct {
	listing *Listing
	skills  []*listed
}

// lists returns the lists that the files get into: a project's skills with the user's and all that is
// installed; and those of a plugin by themselves, as someone may have no other.
func (w *whole) lists() []list {
	mine, shipped := &w.opt.Listing, &Listing{}
	groups := map[string][]*listed{} // by root; the user's are under ""
	var order []string
	for _, d := range w.skills() {
		key, l, name := d.file.Root, mine, d.name
		switch {
		case d.opt.As == "" && !d.isLoaded():
			continue // kept to be copied, and nobody knows with what it will be listed
		case d.place() == InPlugin:
			l, name = shipped, find.PluginName(d.file.Root)+":"+d.name
		case !d.file.Claude:
			l = shipped
		case d.place() == User:
			key = ""
		}
		s := l.line(d, name)
		if !d.listed || !l.override(s) {
			continue
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = withLine(groups[key], s, d.place() == InPlugin)
	}
	users := groups[""]
	alone := !slices.ContainsFunc(order, isClaude)
	var lists []list
	for _, key := range order {
		switch {
		case isClaude(key):
			all := append(slices.Clone(users), withoutNames(groups[key], users)...)
			slices.SortStableFunc(all, func(a, b *listed) int {
				return cmp.Compare(b2i(a.doc.file.Kind == Command), b2i(b.doc.file.Kind == Command))
			})
			lists = append(lists, list{mine, slices.Concat(all, w.installed(), mine.ownSkills())})
		case key != "":
			lists = append(lists, list{shipped, append(groups[key], shipped.ownSkills()...)})
		case alone:
			lists = append(lists, list{mine, slices.Concat(users, w.installed(), mine.ownSkills())})
		}
	}
	return lists
}

// withLine adds a line. Of a skill and a command of one name only the one that loads is listed: in a plugin the command,
// elsewhere the skill.
func withLine(all []*listed, s *listed, inPlugin bool) []*listed {
	for i, other := range all {
		if other.doc.name != s.doc.name || other.doc.file.Root != s.doc.file.Root || other.doc.file.Kind == s.doc.file.Kind {
			continue
		}
		if (s.doc.file.Kind == Command) == inPlugin {
			all[i] = s
		}
		return all
	}
	return append(all, s)
}

// isLoaded reports whether a file lies where Claude Code finds it.
func (d *document) isLoaded() bool {
	return d.file.Claude || d.file.As == User || d.file.Plugin != "" && d.file.Root == d.file.Plugin
}

func isClaude(root string) bool { return filepath.Base(root) == ".claude" }

// withoutNames leaves out what has a name that is taken: only the first is listed.
func withoutNames(all, taken []*listed) []*listed {
	return slices.DeleteFunc(all, func(s *listed) bool {
		return slices.ContainsFunc(taken, func(t *listed) bool { return t.name == s.name })
	})
}

// installed returns the lines of installed plugins' skills.
func (w *whole) installed() []*listed {
	var all []*listed
	l := &w.opt.Listing
	for _, f := range l.Also {
		if slices.ContainsFunc(w.docs, func(d *document) bool { return d.file.Path == f.Path }) {
			continue
		}
		d := describe(f)
		if s := l.line(d, f.Name+":"+d.name); d.listed && l.override(s) {
			s.file = f.Path
			all = withLine(all, s, true)
		}
	}
	for _, s := range all {
		s.doc = nil
	}
	return all
}

// describe reads how a skill is listed, and no more of it.
func describe(f File) *document {
	d := &document{file: f}
	if src, err := readFile(&f); err == nil {
		d.src = string(src)
		d.skill = skill.Parse(f.Path, src)
		d.name = d.loadName()
		d.describe()
	}
	return d
}

func (w *whole) tellListing(l *Listing, all []*listed) {
	w.tellCut(l, all)
	total, dropped := l.arrange(all)
	var names []string
	for _, s := range dropped {
		if !s.own {
			names = append(names, s.name)
		}
	}
	if len(names) == 0 {
		return
	}
	longest := slices.DeleteFunc(slices.Clone(all), func(s *listed) bool { return s.doc == nil })
	slices.SortStableFunc(longest, func(a, b *listed) int { return cmp.Compare(b.chars, a.chars) })
	own, count := 0, 0
	for _, s := range all {
		if s.own {
			own += s.bare() + s.more()
		} else {
			count++
		}
	}
	budget := cmp.Or(l.Budget, DefaultBudget)
	d := longest[0].doc
	f := w.find(d, d.describedAt[0], d.describedAt[1],
		"%s: Claude Code's list holds %d characters, its own skills take %d, these would take %d: %s",
		listedBare(len(names), count), budget, own, total-own, term.Several(names, 5))
	defer func() { f.Help += l.uncalled(all) }()
	level := l.level(all)
	const useful = 40 // characters
	if level < useful {
		f.Help = "there is no room for all: switch off what is not needed, as in \"skillOverrides\": {\"" + names[0] +
			"\": \"off\"}, or raise skillListingBudgetFraction, in Claude Code's settings"
		return
	}
	var first []string
	for _, s := range longest {
		if s.chars > level {
			first = append(first, fmt.Sprintf("%s (%d)", s.name, s.chars))
		}
	}
	f.Help = fmt.Sprintf("shorten to %d characters or less: %s; or raise skillListingBudgetFraction in Claude Code's settings",
		level, term.Several(first, 5))
}

// listedBare says how many of how many skills are listed without a description.
func listedBare(n, all int) string {
	if n == 1 {
		return fmt.Sprintf("1 of %s is listed without its description", term.Plural(all, "skill"))
	}
	return fmt.Sprintf("%d of %s are listed without their descriptions", n, term.Plural(all, "skill"))
}

// uncalled names skills of a list that agents never called here: they are the first to go.
func (l *Listing) uncalled(all []*listed) string {
	if l.Uncalled == nil {
		return ""
	}
	never := l.Uncalled()
	var names []string
	for _, s := range all {
		if !s.own && slices.Contains(never, s.name) {
			names = append(names, s.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; never called in the last 30 days: " + term.Several(names, 10)
}

// tellCut reports descriptions that this user's settings cut; SK106 tells of those that are cut
// for everybody.
func (w *whole) tellCut(l *Listing, all []*listed) {
	if l.MaxDescription == 0 || l.MaxDescription >= claudecode.MaxListed {
		return
	}
	for _, s := range all {
		if s.doc != nil && s.full > l.MaxDescription {
			w.find(s.doc, s.doc.describedAt[0], s.doc.describedAt[1],
				"the description has %d characters, and Claude Code lists %d of them: skillListingMaxDescChars in its settings says so", s.full, l.MaxDescription)
		}
	}
}
