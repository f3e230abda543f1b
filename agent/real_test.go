//go:build unix

package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/agent"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/fakemodel"
	"github.com/skillhand/skillhand/internal/realagent"
)

// A stage is a project with a skill, and an agent in it that asks a played model.
type stage struct {
	agent  *agent.Agent
	client claude.Client
	setup  realagent.Setup
	dir    string
	skill  string // its file
	model  *fakemodel.Model
}

const body = "ZEBRABODY Write the card."

func newStage(t *testing.T, a *agent.Agent, play func(s *stage, q fakemodel.Request) fakemodel.Answer) *stage {
	t.Helper()
	s := &stage{agent: a, dir: t.TempDir()}
	home := t.TempDir()
	s.model = fakemodel.New(t, func(q fakemodel.Request) fakemodel.Answer { return play(s, q) })
	s.setup = realagent.New(t, a, s.model.URL, home)
	s.skill = filepath.Join(s.dir, ".agents", "skills", "zebra-card", "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(s.skill), 0o777); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: zebra-card\ndescription: Writes zebracards for visitors.\n---\n" + body + "\n"
	if err := os.WriteFile(s.skill, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s.client = claude.Client{
		Path: s.setup.Program, Dialect: a, Timeout: 2 * time.Minute,
		Env: append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "SKILLHAND_TEST=" + t.Name()}, s.setup.Env...),
	}
	return s
}

func (s *stage) ask(ctx context.Context) (*claude.Reply, error) {
	return s.client.Ask(ctx, claude.Request{Prompt: "hello there", Dir: s.dir, Model: s.setup.Model, Args: s.setup.Yolo, Transcript: filepath.Join(s.dir, "transcript")})
}

// fires is a model that has the agent load the skill, then answers.
func fires(s *stage, q fakemodel.Request) fakemodel.Answer {
	tool, input := realagent.Fire(s.agent, "zebra-card", s.skill)
	if q.After || !slices.Contains(q.Tools, tool) {
		return fakemodel.Answer{Text: "all done"}
	}
	return fakemodel.Answer{Tool: tool, Input: input}
}

// want is what each agent tells of its use.
var want = map[string]struct{ tokens, dollars bool }{
	"codex": {true, false}, "copilot": {false, false}, "gemini": {true, false}, "opencode": {true, true}, "pi": {true, true}, "qwen": {true, false},
}

// TestReal: each agent's program fires a skill, and fails, as its adapter reads it.
func TestReal(t *testing.T) {
	for _, a := range agent.All() {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			t.Run("fires", func(t *testing.T) {
				t.Parallel()
				s := newStage(t, a, fires)
				reply, err := s.ask(t.Context())
				text, _ := os.ReadFile(filepath.Join(s.dir, "transcript"))
				if err != nil || reply.Output != "all done" {
					t.Fatalf("%+v, %v\n%s", reply, err, text)
				}
				if !s.model.Sent("ZEBRABODY") {
					for _, q := range s.model.Requests() {
						t.Log(q.Path, q.After, q.Tools)
					}
					t.Errorf("the skill's text did not reach the model\n%s", text)
				}
				if tells := want[a.Name]; (reply.Usage != nil) != tells.tokens || reply.NoCost == tells.dollars {
					t.Errorf("tokens %s, no cost %v, want %+v", reply.Usage, reply.NoCost, tells)
				}
			})
			t.Run("fails", func(t *testing.T) {
				t.Parallel()
				s := newStage(t, a, func(*stage, fakemodel.Request) fakemodel.Answer { return fakemodel.Answer{Status: 401} })
				reply, err := s.ask(t.Context())
				failure, _ := errors.AsType[*claude.Error](err)
				if failure == nil || failure.Category != claude.Auth {
					text, _ := os.ReadFile(filepath.Join(s.dir, "transcript"))
					t.Errorf("%+v, %v, want auth\n%s", reply, err, strings.TrimSpace(string(text)))
				}
			})
		})
	}
}
