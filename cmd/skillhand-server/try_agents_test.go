//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/test/realagent"
)

// TestTryAgents tries a skill in the real programs of other agents, against a played model: the
// table says what each does with it.
func TestTryAgents(t *testing.T) {
	fates := map[string]string{
		"codex": "read 1 of 3, another fires 1 of 3, does not fire 1 of 3", "pi": "read 1 of 3, another fires 1 of 3, does not fire 1 of 3",
		"copilot": "fires 1 of 3, another fires 1 of 3, does not fire 1 of 3", "opencode": "fires 1 of 3, another fires 1 of 3, does not fire 1 of 3",
		"gemini": "cannot fire: in its default mode", "qwen": "cannot fire: in its default mode",
	}
	cuts := map[string]string{"codex": "cuts its description after 1021 characters: ", "copilot": "leaves it out: its description has 1119 characters"}
	names := agents.Names()[1:]
	project, home := t.TempDir(), t.TempDir()
	write := func(file, text string) {
		t.Helper()
		file = filepath.Join(project, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(".claude/skills/zebra/SKILL.md", "---\nname: zebra\ndescription: Counts stripes.\n---\nZEBRABODY Count.\n")
	write(".claude/skills/zebra/evals/box/.agents/skills/horse/SKILL.md", "---\nname: horse\ndescription: Counts hooves.\n---\nHORSEBODY Count.\n")
	write(".claude/skills/zebra/evals/cases.yaml", `cases:
  - {id: fire, prompt: PLAY zebra now}
  - {id: other, prompt: PLAY horse now, files: box}
  - {id: miss, prompt: MISS two}
  - {id: quiet, prompt: HUSH three, fires: false}
`)
	write(".claude/skills/okapi/SKILL.md", "---\nname: okapi\ndescription: "+strings.Repeat("Counts the stripes on legs. ", 40)+"\n---\nOKAPIBODY Count.\n")
	write(".claude/skills/okapi/evals/cases.yaml", "cases:\n  - {id: miss, prompt: MISS four}\n")
	model := realagent.NewModel(t, func(q realagent.Request) realagent.Answer {
		for _, name := range []string{"zebra", "horse"} {
			for _, a := range agents.Driven() {
				tool, input := realagent.Fire(a, name, ".agents/skills/"+name+"/SKILL.md")
				if strings.Contains(q.Body, "PLAY "+name+" now") && !q.After && slices.Contains(q.Tools, tool) && fits(a, q) {
					return realagent.Answer{Tool: tool, Input: input}
				}
			}
		}
		return realagent.Answer{Text: "all done"}
	})
	cmd := exec.Command(filepath.Join(bin, "skillhand"), "try", "zebra", "okapi", "--runs", "1", "--baseline", "--min-fired", "0",
		"--env", "PLAYED_KEY", "--agent", strings.Join(names, ","), "--html", "report.html", "--junit", "report.xml")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SKILLHAND_STATE_DIR=" + t.TempDir(), "TMPDIR=" + t.TempDir()}
	for _, name := range names {
		a, _ := agents.Find(name)
		s := realagent.New(t, a, model.URL, home)
		cmd.Env = append(append(cmd.Env, s.Env...), a.Variable()+"="+s.Program)
	}
	cmd.Dir = project
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range names {
		line := regexp.MustCompile(`(?m)^zebra +` + name + ` +` + regexp.QuoteMeta(fates[name]))
		if !line.Match(out) {
			t.Errorf("%s: want %s:\n%s", name, fates[name], out)
		}
		lost := regexp.MustCompile(`(?m)^okapi +` + name + ` +does not fire 1 of 1; cut from the list: the agent's list of skills ` + cuts[name])
		if cuts[name] != "" && !lost.Match(out) {
			t.Errorf("%s: want okapi cut from the list: %s\n%s", name, cuts[name], out)
		}
		for file, want := range map[string]string{
			"report.html": "<tr><td><b>zebra</b></td><td>" + name + "</td><td",
			"report.xml":  `classname="` + name + `.zebra"`,
		} {
			text, err := os.ReadFile(filepath.Join(project, file))
			tried := file == "report.html" || !strings.HasPrefix(fates[name], "cannot")
			if err != nil || strings.Contains(string(text), want) != tried {
				t.Errorf("%s: %v: want %s: %t\n%s", file, err, want, tried, text)
			}
		}
	}
}

// TestTryAgentsYolo: a skill fires in Gemini and Qwen if the user passes their yolo mode.
func TestTryAgentsYolo(t *testing.T) {
	for _, name := range []string{"gemini", "qwen"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := agents.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			project, home := t.TempDir(), t.TempDir()
			for file, text := range map[string]string{
				"SKILL.md":         "---\nname: zebra\ndescription: Counts stripes.\n---\nZEBRABODY Count.\n",
				"evals/cases.yaml": "cases:\n  - {id: fire, prompt: PLAY zebra now}\n",
			} {
				file = filepath.Join(project, ".claude/skills/zebra", file)
				if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			model := realagent.NewModel(t, func(q realagent.Request) realagent.Answer {
				tool, input := realagent.Fire(a, "zebra", "")
				if q.After || !slices.Contains(q.Tools, tool) {
					return realagent.Answer{Text: "all done"}
				}
				return realagent.Answer{Tool: tool, Input: input}
			})
			s := realagent.New(t, a, model.URL, home)
			cmd := exec.Command(filepath.Join(bin, "skillhand"), "try", "zebra", "--runs", "1", "--agent", name,
				"--model", s.Model, "--", "--approval-mode", "yolo")
			cmd.Env = append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SKILLHAND_STATE_DIR=" + t.TempDir(), "TMPDIR=" + t.TempDir(),
				a.Variable() + "=" + s.Program}, s.Env...)
			cmd.Dir = project
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "1 fired") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// fits reports whether a request may come from an agent: two have a tool of the same name with other parameters.
func fits(a *agents.Agent, q realagent.Request) bool {
	return a.Name != "opencode" && a.Name != "copilot" || (a.Name == "opencode") == strings.Contains(q.Body, "customize-opencode")
}
