//go:build unix

package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/realagent"
)

// A stage is a project with a skill, and an agent in it that asks a played model.
type stage struct {
	t      *testing.T
	agent  *agents.Agent
	client claude.Client
	setup  realagent.Setup
	dir    string
	skill  string // its file
	model  *realagent.Model
}

const body = "ZEBRABODY Write the card."

func newStage(t *testing.T, a *agents.Agent, play func(s *stage, q realagent.Request) realagent.Answer) *stage {
	t.Helper()
	s := &stage{t: t, agent: a, dir: t.TempDir()}
	home := t.TempDir()
	s.model = realagent.NewModel(t, func(q realagent.Request) realagent.Answer { return play(s, q) })
	s.setup = realagent.New(t, a, s.model.URL, home)
	s.skill = filepath.Join(s.dir, ".agents", "skills", "zebra-card", "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(s.skill), 0o777); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: zebra-card\ndescription: Writes zebracards for visitors.\n---\n" + body + "\n"
	if err := os.WriteFile(s.skill, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	dialect, err := skillhand.Agent(a.Name)
	if err != nil {
		t.Fatal(err)
	}
	s.client = claude.Client{
		Path: s.setup.Program, Dialect: dialect, Timeout: 2 * time.Minute,
		Env: append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "SKILLHAND_TEST=" + t.Name()},
			s.setup.Env...),
	}
	return s
}

func (s *stage) ask(ctx context.Context) (*claude.Reply, error) {
	s.t.Helper()
	reply, err := s.client.Ask(ctx, claude.Request{
		Prompt: "hello there", Dir: s.dir, Model: s.setup.Model, Args: s.setup.Yolo, Transcript: filepath.Join(s.dir, "transcript"),
	})
	if still := left(s.t, s.t.Name()); still != nil {
		s.t.Errorf("left running: %q", still)
	}
	return reply, err
}

// fires returns a model that makes the agent load the skill, then answers.
func fires(s *stage, q realagent.Request) realagent.Answer {
	tool, input := realagent.Fire(s.agent, "zebra-card", s.skill)
	if q.After || !slices.Contains(q.Tools, tool) {
		return realagent.Answer{Text: "all done"}
	}
	return realagent.Answer{Tool: tool, Input: input}
}

// want is what each agent reports about its use.
var want = map[string]struct{ tokens, dollars bool }{
	"codex": {true, true}, "copilot": {false, false}, "gemini": {true, true},
	"opencode": {true, true}, "pi": {true, true}, "qwen": {true, false},
}

// TestReal: each agent's program fires a skill, and fails, in the way that its reader expects.
func TestReal(t *testing.T) {
	for _, a := range agents.Driven() {
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
				s := newStage(t, a, func(*stage, realagent.Request) realagent.Answer { return realagent.Answer{Status: 401} })
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

// TestEveryWay: other things that can happen to each agent. A failure of the service is never an
// answer. The arm without the skill contains no byte of it. No process is left running.
func TestEveryWay(t *testing.T) {
	plays := map[string]realagent.Answer{
		"429": {Status: 429}, "500": {Status: 500}, "hang": {Hang: true}, "cut": {Text: "never whole", Cut: true},
		"html": {Page: "<html>log in</html>"}, "empty": {Half: true}, "half": {Text: "never whole", Half: true},
		"quota": {Status: 429, Quota: true},
	}
	for _, a := range agents.Driven() {
		for name, answer := range plays {
			t.Run(a.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, a, func(*stage, realagent.Request) realagent.Answer { return answer })
				s.client.Timeout, s.client.IdleTimeout = 90*time.Second, 45*time.Second
				reply, err := s.ask(t.Context())
				failure, _ := errors.AsType[*claude.Error](err)
				if failure == nil || len(s.model.Requests()) == 0 {
					t.Fatalf("%+v, %v, want a failure", reply, err)
				}
				if name == "quota" && a.Name == "codex" && (failure.Category != claude.Quota || len(s.model.Requests()) != 1) {
					t.Errorf("%s after %d requests, want quota after one", failure.Category, len(s.model.Requests()))
				}
				t.Logf("%s/%s after %d requests: %.200v", failure.Category, failure.Kind, len(s.model.Requests()), err)
			})
		}
		t.Run(a.Name+"/none", func(t *testing.T) {
			t.Parallel()
			s := newStage(t, a, func(*stage, realagent.Request) realagent.Answer { return realagent.Answer{Text: "all done"} })
			if reply, err := s.ask(t.Context()); err != nil || reply.Output != "all done" ||
				!s.model.Sent("zebra-card") || s.model.Sent("ZEBRABODY") {
				t.Errorf("%+v, %v", reply, err)
			}
		})
		if a.Approve != nil {
			t.Run(a.Name+"/untrusted", func(t *testing.T) {
				t.Parallel()
				s := newStage(t, a, func(*stage, realagent.Request) realagent.Answer { return realagent.Answer{Text: "all done"} })
				s.setup.Yolo = nil
				if reply, err := s.ask(t.Context()); err != nil || reply.Output != "all done" || s.model.Sent("zebra-card") {
					t.Errorf("%+v, %v, or a project that nobody trusted gave it a skill", reply, err)
				}
			})
		}
		t.Run(a.Name+"/without", func(t *testing.T) {
			t.Parallel()
			s := newStage(t, a, fires)
			if err := os.RemoveAll(filepath.Join(s.dir, ".agents")); err != nil {
				t.Fatal(err)
			}
			if reply, err := s.ask(t.Context()); reply == nil || err != nil || s.model.Sent("zebracards") || s.model.Sent("ZEBRABODY") {
				t.Errorf("%+v, %v, or the skill was sent", reply, err)
			}
		})
	}
}

// TestQwenBreaksOff: half of an answer is a failure if the service counted the tokens of another
// answer.
func TestQwenBreaksOff(t *testing.T) {
	t.Parallel()
	a, err := agents.Find("qwen")
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, a, func(s *stage, q realagent.Request) realagent.Answer {
		if q.After {
			return realagent.Answer{Text: "never whole", Cut: true}
		}
		return fires(s, q)
	})
	reply, err := s.ask(t.Context())
	failure, _ := errors.AsType[*claude.Error](err)
	if failure == nil || failure.Category != claude.Network {
		text, _ := os.ReadFile(filepath.Join(s.dir, "transcript"))
		t.Errorf("%+v, %v, want a failure of the network\n%s", reply, err, text)
	}
}

// TestPrices: skillhand's table and pi's table give each model the same price.
func TestPrices(t *testing.T) {
	t.Parallel()
	pi := agents.Get("pi")
	bin := test.Bin(t, test.Tool{Name: pi.Name, Packages: []string{pi.Package, pi.Node}})
	script := `const {MODELS} = await import(process.argv[1] + "/../@earendil-works/pi-ai/dist/models.generated.js");
process.stdout.write(JSON.stringify({...MODELS.google, ...MODELS.openai}))`
	out, err := exec.Command(filepath.Join(bin, "node"), "--input-type=module", "--eval", script, bin).Output()
	var models map[string]struct {
		Cost struct {
			Input, Output, CacheRead float64
			Tiers                    []struct{ Input, Output float64 }
		}
	}
	if err == nil {
		err = json.Unmarshal(out, &models)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range agents.PricesForTest() {
		m, ok := models[name]
		want := []float64{m.Cost.Input, m.Cost.Output, m.Cost.CacheRead, 0, 0}
		if len(m.Cost.Tiers) > 0 {
			want[3], want[4] = m.Cost.Tiers[0].Input, m.Cost.Tiers[0].Output
		}
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
		if !ok || !slices.EqualFunc(got, want, same) {
			t.Errorf("%s: %v, pi has %v", name, got, want)
		}
	}
}

// left returns the processes that a test's agent left running. They have the variable with the
// test's name.
func left(t *testing.T, mark string) (all []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		env, _ := os.ReadFile(file) // the process may have ended since
		if slices.Contains(strings.Split(string(env), "\x00"), "SKILLHAND_TEST="+mark) {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			all = append(all, strings.ReplaceAll(string(name), "\x00", " "))
		}
	}
	return all
}
