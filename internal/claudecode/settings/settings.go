// Package settings answers one question: what do Claude Code's settings files say here?
//
// It reads them as Claude Code 2.1.325 was seen to: which files there are, in which order they
// count, and which of them it passes over because of a fault. Set changes one key of such a file
// and leaves every other byte alone. Installed lists the plugins that Claude Code installed.
package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/skillhand/skillhand/internal/files"
)

// Where is where Claude Code runs and where it keeps what is the user's. A field that is empty
// stands for no such files.
type Where struct {
	Home   string // the user's home folder
	Config string // what $CLAUDE_CONFIG_DIR says; "" means .claude in Home
	Dir    string // the folder in which Claude Code is started
	System string // the folder of the administrator's files; "" means this system's
}

// ConfigDir returns the folder of the user's own settings, skills and plugins, or "".
func (w Where) ConfigDir() string {
	switch {
	case w.Config != "":
		return w.Config
	case w.Home != "":
		return filepath.Join(w.Home, ".claude")
	}
	return ""
}

// A Source says whose a settings file is.
type Source string

// The sources, each before those that override it.
const (
	User    Source = "user"
	Project Source = "project" // shared with everybody who has the project
	Local   Source = "local"   // the user's own, in the project
	Managed Source = "managed" // the administrator's
)

// A Path is a file that Claude Code looks for.
type Path struct {
	Source Source
	Name   string
}

// Paths lists the settings files that Claude Code looks for, each before those that override it.
// A project's shared settings are those of the folder in which it is started, and only those; of
// the local ones it also reads those at the top of the repository.
func (w Where) Paths() []Path {
	var all []Path
	add := func(s Source, elem ...string) {
		if p := (Path{s, filepath.Join(elem...)}); elem[0] != "" && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	add(User, w.ConfigDir(), "settings.json")
	add(Project, w.Dir, ".claude", "settings.json")
	add(Local, w.Dir, ".claude", "settings.local.json")
	if w.Dir != "" {
		add(Local, files.Top(w.Dir), ".claude", "settings.local.json")
	}
	system := cmp.Or(w.System, systemDir())
	add(Managed, system, "managed-settings.json")
	for _, name := range files.Glob(system, "managed-settings.d/*.json") { // sorted by name
		add(Managed, name)
	}
	return all
}

// File returns the file in which a source keeps its own settings, or "".
func (w Where) File(s Source) string {
	for _, p := range w.Paths() {
		if p.Source == s {
			return p.Name
		}
	}
	return ""
}

// systemDir returns where Claude Code's documentation has the administrator's settings.
func systemDir() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// Settings is what all files say together.
type Settings struct {
	Files  []*File // those that count, each before those that override it
	Faults []error // files that Claude Code passes over as a whole, with the reason

	// Trusted says that the user told Claude Code to trust the folder. Until then it passes over
	// the allow rules of the project's shared settings.
	Trusted bool
}

// Read reads the files that Claude Code would read. A file that is missing says nothing.
func Read(w Where) *Settings {
	s := &Settings{Trusted: trusted(w)}
	for _, p := range w.Paths() {
		src, err := readFile(p.Name)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
			continue
		}
		if err != nil {
			s.Faults = append(s.Faults, fmt.Errorf("%s: %w", p.Name, files.Cause(err)))
			continue
		}
		f, err := Parse(p.Name, src)
		if err != nil {
			s.Faults = append(s.Faults, err)
			continue
		}
		f.Source = p.Source
		s.Files = append(s.Files, f)
	}
	return s
}

// trusted reads whether the user said that the folder can be.
func trusted(w Where) bool {
	var state struct {
		Projects map[string]struct {
			Accepted bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	return readState(w, &state) && state.Projects[filepath.ToSlash(w.Dir)].Accepted
}

// readState reads what Claude Code keeps for itself, and reports whether it could be read.
func readState(w Where, to any) bool {
	file := filepath.Join(w.Config, ".claude.json")
	if w.Config == "" {
		file = filepath.Join(w.Home, ".claude.json")
	}
	src, err := readFile(file)
	return err == nil && filepath.IsAbs(file) && json.Unmarshal(src, to) == nil
}

// ReadJSON reads a file of Claude Code's into v. One that is missing leaves v as it is.
func ReadJSON(file string, v any) error {
	src, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDir) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, files.Cause(err))
	}
	if err := json.Unmarshal(src, v); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// readFile reads a regular file. A pipe in its place, which a project may bring,
// would wait for a writer.
func readFile(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, errors.New("not a regular file")
	}
	return os.ReadFile(name)
}

// Env returns the variables that the files define for commands. If sources are given, the files of
// others do not count.
func (s *Settings) Env(sources ...Source) map[string]string {
	env := map[string]string{}
	for _, f := range s.Files {
		if len(sources) == 0 || slices.Contains(sources, f.Source) {
			maps.Copy(env, f.Env)
		}
	}
	return env
}

// NoSkillShell reports whether commands in skills are switched off.
func (s *Settings) NoSkillShell() bool {
	off := false
	for _, f := range s.Files {
		if f.NoSkillShell != nil {
			off = *f.NoSkillShell
		}
	}
	return off
}

// Rules returns the permission rules of all files: Claude Code adds them up.
func (s *Settings) Rules() []Rule {
	var rules []Rule
	for _, f := range s.Files {
		for _, r := range f.Rules {
			r.File, r.Source = f.Name, f.Source
			r.Ignored = r.Kind == Allow && f.Source == Project && !s.Trusted
			rules = append(rules, r)
		}
	}
	return rules
}

// Plugin reports whether a plugin, called name@marketplace, is enabled, and which file decides
// that; nil means that none does.
func (s *Settings) Plugin(id string) (enabled bool, by *File) {
	for _, f := range s.Files {
		if on, ok := f.Plugins[id]; ok {
			enabled, by = on, f
		}
	}
	return enabled, by
}

// Plugins returns the plugins that the files speak of, by name.
func (s *Settings) Plugins() []string {
	all := map[string]bool{}
	for _, f := range s.Files {
		maps.Copy(all, f.Plugins)
	}
	return slices.Sorted(maps.Keys(all))
}

// A Found is a key's value, and where it stands.
type Found struct {
	File   string
	Source Source
	Line   int
	Value  json.RawMessage
}

// In returns the value that a file has for a key, or nil.
func (s *Settings) In(file, key string) *Found {
	for _, f := range s.Files {
		if v, ok := f.values[key]; ok && f.Name == file {
			return &Found{f.Name, f.Source, v.line, v.raw}
		}
	}
	return nil
}

// Find returns the value of a key that counts, or nil.
func (s *Settings) Find(key string) *Found {
	for _, f := range slices.Backward(s.Files) {
		if v, ok := f.values[key]; ok {
			return &Found{f.Name, f.Source, v.line, v.raw}
		}
	}
	return nil
}
