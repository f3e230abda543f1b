//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realagent"
	"github.com/skillhand/skillhand/internal/test/realclaude"
	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

// TestTryMany: the trials of three agents are durable jobs on Postgres, made by one try and two further workers, which are
// killed on the way, one in the second agent and one in the third. Each trial has one result, and none that had ended is
// made again: the models are asked once a trial, and once more for each that a killed worker had in its hands.
func TestTryMany(t *testing.T) {
	trials, _ := strconv.Atoi(os.Getenv("SKILLHAND_TRIALS")) // make chaos has a thousand
	runs := max(trials+2, 36) / 3
	asked := &count{}
	api := fakeapi.New(t)
	c := realclaude.New(t, api)
	api.Handle(func(q *fakeapi.Request) fakeapi.Answer {
		if q.Count("PLAY zebra") > 0 && len(q.Results()) == 0 {
			asked.add("claude")
			return fakeapi.Use("Skill", map[string]string{"skill": "zebra"})
		}
		return fakeapi.Text("all done")
	})
	c.Write(".claude/skills/zebra/SKILL.md", "---\nname: zebra\ndescription: Counts stripes.\n---\nZEBRABODY Count.\n")
	c.Write(".claude/skills/zebra/evals/cases.yaml", "cases:\n  - {id: fire, prompt: PLAY zebra now}\n")
	env := []string{
		"HOME=" + c.Home, "PATH=" + os.Getenv("PATH"), "SKILLHAND_CLAUDE=" + realclaude.Program(t), "ANTHROPIC_BASE_URL=" + api.URL,
		"ANTHROPIC_API_KEY=dummy-key", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	}
	for _, name := range []string{"codex", "pi"} {
		a, _ := agents.Find(name)
		model := realagent.NewModel(t, func(q realagent.Request) realagent.Answer {
			tool, input := realagent.Fire(a, "zebra", ".agents/skills/zebra/SKILL.md")
			if q.After {
				return realagent.Answer{Text: "all done"}
			}
			asked.add(name)
			return realagent.Answer{Tool: tool, Input: input}
		})
		s := realagent.New(t, a, model.URL, c.Home)
		env = append(append(env, s.Env...), a.Variable()+"="+s.Program)
	}
	database := realpostgres.Database(t)
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, "skillhand"), args...)
		cmd.Dir, cmd.Stderr = c.Project, os.Stderr
		cmd.Env = append([]string{"SKILLHAND_STATE_DIR=" + t.TempDir(), "TMPDIR=" + t.TempDir()}, env...)
		return cmd
	}
	var killed int
	for _, name := range []string{"codex", "pi"} {
		helper := command("batch", "work", "--db", database)
		if err := helper.Start(); err != nil {
			t.Fatal(err)
		}
		defer helper.Process.Kill()
		go func() {
			for asked.of(name) < runs/3 {
				time.Sleep(100 * time.Millisecond)
			}
			_ = helper.Process.Kill() // -9; the test fails below if it had ended before
			asked.mu.Lock()
			defer asked.mu.Unlock()
			killed++
		}()
	}
	began := time.Now()
	const jobs = 6
	cmd := command("try", "zebra", "--runs", strconv.Itoa(runs), "--min-fired", "0", "--json", "--batch", "--db", database,
		"--env", "PLAYED_KEY", "-j", strconv.Itoa(jobs), "--agent", "claude,codex,pi")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	results := map[string]int{}
	for line := range bytes.Lines(out) {
		var r struct {
			Agent, Case, Outcome string
			Run                  int
		}
		if json.Unmarshal(line, &r) == nil && r.Case != "" {
			results[fmt.Sprintf("%s %d %s", r.Agent, r.Run, r.Outcome)]++
		}
	}
	for key, n := range results {
		if n != 1 || strings.HasSuffix(key, "void") || strings.HasSuffix(key, "none") {
			t.Errorf("%s: %d results", key, n)
		}
	}
	if len(results) != 3*runs {
		t.Errorf("%d results of %d trials", len(results), 3*runs)
	}
	asked.mu.Lock()
	defer asked.mu.Unlock()
	for name, n := range asked.n {
		if n < runs || n > runs+jobs {
			t.Errorf("%s was asked for %d trials, want %d and what was killed", name, n, runs)
		}
	}
	if killed != 2 {
		t.Errorf("%d workers were killed, want 2", killed)
	}
	t.Logf("%d trials in %s, asked %v", 3*runs, time.Since(began).Round(time.Second), asked.n)
}

// count counts by name.
type count struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *count) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[name]++
}

func (c *count) of(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[name]
}
