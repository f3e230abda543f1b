package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/doctor"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
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
			doc := doctor.Run(cmd.Context(), doctor.Request{Env: std.Env, Policy: (&skillhand.Runtime{}).Policy, Version: own.Version, Commit: own.Commit})
			spinner.End()
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if err := printDoctor(std, doc, asJSON); err != nil {
				return err
			}
			switch doc.Worst() {
			case doctor.Missing:
				return cli.Said(cli.ExitMissing)
			case doctor.Wrong:
				return cli.Said(cli.ExitFailed)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func printDoctor(std *cli.Std, doc doctor.Document, asJSON bool) error {
	if asJSON {
		return std.PrintJSON(doc)
	}
	paint := std.Painter()
	colors := map[doctor.Status]string{doctor.OK: "32", doctor.Note: "33", doctor.Wrong: "31", doctor.Missing: "1;31"}
	var b strings.Builder
	for _, f := range doc.Checks {
		head := fmt.Sprintf("%-7s  %-8s  ", f.Status, f.Name)
		text := term.Hang(head, oneLine(f.Text), std.Edge())
		b.WriteString(paint(colors[f.Status], text[:7]) + text[7:])
		for step := range strings.Lines(f.Fix) { // not wrapped, as most are commands
			b.WriteString(strings.Repeat(" ", len(head)) + paint("36", oneLine(strings.TrimSuffix(step, "\n"))) + "\n")
		}
	}
	return std.Print(b.String())
}

// oneLine shows text that may come from anywhere.
func oneLine(s string) string { return strings.ReplaceAll(term.Visible(s), "\n", " ") }
