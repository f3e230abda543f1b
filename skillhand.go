// Package skillhand answers one question: how do a program's skills load, run and ask?. It has three jobs: Load
// makes the page that an agent should read, Run judges what a skill's script did,
// Ask gets a typed answer from Claude.
//
// Each job is a method of Runtime. A request is plain data, so that it can wait
// in a queue; what needs a program around it, such as a question to the user, is
// the Runtime's. The packages skill, report, claude, permit and check are useful
// alone; everything else is internal.
package skillhand

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/internal/trust"
)

// A Runtime is where skills are found and run. The zero value works in the
// caller's folder and environment.
type Runtime struct {
	Here

	Claude   claude.Client      // how Claude is asked; its Env is the Runtime's
	Builtins map[string]Builtin // what directives can call without starting a process
	Self     []string           // the command that runs a built-in in a process of its own: skillhand builtin

	// Programs decides which programs agents may be, if that is not the Runtime's own trust: a trial's empty HOME trusts nothing.
	Programs *Policy

	TrustAll  bool // run commands from anywhere; also set by SKILLHAND_TRUST=all
	NoHistory bool // remember nothing of runs and asks; also set by SKILLHAND_HISTORY=off

	// Confirm is asked if commands would run from a folder that is not trusted.
	// If it says yes the folder is trusted from then on. nil means no.
	Confirm func(ctx context.Context, q Question) (bool, error)

	// Warn, if not nil, gets what is odd but no reason to stop.
	Warn func(text string)

	Stdin  io.Reader // what scripts read; nil means no input
	Stderr io.Writer // gets a script's stderr as it comes; nil, or an error, discards the rest
}

// maxDepth bounds skills that load skills: a directive may call skillhand again.
const maxDepth = 8

// depthVariable tells a nested skillhand how deep it is.
const depthVariable = "SKILLHAND_DEPTH"

// An environment is a runtime at work: every default is filled in.
type environment struct {
	here.Here // complete; its environment is what directives and scripts get
	rt        *Runtime
	depth     int // how many skillhands we are in
	policy    trust.Policy
	hide      *redact.Redactor
}

// at fills in the defaults for a request about a skill.
func (rt *Runtime) at(name string) (*environment, error) {
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
	p := &environment{rt: rt, Here: h, depth: depth, policy: rt.Policy(h).Now(), hide: redact.New(h.Env)}
	p.Env = p.policy.Env(h.Env.With(depthVariable, strconv.Itoa(depth+1)))
	return p, nil
}

// Policy returns what may run at h, which must be complete.
func (rt *Runtime) Policy(h Here) Policy {
	p := h.Policy()
	p.All, p.Confirm = p.All || rt.TrustAll, rt.Confirm
	return p
}

// SafeEnv returns an environment for programs that are started from the working folder,
// and FindProgram looks one of them up: see Policy. Both are for what does not
// go through a Runtime.
func SafeEnv(env []string) []string { return policyHere(env).Env(env) }

// FindProgram returns the path of a program in the environment's PATH.
func FindProgram(name string, env []string) (string, error) {
	return policyHere(env).Find(name, "", env)
}

// policyHere returns what may run in the working folder. Without a state folder nothing is trusted.
func policyHere(env []string) trust.Policy {
	h, err := here.From("", env)
	if err != nil {
		h, err = here.Here{Env: env, State: os.DevNull}.Complete()
	}
	if err != nil {
		return trust.Policy{} // the working folder is gone, and provides nothing
	}
	return (&Runtime{}).Policy(h).Now()
}

// Finder finds the skills that can be loaded here.
func (rt *Runtime) Finder() Finder {
	f := rt.Here.Finder()
	if rt.TrustAll {
		f.Trusted = func(string) bool { return true }
	}
	return f
}

// config returns what the project's configuration says. A file that cannot be read says nothing, with a warning.
func (e *environment) config() here.Config {
	c, err := e.Here.Config()
	if err != nil {
		e.rt.warn(err.Error())
	}
	return c
}

// finder finds skills by the policy that holds at the place.
func (e *environment) finder() find.Finder {
	f := e.Here.Finder()
	f.Trusted = func(path string) bool { return e.policy.May(path) == nil }
	return f
}

func (rt *Runtime) warn(text string) {
	if rt.Warn != nil {
		rt.Warn(text)
	}
}
