package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Group makes cmd a command that only has subcommands. Without a subcommand it prints its help; a
// mistyped one is wrong usage.
func Group(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknown(cmd, args[0])
	}
}

// Root makes cmd the root of a program. It sets up the help, the completion, and the errors for a
// mistyped command or flag.
func Root(std *Std, cmd *cobra.Command) {
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	Group(cmd)
	cmd.SetIn(std.In)
	cmd.SetOut(std.Out)
	cmd.SetErr(std.Err)
	cmd.SetFlagErrorFunc(flagError)
	h := helper{std}
	cmd.SetUsageFunc(h.usage)
	cmd.SetHelpFunc(h.help)
	cmd.Version = NewVersion().Version
	noColor := cmd.PersistentFlags().Bool("no-color", false, "print no colors (also: NO_COLOR)")
	cmd.PersistentPreRun = func(*cobra.Command, []string) {
		std.Color, std.OutColor = std.Color && !*noColor, std.OutColor && !*noColor
	}
	cmd.SetHelpCommand(newHelp(std, cmd))
	cmd.InitDefaultCompletionCmd()
	if c, _, err := cmd.Find([]string{"completion"}); err == nil {
		completion(std, c)
	}
}

// few is how many arguments cobra gets. It copies arguments several times before the command gets
// them, which takes longer than the start with thousands of files.
const few = 100

// SetArgs sets a program's arguments. If there are many, those at the end that can be neither a
// flag nor a flag's value go straight to the command.
func SetArgs(root *cobra.Command, args []string) {
	args = withoutHelp(root, args)
	root.SetArgs(args)
	n := len(args)
	for n > few && !strings.HasPrefix(args[n-1], "-") {
		n--
	}
	n = min(n+1, len(args)) // the next argument may be the value of a flag
	if n == len(args) {
		return
	}
	cmd, _, err := root.Find(args[:n])
	if err != nil || cmd == root || cmd.RunE == nil {
		return
	}
	run, rest := cmd.RunE, args[n:]
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd, append(args, rest...)) }
	root.SetArgs(args[:n])
}

// withoutHelp removes the flags after a mistyped command. For the help flag, cobra would print the
// help of the parent command, as if nothing were wrong. For any other flag, it would complain about
// the flag before the command.
func withoutHelp(root *cobra.Command, args []string) []string {
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasSubCommands() || len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return args
	}
	later := rest[0] == "help" || strings.HasPrefix(rest[0], cobra.ShellCompRequestCmd) // cobra adds these commands later
	return slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		return arg == "-h" || arg == "--help" || cmd == root && !later && strings.HasPrefix(arg, "-")
	})
}

func newHelp(std *Std, root *cobra.Command) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Help about a command or a topic",
		Long: `Help about a command, or about a topic: exit-codes, environment or install. With
--all, list all commands.`,
		Example: `  skillhand help load
  skillhand help --all
  skillhand help exit-codes`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			names := below(root, args)
			if len(args) == 0 {
				for _, t := range topics {
					names = append(names, t.name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			h := helper{std}
			root.InitDefaultHelpFlag()
			root.InitDefaultVersionFlag()
			if all {
				return std.Print(h.body(root, true))
			}
			if len(args) == 1 {
				if t := topicOf(args[0]); t != nil {
					return std.Print(t.text(h.columns()))
				}
			}
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknown(cmd, args[len(args)-max(len(rest), 1)])
			}
			return cmd.Help()
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "list all commands")
	return cmd
}

func below(root *cobra.Command, words []string) []string {
	var names []string
	if cmd, rest, err := root.Find(words); err == nil && len(rest) == 0 {
		for _, c := range documented(cmd) {
			names = append(names, c.Name())
		}
	}
	return names
}

// meantValue suggests how to write an argument that the command does not accept: as the flag of
// that name, as the value of --skill, or as the value of a given flag whose value may be omitted.
func meantValue(cmd *cobra.Command, arg string) (hint string) {
	if f := cmd.Flags().Lookup(arg); f != nil && !f.Hidden {
		return fmt.Sprintf(", did you mean --%s?", arg)
	}
	if f := cmd.Flags().Lookup("skill"); f != nil && !f.Changed {
		hint = fmt.Sprintf(", did you mean --skill %s?", arg)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.NoOptDefVal != "" && f.Value.Type() != "bool" && f.Value.Type() != "count" {
			hint = fmt.Sprintf(", did you mean --%s=%s?", f.Name, arg)
		}
	})
	return hint
}

// Args wraps an argument check so that its error counts as wrong usage.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		what := "too few arguments"
		for n := range args { // fewer arguments may be valid
			if check(cmd, args[:n]) == nil {
				what = fmt.Sprintf("%q is one argument too many", args[n]) + meantValue(cmd, args[n])
			}
		}
		return Usagef("%s\nusage: %s", what, cmd.UseLine())
	}
}

// Misplaced returns an argument of the script, with its value, that is also the name of a flag of
// the command. It returns "" if the command got that flag, or after --.
func Misplaced(cmd *cobra.Command, args []string) string {
	if cmd.ArgsLenAtDash() >= 0 {
		return ""
	}
	for i, arg := range args {
		name, _, whole := strings.Cut(arg, "=")
		long, ok := strings.CutPrefix(name, "--")
		f := cmd.Flags().Lookup(long)
		switch {
		case !ok || f == nil || f.Changed:
		case whole || f.NoOptDefVal != "" || i+1 == len(args):
			return arg
		default:
			return arg + " " + args[i+1]
		}
	}
	return ""
}
