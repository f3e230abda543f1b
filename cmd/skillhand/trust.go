package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/trust"
)

type trustOptions struct{ list, revoke, pin, json bool }

func newTrust(std *stdio) *cobra.Command {
	var o trustOptions
	cmd := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "Let the skills of a folder run commands",
		Long: `Loading a skill runs the commands written in it, so skillhand runs them only
from folders that you trust. DIR is the top of this repository, or this folder,
unless you name another. A folder is known by its real path: a moved or copied
one is not trusted.

With --pin, DIR is trusted as it is now. Once its commands or scripts change,
nothing runs until you have seen the difference and pinned it again. Use it for
other people's skills, which a pull can change.

SKILLHAND_TRUST=all in the environment trusts every folder, for CI and
containers.`,
		Example: `  skillhand trust                 trust this project
  skillhand trust ~/src/skills    trust another folder
  skillhand trust --pin           trust this project as it is now
  skillhand trust --list          what is trusted
  skillhand trust --revoke        stop trusting this project`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error { return runTrust(std, o, args) },
	}
	cmd.Flags().BoolVar(&o.list, "list", false, "list the folders that are trusted")
	cmd.Flags().BoolVar(&o.revoke, "revoke", false, "stop trusting DIR")
	cmd.Flags().BoolVar(&o.pin, "pin", false, "trust DIR only as it is now")
	cmd.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runTrust(std *stdio, o trustOptions, args []string) error {
	switch {
	case o.list && (o.revoke || o.pin || len(args) > 0):
		return cli.Usagef("--list takes no other flag and no argument")
	case o.revoke && o.pin:
		return cli.Usagef("--revoke and --pin cannot be used together")
	}
	h, err := here.From("", std.Env)
	if err != nil {
		return err
	}
	store := trust.Store{Dir: h.TrustDir()}
	if o.list {
		return listTrusted(std, store, o.json)
	}
	dir := here.Around(h.Dir)
	if len(args) > 0 {
		dir = args[0]
	}
	change, verb := store.Trust, "trusted"
	switch {
	case o.revoke:
		change, verb = store.Revoke, "no longer trusted"
	case o.pin:
		change, verb = store.Pin, "trusted as it is now"
		if err := showChanges(std.Err, store, dir); err != nil {
			return err
		}
	}
	real, err := change(dir)
	if err != nil {
		return err
	}
	if o.json {
		return std.PrintJSON(trust.Folder{Dir: real, Trusted: !o.revoke, Pinned: o.pin})
	}
	return std.Print(fmt.Sprintf("%s: %s\n", real, verb))
}

// showChanges shows what changed in a folder since it was pinned, if it was.
func showChanges(w io.Writer, store trust.Store, dir string) error {
	changes, err := store.Changes(dir)
	if errors.Is(err, trust.ErrNotPinned) {
		return nil
	}
	if err == nil && changes != "" {
		fmt.Fprintf(w, "what changed since it was pinned:\n\n%s\n", term.Visible(changes))
	}
	return err
}

func listTrusted(std *stdio, store trust.Store, asJSON bool) error {
	all, err := store.List()
	if err != nil {
		return err
	}
	for _, f := range all {
		text := f.Dir
		if f.Pinned {
			text += "  (pinned)"
		}
		if asJSON {
			err = std.PrintJSON(f)
		} else {
			err = std.Print(text + "\n")
		}
		if err != nil {
			return err
		}
	}
	return nil
}
