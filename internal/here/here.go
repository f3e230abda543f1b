// Package here answers one question: where are we? It alone reads folders and ids from the
// environment, and fills in defaults.
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

// A Here says where a command works. Complete fills in empty fields from the working folder and the
// environment.
type Here struct {
	Dir        string // the working folder
	Home       string // the user's home
	State      string // where skillhand keeps what it must remember
	Project    string // the project around Dir; the value of ${CLAUDE_PROJECT_DIR}
	Session    string // the agent's session, or ""
	PluginRoot string // the plugin whose skills come first, or ""
	Env        Env    // nil means the caller's

	Roots []string // folders of skills that the caller chose; they come first

	caller string // the folder that relative paths start from, if not Dir
}

// From returns a complete Here for a folder and an environment. dir "" means the working folder.
func From(dir string, env []string) (Here, error) {
	return Here{Dir: dir, Env: env}.Complete()
}

// Complete fills in empty fields. It makes the caller's paths absolute; they are relative to the
// caller's folder. Paths from the environment must be absolute, because the project could choose
// where a relative one leads.
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
	h.Roots = slices.Clone(h.Roots) // the caller's slice stays as it is
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

// At returns the same Here with another working folder, and the project around that.
func (h Here) At(dir string) (Here, error) {
	dir, err := folder(h.Dir, dir)
	if err != nil {
		return h, err
	}
	h.caller = h.Dir // relative paths are still the caller's
	h.Dir, h.Project = dir, dir
	h.Env = h.Env.With("CLAUDE_PROJECT_DIR", dir)
	return h, nil
}

// folder returns the absolute path of a folder that is relative to base.
func folder(base, dir string) (string, error) {
	abs, err := filepath.Abs(files.In(base, dir))
	if err != nil {
		return "", fmt.Errorf("the working folder is gone: %w", err)
	}
	return abs, files.CheckFolder(abs)
}

// stateDir returns the state folder that an environment names.
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

// A homeless error says that there is no home folder. It counts as missing.
type homeless string

func (e homeless) Error() string {
	return fmt.Sprintf("HOME is %q: set it to your home folder, or set SKILLHAND_STATE_DIR to an absolute path", string(e))
}

func (e homeless) Is(target error) bool { return target == fs.ErrNotExist }

// SessionDir returns the folder of marks: see package session.
func (h Here) SessionDir() string { return filepath.Join(h.State, "sessions") }

// TrustDir returns the folder with the list of trusted folders: see package trust.
func (h Here) TrustDir() string { return filepath.Join(h.State, "trust") }

// HistoryDir returns the folder of records: see package activity.
func (h Here) HistoryDir() string { return filepath.Join(h.State, "history") }

// OutputDir returns the folder for output that is too long for a page.
func (h Here) OutputDir() string { return filepath.Join(h.State, "output") }

// Sessions returns the store of seen marks.
func (h Here) Sessions() session.Store { return session.Store{Dir: h.SessionDir()} }

// Settings returns Claude Code's settings files for the project.
func (h Here) Settings() settings.Where {
	return settings.Where{Home: h.Home, Config: h.Env.Get("CLAUDE_CONFIG_DIR"), Dir: h.Project}
}

// Finder returns a finder of the skills that can be loaded here. An untrusted project does not hide
// the user's own skills.
func (h Here) Finder() find.Finder {
	policy := sync.OnceValue(func() trust.Policy { return h.Policy().Now() })
	return find.Finder{
		Dir: h.Dir, Here: h.caller, Home: h.Home, Roots: h.Roots, PluginRoot: h.PluginRoot,
		More:      h.moreRoots,
		Installed: h.plugins,
		Trusted:   func(path string) bool { return policy().May(path) == nil },
	}
}

// Tree returns the tree of files here that mean something to an agent.
func (h Here) Tree() find.Tree {
	return find.Tree{Dir: h.Dir, Home: h.Home, Config: h.Env.Get("CLAUDE_CONFIG_DIR"), Roots: h.Roots}
}

// moreRoots returns the folders of skills that the project's configuration adds.
func (h Here) moreRoots() []string {
	c, _ := h.Config() // loading a skill reports its faults
	return c.Roots
}

// Policy returns the trust policy here. It asks nobody.
func (h Here) Policy() trust.Policy {
	p := trust.Policy{
		Store: trust.Store{Dir: h.TrustDir()}, Home: h.Home, Own: h.own(),
		All:  h.Env.Get("SKILLHAND_TRUST") == "all",
		Near: func() []string { return []string{files.Real(files.Around(h.Dir)), files.Real(h.Project)} },
	}
	if h.Home != "" {
		// Claude Code's own copies are always in the user's home.
		config := filepath.Join(h.Home, ".claude")
		p.MoreIn, p.More = filepath.Join(config, "plugins"), func() []string { return copies(config) }
	}
	return p
}

// own lists the user's own folders: skills, and plugins that the user installed in Codex.
func (h Here) own() []string {
	folders := find.Finder{Home: h.Home}.UserFolders()
	if h.Home != "" {
		folders = append(folders, filepath.Join(h.Home, ".codex", "plugins", "cache"))
	}
	return folders
}

// copies lists the folders with Claude Code's copies of installed plugins.
func copies(config string) []string {
	all, _ := find.Installed(config) // an unreadable list is empty
	roots := make([]string, len(all))
	for i, p := range all {
		roots[i] = p.Root
	}
	return roots
}

// plugins lists the plugins that Claude Code would load here: those with the given names, or all.
// For a plugin that Claude Code reads from an untrusted folder, its own copy counts.
func (h Here) plugins(names ...string) []find.Plugin {
	loaded, err := find.Loaded(h.Settings(), h.Project, names...)
	if err != nil || len(loaded) == 0 {
		return nil // doctor reports what is wrong with the file
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

// An Env is an environment, in the form of os.Environ.
type Env []string

// Environ returns this process's environment.
func Environ() Env { return environ(runtime.GOOS, os.Environ()) }

// environ gives an environment the names that other systems use. On Windows the case of names does
// not matter (PATH is mostly Path), and only some shells set HOME.
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

// With returns a copy of the environment with one variable changed.
func (e Env) With(name, value string) Env {
	kept := slices.DeleteFunc(slices.Clone(e), func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	return append(kept, name+"="+value)
}

// Without returns a copy of the environment without some variables.
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

// sessionVariables are the variables that name the session, tried in order; the first valid id wins.
var sessionVariables = []string{"CLAUDE_SESSION_ID", "CLAUDE_CODE_SESSION_ID"}

// SessionVariables returns the variables that name a session.
func SessionVariables() []string { return slices.Clone(sessionVariables) }

// session returns the session that the environment names. An invalid id counts as none.
func (e Env) session() string {
	for _, name := range sessionVariables {
		if id := e.Get(name); id != "" && session.CheckID(id) == nil {
			return id
		}
	}
	return ""
}

// Odd lists what is wrong with the environment and was ignored.
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
