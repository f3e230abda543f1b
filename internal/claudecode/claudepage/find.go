package claudepage

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/words"
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
	plugin   *find.ClaudePlugin
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
	if files.Is(name) {
		s, err := openPath(r)
		if err != nil {
			return nil, err
		}
		return s, s.refuses(r, s.Name)
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
	s, err := openEntry(e)
	if err != nil {
		return nil, err
	}
	if s.front.paths && e.Waits {
		return nil, c.unknown(r, name)
	}
	return s, s.refuses(r, name)
}

// refuses returns Claude Code's refusal to load the skill for whoever asks.
func (s *Skill) refuses(r Request, name string) error {
	switch {
	case r.Tool && s.front.noModel:
		return toolError(fmt.Sprintf("Skill %[1]s cannot be used with Skill tool due to disable-model-invocation. "+
			"Ask the user to run /%[1]s themselves — it cannot be invoked via the Skill tool. "+
			"Do not replicate this skill's workflow by other means — it is reserved for explicit user invocation.", name))
	case !r.Tool && s.front.noUser:
		return &Failure{fmt.Sprintf("This skill can only be invoked by Claude, not directly by users. "+
			"Ask Claude to use the %q skill for you.", s.Name)}
	}
	return nil
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
	if dir, _ := words.Getenv(r.Env, "CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(r.Home, ".claude")
}

func openEntry(e find.Entry) (*Skill, error) {
	s := &Skill{Name: e.Name, File: e.File, Real: e.File, Dir: e.Dir, plugin: e.Plugin}
	if e.Workflow {
		return nil, fmt.Errorf("%s: %s is a workflow, and workflows are not rendered", e.Name, e.File)
	}
	if e.Content != nil {
		return s.parse(*e.Content), nil
	}
	src, real, err := files.ReadReal(e.File)
	if err != nil {
		return nil, err
	}
	if e.Dir != "" {
		if err := inside(e.Dir, e.File, real); err != nil {
			return nil, err
		}
	}
	s.Real, s.Source = real, src
	return s.parse(decode(src)), nil
}

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
	if !files.Inside(realDir, real) {
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
	e := find.Entry{Name: strings.TrimSuffix(base, ".md"), File: path}
	if base == "SKILL.md" {
		e.Name, e.Dir = filepath.Base(dir), dir
	}
	for _, p := range r.finder().Plugins() {
		if files.Inside(p.Root, path) {
			e.Plugin = p
		}
	}
	return openEntry(e)
}

// A collection is all skills and commands in sight, the first of a name hiding the others.
type collection struct {
	entries []find.Entry
	plugins []*find.ClaudePlugin
}

// collect lists what Claude Code loads for a request.
func collect(r Request) collection {
	c := r.finder()
	plugins := c.Plugins()
	return collection{c.Entries(plugins), plugins}
}

func (r Request) finder() find.Claude {
	nameIn := func(e find.Entry) string {
		s, err := openEntry(e)
		if err != nil {
			return ""
		}
		return s.front.name
	}
	return find.Claude{Settings: r.where(), PluginRoot: r.PluginRoot, PluginData: r.PluginData, NameIn: nameIn}
}

// find returns the entry called name: by its own name, else by the one in a skill's frontmatter.
func (c collection) find(name string) (find.Entry, bool) {
	for _, e := range c.entries {
		if e.Name == name {
			return e, true
		}
	}
	for _, e := range c.entries {
		if e.Dir == "" {
			continue
		}
		plugin, _, _ := e.CutPlugin()
		if s, err := openEntry(e); err == nil && s.front.name != "" && plugin+s.front.name == name {
			return e, true
		}
	}
	return find.Entry{}, false
}

// header returns what Claude Code writes before the body.
func (s *Skill) header() string {
	if s.Dir == "" {
		return ""
	}
	return "Base directory for this skill: " + s.Dir + "\n\n"
}

func toolError(message string) *Failure {
	return &Failure{"<tool_use_error>" + message + "</tool_use_error>"}
}
