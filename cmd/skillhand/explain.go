package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
)

func newExplain(std *stdio) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [RULE]",
		Short: "Explain a rule of check",
		Long: `Explain a rule of check: what happens, why, and what to do. Without a rule, all
are listed.`,
		Example: `  skillhand explain SK401
  skillhand explain dead-fallback
  skillhand explain`,
		Args: cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listRules(std, asJSON)
			}
			r := check.ByName(args[0])
			if r == nil {
				return cli.Usagef("%s: no such rule: skillhand explain lists them", args[0])
			}
			if asJSON {
				return std.PrintJSON(r.Document())
			}
			return std.Print(r.Doc())
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var all []string
			for _, r := range check.All() {
				all = append(all, r.ID+"\t"+r.Summary)
			}
			return all, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each rule")
	return cmd
}

func listRules(std *stdio, asJSON bool) error {
	var b strings.Builder
	width := std.Columns()
	if !term.IsTerminal(std.Out) && std.Getenv("COLUMNS") == "" {
		width = 1000 // what reads this has no edge
	}
	for _, r := range check.All() {
		doc := r.Document()
		if asJSON {
			if err := std.PrintJSON(doc); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(&b, "%s  %-21s  %-7s  %s\n", r.ID, r.Name, doc.Severity, term.Fit(r.Summary, max(width-40, 30)))
	}
	return std.Print(b.String())
}
