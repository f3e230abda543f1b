package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Group makes cmd one that only has commands below it: without one it shows its help, and a mistyped
// one is wrong usage.
func Group(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		text := fmt.Sprintf("unknown command %q", args[0])
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			text += ", did you mean " + strings.Join(near, " or ") + "?"
		}
		return Usagef("%s\nsee %s --help", text, cmd.CommandPath())
	}
}

// Root makes cmd the root of a program: what it does without a command, with
// one that is mistyped, with a flag that is, with help and completion.
func Root(std *Std, cmd *cobra.Command) {
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	Group(cmd)
	cmd.SetIn(std.In)
	cmd.SetOut(std.Out)
	cmd.SetErr(std.Err)
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetUsageFunc(usage)
	cmd.Version = NewVersion().Version
	noColor := cmd.PersistentFlags().Bool("no-color", false, "print no colours (also: NO_COLOR)")
	cmd.PersistentPreRun = func(*cobra.Command, []string) {
		std.Color, std.OutColor = std.Color && !*noColor, std.OutColor && !*noColor
	}
	cmd.SetHelpCommand(newHelp(cmd))
	cmd.InitDefaultCompletionCmd()
	if completion, _, err := cmd.Find([]string{"completion"}); err == nil {
		completion.Args = Args(cobra.NoArgs)
		completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		completion.Short = "Print the completion script for a shell"
		completion.Long = "Print a script that lets a shell complete commands, flags and skill names."
		for _, c := range completion.Commands() {
			c.Short = "Print the completion script for " + c.Name()
			c.Long = c.Short + ". Load it when a session starts:"
			c.Example = "  " + loadCompletion[c.Name()]
		}
	}
}

// few is how many arguments cobra is given. It copies them several times before
// a command has them: with thousands of files that takes longer than to start.
const few = 100

// SetArgs sets a program's arguments. Those at the end that can be neither a flag
// nor a flag's value go straight to the command, if there are many.
func SetArgs(root *cobra.Command, args []string) {
	root.SetArgs(args)
	n := len(args)
	for n > few && !strings.HasPrefix(args[n-1], "-") {
		n--
	}
	n = min(n+1, len(args)) // the first may be the value of the flag before it
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

// loadCompletion is what a shell's start-up file says to have completions.
var loadCompletion = map[string]string{
	"bash":       "source <(skillhand completion bash)",
	"zsh":        "source <(skillhand completion zsh)",
	"fish":       "skillhand completion fish | source",
	"powershell": "skillhand completion powershell | Out-String | Invoke-Expression",
}

// newHelp is cobra's help command, but for a topic that does not exist.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return below(root, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return Usagef("no help for %q\nsee skillhand --help", strings.Join(args, " "))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// below lists the commands below the one that words name.
func below(root *cobra.Command, words []string) []string {
	var names []string
	if cmd, rest, err := root.Find(words); err == nil && len(rest) == 0 {
		for _, c := range documented(cmd) {
			names = append(names, c.Name())
		}
	}
	return names
}

// Args wraps an argument check so that its error counts as wrong usage.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return Usagef("%v\nusage: %s", err, cmd.UseLine())
		}
		return nil
	}
}
