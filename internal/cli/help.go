package cli

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/words"
)

// first lists the commands that the first help describes. further lists the commands that it only
// names. Only help --all lists the rest.
var (
	first   = []string{"check", "load", "try", "test", "ask", "usage", "init"}
	further = []string{"list", "may", "run", "batch", "page", "trust", "done", "gate",
		"doctor", "history", "mcp", "migrate", "parse", "upgrade", "uninstall"}
)

// A group is a heading of the help, with its commands in the order of their help.
type group struct {
	title    string
	commands []string
}

// groups are the headings of the help of all commands.
var groups = []group{
	{"Use skills", []string{"load", "run", "ask", "batch", "list", "mcp"}},
	{"Write skills", []string{"init", "check", "may", "test", "try", "done", "gate", "parse", "emit", "migrate", "lsp"}},
	{"See what happened", []string{"usage", "history", "statusline", "page"}},
	{"Set up", []string{"trust", "doctor", "upgrade", "uninstall", "completion", "man", "version", "help"}},
	{"For other programs", []string{"hook", "builtin", "server"}},
}

// groupsOf returns the groups of the existing commands. Commands without a group come last, unless
// only the first commands are wanted.
func groupsOf(cmd *cobra.Command, all bool) (titles []string, members [][]*cobra.Command) {
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
	switch {
	case cmd.HasParent():
	case all:
		for _, g := range groups {
			add(g.title, g.commands)
		}
	default:
		add("Commands", first)
		return titles, members
	}
	add("Commands", order)
	return titles, members
}

// A helper prints help in the width of the terminal.
type helper struct{ std *Std }

// narrowest and widest limit the width of help. Wider lines are hard to read.
const narrowest, widest = 40, 100

func (h helper) columns() int { return min(max(h.std.Columns(), narrowest), widest) }

// help prints the help of a command. It begins with the example that most people want.
func (h helper) help(c *cobra.Command, _ []string) {
	c.InitDefaultHelpFlag()
	text := reflow(description(c), h.columns()) + "\n" + h.body(c, false)
	if example, _ := splitExamples(c); c.HasParent() && example != "" {
		text = example + "\n\n" + text
	}
	_, _ = fmt.Fprint(c.OutOrStdout(), text)
}

// splitExamples returns the first of a command's examples, and the others.
func splitExamples(c *cobra.Command) (first, others string) {
	first, others, _ = strings.Cut(c.Example, "\n")
	return first, others
}

// usage prints the help below the description.
func (h helper) usage(c *cobra.Command) error {
	_, err := fmt.Fprint(c.OutOrStdout(), h.body(c, false))
	return err
}

// body returns the help of a command below its description. For the root it lists all commands, or
// only the first ones.
func (h helper) body(c *cobra.Command, all bool) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.HasAvailableSubCommands() && c.Use == c.Name() {
		fmt.Fprintf(&b, "  %s COMMAND\n", c.CommandPath())
	} else {
		fmt.Fprintf(&b, "  %s\n", c.UseLine())
	}
	_, others := splitExamples(c)
	switch {
	case !c.HasParent() && !all:
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	case c.HasParent() && others != "":
		fmt.Fprintf(&b, "\nMore examples:\n%s\n", others)
	}
	titles, members := groupsOf(c, all)
	for i, title := range titles {
		fmt.Fprintf(&b, "\n%s:\n", title)
		for _, m := range members[i] {
			b.WriteString(term.Hang(fmt.Sprintf("  %-*s ", m.NamePadding(), m.Name()), m.Short, h.columns()))
		}
	}
	if names := namedOnly(c); len(names) > 0 && !all {
		b.WriteString("\n" + term.Hang("More: ", strings.Join(names, ", "), h.columns()))
	}
	flags := func(title string, set *pflag.FlagSet) {
		if set.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s\n", title, flagLines(set, h.columns()))
		}
	}
	flags("Flags", c.LocalFlags())
	flags("Global flags", c.InheritedFlags())
	switch {
	case !c.HasParent():
		b.WriteString("\n" + reflow(h.more(c, all), h.columns()))
	case c.HasAvailableSubCommands():
		fmt.Fprintf(&b, "\nRun %s COMMAND --help for more about a command.\n", c.CommandPath())
	}
	return b.String()
}

// namedOnly lists the commands that the first help of the root names without a description.
func namedOnly(c *cobra.Command) []string {
	if c.HasParent() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(further), func(name string) bool {
		return !slices.ContainsFunc(c.Commands(), func(c *cobra.Command) bool { return c.Name() == name && c.IsAvailableCommand() })
	})
}

// more returns a line that names the other help texts.
func (h helper) more(root *cobra.Command, all bool) string {
	text := fmt.Sprintf("Run %s COMMAND --help for more about a command.", root.CommandPath())
	if !all && len(root.Commands()) > 0 {
		text = fmt.Sprintf("%s help --all lists all commands. %s COMMAND --help says more about one.", root.CommandPath(), root.CommandPath())
	}
	var names []string
	for _, t := range topics {
		names = append(names, root.CommandPath()+" help "+t.name)
	}
	return text + " Also: " + strings.Join(names, ", ") + ".\n"
}

// reflow wraps paragraphs at a width. Indented lines stay as they are.
func reflow(text string, width int) string {
	var b strings.Builder
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			b.WriteString(strings.Join(term.Wrap(strings.Join(paragraph, " "), width), "\n") + "\n")
			paragraph = nil
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if line == "" || indented(line) {
			flush()
			b.WriteString(line + "\n")
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
	return b.String()
}

// placeholder matches the name of a flag's value in the lines about flags.
var placeholder = words.Regexp(`(?m)^ {1,6}(?:-\w, )?--[\w-]+ ([a-zA-Z][^ \n]*)`)

// optional matches a flag whose value may be omitted, as pflag writes it: --pin digest[="now"].
var optional = words.Regexp(`(?m)^( {1,6}--[\w-]+) (\w+)\[=[^]]*\]`)

// flagLines returns the lines about flags, with the names of values in capitals.
func flagLines(set *pflag.FlagSet, columns int) string {
	text := []byte(strings.TrimRight(set.FlagUsagesWrapped(columns), " \n"))
	for _, at := range placeholder.Get().FindAllSubmatchIndex(text, -1) {
		copy(text[at[2]:at[3]], bytes.ToUpper(text[at[2]:at[3]]))
	}
	for _, at := range optional.Get().FindAllSubmatchIndex(text, -1) {
		as := fmt.Sprintf("%s[=%s]", text[at[2]:at[3]], text[at[4]:at[5]])
		copy(text[at[0]:at[1]], fmt.Sprintf("%-*s", at[1]-at[0], as))
	}
	return string(text)
}

// flagError returns an error that names the wrong flag and suggests the right one.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok && len(e.GetSpecifiedName()) > 1 {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if said := borrowedFlag(cmd.CommandPath(), e.GetSpecifiedName()); said != "" {
			text += said
		} else if near := suggest(e.GetSpecifiedName(), names); len(near) > 0 {
			text += ", did you mean --" + strings.Join(near, " or --") + "?"
		}
	}
	e, ok := errors.AsType[*pflag.InvalidValueError](err)
	none, bare := errors.AsType[*pflag.ValueRequiredError](err)
	unknown, short := errors.AsType[*pflag.NotExistError](err)
	_, known := errors.AsType[*notOneOf](err)
	switch {
	case ok && known:
		text = fmt.Sprintf("--%s %v", e.GetFlag().Name, e.Unwrap())
	case bare:
		value, usage := pflag.UnquoteUsage(none.GetFlag())
		text = fmt.Sprintf("--%s needs a value: --%[1]s %s (%s)", none.GetFlag().Name, strings.ToUpper(value), usage)
	case short && unknown.GetSpecifiedShortnames() != "":
		text = fmt.Sprintf("unknown flag: -%s%s", unknown.GetSpecifiedName(), borrowedFlag(cmd.CommandPath(), unknown.GetSpecifiedName()))
	case ok && errors.Is(err, strconv.ErrRange):
		text = fmt.Sprintf("--%s is %q, want a smaller number", e.GetFlag().Name, e.GetValue())
	case ok && strings.Contains(e.GetFlag().Value.Type(), "int"):
		text = fmt.Sprintf("--%s is %q, want a whole number", e.GetFlag().Name, e.GetValue())
	case ok && e.GetFlag().Value.Type() == "bool":
		text = fmt.Sprintf("--%s is %q, want true or false", e.GetFlag().Name, e.GetValue())
	case ok && strings.HasPrefix(e.GetFlag().Value.Type(), "float"):
		text = fmt.Sprintf("--%s is %q, want a number", e.GetFlag().Name, e.GetValue())
	case short && !cmd.HasParent() && slices.ContainsFunc(cmd.Commands(), func(c *cobra.Command) bool {
		return c.Flags().Lookup(unknown.GetSpecifiedName()) != nil
	}):
		text = fmt.Sprintf("--%s goes after the command, as in skillhand COMMAND --%[1]s", unknown.GetSpecifiedName())
	case ok && e.GetFlag().Value.Type() == "duration":
		text = fmt.Sprintf("--%s is %q, want a time such as 90s or 10m", e.GetFlag().Name, e.GetValue())
		if n, err := strconv.Atoi(e.GetValue()); err == nil && n > 0 {
			text = fmt.Sprintf("--%s %d: want a unit: %dms or %s", e.GetFlag().Name, n, n, seconds(n))
		}
	}
	if short {
		text += dashFirst(cmd, unknown)
	}
	return Exit(ExitUsage, &badFlag{fmt.Sprintf("%s\nsee %s --help", text, cmd.CommandPath())})
}

// dashFirst says how to pass an unknown flag to the skill, if the command passes arguments to one, or to quote the command
// that the flag belongs to, if the command takes one.
func dashFirst(cmd *cobra.Command, unknown *pflag.NotExistError) string {
	before := cmd.Flags().Args() // the arguments before the flag
	takesCommand := strings.Contains(cmd.Use, "[COMMAND|")
	if len(before) == 0 || !takesCommand && !strings.HasSuffix(cmd.Use, "[ARG...]") {
		return ""
	}
	flag := "--" + unknown.GetSpecifiedName()
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		flag = "-" + short
	}
	if takesCommand {
		return fmt.Sprintf("; quote the whole command, as in %s '%s %s'", cmd.CommandPath(), strings.Join(before, " "), flag)
	}
	return fmt.Sprintf("; to pass it to %s, put -- first: %s %s -- %s", before[0], cmd.CommandPath(), words.Quote(before...),
		words.Quote(flag))
}

// A badFlag error says what is wrong with a flag. Flags after it were not read.
type badFlag struct{ text string }

func (e *badFlag) Error() string { return e.text }

// seconds returns the duration that a number without a unit probably means: milliseconds if it is
// large.
func seconds(n int) string {
	if n < 1000 {
		return strconv.Itoa(n) + "s"
	}
	return strconv.FormatFloat(float64(n)/1000, 'f', -1, 64) + "s"
}

// suggest returns the names within a few keystrokes, nearest first.
func suggest(typed string, names []string) []string {
	most := 2
	if len(typed) <= 4 { // two wrong letters of four are too many
		most = 1
	}
	return words.Within(typed, names, most)
}
