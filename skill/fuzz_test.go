package skill

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		s := Parse("x/SKILL.md", src)
		checkParts(t, src, s)
		sections, err := s.Sections()
		if err != nil && sections != (Sections{}) {
			t.Errorf("%q has both sections and faults", src)
		}
	})
}

// addSeeds adds the skills of testdata/*.txtar.
func addSeeds(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
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
}
