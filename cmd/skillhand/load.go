package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/claudepage"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

type loadOptions struct {
	skillhand.LoadRequest
	at                      cli.At
	raw, wrap, dialect, via string
	mode                    string // Claude Code's permission mode
	record, replay          string // files
	json                    bool
	full, reference, noExec bool
}

func newLoad(std *cli.Std) *cobra.Command {
	var o loadOptions
	cmd := &cobra.Command{
		Use:   "load SKILL [ARG...]",
		Short: "Print a skill as the agent should read it",
		Long: `Print a skill as the agent should read it, with its variables filled in and each
directive replaced by its output.

The page follows skillhand's own rules: an argument is always data, and a directive
that fails becomes an <error>. To see what Claude Code itself would send, or why it
would refuse, use --dialect claude. skillhand check reports where the two differ.

The skill's arguments come after its name. If one looks like a flag, put -- first:
skillhand load log -- --oneline.

SKILL is a name, plugin:name, or the path of a skill's folder or file. skillhand
looks for a name in these places, in this order:

  --root, and the plugin
  folders of agents (.claude/skills, .agents/skills, .cursor/skills and so on),
    from here up to the repository's top
  the repository itself: skills/, plugins/*/skills, skills and plugins in
    folders at its top, and folders that its manifests name
  your own folders
  plugins that Claude Code installed

A project that you do not trust never hides a skill of your own.

load prints a page even if it contains an <error>; with --strict it fails instead.
Commands run only from your own skill folders, from plugins that Claude Code
installed, and from folders that you trust.`,
		Example: `  skillhand load review src/auth.go
  skillhand load log -- --oneline -3             # these are not flags of load
  skillhand load review src/auth.go --strict
  skillhand load review --args 'src/auth.go "two words"'
  skillhand load ./skills/review --no-exec
  skillhand load review --record review.json     # then, in CI:
  skillhand load review --replay review.json
  skillhand load review --dialect claude         # as Claude Code would send it`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: o.at.CompleteSkills(std, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLoad(cmd.Context(), std, cmd, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.raw, "args", "", "the arguments as one `string`, as an agent passes them; - reads them from stdin")
	f.StringVar(&o.at.Session, "session", "", "session `id` (default $CLAUDE_SESSION_ID, then $CLAUDE_CODE_SESSION_ID)")
	f.StringVar(&o.Agent, "reader", "", "`id` of the agent that will read the page")
	o.at.Flags(cmd)
	f.BoolVar(&o.full, "full", false, "print the whole page, even if the agent has seen the skill")
	f.BoolVar(&o.reference, "reference", false, "print the page of a later use: fresh output, without the instructions")
	f.BoolVar(&o.Strict, "strict", false, "fail without a page if a directive fails")
	o.wrap, o.dialect, o.via = "auto", "skillhand", "slash"
	cli.OneOf(cmd, &o.wrap, "wrap", "wrap output in <skill-output>, by a `mode`", "auto", "always", "never")
	cli.OneOf(cmd, &o.dialect, "dialect", "render in a `dialect`: skillhand, or claude for what Claude Code "+claudecode.Version+" sends",
		"skillhand", "claude")
	cli.OneOf(cmd, &o.via, "via", "claude dialect: the `way` the skill is invoked, slash or tool", "slash", "tool")
	cli.OneOf(cmd, &o.mode, "permission-mode", "claude dialect: render as in this `mode`: "+
		strings.Join(claudecode.Modes(), ", ")+" (default: your settings', else default)", claudecode.Modes()...)
	f.DurationVar(&o.Timeout, "timeout", 120*time.Second, "time limit for each directive")
	f.IntVar(&o.MaxOutput, "max-output", 30_000, "the most `characters` of a directive's output to print; longer output is cut to 2,000")
	f.BoolVar(&o.noExec, "no-exec", false, "run nothing; leave directives as written")
	f.StringVar(&o.record, "record", "", "record the outcome of each directive in this `file`")
	f.StringVar(&o.replay, "replay", "", "run nothing; take the outcome of each directive from this `file`")
	f.BoolVar(&o.json, "json", false, "print one JSON document: the page and what ran")
	cmd.MarkFlagsMutuallyExclusive("full", "reference")
	return cmd
}

func runLoad(ctx context.Context, std *cli.Std, cmd *cobra.Command, o loadOptions, args []string) error {
	if err := o.complete(std, cmd, args); err != nil {
		return err
	}
	rt, err := o.at.Runtime(std, "Loading "+term.Visible(o.Skill))
	if err != nil {
		return err
	}
	done := std.Spin("loading " + o.Skill).End
	var page *skillhand.Page
	if o.dialect == "claude" {
		page, err = rt.ClaudePage(ctx, o.claude(cmd))
	} else {
		page, err = rt.Load(ctx, o.LoadRequest)
	}
	done()
	if failure, ok := errors.AsType[*claudepage.Failure](err); ok {
		fmt.Fprintln(std.Err, failure.Message) // Claude Code's own words, and nothing else
		return cli.Said(cli.ExitFailed)
	}
	if err != nil {
		return err
	}
	defer page.Close()
	if page.FirstUse && strings.TrimSpace(page.Text) == "" {
		page.Warnings = append(page.Warnings, term.Near(page.File)+": the page is empty: an agent would read nothing")
	}
	if term.IsNowhere(std.Out) {
		for _, w := range page.Warnings {
			std.Warn(w)
		}
		std.Warn("stdout: closed, or " + os.DevNull + ": the skill is not marked as seen")
		return nil
	}
	if o.json {
		err = page.WriteJSON(std)
	} else {
		for _, w := range page.Warnings {
			std.Warn(w)
		}
		for _, failure := range page.Failed() {
			std.Warn(term.Flat(failure))
		}
		_, err = page.WriteTo(std.Out)
		if err == nil && term.IsTerminal(std.Out) && !strings.HasSuffix(page.Text, "\n") {
			fmt.Fprintln(std.Err) // the shell's prompt begins on a new line; the page is unchanged
		}
	}
	if err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

func (o *loadOptions) complete(std *cli.Std, cmd *cobra.Command, args []string) error {
	o.Skill = args[0]
	claude := o.dialect == "claude"
	switch {
	case o.mode != "" && !claude:
		return cli.Usagef("--permission-mode needs --dialect claude: it says what Claude Code would do")
	case o.Timeout <= 0:
		return cli.Usagef("--timeout %s: want more than 0", o.Timeout)
	case o.MaxOutput <= 0:
		return cli.Usagef("--max-output %d: want more than 0", o.MaxOutput)
	case o.record != "" && (o.replay != "" || o.noExec || claude):
		return cli.Usagef("--record cannot be used with --replay, --no-exec or --dialect claude: nothing would be recorded")
	case o.replay != "" && claude:
		return cli.Usagef("--replay cannot be used with --dialect claude")
	}
	if cmd.Flags().Changed("wrap") {
		o.Wrap = render.Wrap(o.wrap)
	}
	for _, flag := range []string{"record", "replay"} {
		if f := cmd.Flags().Lookup(flag); f.Changed && f.Value.String() == "" {
			return cli.Usagef("--%s: the file name is empty", flag)
		}
	}
	for flag, id := range map[string]string{"session": o.at.Session, "reader": o.Agent} {
		if cmd.Flags().Changed(flag) {
			if err := session.CheckID(id); err != nil {
				return cli.Usagef("--%s: %v", flag, err)
			}
		}
	}
	o.choose()
	return o.arguments(std, cmd, args[1:])
}

// choose turns flags that exclude each other into the request's one choice.
func (o *loadOptions) choose() {
	switch {
	case o.full:
		o.Use = skillhand.Full
	case o.reference:
		o.Use = skillhand.Reference
	}
	switch {
	case o.replay != "":
		o.Exec, o.Recording = skillhand.Replayed, o.replay
	case o.noExec:
		o.Exec = skillhand.AsWritten
	case o.record != "":
		o.Recording = o.record
	}
}

// arguments sets the skill's arguments from --args, stdin or the command line.
func (o *loadOptions) arguments(std *cli.Std, cmd *cobra.Command, words []string) error {
	if !cmd.Flags().Changed("args") {
		o.Args = render.JoinArgs(words)
		return nil
	}
	if len(words) > 0 {
		return cli.Usagef("arguments are given twice: with --args and as %s", strings.Join(words, " "))
	}
	if o.raw == "-" {
		std.Waiting("reading the arguments from stdin, Ctrl-D ends them")
		text, err := io.ReadAll(io.LimitReader(std.In, skill.MaxSize+1))
		if err != nil {
			return fmt.Errorf("stdin: %w", err)
		}
		if len(text) > skill.MaxSize {
			return cli.Usagef("--args -: more than %d MB on stdin", skill.MaxSize>>20)
		}
		o.raw = string(text)
	}
	o.Args = render.ParseArgs(o.raw)
	return nil
}

func (o *loadOptions) claude(cmd *cobra.Command) skillhand.ClaudeRequest {
	r := skillhand.ClaudeRequest{Skill: o.Skill, Args: o.Args.Raw, Tool: o.via == "tool", Strict: o.Strict, NoExec: o.noExec, Mode: o.mode}
	if r.Tool && cmd.Flags().Changed("args") {
		r.Args = o.raw // the tool passes spaces on
	}
	if cmd.Flags().Changed("timeout") {
		r.Timeout = o.Timeout // otherwise Claude Code's own settings apply
	}
	return r
}
