//go:build unix

package claude_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestDocsProgram runs the program in docs/asking.md.
func TestDocsProgram(t *testing.T) {
	page, err := os.ReadFile("../docs/asking.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)\n```go\n(.*?)```\n.*?\n```text\n(.*?)```\n").FindSubmatch(page)
	if m == nil {
		t.Fatal("docs/asking.md has no program and what it prints")
	}
	s := newStage(t, "")
	file := filepath.Join(s.dir, "main.go")
	if err := os.WriteFile(file, m[1], 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", file)
	cmd.Env = append(os.Environ(), "PATH="+s.dir+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != string(m[2]) {
		t.Errorf("%v: it prints\n%s\nthe page says\n%s", err, out, m[2])
	}
}
