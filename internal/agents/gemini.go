package agents

import (
	"cmp"
	"encoding/json"
)

// gemini has the tool that activates skills only in its yolo mode, although its list of skills
// tells the model to call that tool.
var gemini = &Agent{
	Name: "gemini", Title: "Gemini", Package: "@google/gemini-cli@0.61.0", Fires: ByTool, Tells: InTokens,
	Loads: Tool{Name: "activate_skill", Field: "name"},
	Since: "closed to individual accounts since 2026-06-18; API keys and enterprise accounts go on",
	Project: Folders{
		Skills: []string{".agents/skills", ".gemini/skills"}, New: ".gemini/skills",
		Commands: []string{".gemini/commands"}, Agents: []string{".gemini/agents"}, Hooks: []string{".gemini/settings.json"},
	},
	User: Folders{
		Skills: []string{".agents/skills", ".gemini/skills"}, New: ".gemini/skills",
		Commands: []string{".gemini/commands"}, Agents: []string{".gemini/agents"}, Hooks: []string{".gemini/settings.json"},
	},
	Own: Own{
		Folders: []string{".gemini"}, Plugins: []string{".gemini-plugin", "gemini-extension.json"},
		AgentFields: []string{"max_turns", "timeout_mins"},
	},
	Login: Login{
		Files:     []string{".gemini/settings.json", ".gemini/oauth_creds.json", ".gemini/google_accounts.json"},
		Variables: []string{"GEMINI_*"}, Elsewhere: []string{"GEMINI_CLI_HOME"}, Trust: "GEMINI_CLI_TRUST_WORKSPACE",
	},
	Transcripts: Transcripts{Home: ".gemini", Below: "tmp", Files: "session-*.jsonl"},
	MCP:         MCP{User: "settings.json", Project: ".gemini/settings.json", Folder: ".gemini", Key: "mcpServers"},
	driver: &driver{
		begin: []string{"-o", "stream-json"}, model: "-m", resume: "-r", last: []string{"-r", "latest"},
		reader: func(r run) Reader { return &geminiReader{run: r} },
	},
	list: &profile{
		root:    true,
		order:   []string{".agents", ".gemini", "~/.agents", "~/.gemini"},
		refuses: []FaultID{NoFront, Mark, BlankEnd, NoName, NullName, NoDescription},
		unsure:  []FaultID{OtherYAML},
		bare:    []FaultID{EmptyDescription}, headless: "in its default mode it has no tool that activates skills",
	},
}

type geminiReader struct {
	run
	said string // the current message, which comes in pieces
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
		g.session, g.model = e.SessionID, cmp.Or(g.model, e.Model)
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

// End reports the result.
func (g *geminiReader) End(to func([]byte)) {
	g.flush(to)
	g.run.End(to)
}
