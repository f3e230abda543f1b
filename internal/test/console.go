package test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/proc"
)

// A ConsoleCommand is a command on a page of documentation, with the output shown there.
type ConsoleCommand struct{ Command, Want string }

// ConsoleBlocks finds the commands on a page. In a block that opens with console, "$ " begins a
// command, "> " continues it, and the lines after it are its output. A block that opens with script
// is a single command without output.
func ConsoleBlocks(text, console, script string) []ConsoleCommand {
	var all []ConsoleCommand
	in, continued, fence := false, false, "" // fence is the line that ends a script
	for line := range strings.Lines(text) {
		switch before, opens := strings.CutSuffix(line, script+"\n"); {
		case fence != "" && line == fence+"\n":
			fence = ""
		case fence == "" && opens && len(before) >= 3 && strings.Trim(before, "`") == "":
			fence, all = before, append(all, ConsoleCommand{})
		case fence != "":
			all[len(all)-1].Command += line
		case strings.HasPrefix(line, "```"):
			in = strings.TrimSpace(line) == "```"+console
		case !in:
		case strings.HasPrefix(line, "$ "):
			all = append(all, ConsoleCommand{Command: line[2:]})
			continued = true
		case continued && (strings.HasPrefix(line, "> ") || line == ">\n"):
			all[len(all)-1].Command += strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ")
		default:
			continued = false
			all[len(all)-1].Want += line
		}
	}
	return all
}

// consoleMark separates the output of one command from the next.
const consoleMark = "\x1e"

// RunConsole runs commands in one bash session in a new folder, and returns that folder. It
// compares the output of each command, on both streams, to the expected output, in which "..."
// stands for any text. path is the PATH.
func RunConsole(t *testing.T, path string, commands []ConsoleCommand) (work string) {
	t.Helper()
	var script strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&script, "%s\nprintf '%s'\n", c.Command, consoleMark)
	}
	dir := t.TempDir()
	work = filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	// The script must not be on stdin, where a command that reads stdin would get the rest of it.
	var out bytes.Buffer
	res, err := proc.Run(t.Context(), proc.Cmd{
		Args: []string{"bash", "-c", script.String()}, Dir: work, Stdout: &out, Stderr: &out,
		Env: []string{
			"HOME=" + dir, "PATH=" + path, "SKILLHAND_STATE_DIR=" + filepath.Join(dir, "state"), "GORACE=" + os.Getenv("GORACE"),
		},
	})
	if err != nil || res.Exit != 0 {
		t.Fatalf("exit status %d, %v\n%s", res.Exit, err, out.String())
	}
	got := strings.Split(out.String(), consoleMark)
	if len(got) != len(commands)+1 {
		t.Fatalf("%d outputs of %d commands:\n%s", len(got)-1, len(commands), out.String())
	}
	for i, c := range commands {
		want := strings.TrimRight(c.Want, "\n")
		pattern := regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(want), `\.\.\.`, `.*`) + `\z`)
		if !pattern.MatchString(strings.TrimRight(got[i], "\n")) {
			t.Errorf("$ %sprinted:\n%s\nthe page says:\n%s", c.Command, got[i], want)
		}
	}
	return work
}
