package check

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// A complaint is one of claude plugin validate: about a field of a file.
type complaint struct{ file, field, text string }

var complaintLine = regexp.MustCompile(`^ +❯ ([^: ]+): (.*)`)

// TestValidate: what the real claude plugin validate --strict finds, we find too.
func TestValidate(t *testing.T) {
	program := realclaude.Program(t)
	tr := layDown(t, readCase(t, "testdata/validate/planted.txtar"))
	found := map[string]string{}
	for _, f := range Run(context.Background(), tr.files, tr.opt).Findings {
		found[f.File] += f.Rule + " " + f.Message + "\n"
	}
	plugins, err := filepath.Glob(filepath.Join(tr.dir, "[a-z]*"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, dir := range plugins {
		cmd := exec.Command(program, "plugin", "validate", "--strict", dir)
		cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TERM=dumb", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
		out, _ := cmd.CombinedOutput() // it fails: that is the point
		for _, c := range complaints(tr.dir, string(out)) {
			seen++
			if !tells(found[c.file], c) {
				t.Errorf("%s: %s: %s: not among\n%s", c.file, c.field, c.text, found[c.file])
			}
		}
	}
	if seen < 20 {
		t.Errorf("it had %d complaints", seen)
	}
	// And the twin without faults has none, to either of us.
	for file, text := range found {
		if strings.HasPrefix(file, "right/") {
			t.Errorf("%s: %s", file, text)
		}
	}
}

// complaints reads what the CLI prints, up to what only its catalogue wants.
func complaints(root, out string) []complaint {
	var all []complaint
	file := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "Plugin directory checks") {
			return all
		}
		if _, path, ok := strings.Cut(line, ": "+root+"/"); ok && strings.HasPrefix(line, "Validating ") {
			file = path
		}
		if m := complaintLine.FindStringSubmatch(line); m != nil && file != "" {
			all = append(all, complaint{file, m[1], m[2]})
		}
	}
	return all
}

// tells reports whether findings speak of what a complaint is about.
func tells(found string, c complaint) bool {
	word := c.field[strings.LastIndexByte(c.field, '.')+1:]
	word, _, _ = strings.Cut(word, "[")
	about := map[string]string{
		"json": "not JSON", "frontmatter": "frontmatter", "hooks": "SK60", "commands": "SK603", "agents": "SK603", "skills": "SK603",
		"mcpServers": "SK603", "0": "SK603", "plugins": "SK608",
	}
	if text, ok := about[word]; ok {
		word = text
	}
	return strings.Contains(found, word)
}
