//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realagent"
	"github.com/skillhand/skillhand/internal/test/realclaude"
	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

// TestTryDocs runs the ```console try and ```sh try blocks of docs/trying.md, as one session, with
// the real Claude Code and Codex, models that choose a skill by its description and a real Postgres.
// The cases that the page shows can be read.
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
	api.Handle(func(q *fakeapi.Request) fakeapi.Answer {
		skill, text := choose(strings.Join(q.Texts(), "\n"), len(q.Results()))
		if skill != "" {
			return fakeapi.Use("Skill", map[string]string{"skill": skill})
		}
		return fakeapi.Text(text)
	})
	c := realclaude.New(t, api)
	codex := agents.Get("codex")
	model := realagent.NewModel(t, func(q realagent.Request) realagent.Answer {
		skill, text := choose(strings.ReplaceAll(q.Body, `\n`, "\n"), q.Results)
		if skill == "" {
			return realagent.Answer{Text: text}
		}
		tool, input := realagent.Fire(codex, skill, ".agents/skills/"+skill+"/SKILL.md")
		return realagent.Answer{Tool: tool, Input: input}
	})
	setup := realagent.New(t, codex, model.URL, c.Home)
	config := filepath.Join(c.Home, ".codex", "config.toml")
	if text, err := os.ReadFile(config); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(config, bytes.ReplaceAll(text, []byte("PLAYED_KEY"), []byte("OPENAI_API_KEY")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-e")
	cmd.Dir, cmd.Stdin = c.Project, strings.NewReader(strings.ReplaceAll(script.String(), "postgres://db/skillhand", "'"+realpostgres.Database(t)+"'"))
	cmd.Env = []string{
		"HOME=" + c.Home, "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "SKILLHAND_CLAUDE=" + realclaude.Program(t),
		"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-key", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		codex.Variable() + "=" + setup.Program, "OPENAI_API_KEY=dummy-key",
	}
	out, err := cmd.CombinedOutput()
	pattern := regexp.MustCompile(`(?s)\A` + strings.ReplaceAll(regexp.QuoteMeta(want.String()), `\.\.\.`, `[^\n]*`) + `\z`)
	if err != nil || !pattern.Match(out) {
		t.Errorf("%v, printed:\n%s\nthe page says:\n%s", err, out, want.String())
	}
}

var listed = regexp.MustCompile(`(?m)^- card: (.*)$`)

// choose plays a model: it uses the skill card if its description, in the list of skills, speaks of
// what it is asked.
func choose(asked string, results int) (skill, text string) {
	if !strings.Contains(asked, "Ada turns 36") {
		return "", "Among 23 people, two share one more often than not."
	}
	about := listed.FindStringSubmatch(asked)
	switch knows := about != nil && strings.Contains(about[1], "turns") && strings.Contains(about[1], "something nice"); {
	case knows && results == 0:
		return "card", ""
	case knows:
		return "", "Dear Ada, happy birthday!"
	}
	return "", "Happy birthday!"
}
