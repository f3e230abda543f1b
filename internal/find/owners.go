package find

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

// ownFolder returns the agent that a folder belongs to by its name, or "": .cursor, .cursor-plugin,
// public/cursor.
func ownFolder(dir string) string {
	base := filepath.Base(dir)
	owner := agents.OwnerOf(base)
	if owner == nil && strings.HasPrefix(base, ".") {
		owner = agents.PluginOf(base)
	}
	if owner == nil && filepath.Base(filepath.Dir(dir)) == "public" {
		owner = agents.OwnerOf("." + base)
	}
	if owner == nil {
		return ""
	}
	return owner.Name
}

// isOthers reports whether a folder belongs to another agent than Claude Code. It is that agent's
// own folder, or a plugin for that agent and not for Claude Code.
func (w *walker) isOthers(dir string, entries []fs.DirEntry) bool {
	owner := ownFolder(dir)
	others := owner != "" && owner != agents.Claude
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if plugin := agents.PluginOf(e.Name()); plugin != nil {
			if plugin.Name == agents.Claude {
				return false
			}
			others = true
		}
	}
	return others && !w.plugins[dir]
}

// owners returns the agents that read a file where it is, sorted.
func (w *walker) owners(f *File, in setting) []string {
	all := w.placeOwners(f, in)
	switch f.Kind {
	case Hooks:
		all = hooksOwners(f, all)
	case Agent:
		all = append(all, agentOwners(f)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Owners returns a function that lists the agents that read a skill or command where it is.
func (f Tree) Owners() func(loc skill.Location) []string {
	w := newWalker(f)
	return func(loc skill.Location) []string {
		file := File{Path: loc.Main().File, Kind: Skill}
		if loc.Command {
			file.Kind = Command
		}
		return append([]string{}, w.owners(&file, w.around(filepath.Dir(file.Path)))...)
	}
}

// placeOwners returns the agents that read a file of this kind where it is, whatever its content.
func (w *walker) placeOwners(f *File, in setting) []string {
	for d := f.Path; d != filepath.Dir(d); d = filepath.Dir(d) {
		own := ownFolder(d)
		var plugin []string
		if d != f.Path {
			plugin = w.pluginOwners(d)
		}
		switch readers := w.readers(f.Kind, d); {
		case len(readers) > 0:
			return readers
		case d == in.claude && f.Kind == Hooks && filepath.Dir(f.Path) != d:
			return nil // Claude Code reads hooks in a .claude only from the settings
		case d == in.claude && w.finder.isClaude(d):
			return []string{agents.Claude}
		case own != "":
			return []string{own}
		case len(plugin) > 0:
			return plugin
		}
		if d == w.top {
			break
		}
	}
	return w.extensionOwners(filepath.Dir(f.Path))
}

// readers returns the agents that read files of a kind from the folder at path, or the file at
// path.
func (w *walker) readers(kind Kind, path string) (names []string) {
	slashed := filepath.ToSlash(path)
	inHome := ""
	switch {
	case filepath.Dir(path) == w.finder.config():
		inHome = ".claude/" + filepath.Base(path)
	case w.finder.Home != "" && files.Below(w.finder.Home, path):
		inHome = Relative(w.finder.Home, path)
	}
	for _, a := range agents.All() {
		ofProject := slices.ContainsFunc(foldersFor(kind, a.Project),
			func(folder string) bool { return strings.HasSuffix(slashed, "/"+folder) })
		ofUser := slices.Contains(foldersFor(kind, a.User), inHome)
		if inHome == "" && ofProject || ofUser {
			names = append(names, a.Name)
		}
	}
	return names
}

func foldersFor(kind Kind, f agents.Folders) []string {
	switch kind {
	case Skill, FirstUse, Text:
		return f.Skills
	case Command:
		return f.Commands
	case Agent:
		return f.Agents
	case Hooks:
		return f.Hooks
	}
	return nil
}

// pluginOwners lists the agents for which a plugin has a manifest. A plugin that only a marketplace
// lists is for Claude Code.
func (w *walker) pluginOwners(root string) []string {
	if all, known := w.ownersOf[root]; known {
		return slices.Clone(all)
	}
	var all []string
	entries, _ := w.read(root) // no files are found in a folder that cannot be read
	for _, e := range entries {
		if a := agents.PluginOf(e.Name()); a != nil && files.IsFile(filepath.Join(root, e.Name(), "plugin.json")) {
			all = append(all, a.Name)
		}
	}
	if w.plugins[root] {
		all = append(all, agents.Claude)
	}
	if len(all) > 0 {
		all = append(all, w.extensionOwners(root)...)
	}
	w.ownersOf[root] = all
	return slices.Clone(all)
}

// extensionOwners lists the agents for which dir, or a folder above it, is an extension. An
// extension has a file at its top, and agents, hooks and skills below.
func (w *walker) extensionOwners(dir string) (names []string) {
	for d := dir; ; d = filepath.Dir(d) {
		entries, _ := w.read(d)
		for _, e := range entries {
			if a := agents.PluginOf(e.Name()); a != nil && e.Type().IsRegular() {
				names = append(names, a.Name)
			}
		}
		if d == w.home || d == filepath.Dir(d) {
			return names
		}
	}
}

// hooksOwners returns the agents that a hooks file is for, by its content. place lists the agents
// that read it by its place. A file with a version and without any event of Claude Code is not for
// Claude Code.
func hooksOwners(f *File, place []string) []string {
	src, err := f.text()
	if err != nil {
		return place
	}
	root, fault := doc.ParseJSON(string(src))
	if fault != nil {
		return place
	}
	known := false
	if events := root.Get("hooks"); events.IsObject() {
		for _, event := range events.Items {
			known = known || slices.Contains(claudecode.Events(), event.Key)
			if !event.IsList() {
				continue
			}
			for _, hook := range event.Items {
				for _, a := range agents.All() {
					if slices.ContainsFunc(a.Own.HookFields, func(field string) bool { return hook.Get(field) != nil }) {
						return []string{a.Name}
					}
				}
			}
		}
	}
	if root.Get("version") != nil && !known {
		return slices.DeleteFunc(place, func(agent string) bool { return agent == agents.Claude })
	}
	return place
}

// agentOwners returns the agents whose own fields are all in a subagent's frontmatter. No other
// agent has these fields.
func agentOwners(f *File) (names []string) {
	src, err := f.text()
	if err != nil {
		return nil
	}
	front := &skill.Parse(f.Path, src).Front
	isMissing := func(field string) bool { _, has := front.Field(field); return !has }
	for _, a := range agents.All() {
		if len(a.Own.AgentFields) > 0 && !slices.ContainsFunc(a.Own.AgentFields, isMissing) {
			names = append(names, a.Name)
		}
	}
	return names
}

func (f *File) text() ([]byte, error) {
	if f.Source != nil {
		return f.Source, nil
	}
	return files.ReadFile(f.Path)
}
