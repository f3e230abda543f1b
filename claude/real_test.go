//go:build unix

package claude_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// newReal returns a stage for the real CLI, with a fake Messages API. The CLI's own retries are
// off, so that only the test's requests are made.
func newReal(t *testing.T, api *fakeapi.API) *stage {
	t.Helper()
	t.Parallel()
	c := realclaude.New(t, api)
	return &stage{t: t, dir: c.Project, log: c.Home, Client: &claude.Client{
		Path: realclaude.Program(t), Timeout: 10 * time.Minute,
		Env: []string{
			"HOME=" + c.Home, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "TMPDIR=" + t.TempDir(),
			"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=dummy-key", "CLAUDE_CODE_MAX_RETRIES=0",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		},
	}}
}

// request returns a question in the stage's folder.
func (s *stage) request(prompt string) claude.Request {
	return claude.Request{Prompt: prompt, Dir: s.dir}
}

func TestRealAnswer(t *testing.T) {
	api := fakeapi.New(t, fakeapi.Text("forty-two"), fakeapi.Text("still"))
	s := newReal(t, api)
	r := s.request("- what is it?\né 🎉")
	r.Transcript = filepath.Join(s.dir, "transcript")
	first, err := s.Ask(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if first.Output != "forty-two" || first.SessionID == "" || first.Model == "" || first.Turns != 1 || first.CostUSD <= 0 ||
		first.Exit != 0 || first.Usage == nil {
		t.Errorf("reply: %+v", first)
	}
	if !strings.HasSuffix(api.Last().Prompt(), "- what is it?\né 🎉") {
		t.Errorf("prompt: %q", api.Last().Prompt())
	}
	if data, err := os.ReadFile(r.Transcript); err != nil || !strings.HasPrefix(string(data), `{"type":"system","subtype":"init"`) ||
		!json.Valid(data[strings.LastIndexByte(strings.TrimSpace(string(data)), '\n'):]) {
		t.Errorf("transcript: %s, %v", data, err)
	}
	r = s.request("and now?")
	r.Resume = first.SessionID
	second, err := s.Ask(t.Context(), r)
	if err != nil || second.Output != "still" || second.SessionID != first.SessionID {
		t.Errorf("resumed: %+v, %v", second, err)
	}
	if api.Last().Count("what is it?") != 1 {
		t.Errorf("the resumed session was sent %q", api.Last().Texts())
	}
	nothingLeft(t, s.log)
}

func TestRealStructured(t *testing.T) {
	api := fakeapi.New(t, fakeapi.Use("StructuredOutput", map[string]any{"n": 42}))
	s := newReal(t, api)
	r := s.request("how many?")
	r.Schema = json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`)
	reply, err := s.Ask(t.Context(), r)
	if err != nil || string(reply.JSON) != `{"n":42}` {
		t.Errorf("%+v, %v", reply, err)
	}
}

// An answer lacks the structure that was asked for, but the CLI reports a success.
func TestRealUnstructured(t *testing.T) {
	s := newReal(t, fakeapi.New(t))
	r := s.request("how many?")
	r.Schema = json.RawMessage(`{"type":"object"}`)
	s.fails(t.Context(), r, claude.SchemaNotMet)
}

// Each failure of the service, as the real CLI reports it.
func TestRealFaults(t *testing.T) {
	t.Parallel()
	ok := fakeapi.Text("it works")
	refusal := fakeapi.Message{Text: "no", Stop: "refusal"}
	short := fakeapi.Message{Text: "well", Stop: "max_tokens"}
	for _, tt := range []struct {
		name   string
		answer fakeapi.Answer // to every request
		want   claude.Kind
	}{
		{"400", fakeapi.Status(400, "messages: bad thing"), claude.BadRequest},
		{"400 too long", fakeapi.Status(400, "prompt is too long: 250000 tokens > 200000 maximum"), claude.TooLarge},
		{"400 credit", fakeapi.Status(400, "Your credit balance is too low to access the Anthropic API."), claude.Billing},
		{"401", fakeapi.Status(401, "invalid x-api-key"), claude.Unauthorized},
		{"402", fakeapi.Status(402, "Payment required"), claude.Billing},
		{"403", fakeapi.Status(403, "no permission"), claude.Unauthorized},
		{"404", fakeapi.Status(404, "model: nosuch"), claude.NoModel},
		{"408", fakeapi.Status(408, "Request timeout"), claude.APITimeout},
		{"409", fakeapi.Status(409, "Conflict"), claude.ServerError},
		{"413", fakeapi.Status(413, "too large"), claude.TooLarge},
		{"429", fakeapi.Status(429, "slow down"), claude.RateLimited},
		{"429 much later", fakeapi.Status(429, "slow down", "Retry-After", "600"), claude.RateLimited},
		{"500", fakeapi.Status(500, "Internal server error"), claude.ServerError},
		{"503", fakeapi.Status(503, "unavailable"), claude.ServerError},
		{"529", fakeapi.Status(529, "Overloaded"), claude.Overloaded},
		{"garbage", fakeapi.Raw(200, "<html>"), claude.ServerError},
		{"empty", fakeapi.Raw(200, ""), claude.ServerError},
		{"dropped", fakeapi.Drop(), claude.Connection},
		{"reset in mid-stream", fakeapi.Reset(ok), claude.Connection},
		{"error in mid-stream", fakeapi.StreamError(ok, "api_error", "boom"), claude.ServerError},
		{"refusal", refusal, claude.Refusal},
		{"cut short", short, claude.MaxOutput},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := fakeapi.New(t)
			api.Handle(func(*fakeapi.Request) fakeapi.Answer { return tt.answer })
			s := newReal(t, api)
			reply, e := s.fails(t.Context(), s.request("hello"), tt.want)
			if e.Message == "" || reply.SessionID == "" {
				t.Errorf("%v, %+v", e, reply)
			}
			nothingLeft(t, s.log)
		})
	}
}

// A plan's limit is a 429 too, but one that does not pass soon.
func TestRealUsageLimit(t *testing.T) {
	api := fakeapi.New(t)
	reset := strconv.FormatInt(time.Now().Add(2*time.Hour).Unix(), 10)
	api.Handle(func(*fakeapi.Request) fakeapi.Answer {
		return fakeapi.Status(429, "This request would exceed your account's rate limit.", "Retry-After", "7200",
			"anthropic-ratelimit-unified-status", "rejected", "anthropic-ratelimit-unified-reset", reset,
			"anthropic-ratelimit-unified-representative-claim", "five_hour")
	})
	s := newReal(t, api)
	s.Retries = 2
	s.Env = append(s.Env, "ANTHROPIC_API_KEY=", "CLAUDE_CODE_OAUTH_TOKEN=dummy-token")
	reply, e := s.fails(t.Context(), s.request("hello"), claude.UsageLimit)
	if e.RetryAfter < 110*time.Minute || e.RetryAfter > 2*time.Hour || len(reply.Attempts) != 1 {
		t.Errorf("%v, after %v", e, e.RetryAfter)
	}
}

func TestRealRefused(t *testing.T) {
	api := fakeapi.New(t)
	api.Refuse()
	s := newReal(t, api)
	s.fails(t.Context(), s.request("hello"), claude.Connection)
}

func TestRealLimits(t *testing.T) {
	t.Parallel()
	t.Run("turns", func(t *testing.T) {
		api := fakeapi.New(t)
		api.Handle(func(*fakeapi.Request) fakeapi.Answer {
			return fakeapi.Use("Bash", map[string]any{"command": "echo x"})
		})
		s := newReal(t, api)
		r := s.request("go")
		r.MaxTurns, r.AllowedTools = 2, []string{"Bash", "Read"}
		s.fails(t.Context(), r, claude.MaxTurns)
	})
	t.Run("budget", func(t *testing.T) {
		api := fakeapi.New(t)
		api.Handle(func(*fakeapi.Request) fakeapi.Answer {
			return fakeapi.Use("Bash", map[string]any{"command": "echo x"})
		})
		s := newReal(t, api)
		r := s.request("go")
		r.MaxBudgetUSD = 0.00001
		s.fails(t.Context(), r, claude.Budget)
	})
	t.Run("usage", func(t *testing.T) {
		s := newReal(t, fakeapi.New(t))
		r := s.request("go")
		r.Args = []string{"--no-such-flag"}
		s.fails(t.Context(), r, claude.Usage)
	})
	t.Run("unknown session", func(t *testing.T) {
		s := newReal(t, fakeapi.New(t))
		r := s.request("go")
		r.Resume = "bbbbbbbb-1111-4222-8333-444444444444"
		s.fails(t.Context(), r, claude.Usage)
	})
	t.Run("directive", func(t *testing.T) {
		s := newReal(t, fakeapi.New(t))
		file := filepath.Join(s.dir, ".claude", "skills", "s", "SKILL.md")
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("---\ndescription: d\nallowed-tools: Bash\n---\n!`exit 3`\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		s.fails(t.Context(), s.request("/s"), claude.DirectiveFailed)
	})
	t.Run("a command of its own", func(t *testing.T) {
		s := newReal(t, fakeapi.New(t))
		s.fails(t.Context(), s.request("/context"), claude.Usage)
	})
}

// The CLI makes few retries of its own, and the wait that the service asks for is known.
func TestRealRetryAfter(t *testing.T) {
	api := fakeapi.New(t)
	api.Handle(func(*fakeapi.Request) fakeapi.Answer { return fakeapi.Status(429, "slow down", "Retry-After", "1") })
	s := newReal(t, api)
	s.Env = slices.DeleteFunc(s.Env, func(kv string) bool { return strings.HasPrefix(kv, "CLAUDE_CODE_MAX_RETRIES=") })
	_, e := s.fails(t.Context(), s.request("hello"), claude.RateLimited)
	if e.RetryAfter < time.Second || len(api.Requests()) != 3 {
		t.Errorf("after %v, %d requests: %v", e.RetryAfter, len(api.Requests()), e)
	}
}

// Another attempt resumes the session, and the service gets what was done before.
func TestRealResumes(t *testing.T) {
	api := fakeapi.New(t, fakeapi.Use("Bash", map[string]any{"command": "echo WORK"}), fakeapi.Status(500, "boom"), fakeapi.Text("done"))
	s := newReal(t, api)
	s.Retries = 1
	r := s.request("the task")
	r.AllowedTools = []string{"Bash"}
	reply, err := s.Ask(t.Context(), r)
	if err != nil || reply.Output != "done" || len(reply.Attempts) != 2 || reply.Attempts[0].Kind != claude.ServerError ||
		reply.Attempts[0].SessionID != reply.SessionID {
		t.Fatalf("%+v, %v", reply, err)
	}
	last := api.Last()
	if reply.CostUSD > 0.0002 {
		t.Errorf("cost: %v", reply.CostUSD)
	}
	if results := last.Find("WORK"); len(results) == 0 || !strings.HasSuffix(last.Prompt(), "the task") {
		t.Errorf("the further attempt was sent %q", last.Texts())
	}
}

func TestRealHangs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		answer        fakeapi.Answer
		timeout, idle time.Duration
		want          claude.Kind
	}{
		{"before headers", fakeapi.Hang(), 2 * time.Second, 0, claude.Deadline},
		{"in mid-stream", fakeapi.Stall(fakeapi.Text("it works")), 10 * time.Minute, 2 * time.Second, claude.Idle},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newReal(t, fakeapi.New(t, tt.answer))
			s.Timeout, s.IdleTimeout = tt.timeout, tt.idle
			took(t, 2*time.Second, func() { s.fails(t.Context(), s.request("hello"), tt.want) })
			nothingLeft(t, s.log)
		})
	}
}

// sleeper makes the model run a command that sleeps in its own session.
func sleeper(t *testing.T) (*stage, claude.Request) {
	t.Helper()
	api := fakeapi.New(t)
	api.Handle(realclaude.Obey)
	s := newReal(t, api)
	r := s.request(`call Bash {"command": "touch begun; exec sleep 300"}`)
	r.AllowedTools = []string{"Bash"}
	return s, r
}

// TestRealTool checks that no program that a tool runs outlives the question, however it ends.
func TestRealTool(t *testing.T) {
	t.Parallel()
	t.Run("timeout", func(t *testing.T) {
		s, r := sleeper(t)
		// On a busy machine the command may not have started when the time is up.
		for s.Timeout = 4 * time.Second; ; s.Timeout *= 2 {
			took(t, s.Timeout, func() { s.fails(t.Context(), r, claude.Deadline) })
			nothingLeft(t, s.log)
			if _, err := os.Stat(filepath.Join(s.dir, "begun")); err == nil {
				break
			} else if s.Timeout > 2*time.Minute {
				t.Fatal(err)
			}
		}
	})
	t.Run("cancel", func(t *testing.T) {
		s, r := sleeper(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			defer cancel()
			for range 6000 {
				if _, err := os.Stat(filepath.Join(s.dir, "begun")); err == nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		}()
		s.fails(ctx, r, claude.Interrupted)
		if _, err := os.Stat(filepath.Join(s.dir, "begun")); err != nil {
			t.Error(err)
		}
		nothingLeft(t, s.log)
	})
}
