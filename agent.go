package skillhand

import (
	"errors"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/agents"
)

// Agent returns what a claude.Client needs to drive the named agent, such as codex. It returns nil
// for Claude Code, which is "claude" or "". For an unknown name the error is a
// *claude.RequestError.
func Agent(name string) (claude.Dialect, error) {
	a, err := agents.Find(name)
	if a == nil {
		return nil, requestError(err)
	}
	return dialect{a}, nil
}

// A dialect drives an agent as described by its row in the table of agents.
type dialect struct{ *agents.Agent }

func (d dialect) Check(r claude.Request) error { return requestError(d.Agent.Check(question(r))) }

func (d dialect) Command(r claude.Request) (args []string, stdin string) {
	return d.Agent.Command(question(r))
}

func (d dialect) Reader(r claude.Request) claude.Reader { return d.Agent.Reader(question(r)) }

func question(r claude.Request) agents.Question {
	return agents.Question{
		Prompt: r.Prompt, Model: r.Model, Resume: r.Resume, Continue: r.Continue, Args: r.Args,
		MaxUSD: r.MaxBudgetUSD, Schema: r.Schema != nil, Turns: r.MaxTurns > 0, Tools: len(r.AllowedTools) > 0,
	}
}

// requestError converts an agent's error into one of package claude.
func requestError(err error) error {
	if e, ok := errors.AsType[*agents.OptionError](err); ok {
		return &claude.RequestError{Field: e.Field, Fault: e.Fault}
	}
	return err
}
