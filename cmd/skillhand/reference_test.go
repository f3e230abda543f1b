package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/cli/clitest"
	"github.com/skillhand/skillhand/schemas"
)

// TestReference holds the generated parts of docs against the program.
func TestReference(t *testing.T) {
	const page = "../../docs/reference.md"
	for name, want := range map[string]string{
		"commands":      clitest.Reference(newRoot(cli.NewStd())),
		"exit statuses": clitest.Table(clitest.Pairs(cli.Statuses), "status", "what it means"),
		"environment":   clitest.Table(clitest.Pairs(cli.Variables), "variable", "what it does"),
		"documents":     documents(t),
	} {
		t.Run(name, func(t *testing.T) { clitest.Region(t, page, name, want) })
	}
	t.Run("rules", func(t *testing.T) { clitest.Region(t, "../../docs/rules.md", "rules", ruleTable()) })
	t.Run("agents", func(t *testing.T) { clitest.Region(t, "../../docs/agents.md", "agents", agentTable()) })
}

func ruleTable() string {
	var rows [][]string
	for _, r := range check.All() {
		rows = append(rows, []string{fmt.Sprintf("[%s](../check/doc/%[1]s.md)", r.ID), string(r.Document().Severity), r.Summary})
	}
	return clitest.Table(rows, "rule", "severity", "what it proves")
}

// agentTable has the agents that were asked, and where they look.
func agentTable() string {
	folders := func(f agents.Folders) string { return "`" + strings.Join(f.Skills, "` `") + "`" }
	var rows [][]string
	for _, a := range agents.All() {
		if a.Package != "" {
			rows = append(rows, []string{a.Title, "`" + a.Package + "`", folders(a.Project), folders(a.User)})
		}
	}
	return clitest.Table(rows, "agent", "npm package asked", "in the project", "in your home")
}

// A schema is as much of a JSON Schema as the reference needs.
type schema struct {
	Title       string
	Description string
	Required    []string
	Properties  map[string]schema
	Type        any
	Enum        []any
	Const       any
}

// documents describes the fields of every JSON document.
func documents(t *testing.T) string {
	t.Helper()
	files, err := fs.Glob(schemas.Files, "*.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, file := range files {
		text, err := schemas.Files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s schema
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		fmt.Fprintf(&b, "### [%s](../schemas/%s)\n\n%s.\n\n", strings.TrimSuffix(file, ".schema.json"), file, strings.TrimSuffix(s.Title, "."))
		b.WriteString(clitest.Table(clitest.Pairs(fields(s)), "field", "what it has"))
	}
	return b.String()
}

// fields lists those of a document that are described, the required ones first.
func fields(s schema) (rows [][2]string) {
	var names []string
	for name, p := range s.Properties {
		if p.Description != "" {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if x, y := slices.Index(s.Required, a), slices.Index(s.Required, b); x >= 0 && y >= 0 {
			return x - y
		} else if x >= 0 || y >= 0 {
			return y - x // one of them is -1
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		rows = append(rows, [2]string{name, s.Properties[name].Description})
	}
	return rows
}
