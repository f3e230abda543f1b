// Package here answers one question: where are we? It is the one place that
// reads the environment for folders and ids, and that fills in defaults.
package here

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/internal/words"
)

// A Here is the place that a command works in. Fields that are empty are filled
// in by Complete, from the working folder and the environment.
type Here struct {
	Dir        string // the working folder
	Home       string // the user's home
	State      string // where skillhand keeps what it must remember
	Project    string // the project around Dir: what ${CLAUDE_PROJECT_DIR} stands for
	Session    string // the agent's session, or ""
	PluginRoot string // the plugin whose skills come first, or ""
	Env        Env    // nil means the caller's

	Roots []string // folders of skills that the caller chose: looked into first

	caller string // where relative paths start, if that is not Dir
}

// From returns the place that a folder and an environment describe, completed. dir ""
// means the working folder.
func From(dir string, env []string) (Here, error) {
	return Here{Dir: dir, Env: env}.Complete()
}

// Complete fills in what is empty. A path that was given is made absolute: it is
// relative to the caller's folder. One that the environment names must be absolute
// already, for a relative one would be the project's to choose.
func (h Here) Complete() (Here, error) {
	if h.Env == nil {
		h.Env = Environ()
	}
	var err error
	if h.Dir, err = folder("", h.Dir); err != nil {
		return h, err
	}
	if h.PluginRoot == "" {
		h.PluginRoot = h.Env.Get("CLAUDE_PLUGIN_ROOT")
	}
	if h.PluginRoot != "" {
		if h.PluginRoot, err = folder(h.Dir, h.PluginRoot); err != nil {
			return h, fmt.Errorf("the plugin root: %w", err)
		}
	}
	h.Roots = slices.Clone(h.Roots) // they are the caller's
	for i, root := range h.Roots {
		if h.Roots[i], err = folder(h.Dir, root); err != nil {
			return h, fmt.Errorf("a folder of skills: %w", err)
		}
	}
	if h.Home == "" {
		h.Home = h.Env.path("HOME")
	}
	if h.State == "" {
		if h.State, err = stateDir(h.Env, h.Home); err != nil {
			return h, err
		}
	}
	if h.State, err = filepath.Abs(h.State); err != nil {
		return h, err
	}
	if h.Session == "" {
		h.Session = h.Env.session()
	}
	if h.Project == "" {
		h.Project = h.Env.path("CLAUDE_PROJECT_DIR")
	}
	if h.Project == "" {
		h.Project = files.Around(h.Dir)
	}
	return h, nil
}

// At returns the same place with another working folder, and the project around that.
func (h Here) At(dir string) (Here, error) {
	dir, err := folder(h.Dir, dir)
	if err != nil {
		return h, err
	}
	h.caller = h.Dir // a relative path is the caller's, whatever the project
	h.Dir, h.Project = dir, dir
	h.Env = h.Env.With("CLAUDE_PROJECT_DIR", dir)
	return h, nil
}

// folder returns the absolute path of a folder that was named in base.
func folder(base, dir string) (string, error) {
	abs, err := filepath.Abs(files.In(base, dir))
	if err != nil {
		return "", fmt.Errorf("the working folder is gone: %w", err)
	}
	return abs, files.CheckFolder(abs)
}

// stateDir returns where an environment says that skillhand keeps its state.
func stateDir(env Env, home string) (string, error) {
	if dir := env.Get("SKILLHAND_STATE_DIR"); filepath.IsAbs(dir) {
		return dir, nil
	} else if dir != "" {
		return "", fmt.Errorf("SKILLHAND_STATE_DIR is %s: want an absolute path", dir)
	}
	if dir := env.path("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "skillhand"), nil
	}
	if home != "" {
		return filepath.Join(home, ".local", "state", "skillhand"), nil
	}
	return "", homeless(env.Get("HOME"))
}

// A homeless error says that there is no home folder: what is needed is missing.
type homeless string

func (e homeless) Error() string {
	return fmt.Sprintf("HOME is %q: set it to your home folder, or set SKILLHAND_STATE_DIR to an absolute path", string(e))
}

func (e homeless) Is(target error) bool { return target == fs.ErrNotExist }

// SessionDir returns the folder of marks: see package session.
func (h Here) SessionDir() string { return filepath.Join(h.State, "sessions") }

// TrustDir returns the folder that says which folders are trusted: see package trust.
func (h Here) TrustDir() string { return filepath.Join(h.State, "trust") }

// HistoryDir returns the folder of records: see package history.
func (h Here) HistoryDir() string { return filepath.Join(h.State, "history") }

// OutputDir returns the folder of output that is too long for a page.
func (h Here) OutputDir() string { return filepath.Join(h.State, "output") }

// Sessions returns the marks of what agents have seen.
func (h Here) Sessions() session.Store { return session.Store{Dir: h.SessionDir()} }

// Settings returns Claude Code's settings files for the project.
func (h Here) Settings() settings.Where {
	return settings.Where{Home: h.Home, Config: h.Env.Get("CLAUDE_CONFIG_DIR"), Dir: h.Project}
}

// Finder finds the skills that can be loaded here. A project that is not trusted hides none of the user's own.
func (h Here) Finder() find.Finder {
	policy := sync.OnceValue(func() trust.Policy { return h.Policy().Now() })
	return find.Finder{
		Dir: h.Dir, Here: h.caller, Home: h.Home, Roots: h.Roots, PluginRoot: h.PluginRoot,
		More:      h.moreRoots,
		Installed: h.plugins,
		Trusted:   func(path string) bool { return policy().May(path) == nil },
	}
}

// Tree walks the files here that mean something to an agent.
func (h Here) Tree() find.Tree {
	return find.Tree{Dir: h.Dir, Home: h.Home, Config: h.Env.Get("CLAUDE_CONFIG_DIR"), Roots: h.Roots}
}

// moreRoots returns the folders of skills that the project's configuration adds.
func (h Here) moreRoots() []string {
	c, _ := h.Config() // whoever loads a skill says what is wrong with it
	return c.Roots
}

// Policy says what may run here. It asks nobody.
func (h Here) Policy() trust.Policy {
	p := trust.Policy{
		Store: trust.Store{Dir: h.TrustDir()}, Home: h.Home, Own: h.own(),
		All:  h.Env.Get("SKILLHAND_TRUST") == "all",
		Near: func() []string { return []string{files.Real(files.Around(h.Dir)), files.Real(h.Project)} },
	}
	if h.Home != "" {
		// Claude Code's own copies are in the user's home, whatever the environment says.
		config := filepath.Join(h.Home, ".claude")
		p.MoreIn, p.More = filepath.Join(config, "plugins"), func() []string { return copies(config) }
	}
	return p
}

// own lists the folders of the user's own: skills, and the plugins that Codex installed when they said so.
func (h Here) own() []string {
	folders := find.Finder{Home: h.Home}.UserFolders()
	if h.Home != "" {
		folders = append(folders, filepath.Join(h.Home, ".codex", "plugins", "cache"))
	}
	return folders
}

// copies lists where Claude Code keeps its copies of the plugins that it installed.
func copies(config string) []string {
	all, _ := find.Installed(config) // what cannot be read lists none
	roots := make([]string, len(all))
	for i, p := range all {
		roots[i] = p.Root
	}
	return roots
}

// plugins lists the plugins that Claude Code would load here, those of these names or all. If it reads one from a folder of somebody's that is not
// trusted, the copy that it made counts.
func (h Here) plugins(names ...string) []find.Plugin {
	loaded, err := find.Loaded(h.Settings(), h.Project, names...)
	if err != nil || len(loaded) == 0 {
		return nil // doctor says what is wrong with the file
	}
	policy := h.Policy().Now()
	var all []find.Plugin
	for _, p := range loaded {
		root := p.From
		if root != p.Root && policy.May(root) != nil {
			root = p.Root
		}
		name, _, _ := strings.Cut(p.ID, "@")
		all = append(all, find.Plugin{Root: root, Name: name})
	}
	return all
}

// An Env is an environment, as os.Environ gives it.
type Env []string

// Environ returns this process's environment.
func Environ() Env { return environ(runtime.GOOS, os.Environ()) }

// environ gives an environment the names that it has on other systems. On Windows names have no case (PATH is
// mostly written Path there), and only some shells set HOME.
func environ(system string, env Env) Env {
	if system != "windows" {
		return env
	}
	env = slices.Clone(env)
	for i, kv := range env {
		if name, value, set := strings.Cut(kv, "="); set && strings.EqualFold(name, "PATH") {
			env[i] = "PATH=" + value
		}
	}
	if profile := env.Get("USERPROFILE"); profile != "" && env.Get("HOME") == "" {
		env = env.With("HOME", profile)
	}
	return env
}

// Get returns a variable's value, or "".
func (e Env) Get(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// Lookup returns a variable's value and whether it is set. The last one counts, as in os/exec.
func (e Env) Lookup(name string) (value string, set bool) {
	return words.Getenv(e, name)
}

// With returns the environment with one variable changed.
func (e Env) With(name, value string) Env {
	kept := slices.DeleteFunc(slices.Clone(e), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	return append(kept, name+"="+value)
}

// Without returns the environment without some variables.
func (e Env) Without(names ...string) Env {
	return slices.DeleteFunc(slices.Clone(e), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(names, name)
	})
}

// path returns the value of a variable that names a folder.
func (e Env) path(name string) string {
	if dir := e.Get(name); filepath.IsAbs(dir) {
		return dir
	}
	return ""
}

// sessionVariables name the session, the first that is good counts.
var sessionVariables = []string{"CLAUDE_SESSION_ID", "CLAUDE_CODE_SESSION_ID"}

// SessionVariables returns the variables that name a session.
func SessionVariables() []string { return slices.Clone(sessionVariables) }

// session returns the session that the environment names. A bad id counts as none.
func (e Env) session() string {
	for _, name := range sessionVariables {
		if id := e.Get(name); id != "" && session.CheckID(id) == nil {
			return id
		}
	}
	return ""
}

// Odd lists what is wrong with the environment and was passed over.
func (e Env) Odd() []string {
	var odd []string
	for _, name := range sessionVariables {
		if id := e.Get(name); id != "" {
			if err := session.CheckID(id); err != nil {
				odd = append(odd, fmt.Sprintf("%s is not used: %v", name, err))
			}
		}
	}
	return odd
}
