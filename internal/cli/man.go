package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/term"
)

// NewMan returns the command that prints manual pages. In the second program it writes only the
// pages of its commands; the first program has the page about all commands.
func NewMan(std *Std, second bool) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "man [COMMAND...]",
		Short: "Show the manual page of a command",
		Long: `Show the manual page of skillhand, or of one of its commands. On a terminal, man
shows the page; elsewhere, this command prints the source that man reads. With
--dir, it writes the pages of all commands into a folder.

If SOURCE_DATE_EPOCH is set, it is the date of the pages.`,
		Example: `  skillhand man load
  skillhand man --dir ~/.local/share/man/man1 && man skillhand-load`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return below(cmd.Root(), args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			date, err := sourceDate(std.Getenv("SOURCE_DATE_EPOCH"))
			if err != nil {
				return err
			}
			if dir != "" {
				if len(args) > 0 {
					return Usagef("--dir writes all pages: it takes no COMMAND")
				}
				return std.writeManuals(cmd, dir, date, second)
			}
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknown(of, args[len(args)-max(len(rest), 1)])
			}
			if term.IsTerminal(std.Out) {
				return std.showManual(of, manual(of, date))
			}
			return std.Print(manual(of, date))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write all pages into this `folder`")
	return cmd
}

// showManual shows a page with man. If man is missing, it suggests the help.
func (std *Std) showManual(of *cobra.Command, page string) error {
	man, sh := std.findQuiet("man"), std.findQuiet("sh")
	if man == "" || sh == "" {
		return of.Help()
	}
	f, err := os.CreateTemp("", "skillhand-*.1")
	if err != nil {
		return err
	}
	_, err = f.WriteString(page)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return err
	}
	// man needs the terminal to itself, so a shell with man replaces this process and removes the file afterwards.
	exit, err := proc.Become(sh, []string{"sh", "-c", `"$0" "$1"; s=$?; rm -f "$1"; exit $s`, man, f.Name()}, std.Env)
	if err == nil && exit != 0 {
		err = Said(exit)
	}
	return err
}

// findQuiet returns the path of a program, or "".
func (std *Std) findQuiet(name string) string {
	if std.Find == nil {
		return ""
	}
	file, err := std.Find(name)
	if err != nil {
		return ""
	}
	return file
}

// sourceDate returns the date of the source, so that the same source makes the same page. It
// returns "" if the date is unknown.
func sourceDate(epoch string) (string, error) {
	if epoch == "" {
		return "", nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return "", fmt.Errorf("SOURCE_DATE_EPOCH is %q, want seconds since 1970", epoch)
	}
	return time.Unix(seconds, 0).UTC().Format(time.DateOnly), nil
}

func (std *Std) writeManuals(cmd *cobra.Command, dir, date string, second bool) error {
	if second {
		for _, c := range documented(cmd.Root()) {
			if err := writeManual(c, dir, date); err != nil {
				return err
			}
		}
		return nil
	}
	if err := writeManual(cmd.Root(), dir, date); err != nil {
		return err
	}
	return std.serverManuals(cmd.Context(), dir)
}

// writeManual writes the page of cmd and of every command below it.
func writeManual(cmd *cobra.Command, dir, date string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := files.Write(filepath.Join(dir, manualName(cmd)+".1"), []byte(manual(cmd, date)), 0o644); err != nil {
		return err
	}
	for _, c := range documented(cmd) {
		if isServer(c) {
			continue // the second program writes these pages
		}
		if err := writeManual(c, dir, date); err != nil {
			return err
		}
	}
	return nil
}

// documented lists the commands below cmd that have a page.
func documented(cmd *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() })
}

// manualName returns what man calls the page of a command: skillhand-load.
func manualName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manual returns the page of a command, in the macros of man(7).
func manual(cmd *cobra.Command, date string) string {
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s %s %s\n", quote(strings.ToUpper(manualName(cmd))), quote(date),
		quote("skillhand "+NewVersion().Version), quote("skillhand"))
	b.WriteString(".nh\n.ad l\n") // a hyphen added inside the name of a variable would look like part of it
	b.WriteString(".SH NAME\n" + roff(manualName(cmd)) + ` \- ` + roff(lowerFirst(cmd.Short)) + "\n")
	b.WriteString(".SH SYNOPSIS\n" + synopsis(cmd))
	b.WriteString(".SH DESCRIPTION\n" + prose(description(cmd)))
	if below := documented(cmd); len(below) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, c := range below {
			b.WriteString(".TP\n.BR " + roff(manualName(c)) + " (1)\n" + roff(c.Short) + "\n")
		}
	}
	b.WriteString(options("OPTIONS", cmd.NonInheritedFlags()))
	b.WriteString(options("GLOBAL OPTIONS", cmd.InheritedFlags()))
	if !cmd.HasParent() {
		b.WriteString(table("EXIT STATUS", Statuses))
		b.WriteString(table("ENVIRONMENT", Variables))
	}
	if cmd.HasExample() {
		b.WriteString(".SH EXAMPLES\n" + verbatim(strings.Split(cmd.Example, "\n")))
	}
	if cmd.HasParent() {
		b.WriteString(".SH SEE ALSO\n.BR " + roff(manualName(cmd.Parent())) + " (1)\n")
	}
	return b.String()
}

// description returns the long text of a command, or its short text if there is none.
func description(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

func synopsis(cmd *cobra.Command) string {
	use := strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath())
	if below := documented(cmd); len(below) > 0 && !strings.Contains(use, "[command]") {
		use += " [command]"
	}
	return ".B " + roff(cmd.CommandPath()) + "\n" + roff(strings.TrimSpace(use)) + "\n"
}

func options(title string, flags *pflag.FlagSet) string {
	var rows [][2]string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		rows = append(rows, FlagRow(f))
	})
	return table(title, rows)
}

// FlagRow returns the syntax of a flag and its description.
func FlagRow(f *pflag.Flag) [2]string {
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	switch {
	case value != "" && f.NoOptDefVal != "":
		name += "[=" + strings.ToUpper(value) + "]"
	case value != "":
		name += " " + strings.ToUpper(value)
	}
	if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
		usage += " (default " + f.DefValue + ")"
	}
	return [2]string{name, usage}
}

func table(title string, rows [][2]string) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(".SH " + quote(title) + "\n")
	for _, r := range rows {
		b.WriteString(".TP\n.B " + roff(r[0]) + "\n" + roff(r[1]) + "\n")
	}
	return b.String()
}

// prose formats paragraphs that are separated by empty lines. Indented lines stay as they are.
func prose(text string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for len(lines) > 0 {
		n := slices.IndexFunc(lines, func(l string) bool { return !indented(l) })
		if n < 0 {
			n = len(lines)
		}
		switch {
		case n > 0:
			b.WriteString(verbatim(lines[:n]))
			lines = lines[n:]
			continue
		case strings.TrimSpace(lines[0]) == "":
			b.WriteString(".PP\n")
		default:
			b.WriteString(roff(lines[0]) + "\n")
		}
		lines = lines[1:]
	}
	return b.String()
}

func indented(line string) bool {
	return strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
}

// verbatim formats lines as they are, in a block.
func verbatim(lines []string) string {
	var b strings.Builder
	b.WriteString(".PP\n.RS 4\n.nf\n")
	for _, l := range lines {
		b.WriteString(roff(strings.TrimPrefix(l, "  ")) + "\n")
	}
	b.WriteString(".fi\n.RE\n")
	return b.String()
}

// plain escapes characters that roff would replace with typographic ones, which nobody can paste
// into a shell.
var plain = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`)

// roff returns s as a line of text for roff.
func roff(s string) string {
	s = plain.Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s // otherwise roff reads a request
	}
	return s
}

// quote returns s as one argument of a macro.
func quote(s string) string { return `"` + strings.ReplaceAll(roff(s), `"`, `\(dq`) + `"` }

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
