package claudepage

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/skill"
)

// A plugin is a folder with skills and commands.
type plugin struct {
	says  claudecode.Manifest
	name  string // as it calls itself, or its folder's
	root  string
	file  string // its manifest, by the real path of what was read
	data  string
	fault string // why Claude Code does not load it, in its words; "" means that it does
}

// plugins lists the one that the request names and those that are installed and enabled. Claude
// Code also names those that it could not load.
func plugins(r Request) []*plugin {
	var all []*plugin
	if r.PluginRoot != "" {
		p := readPlugin(r.PluginRoot)
		p.data = cmp.Or(r.PluginData, filepath.Join(r.configDir(), "plugins", "data", p.name+"-inline"))
		all = append(all, p)
	}
	all = append(all, installed(r)...)
	for _, p := range all {
		for _, need := range p.says.Needs {
			met := func(q *plugin) bool { return q.name == need }
			if p.fault == "" && !slices.ContainsFunc(all, met) {
				p.fault = "unmet dependency"
			}
		}
	}
	return all
}

// installed lists the plugins that Claude Code installed for this project and that are enabled. One
// of the same name as the plugin that the request names is hidden by it.
func installed(r Request) []*plugin {
	list, _ := settings.Loaded(r.where(), r.Project) // Claude Code passes over a list that it cannot read
	var all []*plugin
	for _, i := range list {
		p := readPlugin(i.From)
		p.data = i.Data
		same := func(q *plugin) bool { return q.name == p.name }
		if !slices.ContainsFunc(all, same) && (r.PluginRoot == "" || readPlugin(r.PluginRoot).name != p.name) {
			all = append(all, p)
		}
	}
	return all
}

// readPlugin reads what a plugin says of itself. Without a manifest it goes by its folder's name.
func readPlugin(root string) *plugin {
	p := &plugin{root: root}
	src, real, err := skill.ReadReal(filepath.Join(root, ".claude-plugin", "plugin.json"))
	p.file = real
	switch {
	case err == nil:
		var faults []claudecode.Fault
		if p.says, faults = claudecode.ParseManifest(src); len(faults) > 0 {
			p.fault = "load error"
		}
	case !paths.IsFolder(root):
		p.fault = "path not found"
	case !errors.Is(err, fs.ErrNotExist):
		p.fault = "load error"
	}
	p.name = cmp.Or(p.says.Name, filepath.Base(root))
	return p
}

// entries lists a plugin's workflows, commands and skills, the first of a name hiding the others.
func (p *plugin) entries() []entry {
	if p.fault != "" {
		return nil
	}
	prefix := p.name + ":"
	var found []entry
	for _, path := range p.paths("workflows", p.says.Workflows) {
		found = append(found, workflowsIn(path, prefix)...)
	}
	found = append(found, p.commandEntries(prefix)...)
	skills := append([]string{filepath.Join(p.root, "skills")}, p.paths("", p.says.Skills)...)
	for _, path := range skills {
		if hasMainFile(path) {
			found = append(found, entry{name: prefix + filepath.Base(path), file: filepath.Join(path, "SKILL.md"), dir: path})
		} else {
			found = append(found, skillsIn(path, prefix)...)
		}
	}
	// A plugin that is one skill.
	if p.says.Skills == nil && !paths.IsFolder(skills[0]) && hasMainFile(p.root) {
		e := entry{name: prefix + filepath.Base(p.root), file: filepath.Join(p.root, "SKILL.md"), dir: p.root}
		if s, err := e.open(); err == nil && s.front.name != "" {
			e.name = prefix + s.front.name
		}
		found = append(found, e)
	}
	for i := range found {
		found[i].plugin = p
	}
	return found
}

// paths returns the folders or files of one kind: those that the manifest lists, else the usual
// folder. What leads out of the plugin is passed over.
func (p *plugin) paths(usual string, listed []string) []string {
	if listed == nil && usual != "" {
		listed = []string{usual}
	}
	var all []string
	for _, path := range listed {
		if path = filepath.Join(p.root, path); paths.Inside(p.root, path) {
			all = append(all, path)
		}
	}
	return all
}

func (p *plugin) commandEntries(prefix string) []entry {
	commands := p.says.Commands
	if commands == nil {
		commands = []claudecode.Command{{Path: "commands"}}
	}
	var found []entry
	for _, c := range commands {
		path := filepath.Join(p.root, c.Path)
		base, markdown := strings.CutSuffix(filepath.Base(path), ".md")
		switch {
		case c.Path == "":
			found = append(found, entry{name: prefix + c.Name, file: p.file, content: &c.Content})
		case !paths.Inside(p.root, path):
		case markdown && paths.IsFile(path):
			found = append(found, entry{name: prefix + cmp.Or(c.Name, base), file: path})
		case c.Name != "": // a command of that name is a file
		case hasMainFile(path):
			found = append(found, entry{name: prefix + filepath.Base(path), file: filepath.Join(path, "SKILL.md")})
		default:
			for _, e := range commandsIn(path, prefix) {
				e.dir = "" // a plugin's command has no folder of its own
				found = append(found, e)
			}
		}
	}
	return found
}
