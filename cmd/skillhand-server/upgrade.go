package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/setup/upgrade"
)

func newUpgrade(std *cli.Std) *cobra.Command {
	var dryRun, asJSON bool
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Get the newest version, or say how",
		Long: `Say how this copy of skillhand was installed, and the command that upgrades it.
A copy that came from a release's archive replaces itself, after the archive's
checksum was compared with the one that the release lists.

SKILLHAND_RELEASES names a mirror of the releases.`,
		Example: `  skillhand upgrade
  skillhand upgrade --dry-run`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			program, err := filepath.EvalSymlinks(std.Program()) // the one that people call
			if err != nil {
				return cli.Exit(cli.ExitMissing, fmt.Errorf("skillhand is not beside %s", cli.ServerName))
			}
			doc, err := upgrade.Program(cmd.Context(), program, cli.NewVersion().Version, std.Getenv, dryRun)
			if _, ok := errors.AsType[*upgrade.UnreachableError](err); ok {
				return cli.Exit(cli.ExitLater, err)
			}
			if err != nil {
				return err
			}
			return std.PrintEither(asJSON, doc, doc.String)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be done, and change nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
