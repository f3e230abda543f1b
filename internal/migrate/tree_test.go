package migrate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

// TestTree: files that depend on each other. The archive's files are the tree, and want is the
// outcome.
func TestTree(t *testing.T) {
	test.Cases(t, "testdata/trees/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		opt := TreeOptions{Companion: strings.Contains(c.Comment, "--companion")}
		if strings.Contains(c.Comment, "--include-read") {
			opt.Include = func(p string) bool { return strings.HasPrefix(p, "included/") }
		}
		var files []File
		for name, data := range c.Files {
			if name != "want" {
				files = append(files, File{name, []byte(data)})
			}
		}
		results, unclear := Tree(files, opt)
		var out strings.Builder
		for _, r := range results {
			fmt.Fprintf(&out, "%s %s", r.Status, r.Path)
			if r.Line > 0 {
				fmt.Fprintf(&out, ":%d", r.Line)
			}
			if r.Reason != "" {
				fmt.Fprintf(&out, ": %s", r.Reason)
			}
			if r.Remove {
				out.WriteString(" (removed)")
			}
			out.WriteString("\n")
			if r.Edit != nil && strings.HasSuffix(r.Path, ".md") && !r.Remove {
				out.WriteString("| " + strings.ReplaceAll(strings.TrimSuffix(string(r.Edit.After), "\n"), "\n", "\n| ") + "\n")
			}
		}
		for _, u := range unclear {
			fmt.Fprintf(&out, "unclear %s:%d\n", u.Path, u.Line)
		}
		again, _ := Tree(applied(files, results), opt)
		for _, r := range again {
			if strings.Contains(r.Reason, ReportFile) {
				t.Errorf("twice: %s: %s", r.Path, r.Reason)
			}
			if r.Status == Changed {
				t.Errorf("twice: %s changes again:\n%s", r.Path, r.Edit.Diff())
			}
		}
		return map[string]string{"want": out.String()}
	})
}

// applied returns a tree with its results applied.
func applied(files []File, results []Result) []File {
	files = slices.Clone(files)
	for _, r := range results {
		if r.Status != Changed {
			continue
		}
		files = slices.DeleteFunc(files, func(f File) bool { return f.Path == r.Path })
		if !r.Remove {
			files = append(files, File{r.Path, r.Edit.After})
		}
	}
	return files
}

// TestInlineReadsNothing: the code that is put into a script holds no other script.
func TestInlineReadsNothing(t *testing.T) {
	e, err := Script("a.sh", []byte("#!/bin/bash\necho a\n"), Options{Inline: true})
	if err != nil {
		t.Fatal(err)
	}
	results, _ := Tree([]File{{"a.sh", e.After}, {"b.sh", []byte("#!/bin/bash\necho b\n")}}, TreeOptions{Options: Options{Inline: true}})
	for _, r := range results {
		if want := map[string]Status{"a.sh": Unchanged, "b.sh": Changed}[r.Path]; r.Status != want {
			t.Errorf("%s: %s, want %s: %s", r.Path, r.Status, want, r.Reason)
		}
	}
}

// TestManyNames: following what a command may be takes time in proportion to the script, even if
// each of a function's many arguments may be any other.
func TestManyNames(t *testing.T) {
	var src strings.Builder
	src.WriteString("#!/bin/bash\nf() {\n\t$1 x\n}\n")
	for i := range 500 {
		fmt.Fprintf(&src, "f \"$1$2\" $%d\n", 1+i%9)
	}
	src.WriteString("echo SUCCESS\n")
	if _, err := Script("x", []byte(src.String()), Options{}); err != nil {
		t.Error(err)
	}
}
