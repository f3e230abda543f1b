package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestGlob: a folder's own name is no pattern, and what lies deeper or elsewhere does not match.
func TestGlob(t *testing.T) {
	for _, name := range []string{"plain", "a[b", "a*", "x?y", "[0-9]"} {
		dir := filepath.Join(t.TempDir(), name)
		for _, file := range []string{"1/two.json", "1/one.json", "1/one.txt", "1/2/deep.json", "top.json"} {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{filepath.Join(dir, "1", "one.json"), filepath.Join(dir, "1", "two.json")}
		if got := Glob(dir, "*/*.json"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := Glob(filepath.Join(t.TempDir(), "none"), "*"); len(got) > 0 {
		t.Errorf("in no folder: %q", got)
	}
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"docs/*.md", "docs/a.md", true}, {"docs/*.md", "docs/b/a.md", false}, {"docs", "docs/b/a.md", true}, {"./docs/", "docs/a.md", true},
		{"**/a.md", "a.md", true}, {"**/a.md", "x/y/a.md", true}, {"x/**", "x/y/a.md", true}, {"x/**", "x", false},
		{"**/x/*.sh", "/p/x/a.sh", true},
		{"*", "a.md", true}, {"[", "a.md", false},
	} {
		if got := Match(tt.pattern, tt.name); got != tt.want {
			t.Errorf("Match(%q, %q) = %v, want %v", tt.pattern, tt.name, got, tt.want)
		}
	}
}
