package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/setup"
)

func newUpgrade(std *cli.Std) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Say how to get the newest version",
		Long: `Say how this copy of skillhand was installed, and which command upgrades it.
skillhand itself downloads and replaces nothing.`,
		Example: "  skillhand upgrade",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			program, err := filepath.EvalSymlinks(std.Program())
			if err != nil {
				return cli.Exit(cli.ExitMissing, fmt.Errorf("skillhand: %w", err))
			}
			doc := setup.CopyOf(program, cli.NewVersion().Version, std.Getenv)
			return std.PrintEither(asJSON, doc, doc.String)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
