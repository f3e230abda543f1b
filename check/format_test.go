package check

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/test"
)

// sarifModule holds the schema of SARIF as its committee published it.
const sarifModule = "github.com/owenrumney/go-sarif/v3@v3.3.1"

// sarifSchema returns the schema of SARIF 2.1.0, out of a module that is only read.
func sarifSchema(t *testing.T) test.Schema {
	cmd := exec.Command("go", "mod", "download", "-json", sarifModule)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	if err != nil {
		test.Lacking(t, fmt.Errorf("%s cannot be had: %w", sarifModule, err))
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(module.Dir, "pkg/report/v210/sarif/schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && len(lit.Value) > len(text) {
			text, _ = strconv.Unquote(lit.Value)
		}
		return true
	})
	return test.CompileSchema(t, "sarif.json", []byte(text))
}

func validate(t *testing.T, schema test.Schema, data []byte) {
	t.Helper()
	if err := schema.Fault(data); err != nil {
		t.Errorf("%v", err)
	}
}

// everything is a result with each rule's findings in it.
func everything(t *testing.T) *Result {
	var all Result
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range cases {
		tr := layDown(t, readCase(t, file))
		res := Run(context.Background(), tr.files, tr.opt)
		all.Files += res.Files
		all.Directives += res.Directives
		all.Findings = append(all.Findings, res.Findings...)
	}
	return &all
}

// TestSARIF holds what is written against the schema, and against what GitHub takes.
func TestSARIF(t *testing.T) {
	schema := sarifSchema(t)
	res := everything(t)
	var b bytes.Buffer
	if err := res.SARIF(&b, "v1"); err != nil {
		t.Fatal(err)
	}
	validate(t, schema, b.Bytes())

	for n := 0; len(res.Findings) < 20_000; n++ {
		f := *res.Findings[n]
		f.Message = fmt.Sprintf("%s (%d)", f.Message, n)
		res.Findings = append(res.Findings, &f)
	}
	b.Reset()
	if err := res.SARIF(&b, "v1"); err != nil {
		t.Fatal(err)
	}
	validate(t, schema, b.Bytes())
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) != maxResults || len(run.Invocations[0].Notifications) != 1 {
		t.Errorf("%d results, %d notifications", len(run.Results), len(run.Invocations[0].Notifications))
	}
	worst := 3
	for _, r := range run.Results {
		rank := map[string]int{"error": 3, "warning": 2, "note": 1}[r.Level]
		if rank > worst {
			t.Errorf("a result of level %s after a lesser one", r.Level)
		}
		worst = rank
		if uri := r.Locations[0].Physical.Artifact; strings.HasPrefix(uri.URI, "/") || uri.Base != "%SRCROOT%" {
			t.Errorf("%+v", uri)
		}
	}
	for _, r := range run.Tool.Driver.Rules {
		_, security := r.Properties["security-severity"]
		if security != strings.HasPrefix(r.ID, "SK7") {
			t.Errorf("%s: security-severity: %v", r.ID, security)
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(b.Bytes())
	z.Close()
	if packed.Len() > 10<<20 {
		t.Errorf("%d bytes compressed", packed.Len())
	}
}

// TestJSON holds the document against its schema.
func TestJSON(t *testing.T) {
	data, err := json.Marshal(everything(t).Document("v1", 0))
	if err != nil {
		t.Fatal(err)
	}
	validate(t, test.OurSchema(t, "check-v1"), data)
}

// TestCaret: the mark stands under what is wrong, whatever is before it and however wide the terminal is.
func TestCaret(t *testing.T) {
	const wrong = `\'x\'`
	for _, before := range []string{"", "日本語 ", "a\tTab ", "é e\u0301 ", "👨‍👩‍👧 🏴 ", strings.Repeat("long ", 40), strings.Repeat("漢字", 50), "a\u200bb "} {
		for _, columns := range []int{0, 20, 60, 200} {
			for _, ascii := range []bool{false, true} {
				src := "---\ndescription: d\n---\n" + before + "!`find . -name " + wrong + " -type f " + strings.Repeat("-print ", 20) + "`\n"
				if strings.TrimSpace(before) != "" && !strings.HasSuffix(before, " ") {
					src = strings.Replace(src, "!`", " !`", 1)
				}
				res := Run(context.Background(), []File{Finder{Dir: "/"}.Source("", []byte(src))}, Options{Rules: map[string]Severity{"SK401": Off, "SK701": Off}})
				if len(res.Findings) != 1 {
					t.Fatalf("%q: %d findings", src, len(res.Findings))
				}
				lines := strings.Split(Printer{Columns: columns, ASCII: ascii}.full(res.Findings[0]), "\n")
				for i, line := range lines {
					at := strings.Index(line, "^")
					if at < 0 || strings.Trim(line[at:], "^") != "" {
						continue
					}
					above := term.Clusters(lines[i-1])
					under := join(above)[len(join(fit(above, term.Cells(line[:at])))):]
					if !strings.HasPrefix(under, wrong) && !strings.HasPrefix(wrong, strings.TrimRight(under, " ")) {
						t.Errorf("%q, %d columns: the mark is under %q:\n%s\n%s", before, columns, under, lines[i-1], line)
					}
					if want := max(columns, 20); columns > 0 && (term.Cells(lines[i-1]) > want || term.Cells(line) > want) {
						t.Errorf("%q: wider than %d:\n%s\n%s", before, want, lines[i-1], line)
					}
				}
			}
		}
	}
}

// TestGitHub: what would end a command of a workflow is escaped.
func TestGitHub(t *testing.T) {
	var b bytes.Buffer
	f := &Finding{
		Rule:     "SK001",
		Name:     "x",
		Severity: Info,
		File:     "a,b:c%.md",
		Message:  "one\ntwo",
		Help:     "50%",
		Range:    Range{Line: 1, Column: 2, EndLine: 3, EndColumn: 4},
	}
	if err := GitHub(&b, []*Finding{f}); err != nil {
		t.Fatal(err)
	}
	want := "::notice file=a%2Cb%3Ac%25.md,line=1,endLine=3,col=2,endColumn=4,title=SK001 x::one%0Atwo%0A50%25\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}
