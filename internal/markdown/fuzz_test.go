package markdown

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func FuzzMarkdown(f *testing.F) {
	files, err := filepath.Glob("../../skill/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range txtar.Parse(data).Files {
			if filepath.Ext(x.Name) == ".md" {
				f.Add(x.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if diff := difference(string(src)); diff != "" {
			t.Errorf("%q\n%s", src, diff)
		}
	})
}
