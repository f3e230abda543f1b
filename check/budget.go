package check

import (
	"cmp"
	"slices"
	"strings"
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
	}
}

const (
	manyLines = 500
	kept      = 20_000 // characters that Claude Code brings back after compaction
)

func bodyLong(p *pass) {
	start := p.frontEnd()
	first, _, _ := strings.Cut(p.src[start:], "\n")
	end := start + len(strings.TrimRight(first, "\r"))
	body := p.src[start:]
	lines := strings.Count(body, "\n")
	switch n := length(body); {
	case n > kept:
		f := p.severe(p.find(start, end, "the text has %d characters: after compaction Claude Code brings back the first %d, and what follows is lost", n, kept), Warning)
		f.Help = "move what is not always needed to files beside it, and name them"
	case lines > manyLines:
		f := p.find(start, end, "the text has %d lines, more than the %d that the Agent Skills specification advises", lines, manyLines)
		f.Help = "move what is not always needed to files beside it, and name them"
	}
}

// nameRange is where a document says its name.
func (d *document) nameRange() (start, end int) { return 0, min(3, len(d.src)) }

// collision finds names that are taken. Claude Code loads the skill before the command.
func collision(w *whole) {
	taken := map[string]*document{} // by root and name
	names := map[string]*document{} // of plugins
	all := slices.Clone(w.skills())
	slices.SortStableFunc(all, func(a, b *document) int { return cmp.Compare(b2i(a.Kind == Command), b2i(b.Kind == Command)) })
	for _, d := range all {
		key := d.Root + "\x00" + d.name
		start, end := d.nameRange()
		if other := taken[key]; other != nil {
			f := w.find(d, start, end, "%s is also the name of %s, which is loaded instead of this", d.name, other.Name)
			f.Help = "rename one of the two"
			continue
		}
		taken[key] = d
		if d.Root != d.Plugin {
			continue // of no plugin, or in a folder of one that is not loaded
		}
		if other := names[d.name]; other != nil && other.Plugin != d.Plugin && d.Kind == other.Kind {
			f := w.find(d, start, end, "%s is also the name of %s: only with its plugin's name is it clear which is meant", d.name, other.Name)
			(&pass{document: d, rule: w.rule}).severe(f, Info)
		}
		if names[d.name] == nil {
			names[d.name] = d
		}
	}
	for _, d := range all {
		if other := taken[d.Root+"\x00"+d.alias]; d.Kind == Skill && d.alias != "" && d.alias != d.name && other != nil && other != d { // a command's name: counts for nothing
			start, end := d.nameRange()
			w.find(d, start, end, "its name: is %s, which is what %s is called", d.alias, other.Name).Help = "rename one of the two"
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func sameDescription(w *whole) {
	first := map[string]*document{}
	for _, d := range w.skills() {
		if d.description == "" || !d.listed || d.Kind != Skill {
			continue
		}
		key := d.Root + "\x00" + strings.Join(strings.Fields(d.description), " ")
		if other := first[key]; other != nil {
			f := w.find(d, d.describedAt[0], d.describedAt[1], "this is also the description of %s, so nothing tells the model which to use", other.Name)
			f.Help = "say what sets the two apart"
			continue
		}
		first[key] = d
	}
}
