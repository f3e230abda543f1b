package agents

import (
	"cmp"
	"encoding/json"
)

// pi has no tool for skills: a skill fires when the agent reads its file. A run that failed exits
// with 0. pi accepts what a project has only after the project is trusted.
var pi = &Agent{
	Name: "pi", Title: "pi", Package: "@earendil-works/pi-coding-agent@0.87.1", Node: "node@22.23.3", Fires: ByRead, Tells: InDollars,
	Loads:   Tool{Name: "read", Field: "path"},
	Since:   "1.5 is current since 2026-11-02; npm could not install 0.99 to 1.5.2 on 2026-11-18",
	Approve: []string{"--approve"},
	Project: Folders{Skills: []string{".agents/skills", ".pi/skills"}, New: ".pi/skills", Commands: []string{".pi/prompts"}},
	User: Folders{
		Skills: []string{".agents/skills", ".pi/agent/skills"}, New: ".pi/agent/skills", Commands: []string{".pi/agent/prompts"}},
	Own: Own{Folders: []string{".pi"}, Plugins: []string{".pi-plugin"}},
	Login: Login{
		Files:     []string{".pi/agent/auth.json", ".pi/agent/models.json", ".pi/agent/settings.json"},
		Variables: []string{"PI_*", "OPENAI_*", "OPENROUTER_*", "GEMINI_*"}, Elsewhere: []string{"PI_CODING_AGENT_DIR", "GEMINI_CLI_HOME"},
	},
	Transcripts: Transcripts{Home: ".pi", Below: "agent/sessions", Files: "*.jsonl"},
	driver: &driver{
		begin: []string{"-p", "--mode", "json"}, model: "--model", resume: "--session", last: []string{"-c"},
		reader: func(r run) Reader { return &piReader{r} },
	},
	list: &profile{
		nested: true, root: true, rootAlone: true,
		order: []string{".pi", ".agents", "~/.pi/agent", "~/.agents"},
		refuses: []FaultID{
			NoFront, LooseYAML, OpenYAML, OtherYAML, Twice, TwiceBelow, NoDescription, EmptyDescription, NumberDescription, ListDescription,
		},
		obeys: []FaultID{Hidden}, lower: []string{".agents"},
	},
}

type piReader struct{ run }

type piMessage struct {
	Role, Model  string
	Content      []struct{ Type, Text string }
	StopReason   string `json:"stopReason"`
	ErrorMessage string `json:"errorMessage"`
	Usage        struct {
		Input, Output         int
		CacheRead, CacheWrite int
		Cost                  struct{ Total float64 }
	}
}

// Line reads an event.
func (p *piReader) Line(line []byte, to func([]byte)) {
	var e struct {
		Type, ID   string
		Message    piMessage
		ToolCallID string `json:"toolCallId"`
		ToolName   string `json:"toolName"`
		Args       json.RawMessage
		IsError    bool `json:"isError"`
		Result     struct{ Content []struct{ Text string } }
	}
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch e.Type {
	case "session":
		p.session = e.ID
	case "turn_start":
		p.turns++
		p.ended, p.fault = false, nil // a retry begins
	case "message_end":
		if e.Message.Role == "assistant" {
			p.message(&e.Message, to)
		}
	case "tool_execution_start":
		tool := e.ToolName
		if tool == "read" {
			tool = "Read"
		}
		p.call(to, e.ToolCallID, tool, e.Args)
	case "tool_execution_end":
		text := ""
		for _, c := range e.Result.Content {
			text += c.Text
		}
		p.result(to, e.ToolCallID, text, e.IsError)
	case "agent_end":
		p.ended = p.fault == nil
	}
}

func (p *piReader) message(m *piMessage, to func([]byte)) {
	p.model = cmp.Or(m.Model, p.model)
	p.told = true
	p.usage.add(tokens{Input: m.Usage.Input, Output: m.Usage.Output, CacheRead: m.Usage.CacheRead, CacheWrite: m.Usage.CacheWrite})
	for _, c := range m.Content {
		if c.Type == "text" {
			p.says(to, c.Text)
		}
	}
	switch {
	case m.StopReason == "error":
		p.fault = &fault{statusIn(m.ErrorMessage, atStart, inBody), m.ErrorMessage}
	case m.StopReason == "length":
		p.fault = &fault{text: outputFull}
	case m.Usage.Input+m.Usage.Output+m.Usage.CacheRead+m.Usage.CacheWrite == 0:
		p.fault = &fault{text: brokenOff}
	}
	p.spent(to, m.Usage.Cost.Total, m.StopReason != "toolUse")
}
