package cli

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// DashArgument lets the argument of a command, a prompt, begin with a dash: it becomes the value of a hidden flag. No flag has a
// blank in its name, or begins with other than a letter.
func DashArgument(root *cobra.Command, args []string, command, hidden string) []string {
	if !slices.Contains(args, command) { // far cheaper than to look what the command is
		return args
	}
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Name() != command {
		return args
	}
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...)
		}
		name, _, hasValue := strings.Cut(arg, "=")
		switch {
		case cannotBeFlag(name):
			arg = "--" + hidden + "=" + arg
		case strings.HasPrefix(arg, "--") && !hasValue && i+1 < len(args):
			if flag := cmd.Flags().Lookup(name[2:]); flag != nil && flag.NoOptDefVal == "" {
				out = append(out, arg)
				i++
				arg = args[i] // the flag's value, whatever it looks like
			}
		}
		out = append(out, arg)
	}
	return out
}

// cannotBeFlag reports whether what begins with a dash cannot be a flag's name.
func cannotBeFlag(name string) bool {
	word := strings.TrimLeft(name, "-")
	if word == name || name == "-" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(word)
	return strings.ContainsAny(name, " \t\n") || !unicode.IsLetter(first) || first > unicode.MaxASCII
}
