package skillhand_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme: the program in the README compiles as it stands.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, ok := strings.Cut(string(text), "```go\n")
	code, _, closed := strings.Cut(code, "```\n")
	if !ok || !closed {
		t.Fatal("the README has no Go program")
	}
	dir, err := os.MkdirTemp(".", "testdata-readme-*") // in this module, so that it finds the packages
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(code), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "vet", "./"+dir).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
