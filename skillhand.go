// Package skillhand answers one question: how does a program load skills, run them and ask Claude?
// Load renders the page that an agent should read, Run judges what a skill's script did, and Ask
// gets a typed answer from Claude.
//
// Each job is a method of Runtime. A request is plain data, so it can wait in a queue. Whatever
// needs a running program, such as a question to the user, is a field of Runtime. The packages
// skill, report, claude, permit and check are useful alone. Everything else is internal.
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

// A Runtime finds and runs skills. The zero value works in the caller's folder and environment.
type Runtime struct {
	Here

	Claude   claude.Client      // asks Claude; its Env is replaced by the Runtime's
	Builtins map[string]Builtin // functions that directives can call without starting a process
	Self     []string           // the command that runs a built-in in its own process, such as skillhand builtin

	// Programs decides which agent programs may start; nil uses the Runtime's own trust. A trial needs
	// it, because its empty HOME trusts nothing.
	Programs *Policy

	TrustAll  bool // run commands from anywhere; also set by SKILLHAND_TRUST=all
	NoHistory bool // keep no history of runs and asks; also set by SKILLHAND_HISTORY=off

	// Confirm asks the user whether commands from an untrusted folder may run. After a yes the
	// folder is trusted. nil means no.
	Confirm func(ctx context.Context, q Question) (bool, error)

	// Warn, if not nil, gets warnings.
	Warn func(text string)

	Stdin  io.Reader // what scripts read; nil means no input
	Stderr io.Writer // gets a script's stderr as it comes; nil discards it, and so does a write error from then on
}

// maxDepth limits nesting: a directive may call skillhand, which loads another skill.
const maxDepth = 8

// depthVariable tells a nested skillhand its depth.
const depthVariable = "SKILLHAND_DEPTH"

// An environment is a Runtime with every default filled in.
type environment struct {
	here.Here // complete; directives and scripts get its Env
	rt        *Runtime
	depth     int // how many skillhands are around this one
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

// Policy returns the trust policy at h, which must be complete.
func (rt *Runtime) Policy(h Here) Policy {
	p := h.Policy()
	p.All, p.Confirm = p.All || rt.TrustAll, rt.Confirm
	return p
}

// SafeEnv returns an environment for programs that are started from the working folder without a
// Runtime; see Policy.
func SafeEnv(env []string) []string { return policyHere(env).Env(env) }

// FindProgram returns the path of a program in the environment's PATH; see Policy.
func FindProgram(name string, env []string) (string, error) {
	return policyHere(env).Find(name, "", env)
}

// policyHere returns the trust policy of the working folder. Without a state folder, it trusts
// nothing.
func policyHere(env []string) trust.Policy {
	h, err := here.From("", env)
	if err != nil {
		h, err = here.Here{Env: env, State: os.DevNull}.Complete()
	}
	if err != nil {
		return trust.Policy{} // the working folder is gone
	}
	return (&Runtime{}).Policy(h).Now()
}

// Finder returns a finder of the skills that can be loaded here.
func (rt *Runtime) Finder() Finder {
	f := rt.Here.Finder()
	if rt.TrustAll {
		f.Trusted = func(string) bool { return true }
	}
	return f
}

// config returns the project's configuration. If the file cannot be read, config warns.
func (e *environment) config() here.Config {
	c, err := e.Here.Config()
	if err != nil {
		e.rt.warn(err.Error())
	}
	return c
}

// finder returns a finder with the environment's policy.
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
