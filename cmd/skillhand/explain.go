package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
)

// explainRules explains the named rules, or lists all rules.
func explainRules(std *cli.Std, names []string, asJSON bool) error {
	if len(names) == 0 {
		return listRules(std, asJSON)
	}
	for _, name := range names {
		if err := explainRule(std, name, asJSON); err != nil {
			return err
		}
	}
	return nil
}

func completeRules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, r := range check.All() {
		all = append(all, r.ID+"\t"+r.Summary)
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// explainRule prints the documentation of a rule, wrapped if stdout is a terminal.
func explainRule(std *cli.Std, name string, asJSON bool) error {
	r := check.ByName(name)
	if r == nil {
		var names []string
		for _, r := range check.All() {
			names = append(names, r.ID, r.Name)
		}
		if meant := cli.DidYouMean(name, names); meant != "" {
			return cli.Usagef("%s: no such rule%s", name, meant)
		}
		return cli.Usagef("%s: no such rule: skillhand check --explain lists them", name)
	}
	if asJSON {
		return std.PrintJSON(r.Document())
	}
	if !term.IsTerminal(std.Out) {
		return std.Print(r.Doc())
	}
	return std.Print(term.WrapMarkdown(r.Doc(), std.Columns()))
}

func listRules(std *cli.Std, asJSON bool) error {
	var b strings.Builder
	byID := func(a, b *check.Rule) int { return cmp.Compare(a.ID, b.ID) }
	for _, r := range slices.SortedFunc(slices.Values(check.All()), byID) {
		doc := r.Document()
		if asJSON {
			if err := std.PrintJSON(doc); err != nil {
				return err
			}
			continue
		}
		head := fmt.Sprintf("%s  %-21s  %-7s  ", r.ID, r.Name, doc.Severity)
		b.WriteString(term.Hang(head, r.Summary, std.Edge()))
	}
	return std.Print(b.String())
}
