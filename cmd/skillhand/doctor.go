package main

import (
	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/setup"
)

func newDoctor(std *cli.Std) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor [SKILL]",
		Short: "Say what is missing or broken here, or what a skill needs",
		Long: `Without a SKILL, check what skillhand uses here, a line for each: its state folder,
bash, the Claude CLI, Claude Code's settings and the plugin, the files that
skillhand put on this machine (skillhand uninstall removes them), trust, and the
skills that can be loaded from this folder.

  ok        skillhand found it
  note      skillhand works without it, but other things may not
  wrong     it is broken: a settings file, a skill
  missing   skillhand needs it

The exit status is 3 if something that skillhand needs is missing, else 1 if
something is wrong, else 0. doctor changes nothing.

With a SKILL, list what the skill needs and whether it is here: the programs that
its directives, its scripts and the commands in its fences call; variables that must
be set; the packages, skills, agents, MCP tools and network hosts that it names.
doctor runs none of these commands. The exit status is 3 if something is missing.
--write adds programs and variables to the field compatibility; it shows the change
and asks first.`,
		Example: `  skillhand doctor
  skillhand doctor release-notes
  skillhand doctor --all           # a line for each skill of the project
  skillhand doctor --json`,
		Args:              cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: o.at.CompleteSkills(std, false),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.all && len(args) > 0:
				return cli.Usagef("--all is about every skill here: leave out %s", args[0])
			case o.write && len(args) == 0:
				return cli.Usagef("--write needs a skill")
			case o.all || len(args) > 0:
				return diagnoseSkills(cmd, std, o, args)
			}
			own := cli.NewVersion()
			spinner := std.Spin("looking around")
			doc := setup.Diagnose(cmd.Context(), setup.DiagnoseRequest{Env: std.Env, Policy: (&skillhand.Runtime{}).Policy,
				Version: own.Version, Commit: own.Commit})
			spinner.End()
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if err := std.PrintEither(o.json, doc, func() string { return doc.Text(std.Edge(), std.Painter()) }); err != nil {
				return err
			}
			switch doc.Worst() {
			case setup.Missing:
				return cli.Said(cli.ExitMissing)
			case setup.Wrong:
				return cli.Said(cli.ExitFailed)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "print a line for each skill of the project: what it needs")
	f.BoolVar(&o.write, "write", false, "add what the skill needs to its field compatibility")
	f.BoolVar(&o.json, "json", false, "print one JSON document, or a line for each skill")
	o.at.Flags(cmd)
	return cmd
}
