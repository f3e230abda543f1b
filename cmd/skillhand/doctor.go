package main

import (
	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/setup"
)

func newDoctor(std *cli.Std) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is missing or broken here, and how to fix it",
		Long: `Check what skillhand needs and uses here, line by line: its state folder, bash,
the Claude CLI, Claude Code's settings and the plugin, what skillhand put on this
machine and where (skillhand uninstall removes it), trust, and the skills that can
be loaded from this folder.

  ok        it is there
  note      skillhand works without it, but other things may not
  wrong     it is broken: a settings file, a skill
  missing   skillhand needs it

The exit status is 3 if something needed is missing, else 1 if something is
wrong, else 0. Nothing is changed.`,
		Example: `  skillhand doctor
  skillhand doctor --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			own := cli.NewVersion()
			spinner := std.Spin("looking around")
			doc := setup.Diagnose(cmd.Context(), setup.DiagnoseRequest{Env: std.Env, Policy: (&skillhand.Runtime{}).Policy,
				Version: own.Version, Commit: own.Commit})
			spinner.End()
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if err := std.PrintEither(asJSON, doc, func() string { return doc.Text(std.Edge(), std.Painter()) }); err != nil {
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
