package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/cli/clitest"
	"github.com/skillhand/skillhand/internal/term"
)

// TestHelp: the help of every command fits into 80 columns, and every command
// stands in a group of help --all.
func TestHelp(t *testing.T) {
	var out strings.Builder
	root := newRoot(&cli.Std{Out: &out, Err: &out})
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		out.Reset()
		cmd.InitDefaultHelpFlag()
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if n := term.Cells(line); n > 80 {
				t.Errorf("%s --help: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				visit(c)
			}
		}
	}
	visit(root)
	for _, c := range root.Commands() {
		if !slices.Contains(cli.Commands, c.Name()) {
			t.Errorf("%s is missing in cli.Commands, so that messages break its command lines", c.Name())
		}
	}
	clitest.Check(t, root)
	clitest.Failures(t, root, func(std *cli.Std) int {
		root := newRoot(std)
		root.SetArgs(os.Args[1:])
		return cli.Run(std, root)
	})
	out.Reset()
	root.SetArgs([]string{"help", "--all"})
	if err := root.Execute(); err != nil || strings.Contains(out.String(), "\nCommands:") {
		t.Errorf("a command has no group: see internal/cli/help.go\n%v\n%s", err, out.String())
	}
}
