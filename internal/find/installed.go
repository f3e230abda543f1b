package find

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
)

// An InstalledPlugin is a plugin that Claude Code installed.
type InstalledPlugin struct {
	ID      string // name@marketplace
	Scope   string // user, project, local or managed
	Project string // the folder that it was installed for; "" means every folder
	Root    string // the copy that Claude Code made, in its own folder

	// From is the folder that Claude Code reads the plugin from, and calls its root. If the
	// marketplace is a folder on this machine, From is in it, and may be anybody's. Otherwise From
	// is Root. "" means that the marketplace is no longer known; then the plugin is not loaded.
	From string
	Data string // the folder for the plugin's data
}

// Installed returns the plugins that Claude Code installed, sorted by name. config is Claude Code's
// folder, such as ~/.claude. Installed leaves out plugins whose real path is not below its folder
// plugins. A file can say anything, but only Claude Code and the user write there. If names are
// given, Installed returns only plugins that have one of them in their marketplace.
func Installed(config string, names ...string) ([]InstalledPlugin, error) {
	file := filepath.Join(config, "plugins", "installed_plugins.json")
	var list struct {
		Plugins map[string]json.RawMessage `json:"plugins"`
	}
	if err := settings.ReadJSON(file, &list); err != nil || list.Plugins == nil {
		return nil, err
	}
	markets := knownMarkets(config)
	cache, err := filepath.EvalSymlinks(filepath.Join(config, "plugins"))
	if err != nil {
		return nil, err
	}
	var all []InstalledPlugin
	for id, raw := range list.Plugins {
		name, market, _ := strings.Cut(id, "@")
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		for _, e := range installations(raw) {
			root, err := filepath.EvalSymlinks(e.InstallPath)
			if err != nil || !filepath.IsAbs(e.InstallPath) || !files.Below(cache, root) {
				continue
			}
			p := InstalledPlugin{ID: id, Scope: e.Scope, Project: e.ProjectPath, Root: e.InstallPath}
			p.Data = filepath.Join(config, "plugins", "data", dataName(id))
			if dir, ok := markets[market]; ok {
				p.From = cmp.Or(inMarket(dir, name), p.Root)
			}
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b InstalledPlugin) int { return strings.Compare(a.ID+"\x00"+a.Project, b.ID+"\x00"+b.Project) })
	return all, nil
}

// Loaded returns the installed plugins that Claude Code loads in a project. They are enabled, their
// marketplace is known, and they were not installed for another project. If names are given, Loaded
// reads only these, as Installed does.
func Loaded(w settings.Where, project string, names ...string) ([]InstalledPlugin, error) {
	all, err := Installed(w.ConfigDir(), names...)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	set := settings.Read(w)
	return slices.DeleteFunc(all, func(p InstalledPlugin) bool {
		on, _ := set.Plugin(p.ID)
		return !on || p.From == "" || p.Project != "" && p.Project != project
	}), nil
}

type installation struct {
	Scope       string `json:"scope"`
	ProjectPath string `json:"projectPath"`
	InstallPath string `json:"installPath"`
}

// installations reads the installations of one plugin: a list, or a single object in old files.
func installations(raw json.RawMessage) []installation {
	var list []installation
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	var one installation
	if json.Unmarshal(raw, &one) == nil {
		return []installation{one}
	}
	return nil
}

// dataName returns the name of a plugin's data folder, with a dash for each character that it must
// not contain.
func dataName(id string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, id)
}

// knownMarkets returns the marketplaces that Claude Code knows, by name. The value is the
// marketplace's folder if that is on this machine, else "".
func knownMarkets(config string) map[string]string {
	var known map[string]struct {
		Source struct {
			Source string `json:"source"`
			Path   string `json:"path"`
		} `json:"source"`
	}
	if settings.ReadJSON(filepath.Join(config, "plugins", "known_marketplaces.json"), &known) != nil {
		return nil
	}
	all := map[string]string{}
	for name, m := range known {
		all[name] = ""
		if m.Source.Source == "directory" && filepath.IsAbs(m.Source.Path) {
			all[name] = m.Source.Path
		}
	}
	return all
}

// inMarket returns the folder of a plugin in a marketplace on this machine, or "".
func inMarket(dir, name string) string {
	if dir == "" {
		return ""
	}
	for _, p := range readMarket(dir) {
		if p.Name == name {
			return p.Root
		}
	}
	return ""
}
