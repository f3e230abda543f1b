package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/origin"
	"github.com/skillhand/skillhand/upgrade"
)

// An upgraded is what upgrade found and did. It is described by schemas/upgrade-v1.schema.json.
type upgraded struct {
	Program string        `json:"program"`
	Origin  origin.Origin `json:"origin"`
	Version string        `json:"version"`
	Latest  string        `json:"latest"`  // "" if nobody was asked
	Command string        `json:"command"` // what to run instead; "" if skillhand replaces itself
	Changed bool          `json:"changed"`
}

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
			doc, err := runUpgrade(cmd.Context(), std, dryRun)
			if err != nil {
				return err
			}
			if asJSON {
				return std.PrintJSON(doc)
			}
			return std.Print(doc.String())
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be done, and change nothing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func runUpgrade(ctx context.Context, std *cli.Std, dryRun bool) (*upgraded, error) {
	program, err := filepath.EvalSymlinks(std.Program()) // the one that people call
	if err != nil {
		return nil, cli.Exit(cli.ExitMissing, fmt.Errorf("skillhand is not beside %s", cli.ServerName))
	}
	doc := &upgraded{Program: program, Version: cli.NewVersion().Version}
	doc.Origin = origin.Of(program, doc.Version, origin.GoBin(std.Getenv))
	if doc.Command = doc.Origin.Upgrade(); doc.Command != "" {
		return doc, nil
	}
	from := upgrade.Mirror{URL: cmp.Or(std.Getenv("SKILLHAND_RELEASES"), upgrade.Releases), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if doc.Latest, err = from.Latest(ctx); err != nil {
		return nil, cli.Exit(cli.ExitLater, err)
	}
	if doc.Latest == doc.Version || dryRun {
		return doc, nil
	}
	if err := from.Replace(ctx, doc.Latest, filepath.Dir(program)); err != nil {
		return nil, err
	}
	doc.Changed = true
	return doc, nil
}

// String is what people read.
func (u *upgraded) String() string {
	switch {
	case u.Command != "":
		return fmt.Sprintf("%s is %s, from %s. To upgrade it: %s\n", u.Program, u.Version, u.Origin, u.Command)
	case u.Changed:
		return fmt.Sprintf("%s: upgraded from %s to %s\n", filepath.Dir(u.Program), u.Version, u.Latest)
	case u.Latest == u.Version:
		return fmt.Sprintf("%s is the newest version\n", u.Version)
	}
	return fmt.Sprintf("%s: would be upgraded from %s to %s\n", filepath.Dir(u.Program), u.Version, u.Latest)
}
