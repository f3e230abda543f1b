package test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// A Case is a txtar archive that begins with prose. It maps names to files.
type Case struct {
	Comment string
	Files   map[string]string
}

// Cases runs f on every archive that matches pattern. f returns the actual results by file name;
// each must equal the file of that name. An empty result needs no file. With -update, Cases
// rewrites the files instead.
func Cases(t *testing.T, pattern string, f func(t *testing.T, c Case) map[string]string) {
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no cases match %s", pattern)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, c := readCase(t, file)
			got := f(t, c)
			if *Update {
				rewrite(t, file, a, got)
				return
			}
			for name, text := range got {
				if diff := cmp.Diff(c.Files[name], text); diff != "" {
					t.Errorf("%s: %s (-want +got):\n%s", file, name, diff)
				}
			}
		})
	}
}

// Archive returns one archive, for a test with its own comparison.
func Archive(t *testing.T, file string) Case {
	_, c := readCase(t, file)
	return c
}

func readCase(t *testing.T, file string) (*txtar.Archive, Case) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := Case{Comment: string(a.Comment), Files: map[string]string{}}
	for _, file := range a.Files {
		c.Files[file.Name] = string(file.Data)
	}
	return a, c
}

func rewrite(t *testing.T, file string, a *txtar.Archive, got map[string]string) {
	for i, f := range a.Files {
		if text, ok := got[f.Name]; ok {
			a.Files[i].Data = []byte(text)
			delete(got, f.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if text := got[name]; text != "" {
			a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
		}
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
		t.Fatal(err)
	}
}
