package claudepage

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/paths"
	"github.com/skillhand/skillhand/skill"
)

// A Skill is a skill or a command that was found.
type Skill struct {
	Name string // its own name, whatever it was called
	File string
	Real string // where File really is: the file that was read
	Dir  string // the skill's folder; "" for a command

	Source []byte // what was read; nil if the text stands in the file among other things

	front    frontmatter
	body     string
	bodyLine int // the line of the file in which the body begins
	plugin   *plugin
}

// Find returns the skill or command that r names. A *Failure means that Claude Code would not
// render it either.
func Find(r Request) (*Skill, error) {
	if err := r.complete(); err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(r.Name, "/")
	if r.Tool {
		name = strings.TrimPrefix(claudecode.TrimSpace(r.Name), "/")
	}
	if paths.Is(name) {
		return openPath(r)
	}
	if name == "" {
		if r.Tool {
			return nil, toolError("Invalid skill format: " + r.Name)
		}
		return nil, fmt.Errorf("no skill named")
	}
	c := collect(r)
	e, ok := c.find(name)
	if !ok {
		return nil, c.unknown(r, name)
	}
	s, err := e.open()
	if err != nil {
		return nil, err
	}
	switch {
	case s.front.paths && e.waits:
		return nil, c.unknown(r, name)
	case r.Tool && s.front.noModel:
		return nil, toolError(fmt.Sprintf("Skill %[1]s cannot be used with Skill tool due to disable-model-invocation. "+
			"Ask the user to run /%[1]s themselves — it cannot be invoked via the Skill tool. "+
			"Do not replicate this skill's workflow by other means — it is reserved for explicit user invocation.", name))
	case !r.Tool && s.front.noUser:
		return nil, &Failure{fmt.Sprintf("This skill can only be invoked by Claude, not directly by users. "+
			"Ask Claude to use the %q skill for you.", s.Name)}
	}
	return s, nil
}

// complete fills in the defaults that Request documents and makes its folders absolute.
func (r *Request) complete() error {
	var err error
	if r.Project, err = filepath.Abs(r.Project); err != nil {
		return err
	}
	if r.Home == "" {
		if r.Home, err = os.UserHomeDir(); err != nil {
			return err
		}
	}
	if r.Env == nil {
		r.Env = os.Environ()
	}
	if r.PluginRoot != "" {
		if !filepath.IsAbs(r.PluginRoot) {
			r.PluginRoot = filepath.Join(r.Project, r.PluginRoot)
		}
	}
	r.Effort = cmp.Or(r.Effort, "medium")
	return nil
}

// configDir returns the folder of the user's own settings, skills and plugins.
func (r *Request) configDir() string {
	if dir := lookup(r.Env, "CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(r.Home, ".claude")
}

// lookup returns a variable of an environment, or "".
func lookup(env []string, name string) string {
	value := ""
	for _, v := range env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}

// An entry is a file that is a skill or a command.
type entry struct {
	name     string
	file     string
	dir      string  // "" for a command
	waits    bool    // its frontmatter can make it wait for files that match
	plugin   *plugin // nil means that it is in no plugin
	workflow bool    // a script that Claude Code offers as a command
	content  *string // the text, if it stands in the file among other things
}

func (e entry) open() (*Skill, error) {
	s := &Skill{Name: e.name, File: e.file, Real: e.file, Dir: e.dir, plugin: e.plugin}
	if e.workflow {
		return nil, fmt.Errorf("%s: %s is a workflow, and workflows are not rendered", e.name, e.file)
	}
	if e.content != nil {
		return s.parse(*e.content), nil
	}
	src, real, err := skill.ReadReal(e.file)
	if err != nil {
		return nil, err
	}
	if e.dir != "" {
		if err := inside(e.dir, e.file, real); err != nil {
			return nil, err
		}
	}
	s.Real, s.Source = real, src
	return s.parse(decode(src)), nil
}

// parse reads the skill's text.
func (s *Skill) parse(text string) *Skill {
	var yaml string
	yaml, s.body = claudecode.SplitFrontmatter(text)
	s.front = parseFrontmatter(yaml)
	s.bodyLine = 1 + strings.Count(text[:len(text)-len(s.body)], "\n")
	return s
}

// inside refuses a skill's file that really is out of the skill's folder. The folder itself may
// be a link: installers make such.
func inside(dir, file, real string) error {
	realDir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	if !paths.Inside(realDir, real) {
		return fmt.Errorf("%s: links to %s, outside its skill's folder", file, real)
	}
	return nil
}

// openPath opens a skill by its folder or file, which Claude Code itself cannot.
func openPath(r Request) (*Skill, error) {
	path := r.Name
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.Project, path)
	}
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		path = filepath.Join(path, "SKILL.md")
	}
	dir, base := filepath.Split(path)
	dir = filepath.Clean(dir)
	e := entry{name: strings.TrimSuffix(base, ".md"), file: path}
	if base == "SKILL.md" {
		e.name, e.dir = filepath.Base(dir), dir
	}
	for _, p := range plugins(r) {
		if paths.Inside(p.root, path) {
			e.plugin = p
		}
	}
	return e.open()
}

// A collection is all skills and commands in sight, the first of a name hiding the others.
type collection struct {
	entries []entry
	plugins []*plugin
}

// collect lists skills before commands, the user's before the project's, and the nearest folder
// of the project first; then workflows, which hide nothing outside a plugin but a skill's other name.
func collect(r Request) collection {
	roots := []string{r.configDir()}
	for _, dir := range upward(r.Project, r.Home) {
		roots = append(roots, filepath.Join(dir, ".claude"))
	}
	c := collection{plugins: plugins(r)}
	for _, root := range roots {
		for _, e := range skillsIn(filepath.Join(root, "skills"), "") {
			e.waits = true
			c.entries = append(c.entries, e)
		}
	}
	for _, root := range roots {
		c.entries = append(c.entries, commandsIn(filepath.Join(root, "commands"), "")...)
	}
	for _, root := range roots {
		c.entries = append(c.entries, workflowsIn(filepath.Join(root, "workflows"), "")...)
	}
	for _, p := range c.plugins {
		c.entries = append(c.entries, p.entries()...)
	}
	return c
}

// workflowsIn lists the scripts in a folder, or the one script that path is, by the names of their files. A script that
// exports a meta may give itself another name there, but scripts are not parsed.
func workflowsIn(path, prefix string) []entry {
	files := []string{path}
	if filepath.Ext(path) != ".js" {
		files = paths.Glob(path, "*.js")
	}
	var found []entry
	for _, file := range files {
		src, err := skill.ReadFile(file)
		if err != nil || !bytes.Contains(src, []byte("export")) || !bytes.Contains(src, []byte("meta")) {
			continue
		}
		found = append(found, entry{name: prefix + strings.TrimSuffix(filepath.Base(file), ".js"), file: file, workflow: true})
	}
	return found
}

// upward lists dir and its parents, up to the repository's top if there is one, without home.
func upward(dir, home string) []string {
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

// skillsIn lists the folders in dir that have a SKILL.md, spelt so whatever the file system says.
func skillsIn(dir, prefix string) []entry {
	var found []entry
	folders, _ := os.ReadDir(dir) // a missing folder has no skills
	for _, f := range folders {
		if e := (entry{name: prefix + f.Name(), dir: filepath.Join(dir, f.Name())}); hasMainFile(e.dir) {
			e.file = filepath.Join(e.dir, "SKILL.md")
			found = append(found, e)
		}
	}
	return found
}

func hasMainFile(dir string) bool {
	files, _ := os.ReadDir(dir)
	return slices.ContainsFunc(files, func(f os.DirEntry) bool { return f.Name() == "SKILL.md" && !f.IsDir() })
}

// commandsIn lists the Markdown files in dir and below, a folder's name before a colon. A folder
// with a SKILL.md is a skill, and nothing else in it counts.
func commandsIn(dir, prefix string) []entry {
	var found []entry
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		switch name, markdown := strings.CutSuffix(f.Name(), ".md"); {
		case f.IsDir() && hasMainFile(path):
			found = append(found, entry{name: prefix + f.Name(), file: filepath.Join(path, "SKILL.md"), dir: path})
		case f.IsDir():
			found = append(found, commandsIn(path, prefix+f.Name()+":")...)
		case markdown:
			found = append(found, entry{name: prefix + name, file: path})
		}
	}
	return found
}

// find returns the entry called name: by its own name, else by the one in a skill's frontmatter.
func (c collection) find(name string) (entry, bool) {
	for _, e := range c.entries {
		if e.name == name {
			return e, true
		}
	}
	for _, e := range c.entries {
		if e.dir == "" {
			continue
		}
		plugin, _, _ := cutPlugin(e)
		if s, err := e.open(); err == nil && s.front.name != "" && plugin+s.front.name == name {
			return e, true
		}
	}
	return entry{}, false
}

// cutPlugin returns the plugin's prefix of an entry's name, colon included, and the rest.
func cutPlugin(e entry) (prefix, rest string, ok bool) {
	if e.plugin == nil {
		return "", e.name, false
	}
	before, after, ok := strings.Cut(e.name, ":")
	return before + ":", after, ok
}

// header is what Claude Code writes before the body.
func (s *Skill) header() string {
	if s.Dir == "" {
		return ""
	}
	return "Base directory for this skill: " + s.Dir + "\n\n"
}

func toolError(message string) *Failure {
	return &Failure{"<tool_use_error>" + message + "</tool_use_error>"}
}
