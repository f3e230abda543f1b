// Package skillhand is the hand behind an agent's skills. It has three jobs: Load
// makes the page that an agent should read, Run judges what a skill's script did,
// Ask gets a typed answer from Claude.
//
// Each job is a method of Runtime. A request is plain data, so that it can wait
// in a queue; what needs a program around it, such as a question to the user, is
// the Runtime's. The packages beneath are useful alone.
package skillhand

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/settings"
	"github.com/skillhand/skillhand/shell"
	"github.com/skillhand/skillhand/skill"
	"github.com/skillhand/skillhand/trust"
)

// A Runtime is where skills are found and run. The zero value works in the
// caller's folder and environment.
type Runtime struct {
	here.Here

	Claude   claude.Client         // how Claude is asked; its Env is the Runtime's
	Builtins map[string]shell.Func // what directives can call without starting a process
	Self     []string              // the command that runs a built-in in a process of its own: skillhand builtin

	TrustAll  bool // run commands from anywhere; also set by SKILLHAND_TRUST=all
	NoHistory bool // remember nothing of runs and asks; also set by SKILLHAND_HISTORY=off

	// Confirm is asked if commands would run from a folder that is not trusted.
	// If it says yes the folder is trusted from then on. nil means no.
	Confirm func(ctx context.Context, q trust.Question) (bool, error)

	// Warn is told what is odd but no reason to stop; nil tells nobody.
	Warn func(text string)

	Stdin  io.Reader // what scripts read; nil means no input
	Stderr io.Writer // gets a script's stderr as it comes; nil, or an error, discards the rest
}

// maxDepth bounds skills that load skills: a directive may call skillhand again.
const maxDepth = 8

// depthVariable tells a nested skillhand how deep it is.
const depthVariable = "SKILLHAND_DEPTH"

// A place is a runtime at work: every default is filled in.
type place struct {
	*Runtime
	here.Here
	depth  int // how many skillhands we are in
	policy trust.Policy
	hide   *redact.Redactor
	roots  func() realRoots
}

// realRoots are where the folders of a place really are.
type realRoots struct{ around, project, home string }

// at fills in the defaults for a request about a skill.
func (rt *Runtime) at(name string) (*place, error) {
	h, err := rt.Here.Complete()
	if err != nil {
		return nil, err
	}
	depth, _ := strconv.Atoi(h.Env.Get(depthVariable))
	if depth >= maxDepth {
		return nil, fmt.Errorf("%s: not loaded: skills load each other %d deep", name, depth)
	}
	for _, odd := range h.Env.Odd() {
		rt.warn(odd)
	}
	p := &place{Runtime: rt, Here: h, depth: depth, policy: rt.Policy(h).Now(), hide: redact.New(h.Env)}
	p.roots = sync.OnceValue(func() realRoots {
		return realRoots{here.Real(here.Around(h.Dir)), here.Real(h.Project), here.Real(h.Home)}
	})
	p.Env = h.Env.With(depthVariable, strconv.Itoa(depth+1)).With("PATH", p.path())
	if file := h.Env.Get("BASH_ENV"); file != "" && !p.lends(file) {
		p.Env = p.Env.Without("BASH_ENV") // bash would run it before anything else
	}
	return p, nil
}

// path is the PATH of what is started: without what is relative, which names
// other folders wherever one goes, and without folders that are really in a
// project that nobody trusted.
func (p *place) path() string {
	var kept []string
	for _, dir := range filepath.SplitList(p.Env.Get("PATH")) {
		if p.lends(dir) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(os.PathListSeparator))
}

// lends reports whether a path of the environment may say what runs.
func (p *place) lends(path string) bool {
	real := here.Real(path)
	return filepath.IsAbs(path) && (!p.near(real) || p.policy.May(real) == nil)
}

// near reports whether a real path lies in the project that we are in. The user's
// home is no project, nor is the whole machine.
func (p *place) near(path string) bool {
	roots := p.roots()
	in := func(root string) bool {
		return root != roots.home && root != filepath.Dir(root) && skill.Inside(root, path)
	}
	return in(roots.around) || in(roots.project)
}

// Policy is what may run at h, which must be complete.
func (rt *Runtime) Policy(h here.Here) trust.Policy {
	return trust.Policy{
		Store: trust.Store{Dir: h.TrustDir()}, Home: h.Home, Own: h.Finder().UserFolders(), More: func() []string { return installed(h.Home) },
		All: rt.TrustAll || h.Env.Get("SKILLHAND_TRUST") == "all", Confirm: rt.Confirm,
		Near: func() []string { return []string{here.Real(here.Around(h.Dir)), here.Real(h.Project)} },
	}
}

// installed lists the plugins that Claude Code installed: its own copies, which
// are in the user's home whatever the environment says.
func installed(home string) []string {
	if home == "" {
		return nil
	}
	all, _ := settings.Installed(filepath.Join(home, ".claude")) // what cannot be read lists none
	var roots []string
	for _, p := range all {
		roots = append(roots, p.Root)
	}
	return roots
}

func (rt *Runtime) warn(text string) {
	if rt.Warn != nil {
		rt.Warn(text)
	}
}
