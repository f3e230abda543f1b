package skillhand

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode/claudepage"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/trust"
)

// A ClaudeRequest names a page to render as Claude Code would. Only Skill is required.
type ClaudeRequest struct {
	Skill   string        // a skill, a command, plugin:name, or the path of a folder or file
	Args    string        // the text after the name
	Tool    bool          // the model's Skill tool invokes it, not a slash command
	Strict  bool          // fail if the folder is not trusted
	NoExec  bool          // run nothing; directives stay as written
	Mode    string        // the permission mode, such as acceptEdits; "" means the user's settings, else default
	Timeout time.Duration // for each directive; 0 means Claude Code's own limit
}

// ClaudePage renders the page exactly as Claude Code would send it. Where Claude Code would fail,
// the error is a *ClaudeFailure.
func (rt *Runtime) ClaudePage(ctx context.Context, r ClaudeRequest) (*Page, error) {
	p, err := rt.at(r.Skill)
	if err != nil {
		return nil, err
	}
	req := claudepage.Request{
		Name: r.Skill, Args: r.Args, Tool: r.Tool, Mode: r.Mode, Trusted: p.policy.All,
		Project: p.Dir, Home: p.Home, PluginRoot: p.PluginRoot, PluginData: p.Env.Get("CLAUDE_PLUGIN_DATA"),
		Session: p.Session, Effort: p.Env.Get("CLAUDE_EFFORT"), Env: p.Env, Timeout: r.Timeout,
		Clean:  p.hide.Writer,
		Claude: p.Env.Get("SKILLHAND_CLAUDE"), OutputDir: p.OutputDir(),
	}
	if req.Session == "" {
		req.Session = newSession()
	}
	s, err := claudepage.Find(req)
	if err != nil {
		return nil, p.elsewhere(err)
	}
	directives, err := s.Directives(req)
	if err != nil {
		return nil, err
	}
	page := &Page{Skill: s.Name, File: s.File, FirstUse: true, Directives: []render.Directive{}, Warnings: []string{}, warn: rt.warn}
	if loc, err := p.finder().Find(r.Skill); err == nil && files.Is(r.Skill) {
		if note := p.hiddenNote(loc); note != "" {
			page.Warnings = append(page.Warnings, note)
		}
	}
	if r.NoExec {
		req.NoRun = func(directive string) string { return directive }
	} else {
		err := p.policy.Allow(ctx, s.Real, func() (all []string) {
			for _, d := range directives {
				all = append(all, d.Command)
			}
			return all
		})
		if err == nil && s.Source != nil {
			err = p.policy.Read(s.Real, s.Source)
		}
		if err == nil {
			err = p.mayRunAll(directives)
		}
		_, ok := errors.AsType[*trust.NotTrusted](err)
		if err != nil && (!ok || r.Strict) {
			return nil, fmt.Errorf("%s:%d: %w", s.File, directives[0].Line, err)
		}
		if ok {
			page.Withheld = fmt.Sprintf("%s:%d: %v", s.File, directives[0].Line, err)
			page.Warnings = append(page.Warnings, page.Withheld)
			req.NoRun = func(string) string { return "<error>" + err.Error() + "</error>" }
		}
	}
	sent, err := s.Render(ctx, req)
	if err != nil {
		return nil, err
	}
	page.Text = p.hide.Text(sent.Text)
	for _, d := range sent.Directives {
		how := shell.Bash
		if req.NoRun != nil || d.Deferred {
			how = shell.Nowhere
		}
		page.Directives = append(page.Directives, render.Directive{
			Command:    p.hide.Text(d.Command),
			Line:       d.Line,
			How:        how,
			Exit:       d.Exit,
			DurationMS: milliseconds(d.Duration),
			Bytes:      d.Bytes,
		})
	}
	return page, nil
}

// mayRunAll asks whether the programs that a trusted page's directives run are trusted too. All
// directives run, or none: one failure fails the page.
func (e *environment) mayRunAll(directives []claudepage.Directive) error {
	if e.policy.All {
		return nil
	}
	sh := shell.Shell{Dir: e.Dir, Env: e.Env, MayRun: e.mayRun}
	for _, d := range directives {
		if err := sh.May(shell.Line{Parts: []shell.Part{{Text: d.Command}}}); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere adds a hint to the error for a skill that only skillhand finds: its path works.
func (e *environment) elsewhere(err error) error {
	unknown, ok := errors.AsType[*claudepage.UnknownError](err)
	if !ok {
		return err
	}
	finder := e.finder()
	if loc, findErr := finder.Find(unknown.Name); findErr == nil {
		return fmt.Errorf("%w\nload it by its path: %s", err, finder.Near(loc))
	}
	return err
}

// newSession returns an id like the one that Claude Code gives to each new session.
func newSession() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
