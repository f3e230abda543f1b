package agents

import (
	"cmp"
	"encoding/json"

	"github.com/skillhand/skillhand/claude"
)

// copilot tells every skill that it loaded and every one that fired, and no tokens.
var copilot = &Agent{
	Name: "copilot", Package: "@github/copilot@1.0.102", Fires: ByTool,
	longest: 100_000, // the prompt is an argument
	begin:   []string{"--output-format", "json", "--disable-client-telemetry"}, model: "--model", resume: "--resume=", last: []string{"--continue"},
	prompt: "--prompt=",
	reader: func() claude.Reader { return &copilotReader{run: run{tool: "skill", named: "skill"}} },
}

type copilotReader struct {
	run
	status int // of the last call of the model that failed
}

// Line reads an event.
func (c *copilotReader) Line(line []byte, to func([]byte)) {
	var e struct {
		Type      string
		SessionID string `json:"sessionId"`
		ExitCode  *int   `json:"exitCode"`
		Data      struct {
			Model, Content, Message string
			ToolCallID              string `json:"toolCallId"`
			ToolName                string `json:"toolName"`
			Arguments               json.RawMessage
			Success                 bool
			Result                  struct{ Content string }
			Error                   struct{ Message string }
			StatusCode              int `json:"statusCode"`
		}
	}
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch e.Type {
	case "assistant.turn_start":
		c.turns++
	case "assistant.message":
		c.model = cmp.Or(e.Data.Model, c.model)
		c.status = 0
		c.says(to, e.Data.Content)
	case "tool.execution_start":
		c.call(to, e.Data.ToolCallID, e.Data.ToolName, e.Data.Arguments)
	case "tool.execution_complete":
		c.result(to, e.Data.ToolCallID, cmp.Or(e.Data.Result.Content, e.Data.Error.Message), !e.Data.Success)
	case "model.call_failure":
		c.status = e.Data.StatusCode
	case "session.error":
		c.fault = &fault{c.status, e.Data.Message}
	case "result":
		c.session = e.SessionID
		c.ended = e.ExitCode != nil && *e.ExitCode == 0
		if !c.ended && c.fault == nil && c.status != 0 {
			c.fault = &fault{status: c.status}
		}
	}
}
