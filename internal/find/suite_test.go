package find

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSplitCase(t *testing.T) {
	for _, tt := range []struct {
		file, text, fields, body string
		line                     int
	}{
		{"case.yaml", "\ufeffa: 1\r\n", "a: 1\n", "", 0},
		{"p.md", "hello\n", "", "hello", 1},
		{"p.md", "---\r\na: 1\r\n---\r\n\r\nhello\r\nyou\r\n", "\na: 1\n", "hello\nyou", 5},
		{"p.md", "---\na: 1\n---", "\na: 1\n", "", 1},
		{"p.md", "---\n---\nhello", "\n", "hello", 3},
		{"p.md", "---\nnever closed\n", "", "---\nnever closed", 1},
	} {
		fields, body, line := SplitCase(tt.file, []byte(tt.text))
		if string(fields) != tt.fields || body != tt.body || line != tt.line {
			t.Errorf("Split(%q) = %q, %q, %d, want %q, %q, %d", tt.text, fields, body, line, tt.fields, tt.body, tt.line)
		}
	}
}

func TestWalkCases(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"a/prompt.md", "a/graders/x.md", "deep/b/case.yaml", "deep/b/used/prompt.md", "c/graders/x.md", "results/d/prompt.md",
		"mocks/e/prompt.md",
		"own/case.yaml", "none/notes.md",
	} {
		file, text := filepath.Join(dir, filepath.FromSlash(name)), "name: x\n"
		if filepath.Base(filepath.Dir(file)) == "own" {
			text = "cases: [{prompt: p}]\n"
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	err := WalkCases(dir, nil, func(path string) []string {
		rel, _ := filepath.Rel(dir, path)
		got = append(got, filepath.ToSlash(rel))
		return []string{filepath.Join(path, "used")}
	})
	if want := []string{"a", "c", "deep/b"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Walk: %q, %v, want %q", got, err, want)
	}
	if err := WalkCases(filepath.Join(dir, "gone"), nil, nil); err != nil {
		t.Errorf("a folder that is not there: %v", err)
	}
}
