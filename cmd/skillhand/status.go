package main

import (
	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/session"
)

func newStatus(std *cli.Std) *cobra.Command {
	var req activity.StatusRequest
	var asJSON, markdown bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what is loaded and how the last runs went",
		Long: `Show the skills that this session has loaded, the latest runs and asks of this
project with their verdicts, how many of them succeeded, and what to do next.`,
		Example: `  skillhand history status
  skillhand history status --all
  skillhand history status --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("session") {
				if err := session.CheckID(req.Session); err != nil {
					return cli.Usagef("--session: %v", err)
				}
			}
			h, err := here.From("", std.Env)
			if err != nil {
				return err
			}
			status, err := activity.NewStatus(h, req)
			switch {
			case err != nil:
				return err
			case asJSON:
				return std.PrintJSON(status)
			case markdown:
				return std.Print(status.Markdown(look(std)))
			}
			return std.Print(status.Box(look(std)))
		},
	}
	cmd.Flags().StringVar(&req.Session, "session", "", "session `id` (default $CLAUDE_SESSION_ID, then $CLAUDE_CODE_SESSION_ID)")
	cmd.Flags().BoolVar(&req.All, "all", false, "every project, not only this one")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print Markdown")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown")
	return cmd
}

// look returns the settings for drawing boxes on stdout.
func look(std *cli.Std) activity.Look {
	return activity.Look{Columns: std.Columns(), Paint: std.Painter(), Home: std.Getenv("HOME")}
}
