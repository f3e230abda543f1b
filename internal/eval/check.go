package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/gate"
	"github.com/skillhand/skillhand/internal/proc"
)

// A Check is one condition that should hold after a trial.
type Check struct {
	gate.Check
	Grader   *Grader `json:",omitempty"` // a check of claude plugin eval
	Optional bool    // a judge that is asked only if the caller wants judges
}

// A scene is the state after a trial, for its checks.
type scene struct {
	dir    string   // "" if the folder is gone
	env    []string // nil: commands no longer run
	answer string
	left   func(spent float64) float64 // the amount that a question may still cost

	transcript string
	subject    *Subject
	other      *agents.Agent                                                    // the agent that was asked; nil means Claude Code
	trusted    bool                                                             // commands of done.yaml may run
	prompted   string                                                           // the skill whose text was in the prompt, or ""
	changed    func() []string                                                  // the files that the agent changed; nil if they are unknown
	judge      func(ctx context.Context, question string) (bool, string, error) // nil if no judge is available now
}

// shared returns the scene in the form for checks that gates have too.
func (s *scene) shared() *gate.Scene {
	g := &gate.Scene{Dir: s.dir, Answer: s.answer, Calls: s.calls, Compile: CompileCheck, Judge: s.judge}
	if s.subject != nil {
		g.Skill = s.subject.Folder
	}
	if s.prompted != "" {
		g.Typed = []gate.ToolCall{{Tool: "Skill", Input: fmt.Appendf(nil, `{"skill":%q}`, s.prompted), OK: true}}
	}
	if s.env != nil {
		g.Run = func(ctx context.Context, command string, limit time.Duration) (string, error) {
			return RunCommand(ctx, s.dir, s.env, command, limit)
		}
	}
	return g
}

// CompileCheck compiles a pattern as Compile does, for checks.
func CompileCheck(pattern, flags string) (gate.Pattern, error) {
	re, err := Compile(pattern, flags)
	if err != nil {
		return nil, err
	}
	return re, nil
}

// newReader returns a reader for the checks in a file.
func newReader(file string) gate.Reader {
	return gate.Reader{Reader: doc.Reader{File: file}, Compile: CompileCheck}
}

// run returns whether a check holds. A caller who cancels gets no answer.
func (c *Check) run(ctx context.Context, s scene) CheckResult {
	r := CheckResult{Check: c.Text, Judge: c.asks()}
	ok, why, err := c.holds(ctx, &s, &r)
	if err != nil {
		r.Why = err.Error()
		if _, unknown := errors.AsType[gate.Unknown](err); unknown {
			return r
		}
	} else if !ok || r.Judge || c.Grader != nil || c.Tools != nil {
		r.Why = why
	}
	r.OK = &ok
	return r
}

func (c *Check) asks() bool {
	return c.Judge != "" || c.Grader != nil && (c.Grader.Type == llmGrader || c.Grader.Type == baseline)
}

func (c *Check) holds(ctx context.Context, s *scene, r *CheckResult) (bool, string, error) {
	if c.Grader != nil {
		return c.Grader.grade(ctx, s, r)
	}
	if c.Line > 0 && c.Command != "" && !s.trusted {
		return false, "", gate.Unknown("not run: the skill is not trusted (skillhand trust)")
	}
	r.Unasked = c.Judge != "" && s.judge == nil
	return c.Check.Holds(ctx, s.shared())
}

// RunCommand runs a check's command in a folder and returns why it failed.
func RunCommand(ctx context.Context, dir string, env []string, command string, limit time.Duration) (why string, err error) {
	limit = cmp.Or(limit, gate.CommandTimeout)
	out, res, err := runIn(ctx, dir, env, limit, "sh", "-c", command)
	switch {
	case err != nil:
		return "", err
	case res.Cut == proc.Canceled:
		return "", gate.Unknown("interrupted")
	case res.Cut != proc.Not:
		return "", gate.TimedOut(limit)
	case res.Exit != 0:
		return strings.TrimSpace(fmt.Sprintf("exit status %d\n%s", res.Exit, out)), nil
	}
	return "", nil
}

// runIn runs a program in a folder and returns the end of its output.
func runIn(ctx context.Context, dir string, env []string, limit time.Duration, args ...string) (out tail, res proc.Result, err error) {
	res, err = proc.Run(ctx, proc.Cmd{Args: args, Dir: dir, Env: env, Stdout: &out, Stderr: &out,
		Timeout: limit, MaxOutput: gate.MaxChecked})
	return out, res, err
}

// A tail keeps the end of a command's output.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	if n := len(*t) - 2000; n > 0 {
		*t = append((*t)[:0], (*t)[n:]...)
	}
	return len(p), nil
}

func (t tail) String() string { return strings.ToValidUTF8(string(t), "") }
