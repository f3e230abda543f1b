//go:build unix

package claude_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/test"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "claude" {
		os.Exit(test.PlayClaude())
	}
	os.Exit(m.Run())
}

// A stage is a folder and an environment in which a fake claude runs.
type stage struct {
	*claude.Client
	t   *testing.T
	dir string
	log string
}

func newStage(t *testing.T, play string) *stage {
	t.Helper()
	t.Parallel()
	return newSerialStage(t, play)
}

// newSerialStage returns a stage for a test that must run alone.
func newSerialStage(t *testing.T, play string) *stage {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "claude")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, dir: dir, log: filepath.Join(dir, "log")}
	s.Client = &claude.Client{
		Path: program, Timeout: 10 * time.Minute,
		Env: append(os.Environ(), test.PlayVariable+"="+play, test.LogVariable+"="+s.log),
	}
	return s
}

// calls returns the arguments with which claude was started.
func (s *stage) calls() []test.Call {
	s.t.Helper()
	data, err := os.ReadFile(s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	var calls []test.Call
	for line := range bytes.Lines(data) {
		var c test.Call
		if err := json.Unmarshal(line, &c); err != nil {
			s.t.Fatal(err)
		}
		calls = append(calls, c)
	}
	return calls
}

// fails asks and wants a failure of that kind.
func (s *stage) fails(ctx context.Context, r claude.Request, want claude.Kind) (*claude.Reply, *claude.Error) {
	s.t.Helper()
	reply, err := s.Ask(ctx, r)
	e, ok := errors.AsType[*claude.Error](err)
	if !ok || e.Kind != want {
		s.t.Fatalf("%v, want %s", err, want)
	}
	if reply == nil || len(reply.Attempts) == 0 || reply.Attempts[len(reply.Attempts)-1].Kind != want {
		s.t.Fatalf("reply: %+v", reply)
	}
	return reply, e
}

func TestAnswer(t *testing.T) {
	s := newStage(t, `init | text let me see | tool Bash {"command":"ls"} | structured {"n":1}`)
	var events []string
	s.OnEvent = func(e claude.Event) {
		events = append(events, fmt.Sprintf("%s %d %d %s%s%s", e.Type, e.Attempt, e.Turn, e.Text, e.Tool, e.Input))
	}
	reply, err := s.Ask(t.Context(), claude.Request{Prompt: "-x\nwhat? é", Dir: s.dir})
	if err != nil {
		t.Fatal(err)
	}
	if reply.Output != "done" || string(reply.JSON) != `{"n":1}` || reply.SessionID != test.Session || reply.Model != "claude-fake-1" ||
		reply.Turns != 2 || reply.CostUSD != 0.25 || reply.Exit != 0 || len(reply.Attempts) != 1 || reply.Duration <= 0 ||
		string(reply.Usage) != `{"input_tokens":10,"output_tokens":5}` || string(reply.Denials) != "[]" {
		t.Errorf("reply: %+v", reply)
	}
	if want := []string{"start 1 0 ", "text 1 1 let me see", `tool 1 2 Bash{"command":"ls"}`, "result 1 2 "}; !slices.Equal(events, want) {
		t.Errorf("events: %q", events)
	}
	if c := s.calls()[0]; c.Prompt != "-x\nwhat? é" || c.Dir != s.dir {
		t.Errorf("call: %+v", c)
	}
}

// Each line is one kind of misbehavior.
func TestMisbehaviour(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		play string
		want claude.Kind // "" means success
	}{
		{"deaf | init | result ok", ""},
		{"deaf | exit 0", claude.NoResult},
		{"init | result ok | exit 1", ""},
		{"init | result ok | die", ""},
		{"init | fail 500 API Error: 500 boom | exit 0", claude.ServerError},
		{"init | exit 0", claude.NoResult},
		{"init | die", claude.Crashed},
		{"exit 143", claude.Crashed},
		{"stderr error: unknown option | exit 1", claude.Usage},
		{`init | torn {"type":"result","subtype":"success","is_error":false`, claude.NoResult},
		{`init | torn {"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok"}`, ""},
		{"raw garbage | init | raw {} | raw [ | result ok", ""},
		{"init | hide 300 | result ok", ""},
		{"init | hide 300 | die", claude.Crashed},
		{"init | retry 529 10 | result ok", ""},
		{"init | subtype error_max_turns Reached maximum number of turns (2)", claude.MaxTurns},
		{"init | subtype error_max_budget_usd Reached maximum budget", claude.Budget},
		{"init | trickle 20 10 | result ok", ""},
		{"init | output 20000000 | result ok", ""},
		{"init | long 20000000 | result ok", ""},
	} {
		t.Run(tt.play, func(t *testing.T) {
			s := newStage(t, tt.play)
			if tt.want != "" {
				s.fails(t.Context(), claude.Request{Prompt: "x"}, tt.want)
			} else if _, err := s.Ask(t.Context(), claude.Request{Prompt: "x"}); err != nil {
				t.Error(err)
			}
			nothingLeft(t, s.log)
		})
	}
}

// nothingLeft fails if a running process has the text in its environment.
func nothingLeft(t *testing.T, text string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if env, err := os.ReadFile(f); err == nil && bytes.Contains(env, []byte(text)) {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
			t.Errorf("still alive: %s %q", filepath.Dir(f), command)
		}
	}
}

// took runs f and fails if it takes less than want.
func took(t *testing.T, want time.Duration, f func()) {
	t.Helper()
	began := time.Now()
	f()
	if got := time.Since(began); got < want {
		t.Errorf("took %s, want at least %s", got, want)
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		play          string
		timeout, idle time.Duration
		want          claude.Kind
	}{
		{"hang", 300 * time.Millisecond, 0, claude.Deadline},
		{"deaf | hang", 300 * time.Millisecond, 0, claude.Deadline},
		{"init | text working | hide 300 | hang", 300 * time.Millisecond, 0, claude.Deadline},
		{"init | trickle 5000 20", 15 * time.Second, 10 * time.Second, claude.Deadline},
		{"init | murmur 5000 20", 15 * time.Second, 10 * time.Second, claude.Deadline},
		{"init | hang", 10 * time.Minute, 300 * time.Millisecond, claude.Idle},
		{"hang", 10 * time.Minute, 300 * time.Millisecond, claude.Idle},
		{"init | confess", 10 * time.Minute, 300 * time.Millisecond, claude.Idle},
		{"init | confess", 300 * time.Millisecond, -1, claude.Deadline},
		{"stubborn | init | hide 300 | hang", 300 * time.Millisecond, 0, claude.Deadline},
	} {
		t.Run(tt.play+" "+string(tt.want), func(t *testing.T) {
			s := newStage(t, tt.play)
			s.Timeout, s.IdleTimeout = tt.timeout, tt.idle
			limit := tt.timeout
			if tt.want == claude.Idle {
				limit = tt.idle
			}
			took(t, limit, func() {
				_, e := s.fails(t.Context(), claude.Request{Prompt: "x"}, tt.want)
				if !strings.Contains(e.Error(), limit.String()) {
					t.Errorf("error: %v", e)
				}
			})
			nothingLeft(t, s.log)
		})
	}
}

// A deadline of the caller's context counts like our own.
func TestContext(t *testing.T) {
	t.Parallel()
	t.Run("deadline", func(t *testing.T) {
		s := newStage(t, "init | hang")
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		took(t, 200*time.Millisecond, func() { s.fails(ctx, claude.Request{Prompt: "x"}, claude.Deadline) })
	})
	t.Run("cancel", func(t *testing.T) {
		s := newStage(t, "init | text a | hide 300 | confess")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		file := filepath.Join(s.dir, "transcript")
		s.OnEvent = func(e claude.Event) {
			if e.Type == claude.Text {
				cancel()
			}
		}
		reply, e := s.fails(ctx, claude.Request{Prompt: "x", Transcript: file}, claude.Interrupted)
		if reply.SessionID != test.Session || !errors.Is(e, context.Canceled) {
			t.Errorf("reply: %+v, error: %v", reply, e)
		}
		nothingLeft(t, s.log)
		// The transcript has the answer that arrived while the CLI was being stopped, although that
		// answer does not count.
		if data, err := os.ReadFile(file); err != nil || !bytes.Contains(data, []byte("stopped well")) {
			t.Errorf("transcript: %s, %v", data, err)
		}
	})
	t.Run("before", func(t *testing.T) {
		s := newStage(t, "init")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.fails(ctx, claude.Request{Prompt: "x"}, claude.Interrupted)
	})
	t.Run("while it waits to try again", func(t *testing.T) {
		s := newStage(t, "rate-limit")
		s.Retries = 2
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s.OnEvent = func(e claude.Event) {
			if e.Type == claude.Retry {
				cancel()
			}
		}
		_, err := s.Ask(ctx, claude.Request{Prompt: "x"})
		if e, ok := errors.AsType[*claude.Error](err); !ok || e.Kind != claude.Interrupted || len(s.calls()) != 1 {
			t.Errorf("error: %v", err)
		}
	})
}

// A CLI that has given its result is stopped gently, and that is a success.
func TestLinger(t *testing.T) {
	t.Parallel()
	for _, play := range []string{"init | result ok | hang", "init | result ok | stubborn | hide 300 | trickle 3000 10"} {
		t.Run(play, func(t *testing.T) {
			s := newStage(t, play)
			took(t, 5*time.Second, func() {
				if reply, err := s.Ask(t.Context(), claude.Request{Prompt: "x"}); err != nil || reply.Output != "ok" {
					t.Errorf("%+v, %v", reply, err)
				}
			})
			nothingLeft(t, s.log)
		})
	}
}

// A result counts, whatever ends the CLI afterwards.
func TestResultStands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ timeout, idle time.Duration }{{3 * time.Second, -1}, {10 * time.Minute, 3 * time.Second}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			s := newStage(t, "init | result ok | hang")
			s.Timeout, s.IdleTimeout = tt.timeout, tt.idle
			reply, err := s.Ask(t.Context(), claude.Request{Prompt: "x"})
			// On a busy machine there may be no result yet when the time is up.
			for try := 0; err != nil && try < 6; try++ {
				s.Timeout, s.IdleTimeout = 2*s.Timeout, 2*s.IdleTimeout
				reply, err = s.Ask(t.Context(), claude.Request{Prompt: "x"})
			}
			if err != nil || reply.Output != "ok" {
				t.Errorf("%+v, %v", reply, err)
			}
		})
	}
}

// An attempt that resumes a session reports the cost of the whole session.
func TestCost(t *testing.T) {
	t.Parallel()
	for play, want := range map[string]float64{
		"init a | subtype error_new half; init a | result ok": 0.25,
		"init a | subtype error_new half; init b | result ok": 0.5,
	} {
		t.Run(play, func(t *testing.T) {
			s := newStage(t, play)
			s.Retries = 1
			if reply, err := s.Ask(t.Context(), claude.Request{Prompt: "x"}); err != nil || reply.CostUSD != want ||
				len(reply.Attempts) != 2 {
				t.Errorf("%+v, %v", reply, err)
			}
		})
	}
}

func TestRetries(t *testing.T) {
	s := newStage(t, "init first | text half | fail 500 API Error: 500 boom; init second | die; init third | result ok")
	s.Retries = 2
	file := filepath.Join(s.dir, "transcript")
	var waits []time.Duration
	s.OnEvent = func(e claude.Event) {
		if e.Type == claude.Retry {
			waits = append(waits, e.Wait)
		}
	}
	reply, err := s.Ask(t.Context(), claude.Request{Prompt: "what?", Continue: true, Transcript: file})
	if err != nil || reply.Output != "ok" || reply.CostUSD != 0.25 {
		t.Fatalf("%+v, %v", reply, err)
	}
	var got []string
	for _, a := range reply.Attempts {
		got = append(got, fmt.Sprintf("%s %s %s", a.Category, a.Kind, a.SessionID))
	}
	if want := []string{"network server-error first", "logic crashed second", "  third"}; !slices.Equal(got, want) {
		t.Errorf("attempts: %q", got)
	}
	if len(waits) != 2 || waits[0] < 500*time.Millisecond || waits[1] < time.Second {
		t.Errorf("waits: %v", waits)
	}
	calls := s.calls()
	for i, want := range []string{"--continue", "--resume first", "--resume second"} {
		if args := strings.Join(calls[i].Args, " "); !strings.HasSuffix(args, want) || strings.Contains(args, "--continue") != (i == 0) {
			t.Errorf("attempt %d: %s", i+1, args)
		}
	}
	if !strings.HasSuffix(calls[1].Prompt, "what?") || calls[1].Prompt == "what?" || calls[0].Prompt != "what?" {
		t.Errorf("prompts: %+v", calls)
	}
	for name, want := range map[string]string{"transcript.1": "boom", "transcript.2": `"second"`, "transcript": `"ok"`} {
		if data, err := os.ReadFile(filepath.Join(s.dir, name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %s, %v", name, data, err)
		}
	}
}

func TestRetryFresh(t *testing.T) {
	s := newStage(t, "rate-limit; init | result ok")
	s.Retries, s.RetryFresh = 1, true
	if _, err := s.Ask(t.Context(), claude.Request{Prompt: "what?"}); err != nil {
		t.Fatal(err)
	}
	calls := s.calls()
	if len(calls) != 2 || !slices.Equal(calls[0].Args, calls[1].Args) || calls[1].Prompt != "what?" {
		t.Errorf("calls: %+v", calls)
	}
}

// A session that was not saved cannot be resumed. Then a new session starts at once.
func TestRetryLost(t *testing.T) {
	s := newStage(t, "rate-limit; subtype error_during_execution No conversation found with session ID: x; init | result ok")
	s.Retries = 1
	reply, err := s.Ask(t.Context(), claude.Request{Prompt: "what?"})
	if err != nil || len(reply.Attempts) != 3 {
		t.Fatalf("%+v, %v", reply, err)
	}
	if calls := s.calls(); slices.Contains(calls[2].Args, "--resume") || calls[2].Prompt != "what?" {
		t.Errorf("calls: %+v", calls)
	}
}

func TestNoRetry(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		play  string
		want  claude.Kind
		after time.Duration
	}{
		{"init | fail 400 API Error: 400 no", claude.BadRequest, 0},
		{"init | fail 401 Invalid API key", claude.Unauthorized, 0},
		{"init | fail 429 You've hit your limit · resets in 2 hours", claude.UsageLimit, 2 * time.Hour},
		// The failure would pass, but not in the remaining time.
		{"init | fail 429 rate limited, retry after 60s", claude.RateLimited, time.Minute},
		{"init | retry 429 45000 | fail 429 rate limited", claude.RateLimited, 45 * time.Second},
	} {
		t.Run(tt.play, func(t *testing.T) {
			s := newStage(t, tt.play)
			s.Retries, s.Timeout = 5, 40*time.Second // less than the waits above
			took(t, 0, func() {
				reply, e := s.fails(t.Context(), claude.Request{Prompt: "x"}, tt.want)
				if e.RetryAfter != tt.after || len(reply.Attempts) != 1 {
					t.Errorf("%v after %v, want %v", e, e.RetryAfter, tt.after)
				}
			})
		})
	}
}

func TestSchemaNotMet(t *testing.T) {
	s := newStage(t, `init | structured {"n":"x"}`)
	s.Retries = 3
	reply, _ := s.fails(t.Context(), claude.Request{Prompt: "x", Schema: json.RawMessage(`{"properties":{"n":{"type":"number"}}}`)},
		claude.SchemaNotMet)
	if reply.Output != "done" || reply.JSON != nil {
		t.Errorf("reply: %+v", reply)
	}
}

// The transcript is the CLI's output, byte for byte. Older content of the file is gone.
func TestTranscript(t *testing.T) {
	s := newStage(t, "file source")
	source := "\xff\x00 garbage\r\n" + `{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"é ` + "\u2028" + ` ok"}` + "\nno end"
	file := filepath.Join(s.dir, "transcript")
	for name, text := range map[string]string{"source": source, "transcript": strings.Repeat("old\n", 1000)} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	reply, err := s.Ask(t.Context(), claude.Request{Prompt: "x", Dir: s.dir, Transcript: file})
	if err != nil || reply.Output != "é \u2028 ok" {
		t.Errorf("%+v, %v", reply, err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != source {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTranscriptFails(t *testing.T) {
	s := newStage(t, "init | flood 1 | result ok | hang")
	if _, err := os.Stat("/dev/full"); err == nil {
		_, e := s.fails(t.Context(), claude.Request{Prompt: "x", Transcript: "/dev/full"}, claude.Unwritable)
		if e.Message != "/dev/full: no space left on device" {
			t.Errorf("error: %v", e)
		}
		nothingLeft(t, s.log)
	}
	for file, want := range map[string]string{
		filepath.Join(s.dir, "no", "file"): filepath.Join(s.dir, "no", "file") + ": no such folder",
		s.dir:                              s.dir + ": is a directory",
	} {
		if _, err := s.Ask(t.Context(), claude.Request{Prompt: "x", Transcript: file}); err == nil || err.Error() != want {
			t.Errorf("error: %v, want %s", err, want)
		}
	}
}

func TestNotStarted(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, want string
		is         error
	}{
		{"", "claude: not found in PATH (install it: npm install -g @anthropic-ai/claude-code)", exec.ErrNotFound},
		{filepath.Join(dir, "no"), filepath.Join(dir, "no") + ": no such file (install it: npm install -g @anthropic-ai/claude-code)",
			os.ErrNotExist},
		{plain, plain + ": permission denied", os.ErrPermission},
		{dir, dir + ": is a folder", os.ErrPermission},
	} {
		reply, err := (&claude.Client{Path: tt.path, Env: []string{"PATH=" + dir}}).Ask(t.Context(), claude.Request{Prompt: "x"})
		e, ok := errors.AsType[*claude.StartError](err)
		if !ok || reply != nil || e.Error() != tt.want || !errors.Is(err, tt.is) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	// A relative path starts in the caller's folder.
	t.Chdir(dir)
	_, err := (&claude.Client{Path: "./plain"}).Ask(t.Context(), claude.Request{Prompt: "x", Dir: "/"})
	if err == nil || err.Error() != plain+": permission denied" {
		t.Errorf("error: %v", err)
	}
}

// TestMemory checks that the unneeded parts of a transcript use no memory.
func TestMemory(t *testing.T) {
	s := newSerialStage(t, "init | flood 60 | output 30000000 | result ok")
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := s.Ask(t.Context(), claude.Request{Prompt: "x"}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if cost := after.TotalAlloc - before.TotalAlloc; cost > 15<<20 {
		t.Errorf("90 MB of transcript cost %d MB", cost>>20)
	}
}

func ExampleClient_Ask() {
	client := claude.Client{Retries: 2, Timeout: time.Minute}
	reply, err := client.Ask(context.Background(), claude.Request{Prompt: "say ok", Schema: json.RawMessage(`{"type":"object"}`)})
	if e, ok := errors.AsType[*claude.Error](err); ok && e.Category == claude.Quota {
		fmt.Println("come back in", e.RetryAfter)
	} else if err != nil {
		fmt.Println(err)
	} else {
		fmt.Printf("%s\n", reply.JSON)
	}
}
