package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/gate"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/internal/term"
)

type doneOptions struct {
	at    cli.At
	json  bool
	event bool
}

func newDone(std *cli.Std) *cobra.Command {
	var o doneOptions
	cmd := &cobra.Command{
		Use:   "done SKILL",
		Short: "Say whether the checks in a skill's done.yaml pass here",
		Long: `Say whether a skill's work is done: whether the checks in the done.yaml beside its
SKILL.md pass in this folder. Use it by hand, in CI, or after an agent's session.

Commands run only if you trust the skill's folder and this one. A check of what the
agent did or said needs the transcript of a session of Claude Code; --session names
the session. Without a session, such a check is unknown.

Exit status: 0 all checks pass; 1 a check fails or is unknown; 3 the skill has no
done.yaml.

After skillhand gate on, Claude Code runs the same checks when an agent stops.`,
		Example: `  skillhand done release
  skillhand done release --session 7f0c2a52-0d0e-4d0b-9d4e-5b1f6f1f2a11 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.event {
				return cli.Args(cobra.NoArgs)(cmd, args)
			}
			return cli.Args(cobra.ExactArgs(1))(cmd, args)
		},
		ValidArgsFunction: o.at.CompleteSkills(std, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.event {
				return answerStop(cmd.Context(), std)
			}
			return runDone(cmd.Context(), std, o, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.at.Session, "session", "",
		"the `id` of the session whose transcript says what the agent did (default: the one that this runs in)")
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	f.BoolVar(&o.event, "event", false, "answer an event of Claude Code's Stop hook on stdin")
	_ = f.MarkHidden("event") // only skillhand hook uses it
	o.at.Flags(cmd)
	return cmd
}

// A doneDocument has the results of a skill's checks. It is described by
// schemas/done-v1.schema.json.
type doneDocument struct {
	Skill   string        `json:"skill"`
	File    string        `json:"file"`
	Folder  string        `json:"folder"` // where the work should be
	Session string        `json:"session,omitempty"`
	Done    bool          `json:"done"`
	Checks  []gate.Result `json:"checks"`
}

func runDone(ctx context.Context, std *cli.Std, o doneOptions, name string) error {
	if o.at.Session != "" {
		if err := session.CheckID(o.at.Session); err != nil {
			return cli.Usagef("--session: %v", err)
		}
	}
	rt, err := o.at.Runtime(std, "skillhand done")
	if err != nil {
		return err
	}
	found, err := rt.Finder().Look(name)
	if err != nil {
		return cli.Exit(cli.ExitMissing, err)
	}
	folder := files.Real(found.Folder)
	done, err := gate.ReadDone(folder, eval.CompileCheck)
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Exit(cli.ExitMissing,
			fmt.Errorf("%s: there is no %s beside SKILL.md", term.Near(folder), gate.DoneFile))
	}
	if err != nil {
		return err
	}
	policy := rt.Policy(rt.Here).Now()
	if commands := done.Commands(); len(commands) > 0 {
		err := policy.Allow(ctx, done.File, done.Commands)
		if err == nil {
			err = policy.Read(done.File, done.Source)
		}
		if err == nil {
			err = policy.Allow(ctx, rt.Dir, done.Commands)
		}
		if err != nil {
			return cli.Exit(cli.ExitFailed, err)
		}
	}
	doc := doneDocument{Skill: found.Name, File: done.File, Folder: rt.Dir, Done: true}
	scene, err := sceneOf(rt.Here, folder, &doc)
	if err != nil {
		return err
	}
	scene.Run = func(ctx context.Context, command string, limit time.Duration) (string, error) {
		return eval.RunCommand(ctx, rt.Dir, policy.Env(rt.Env), command, limit)
	}
	doc.Checks = done.Judge(ctx, scene, redact.New(rt.Env).Text)
	doc.Done = !slices.ContainsFunc(doc.Checks, func(r gate.Result) bool { return r.OK == nil || !*r.OK })
	if err := std.PrintEither(o.json, doc, func() string { return doc.text(std.Painter()) }); err != nil {
		return err
	}
	if !doc.Done {
		return cli.Said(cli.ExitFailed)
	}
	return nil
}

// sceneOf returns what an agent did in a session, as its transcript shows it.
func sceneOf(h here.Here, folder string, doc *doneDocument) (*gate.Scene, error) {
	scene := &gate.Scene{Dir: h.Dir, Skill: folder, Compile: eval.CompileCheck,
		Untold: "no transcript says what the agent did: name its session with --session"}
	if h.Session == "" {
		return scene, nil
	}
	file, err := activity.Transcript(h, h.Session)
	if err != nil {
		return nil, err
	}
	if file == "" {
		scene.Untold = "there is no transcript of the session " + h.Session
		return scene, nil
	}
	turn, err := gate.ReadTurn(file, false, folder)
	if err == nil {
		err = turn.AddSubagents(file)
	}
	if err != nil {
		return nil, err
	}
	doc.Session = h.Session
	if len(turn.Skills) == 0 {
		scene.Untold = "the skill was not delivered in the session " + h.Session
		return scene, nil
	}
	told := turn.Scene(folder, h.Dir)
	told.Compile = eval.CompileCheck
	return told, nil
}

// text formats the document for people.
func (d *doneDocument) text(paint term.Paint) string {
	var b strings.Builder
	head := paint("1;32", "DONE")
	if !d.Done {
		head = paint("1;31", "NOT DONE")
	}
	fmt.Fprintf(&b, "%s  %s, by %s\n", head, d.Skill, term.Near(term.Visible(d.File)))
	for _, c := range d.Checks {
		mark := paint("32", "✓")
		switch {
		case c.OK == nil:
			mark = paint("33", "?")
		case !*c.OK:
			mark = paint("31", "✗")
		}
		fmt.Fprintf(&b, "  %s %s\n", mark, term.Flat(c.Check))
		if c.Why != "" && (c.OK == nil || !*c.OK) {
			b.WriteString(term.Indent(term.Indent(term.Visible(c.Why))) + "\n")
		}
	}
	return b.String()
}

// maxEvent is how many bytes of an event are read.
const maxEvent = 16 << 20

// answerStop answers an event of the Stop hook. It prints errors to stderr.
func answerStop(ctx context.Context, std *cli.Std) error {
	event, err := io.ReadAll(io.LimitReader(std.In, maxEvent))
	if err != nil {
		return err
	}
	h, err := here.From("", std.Env)
	if err != nil {
		return err
	}
	if h.Project, err = filepath.Abs(h.Project); err != nil {
		return err
	}
	stop := gate.Stop{Here: h, Compile: eval.CompileCheck, Run: eval.RunCommand, Hide: redact.New(h.Env).Text}
	answer, err := stop.Answer(ctx, event)
	if err != nil {
		std.Warn(err.Error())
	}
	return std.PrintJSON(answer)
}
