package find

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/test"
)

// grow writes the files of a case into a repository and returns it. LINK and a path make a link;
// FOLDER makes a folder.
func grow(t *testing.T, tree map[string]string) string {
	t.Helper()
	dir := files.Real(t.TempDir())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(dir, ".git"), 0o777))
	for name, text := range tree {
		file := filepath.Join(dir, filepath.FromSlash(name))
		must(os.MkdirAll(filepath.Dir(file), 0o777))
		target, isLink := strings.CutPrefix(text, "LINK ")
		switch {
		case isLink:
			must(os.Symlink(strings.TrimSpace(target), file))
		case strings.TrimSpace(text) == "FOLDER":
			must(os.Mkdir(file, 0o777))
		case name != "want" && name != "others":
			must(os.WriteFile(file, []byte(text), 0o666))
		}
	}
	return dir
}

// describe writes one line for each file, with everything that Find says about it.
func describe(files []File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s: %s", f.Name, f.Kind)
		if f.Plugin != "" {
			fmt.Fprintf(&b, " of %s", cmp.Or(Relative(f.Top, f.Plugin), "."))
		}
		fmt.Fprintf(&b, ", %s", cmp.Or(strings.Join(f.Owners, " "), "nobody's"))
		switch {
		case f.Fault != nil:
			fmt.Fprintf(&b, ": %v", f.Fault)
		case f.Misplaced.Text != "":
			fmt.Fprintf(&b, ": %s", f.Misplaced.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestTrees compares the map of each tree. others lists the files that Find leaves out unless other
// agents are asked for.
func TestTrees(t *testing.T) {
	test.Cases(t, "testdata/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		dir := grow(t, c.Files)
		tree := Tree{Dir: dir, Home: filepath.Join(dir, "home")}
		files, err := tree.Find(nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{"want": describe(files), "others": ""}
		tree.Others = true
		all, err := tree.Find(nil)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(describe(all)) {
			if !strings.Contains(got["want"], line) {
				got["others"] += line
			}
		}
		return got
	})
}
