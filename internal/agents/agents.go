// Package agents answers: how is a headless agent started, and what does its stream say?
//
// Every agent's events are put into the words of one of them, Claude Code's stream-json, so that the
// verdict, its categories and the retries of package claude hold for all. An adapter is one file:
// a command line, and a reader of lines. It reports only what the stream says: what an agent does not
// tell stays unknown, and an exit status alone is never a success.
package agents

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/agents/visibility"
)

// An Agent is a program that answers a prompt without a person.
type Agent struct {
	Name    string // as users write it
	Package string // of npm, with the version that was tried

	// Fires says how a skill shows that it fired.
	Fires Firing

	longest int                             // bytes that a prompt may have; 0 means as many as Claude takes
	begin   []string                        // arguments of every run
	model   string                          // the option that names the model
	resume  string                          // the option that names a session; one that ends in = takes its value behind that
	last    []string                        // arguments that continue the last session; nil if there is no such option
	prompt  string                          // the option that takes the prompt; "" if it is read from stdin
	command func(r claude.Request) []string // the arguments, if they are not as above
	reader  func() claude.Reader
}

// A Firing is how an agent's stream shows that a skill fired.
type Firing string

// The ways in which skills fire.
const (
	ByTool Firing = "fired" // a tool delivered the text
	ByRead Firing = "read"  // the agent read the skill's file
)

// All are the agents that we drive beside Claude Code, in the order of their names.
func All() []*Agent { return []*Agent{codex, copilot, gemini, opencode, pi, qwen} }

// Names are the names of all, claude among them.
func Names() []string {
	names := []string{Claude}
	for _, a := range All() {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}

// Claude is the name of Claude Code, which needs no adapter.
const Claude = "claude"

// Find returns the agent of a name; nil for Claude Code.
func Find(name string) (*Agent, error) {
	if name == "" || name == Claude {
		return nil, nil
	}
	for _, a := range All() {
		if a.Name == name {
			return a, nil
		}
	}
	return nil, &claude.RequestError{Field: "agent " + strconv.Quote(name), Fault: "want one of " + strings.Join(Names(), ", ")}
}

// Program is the command that starts it.
func (a *Agent) Program() string { return a.Name }

// Version is the version of the program that was tried.
func (a *Agent) Version() string { return a.Package[strings.LastIndexByte(a.Package, '@')+1:] }

// Variable names the environment variable with the program's path, if that is not in PATH.
func (a *Agent) Variable() string { return "SKILLHAND_" + strings.ToUpper(a.Name) }

// Missing says how to get it.
func (a *Agent) Missing() string {
	return "install it: npm install -g " + a.Package + ", or set " + a.Variable()
}

// Check reports the first option of a request that the agent does not have.
func (a *Agent) Check(r claude.Request) error {
	asked := map[string]bool{
		"schema": r.Schema != nil, "max-budget-usd": r.MaxBudgetUSD > 0, "max-turns": r.MaxTurns > 0,
		"allowed-tool": len(r.AllowedTools) > 0, "continue": r.Continue && a.last == nil,
	}
	if a.longest > 0 && len(r.Prompt) > a.longest {
		fault := fmt.Sprintf("is %d bytes long, and %s takes at most %d: put the text in a file and name the file", len(r.Prompt), a.Name, a.longest)
		return &claude.RequestError{Field: "prompt", Fault: fault}
	}
	for _, option := range []string{"schema", "max-budget-usd", "max-turns", "allowed-tool", "continue"} {
		if asked[option] {
			return &claude.RequestError{Field: "--" + option, Fault: a.Name + " has no such option"}
		}
	}
	return nil
}

// CannotFire says why no skill can fire with these further arguments, and what the user may add; "" if one can.
func (a *Agent) CannotFire(args []string) string {
	for i, arg := range args {
		if arg == "--yolo" || arg == "-y" || arg == "--approval-mode=yolo" || arg == "--approval-mode" && i+1 < len(args) && args[i+1] == "yolo" {
			return ""
		}
	}
	if why := visibility.Headless(a.Name); why != "" {
		return why + "; -- --approval-mode yolo lets one fire, and lets the model run anything"
	}
	return ""
}

// Command is what to start, without the program's name, and what to give it on stdin.
func (a *Agent) Command(r claude.Request) (args []string, stdin string) {
	if a.command != nil {
		return append(a.command(r), r.Args...), r.Prompt
	}
	args = slices.Clone(a.begin)
	add := func(option, value string) {
		if strings.HasSuffix(option, "=") {
			args = append(args, option+value)
		} else {
			args = append(args, option, value)
		}
	}
	if r.Model != "" {
		add(a.model, r.Model)
	}
	if r.Resume != "" {
		add(a.resume, r.Resume)
	}
	if r.Continue {
		args = append(args, a.last...)
	}
	if a.prompt != "" {
		add(a.prompt, r.Prompt)
		return append(args, r.Args...), ""
	}
	return append(args, r.Args...), r.Prompt
}

// Reader reads one run.
func (a *Agent) Reader() claude.Reader { return a.reader() }
