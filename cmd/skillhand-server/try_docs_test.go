//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

// TestTryDocs runs the ```console try and ```sh try blocks of docs/trying.md, as one session, with
// the real CLI, a model that chooses a skill by its description and a real Postgres. The cases
// that the page shows can be read.
func TestTryDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/trying.md")
	if err != nil {
		t.Fatal(err)
	}
	var script, want, cases strings.Builder
	block := ""
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "```"):
			block = strings.TrimSpace(line)
		case block == "```yaml":
			cases.WriteString(line)
		case block == "```sh try":
			script.WriteString(line)
		case block != "```console try":
		case strings.HasPrefix(line, "$ "):
			script.WriteString(line[2:])
		default:
			want.WriteString(line)
		}
	}
	skill := t.TempDir()
	if err := os.Mkdir(filepath.Join(skill, "box"), 0o777); err != nil {
		t.Fatal(err)
	}
	if list, err := eval.ParseCases("cases.yaml", skill, []byte(cases.String())); err != nil || len(list) != 1 || len(list[0].Checks) != 9 {
		t.Errorf("the cases of the page: %+v, %v", list, err)
	}
	api := fakeapi.New(t)
	api.Handle(chooser)
	c := realclaude.New(t, api)
	cmd := exec.Command("bash", "-e")
	cmd.Dir, cmd.Stdin = c.Project, strings.NewReader(strings.ReplaceAll(script.String(), "postgres://db/skillhand", "'"+realpostgres.Database(t)+"'"))
	cmd.Env = []string{
		"HOME=" + c.Home, "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "SKILLHAND_CLAUDE=" + realclaude.Program(t),
		"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-key", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	}
	out, err := cmd.CombinedOutput()
	pattern := regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(want.String()), `\.\.\.`, `[^\n]*`) + `\z`)
	if err != nil || !pattern.Match(out) {
		t.Errorf("%v, printed:\n%s\nthe page says:\n%s", err, out, want.String())
	}
}

var (
	listed = regexp.MustCompile(`(?m)^- card: (.*)$`)
	folder = regexp.MustCompile(`Primary working directory: (\S+)`)
)

// chooser is a model that uses the skill card if its description speaks of what
// it is asked, and writes a card if it is asked for one.
func chooser(q *fakeapi.Request) fakeapi.Answer {
	all := strings.Join(q.Texts(), "\n")
	if !strings.Contains(all, "Ada turns 36") {
		return fakeapi.Text("Among 23 people, two share one more often than not.")
	}
	turns := 0
	for _, m := range q.Messages {
		if m.Role == "assistant" {
			turns++
		}
	}
	desc := listed.FindStringSubmatch(all)
	knows := desc != nil && strings.Contains(desc[1], "turns") && strings.Contains(desc[1], "something nice")
	text := "Happy birthday!"
	if knows {
		turns--
		text = "Dear Ada, happy birthday!"
	}
	switch turns {
	case -1:
		return fakeapi.Use("Skill", map[string]string{"skill": "card"})
	case 0:
		dir := folder.FindStringSubmatch(all)
		if dir == nil {
			return fakeapi.Text("where am I?")
		}
		return fakeapi.Use("Write", map[string]string{"file_path": fmt.Sprintf("%s/card.txt", dir[1]), "content": text})
	}
	return fakeapi.Text("done")
}
