package find

import (
	"cmp"
	"iter"
	"path/filepath"
	"slices"
	"sync"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

// PluginOf returns the root of the plugin that a folder of a skill or of commands belongs to, or
// "". A plugin further up does not count.
func PluginOf(folder string) string {
	skills := filepath.Dir(folder)
	if root := filepath.Dir(skills); filepath.Base(skills) == "skills" && isPlugin(root) {
		return root
	}
	for up := folder; up != filepath.Dir(up); up = filepath.Dir(up) { // commands may be in subfolders
		if root := filepath.Dir(up); filepath.Base(up) == "commands" && isPlugin(root) {
			return root
		}
	}
	return ""
}

// PluginAround returns the root of the innermost plugin that contains a folder, or "". A plugin has
// a manifest, or a marketplace above it lists it. Users who install a plugin get a copy of its
// folder and nothing from around it.
func PluginAround(folder string) string {
	plugin := ""
	for up := folder; ; up = filepath.Dir(up) {
		if plugin == "" && isPlugin(up) {
			plugin = up
		}
		for _, p := range readMarket(up) {
			if len(p.Root) > len(plugin) && files.Inside(p.Root, folder) {
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
	Name string // its name in a marketplace; the name in its manifest wins

	only []string // the skills that a marketplace lists; empty means all
}

// name returns a function that reads the plugin's name when it is first called.
func (p Plugin) name() func() string {
	return sync.OnceValue(func() string {
		if m, _ := ReadManifest(p.Root); m.Name != "" {
			return m.Name
		}
		return cmp.Or(p.Name, marketName(p.Root), filepath.Base(p.Root))
	})
}

// roots lists the plugin's folders of skills or commands: the usual folder, and those that its
// manifest names.
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
		m, _ := ReadManifest(p.Root)
		named := append(slices.Clip(p.only), m.Skills...)
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

func manifestFile(root string) string { return filepath.Join(root, ".claude-plugin", "plugin.json") }

// ReadManifest reads a plugin's manifest, and the faults for which Claude Code does not load the
// plugin. Without a manifest both are empty.
func ReadManifest(root string) (claudecode.Manifest, []claudecode.Fault) {
	file := manifestFile(root)
	if missing(file) {
		return claudecode.Manifest{}, nil
	}
	src, err := files.ReadFile(file)
	if err != nil {
		return claudecode.Manifest{}, nil // check reports it
	}
	return claudecode.ParseManifest(src)
}

// isPlugin reports whether a folder has a plugin's manifest.
func isPlugin(root string) bool { return files.IsFile(manifestFile(root)) }

// readMarket lists the plugins of the marketplace in a folder that are in that folder too.
func readMarket(base string) []Plugin {
	file := filepath.Join(base, ".claude-plugin", "marketplace.json")
	if missing(file) {
		return nil
	}
	src, err := files.ReadFile(file)
	if err != nil {
		return nil // check reports it
	}
	root, _ := doc.ParseJSON(string(src))
	list := root.Get("plugins")
	if !list.IsList() {
		return nil
	}
	var all []Plugin
	for _, p := range list.Items {
		source, isText := p.Get("source").Text()
		if !isText || !filepath.IsLocal(filepath.Clean(source)) {
			continue
		}
		name, _ := p.Get("name").Text()
		all = append(all, Plugin{Root: filepath.Join(base, filepath.FromSlash(source)), Name: name, only: p.Get("skills").Texts()})
	}
	return all
}

// marketName returns the name that a marketplace above a plugin gives it, or "".
func marketName(root string) string {
	for d := root; ; d = filepath.Dir(d) {
		for _, p := range readMarket(d) {
			if p.Root == root {
				return p.Name
			}
		}
		if d == filepath.Dir(d) || IsThere(filepath.Join(d, ".git")) {
			return ""
		}
	}
}

// PluginName returns the name in a plugin's manifest, else the name that a marketplace above gives
// it, else its folder's name.
func PluginName(root string) string { return Plugin{Root: root}.name()() }
