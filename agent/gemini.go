package agent

import (
	"encoding/json"
	"regexp"
	"strconv"
	"sync"

	"github.com/skillhand/skillhand/agent/sight"
	"github.com/skillhand/skillhand/claude"
)

// gemini has the tool that activates skills only in its yolo mode, though the list of skills tells the model to call it.
var gemini = &Agent{
	Name: "gemini", Package: "@google/gemini-cli@0.61.0", Fires: ByTool,
	Headless: sight.Headless("gemini") + "; " + letsOneFire,
	lacks:    []string{"schema", "max-budget-usd", "max-turns", "allowed-tool"},
	command: func(r claude.Request) ([]string, string) {
		args := []string{"-o", "stream-json"}
		if r.Model != "" {
			args = append(args, "-m", r.Model)
		}
		if r.Resume != "" {
			args = append(args, "-r", r.Resume)
		}
		if r.Continue {
			args = append(args, "-r", "latest")
		}
		return args, r.Prompt
	},
	reader: func() claude.Reader { return &geminiReader{} },
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
		var input struct{ Name string }
		if e.ToolName == "activate_skill" {
			_ = json.Unmarshal(e.Parameters, &input) // then it has no name
		}
		g.turns++
		g.call(to, e.ToolID, e.ToolName, input.Name, e.Parameters)
	case "tool_result":
		g.result(to, e.ToolID, firstOf(e.Output, e.Error.Message), e.Status != "success")
	case "result":
		g.turns++
		g.told = true
		g.usage.add(tokens{Input: e.Stats.Input, Output: e.Stats.Output, CacheRead: e.Stats.Cached})
		if g.ended = e.Status == "success"; !g.ended {
			g.fault = &fault{codeIn(e.Error.Message), e.Error.Message}
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
	g.finish(to)
}

var httpCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"code": ?([1-5][0-9]{2})\b`) })

// codeIn is the status in the body of an error.
func codeIn(text string) int {
	m := httpCode().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	code, _ := strconv.Atoi(m[1])
	return code
}
