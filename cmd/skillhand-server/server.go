package main

import (
	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
)

func newServer(std *cli.Std) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Show the second program: where it is and what it is built from",
		Long: `Show the program that runs some of skillhand's commands, so that skillhand
itself starts fast: where it is, its version, its commands, and the modules it
is built from. If the program is missing, server exits with 3 and says how to get it.`,
		Example: `  skillhand server
  skillhand server --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			doc, err := cli.NewServer(cmd.Root())
			if err != nil {
				return err
			}
			return std.PrintEither(asJSON, doc, doc.Text)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
