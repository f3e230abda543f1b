package skillhand

import (
	"errors"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/agents"
)

// Agent returns how a claude.Client drives the agent of a name, such as codex; nil for Claude Code itself,
// which is "claude" or "". The error of an unknown name is a *claude.RequestError.
func Agent(name string) (claude.Dialect, error) {
	a, err := agents.Find(name)
	if a == nil {
		return nil, requestError(err)
	}
	return dialect{a}, nil
}

// A dialect drives an agent as its row in the table of agents says.
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

// requestError returns the error of an agent in the words of package claude.
func requestError(err error) error {
	if e, ok := errors.AsType[*agents.OptionError](err); ok {
		return &claude.RequestError{Field: e.Field, Fault: e.Fault}
	}
	return err
}
