package agents

import (
	"cmp"
	"encoding/json"

	"github.com/skillhand/skillhand/claude"
)

// gemini has the tool that activates skills only in its yolo mode, though the list of skills tells the model to call it.
var gemini = &Agent{
	Name: "gemini", Package: "@google/gemini-cli@0.61.0", Fires: ByTool,
	begin: []string{"-o", "stream-json"}, model: "-m", resume: "-r", last: []string{"-r", "latest"},
	reader: func() claude.Reader { return &geminiReader{run: run{tool: "activate_skill", named: "name"}} },
}

type geminiReader struct {
	run
	said string // the message under way, which comes in pieces
}

// Line reads an event.
func (g *geminiReader) Line(line []byte, to func([]byte)) {
	var e struct {
		Type, Model, Role, Content, Status, Output string
		SessionID                                  string          `json:"session_id"`
		ToolName                                   string          `json:"tool_name"`
		ToolID                                     string          `json:"tool_id"`
		Parameters                                 json.RawMessage `json:"parameters"`
		Error                                      struct{ Message string }
		Stats                                      struct {
			Input  int `json:"input"`
			Output int `json:"output_tokens"`
			Cached int `json:"cached"`
		}
	}
	if json.Unmarshal(line, &e) != nil {
		return
	}
	if e.Type != "message" {
		g.flush(to)
	}
	switch e.Type {
	case "init":
		g.session, g.model = e.SessionID, e.Model
		g.start(to)
	case "message":
		if e.Role == "assistant" {
			g.said += e.Content
		}
	case "tool_use":
		g.turns++
		g.call(to, e.ToolID, e.ToolName, e.Parameters)
	case "tool_result":
		g.result(to, e.ToolID, cmp.Or(e.Output, e.Error.Message), e.Status != "success")
	case "result":
		g.turns++
		g.told = true
		g.usage.add(tokens{Input: e.Stats.Input, Output: e.Stats.Output, CacheRead: e.Stats.Cached})
		if g.ended = e.Status == "success"; !g.ended {
			g.fault = &fault{statusIn(e.Error.Message, inBody), e.Error.Message}
		}
	}
}

func (g *geminiReader) flush(to func([]byte)) {
	g.says(to, g.said)
	g.said = ""
}

// End tells the result.
func (g *geminiReader) End(to func([]byte)) {
	g.flush(to)
	g.run.End(to)
}
