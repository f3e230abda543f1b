package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/skill"
	"github.com/skillhand/skillhand/trust"
)

func newTrust(std *stdio) *cobra.Command {
	var list, revoke, asJSON bool
	cmd := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "Let the skills of a folder run commands",
		Long: `Loading a skill runs the commands written in it, so skillhand runs them only
from folders that you trust. DIR is the top of this repository, or this folder,
unless you name another. A folder is known by its real path: a moved or copied
one is not trusted.

SKILLHAND_TRUST=all in the environment trusts every folder, for CI and containers.`,
		Example: `  skillhand trust                 trust this project
  skillhand trust ~/src/skills    trust another folder
  skillhand trust --list          what is trusted
  skillhand trust --revoke        no longer trust this project`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if list && (revoke || len(args) > 0) {
				return cli.Usagef("--list stands alone")
			}
			store := trust.Store{Dir: filepath.Join(skillhand.StateDir(std.Env), "trust")}
			if list {
				return listTrusted(std, store, asJSON)
			}
			dir, err := trustDir(args)
			if err != nil {
				return err
			}
			change, verb := store.Trust, "trusted"
			if revoke {
				change, verb = store.Revoke, "no longer trusted"
			}
			real, err := change(dir)
			if err != nil {
				return err
			}
			if asJSON {
				return std.PrintJSON(trustDocument{Dir: real, Trusted: !revoke})
			}
			_, err = fmt.Fprintf(std.Out, "%s: %s\n", real, verb)
			return err
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list the folders that are trusted")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "no longer trust DIR")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// A trustDocument is one line of what trust --json prints: schemas/trust-v1.schema.json.
type trustDocument struct {
	Dir     string `json:"dir"`
	Trusted bool   `json:"trusted"`
}

func listTrusted(std *stdio, store trust.Store, asJSON bool) error {
	dirs, err := store.List()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if asJSON {
			err = std.PrintJSON(trustDocument{Dir: dir, Trusted: true})
		} else {
			_, err = fmt.Fprintln(std.Out, dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// trustDir is the folder that the user means.
func trustDir(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if top := skill.Top(dir); top != "" {
		return top, nil
	}
	return dir, nil
}
