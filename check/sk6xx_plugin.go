package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/find"
)

func pluginRules() []*Rule {
	hooked := []Kind{Hooks, Plugin, Skill, Command, Agent, Text}
	manifests := []Kind{Plugin, Marketplace, Hooks}
	return []*Rule{
		{ID: "SK601", Name: "plugin-json", Severity: Error, agent: claude, kinds: manifests, run: pluginJSON,
			Summary: "a plugin's, hooks or settings file cannot be read, so nothing of it is loaded"},
		{ID: "SK602", Name: "plugin-field", Severity: Error, agent: claude, kinds: []Kind{Plugin}, run: pluginField,
			Summary: "a field of plugin.json is missing, misspelt or of the wrong kind"},
		{ID: "SK603", Name: "plugin-path", Severity: Error, agent: claude, kinds: []Kind{Plugin}, run: pluginPath,
			Summary: "plugin.json names a file that does not exist, or that Claude Code does not take"},
		{ID: "SK604", Name: "hook-event", Severity: Error, agent: claude, kinds: []Kind{Hooks, Plugin}, run: hookEvent,
			Summary: "a hook names an unknown event, and never runs"},
		{ID: "SK605", Name: "hook-shape", Severity: Error, agent: claude, kinds: hooked, run: hookShape,
			Summary: "a hook is not written as Claude Code reads it, and takes the whole file with it"},
		{ID: "SK606", Name: "hook-matcher", Severity: Error, agent: claude, kinds: hooked, run: hookMatcher,
			Summary: "a hook's matcher matches no tool, so the hook never runs"},
		{ID: "SK607", Name: "agent-skills", Severity: Error, agent: claude, together: agentSkills,
			Summary: "an agent names an unknown skill, and starts without it"},
		{ID: "SK608", Name: "marketplace", Severity: Error, agent: claude, kinds: []Kind{Marketplace}, run: marketplace,
			Summary: "a marketplace lists a plugin that cannot be installed"},
		{ID: "SK612", Name: "plugin-version", Severity: Warning, agent: claude, kinds: []Kind{Marketplace}, run: pluginVersion,
			Summary: "a marketplace gives a plugin another version than the plugin does"},
		{ID: "SK609", Name: "plugin-empty", Severity: Warning, agent: claude, kinds: []Kind{Plugin}, run: pluginEmpty,
			Summary: "a plugin has nothing in it that Claude Code would find"},
	}
}

func pluginJSON(p *pass) {
	if p.doc.fault != nil {
		return
	}
	if p.doc.jsonFault != nil {
		p.find(p.doc.jsonFault.Offset, p.doc.jsonFault.Offset+1, "not JSON, so nothing of it is loaded: %s", p.doc.jsonFault.Text)
		return
	}
	if !p.doc.json.IsObject() {
		p.find(p.doc.json.Start, p.doc.json.End, "it is %s, want an object", p.doc.json.Kind())
		return
	}
	p.twice(p.doc.json)
	p.settingsFile()
}

const eventsHelp = "name an event as Claude Code spells it, such as PreToolUse, PostToolUse, SessionStart or Stop"

// settingsFile reports values for which Claude Code passes over a whole settings file.
func (p *pass) settingsFile() {
	if p.doc.file.Kind != Hooks || !strings.HasPrefix(filepath.Base(p.doc.file.Path), "settings") {
		return
	}
	_, err := settings.Parse("", []byte(p.doc.src))
	all, _ := err.(interface{ Unwrap() []error })
	if all == nil {
		return // the caller has said that it is not JSON
	}
	for _, err := range all.Unwrap() {
		if fault, ok := errors.AsType[*settings.Fault](err); ok {
			p.find(fault.Start, fault.End, "%s", fault.Text)
		}
	}
}

// twice reports keys that are given again.
func (p *pass) twice(n *doc.Node) {
	seen := map[string]bool{}
	for _, item := range n.Items {
		if n.IsObject() && seen[item.Key] {
			p.severe(p.find(item.KeyAt, item.KeyAt+len(item.Key)+2, "%s is given twice, the last one counts", item.Key), Warning)
		}
		seen[item.Key] = true
		p.twice(item)
	}
}

// marketFields are those of a marketplace's entry, which do nothing in plugin.json.
var marketFields = []string{"category", "tags", "strict", "source"}

func pluginField(p *pass) {
	if !p.doc.json.IsObject() {
		return
	}
	for _, fault := range p.doc.refused {
		if fault.Problem != claudecode.BadPath && fault.Top() != "hooks" { // SK603 and SK605 report these
			p.refusal(fault).Help = cmp.Or(p.authorHelp(fault), refusalHelp(fault))
		}
	}
	names := claudecode.ManifestFields()
	for _, n := range p.doc.json.Items {
		if slices.Contains(names, n.Key) {
			continue
		}
		f := p.severe(p.find(n.KeyAt, n.KeyAt+len(n.Key)+2, "%s is not a field of plugin.json and is ignored", n.Key), Info)
		if near := nearest(n.Key, names); near != "" {
			p.severe(f, Error).Help = "write " + near
			if p.doc.json.Get(near) == nil {
				f.Fix = rename("rename it", "", n.KeyAt, n.KeyAt+len(n.Key)+2, `"`+near+`"`)
			}
		} else if slices.Contains(marketFields, n.Key) {
			f.Help = "it belongs in marketplace.json"
		}
	}
	n := p.doc.json.Get("name")
	if name, ok := n.Text(); ok && !p.doc.isRefused(n.Start) && nameFault(strings.ToLower(strings.ReplaceAll(name, "_", "-"))) != "" {
		p.severe(p.find(n.Start, n.End, "the name %s %s", name, nameFault(strings.ToLower(name))), Warning)
	}
	for _, key := range []string{"version", "description", "author"} {
		if p.doc.json.Get(key) == nil {
			p.severe(p.find(p.doc.json.Start, p.doc.json.Start+1, "%s is missing, which claude plugin validate --strict refuses", key), Info)
		}
	}
}

// refusal reports a fault for which Claude Code does not load the plugin.
func (p *pass) refusal(f claudecode.Fault) *Finding {
	return p.find(f.Start, f.End, "%s: Claude Code does not load the plugin", f)
}

// authorHelp says how to write an author that is a text, or returns "".
func (p *pass) authorHelp(f claudecode.Fault) string {
	author, ok := p.doc.json.Get("author").Text()
	if !ok || f.Field != "author" {
		return ""
	}
	return `write "author": {"name": ` + quoteJSON(author) + `}`
}

// refusalHelp says what to write instead.
func refusalHelp(f claudecode.Fault) string {
	switch {
	case f.Field == "name" && f.Problem == claudecode.BadValue:
		return "write it with -, as in my-plugin"
	case f.Field == "homepage" && f.Problem == claudecode.BadValue:
		return "write it in full, with https://"
	case f.Top() == "mcpServers" && strings.HasSuffix(f.Field, ".type") && f.Problem == claudecode.Missing:
		return `add "type": "http", or "sse" for an old server`
	}
	return ""
}

// isRefused reports whether the fault of a value that starts there keeps the plugin from loading.
func (d *document) isRefused(start int) bool {
	return slices.ContainsFunc(d.refused, func(f claudecode.Fault) bool { return f.Start == start })
}

func pluginPath(p *pass) {
	for _, f := range p.doc.refused {
		if f.Problem != claudecode.BadPath {
			continue
		}
		x := p.refusal(f)
		raw := p.doc.src[f.Start:f.End]
		if !strings.HasPrefix(raw, `"`) || strings.HasPrefix(f.Got, "./") || strings.HasPrefix(f.Got, "../") || filepath.IsAbs(f.Got) {
			continue
		}
		if path := p.meantPath(f); path != "" {
			x.Help = "write " + path
			x.Fix = replace("write "+path, false, f.Start, f.End, quoteJSON(path))
		} else {
			x.Help = "write a path from the plugin's folder, as ./" + f.Top() + "/NAME"
		}
	}
	root := filepath.Dir(filepath.Dir(p.doc.file.Path))
	for _, name := range claudecode.PathFields() {
		n := p.doc.json.Get(name)
		all := []*doc.Node{n}
		if n.IsList() {
			all = n.Items
		}
		for _, item := range all {
			path, ok := item.Text()
			switch {
			case !ok || p.doc.isRefused(item.Start) || strings.Contains(path, "://"):
			case strings.Contains(path, ".."):
				p.find(item.Start, item.End, "%s leads out of the plugin: Claude Code does not load it", path)
			case !find.IsThere(filepath.Join(root, filepath.FromSlash(path))):
				p.find(item.Start, item.End, "%s does not exist, so nothing is loaded from it", path)
			}
		}
	}
}

// meantPath returns the file or folder of the plugin that a path without ./ means, or "": as it is, or in the field's own folder.
func (p *pass) meantPath(f claudecode.Fault) string {
	root := filepath.Dir(filepath.Dir(p.doc.file.Path))
	for _, path := range []string{f.Got, f.Top() + "/" + f.Got, f.Top() + "/" + f.Got + ".md"} {
		if find.IsThere(filepath.Join(root, filepath.FromSlash(path))) {
			return "./" + path
		}
	}
	return ""
}

func quoteJSON(s string) string {
	text, _ := json.Marshal(s) // a text always can be
	return string(text)
}

// agentSkills reports skills that an agent names. It may name those of other plugins, with their
// plugin's name or without (testdata/claude/SK607-*.txtar).
func agentSkills(w *whole) {
	have := map[string]bool{}      // by root and name
	named := map[string]bool{}     // by plugin and name
	bare := map[string]bool{}      // of any plugin
	plugins := map[string]string{} // names, by folder
	for _, d := range w.docs {
		if _, known := plugins[d.file.Plugin]; d.file.Plugin != "" && !known {
			plugins[d.file.Plugin] = find.PluginName(d.file.Plugin)
		}
	}
	known := map[string]bool{}
	roots := map[string][]string{} // of plugins, by name; "" is all of them
	for root, name := range plugins {
		known[name] = true
		roots[name], roots[""] = append(roots[name], root), append(roots[""], root)
	}
	for _, d := range w.skills() {
		have[d.file.Root+"\x00"+d.name] = true
		if d.file.Plugin != "" {
			bare[d.name], named[plugins[d.file.Plugin]+":"+d.name] = true, true
		}
	}
	for _, d := range w.docs {
		for _, s := range d.needs {
			plugin, name, full := strings.Cut(s.name, ":")
			if !full {
				name = s.name
			}
			own := !full || plugin == plugins[d.file.Plugin]
			switch {
			case named[s.name], !full && (bare[name] && d.file.Plugin != "" || have[d.file.Root+"\x00"+name]),
				own && brings(d.file.Root, name), full && slices.ContainsFunc(roots[plugin], func(root string) bool { return brings(root, name) }),
				!full && d.file.Plugin != "" && slices.ContainsFunc(roots[""], func(root string) bool { return brings(root, name) }),
				full && d.file.Plugin == "" && !known[plugin]: // an installed plugin's
				continue
			}
			f := w.find(d, s.start, s.end, "there is no skill %s, and Claude Code starts the agent without it", s.name)
			f.Help = "correct the name, or add the skill"
			switch p := (&pass{doc: d, rule: w.rule}); {
			case full && !own && !known[plugin]:
				p.severe(f, Info).Message = fmt.Sprintf("there is no plugin %s here: where it is not installed, Claude Code starts the agent without %s", plugin, s.name)
			case d.file.Plugin == "": // it may be the user's, or a plugin's
				p.severe(f, Info)
			}
		}
	}
}

// brings reports whether a folder has a skill or command of a name. A link may have led elsewhere first.
func brings(root, name string) bool {
	return find.IsThere(filepath.Join(root, "skills", name, "SKILL.md")) || find.IsThere(filepath.Join(root, "commands", name+".md"))
}

func marketplace(p *pass) {
	if !p.doc.json.IsObject() {
		return
	}
	name, _ := p.doc.json.Get("name").Text()
	isAnthropics := false
	if owner := p.doc.json.Get("owner"); owner != nil {
		isAnthropics = strings.Contains(strings.ToLower(p.doc.src[owner.Start:owner.End]), "anthropic")
	}
	if fault := claudecode.MarketplaceFault(name, isAnthropics); fault != "" {
		start, end := p.doc.json.Start, p.doc.json.Start+1
		if n := p.doc.json.Get("name"); n != nil {
			start, end = n.Start, n.End
		}
		f := p.find(start, end, "%s: Claude Code does not add the marketplace, and nothing can be installed from it", fault)
		f.Help = "choose a name of your own, as in acme-tools"
	}
	if owner := p.doc.json.Get("owner"); !owner.IsObject() {
		p.find(p.doc.json.Start, p.doc.json.Start+1, "owner is missing, or is not an object with a name: the marketplace is refused")
	}
	plugins := p.doc.json.Get("plugins")
	if !plugins.IsList() {
		p.find(p.doc.json.Start, p.doc.json.Start+1, "plugins is missing, or is not a list")
		return
	}
	seen := map[string]bool{}
	for i, entry := range plugins.Items {
		p.entry(entry, i, seen)
	}
}

// entry checks one plugin of a marketplace.
func (p *pass) entry(e *doc.Node, i int, seen map[string]bool) {
	name, ok := e.Get("name").Text()
	if !ok || name == "" {
		p.find(e.Start, e.Start+1, "plugin %d has no name: the marketplace is refused", i+1)
	} else if seen[name] {
		n := e.Get("name")
		p.find(n.Start, n.End, "there is a plugin %s already: one of the two cannot be installed", name)
	}
	seen[name] = true
	source := e.Get("source")
	path, isText := source.Text()
	switch {
	case source == nil:
		p.find(e.Start, e.Start+1, "the plugin has no source: the marketplace is refused")
	case source.IsObject():
		kind, _ := source.Get("source").Text()
		if !slices.Contains([]string{"github", "url", "git", "npm", "git-subdir", "pip", "directory", "file"}, kind) {
			p.find(source.Start, source.End, "a source is a path, or an object whose source is github, url, git-subdir or npm")
		}
	case !isText:
		p.find(source.Start, source.End, "source is %s, want a path or an object", source.Kind())
	case strings.Contains(path, ".."):
		p.find(source.Start, source.End, "%s has .. in it: paths start at the marketplace's folder and stay in it", path)
	case !strings.HasPrefix(path, "./") && path != ".":
		f := p.find(source.Start, source.End, "%s does not begin with ./: Claude Code refuses the marketplace", path)
		root := filepath.Dir(filepath.Dir(p.doc.file.Path))
		if owner, repo, isRepo := strings.Cut(path, "/"); find.IsThere(filepath.Join(root, filepath.FromSlash(path))) {
			f.Help = "write ./" + path
			f.Fix = replace("write ./"+path, false, source.Start, source.End, quoteJSON("./"+path))
		} else if isRepo && owner != "" && repo != "" && !strings.ContainsAny(repo, "/:") {
			f.Help = `write {"source": "github", "repo": ` + quoteJSON(path) + `}`
		}
	default:
		root := filepath.Join(filepath.Dir(filepath.Dir(p.doc.file.Path)), filepath.FromSlash(path))
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			p.find(source.Start, source.End, "%s does not exist: the plugin cannot be installed", path)
		}
	}
}

// pluginVersion reports entries of a marketplace with another version than the plugin that they name, whose own counts.
func pluginVersion(p *pass) {
	plugins := p.doc.json.Get("plugins")
	if !plugins.IsList() {
		return
	}
	for _, e := range plugins.Items {
		source, isPath := e.Get("source").Text()
		n := e.Get("version")
		version, said := n.Text()
		if !isPath || !said || !filepath.IsLocal(filepath.Clean(source)) {
			continue
		}
		m, _ := find.ReadManifest(filepath.Join(filepath.Dir(filepath.Dir(p.doc.file.Path)), filepath.FromSlash(source)))
		if m.Version != "" && m.Version != version {
			f := p.find(n.Start, n.End, "the version %s counts for nothing: the plugin.json of the plugin says %s", cmp.Or(version, `""`), m.Version)
			f.Help = "write " + m.Version + ", or remove the version here"
		}
	}
}

// components are where a plugin has what it brings, and the fields that name other places.
var components = []string{
	"skills", "commands", "agents", "hooks/hooks.json", ".mcp.json", ".lsp.json", "output-styles", "monitors", "themes", "workflows",
	"bin", "SKILL.md", "settings.json",
}

func pluginEmpty(p *pass) {
	if !p.doc.json.IsObject() || filepath.Base(filepath.Dir(p.doc.file.Path)) != ".claude-plugin" {
		return
	}
	root := filepath.Dir(filepath.Dir(p.doc.file.Path))
	for _, c := range components {
		if find.IsThere(filepath.Join(root, filepath.FromSlash(c))) {
			return
		}
	}
	for _, name := range claudecode.PathFields() {
		if p.doc.json.Get(name) != nil {
			return
		}
	}
	if p.doc.inTemplates() {
		return
	}
	name, _ := p.doc.json.Get("name").Text()
	f := p.find(p.doc.json.Start, p.doc.json.Start+1, "the plugin %s has nothing in it: Claude Code loads it and finds no skill, command, agent or hook", name)
	for _, m := range misplacedParts {
		if find.IsThere(filepath.Join(root, filepath.FromSlash(m[0]))) {
			f.Help = fmt.Sprintf("move %s to %s", m[0], m[1])
			return
		}
	}
	f.Help = "put what it is to bring beside .claude-plugin, in skills/, commands/, agents/ and hooks/"
	p.severe(f, Info) // it may be there on purpose
}

// misplacedParts are where people put parts of a plugin, and where Claude Code looks for them.
var misplacedParts = [][2]string{
	{".claude-plugin/skills", "skills"}, {".claude-plugin/commands", "commands"}, {".claude-plugin/agents", "agents"},
	{".claude-plugin/hooks", "hooks"}, {".claude-plugin/hooks.json", "hooks/hooks.json"}, {".claude-plugin/.mcp.json", ".mcp.json"},
	{"skill", "skills"}, {"command", "commands"}, {"agent", "agents"}, {"hooks.json", "hooks/hooks.json"}, {"mcp.json", ".mcp.json"},
	{".claude/skills", "skills"}, {".claude/commands", "commands"}, {".claude/agents", "agents"},
}
