//go:build unix

package realclaude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/test/fakeapi"
)

func TestPlainAnswer(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t, fakeapi.Text("forty-two"))
	c := New(t, api)
	out := c.Run("-p", "what is it?")
	if out.Exit != 0 || out.Stdout != "forty-two\n" || out.Stderr != "" {
		t.Errorf("got %+v", out)
	}
	q := api.Last()
	if !q.Stream || q.Session == "" || q.Agent != "" || !q.HasTool("Bash") || q.Header.Get("X-Api-Key") != "dummy-key" {
		t.Errorf("request: stream %v, session %q, agent %q", q.Stream, q.Session, q.Agent)
	}
	if !strings.HasSuffix(q.Prompt(), "what is it?") {
		t.Errorf("prompt: %q", q.Prompt())
	}
	if other := api.Other(); len(other) > 0 {
		t.Errorf("the CLI also asked for %q", other)
	}
}

func TestFoldersGo(t *testing.T) {
	t.Parallel()
	var root string
	t.Run("run", func(t *testing.T) {
		c := New(t, fakeapi.New(t))
		root = filepath.Dir(c.Home)
		c.Start().Send("hello") // this session is never closed
	})
	if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", root, err)
	}
}

func TestBashTool(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(Obey)
	c := New(t, api)
	out := c.Run("-p", `call Bash {"command": "echo $((6*7)) >made; cat made"}`, "--allowedTools", "Bash")
	if out.Stdout != "done\n" {
		t.Errorf("got %+v", out)
	}
	results := api.Last().Results()
	if len(results) != 1 || results[0].IsError || results[0].Said() != "42" {
		t.Errorf("results: %+v", results)
	}
	if _, err := os.Stat(filepath.Join(c.Project, "made")); err != nil {
		t.Error(err)
	}
}

func TestRunTimeout(t *testing.T) {
	t.Parallel()
	c := New(t, fakeapi.New(t, fakeapi.Hang()))
	c.Timeout = time.Second
	if _, err := c.run(t.Context(), []string{"-p", "hello"}); err == nil || err.Error() != "no end within 1s" {
		t.Errorf("error: %v", err)
	}
}

// TestRunEnds checks that the end of a run ends everything that the run started.
func TestRunEnds(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(Obey)
	c := New(t, api)
	pidFile := filepath.Join(c.Project, "pid")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error)
	go func() {
		// The shell becomes sleep, which the CLI keeps in its own session.
		_, err := c.run(ctx, []string{"-p", `call Bash {"command": "echo $$ >pid.new; mv pid.new pid; exec sleep 1000"}`,
			"--allowedTools", "Bash"})
		ended <- err
	}()
	for {
		if _, err := os.Stat(pidFile); err == nil {
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("the command did not run: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error: %v", err)
	}
	data, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d: %v, want none", pid, err)
	}
}

const skill = "---\ndescription: d\n---\nTHE BODY $ARGUMENTS\n"

func TestSkillTool(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(Obey)
	c := New(t, api)
	c.Write(".claude/skills/s/SKILL.md", skill)
	s := c.Start()
	s.Send(`call Skill {"skill": "s", "args": "x"}`)
	if got := api.Last().Find("THE BODY x\n"); len(got) != 1 {
		t.Errorf("the skill's text was sent %d times", len(got))
	}
	// The same text again, then a different one.
	s.Send(`call Skill {"skill": "s", "args": "x"}`)
	if got := api.Last().Count("Skill /s is already loaded above; instructions unchanged."); got != 1 {
		t.Errorf("%q", api.News(api.Last()))
	}
	s.Send(`call Skill {"skill": "s", "args": "y"}`)
	if got := api.Last().Count("(Re-invocation of /s —"); got != 1 {
		t.Errorf("%q", api.News(api.Last()))
	}
	s.Send("/s y")
	if got, want := api.Sent("THE BODY"), []int{0, 1, 0, 0, 0, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("the skill's text was new in each request %v times, want %v", got, want)
	}
}

func TestSubagents(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(Obey)
	c := New(t, api)
	c.Write(".claude/skills/s/SKILL.md", skill)
	s := c.Start("--allowedTools", "Agent,Skill")
	s.Send(`call Skill {"skill": "s", "args": "x"}`)
	agent := `call Agent {"description": "d", "subagent_type": "general-purpose", "run_in_background": false, "prompt": "call Skill {\"skill\": \"s\", \"args\": \"x\"}"}`
	if turn := s.Send(agent + "\n" + agent); turn.Result.Result != "done" {
		t.Errorf("result: %s", turn.Result.Raw)
	}
	sent := map[string]int{}
	for i, n := range api.Sent("THE BODY") {
		sent[api.Requests()[i].Agent] += n
	}
	if len(sent) != 3 {
		t.Errorf("agents: %v, want the main one and two more", sent)
	}
	for agent, n := range sent {
		if n != 1 {
			t.Errorf("agent %q was sent the skill's text %d times", agent, n)
		}
	}
	for _, result := range api.Last().Results() {
		if !strings.Contains(result.Said(), "done") {
			t.Errorf("a subagent's answer: %q", result.Said())
		}
	}
}

// TestBackgroundAgent: when a background subagent ends, the CLI asks the model on its own. This
// must not confuse Send.
func TestBackgroundAgent(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(func(q *fakeapi.Request) fakeapi.Answer {
		if strings.HasSuffix(q.Prompt(), "and now?") {
			return fakeapi.Text("this")
		}
		return Obey(q)
	})
	s := New(t, api).Start("--allowedTools", "Agent")
	s.Send(`call Agent {"description": "d", "subagent_type": "general-purpose", "prompt": "hello"}`)
	if turn := s.Send("and now?"); turn.Result.Result != "this" {
		t.Errorf("result: %s", turn.Result.Raw)
	}
}

// announce makes a SessionStart hook tell the model how the session started.
func announce(t *testing.T, c *Claude) {
	t.Helper()
	hook := c.Write("hook", `#!/bin/sh
source=$(sed 's/.*"source":"\([a-z]*\)".*/\1/')
echo '{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "CONTEXT '$source'"}}'
`)
	c.Write(".claude/settings.json", toJSON(t, map[string]any{"hooks": map[string]any{
		"SessionStart": []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": hook}}}},
	}}))
}

func TestCompactAndClear(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(Obey)
	c := New(t, api)
	c.Write(".claude/skills/s/SKILL.md", skill)
	announce(t, c)
	s := c.Start()
	first := s.Send(`call Skill {"skill": "s"}`)
	if turn := s.Send("/compact"); turn.Result.IsError || turn.Result.Turns != 0 || !Compacting(api.Last()) {
		t.Errorf("/compact: %s", turn.Result.Raw)
	}
	if turn := s.Send("go on"); turn.Result.SessionID != first.Result.SessionID {
		t.Errorf("/compact made session %s into %s", first.Result.SessionID, turn.Result.SessionID)
	}
	for _, text := range []string{summary, "CONTEXT compact", "### Skill: s\n", "THE BODY"} {
		if n := api.Last().Count(text); n != 1 {
			t.Errorf("after /compact the model was sent %q %d times", text, n)
		}
	}
	s.Send(`call Skill {"skill": "s"}`)
	if n := api.Last().Count("Skill /s was loaded earlier (see the invoked-skills reminder above)"); n != 1 {
		t.Errorf("after /compact a skill that was used before came as %q", api.News(api.Last()))
	}
	before := len(api.Requests())
	s.Send("/clear")
	if n := len(api.Requests()) - before; n != 0 {
		t.Errorf("/clear made %d requests", n)
	}
	if turn := s.Send("hello"); turn.Result.SessionID == first.Result.SessionID {
		t.Errorf("/clear kept session %s", turn.Result.SessionID)
	}
	if q := api.Last(); q.Count("THE BODY") != 0 || q.Count("CONTEXT clear") != 1 {
		t.Errorf("after /clear the model was sent %q", q.Texts())
	}
	if out := s.Close(); out.Exit != 0 || out.Stderr != "" {
		t.Errorf("end: %+v", out)
	}
}

// TestAutoCompact: the CLI compacts a conversation before it is too large for the window, and after
// the API has reported that it is too large.
func TestAutoCompact(t *testing.T) {
	t.Parallel()
	tooLong := fakeapi.Status(400, "prompt is too long: 250000 tokens > 200000 maximum")
	for _, tt := range []struct {
		name   string
		env    string
		answer fakeapi.Answer // to the second prompt
	}{
		{"window", "CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000", fakeapi.Message{Text: "x", Usage: fakeapi.Usage{Input: 190_000}}},
		{"percent", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=10", fakeapi.Message{Text: "x", Usage: fakeapi.Usage{CacheRead: 190_000}}},
		{"too long", "X=", tooLong},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := fakeapi.New(t, fakeapi.Text("one"), tt.answer)
			api.Handle(func(q *fakeapi.Request) fakeapi.Answer {
				if Compacting(q) {
					return Obey(q)
				}
				return nil
			})
			c := New(t, api)
			c.Env = []string{tt.env}
			s := c.Start()
			for _, prompt := range []string{"one", "two", "three"} {
				if turn := s.Send(prompt); turn.Result.IsError {
					t.Errorf("%s: %s", prompt, turn.Result.Raw)
				}
			}
			if n := api.Last().Count(summary); n != 1 {
				t.Errorf("the model was sent the summary %d times", n)
			}
		})
	}
}

// TestFaults checks that each fault which other tests play is a fault to the real CLI too.
func TestFaults(t *testing.T) {
	t.Parallel()
	ok := fakeapi.Text("it works")
	refusal := fakeapi.Message{Text: "no", Stop: "refusal"}
	short := fakeapi.Message{Text: "well", Stop: "max_tokens"}
	for _, tt := range []struct {
		name   string
		script []fakeapi.Answer
		want   string // expected on stdout
	}{
		{"rate limit", []fakeapi.Answer{fakeapi.Status(429, "slow down", "Retry-After", "1")}, "(429)"},
		{"bad key", []fakeapi.Answer{fakeapi.Status(401, "invalid x-api-key")}, "Invalid API key"},
		{"garbage", []fakeapi.Answer{fakeapi.Raw(200, "<html>"), fakeapi.Raw(200, "<html>")}, "empty or malformed response (HTTP 200)"},
		{"reset, then well", []fakeapi.Answer{fakeapi.Reset(ok), ok}, "it works\n"},
		{"trickle", []fakeapi.Answer{fakeapi.Trickle(ok, 10*time.Millisecond)}, "it works\n"},
		{"refusal, twice", []fakeapi.Answer{refusal, refusal}, "safeguards flagged this message"},
		{"cut short, four times", []fakeapi.Answer{short, short, short, short}, "output token maximum"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := fakeapi.New(t, tt.script...)
			c := New(t, api)
			c.Env = []string{"CLAUDE_CODE_MAX_RETRIES=0"}
			if out := c.Run("-p", "hello"); !strings.Contains(out.Stdout, tt.want) {
				t.Errorf("got %+v, want %q", out, tt.want)
			}
			if n := api.Unused(); n != 0 {
				t.Errorf("%d answers were never asked for", n)
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		api := fakeapi.New(t)
		api.Refuse()
		c := New(t, api)
		c.Env = []string{"CLAUDE_CODE_MAX_RETRIES=0"}
		if out := c.Run("-p", "hello"); !strings.Contains(out.Stdout, "ECONNREFUSED") {
			t.Errorf("got %+v", out)
		}
	})
}

// TestSessionOver checks that a session that has ended fails the test and says why.
func TestSessionOver(t *testing.T) {
	t.Parallel()
	Program(t) // if the CLI is missing, this test must end as the others do
	for _, tt := range []struct {
		name string
		play func(c *Claude)
		want string
	}{
		{"wrong usage", func(c *Claude) { c.Start("--no-such-flag").Send("hello") }, "unknown option '--no-such-flag'"},
		{"closed", func(c *Claude) {
			s := c.Start()
			s.Close()
			s.Send("hello")
		}, `"hello": the session has ended`},
		{"no answer", func(c *Claude) {
			c.API.Script(fakeapi.Hang())
			c.Timeout = time.Second
			c.Start().Send("hello")
		}, `"hello": no result within 1s`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			api := fakeapi.New(t)
			if got := verdictOf(t, func(t testing.TB) { tt.play(New(t, api)) }); !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestStructuredOutput(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t, fakeapi.Use("StructuredOutput", map[string]int{"n": 7}))
	out := New(t, api).Run("-p", "a number", "--output-format", "stream-json", "--verbose",
		"--json-schema", `{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}`)
	events := out.Events()
	i := slices.IndexFunc(events, func(e Event) bool { return e.Type == "result" })
	if i < 0 || string(events[i].Structured) != `{"n":7}` {
		t.Errorf("got %+v", out)
	}
}

// TestPlugin checks the environment of a plugin's hooks and directives, in the main agent and in a
// subagent.
func TestPlugin(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(Obey)
	c := New(t, api)
	plugin := writePlugin(t, c, map[string]any{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/bin/note",
		"args": []string{"a b", "$HOME"}})
	s := c.Start("--plugin-dir", plugin, "--allowedTools", "Skill,Agent")
	if turn := s.Send("/plug:env"); turn.Result.IsError {
		t.Fatalf("/plug:env: %s", turn.Result.Raw)
	}
	main := directiveEnv(t, api.Last())
	s.Send(`call Agent {"description": "d", "subagent_type": "general-purpose", "run_in_background": false, "prompt": "call Skill {\"skill\": \"plug:env\"}"}`)
	// The main agent's request is the last one. The subagent's request came just before it.
	requests := api.Requests()
	sub := requests[len(requests)-2]
	if sub.Agent == "" {
		t.Fatal("no subagent asked")
	}
	for _, v := range directiveEnv(t, sub) {
		if !slices.Contains(main, v) {
			name, _, _ := strings.Cut(v, "=") // some values are tokens
			t.Errorf("%s is another one for a directive in a subagent", name)
		}
	}
	see(t, "a directive", main, []string{"CLAUDE_CODE_SESSION_ID"},
		[]string{"CLAUDE_SESSION_ID", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR"})
	s.Close()

	note, err := os.ReadFile(filepath.Join(c.Project, "note"))
	if err != nil {
		t.Fatal(err)
	}
	args, env, _ := strings.Cut(string(note), "\n")
	if args != "[a b][$HOME]" {
		t.Errorf("the hook's arguments are %s", args)
	}
	see(t, "a hook", strings.Fields(env), []string{"CLAUDE_CODE_SESSION_ID", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA",
		"CLAUDE_PROJECT_DIR"},
		[]string{"CLAUDE_SESSION_ID"})
}

// writePlugin writes a plugin with a skill that shows its environment, and with a SessionStart
// hook.
func writePlugin(t *testing.T, c *Claude, hook map[string]any) (dir string) {
	t.Helper()
	c.Write("plug/.claude-plugin/plugin.json", `{"name": "plug", "version": "1.0.0", "description": "d", "author": {"name": "a"}}`)
	c.Write("plug/hooks/hooks.json", toJSON(t, map[string]any{"hooks": map[string]any{
		"SessionStart": []any{map[string]any{"hooks": []any{hook}}},
	}}))
	c.Write("plug/hooks/bin/note", "#!/bin/sh\n{ printf '[%s]' \"$@\"; echo; env | sed 's/=.*//'; } >note\n")
	c.Write("plug/skills/env/SKILL.md", "---\nname: env\ndescription: d\nallowed-tools: Bash\n---\nENV !`env | sort | tr '\\n' '\\001'` END\n")
	return filepath.Join(c.Project, "plug")
}

// directiveEnv returns the environment that a skill's directive printed in q.
func directiveEnv(t *testing.T, q *fakeapi.Request) []string {
	t.Helper()
	for _, text := range q.Find("ENV ") {
		if _, text, ok := strings.Cut(text, "ENV "); ok && strings.Contains(text, "\x01") {
			text, _, _ = strings.Cut(text, " END")
			return strings.Split(strings.Trim(text, "\x01 "), "\x01")
		}
	}
	t.Fatalf("no environment in %q", q.Texts())
	return nil
}

// see checks which variables who has; want and never list them as NAME or NAME=value.
func see(t *testing.T, who string, env, want, never []string) {
	t.Helper()
	has := func(name string) bool {
		return slices.ContainsFunc(env, func(v string) bool { return v == name || strings.HasPrefix(v, name+"=") })
	}
	for _, name := range want {
		if !has(name) {
			t.Errorf("%s does not see %s", who, name)
		}
	}
	for _, name := range never {
		if has(name) {
			t.Errorf("%s sees %s", who, name)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		hook map[string]any
		exit int
	}{
		{"exec form", map[string]any{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/bin/note", "args": []string{}}, 0},
		{"quoted", map[string]any{"type": "command", "command": `"${CLAUDE_PLUGIN_ROOT}"/hooks/bin/note`}, 0},
		{"unquoted", map[string]any{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/bin/note"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := New(t, fakeapi.New(t))
			if out := c.Run("plugin", "validate", "--strict", writePlugin(t, c, tt.hook)); out.Exit != tt.exit {
				t.Errorf("got %+v", out)
			}
		})
	}
}

// A verdict is a testing.TB that records how a test would have ended.
type verdict struct {
	testing.TB
	text string
}

func (v *verdict) Helper()                           {}
func (v *verdict) Skip(args ...any)                  { v.end("skip: " + fmt.Sprint(args...)) }
func (v *verdict) Fatal(args ...any)                 { v.end("fail: " + fmt.Sprint(args...)) }
func (v *verdict) Fatalf(format string, args ...any) { v.end("fail: " + fmt.Sprintf(format, args...)) }

func (v *verdict) end(text string) {
	v.text = text
	runtime.Goexit()
}

// verdictOf returns how f ends the test that it gets.
func verdictOf(t *testing.T, f func(t testing.TB)) string {
	v := &verdict{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(v)
	}()
	<-done
	return v.text
}
