//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

// TestDocs runs the ```console server and ```sh server blocks of the documentation, a page as one session, with both
// programs. The blocks that need only the first program are run by its own test.
func TestDocs(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		commands := test.ConsoleBlocks(string(text), "console server", "sh server")
		if ran += len(commands); len(commands) > 0 {
			t.Run(filepath.Base(page), func(t *testing.T) {
				test.RunConsole(t, bin+string(filepath.ListSeparator)+os.Getenv("PATH"), commands)
			})
		}
	}
	if ran == 0 {
		t.Error("found no commands")
	}
}

// TestDemo runs the script of make demo. It fits in a few screens and ends with what to do next.
func TestDemo(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("bash", "../../examples/demo.sh")
	cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), "\n"); n > 120 {
		t.Errorf("%d lines:\n%s", n, out)
	}
	_, next, _ := strings.Cut(string(out), "\n# Next")
	for _, want := range []string{"skillhand check", "skillhand init skill", "docs/first-skill.md"} {
		if !strings.Contains(next, want) {
			t.Errorf("the end does not name %s:\n%s", want, next)
		}
	}
}
