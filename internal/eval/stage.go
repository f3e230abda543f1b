package eval

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/gate"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/proc"
)

// request returns the request to the CLI in a trial.
func (m *Bundle) request(j job, place folders, args []string) claude.Request {
	r := claude.Request{Prompt: j.prompt(), Dir: place.project, Model: cmp.Or(j.arm.Model(), m.o.Model), MaxTurns: m.o.MaxTurns}
	s := j.c.Suite
	if m.other != nil {
		// skillhand made the folder, so the agent may use everything in it.
		r.AllowedTools, r.Args = m.o.AllowedTools, slices.Concat(m.other.Approve, m.o.Args)
		return r
	}
	if s == nil {
		// The CLI asks before it uses a skill that allows itself tools, but nobody is there to
		// answer.
		r.AllowedTools = slices.Concat([]string{"Skill"}, m.o.AllowedTools)
		r.Args = slices.Concat(args, []string{"--permission-mode", "acceptEdits"}, m.o.Args)
		return r
	}
	r.Model, r.MaxTurns = cmp.Or(r.Model, s.Model), cmp.Or(r.MaxTurns, s.MaxTurns)
	for _, tool := range s.Allowed {
		switch {
		case tool == "Read" || tool == "Glob" || tool == "Grep":
			r.AllowedTools = append(r.AllowedTools, fmt.Sprintf("%s(/%s/**)", tool, filepath.ToSlash(place.root)))
		case !Guarded(tool):
			r.AllowedTools = append(r.AllowedTools, tool)
		}
	}
	r.AllowedTools = append(r.AllowedTools, m.o.AllowedTools...)
	args = append(args, "--permission-mode", "dontAsk")
	if len(s.Disallowed) > 0 {
		args = append(args, "--disallowedTools", strings.Join(s.Disallowed, ","))
	}
	if s.AppendSystem != "" {
		args = append(args, "--append-system-prompt", s.AppendSystem)
	}
	for i, dir := range s.AddDirs {
		args = append(args, "--add-dir", beside(place, "dirs", i, dir))
	}
	for i, dir := range s.Plugins {
		args = append(args, "--plugin-dir", beside(place, "plugins", i, dir))
	}
	if s.History != "" {
		args = append(args, "--resume", filepath.Join(place.root, "history", filepath.Base(s.History)))
	}
	r.Args = slices.Concat(args, m.o.Args)
	return r
}

// Guarded reports whether only the user, and not a suite, may allow a tool.
func Guarded(tool string) bool {
	name, _, _ := strings.Cut(tool, "(")
	return slices.Contains([]string{"Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "WebFetch", "PowerShell"}, name) ||
		strings.HasPrefix(name, "mcp__")
}

// beside returns the path of a folder's copy, which a trial has beside its own folder.
func beside(place folders, kind string, i int, dir string) string {
	return filepath.Join(place.root, kind, strconv.Itoa(i), filepath.Base(dir))
}

// stage prepares what a case needs besides its files: folders, an earlier session, a script's
// output, a repository.
func (m *Bundle) stage(ctx context.Context, j job, place folders, rt *skillhand.Runtime) error {
	if s := j.c.Suite; s != nil {
		for i, dir := range s.AddDirs {
			if err := copyTree(dir, beside(place, "dirs", i, dir), nil); err != nil {
				return err
			}
		}
		for i, dir := range s.Plugins {
			if err := copyTree(dir, beside(place, "plugins", i, dir), but(".git", "evals")); err != nil {
				return err
			}
		}
		if s.History != "" {
			if err := copyTree(s.History, filepath.Join(place.root, "history"), nil); err != nil {
				return err
			}
		}
		if s.Scaffold != "" && m.o.Scaffold {
			if err := scaffold(ctx, s.Scaffold, place, rt.Env); err != nil {
				return err
			}
		}
	}
	if !j.c.Git {
		return nil
	}
	err := repository(ctx, rt.Env, place.project)
	if j.c.Suite != nil && err != nil {
		return nil // the case does not ask for a repository
	}
	return err
}

// scaffold runs a script in the trial's folder, with only a few of the user's variables.
func scaffold(ctx context.Context, script string, place folders, user here.Env) error {
	env := here.Env{"HOME=" + place.home, "TMPDIR=" + place.temp, "PWD=" + place.project, "LANG=C.UTF-8", "PATH=" + user.Get("PATH")}
	out, res, err := runIn(ctx, place.project, env, gate.CommandTimeout, "bash", script)
	switch {
	case err != nil:
		return fmt.Errorf("the scaffold script: %w", err)
	case res.Cut == proc.Canceled:
		return ctx.Err()
	case res.Cut != proc.Not:
		return fmt.Errorf("the scaffold script did not end within %v", gate.CommandTimeout)
	case res.Exit != 0:
		return fmt.Errorf("the scaffold script: exit status %d\n%s", res.Exit, out)
	}
	return nil
}

// repository makes a folder into a git repository with one commit.
func repository(ctx context.Context, env here.Env, dir string) error {
	name := []string{"-c", "user.name=skillhand", "-c", "user.email=try@skillhand.invalid",
		"-c", "commit.gpgsign=false", "-c", "core.hooksPath="}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "--all"},
		append(name, "commit", "--quiet", "--allow-empty", "--no-verify", "--message=A first commit"),
	} {
		if _, err := git(ctx, env, dir, args...); err != nil {
			return err
		}
	}
	return nil
}
