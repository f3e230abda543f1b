package agents

import (
	"cmp"
	"encoding/json"

	"github.com/skillhand/skillhand/claude"
)

// opencode tells the delivered text in its events, and no end: the end of the process is the end. While it retries it
// is silent.
var opencode = &Agent{
	Name: "opencode", Package: "opencode-ai@1.18.33", Fires: ByTool,
	begin: []string{"run", "--format", "json"}, model: "-m", resume: "-s", last: []string{"-c"},
	reader: func() claude.Reader { return &opencodeReader{run{tool: "skill", named: "name"}} },
}

type opencodeReader struct{ run }

type opencodeEvent struct {
	Type      string
	SessionID string `json:"sessionID"`
	Part      struct {
		Text, Tool, Reason string
		CallID             string `json:"callID"`
		State              struct {
			Status, Output, Error string
			Input                 json.RawMessage
		}
		Tokens struct {
			Input, Output, Reasoning int
			Cache                    struct{ Read, Write int }
		}
		Cost float64
	}
	Error struct {
		Name string
		Data struct {
			Message    string
			StatusCode int `json:"statusCode"`
		}
	}
}

// Line reads an event.
func (o *opencodeReader) Line(line []byte, to func([]byte)) {
	var e opencodeEvent
	if json.Unmarshal(line, &e) != nil {
		return
	}
	if e.SessionID != "" {
		o.session = e.SessionID
	}
	switch e.Type {
	case "step_start":
		o.start(to)
		o.turns++
	case "text":
		o.says(to, e.Part.Text)
	case "tool_use":
		// The event comes when the call and its result are known.
		o.call(to, e.Part.CallID, e.Part.Tool, e.Part.State.Input)
		o.result(to, e.Part.CallID, cmp.Or(e.Part.State.Output, e.Part.State.Error), e.Part.State.Status != "completed")
	case "step_finish":
		t := e.Part.Tokens
		o.told = true
		o.usage.add(tokens{Input: t.Input, Output: t.Output + t.Reasoning, CacheRead: t.Cache.Read, CacheWrite: t.Cache.Write})
		o.spent(e.Part.Cost)
		o.ended = e.Part.Reason != "tool-calls"
	case "error":
		o.fault = &fault{e.Error.Data.StatusCode, cmp.Or(e.Error.Data.Message, e.Error.Name)}
	}
}
