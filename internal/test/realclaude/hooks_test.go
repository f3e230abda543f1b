//go:build unix

package realclaude

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
)

// TestHooks plays conversations and compares the hooks that they trigger, with all their fields.
func TestHooks(t *testing.T) {
	t.Parallel()
	test.Cases(t, "testdata/*.txtar", func(t *testing.T, tc test.Case) map[string]string {
		api := fakeapi.New(t)
		api.Handle(forgetful)
		c := New(t, api)
		c.Env = strings.Fields(tc.Files["env"])
		c.Write(".claude/skills/greet/SKILL.md", "---\ndescription: d\n---\nSay hello.\n")
		log := recordHooks(t, c)
		s := c.Start("--allowedTools", "Skill,Agent")
		for prompt := range strings.Lines(tc.Files["prompts"]) {
			prompt = strings.TrimSpace(prompt)
			if turn := s.Send(prompt); turn.Result.Subtype != "success" || turn.Result.IsError {
				t.Errorf("%s: %s", prompt, turn.Result.Raw)
			}
		}
		s.Close()
		return map[string]string{"want": trace(t, log)}
	})
}

// forgetful follows the prompt. If the prompt begins with large, it reports that its context is
// nearly full. As a subagent it then uses its tool until it has been compacted.
func forgetful(q *fakeapi.Request) fakeapi.Answer {
	if Compacting(q) || q.Count(summary) > 0 {
		return Obey(q)
	}
	full := fakeapi.Usage{Input: 190_000, Output: 500}
	first := q.Messages[0].Content
	switch prompt := first[len(first)-1].Text; {
	case q.Agent != "" && strings.HasPrefix(prompt, "large"):
		return fakeapi.Message{Calls: []fakeapi.Call{{Name: "Skill", Input: map[string]string{"skill": "greet"}}}, Usage: full}
	case strings.HasSuffix(q.Prompt(), "large"):
		return fakeapi.Message{Text: "done", Usage: full}
	}
	return Obey(q)
}

// recordHooks makes the CLI append the input of every relevant hook to a file.
func recordHooks(t *testing.T, c *Claude) (log string) {
	t.Helper()
	log = filepath.Join(c.Home, "hooks.jsonl")
	hooks := map[string]any{}
	for event, matcher := range map[string]string{
		"SessionStart": "", "PreCompact": "", "PostCompact": "", "SubagentStart": "", "SubagentStop": "",
		"PreToolUse": "Skill", "SessionEnd": "",
	} {
		hooks[event] = []any{map[string]any{
			"matcher": matcher,
			"hooks":   []any{map[string]any{"type": "command", "command": "{ cat; echo; } >>" + log}},
		}}
	}
	c.Write(".claude/settings.json", toJSON(t, map[string]any{"hooks": hooks}))
	return log
}

// trace writes each hook as a line, without the fields that every hook has. It numbers ids by their
// first appearance, and shows only the names of values that differ between runs.
func trace(t *testing.T, log string) string {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string][]string{}
	number := func(kind string, id any) int {
		if !slices.Contains(ids[kind], fmt.Sprint(id)) {
			ids[kind] = append(ids[kind], fmt.Sprint(id))
		}
		return slices.Index(ids[kind], fmt.Sprint(id)) + 1
	}
	var out strings.Builder
	for line := range strings.Lines(string(data)) {
		var hook map[string]any
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := json.Unmarshal([]byte(line), &hook); err != nil {
			t.Fatalf("hook input: %v: %s", err, line)
		}
		fmt.Fprint(&out, hook["hook_event_name"])
		delete(hook, "hook_event_name")
		for _, always := range []string{"transcript_path", "cwd"} {
			if hook[always] == nil {
				t.Errorf("%s: no %s", line, always)
			}
			delete(hook, always)
		}
		for _, field := range slices.Sorted(maps.Keys(hook)) {
			switch field {
			case "session_id", "agent_id":
				fmt.Fprintf(&out, " %s=#%d", field, number(field, hook[field]))
			case "prompt_id", "tool_use_id", "model", "agent_transcript_path":
				fmt.Fprintf(&out, " %s", field)
			default:
				fmt.Fprintf(&out, " %s=%s", field, toJSON(t, hook[field]))
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func toJSON(t *testing.T, v any) string {
	t.Helper()
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}
