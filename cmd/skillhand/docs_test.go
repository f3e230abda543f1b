package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
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
			commands := consoleBlocks(string(text))
			// A here-document behind the prompts of a shell.
			if at := regexp.MustCompile(`(?m)^\$ .*<<.*\n> .*`).FindString(string(text)); at != "" {
				t.Errorf("people cannot paste this, put it into a block of ```sh run: %s", at)
			}
			ran += len(commands)
			if len(commands) > 0 {
				work := runConsole(t, commands)
				checkExamples(t, work)
			}
		})
	}
	if ran < 20 {
		t.Errorf("found %d commands in the documentation", ran)
	}
}

type consoleCommand struct{ command, want string }

func consoleBlocks(text string) []consoleCommand {
	var all []consoleCommand
	in, continued, fence := false, false, "" // the fence that ends a script
	for line := range strings.Lines(text) {
		switch before, script := strings.CutSuffix(line, "sh run\n"); {
		case fence != "" && line == fence+"\n":
			fence = ""
		case fence == "" && script && strings.Trim(before, "`") == "":
			fence, all = before, append(all, consoleCommand{})
		case fence != "":
			all[len(all)-1].command += line
		case strings.HasPrefix(line, "```"):
			in = strings.TrimSpace(line) == "```console"
		case !in:
		case strings.HasPrefix(line, "$ "):
			all = append(all, consoleCommand{command: line[2:]})
			continued = true
		case continued && (strings.HasPrefix(line, "> ") || line == ">\n"):
			all[len(all)-1].command += strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ")
		default:
			continued = false
			all[len(all)-1].want += line
		}
	}
	return all
}

// mark separates the output of one command from the next.
const mark = "\x1e"

func runConsole(t *testing.T, commands []consoleCommand) (work string) {
	var script strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&script, "%s\nprintf '%s'\n", c.command, mark)
	}
	dir := t.TempDir()
	work = filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	// Not on stdin, where commands that read it would find the rest of the script.
	cmd := exec.Command("bash", "-c", "exec 2>&1\n"+script.String())
	cmd.Dir = work
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "SKILLHAND_STATE_DIR=" + filepath.Join(dir, "state"), "GORACE=" + os.Getenv("GORACE")}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := strings.Split(string(out), mark)
	if len(got) != len(commands)+1 {
		t.Fatalf("%d outputs of %d commands:\n%s", len(got)-1, len(commands), out)
	}
	for i, c := range commands {
		if want := strings.TrimRight(c.want, "\n"); !pattern(want).MatchString(strings.TrimRight(got[i], "\n")) {
			t.Errorf("$ %sprinted:\n%s\nthe page says:\n%s", c.command, got[i], want)
		}
	}
	return work
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

// pattern matches a text in which ... stands for anything.
func pattern(want string) *regexp.Regexp {
	return regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(want), `\.\.\.`, `.*`) + `\z`)
}
