package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

// TestDocs runs every ```console block of the documentation, a page as one
// session: "$ " begins a command, "> " continues it, and what follows is what
// it prints, on both streams. "..." stands for anything. A block of ```sh run, which
// people can paste as it stands, is one command, and prints nothing.
func TestDocs(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range append(pages, "../../README.md") {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			commands := test.ConsoleBlocks(string(text), "console", "sh run")
			// A here-document behind the prompts of a shell.
			if at := regexp.MustCompile(`(?m)^\$ .*<<.*\n> .*`).FindString(string(text)); at != "" {
				t.Errorf("people cannot paste this, put it into a block of ```sh run: %s", at)
			}
			ran += len(commands)
			if len(commands) > 0 {
				work := test.RunConsole(t, os.Getenv("PATH"), commands)
				checkExamples(t, work)
			}
		})
	}
	if ran < 20 {
		t.Errorf("found %d commands in the documentation", ran)
	}
}

// faulty are the skills in the documentation that show what check finds, and an old one that is to be migrated.
var faulty = []string{"release-notes", "tidy", "deploy", "status"}

// checkExamples: the skills that a page has its readers make have no fault that check would report to them. A text
// without frontmatter only shows how something is rendered.
func checkExamples(t *testing.T, work string) {
	cmd := exec.Command("skillhand", "check", "--format", "concise", "--severity", "warning")
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "HOME="+work)
	out, _ := cmd.Output() // findings of the faulty ones are a failure too
	for line := range strings.Lines(string(out)) {
		file, _, _ := strings.Cut(line, ":")
		src, err := os.ReadFile(filepath.Join(work, file))
		if err == nil && strings.HasPrefix(string(src), "---\n") && !slices.Contains(faulty, filepath.Base(filepath.Dir(file))) {
			t.Errorf("check says of an example: %s", line)
		}
	}
}
