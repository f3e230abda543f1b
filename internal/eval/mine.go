package eval

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/skill"
)

// A neighbour is another skill of the user, or a plugin with skills.
type neighbour struct {
	Name   string `json:"name"` // a skill's folder, or the plugin's own name
	Folder string `json:"folder"`
	User   bool   `json:"user,omitempty"` // in the user's home, not in the project
	Plugin bool   `json:"plugin,omitempty"`
}

// neighbours returns the user's own skills, the project's skills, and the plugins that Claude Code
// would load here.
func neighbours(user here.Here) ([]neighbour, error) {
	where := user.Settings()
	own := filepath.Join(where.ConfigDir(), "skills")
	finder := user.Finder()
	finder.Roots = append(slices.Clone(finder.Roots), own)
	listed, _ := finder.List() // agents cannot read unreadable skills either
	var all []neighbour
	for _, loc := range listed {
		// Claude Code reads only these of the folders with skills.
		skillDir, companion := foldersOf(loc)
		dir := filepath.Dir(skillDir)
		inProject := loc.From == skill.FromProject && filepath.Base(dir) == "skills" && filepath.Base(filepath.Dir(dir)) == ".claude"
		if !loc.Command && (inProject || dir == own) {
			all = append(all, neighbour{Name: filepath.Base(skillDir), Folder: files.Real(skillDir), User: dir == own})
			if companion != "" {
				all = append(all, neighbour{Name: filepath.Base(loc.Folder), Folder: companion, User: dir == own})
			}
		}
	}
	loaded, err := find.Loaded(where, user.Project)
	if err != nil {
		return nil, err
	}
	for _, p := range loaded {
		n := neighbour{Name: find.PluginName(p.From), Folder: files.Real(p.From), Plugin: true}
		if files.IsFolder(n.Folder) && !slices.ContainsFunc(all, func(o neighbour) bool { return o.Plugin && o.Name == n.Name }) {
			all = append(all, n)
		}
	}
	return all, nil
}

// settle copies the user's other skills beside the skill under test. It returns the arguments with
// which the CLI finds them.
func (m *Bundle) settle(s *Subject, place folders) ([]string, error) {
	var args []string
	for i, n := range m.mine {
		if n.Plugin {
			if s.Plugin != "" && find.PluginName(s.Plugin) == n.Name {
				continue // the skill under test replaces it
			}
			to := filepath.Join(place.root, "mine", fmt.Sprint(i), filepath.Base(n.Folder))
			if err := n.copyPlugin(to); err != nil {
				return nil, err
			}
			args = append(args, "--plugin-dir", to)
			continue
		}
		if n.Name == s.Dir || n.Name == skill.Companion(s.Dir) {
			continue
		}
		root := place.project
		if n.User {
			root = place.home
		}
		to := filepath.Join(root, ".claude", "skills", n.Name)
		if _, err := os.Lstat(to); err == nil {
			continue // the case brings its own version
		}
		if err := copyTree(n.Folder, to, but(".git")); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// startsItself lists the files of a plugin that start something without a skill.
var startsItself = []string{"hooks/hooks.json", ".mcp.json", ".lsp.json", "monitors/monitors.json"}

// copyPlugin copies a plugin's skills and commands, and the files that they may use. It skips hooks
// and servers: the user chooses those, not the agent.
func (n neighbour) copyPlugin(to string) error {
	const manifest = ".claude-plugin/plugin.json"
	err := copyTree(n.Folder, to, but(append([]string{".git", manifest}, startsItself...)...))
	if err != nil {
		return err
	}
	said := map[string]any{}
	if text, err := os.ReadFile(filepath.Join(n.Folder, filepath.FromSlash(manifest))); err == nil && json.Unmarshal(text, &said) != nil {
		return nil // Claude Code does not load it
	}
	said = pick("version", "description", "skills", "commands", "agents", "dependencies")(said)
	said["name"] = n.Name
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(to, ".claude-plugin"), 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, filepath.FromSlash(manifest)), text, 0o666)
}

// describe calls add for the folders with a neighbour's skills, with the prefix that the agent puts
// before their names.
func (n neighbour) describe(add func(folder, prefix string)) {
	if !n.Plugin {
		add(n.Folder, "")
		return
	}
	describePlugin(n.Folder, add)
}

func describePlugin(root string, add func(folder, prefix string)) {
	for _, folder := range files.Glob(root, "skills/*") {
		add(folder, find.PluginName(root)+":")
	}
}
