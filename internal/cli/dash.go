package cli

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// DashArgument lets a command's argument, a prompt, begin with a dash. The argument becomes the
// value of a hidden flag. A flag's name contains no space and begins with a letter.
func DashArgument(root *cobra.Command, args []string, command, hidden string) []string {
	if !slices.Contains(args, command) { // much faster than finding the command
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
				arg = args[i] // the flag's value, even if it begins with a dash
			}
		}
		out = append(out, arg)
	}
	return out
}

// cannotBeFlag reports whether an argument that begins with a dash cannot be a flag.
func cannotBeFlag(name string) bool {
	word := strings.TrimLeft(name, "-")
	if word == name || name == "-" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(word)
	return strings.ContainsAny(name, " \t\n") || !unicode.IsLetter(first) || first > unicode.MaxASCII
}
