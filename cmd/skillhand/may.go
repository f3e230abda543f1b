package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/may"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/permit"
)

type mayOptions struct {
	at                 cli.At
	mode, as, settings string
	skill              []string
	json               bool

	transcripts, write bool
	since              string
}

func newMay(std *cli.Std) *cobra.Command {
	var o mayOptions
	cmd := &cobra.Command{
		Use:   "may [COMMAND|TOOL(ARGUMENT)]",
		Short: "Say whether Claude Code would run a command here, and by which rule",
		Long: `Say what Claude Code ` + claudecode.Version + ` would decide about a command of the model, in each
permission mode: allow, ask, deny, or unknown. In the modes auto and plan, Claude
Code's own classifier decides where default mode would ask. may runs nothing.

The rules come from all settings files that apply here. The answer names the part of
the command that decided, the rule with its file and line, and the smallest rule
that would allow the command.

A command is a line of shell. Write other tools as in rules: 'Read(.env)',
'Edit(src/x.go)', 'WebFetch(https://example.com)', mcp__server__tool. With -, may
reads commands from stdin, one on a line.

--skill lists what Claude Code decides about the directives of a skill. If you also
give a command, the skill's allowed-tools count as rules, as they do while the skill
is in use.

--from-transcripts reads Claude Code's transcripts of this project. It lists what
Claude Code asked about, how often you approved or denied that, rules that matched
nothing, and the smallest set of rules that covers what you approved. --write shows
the change to the settings and asks; without a terminal it only shows the change.

Exit status: 0 allow; 1 ask, deny, unknown, or the classifier decides.
--permission-mode chooses the mode that the exit status is about.`,
		Example: `  skillhand may 'git push origin main'
  skillhand may 'Read(.env)' --json
  skillhand may --skill release-notes    # its directives
  skillhand may --from-transcripts --since 30d
  skillhand may --permission-mode acceptEdits 'rm -r build'
  git log --format=%s | sed 's/^/git tag /' | skillhand may -`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return runMay(cmd, std, o, args) },
	}
	f := cmd.Flags()
	o.mode = "default"
	cli.OneOf(cmd, &o.mode, "permission-mode", "the `mode` that the exit status is about", claudecode.Modes()...)
	f.StringArrayVar(&o.skill, "skill", nil, "a skill by `name` or path; without a command: list its directives; repeatable")
	cli.ValuesFrom(cmd, "skill", func() []string { return o.at.SkillNames(std) })
	cli.OneOf(cmd, &o.as, "as", "with --skill: treat the skill as loaded from this `place`: project, user or plugin (default: by location)",
		"project", "user", "plugin")
	f.StringVar(&o.settings, "settings", "", "further settings, as claude --settings takes them: a `file` or JSON")
	f.BoolVar(&o.json, "json", false, "print a line of JSON for each command or directive")
	f.BoolVar(&o.transcripts, "from-transcripts", false,
		"list what Claude Code asked about in this project, and the rules that cover what you approved")
	f.StringVar(&o.since, "since", "30d", "with --from-transcripts: look back this `period` (12h, 7d, 4w), or from a day on")
	f.BoolVar(&o.write, "write", false, "with --from-transcripts: add the rules to .claude/settings.local.json")
	o.at.Flags(cmd)
	return cmd
}

func runMay(cmd *cobra.Command, std *cli.Std, o mayOptions, args []string) error {
	switch {
	case o.transcripts && (len(args) > 0 || len(o.skill) > 0):
		return cli.Usagef("--from-transcripts is about what was done: leave out the command and --skill")
	case o.transcripts:
		return mayHistory(cmd, std, o)
	case o.write, cmd.Flags().Changed("since"):
		return cli.Usagef("--since and --write go with --from-transcripts")
	case len(args) > 1:
		return cli.Usagef("may takes one command: quote it: skillhand may '%s'", strings.Join(args, " "))
	case len(args) == 0 && len(o.skill) == 0:
		return cli.Usagef("may needs a command, or --skill")
	case len(args) == 0:
		return mayDirectives(cmd, std, o)
	case o.as != "":
		return cli.Usagef("--as is about directives: leave out the command")
	}
	place, err := o.place(std)
	if err != nil {
		return err
	}
	answers := func(yield func(may.Answer) error) error { return yield(place.Ask(args[0])) }
	if args[0] == "-" {
		std.Waiting("reading commands from stdin, Ctrl-D ends it")
		answers = func(yield func(may.Answer) error) error { return askLines(std, place, yield) }
	}
	refused := false
	err = answers(func(a may.Answer) error {
		refused = refused || a.In(o.mode).Decision != permit.Allow
		return std.PrintEither(o.json, a, func() string { return a.Text(std.Edge(), std.Painter()) })
	})
	if err == nil && refused {
		return cli.Said(cli.ExitFailed)
	}
	return err
}

func askLines(std *cli.Std, place *may.Place, yield func(may.Answer) error) error {
	lines := bufio.NewScanner(std.In)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		n++
		if err := yield(place.Ask(lines.Text())); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("stdin: %w", err)
	}
	if n == 0 {
		return cli.Exit(cli.ExitMissing, errors.New("stdin: no commands"))
	}
	return nil
}

// place reads the rules that apply here.
func (o *mayOptions) place(std *cli.Std) (*may.Place, error) {
	h, err := o.at.Here(std.Env)
	if err != nil {
		return nil, err
	}
	place := may.At(h.Settings())
	for _, fault := range place.Files.Faults {
		std.Warn(term.Near(fault.Error()))
	}
	if o.settings != "" {
		if err := place.AddSettings(o.settings); err != nil {
			return nil, cli.Usagef("--settings: %v", err)
		}
	}
	for _, name := range o.skill {
		loc, err := h.Finder().Find(name)
		if err != nil {
			return nil, cli.Exit(cli.ExitMissing, err)
		}
		front, _, err := loc.Front()
		if err != nil {
			return nil, err
		}
		place.AddSkill(loc.File, front.AllowedTools)
	}
	return place, nil
}

// mayHistory prints what the transcripts of this project say about the rules here.
func mayHistory(cmd *cobra.Command, std *cli.Std, o mayOptions) error {
	since, err := activity.Since(o.since, time.Now())
	if err != nil {
		return cli.Usagef("--since: %v", err)
	}
	place, err := o.place(std)
	if err != nil {
		return err
	}
	h, err := o.at.Here(std.Env)
	if err != nil {
		return err
	}
	var uses []may.Used
	err = activity.ToolUses(h, since, files.Real(h.Project), func(u activity.ToolUse) {
		if use, ok := may.Written(u.Tool, u.Argument); ok {
			uses = append(uses, may.Used{Use: use, Mode: u.Mode, Approved: u.Decided == activity.PersonAllowed,
				Denied: u.Decided == activity.PersonDenied, Unsaid: u.Decided == activity.NotSaid})
		}
	})
	switch {
	case err != nil && len(uses) == 0:
		return err
	case err != nil:
		std.Warn(err.Error()) // count the other transcripts
	case len(uses) == 0:
		return cli.Exit(cli.ExitMissing, fmt.Errorf("no transcripts of Claude Code about %s%s", term.Near(h.Project), activity.Period(o.since)))
	}
	history := place.Look(uses)
	if err := std.PrintEither(o.json, history, func() string { return history.Text(std.Edge()) }); err != nil {
		return err
	}
	if !o.write {
		return nil
	}
	if len(history.Rules) == 0 {
		std.Say("skillhand: nothing to write")
		return nil
	}
	file, edit, err := place.Edit(history.Rules)
	if err != nil {
		return err
	}
	return std.WriteShown(cmd.Context(), file, edit)
}

// mayDirectives lists what Claude Code decides about each directive.
func mayDirectives(cmd *cobra.Command, std *cli.Std, o mayOptions) error {
	if o.mode != "default" && o.mode != "auto" {
		return cli.Usagef("--skill: what becomes of a directive is known for the modes default and auto")
	}
	c := &checking{flags: checkOptions{at: o.at, as: o.as, dialect: "claude"}, std: std, paths: o.skill}
	if err := c.open(); err != nil {
		return err
	}
	files, err := c.files()
	if err != nil {
		return err
	}
	res, err := c.run(cmd.Context(), files)
	if err != nil {
		return err
	}
	err = cli.PrintEach(std, o.json, res.Verdicts, func(v check.Verdict) string { return v.Text(std.Edge(), std.Painter()) })
	if err != nil {
		return err
	}
	std.Say(fmt.Sprintf("skillhand: %s, %s, as Claude Code %s decides",
		term.Plural(res.Files, "file"), term.Plural(len(res.Verdicts), "directive"), claudecode.Version))
	for _, v := range res.Verdicts {
		if o.mode == "default" && v.Default == check.Aborts || o.mode == "auto" && (v.Auto == check.Aborts || v.Auto == check.Defers) {
			return cli.Said(cli.ExitFailed)
		}
	}
	return nil
}
