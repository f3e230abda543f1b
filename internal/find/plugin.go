package find

import (
	"encoding/json"
	"iter"
	"path/filepath"
	"slices"
	"sync"

	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/skill"
)

// PluginOf returns the root of the plugin that a skill's folder, or one of commands, belongs to, or "". A plugin
// somewhere above is not enough.
func PluginOf(folder string) string {
	skills := filepath.Dir(folder)
	if root := filepath.Dir(skills); filepath.Base(skills) == "skills" && isPlugin(root) {
		return root
	}
	for up := folder; up != filepath.Dir(up); up = filepath.Dir(up) { // commands may lie in folders of theirs
		if root := filepath.Dir(up); filepath.Base(up) == "commands" && isPlugin(root) {
			return root
		}
	}
	return ""
}

// PluginAround returns the root of the innermost plugin that a folder lies in, or "": one with a manifest, or one that a
// marketplace above lists. Who installs a plugin gets a copy of that folder, and of nothing around it.
func PluginAround(folder string) string {
	plugin := ""
	for up := folder; ; up = filepath.Dir(up) {
		if plugin == "" && isPlugin(up) {
			plugin = up
		}
		for _, p := range marketplace(up) {
			if len(p.Root) > len(plugin) && paths.Inside(p.Root, folder) {
				plugin = p.Root
			}
		}
		if up == filepath.Dir(up) {
			return plugin
		}
	}
}

// A Plugin is a folder with skills and commands, which are called plugin:name.
type Plugin struct {
	Root string
	Name string // what a marketplace calls it; its own manifest wins

	only []string // the skills that a marketplace names, instead of all
}

// name is what the plugin is called, read when somebody asks.
func (p Plugin) name() func() string {
	return sync.OnceValue(func() string {
		if own := readManifest(p.Root).Name; own != "" {
			return own
		}
		if p.Name != "" {
			return p.Name
		}
		return filepath.Base(p.Root)
	})
}

// roots lists the plugin's folders of skills or commands: the usual one, and what its manifest names.
func (p Plugin) roots(from string, commands bool) iter.Seq[root] {
	return func(yield func(root) bool) {
		folder := "skills"
		if commands {
			folder = "commands"
		}
		r := root{dir: filepath.Join(p.Root, folder), from: from, plugin: p.name(), command: commands}
		if len(p.only) == 0 && !missing(r.dir) && !yield(r) || commands {
			return
		}
		named := append(slices.Clip(p.only), readManifest(p.Root).Skills...)
		if len(named) == 0 && !missing(filepath.Join(p.Root, skill.MainFile)) {
			named = []string{"."}
		}
		for _, path := range named {
			if !filepath.IsLocal(path) {
				continue
			}
			r.dir = filepath.Join(p.Root, filepath.FromSlash(path))
			r.single = !missing(filepath.Join(r.dir, skill.MainFile))
			if !missing(r.dir) && !yield(r) {
				return
			}
		}
	}
}

// A pathList is a JSON string or a list of strings; anything else is an empty list.
type pathList []string

func (s *pathList) UnmarshalJSON(src []byte) error {
	var one string
	if json.Unmarshal(src, &one) == nil {
		*s = pathList{one}
		return nil
	}
	var many []string
	if json.Unmarshal(src, &many) == nil {
		*s = many
	}
	return nil
}

// A manifest is what a plugin says about itself, as far as it is about where its skills are.
type manifest struct {
	Name   string   `json:"name"`
	Skills pathList `json:"skills"`
}

func manifestFile(root string) string { return filepath.Join(root, ".claude-plugin", "plugin.json") }

// readManifest reads a plugin's manifest. One that cannot be read says nothing: check reports it.
func readManifest(root string) manifest {
	var m manifest
	if file := manifestFile(root); !missing(file) {
		if src, err := skill.ReadFile(file); err == nil && json.Unmarshal(src, &m) != nil {
			return manifest{}
		}
	}
	return m
}

// isPlugin reports whether a folder has a plugin's manifest.
func isPlugin(root string) bool { return paths.IsFile(manifestFile(root)) }

// marketplace lists the plugins that the marketplace in a folder has beside it.
func marketplace(base string) []Plugin {
	file := filepath.Join(base, ".claude-plugin", "marketplace.json")
	if missing(file) {
		return nil
	}
	var list struct {
		Plugins []struct {
			Name   string          `json:"name"`
			Source json.RawMessage `json:"source"`
			Skills pathList        `json:"skills"`
		} `json:"plugins"`
	}
	src, err := skill.ReadFile(file)
	if err != nil || json.Unmarshal(src, &list) != nil {
		return nil // check reports it
	}
	var all []Plugin
	for _, p := range list.Plugins {
		var source string
		if json.Unmarshal(p.Source, &source) == nil && filepath.IsLocal(filepath.Clean(source)) {
			all = append(all, Plugin{Root: filepath.Join(base, filepath.FromSlash(source)), Name: p.Name, only: p.Skills})
		}
	}
	return all
}

// PluginName returns what a plugin calls itself, else its folder's name.
func PluginName(root string) string { return Plugin{Root: root}.name()() }
