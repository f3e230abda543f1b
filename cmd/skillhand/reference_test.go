package main

import (
	"encoding/json"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/claude"
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
	t.Run("failures", func(t *testing.T) { clitest.Region(t, "../../docs/asking.md", "failures", failureTable(t)) })
	t.Run("packages", func(t *testing.T) { clitest.Region(t, "../../docs/architecture.md", "packages", packageTable(t)) })
	t.Run("agents", func(t *testing.T) { clitest.Region(t, "../../docs/agents.md", "agents", agentTable()) })
}

func ruleTable() string {
	var rows [][]string
	for _, r := range check.All() {
		rows = append(rows, []string{fmt.Sprintf("[%s](../check/doc/%[1]s.md)", r.ID), string(r.Document().Severity), r.Summary})
	}
	return clitest.Table(rows, "rule", "severity", "what it proves")
}

// answers begins the comment of a package. The question that it answers follows.
var answers = regexp.MustCompile(`^(?:(?:Package|Command) [\w-]+|Corpus) (?:answers[^:]*: |is |has |holds )?`)

// packageTable lists the packages of the module, each with the first sentence of its comment.
func packageTable(t *testing.T) string {
	t.Helper()
	var rows [][]string
	err := filepath.WalkDir("../..", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); name != ".." && strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" {
			return fs.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return err
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				return err
			}
			if f.Doc == nil || strings.HasSuffix(file, "_test.go") {
				continue
			}
			rel, err := filepath.Rel("../..", dir)
			text := answers.ReplaceAllString(new(doc.Package).Synopsis(f.Doc.Text()), "")
			if question, _, ok := strings.Cut(text, "?"); ok {
				text = question + "?"
			}
			rows = append(rows, []string{"`" + filepath.ToSlash(rel) + "`", text})
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return clitest.Table(rows, "package", "question that it answers")
}

var (
	kindLine     = regexp.MustCompile(`(?m)^\t(\w+) +Kind = "([^"]+)" +// (.*?); (.*)$`)
	categoryLine = regexp.MustCompile(`(?m)^\t(\w+) +Category = "([^"]+)"$`)
	kindRow      = regexp.MustCompile(`(?m)^\t(\w+): +\{(\w+), (?:true|false), `)
)

// failureTable lists the kinds of failures of ask, as claude/classify.go describes them.
func failureTable(t *testing.T) string {
	t.Helper()
	src, err := os.ReadFile("../../claude/classify.go")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{} // of the categories, by the names of their constants
	for _, m := range categoryLine.FindAllStringSubmatch(string(src), -1) {
		values[m[1]] = m[2]
	}
	category := map[string]string{} // of each kind
	for _, m := range kindRow.FindAllStringSubmatch(string(src), -1) {
		category[m[1]] = values[m[2]]
	}
	var rows [][]string
	for _, m := range kindLine.FindAllStringSubmatch(string(src), -1) {
		e := &claude.Error{Category: claude.Category(category[m[1]]), Kind: claude.Kind(m[2])}
		retried, status := "no", strconv.Itoa(cli.AskStatus(e))
		if e.Temporary() {
			retried = "yes"
		}
		if e.Kind == claude.Interrupted {
			status = "130, 143"
		}
		rows = append(rows, []string{"`" + string(e.Category) + "`", "`" + m[2] + "`", m[3], m[4], retried, status})
	}
	if len(rows) == 0 || len(rows) != len(category) {
		t.Fatalf("%d kinds with a comment, %d with a category", len(rows), len(category))
	}
	slices.SortStableFunc(rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return clitest.Table(rows, "category", "kind", "what happened", "what to do", "retried", "exit status")
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
