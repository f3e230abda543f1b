package agents

import (
	"encoding/json"
	"strings"

	"github.com/skillhand/skillhand/claude"
)

// codex has no tool for skills: one fires when the agent reads its file in the shell.
var codex = &Agent{
	Name: "codex", Package: "@openai/codex@0.166.0", Fires: ByRead,
	command: func(r claude.Request) []string {
		args := []string{"exec"}
		if r.Resume != "" {
			args = append(args, "resume", r.Resume)
		}
		args = append(args, "--json", "--skip-git-repo-check")
		if r.Model != "" {
			args = append(args, "-m", r.Model)
		}
		return append(args, "-")
	},
	reader: func() claude.Reader { return &codexReader{} },
}

type codexReader struct{ run }

// Line reads an event.
func (c *codexReader) Line(line []byte, to func([]byte)) {
	var e struct {
		Type     string
		ThreadID string `json:"thread_id"`
		Item     struct {
			ID, Type, Text, Message, Command string
			Output                           string `json:"aggregated_output"`
			Exit                             *int   `json:"exit_code"`
		}
		Usage *struct {
			Input  int `json:"input_tokens"`
			Cached int `json:"cached_input_tokens"`
			Write  int `json:"cache_write_input_tokens"`
			Output int `json:"output_tokens"`
		}
		Error struct{ Message string }
	}
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch e.Type {
	case "thread.started":
		c.session = e.ThreadID
		c.start(to)
	case "turn.started":
		c.turns++
	case "item.completed":
		switch e.Item.Type {
		case "agent_message":
			c.says(to, e.Item.Text)
		case "command_execution":
			c.call(to, e.Item.ID, "Bash", object{"command": e.Item.Command})
			c.result(to, e.Item.ID, e.Item.Output, e.Item.Exit != nil && *e.Item.Exit != 0)
		}
		// An item of type error is a warning, not a failed turn.
	case "turn.completed":
		c.ended = true
		if u := e.Usage; u != nil {
			c.told = true
			c.usage.add(tokens{Input: u.Input - u.Cached, Output: u.Output, CacheRead: u.Cached, CacheWrite: u.Write})
		}
	case "turn.failed":
		c.fault = &fault{codexStatus(e.Error.Message), e.Error.Message}
	}
}

// codexStatus is the status that an error's prose tells. What stands for a 5xx has none in it.
func codexStatus(text string) int {
	if code := statusIn(text, inProse); code != 0 || !strings.Contains(text, "experiencing high demand") {
		return code
	}
	return 500
}
