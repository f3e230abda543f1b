package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/shell"
)

func newBuiltin(std *cli.Std) *cobra.Command {
	return &cobra.Command{
		Use:   "builtin [NAME [ARG...]]",
		Short: "Run a built-in by hand, or list them",
		Long: `Run a built-in: a function of skillhand that a directive can call without starting a
process. Without NAME, list the built-ins. A launcher in a plugin's hooks/bin can
call one too:

  #!/bin/sh
  exec skillhand builtin list-skills "$@"`,
		Example: `  skillhand builtin
  skillhand builtin list-skills`,
		DisableFlagParsing: true, // everything after NAME belongs to the built-in
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return builtinNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, b := range activity.Builtins() {
					fmt.Fprintf(std.Out, "%-24s  %s\n", b.Name, b.Short)
				}
				return nil
			}
			if args[0] == "-h" || args[0] == "--help" {
				return cmd.Help()
			}
			f, ok := skillhand.Builtins()[args[0]]
			if !ok {
				return cli.Usagef("%s: no such built-in; available: %s", args[0], strings.Join(builtinNames(), ", "))
			}
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			if exit := f(cmd.Context(), args[1:], shell.Std{In: std.In, Out: std.Out, Err: std.Err, Dir: dir, Env: std.Env}); exit != 0 {
				return cli.Said(exit)
			}
			return nil
		},
	}
}

func builtinNames() (names []string) {
	for _, b := range activity.Builtins() {
		names = append(names, b.Name)
	}
	return names
}
