package check

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	sh "mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
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
			Summary: "plugin.json names a file that is not there, or that Claude Code does not take"},
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
			p.refusal(fault).Help = refusalHelp(fault)
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
				p.find(item.Start, item.End, "%s is not there, so nothing is loaded from it", path)
			}
		}
	}
}

// meantPath is the file or folder of the plugin that a path without ./ means, or "": as it is, or in the field's own folder.
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

// belongsToNobody reports whether a hooks file is of no plugin and no .claude: people copy such from where it is.
func (d *document) belongsToNobody() bool {
	f := &d.file
	return f.Kind == Hooks && f.Plugin == "" && !f.Claude && len(f.Owners) == 0 && filepath.Base(filepath.Dir(f.Path)) == "hooks"
}

// hooks is the object of events in a hooks file, in settings, in plugin.json or in a frontmatter.
func (d *document) hooks() *doc.Node {
	if d.skill == nil {
		return d.json.Get("hooks")
	}
	if f, ok := d.skill.Front.Field("hooks"); ok && d.file.Kind != FirstUse {
		return fieldNode(f)
	}
	return nil
}

// fieldNode is a field of a frontmatter as if it were written in JSON.
func fieldNode(f skill.Field) *doc.Node {
	n := &doc.Node{Key: f.Key, KeyAt: f.Offset, Start: f.ValueOffset, End: f.ValueEnd}
	raw := strings.TrimSpace(f.Raw)
	number, notNumber := strconv.ParseFloat(raw, 64)
	switch {
	case len(f.Fields) > 0 && f.Fields[0].Key == "" || raw == "[]":
		n.Value = json.Delim('[')
	case len(f.Fields) > 0 || raw == "{}":
		n.Value = json.Delim('{')
	case raw == "true" || raw == "false":
		n.Value = raw == "true"
	case raw == "" || raw == "null" || raw == "~":
	case notNumber == nil && number-number == 0: // neither infinite nor NaN, which JSON lacks
		n.Value = number
	default:
		n.Value = f.Value
	}
	for _, item := range f.Fields {
		n.Items = append(n.Items, fieldNode(item))
	}
	return n
}

func hookEvent(p *pass) {
	hooks := p.doc.hooks()
	if !hooks.IsObject() {
		return
	}
	for _, event := range hooks.Items {
		if slices.Contains(claudecode.Events(), event.Key) || strings.HasPrefix(event.Key, "_") || strings.HasPrefix(event.Key, "//") { // a comment
			continue
		}
		f := p.find(event.KeyAt, event.KeyAt+len(event.Key)+2, "%s is no event of Claude Code, so the hook never runs", event.Key)
		switch near := nearest(event.Key, claudecode.Events()); {
		case near == "":
			f.Help = eventsHelp
		case hooks.Get(near) != nil:
			f.Help = "move the hook to " + near + ", which is there already"
		default:
			f.Help = "write " + near
			f.Fix = rename("write "+near, "hooks", event.KeyAt, event.KeyAt+len(event.Key)+2, `"`+near+`"`)
		}
	}
}

func hookShape(p *pass) {
	if p.doc.skill == nil && !p.doc.json.IsObject() || p.doc.belongsToNobody() {
		return
	}
	hooks := p.doc.hooks()
	switch {
	case hooks == nil && p.doc.file.Kind == Hooks && filepath.Base(p.doc.file.Path) == "hooks.json":
		f := p.find(p.doc.json.Start, p.doc.json.Start+1, "hooks is missing: the events belong in an object of that name")
		f.Help = `write {"hooks": {"PostToolUse": […]}}`
	case hooks != nil && !hooks.IsObject() && p.doc.file.Kind == Hooks:
		p.find(hooks.Start, hooks.End, "hooks is %s, want an object", hooks.Kind())
	}
	if !hooks.IsObject() {
		return
	}
	for _, fault := range p.doc.refused {
		if fault.Top() == "hooks" && fault.Problem != claudecode.BadPath {
			p.refusal(fault)
		}
	}
	for _, fault := range p.doc.hookFaults(hooks) {
		if !p.doc.isRefused(fault.Start) {
			p.hookFault(fault)
		}
	}
	p.eachHook(func(h *doc.Node) {
		if n := h.Get("command"); n != nil && n.Value == "" { // testdata/claude/SK605-emptycommand.txtar
			p.severe(p.find(n.Start, n.End, "the command is empty: the hook runs nothing"), Warning).Help = "write what is to run, or remove the hook"
		}
		if h.Get("type") != nil {
			p.unquotedRoot(h)
		}
	})
}

// hookFaults lists what is wrong with hooks, and where in the file. Those of a frontmatter are read as JSON, and their
// faults found again by their names.
func (d *document) hookFaults(hooks *doc.Node) []claudecode.Fault {
	if d.skill == nil {
		faults := claudecode.HookFaults([]byte(d.src[hooks.Start:hooks.End]))
		for i := range faults {
			faults[i].Start, faults[i].End = hooks.Start+faults[i].Start, hooks.Start+faults[i].End
		}
		return faults
	}
	src, _ := json.Marshal(plain(hooks)) // of texts, numbers and the like
	faults := claudecode.HookFaults(src)
	for i := range faults {
		f, n := &faults[i], hooks
		for key := range strings.SplitSeq(f.Field, ".") {
			next := n.Get(key)
			if k, err := strconv.Atoi(key); err == nil && n.IsList() {
				next = n.Items[k]
			}
			if n = cmp.Or(next, n); next == nil { // what is missing is so in the value around it
				break
			}
		}
		if f.Start, f.End = n.Start, n.End; f.Problem == claudecode.Missing {
			f.End = n.Start + 1
		}
	}
	return faults
}

// plain is a value without where it stands.
func plain(n *doc.Node) any {
	object, list := map[string]any{}, []any{}
	for _, item := range n.Items {
		value := plain(item)
		object[item.Key], list = value, append(list, value)
	}
	switch {
	case n.IsObject():
		return object
	case n.IsList():
		return list
	}
	return n.Value
}

// hookFault reports a hook that is not written as Claude Code reads it, and what it takes with it.
func (p *pass) hookFault(fault claudecode.Fault) {
	f := p.find(fault.Start, fault.End, "%s: %s", fault, p.hooksLost())
	missing := fault.Problem == claudecode.Missing
	switch {
	case missing && strings.HasSuffix(fault.Field, ".type"):
		f.Help = `add "type": "command"`
	case missing && strings.HasSuffix(fault.Field, ".hooks"):
		f.Help = "put what is to run into a list of that name"
	}
	if missing || !strings.HasSuffix(fault.Field, ".type") {
		return
	}
	var types []string
	for _, t := range claudecode.HookTypes() {
		types = append(types, t.Name)
	}
	if near := nearest(strings.Trim(p.doc.src[fault.Start:fault.End], `"'`), types); near != "" {
		f.Help = "write " + near
		f.Fix = replace("write "+near, false, fault.Start, fault.End, `"`+near+`"`)
	}
}

// hooksLost says what one malformed hook takes with it: far more than itself
// (testdata/claude/SK605-*.txtar).
func (p *pass) hooksLost() string {
	switch {
	case p.doc.skill != nil:
		return "Claude Code drops every hook of this file"
	case p.doc.file.Kind == Plugin: // otherwise the manifest would be refused
		return "it is ignored"
	case p.doc.file.Plugin != "":
		return "Claude Code does not load the plugin"
	}
	return "Claude Code passes over the whole file, rules that deny included"
}

// unquotedRoot reports a hook whose command falls apart if the plugin lies in a folder with a blank.
func (p *pass) unquotedRoot(h *doc.Node) {
	const root = "${CLAUDE_PLUGIN_ROOT}"
	n := h.Get("command")
	command, ok := n.Text()
	if !ok || !strings.Contains(command, root) || h.Get("args") != nil { // with args no shell reads it
		return
	}
	program, err := words.Parse(command)
	if err != nil {
		return
	}
	bare := 0
	sh.Walk(program, func(node sh.Node) bool {
		switch node := node.(type) {
		case *sh.DblQuoted:
			return false
		case *sh.ParamExp:
			if node.Param != nil && node.Param.Value == "CLAUDE_PLUGIN_ROOT" {
				bare++
			}
		}
		return true
	})
	if bare == 0 {
		return
	}
	f := p.severe(p.find(n.Start, n.End, "%s is not quoted: if the plugin lies in a folder with a blank in its name, the command falls apart", root), Warning)
	f.Help = "put it in double quotes"
	raw := p.doc.src[n.Start:n.End]
	if p.doc.json != nil && strings.Count(raw, root) == bare && strings.Count(command, root) == bare && !strings.Contains(raw, "$'") {
		f.Fix = replace("quote it", false, n.Start, n.End, strings.ReplaceAll(raw, root, `\"`+root+`\"`))
	}
}

// eachHook calls f with every hook that is an object.
func (p *pass) eachHook(f func(h *doc.Node)) {
	hooks := p.doc.hooks()
	if !hooks.IsObject() {
		return
	}
	for _, event := range hooks.Items {
		for _, m := range event.Items {
			if list := m.Get("hooks"); list.IsList() {
				for _, h := range list.Items {
					if h.IsObject() {
						f(h)
					}
				}
			}
		}
	}
}

func hookMatcher(p *pass) {
	hooks := p.doc.hooks()
	if !hooks.IsObject() {
		return
	}
	for _, event := range hooks.Items {
		for _, m := range event.Items {
			n := m.Get("matcher")
			text, ok := n.Text()
			if !ok || text == "*" || text == "" {
				continue
			}
			if why := regexFault(text); why != "" {
				p.find(n.Start, n.End, "the matcher %s is no regular expression: %s", text, why).Help = `name tools, with | between them: "Edit|Write"`
			} else if slices.Contains(toolEvents, event.Key) {
				p.toolMatcher(n, text)
			}
		}
	}
}

// toolEvents are those whose matchers are held against a tool's name.
var toolEvents = []string{"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"}

// toolMatcher is about a matcher that fits the name of no tool: Claude Code holds it against the whole
// name, and against nothing else of the call (testdata/claude/SK606-matcher.txtar).
func (p *pass) toolMatcher(n *doc.Node, text string) {
	tool, spec, isRule := strings.Cut(text, "(")
	switch {
	case isRule && slices.Contains(claudecode.Tools(), tool) && strings.HasSuffix(spec, ")") && !strings.Contains(spec, "|"):
		f := p.find(n.Start, n.End, "the matcher %s is a permission rule, which is the name of no tool: the hook never runs", text)
		f.Help = fmt.Sprintf("write %q, and have the hook look at tool_input", tool)
	case strings.Contains(text, "=="):
		f := p.find(n.Start, n.End, "the matcher %s is an expression, and is the name of no tool: the hook never runs", text)
		f.Help = `name tools, with | between them: "Edit|Write"`
	case strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789|, ") == "":
		for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '|' || r == ',' || r == ' ' }) {
			if near := nearTool(name); near != "" {
				p.find(n.Start, n.End, "there is no tool %s: the hook never runs for it", name).Help = "write " + near
			}
		}
	}
}

// regexFault says why a text is a regular expression in no dialect. Ours knows less than Claude
// Code's, so only what is wrong everywhere counts.
func regexFault(text string) string {
	_, err := syntax.Parse(text, syntax.Perl)
	e, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return ""
	}
	switch e.Code {
	case syntax.ErrMissingBracket, syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingRepeatArgument, syntax.ErrTrailingBackslash:
		return e.Code.String()
	}
	return ""
}

// hookMentions lists the scripts that hooks call.
func (p *pass) hookMentions() []mention {
	var all []mention
	p.eachHook(func(h *doc.Node) {
		n := h.Get("command")
		command, ok := n.Text()
		if !ok {
			return
		}
		program, err := words.Parse(command)
		tested := err == nil && testsFile(program)
		for _, v := range []struct{ name, root string }{
			{"${CLAUDE_PLUGIN_ROOT}", p.doc.file.Plugin}, {"$CLAUDE_PLUGIN_ROOT", p.doc.file.Plugin},
			{"${CLAUDE_PROJECT_DIR}", p.doc.project()}, {"$CLAUDE_PROJECT_DIR", p.doc.project()}, {"${CLAUDE_SKILL_DIR}", p.doc.ownFolder()},
		} {
			i := strings.Index(command, v.name)
			if i < 0 || v.root == "" {
				continue
			}
			before, rest := command[:i], command[i+len(v.name):]
			if after, closed := strings.CutPrefix(rest, `"`); closed {
				before, rest = "", after
			}
			path, ok := scriptPath(before, rest)
			if !ok {
				continue
			}
			all = append(all, mention{
				written: path,
				file:    filepath.Join(v.root, filepath.FromSlash(path)),
				start:   n.Start,
				end:     n.End,
				called:  strings.Trim(command[:i], `"' `) == "",
				anchor:  1,
				tested:  tested,
			})
			break
		}
	})
	return all
}

// ownFolder is the folder of a skill.
func (d *document) ownFolder() string {
	if d.file.Kind == Skill {
		return filepath.Dir(d.file.Path)
	}
	return ""
}

// project is the folder whose .claude the file is in.
func (d *document) project() string {
	if d.file.Claude && d.file.As == Project {
		return filepath.Dir(d.file.Root)
	}
	return ""
}

// agentSkills is about skills that an agent names. It may name those of other plugins, with their
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
			f.Help = "mend the name, or add the skill"
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
	if name, ok := p.doc.json.Get("name").Text(); !ok || name == "" || strings.ContainsAny(name, " \t") {
		p.find(p.doc.json.Start, p.doc.json.Start+1, "a marketplace needs a name without blanks: nothing can be installed from it")
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
		p.find(source.Start, source.End, "%s does not begin with ./: the marketplace is refused", path)
	default:
		root := filepath.Join(filepath.Dir(filepath.Dir(p.doc.file.Path)), filepath.FromSlash(path))
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			p.find(source.Start, source.End, "%s is not there: the plugin cannot be installed", path)
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
	name, _ := p.doc.json.Get("name").Text()
	f := p.find(p.doc.json.Start, p.doc.json.Start+1, "the plugin %s has nothing in it: Claude Code loads it and finds no skill, command, agent or hook", name)
	f.Help = fmt.Sprintf("they belong beside .claude-plugin, in %s, not in it", "skills/, commands/, agents/ and hooks/")
}
