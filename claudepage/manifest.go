package claudepage

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// A manifest is what a plugin's plugin.json says about where things are. A list that is nil was
// not given: the plugin has the usual folder.
type manifest struct {
	name      string
	commands  []pluginCommand
	skills    []string
	workflows []string
	needs     []string // plugins that must be there too
}

// A pluginCommand is a path of commands, or one command with a name of its own.
type pluginCommand struct {
	path    string // a Markdown file or a folder, or ""
	name    string // "" means by its file's name
	content string // the command itself, if there is no path
}

// parseManifest reads a plugin.json. Claude Code holds it against a schema, and one key that does
// not fit keeps the whole plugin from loading; a key that the schema does not have may be anything.
// ok is false if the plugin does not load.
func parseManifest(src []byte) (m manifest, ok bool) {
	var fields map[string]any
	if json.Unmarshal(bytes.TrimPrefix(src, []byte("\ufeff")), &fields) != nil || fields == nil {
		return m, false
	}
	if m.name, ok = fields["name"].(string); !ok {
		return m, false
	}
	for key, fits := range manifestSchema() {
		if v, given := fields[key]; given && !fits(v) {
			return m, false
		}
	}
	m.commands = pluginCommands(fields["commands"])
	m.skills, m.workflows = pathList(fields["skills"]), pathList(fields["workflows"])
	list, _ := fields["dependencies"].([]any)
	for _, d := range list {
		if object, ok := d.(map[string]any); ok {
			d = object["name"]
		}
		name, _, _ := strings.Cut(d.(string), "@") // the schema has seen it
		m.needs = append(m.needs, name)
	}
	return m, true
}

func pluginCommands(v any) []pluginCommand {
	object, ok := v.(map[string]any)
	if !ok {
		if v == nil {
			return nil
		}
		all := []pluginCommand{}
		for _, path := range pathList(v) {
			all = append(all, pluginCommand{path: path})
		}
		return all
	}
	all := []pluginCommand{}
	for name, c := range object {
		c := c.(map[string]any)
		path, _ := c["source"].(string)
		content, _ := c["content"].(string)
		all = append(all, pluginCommand{path, name, content})
	}
	slices.SortFunc(all, func(a, b pluginCommand) int { return strings.Compare(a.name, b.name) })
	return all
}

// pathList reads one path or a list of them; nil means that nothing was given.
func pathList(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		list := []string{}
		for _, item := range v {
			if path, ok := item.(string); ok {
				list = append(list, path)
			}
		}
		return list
	}
	return nil
}

// A shape reports whether a JSON value is of some form.
type shape func(v any) bool

// manifestSchema is what Claude Code wants of a manifest's keys, as far as testdata/real.json shows.
func manifestSchema() map[string]shape {
	paths := oneOrMore(localPath(""))
	object := anObject(nil)
	servers := func(v any) bool { return localPath("")(v) || aMap(object)(v) || aList(anything)(v) }
	return map[string]shape{
		"name":         func(v any) bool { s, ok := v.(string); return ok && s != "" && !strings.ContainsAny(s, " :/@\\") },
		"$schema":      aString,
		"displayName":  aString,
		"version":      aString,
		"description":  aString,
		"repository":   aString,
		"license":      aString,
		"homepage":     anAddress,
		"keywords":     aList(aString),
		"author":       anObject(map[string]shape{"name": aName, "email?": aString, "url?": aString}),
		"dependencies": aList(either(aName, anObject(map[string]shape{"name": aName}))),
		"hooks":        oneOrMore(either(localPath(".json"), hooksShape)),
		"commands": either(paths, aMap(func(v any) bool {
			c, ok := v.(map[string]any)
			_, source := c["source"]
			_, content := c["content"]
			return ok && source != content && anObject(map[string]shape{
				"source?": localPath(""), "content?": aString, "description?": aString, "argumentHint?": aString, "model?": aString, "allowedTools?": aList(aString),
			})(v)
		})),
		"skills":       paths,
		"workflows":    paths,
		"outputStyles": paths,
		"themes":       paths,
		"agents":       oneOrMore(localPath(".md")),
		"mcpServers":   servers,
		"lspServers":   servers,
		"monitors":     either(localPath(""), aList(object)),
		"settings":     object,
		"userConfig":   aMap(object),
		"channels":     aList(object),
	}
}

func anything(any) bool       { return true }
func aString(v any) bool      { _, ok := v.(string); return ok }
func aName(v any) bool        { s, ok := v.(string); return ok && s != "" }
func either(a, b shape) shape { return func(v any) bool { return a(v) || b(v) } }

func aList(item shape) shape {
	return func(v any) bool {
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(v any) bool { return !item(v) })
	}
}

func oneOrMore(item shape) shape { return either(item, aList(item)) }

func aMap(value shape) shape {
	return func(v any) bool {
		object, ok := v.(map[string]any)
		for _, v := range object {
			ok = ok && value(v)
		}
		return ok
	}
}

// anObject has certain keys; those with a question mark may be missing. Others may be anything.
func anObject(keys map[string]shape) shape {
	return func(v any) bool {
		object, ok := v.(map[string]any)
		for key, fits := range keys {
			name, optional := strings.CutSuffix(key, "?")
			value, given := object[name]
			ok = ok && (given && fits(value) || !given && optional)
		}
		return ok
	}
}

// localPath is a path in the plugin, with this ending.
func localPath(suffix string) shape {
	return func(v any) bool {
		s, ok := v.(string)
		return ok && strings.HasPrefix(s, "./") && strings.HasSuffix(s, suffix)
	}
}

// anAddress is what JavaScript's URL takes.
func anAddress(v any) bool {
	s, _ := v.(string)
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme == "" {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https", "ftp", "ws", "wss":
		return u.Host != "" || strings.Trim(u.Opaque+u.Path, "/") != ""
	}
	return true
}

// Events that a plugin's hooks can name. What another key holds does not matter.
const hookEvents = "PreToolUse PostToolUse PostToolUseFailure Notification UserPromptSubmit UserPromptExpansion SessionStart SessionEnd " +
	"Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted " +
	"Elicitation ElicitationResult ConfigChange InstructionsLoaded WorktreeCreate WorktreeRemove CwdChanged FileChanged"

// hooksShape is an object of events, or one that has it under "hooks".
func hooksShape(v any) bool {
	object, ok := v.(map[string]any)
	if inner, given := object["hooks"]; given {
		return hooksShape(inner)
	}
	hook := func(v any) bool {
		h, _ := v.(map[string]any)
		switch h["type"] {
		case "command":
			return aString(h["command"])
		case "prompt", "agent":
			return aString(h["prompt"])
		case "http":
			return aString(h["url"])
		}
		return h["type"] == "mcp_tool"
	}
	event := aList(anObject(map[string]shape{"matcher?": aString, "hooks": aList(hook)}))
	for _, name := range strings.Fields(hookEvents) {
		if v := object[name]; v != nil {
			ok = ok && event(v)
		}
	}
	return ok
}
