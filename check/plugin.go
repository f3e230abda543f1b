package check

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	sh "mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/settings"
	"github.com/skillhand/skillhand/skill"
)

func pluginRules() []*Rule {
	hooked := []Kind{Hooks, Plugin, Skill, Command, Agent, Text}
	manifests := []Kind{Plugin, Marketplace, Hooks}
	return []*Rule{
		{ID: "SK601", Name: "plugin-json", Severity: Error, kinds: manifests, run: pluginJSON,
			Summary: "a plugin's, hooks or settings file cannot be read, so nothing of it is loaded"},
		{ID: "SK602", Name: "plugin-field", Severity: Error, kinds: []Kind{Plugin}, run: pluginField,
			Summary: "a field of plugin.json is missing, misspelt or of the wrong kind"},
		{ID: "SK603", Name: "plugin-path", Severity: Error, kinds: []Kind{Plugin}, run: pluginPath,
			Summary: "plugin.json names a file that is not there, or that Claude Code does not take"},
		{ID: "SK604", Name: "hook-event", Severity: Error, kinds: []Kind{Hooks, Plugin}, run: hookEvent,
			Summary: "a hook is for an event that there is not, and never runs"},
		{ID: "SK605", Name: "hook-shape", Severity: Error, kinds: hooked, run: hookShape,
			Summary: "a hook is not written as Claude Code reads it, and is ignored"},
		{ID: "SK606", Name: "hook-matcher", Severity: Error, kinds: hooked, run: hookMatcher,
			Summary: "a hook's matcher is no regular expression, and matches nothing"},
		{ID: "SK607", Name: "agent-skills", Severity: Error, together: agentSkills,
			Summary: "an agent is to have a skill that there is not, and starts without it"},
		{ID: "SK608", Name: "marketplace", Severity: Error, kinds: []Kind{Marketplace}, run: marketplace,
			Summary: "a marketplace lists a plugin that cannot be installed"},
		{ID: "SK609", Name: "plugin-empty", Severity: Error, kinds: []Kind{Plugin}, run: pluginEmpty,
			Summary: "a plugin has nothing in it that Claude Code would find"},
	}
}

// hookEvents are the events of Claude Code 2.1.325, as its own validator knows them.
var hookEvents = []string{
	"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest", "PermissionDenied", "Notification", "UserPromptSubmit", "UserPromptExpansion",
	"Stop", "StopFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "SessionStart", "SessionEnd", "Setup", "TeammateIdle", "TaskCreated", "TaskCompleted",
	"InstructionsLoaded", "ConfigChange", "CwdChanged", "FileChanged", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult", "MessageDisplay", "DirectoryAdded",
}

func pluginJSON(p *pass) {
	if p.fault != nil {
		return
	}
	if p.jsonFault != nil {
		p.find(p.jsonFault.offset, p.jsonFault.offset+1, "not JSON, so nothing of it is loaded: %s", p.jsonFault.text)
		return
	}
	if !p.json.isObject() {
		p.find(p.json.start, p.json.end, "it is %s, want an object", p.json.kind())
		return
	}
	p.twice(p.json)
	p.settingsFile()
}

// settingsFile reports values for which Claude Code passes over a whole settings file.
const eventsHelp = "name an event as Claude Code spells it, such as PreToolUse, PostToolUse, SessionStart or Stop"

func (p *pass) settingsFile() {
	if p.Kind != Hooks || !strings.HasPrefix(filepath.Base(p.Path), "settings") {
		return
	}
	_, err := settings.Parse("", []byte(p.src))
	if err == nil {
		return
	}
	for fault := range strings.Lines(err.Error()) { // as :LINE: what
		at, text, _ := strings.Cut(strings.TrimPrefix(fault, ":"), ": ")
		line, err := strconv.Atoi(at)
		if err != nil || line < 1 || line > len(p.lines) {
			line, text = 1, fault
		}
		said := p.lineText(line)
		start := p.lines[line-1] + len(said) - len(strings.TrimLeft(said, " \t"))
		p.find(start, p.lines[line-1]+len(said), "%s", strings.TrimSpace(text))
	}
}

// twice reports keys that are given again.
func (p *pass) twice(n *node) {
	seen := map[string]bool{}
	for _, item := range n.items {
		if n.isObject() && seen[item.key] {
			p.severe(p.find(item.keyAt, item.keyAt+len(item.key)+2, "%s is given twice, the last one counts", item.key), Warning)
		}
		seen[item.key] = true
		p.twice(item)
	}
}

// The kinds of values that fields of plugin.json have.
const (
	aText    = "a text"
	aList    = "a list"
	anObject = "an object"
	aBool    = "true or false"
	anything = ""
)

var pluginFields = []struct{ name, kind string }{
	{"name", aText}, {"version", aText}, {"description", aText}, {"author", anObject}, {"homepage", aText}, {"repository", aText}, {"license", aText},
	{"keywords", aList}, {"commands", anything}, {"agents", anything}, {"skills", anything}, {"hooks", anything}, {"mcpServers", anything}, {"lspServers", anything},
	{"outputStyles", anything}, {"dependencies", aList}, {"userConfig", anObject}, {"channels", aList}, {"monitors", anything}, {"themes", anything}, {"workflows", anything},
	{"settings", anObject}, {"icon", aText}, {"displayName", aText}, {"privacyPolicyUrl", aText}, {"defaultEnabled", aBool}, {"experimental", anObject}, {"$schema", aText},
}

// marketFields are those of a marketplace's entry, which do nothing in plugin.json.
var marketFields = []string{"category", "tags", "strict", "source"}

func pluginField(p *pass) {
	if !p.json.isObject() {
		return
	}
	var names []string
	for _, f := range pluginFields {
		names = append(names, f.name)
		if n := p.json.get(f.name); n != nil && f.kind != anything && n.kind() != f.kind {
			p.find(n.start, n.end, "%s is %s, want %s: Claude Code does not load the plugin", f.name, n.kind(), f.kind)
		}
	}
	for _, n := range p.json.items {
		if slices.Contains(names, n.key) {
			continue
		}
		f := p.severe(p.find(n.keyAt, n.keyAt+len(n.key)+2, "%s is no field of plugin.json and is ignored", n.key), Info)
		if near := nearest(n.key, names); near != "" {
			p.severe(f, Error).Help = "write " + near
			if p.json.get(near) == nil {
				f.Fix = rename("rename it", "", n.keyAt, n.keyAt+len(n.key)+2, `"`+near+`"`)
			}
		} else if slices.Contains(marketFields, n.key) {
			f.Help = "it belongs in marketplace.json"
		}
	}
	p.pluginName()
	for _, key := range []string{"version", "description", "author"} {
		if p.json.get(key) == nil {
			p.severe(p.find(p.json.start, p.json.start+1, "%s is missing, which claude plugin validate --strict refuses", key), Info)
		}
	}
	if home, ok := p.json.get("homepage").text(); ok {
		if u, err := url.Parse(home); err != nil || u.Scheme == "" || u.Host == "" {
			n := p.json.get("homepage")
			p.find(n.start, n.end, "homepage is no URL: Claude Code does not load the plugin").Help = "write it in full, with https://"
		}
	}
}

func (p *pass) pluginName() {
	n := p.json.get("name")
	name, ok := n.text()
	switch {
	case n == nil:
		p.find(p.json.start, p.json.start+1, "the name is missing: Claude Code does not load the plugin")
	case ok && (name == "" || strings.ContainsAny(name, " \t")):
		f := p.find(n.start, n.end, "a plugin's name has no blanks: Claude Code does not load it")
		f.Help = "write it with -, as in my-plugin"
	case ok && nameFault(strings.ToLower(strings.ReplaceAll(name, "_", "-"))) != "":
		p.severe(p.find(n.start, n.end, "the name %s %s", name, nameFault(strings.ToLower(name))), Warning)
	}
}

// pathFields are the fields of plugin.json that name files, and how their names must end.
var pathFields = []struct{ name, end string }{
	{"commands", ""}, {"agents", ".md"}, {"skills", ""}, {"hooks", ".json"}, {"mcpServers", ".json"}, {"lspServers", ".json"}, {"outputStyles", ""}, {"themes", ""}, {"monitors", ".json"}, {"workflows", ""},
}

func pluginPath(p *pass) {
	root := filepath.Dir(filepath.Dir(p.Path))
	for _, f := range pathFields {
		n := p.json.get(f.name)
		all := []*node{n}
		if n.isList() {
			all = n.items
		}
		for _, item := range all {
			path, ok := item.text()
			switch {
			case !ok && n != nil && n.isList() && !item.isObject():
				p.find(item.start, item.end, "%s has %s in it, want paths", f.name, item.kind())
			case !ok && n != nil && !n.isList() && !n.isObject():
				p.find(n.start, n.end, "%s is %s, want a path or a list of paths", f.name, n.kind())
			case !ok:
			case !strings.HasPrefix(path, "./"):
				x := p.find(item.start, item.end, "%s does not begin with ./: Claude Code does not load the plugin", path)
				if !filepath.IsAbs(path) && !strings.HasPrefix(path, "../") {
					x.Help = "write ./" + path
					x.Fix = replace("write ./"+path, false, item.start, item.end, quoteJSON("./"+path))
				}
			case strings.Contains(path, ".."):
				p.find(item.start, item.end, "%s leads out of the plugin, which is copied without what is around it", path)
			case f.end != "" && !strings.HasSuffix(path, f.end):
				p.find(item.start, item.end, "%s: %s must end in %s", path, f.name, f.end)
			case !isThere(filepath.Join(root, filepath.FromSlash(path))):
				p.find(item.start, item.end, "%s is not there, and what it was to bring is not loaded", path)
			}
		}
	}
}

func quoteJSON(s string) string {
	text, _ := json.Marshal(s) // a text always can be
	return string(text)
}

// hooks is the object of events in a hooks file, in settings, in plugin.json or in a frontmatter.
func (d *document) hooks() *node {
	if d.skill == nil {
		return d.json.get("hooks")
	}
	if f, ok := d.skill.Front.Field("hooks"); ok && d.Kind != FirstUse {
		return fieldNode(f)
	}
	return nil
}

// fieldNode is a field of a frontmatter as if it were written in JSON.
func fieldNode(f skill.Field) *node {
	n := &node{key: f.Key, keyAt: f.Offset, start: f.ValueOffset, end: f.ValueEnd}
	raw := strings.TrimSpace(f.Raw)
	_, notNumber := strconv.ParseFloat(raw, 64)
	switch {
	case len(f.Fields) > 0 && f.Fields[0].Key == "" || raw == "[]":
		n.value = json.Delim('[')
	case len(f.Fields) > 0 || raw == "{}":
		n.value = json.Delim('{')
	case raw == "true" || raw == "false":
		n.value = raw == "true"
	case raw == "" || raw == "null" || raw == "~":
	case notNumber == nil:
		n.value = 0.0
	default:
		n.value = f.Value
	}
	for _, item := range f.Fields {
		n.items = append(n.items, fieldNode(item))
	}
	return n
}

func hookEvent(p *pass) {
	hooks := p.hooks()
	if !hooks.isObject() {
		return
	}
	for _, event := range hooks.items {
		if slices.Contains(hookEvents, event.key) {
			continue
		}
		f := p.find(event.keyAt, event.keyAt+len(event.key)+2, "%s is no event of Claude Code, so the hook never runs", event.key)
		switch near := nearest(event.key, hookEvents); {
		case near == "":
			f.Help = eventsHelp
		case hooks.get(near) != nil:
			f.Help = "move the hook to " + near + ", which is there already"
		default:
			f.Help = "write " + near
			f.Fix = rename("write "+near, "hooks", event.keyAt, event.keyAt+len(event.key)+2, `"`+near+`"`)
		}
	}
}

func hookShape(p *pass) {
	if p.skill == nil && !p.json.isObject() {
		return
	}
	hooks := p.hooks()
	switch {
	case hooks == nil && p.Kind == Hooks && filepath.Base(p.Path) == "hooks.json":
		f := p.find(p.json.start, p.json.start+1, "there is no hooks: the events stand in an object of that name")
		f.Help = `write {"hooks": {"PostToolUse": […]}}`
	case hooks != nil && !hooks.isObject() && p.Kind == Hooks:
		p.find(hooks.start, hooks.end, "hooks is %s, want an object", hooks.kind())
	}
	if !hooks.isObject() {
		return
	}
	for _, event := range hooks.items {
		if !event.isList() {
			p.find(event.start, event.end, "%s is %s, want a list of matchers: it is ignored", event.key, event.kind())
			continue
		}
		for _, m := range event.items {
			p.matcher(m)
		}
	}
}

// matcher checks the shape of one matcher with its hooks.
func (p *pass) matcher(m *node) {
	if !m.isObject() {
		p.find(m.start, m.end, "this is %s, want an object with hooks: it is ignored", m.kind())
		return
	}
	if n := m.get("matcher"); n != nil && n.kind() != aText {
		p.find(n.start, n.end, "matcher is %s, want a text: the hook is ignored", n.kind())
	}
	list := m.get("hooks")
	switch {
	case list == nil:
		p.find(m.start, m.start+1, "there is no hooks here: what is to run stands in a list of that name")
		return
	case !list.isList():
		p.find(list.start, list.end, "hooks is %s, want a list: it is ignored", list.kind())
		return
	}
	for _, h := range list.items {
		p.hook(h)
	}
}

// hookTypes are what a hook can be, and the field that each needs.
var hookTypes = []struct{ name, needs string }{{"command", "command"}, {"prompt", "prompt"}, {"agent", "prompt"}, {"http", "url"}, {"mcp_tool", "tool"}}

func (p *pass) hook(h *node) {
	if !h.isObject() {
		p.find(h.start, h.end, "this is %s, want an object with type: it is ignored", h.kind())
		return
	}
	kind, ok := h.get("type").text()
	if !ok {
		p.find(h.start, h.start+1, "the hook has no type: it is ignored").Help = `add "type": "command"`
		return
	}
	i := slices.IndexFunc(hookTypes, func(t struct{ name, needs string }) bool { return t.name == kind })
	if i < 0 {
		n := h.get("type")
		f := p.find(n.start, n.end, "%s is no type of hook: it is ignored", kind)
		if near := nearest(kind, []string{"command", "prompt", "agent", "http", "mcp_tool"}); near != "" {
			f.Help = "write " + near
			f.Fix = replace("write "+near, false, n.start, n.end, `"`+near+`"`)
		}
		return
	}
	needs := hookTypes[i].needs
	if n := h.get(needs); n == nil || n.kind() != aText || n.value == "" {
		p.find(h.start, h.start+1, "a hook of type %s needs %s: it is ignored", kind, needs)
	}
	if kind == "command" {
		p.unquotedRoot(h)
	}
	if n := h.get("timeout"); n != nil && n.kind() != "a number" {
		p.find(n.start, n.end, "timeout is %s, want a number of seconds: the hook is ignored", n.kind())
	}
}

// unquotedRoot reports a hook whose command falls apart if the plugin lies in a folder with a blank.
func (p *pass) unquotedRoot(h *node) {
	const root = "${CLAUDE_PLUGIN_ROOT}"
	n := h.get("command")
	command, ok := n.text()
	if !ok || !strings.Contains(command, root) || h.get("args") != nil { // with args no shell reads it
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
	f := p.severe(p.find(n.start, n.end, "%s is not quoted: if the plugin lies in a folder with a blank in its name, the command falls apart", root), Warning)
	f.Help = "put it in double quotes"
	raw := p.src[n.start:n.end]
	if p.json != nil && strings.Count(raw, root) == bare && strings.Count(command, root) == bare && !strings.Contains(raw, "$'") {
		f.Fix = replace("quote it", false, n.start, n.end, strings.ReplaceAll(raw, root, `\"`+root+`\"`))
	}
}

// eachHook calls f with every hook that is an object.
func (p *pass) eachHook(f func(h *node)) {
	hooks := p.hooks()
	if !hooks.isObject() {
		return
	}
	for _, event := range hooks.items {
		for _, m := range event.items {
			if list := m.get("hooks"); list.isList() {
				for _, h := range list.items {
					if h.isObject() {
						f(h)
					}
				}
			}
		}
	}
}

func hookMatcher(p *pass) {
	hooks := p.hooks()
	if !hooks.isObject() {
		return
	}
	for _, event := range hooks.items {
		for _, m := range event.items {
			n := m.get("matcher")
			text, ok := n.text()
			if !ok || text == "*" || text == "" {
				continue
			}
			if why := regexFault(text); why != "" {
				p.find(n.start, n.end, "the matcher %s is no regular expression: %s", text, why).Help = `name tools, with | between them: "Edit|Write"`
			}
		}
	}
}

// regexFault says why a text is a regular expression in no dialect. Ours knows less than Claude
// Code's, so only what is wrong everywhere counts.
func regexFault(text string) string {
	_, err := syntax.Parse(text, syntax.Perl)
	e, ok := err.(*syntax.Error)
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
	p.eachHook(func(h *node) {
		n := h.get("command")
		command, ok := n.text()
		if !ok {
			return
		}
		for _, v := range []struct{ name, root string }{{"${CLAUDE_PLUGIN_ROOT}", p.Plugin}, {"$CLAUDE_PLUGIN_ROOT", p.Plugin}, {"${CLAUDE_PROJECT_DIR}", p.project()}, {"$CLAUDE_PROJECT_DIR", p.project()}, {"${CLAUDE_SKILL_DIR}", p.ownFolder()}} {
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
			all = append(all, mention{written: path, file: filepath.Join(v.root, filepath.FromSlash(path)), start: n.start, end: n.end, called: strings.Trim(command[:i], `"' `) == "", anchor: 1})
			break
		}
	})
	return all
}

// ownFolder is the folder of a skill.
func (d *document) ownFolder() string {
	if d.Kind == Skill {
		return filepath.Dir(d.Path)
	}
	return ""
}

// project is the folder whose .claude the file is in.
func (d *document) project() string {
	if d.claude && d.As == Project {
		return filepath.Dir(d.Root)
	}
	return ""
}

func agentSkills(w *whole) {
	have := map[string]bool{}
	for _, d := range w.skills() {
		have[d.Root+"\x00"+d.name] = true
	}
	for _, d := range w.docs {
		for _, s := range d.needs {
			name := s.name
			if _, after, ok := strings.Cut(name, ":"); ok {
				if d.Plugin == "" {
					continue // another plugin's
				}
				name = after
			}
			if have[d.Root+"\x00"+name] || isThere(filepath.Join(d.Root, "skills", name, "SKILL.md")) || isThere(filepath.Join(d.Root, "commands", name+".md")) {
				continue
			}
			f := w.find(d, s.start, s.end, "there is no skill %s, and Claude Code starts the agent without it", s.name)
			f.Help = "mend the name, or add the skill"
			if d.Plugin == "" { // it may be the user's, or a plugin's
				(&pass{document: d, rule: w.rule}).severe(f, Info)
			}
		}
	}
}

func marketplace(p *pass) {
	if !p.json.isObject() {
		return
	}
	if name, ok := p.json.get("name").text(); !ok || name == "" || strings.ContainsAny(name, " \t") {
		p.find(p.json.start, p.json.start+1, "a marketplace needs a name without blanks: nothing can be installed from it")
	}
	if owner := p.json.get("owner"); !owner.isObject() {
		p.find(p.json.start, p.json.start+1, "owner is missing, or is no object with a name: the marketplace is refused")
	}
	plugins := p.json.get("plugins")
	if !plugins.isList() {
		p.find(p.json.start, p.json.start+1, "plugins is missing, or is no list")
		return
	}
	seen := map[string]bool{}
	for i, entry := range plugins.items {
		p.entry(entry, i, seen)
	}
}

// entry checks one plugin of a marketplace.
func (p *pass) entry(e *node, i int, seen map[string]bool) {
	name, ok := e.get("name").text()
	if !ok || name == "" {
		p.find(e.start, e.start+1, "plugin %d has no name: the marketplace is refused", i+1)
	} else if seen[name] {
		n := e.get("name")
		p.find(n.start, n.end, "there is a plugin %s already: one of the two cannot be installed", name)
	}
	seen[name] = true
	source := e.get("source")
	path, isText := source.text()
	switch {
	case source == nil:
		p.find(e.start, e.start+1, "the plugin has no source: the marketplace is refused")
	case source.isObject():
		kind, _ := source.get("source").text()
		if !slices.Contains([]string{"github", "url", "git", "npm", "git-subdir", "pip", "directory", "file"}, kind) {
			p.find(source.start, source.end, "a source is a path, or an object whose source is github, url, git-subdir or npm")
		}
	case !isText:
		p.find(source.start, source.end, "source is %s, want a path or an object", source.kind())
	case strings.Contains(path, ".."):
		p.find(source.start, source.end, "%s has .. in it: paths start at the marketplace's folder and stay in it", path)
	case !strings.HasPrefix(path, "./") && path != ".":
		p.find(source.start, source.end, "%s does not begin with ./: the marketplace is refused", path)
	default:
		root := filepath.Join(filepath.Dir(filepath.Dir(p.Path)), filepath.FromSlash(path))
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			p.find(source.start, source.end, "%s is not there: the plugin cannot be installed", path)
		}
	}
}

// components are where a plugin has what it brings, and the fields that name other places.
var components = []string{"skills", "commands", "agents", "hooks/hooks.json", ".mcp.json", ".lsp.json", "output-styles", "monitors", "themes", "workflows", "bin", "SKILL.md", "settings.json"}

func pluginEmpty(p *pass) {
	if !p.json.isObject() || filepath.Base(filepath.Dir(p.Path)) != ".claude-plugin" {
		return
	}
	root := filepath.Dir(filepath.Dir(p.Path))
	for _, c := range components {
		if isThere(filepath.Join(root, filepath.FromSlash(c))) {
			return
		}
	}
	for _, f := range pathFields {
		if p.json.get(f.name) != nil {
			return
		}
	}
	name, _ := p.json.get("name").text()
	f := p.find(p.json.start, p.json.start+1, "the plugin %s has nothing in it: Claude Code loads it and finds no skill, command, agent or hook", name)
	f.Help = fmt.Sprintf("they belong beside .claude-plugin, in %s, not in it", "skills/, commands/, agents/ and hooks/")
}
