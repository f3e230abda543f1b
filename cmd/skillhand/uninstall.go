package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/setup"
)

func newUninstall(std *cli.Std) *cobra.Command {
	var dryRun, yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove what skillhand put on this machine",
		Long: `Remove the entries that skillhand mcp --install wrote for agents, the status line in
Claude Code's settings, and the state folder: trust, history, sessions and batches.
Then print how to remove the programs themselves.

skillhand searches your home and the project around this folder. It lists, and does
not remove, entries that it did not write or that have changed since. It shows what
it will remove and asks first. Without a terminal, it removes nothing unless you
give --yes.`,
		Example: `  skillhand uninstall --dry-run
  skillhand uninstall
  skillhand uninstall --yes`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := here.From("", std.Env)
			if err != nil {
				return err
			}
			doc := &setup.Uninstalled{OK: true, DryRun: dryRun, Items: setup.FindItems(h)}
			if !dryRun && !yes {
				if err := confirmUninstall(cmd.Context(), std, doc.Items); err != nil {
					return err
				}
			}
			if !dryRun {
				doc.OK = !setup.RemoveItems(doc.Items)
			}
			if doc.Programs, doc.Command, err = setup.Programs(cli.NewVersion().Version, std.Getenv, cli.ServerName); err != nil {
				return err
			}
			if err := std.PrintEither(asJSON, doc, func() string { return doc.Text(std.Edge()) }); err != nil || doc.OK {
				return err
			}
			return cli.Said(cli.ExitFailed)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be removed; remove nothing")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// confirmUninstall asks whether skillhand may remove the items. Without a terminal the answer is
// no.
func confirmUninstall(ctx context.Context, std *cli.Std, items []setup.Item) error {
	found := slices.ContainsFunc(items, func(it setup.Item) bool { return it.Status == setup.ItemFound })
	switch {
	case !found:
		return nil
	case !std.Interactive():
		return cli.Usagef("nothing was removed: there is no terminal to ask on " +
			"(skillhand uninstall --dry-run shows what would go, skillhand uninstall --yes removes it)")
	}
	std.Say(strings.TrimRight(setup.Lines(items, math.MaxInt32), "\n"))
	yes, err := std.Ask(ctx, "\nRemove them? It cannot be undone. [y/N] ")
	if err == nil && !yes {
		err = errors.New("nothing was removed")
	}
	return err
}
