package clitest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/skillhand/skillhand/internal/cli"
)

var update = flag.Bool("reference", false, "write the generated parts of docs again")

// Region compares the generated part of a page with want. The part is what lies between two comments that
// name it; -reference writes it.
func Region(t *testing.T, page, name, want string) {
	t.Helper()
	src, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->"
	before, rest, ok := strings.Cut(string(src), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s: no part named %q: want %q and %q, each on its line", page, name, begin, end)
	}
	want = "\n" + strings.TrimSpace(want) + "\n\n"
	if got == want {
		return
	}
	if !*update {
		t.Fatalf("%s: the part %q is out of date; write it with: go test %s -run %s -reference", page, name, "./cmd/...", t.Name())
	}
	if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Reference describes every command below root in Markdown: how it is called, its flags, an example.
func Reference(root *cobra.Command) string {
	var b strings.Builder
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			if _, other := c.Annotations[cli.ServerName]; other || !c.IsAvailableCommand() {
				continue // the other program describes its commands
			}
			writeCommand(&b, c)
			visit(c)
		}
	}
	visit(root)
	return b.String()
}

func writeCommand(b *strings.Builder, c *cobra.Command) {
	c.InitDefaultHelpFlag()
	fmt.Fprintf(b, "%s %s\n\n%s.\n\n    %s\n\n", strings.Repeat("#", 2+strings.Count(c.CommandPath(), " ")), c.CommandPath(),
		strings.TrimSuffix(c.Short, "."), c.UseLine())
	var rows [][2]string
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		rows = append(rows, cli.FlagRow(f))
	})
	b.WriteString(Table(Pairs(rows), "flag", "what it does"))
}

// Table returns a Markdown table, or nothing for no rows.
func Table(rows [][]string, head ...string) string {
	if len(rows) == 0 {
		return ""
	}
	escape := strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;")
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", escape.Replace(strings.Join(row, "\x00")))
	}
	return strings.ReplaceAll(b.String(), "\x00", " | ") + "\n"
}

// Pairs returns the rows of a table whose first column is code.
func Pairs(pairs [][2]string) (rows [][]string) {
	for _, p := range pairs {
		rows = append(rows, []string{"`" + p[0] + "`", p[1]})
	}
	return rows
}
