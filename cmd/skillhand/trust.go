package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/trust"
)

type trustOptions struct {
	list, revoke, json bool
	pin                string // the value of --pin: cli.PinNow, or a digest
}

func newTrust(std *cli.Std) *cobra.Command {
	var o trustOptions
	cmd := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "Let the skills of a folder run commands",
		Long: `Loading a skill runs the commands written in it, so skillhand runs them only from
folders that you trust. DIR is the top of this repository, or this folder, unless
you name another. skillhand knows a folder by its real path, so it does not trust a
moved or copied folder.

With --pin, you trust DIR as it is now. If its commands or scripts change, skillhand
runs nothing until you have seen the difference and pinned DIR again. Its prose may
change. Use --pin for other people's skills, which a pull can change.

To trust a changed DIR, run the command again: skillhand shows the difference and
asks. Without --pin, DIR is then trusted and no longer pinned. Without a terminal,
skillhand pins nothing again unless you give the digest that it prints with the
difference: --pin=DIGEST.

SKILLHAND_TRUST=all in the environment trusts every folder, for CI and containers.`,
		Example: `  skillhand trust                 trust this project
  skillhand trust ~/src/skills    trust another folder
  skillhand trust --pin           trust this project as it is now
  skillhand trust --list          list the folders that you trust
  skillhand trust --revoke        stop trusting this project`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runTrust(cmd.Context(), std, o, args) },
	}
	cmd.Flags().BoolVar(&o.list, "list", false, "list the folders that you trust")
	cmd.Flags().BoolVar(&o.revoke, "revoke", false, "stop trusting DIR")
	cmd.Flags().StringVar(&o.pin, "pin", "", "trust DIR only as it is now; with a `digest`, only if DIR has it")
	cmd.Flags().Lookup("pin").NoOptDefVal = cli.PinNow
	cmd.Flags().BoolVar(&o.json, "json", false, "print a line of JSON for each folder")
	cmd.MarkFlagsMutuallyExclusive("revoke", "pin")
	return cmd
}

func runTrust(ctx context.Context, std *cli.Std, o trustOptions, args []string) error {
	switch {
	case o.list && (o.revoke || o.pin != "" || len(args) > 0):
		return cli.Usagef("--list takes no other flag and no argument")
	}
	h, err := here.From("", std.Env)
	if err != nil {
		return err
	}
	store := trust.Store{Dir: h.TrustDir()}
	if o.list {
		return listTrusted(std, store, o.json)
	}
	dir := files.Around(h.Dir)
	if len(args) > 0 {
		dir = args[0]
		if err := trust.Instead(dir, h.Finder()); err != nil {
			return err
		}
	}
	digest := ""
	if !o.revoke {
		if err := trust.TooWide(dir, h.Home); err != nil {
			return err
		}
		if digest, err = std.SeenChanges(ctx, store, dir, o.pin); err != nil {
			return err
		}
	}
	var real, verb string
	switch {
	case o.revoke:
		verb = "no longer trusted"
		real, err = store.Revoke(dir)
	case o.pin != "":
		verb = "trusted as it is now"
		real, err = store.Pin(dir, digest)
	default:
		verb = "trusted"
		real, err = store.Trust(dir)
	}
	if err != nil {
		return err
	}
	if o.json {
		return std.PrintJSON(trust.Folder{Dir: real, Trusted: !o.revoke, Pinned: o.pin != ""})
	}
	return std.Print(fmt.Sprintf("%s: %s\n", real, verb))
}

func listTrusted(std *cli.Std, store trust.Store, asJSON bool) error {
	all, err := store.List()
	if err != nil {
		return err
	}
	return cli.PrintEach(std, asJSON, all, func(f trust.Folder) string {
		if f.Pinned {
			return f.Dir + "  (pinned)\n"
		}
		return f.Dir + "\n"
	})
}
