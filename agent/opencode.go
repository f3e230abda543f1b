package agent

import (
	"encoding/json"

	"github.com/skillhand/skillhand/claude"
)

// opencode tells the delivered text in its events, and no end: the end of the process is the end. While it retries it
// is silent.
var opencode = &Agent{
	Name: "opencode", Package: "opencode-ai@1.18.33", Fires: ByTool,
	lacks: []string{"schema", "max-budget-usd", "max-turns", "allowed-tool"},
	command: func(r claude.Request) ([]string, string) {
		args := []string{"run", "--format", "json"}
		if r.Model != "" {
			args = append(args, "-m", r.Model)
		}
		if r.Resume != "" {
			args = append(args, "-s", r.Resume)
		}
		if r.Continue {
			args = append(args, "-c")
		}
		return args, r.Prompt
	},
	reader: func() claude.Reader { return &opencodeReader{} },
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
		o.tool(&e, to)
	case "step_finish":
		t := e.Part.Tokens
		o.told = true
		o.usage.add(tokens{Input: t.Input, Output: t.Output + t.Reasoning, CacheRead: t.Cache.Read, CacheWrite: t.Cache.Write})
		o.spent(e.Part.Cost)
		o.ended = e.Part.Reason != "tool-calls"
	case "error":
		o.fault = &fault{e.Error.Data.StatusCode, firstOf(e.Error.Data.Message, e.Error.Name)}
	}
}

// tool tells a call and its result: the event comes when both are known.
func (o *opencodeReader) tool(e *opencodeEvent, to func([]byte)) {
	skill := ""
	if e.Part.Tool == "skill" {
		var input struct{ Name string }
		_ = json.Unmarshal(e.Part.State.Input, &input) // then it has no name
		skill = input.Name
	}
	o.call(to, e.Part.CallID, e.Part.Tool, skill, e.Part.State.Input)
	o.result(to, e.Part.CallID, firstOf(e.Part.State.Output, e.Part.State.Error), e.Part.State.Status != "completed")
}

// End tells the result.
func (o *opencodeReader) End(to func([]byte)) { o.finish(to) }

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
