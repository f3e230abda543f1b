package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/cause"
	"github.com/skillhand/skillhand/internal/paths"
)

// A Plugin is one that Claude Code installed.
type Plugin struct {
	ID      string // name@marketplace
	Scope   string // user, project, local or managed
	Project string // the folder that it was installed for; "" means all
	Root    string // the copy that Claude Code made, in its own folder

	// From is the folder that Claude Code reads the plugin from, and calls its root: the
	// marketplace's own if that is a folder on this machine, which may be anybody's, else Root.
	// "" means that the marketplace is not known any more: then the plugin is not loaded.
	From string
	Data string // where the plugin may keep things
}

// Installed returns the plugins that Claude Code installed, by name. config is its folder, such as
// ~/.claude. What is not below that folder, by its real path, is not in the list: a file can say
// anything, but only Claude Code and the user write there. If names are given, only plugins that their marketplace calls
// so are looked at.
func Installed(config string, names ...string) ([]Plugin, error) {
	file := filepath.Join(config, "plugins", "installed_plugins.json")
	var list struct {
		Plugins map[string]json.RawMessage `json:"plugins"`
	}
	if err := readJSON(file, &list); err != nil || list.Plugins == nil {
		return nil, err
	}
	markets := marketplaces(config)
	cache, err := filepath.EvalSymlinks(filepath.Join(config, "plugins"))
	if err != nil {
		return nil, err
	}
	var all []Plugin
	for id, raw := range list.Plugins {
		name, market, _ := strings.Cut(id, "@")
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		for _, e := range installations(raw) {
			root, err := filepath.EvalSymlinks(e.InstallPath)
			if err != nil || !filepath.IsAbs(e.InstallPath) || !paths.Below(cache, root) {
				continue
			}
			p := Plugin{ID: id, Scope: e.Scope, Project: e.ProjectPath, Root: e.InstallPath}
			p.Data = filepath.Join(config, "plugins", "data", dataName(id))
			if m, ok := markets[market]; ok {
				p.From = cmp.Or(m.plugin(name), p.Root)
			}
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b Plugin) int { return strings.Compare(a.ID+"\x00"+a.Project, b.ID+"\x00"+b.Project) })
	return all, nil
}

// Loaded returns the installed plugins that Claude Code loads in a project: those that are enabled, whose marketplace is
// known, and that were not installed for another project. If names are given, it looks only at those, as Installed does.
func Loaded(w Where, project string, names ...string) ([]Plugin, error) {
	all, err := Installed(w.ConfigDir(), names...)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	set := Read(w)
	return slices.DeleteFunc(all, func(p Plugin) bool {
		on, _ := set.Plugin(p.ID)
		return !on || p.From == "" || p.Project != "" && p.Project != project
	}), nil
}

type installation struct {
	Scope       string `json:"scope"`
	ProjectPath string `json:"projectPath"`
	InstallPath string `json:"installPath"`
}

// installations reads what is known of one plugin: a list, or in files of old one by itself.
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

// dataName is the name of a plugin's data folder: what may not stand in one is a dash.
func dataName(id string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, id)
}

// A marketplace lists plugins.
type marketplace struct {
	dir string // if it is a folder on this machine
}

// marketplaces returns those that Claude Code knows.
func marketplaces(config string) map[string]marketplace {
	var known map[string]struct {
		Source struct {
			Source string `json:"source"`
			Path   string `json:"path"`
		} `json:"source"`
	}
	if readJSON(filepath.Join(config, "plugins", "known_marketplaces.json"), &known) != nil {
		return nil
	}
	all := map[string]marketplace{}
	for name, m := range known {
		all[name] = marketplace{}
		if m.Source.Source == "directory" && filepath.IsAbs(m.Source.Path) {
			all[name] = marketplace{m.Source.Path}
		}
	}
	return all
}

// plugin returns the folder in which the marketplace has a plugin, or "".
func (m marketplace) plugin(name string) string {
	if m.dir == "" {
		return ""
	}
	var list struct {
		Plugins []struct {
			Name   string          `json:"name"`
			Source json.RawMessage `json:"source"`
		} `json:"plugins"`
	}
	if readJSON(filepath.Join(m.dir, ".claude-plugin", "marketplace.json"), &list) != nil {
		return ""
	}
	for _, p := range list.Plugins {
		var path string
		if p.Name == name && json.Unmarshal(p.Source, &path) == nil && filepath.IsLocal(path) {
			return filepath.Join(m.dir, path)
		}
	}
	return ""
}

// readJSON reads a file into v. One that is missing leaves v as it is.
func readJSON(file string, v any) error {
	src, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, cause.Of(err))
	}
	if err := json.Unmarshal(src, v); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
