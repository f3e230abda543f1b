package skillhand_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// These keep the house small enough to find one's way in it.
const (
	mostFolders  = 14  // at the top, without those whose name begins with a dot
	mostPackages = 55  // as go list counts them
	mostColumns  = 140 // of a line, a tab being one
	mostLines    = 100 // of a function
	mostNouns    = 6   // function comments of the form "x is …" in a hundred

	mostTooLong = 209 // lines with more columns than that: those that are left; the number only falls
)

// TestFigures: folders, packages, functions and lines stay within their bounds. What a raw string holds is data, and
// so are an example's output and a test's table.
func TestFigures(t *testing.T) {
	var folders, nouns, comments int
	var long []string
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "bin" && e.Name() != "dist" {
			folders++
		}
	}
	if folders > mostFolders {
		t.Errorf("%d folders at the top, want at most %d", folders, mostFolders)
	}
	if n := len(packages(t)); n > mostPackages {
		t.Errorf("%d packages, want at most %d", n, mostPackages)
	}
	err = filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (strings.HasPrefix(e.Name(), ".") && file != "." || e.Name() == "testdata"):
			return fs.SkipDir
		case e.IsDir() || filepath.Ext(file) != ".go":
			return nil
		}
		m := measure(t, file)
		for _, fault := range m.faults {
			t.Error(fault)
		}
		nouns, comments, long = nouns+m.nouns, comments+m.comments, append(long, m.long...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(long) > mostTooLong {
		t.Errorf("%d lines have more than %d columns:\n%s", len(long), mostColumns, strings.Join(long, "\n"))
	}
	if comments < 1000 || nouns*100 > comments*mostNouns {
		t.Errorf("%d of %d comments on functions say what the function is; let them say what it does", nouns, comments)
	}
}

// noun matches the comment of a function that is taken for a thing.
var noun = regexp.MustCompile(`^\w+(,? (and|or) \w+)* (is|are)\b`)

// A measured file has faults, lines that are too long, and comments on functions, some of which begin "x is".
type measured struct {
	faults, long    []string
	comments, nouns int
}

func measure(t *testing.T, file string) (m measured) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	line := func(p token.Pos) int { return fset.Position(p).Line }
	data := map[int]bool{} // lines that hold a raw string
	ast.Inspect(tree, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && lit.Value[0] == '`' {
			for l := line(lit.Pos()); l <= line(lit.End()); l++ {
				data[l] = true
			}
		}
		return true
	})
	for _, group := range tree.Comments {
		if output := strings.Contains(group.Text(), "utput:"); output {
			for l := line(group.Pos()); l <= line(group.End()); l++ {
				data[l] = true
			}
		}
	}
	n := 0
	for text := range strings.Lines(string(src)) {
		if n++; utf8.RuneCountInString(strings.TrimRight(text, "\n")) > mostColumns && !data[n] {
			m.long = append(m.long, fmt.Sprintf("%s:%d", file, n))
		}
	}
	for _, decl := range tree.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if f.Doc != nil {
			m.comments++
			if noun.MatchString(f.Doc.Text()) {
				m.nouns++
			}
		}
		if long := line(f.End()) - line(f.Pos()); long > mostLines && !strings.HasSuffix(file, "_test.go") {
			m.faults = append(m.faults, fset.Position(f.Pos()).String()+": too long a function")
		}
	}
	return m
}
