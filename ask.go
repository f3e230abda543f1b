package skillhand

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/trust"
)

// An AskRequest is a question for Claude or another agent. If it names a skill, the skill's page
// comes before the prompt.
type AskRequest struct {
	claude.Request

	Agent string // the agent to ask: claude, codex, opencode, copilot, qwen, gemini or pi; "" means Claude

	Skill     string // its page goes before the prompt, which may then be empty
	SkillArgs Args
	Strict    bool   // ask nothing if a directive of the skill failed
	Label     string // its name in the history
	Job       Job    // the batch job that asks, if any
}

// Ask asks Claude or another agent; see claude.Client.Ask. The client's timeout includes the time
// it takes to render the skill's page. A trusted skill chooses the model and the tools, unless the
// request does. Other agents ignore both, because the names are Claude Code's. The reply, errors
// and events contain no secrets from the environment.
func (rt *Runtime) Ask(ctx context.Context, req AskRequest) (*claude.Reply, error) {
	p, err := rt.at(req.Skill)
	if err != nil {
		return nil, err
	}
	client := rt.Claude
	if client.Timeout == 0 {
		client.Timeout = claude.DefaultTimeout
	}
	other, err := Agent(req.Agent)
	if err != nil {
		return nil, err
	}
	if other != nil {
		client.Dialect = other
	}
	req.Dir = files.In(p.Dir, req.Dir)
	if err := p.program(&client, req.Dir); err != nil {
		return nil, err
	}
	if req.Skill != "" {
		began := time.Now()
		if err := p.pageBefore(ctx, &client, &req); err != nil {
			return p.notAsked(ctx, req, time.Since(began), err)
		}
		client.Timeout = max(client.Timeout-time.Since(began), 1)
	}
	p.useConfig(&req)
	client.OnEvent, client.OnRetry = hiding(p.hide, client.OnEvent), hiding(p.hide, client.OnRetry)
	reply, err := client.Ask(ctx, req.Request)
	if e, ok := errors.AsType[*claude.Error](err); ok {
		e.Message = p.hide.Text(e.Message)
	}
	if reply == nil {
		return nil, err
	}
	hideInReply(p.hide, reply)
	p.rememberAsk(req, reply, err)
	return reply, err
}

// program finds the CLI that a client starts in a folder. A path from the caller is used as it is.
// A path from the environment must not lead into an untrusted project: neither the folder's nor
// the one around the working folder.
func (e *environment) program(client *claude.Client, dir string) error {
	env := here.Env(client.Env)
	if env == nil {
		env = e.rt.Env // Claude is not a directive, so it does not count as a nested load
	}
	if env == nil {
		env = here.Environ()
	}
	policy, near := e.policy, slices.Concat(e.policy.Near(), []string{files.Real(files.Around(dir))})
	if e.rt.Programs != nil {
		policy = *e.rt.Programs
	}
	if cwd, err := os.Getwd(); err == nil {
		near = append(near, files.Real(files.Around(cwd))) // a job's folder may be another
	}
	policy.Near = func() []string { return near }
	client.Env = policy.Env(env)
	if d, ok := client.Dialect.(dialect); ok {
		client.Env = d.Env(client.Env)
	}
	name := cmp.Or(client.Path, env.Get("SKILLHAND_CLAUDE"), "claude")
	if d := client.Dialect; d != nil {
		name = cmp.Or(client.Path, env.Get(d.Variable()), d.Program())
	}
	if client.Path != "" && filepath.Base(name) != name {
		return nil
	}
	path, err := policy.Find(name, "", env) // a relative path is relative to the caller's folder, not to req.Cwd
	if _, refused := errors.AsType[*trust.NotTrusted](err); refused {
		return &claude.StartError{Err: fmt.Errorf("%s: %w", name, err)}
	}
	if err == nil {
		client.Path = path
	}
	return nil // the client reports that it is missing
}

// useConfig sets the model and the budget from the project's configuration, unless the request or
// the skill has set them.
func (e *environment) useConfig(req *AskRequest) {
	c := e.config()
	if keys := slices.DeleteFunc(c.Ignored, func(key string) bool { return key != "model" && key != "budget" }); len(keys) > 0 {
		e.rt.warn(fmt.Sprintf("%s: %s: not used, since the project is not trusted (skillhand trust)", c.File, strings.Join(keys, ", ")))
	}
	if req.Model == "" {
		req.Model = c.Model
	}
	if req.MaxBudgetUSD == 0 {
		req.MaxBudgetUSD = c.BudgetUSD
	}
}

// notAsked returns the reply to a request whose skill gave no page.
func (e *environment) notAsked(ctx context.Context, req AskRequest, took time.Duration, err error) (*claude.Reply, error) {
	reply := &claude.Reply{Duration: took, Exit: -1}
	_, failed := errors.AsType[*claude.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		message := "the skill " + req.Skill + " took all the time there was"
		return reply, &claude.Error{Category: claude.Timeout, Kind: claude.Deadline, Message: message, Err: err}
	case ctx.Err() != nil:
		return reply, &claude.Error{Category: claude.Logic, Kind: claude.Interrupted, Err: err}
	case failed:
		return reply, err
	}
	return nil, err
}

// pageBefore puts the skill's page before the prompt, and the skill's model and tools into the
// request.
func (e *environment) pageBefore(ctx context.Context, client *claude.Client, req *AskRequest) error {
	// Report a malformed request before any of the skill's commands run.
	check := req.Request
	if strings.TrimSpace(check.Prompt) == "" {
		check.Prompt = req.Skill // its page becomes the prompt
	}
	if err := client.Check(check); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, client.Timeout)
	defer cancel()
	load := &load{req: LoadRequest{Skill: req.Skill, Args: req.SkillArgs, Strict: req.Strict}, at: e, noUse: true}
	page, err := load.page(ctx)
	if err != nil && ctx.Err() == nil && page != nil && len(page.Failed()) > 0 {
		return &claude.Error{Category: claude.Logic, Kind: claude.DirectiveFailed, Message: e.hide.Text(err.Error()), Err: err}
	}
	if err != nil {
		return err
	}
	for _, w := range append(page.Warnings, page.Failed()...) {
		e.rt.warn(w)
	}
	if client.Dialect == nil && e.policy.May(page.source.Real) == nil {
		if err := useFront(page, req); err != nil {
			return err
		}
	}
	if strings.TrimSpace(req.Prompt) == "" {
		req.Prompt = page.Text
		return nil
	}
	req.Prompt = strings.TrimRight(page.Text, "\n") + "\n\n" + req.Prompt
	return nil
}

// useFront sets the model and the tools from a skill's frontmatter, unless the request has set them.
func useFront(page *Page, req *AskRequest) error {
	front, _, err := page.loc.Front()
	if err != nil {
		return err
	}
	if req.Model == "" && front.Model != "inherit" {
		req.Model = front.Model
	}
	if len(req.AllowedTools) > 0 {
		return nil
	}
	for _, tool := range front.AllowedTools {
		for name, value := range page.vars {
			tool = strings.ReplaceAll(tool, "${"+name+"}", value)
		}
		req.AllowedTools = append(req.AllowedTools, tool)
	}
	return nil
}
