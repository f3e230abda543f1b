package find

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/skill"
)

// A Claude finds what Claude Code loads in a project, in Claude Code's order. Every rule here is
// based on recordings of the real program, which are in package claudepage.
type Claude struct {
	Settings   settings.Where // the user's and the project's folders
	PluginRoot string         // a plugin's folder, as for claude --plugin-dir; "" means none
	PluginData string         // "" means where Claude Code keeps the data of such a plugin

	// NameIn returns the name in a skill's frontmatter. A plugin that is one skill has this name.
	// If it is nil, package skill reads the name.
	NameIn func(Entry) string
}

// An Entry is a skill, a command or a workflow that Claude Code loads. The first entry of a name
// hides the others.
type Entry struct {
	Name     string // Claude Code's name for it: plugin:name, folder:name
	File     string
	Dir      string        // the skill's folder; "" for a command
	Waits    bool          // its frontmatter can make it wait for files that match
	Plugin   *ClaudePlugin // nil means that it is in no plugin
	Workflow bool          // a script that Claude Code offers as a command
	Content  *string       // the text, if the file also contains other things
}

// CutPlugin splits the entry's name into the plugin's prefix, with its colon, and the rest.
func (e Entry) CutPlugin() (prefix, rest string, ok bool) {
	if e.Plugin == nil {
		return "", e.Name, false
	}
	before, after, ok := strings.Cut(e.Name, ":")
	return before + ":", after, ok
}

// A ClaudePlugin is a folder with skills and commands, as Claude Code loads it.
type ClaudePlugin struct {
	Name  string // the name in its manifest, or its folder's name
	Root  string
	Data  string // the folder for its data
	Fault string // why Claude Code does not load it, in Claude Code's words; "" means that it does

	says claudecode.Manifest
	file string // the real path of its manifest
}

// Entries lists skills before commands, the user's before the project's, and the nearest folder of
// the project first. Workflows come next. Outside a plugin a workflow hides nothing but a skill's
// other name. The entries of the plugins come last.
func (c Claude) Entries(plugins []*ClaudePlugin) []Entry {
	roots := []string{c.Settings.ConfigDir()}
	for _, dir := range Upward(c.Settings.Dir, c.Settings.Home) {
		roots = append(roots, filepath.Join(dir, ".claude"))
	}
	var all []Entry
	for _, root := range roots {
		for _, e := range skillsIn(filepath.Join(root, "skills"), "") {
			e.Waits = true
			all = append(all, e)
		}
	}
	for _, root := range roots {
		all = append(all, commandsIn(filepath.Join(root, "commands"), "")...)
	}
	for _, root := range roots {
		all = append(all, workflowsIn(filepath.Join(root, "workflows"), "")...)
	}
	for _, p := range plugins {
		all = append(all, p.entries(c.nameIn)...)
	}
	return all
}

func (c Claude) nameIn(e Entry) string {
	if c.NameIn != nil {
		return c.NameIn(e)
	}
	src, err := files.ReadFile(e.File)
	if err != nil {
		return ""
	}
	return skill.Parse(e.File, src).Front.Name
}

// Plugins lists the named plugin and the plugins that are installed and enabled. Like Claude Code,
// it also lists plugins that Claude Code could not load.
func (c Claude) Plugins() []*ClaudePlugin {
	var all []*ClaudePlugin
	if c.PluginRoot != "" {
		p := readPlugin(c.PluginRoot)
		p.Data = cmp.Or(c.PluginData, filepath.Join(c.Settings.ConfigDir(), "plugins", "data", p.Name+"-inline"))
		all = append(all, p)
	}
	installed, _ := Loaded(c.Settings, c.Settings.Dir) // Claude Code ignores a list that it cannot read
	for _, i := range installed {
		p := readPlugin(i.From)
		p.Data = i.Data
		// A plugin is hidden by an earlier plugin of the same name.
		if !slices.ContainsFunc(all, func(q *ClaudePlugin) bool { return q.Name == p.Name }) {
			all = append(all, p)
		}
	}
	for _, p := range all {
		for _, need := range p.says.Needs {
			met := func(q *ClaudePlugin) bool { return q.Name == need }
			if p.Fault == "" && !slices.ContainsFunc(all, met) {
				p.Fault = "unmet dependency"
			}
		}
	}
	return all
}

// readPlugin reads a plugin's manifest. A plugin without a manifest has its folder's name.
func readPlugin(root string) *ClaudePlugin {
	p := &ClaudePlugin{Root: root}
	src, real, err := files.ReadReal(manifestFile(root))
	p.file = real
	switch {
	case err == nil:
		var faults []claudecode.Fault
		if p.says, faults = claudecode.ParseManifest(src); len(faults) > 0 {
			p.Fault = "load error"
		}
	case !files.IsFolder(root):
		p.Fault = "path not found"
	case !errors.Is(err, fs.ErrNotExist):
		p.Fault = "load error"
	}
	p.Name = cmp.Or(p.says.Name, filepath.Base(root))
	return p
}

// entries lists a plugin's workflows, commands and skills. The first entry of a name hides the
// others.
func (p *ClaudePlugin) entries(nameIn func(Entry) string) []Entry {
	if p.Fault != "" {
		return nil
	}
	prefix := p.Name + ":"
	var found []Entry
	for _, path := range p.paths("workflows", p.says.Workflows) {
		found = append(found, workflowsIn(path, prefix)...)
	}
	found = append(found, p.commandEntries(prefix)...)
	skills := append([]string{filepath.Join(p.Root, "skills")}, p.paths("", p.says.Skills)...)
	for _, path := range skills {
		if hasMainFile(path) {
			found = append(found, Entry{Name: prefix + filepath.Base(path), File: filepath.Join(path, "SKILL.md"), Dir: path})
		} else {
			found = append(found, skillsIn(path, prefix)...)
		}
	}
	// The plugin itself is one skill.
	if p.says.Skills == nil && !files.IsFolder(skills[0]) && hasMainFile(p.Root) {
		e := Entry{Name: prefix + filepath.Base(p.Root), File: filepath.Join(p.Root, "SKILL.md"), Dir: p.Root}
		if name := nameIn(e); name != "" {
			e.Name = prefix + name
		}
		found = append(found, e)
	}
	for i := range found {
		found[i].Plugin = p
	}
	return found
}

// paths returns the folders or files of one kind: those that the manifest lists, else the usual
// folder. It skips paths that lead out of the plugin.
func (p *ClaudePlugin) paths(usual string, listed []string) []string {
	if listed == nil && usual != "" {
		listed = []string{usual}
	}
	var all []string
	for _, path := range listed {
		if path = filepath.Join(p.Root, path); files.Inside(p.Root, path) {
			all = append(all, path)
		}
	}
	return all
}

func (p *ClaudePlugin) commandEntries(prefix string) []Entry {
	commands := p.says.Commands
	if commands == nil {
		commands = []claudecode.Command{{Path: "commands"}}
	}
	var found []Entry
	for _, c := range commands {
		path := filepath.Join(p.Root, c.Path)
		base, markdown := strings.CutSuffix(filepath.Base(path), ".md")
		switch {
		case c.Path == "":
			found = append(found, Entry{Name: prefix + c.Name, File: p.file, Content: &c.Content})
		case !files.Inside(p.Root, path):
		case markdown && files.IsFile(path):
			found = append(found, Entry{Name: prefix + cmp.Or(c.Name, base), File: path})
		case c.Name != "": // a command with a name of its own is a file
		case hasMainFile(path):
			found = append(found, Entry{Name: prefix + filepath.Base(path), File: filepath.Join(path, "SKILL.md")})
		default:
			for _, e := range commandsIn(path, prefix) {
				e.Dir = "" // a plugin's command has no folder of its own
				found = append(found, e)
			}
		}
	}
	return found
}

// workflowsIn lists the scripts in a folder, or the one script at path, by the names of their
// files. A script that exports a meta may give itself another name there, but scripts are not
// parsed.
func workflowsIn(path, prefix string) []Entry {
	scripts := []string{path}
	if filepath.Ext(path) != ".js" {
		scripts = files.Glob(path, "*.js")
	}
	var found []Entry
	for _, file := range scripts {
		src, err := files.ReadFile(file)
		if err != nil || !bytes.Contains(src, []byte("export")) || !bytes.Contains(src, []byte("meta")) {
			continue
		}
		found = append(found, Entry{Name: prefix + strings.TrimSuffix(filepath.Base(file), ".js"), File: file, Workflow: true})
	}
	return found
}

// Upward lists dir and its parents, up to the top of the repository if there is one. It leaves out
// home.
func Upward(dir, home string) []string {
	var all []string
	for {
		if dir != home {
			all = append(all, dir)
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return all
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return all
		}
		dir = parent
	}
}

// skillsIn lists the folders in dir that have a SKILL.md, in exactly this spelling even if the file
// system ignores case.
func skillsIn(dir, prefix string) []Entry {
	var found []Entry
	folders, _ := os.ReadDir(dir) // a missing folder has no skills
	for _, f := range folders {
		if e := (Entry{Name: prefix + f.Name(), Dir: filepath.Join(dir, f.Name())}); hasMainFile(e.Dir) {
			e.File = filepath.Join(e.Dir, "SKILL.md")
			found = append(found, e)
		}
	}
	return found
}

func hasMainFile(dir string) bool {
	files, _ := os.ReadDir(dir)
	return slices.ContainsFunc(files, func(f os.DirEntry) bool { return f.Name() == "SKILL.md" && !f.IsDir() })
}

// commandsIn lists the Markdown files in dir and below, with the name of a folder before a colon. A
// folder with a SKILL.md is a skill, and nothing else in it counts.
func commandsIn(dir, prefix string) []Entry {
	var found []Entry
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		switch name, markdown := strings.CutSuffix(f.Name(), ".md"); {
		case f.IsDir() && hasMainFile(path):
			found = append(found, Entry{Name: prefix + f.Name(), File: filepath.Join(path, "SKILL.md"), Dir: path})
		case f.IsDir():
			found = append(found, commandsIn(path, prefix+f.Name()+":")...)
		case markdown:
			found = append(found, Entry{Name: prefix + name, File: path})
		}
	}
	return found
}

// HiddenInClaude returns the file that Claude Code loads under the name of a skill instead of the
// skill, or "". For a plugin's skill that is a command of the plugin; for a project's skill it is a
// skill of the user.
func (f Finder) HiddenInClaude(loc skill.Location) string {
	if loc.Command || loc.Name == "" {
		return ""
	}
	main := loc.Main()
	above := filepath.Dir(main.Folder)
	if root := PluginOf(main.Folder); root != "" {
		p := readPlugin(root)
		for _, e := range p.commandEntries("") {
			if p.Fault == "" && e.Name == loc.Name && e.File != main.File {
				return e.File
			}
		}
		return ""
	}
	if loc.From != skill.FromProject || filepath.Base(above) != "skills" ||
		filepath.Base(filepath.Dir(above)) != ".claude" || !filepath.IsAbs(f.Home) {
		return ""
	}
	users := filepath.Join(f.Home, ".claude", "skills", loc.Name, skill.MainFile)
	if !missing(users) && files.Real(users) != files.Real(main.File) {
		return users
	}
	return ""
}
