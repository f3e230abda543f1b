package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpColumns is how wide help is, whatever the terminal.
const helpColumns = 80

// A group is a heading of the help, with its commands in the order of their help.
type group struct {
	title    string
	commands []string
}

// groups are the headings of the help of skillhand.
var groups = []group{
	{"Use skills", []string{"load", "run", "ask", "batch", "list", "mcp"}},
	{"Write skills", []string{"init", "check", "explain", "test", "try", "parse", "emit", "migrate", "lsp"}},
	{"See what happened", []string{"status", "statusline", "retro", "history", "page"}},
	{"Set up", []string{"trust", "doctor", "hook", "builtin", "server", "version", "upgrade", "completion", "man", "help"}},
}

// groupsOf are the groups with the commands that there are. What no group
// names comes last.
func groupsOf(cmd *cobra.Command) (titles []string, members [][]*cobra.Command) {
	left := map[string]*cobra.Command{}
	var order []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			left[c.Name()] = c
			order = append(order, c.Name())
		}
	}
	add := func(title string, names []string) {
		var all []*cobra.Command
		for _, name := range names {
			if c := left[name]; c != nil {
				all = append(all, c)
				delete(left, name)
			}
		}
		if len(all) > 0 {
			titles, members = append(titles, title), append(members, all)
		}
	}
	if !cmd.HasParent() {
		for _, g := range groups {
			add(g.title, g.commands)
		}
	}
	add("Commands", order)
	return titles, members
}

// usage is what --help prints below the description.
func usage(c *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", c.CommandPath())
	} else {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	titles, members := groupsOf(c)
	for i, title := range titles {
		fmt.Fprintf(&b, "\n%s:\n", title)
		for _, m := range members[i] {
			fmt.Fprintf(&b, "  %-*s %s\n", m.NamePadding(), m.Name(), m.Short)
		}
	}
	flags := func(title string, set *pflag.FlagSet) {
		if set.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s\n", title, strings.TrimRight(set.FlagUsagesWrapped(helpColumns), " \n"))
		}
	}
	flags("Flags", c.LocalFlags())
	flags("Global flags", c.InheritedFlags())
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nRun %s COMMAND --help for more about a command.\n", c.CommandPath())
	}
	_, err := fmt.Fprint(c.OutOrStdout(), b.String())
	return err
}

// flagError says which flag is wrong, and which may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if e, ok := err.(*pflag.NotExistError); ok && len(e.GetSpecifiedName()) > 1 {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := suggest(e.GetSpecifiedName(), names); len(near) > 0 {
			text += ", did you mean --" + strings.Join(near, " or --") + "?"
		}
	}
	if e, ok := err.(*pflag.InvalidValueError); ok && e.GetFlag().Value.Type() == "duration" {
		if n, err := strconv.Atoi(e.GetValue()); err == nil && n > 0 {
			text = fmt.Sprintf("--%s %d: want a unit: %dms or %s", e.GetFlag().Name, n, n, seconds(n))
		}
	}
	return Usagef("%s\nsee %s --help", text, cmd.CommandPath())
}

// seconds is what somebody means by a number without a unit: milliseconds if there are many.
func seconds(n int) string {
	if n < 1000 {
		return strconv.Itoa(n) + "s"
	}
	return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64) + "s"
}

// suggest returns the names that are a few keystrokes away, by the same rule
// that cobra has for commands.
func suggest(typed string, names []string) []string {
	rule := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		rule.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return rule.SuggestionsFor(typed)
}
