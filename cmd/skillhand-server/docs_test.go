//go:build unix

package main

import (
	"os"
	"path/filepath"
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
