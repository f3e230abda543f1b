package check

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/words"
)

func budgetRules() []*Rule {
	return []*Rule{
		{ID: "SK501", Name: "body-long", Severity: Info, run: bodyLong, kinds: []Kind{Skill},
			Summary: "the text is longer than an agent keeps"},
		{ID: "SK502", Name: "collision", Severity: Error, together: collision,
			Summary: "two skills have one name, and only one of them can be loaded by it"},
		{ID: "SK503", Name: "same-description", Severity: Warning, together: sameDescription,
			Summary: "two skills have the same description, so nothing tells the model which to use"},
		{ID: "SK504", Name: "listing-budget", Severity: Warning, agent: claude, together: listingBudget,
			Summary: "all descriptions together are longer than Claude Code lists"},
		{ID: "SK505", Name: "near-description", Severity: Info, Off: true, together: nearDescription,
			Summary: "two skills have almost the same description"},
	}
}

const (
	manyLines = 500
	kept      = claudecode.KeptAfterCompact
	muchLost  = 25_000 // characters of a text that loses more than a closing section
)

func bodyLong(p *pass) {
	start := p.doc.frontEnd()
	first, _, _ := strings.Cut(p.doc.src[start:], "\n")
	end := start + len(strings.TrimRight(first, "\r"))
	body := p.doc.src[start:]
	lines := strings.Count(body, "\n")
	switch n := length(body); {
	case n > kept && p.doc.opt.isFor("claude"):
		f := p.find(start, end,
			"the text has %d characters: after compaction Claude Code brings back the first %d, and what follows is lost", n, kept)
		if n > muchLost {
			p.severe(f, Warning)
		}
		f.Help = "move what is not always needed to files beside it, and name them"
	case lines > manyLines:
		f := p.find(start, end, "the text has %d lines, more than the %d that the Agent Skills specification advises", lines, manyLines)
		f.Help = "move what is not always needed to files beside it, and name them"
	}
}

func (d *document) nameRange() (start, end int) { return 0, min(3, len(d.src)) }

// collision finds names that are taken.
func collision(w *whole) {
	taken := map[string]*document{} // by root and name
	names := map[string]*document{} // of plugins
	for _, d := range w.skills() {
		key := d.file.Root + "\x00" + d.name
		if other := taken[key]; other != nil {
			w.sameName(d, other)
			continue
		}
		taken[key] = d
		if d.file.Root != d.file.Plugin {
			continue // of no plugin, or in a folder of one that is not loaded
		}
		if other := names[d.name]; other != nil && other.file.Plugin != d.file.Plugin && d.file.Kind == other.file.Kind {
			start, end := d.nameRange()
			f := w.find(d, start, end, "%s is also the name of %s; call it %s:%s", d.name, other.file.Name, find.PluginName(d.file.Plugin), d.name)
			(&pass{doc: d, rule: w.rule}).severe(f, Info)
		}
		if names[d.name] == nil {
			names[d.name] = d
		}
	}
	if w.opt.isFor("claude") {
		w.hiddenByUser()
	}
	for _, d := range w.skills() {
		// The name of a command counts for nothing.
		if other := taken[d.file.Root+"\x00"+d.alias]; d.file.Kind == Skill && d.alias != "" && d.alias != d.name && other != nil && other != d {
			start, end := d.nameRange()
			f := w.find(d, start, end, "its name: is %s, which is what %s is called: Claude Code goes by the folder, other agents may not", d.alias, other.file.Name)
			(&pass{doc: d, rule: w.rule}).severe(f, Info).Help = "rename one of the two"
		}
	}
}

// sameName reports a skill and a command of one name in one place: a .claude loads the skill, a plugin
// the command (testdata/claude/SK502-command.txtar).
func (w *whole) sameName(a, b *document) {
	if a.file.Kind == b.file.Kind || !w.opt.isFor("claude") {
		return // one file, by two ways; or commands are nothing to the agent
	}
	loses, wins := a, b
	if (a.file.Kind == Command) == (a.file.Plugin != "") {
		loses, wins = b, a
	}
	if a.file.Plugin != "" && !wins.isPluginCommand() {
		return // the plugin names other commands, so only the skill is loaded
	}
	start, end := loses.nameRange()
	f := w.find(loses, start, end, "this %s cannot be used: /%s and the Skill tool load %s", loses.noun(), loses.name, wins.file.Name)
	f.Help = "merge the two, or rename this one"
}

func (d *document) isPluginCommand() bool {
	m, faults := find.ReadManifest(d.file.Plugin)
	if len(faults) > 0 {
		return false // nothing is loaded
	}
	return m.Commands == nil || slices.ContainsFunc(m.Commands, func(c claudecode.Command) bool {
		return c.Path != "" && files.Inside(filepath.Join(d.file.Plugin, filepath.FromSlash(c.Path)), d.file.Path)
	})
}

// hiddenByUser reports a project's skills and commands that the user has too: Claude Code loads the
// user's (testdata/claude/SK502-user-and-project.txtar).
func (w *whole) hiddenByUser() {
	users := map[string]*document{}
	for _, d := range w.skills() {
		if d.file.Claude && d.file.As == User {
			users[d.name] = d
		}
	}
	for _, d := range w.skills() {
		other := users[d.name]
		if other == nil || !d.file.Claude || d.file.As != Project {
			continue
		}
		start, end := d.nameRange()
		f := w.find(d, start, end, "%s is also the name of %s: for you Claude Code loads that one, and never this", d.name, other.file.Name)
		(&pass{doc: d, rule: w.rule}).severe(f, Warning).Help = "rename one of the two"
	}
}

func sameDescription(w *whole) {
	first := map[string]*document{}
	for _, d := range w.skills() {
		if d.description == "" || !d.listed || d.file.Kind != Skill {
			continue
		}
		key := d.file.Root + "\x00" + strings.Join(strings.Fields(d.description), " ")
		if other := first[key]; other != nil {
			f := w.find(d, d.describedAt[0], d.describedAt[1], "this is also the description of %s, so nothing tells the model which to use", other.file.Name)
			f.Help = "say what sets the two apart"
			continue
		}
		first[key] = d
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// nearDescription reports descriptions that share four words in five.
func nearDescription(w *whole) {
	roots := map[string][]*document{}
	for _, d := range w.skills() {
		if d.file.Kind == Skill && d.listed && len(strings.Fields(d.description)) >= 5 {
			roots[d.file.Root] = append(roots[d.file.Root], d)
		}
	}
	for _, root := range slices.Sorted(maps.Keys(roots)) {
		docs := roots[root]
		sets := make([]map[string]bool, len(docs))
		for i, d := range docs {
			sets[i] = words.Content(d.description)
		}
		near := map[int]*document{} // the first that is
		words.AlikePairs(sets, 0.75, func(i, k int, _ float64) {
			if near[k] == nil && docs[i].description != docs[k].description {
				near[k] = docs[i]
			}
		})
		for i, d := range docs {
			if near[i] != nil {
				f := w.find(d, d.describedAt[0], d.describedAt[1], "this is almost the description of %s: little tells the model which to use", near[i].file.Name)
				f.Help = "say what sets the two apart"
			}
		}
	}
}
