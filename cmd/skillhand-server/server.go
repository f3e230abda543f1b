package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
)

func newServer(std *cli.Std) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Show the second program: where it is and what it is built from",
		Long: `Show the program that runs some of skillhand's commands, so that skillhand
itself starts fast: where it is, its version, its commands, and the modules it
is built from. If it is not found, this exits with 3 and says how to get it.`,
		Example: `  skillhand server
  skillhand server --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			doc, err := cli.NewServer(cmd.Root())
			if err != nil {
				return err
			}
			if asJSON {
				return std.PrintJSON(doc)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "%s %s (%s, %s/%s)\n", cli.ServerName, doc.Version.Version, doc.Go, doc.OS, doc.Arch)
			term.Section(&b, "program", [][2]string{{doc.Program, ""}})
			var rows [][2]string
			for _, c := range doc.Commands {
				rows = append(rows, [2]string{c, ""})
			}
			term.Section(&b, "commands", rows)
			rows = nil
			for _, m := range doc.Modules {
				rows = append(rows, [2]string{m.Path, m.Version})
			}
			term.Section(&b, "modules", rows)
			return std.Print(b.String())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
