package check

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/permit"
)

// A writtenRule is an item of permissions in a settings file.
type writtenRule struct {
	permit.Rule
	kind settings.Kind
	node *doc.Node
	many bool // it is several rules, which Claude Code takes for one
}

// isSettings reports whether the file has settings of Claude Code.
func (d *document) isSettings() bool {
	return d.file.Kind == Hooks && strings.HasPrefix(filepath.Base(d.file.Path), "settings") && d.json.IsObject()
}

// writtenRules returns the rules of a settings file.
func (d *document) writtenRules() (all []writtenRule) {
	if !d.isSettings() {
		return nil
	}
	for _, kind := range []settings.Kind{settings.Allow, settings.Deny, settings.Ask} {
		list := d.json.Get("permissions").Get(string(kind))
		if !list.IsList() {
			continue
		}
		for _, item := range list.Items {
			if text, ok := item.Text(); ok {
				all = append(all, writtenRule{permit.ParseRule(text), kind, item, isMany(text)})
			}
		}
	}
	return all
}

// isMany reports whether an item is several rules. One rule may have what divides rules elsewhere in its command.
func isMany(item string) bool {
	rules := permit.ParseRules(item)
	return len(rules) != 1 && !slices.ContainsFunc(rules, func(r permit.Rule) bool {
		tool, _, _ := strings.Cut(r.Text, "(")
		return !slices.Contains(claudecode.Tools(), tool) && !strings.HasPrefix(tool, "mcp__")
	})
}

// neverInSettings reports rules of a settings file that match nothing.
func neverInSettings(p *pass) {
	for _, r := range p.doc.writtenRules() {
		does := map[settings.Kind]string{settings.Allow: "allows", settings.Deny: "denies", settings.Ask: "asks about"}[r.kind]
		never := r.Never
		if r.kind != settings.Allow {
			never = r.NeverDenies()
		}
		switch better := respell(r.Rule); {
		case r.many:
			p.find(r.node.Start, r.node.End, "%s %s nothing: an item of the list is one rule", r.Text, does).Help = "write an item for each rule"
		case never != "":
			f := p.find(r.node.Start, r.node.End, "%s %s nothing: %s", r.Text, does, never)
			if better != "" {
				f.Help = "write " + better
			}
		}
	}
}

// allInSettings reports rules of a settings file that allow every command.
func allInSettings(p *pass) {
	for _, r := range p.doc.writtenRules() {
		if r.kind == settings.Allow && r.Kind == permit.All && !r.many {
			why := "it names none"
			if r.Everything != "" {
				why = r.Everything
			}
			f := p.find(r.node.Start, r.node.End, "%s allows every command: %s", r.Text, why)
			f.Help = "name the commands, as in Bash(git status:*)"
			if r.Everything == "" {
				p.severe(f, Warning) // it may be meant
			}
		}
	}
}

// ruleShadowed reports rules that allow what another denies.
func ruleShadowed(p *pass) {
	all := p.doc.writtenRules()
	for _, r := range all {
		if r.kind != settings.Allow || r.many || r.Never != "" {
			continue
		}
		i := slices.IndexFunc(all, func(d writtenRule) bool {
			return d.kind == settings.Deny && !d.many && d.Never == "" && d.Covers(r.Rule)
		})
		if i >= 0 {
			f := p.find(r.node.Start, r.node.End, "%s allows nothing: the rule %s denies all of it", r.Text, all[i].Text)
			f.Help = "remove one of the two: a rule that denies wins"
		}
	}
}
