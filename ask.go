package skillhand

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/render"
)

// An AskRequest is a question for Claude, with a skill before it if one is named.
type AskRequest struct {
	claude.Request

	Skill      string // its page goes before the prompt, which may then be empty
	Args       render.Args
	PluginRoot string // the plugin whose skills come first, and whose commands may run

	// Ask is called if commands of the skill would run from a folder that is not
	// trusted. If it says yes the folder is trusted from then on. nil means no.
	Ask func(dir string, commands []string) (bool, error)

	// Warn is called for what is wrong with the skill or the history; nil means nobody cares.
	Warn func(text string)
}

// Ask asks Claude through a client; see claude.Client.Ask. The client's timeout
// also bounds the making of the skill's page. Secrets of the environment are
// neither in the reply, nor in an error, nor in events.
func (rt *Runtime) Ask(ctx context.Context, client claude.Client, req AskRequest) (*claude.Reply, error) {
	if client.Env == nil {
		client.Env = rt.Env
	}
	if client.Env == nil {
		client.Env = os.Environ()
	}
	if req.Warn == nil {
		req.Warn = func(string) {}
	}
	if client.Timeout == 0 {
		client.Timeout = claude.DefaultTimeout
	}
	req.Dir = in(rt.Dir, req.Dir)
	if req.Skill != "" {
		// What is wrong with the request is said before the skill's commands run.
		check := req.Request
		if strings.TrimSpace(check.Prompt) == "" {
			check.Prompt = req.Skill // its page will be the prompt
		}
		if err := client.Check(check); err != nil {
			return nil, err
		}
		began := time.Now()
		page, err := rt.pageBefore(ctx, client.Timeout, req)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return &claude.Reply{Duration: time.Since(began)}, &claude.Error{Category: claude.Timeout, Kind: claude.Deadline, Message: "the skill " + req.Skill + " took all the time there was", Err: err}
		case err != nil && ctx.Err() != nil:
			return &claude.Reply{Duration: time.Since(began)}, &claude.Error{Category: claude.Logic, Kind: claude.Interrupted, Err: err}
		case err != nil:
			return nil, err
		}
		req.Prompt = page
		client.Timeout = max(client.Timeout-time.Since(began), 1)
	}
	hide := redact.New(client.Env)
	req.OnEvent, req.OnRetry = hiding(hide, req.OnEvent), hiding(hide, req.OnRetry)
	reply, err := client.Ask(ctx, req.Request)
	if e, ok := errors.AsType[*claude.Error](err); ok {
		e.Message = hide.Text(e.Message)
	}
	if reply == nil {
		return nil, err
	}
	redactReply(hide, reply)
	rt.rememberAsk(client.Env, req, reply, err)
	return reply, err
}

// hiding is a listener that hears no secrets.
func hiding(hide *redact.Redactor, listener func(claude.Event)) func(claude.Event) {
	if listener == nil {
		return nil
	}
	return func(e claude.Event) {
		e.Text, e.Input = hide.Text(e.Text), hideIn(hide, e.Input)
		listener(e)
	}
}

// pageBefore is the prompt with the skill's page before it.
func (rt *Runtime) pageBefore(ctx context.Context, timeout time.Duration, req AskRequest) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	page, err := rt.Load(ctx, LoadRequest{Skill: req.Skill, Args: req.Args, PluginRoot: req.PluginRoot, Ask: req.Ask})
	if err != nil {
		return "", err
	}
	for _, w := range page.Warnings {
		req.Warn(w)
	}
	if strings.TrimSpace(req.Prompt) == "" {
		return page.Text, nil
	}
	return strings.TrimRight(page.Text, "\n") + "\n\n" + req.Prompt, nil
}

func redactReply(hide *redact.Redactor, r *claude.Reply) {
	r.Output = hide.Text(r.Output)
	r.JSON, r.Denials, r.Usage = hideIn(hide, r.JSON), hideIn(hide, r.Denials), hideIn(hide, r.Usage)
	for i := range r.Attempts {
		r.Attempts[i].Error = hide.Text(r.Attempts[i].Error)
	}
}

// hideIn takes secrets out of a document, which otherwise stays as it was written.
func hideIn(hide *redact.Redactor, doc json.RawMessage) json.RawMessage {
	if clean := redactJSON(hide, doc); !bytes.Equal(clean, redactJSON(&redact.Redactor{}, doc)) {
		return clean
	}
	return doc
}
