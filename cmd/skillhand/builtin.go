package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/shell"
	"github.com/skillhand/skillhand/skill"
)

// builtins are the functions that directives can call without starting a process.
var builtins = map[string]shell.Func{
	"list-skills":              listSkills,
	"get-status-output":        getStatusOutput,
	"get-statusline-output":    getStatuslineOutput,
	"get-retrospective-output": getRetrospectiveOutput,
}

var builtinHelp = map[string]string{
	"list-skills":              "the skills that can be loaded here, and what each is for",
	"get-status-output":        "what this session has loaded, and how the last runs went",
	"get-statusline-output":    "whether Claude Code has a status line, and how to install one",
	"get-retrospective-output": "a look back on the last 7 days, or on the PERIOD that is named",
}

func newBuiltin(std *stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "builtin [NAME [ARG...]]",
		Short: "Run a built-in by hand, or list them",
		Long: `Run one of the functions that directives can call without starting a process.
Without NAME, list them. A launcher in a plugin's hooks/bin does the same:

  #!/bin/sh
  exec skillhand builtin list-skills "$@"`,
		Example: `  skillhand builtin
  skillhand builtin list-skills`,
		DisableFlagParsing: true, // what follows NAME is the built-in's
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return slices.Sorted(maps.Keys(builtins)), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, name := range slices.Sorted(maps.Keys(builtins)) {
					fmt.Fprintf(std.Out, "%-24s  %s\n", name, builtinHelp[name])
				}
				return nil
			}
			if args[0] == "-h" || args[0] == "--help" {
				return cmd.Help()
			}
			f, ok := builtins[args[0]]
			if !ok {
				return cli.Usagef("%s: no such built-in: there are %s", args[0], strings.Join(slices.Sorted(maps.Keys(builtins)), ", "))
			}
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			if exit := f(cmd.Context(), args[1:], shell.Std{In: std.In, Out: std.Out, Err: std.Err, Dir: dir, Env: std.Env}); exit != 0 {
				return cli.Exit(exit, nil)
			}
			return nil
		},
	}
}

// listSkills prints a line for each skill that can be loaded by name.
func listSkills(_ context.Context, args []string, std shell.Std) int {
	if len(args) > 0 {
		fmt.Fprintln(std.Err, "list-skills: takes no arguments")
		return cli.ExitUsage
	}
	finder := skill.Finder{PluginRoot: lookup(std.Env, "CLAUDE_PLUGIN_ROOT"), Dir: std.Dir, Home: lookup(std.Env, "HOME")}
	for _, loc := range finder.List() {
		s, err := skill.Read(loc)
		if err != nil {
			fmt.Fprintf(std.Err, "list-skills: %v\n", err)
			continue
		}
		fmt.Fprintf(std.Out, "%s: %s\n", loc.Name, strings.Join(strings.Fields(s.Front.Description), " "))
	}
	return cli.ExitOK
}
