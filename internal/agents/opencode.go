package agents

import (
	"cmp"
	"encoding/json"
)

// opencode reports the delivered text in its events, but no end: the end of the process is the end.
// It prints nothing while it retries.
var opencode = &Agent{
	Name: "opencode", Title: "opencode", Package: "opencode-ai@1.18.33", Fires: ByTool, Tells: InDollars,
	Loads: Tool{Name: "skill", Field: "name"},
	Hides: Subagents{"task", ".local/share/opencode/opencode.db*"},
	Since: "version 2 is current since 2026-10-16; it was not asked",
	Project: Folders{
		Skills: []string{".agents/skills", ".claude/skills", ".opencode/skills"}, New: ".opencode/skills",
		Commands: []string{".opencode/command", ".opencode/commands"}, Agents: []string{".opencode/agent", ".opencode/agents"},
	},
	User: Folders{
		Skills: []string{".agents/skills", ".claude/skills", ".config/opencode/skills", ".opencode/skills"}, New: ".config/opencode/skills",
		Commands: []string{".config/opencode/command", ".config/opencode/commands"},
		Agents:   []string{".config/opencode/agent", ".config/opencode/agents"},
	},
	Own: Own{Folders: []string{".opencode"}, Plugins: []string{".opencode-plugin"}},
	Login: Login{
		Files:     []string{".config/opencode/opencode.json", ".local/share/opencode/auth.json"},
		Variables: []string{"OPENCODE_*", "OPENAI_*", "OPENROUTER_*", "GEMINI_*"},
		Elsewhere: []string{"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "GEMINI_CLI_HOME"},
	},
	MCP: MCP{
		User: "opencode/opencode.json", Project: "opencode.json", Variable: "XDG_CONFIG_HOME", Folder: ".config", Key: "mcp", Kind: "local",
		OneList: true, Commented: true,
	},
	driver: &driver{
		begin: []string{"run", "--format", "json"}, model: "-m", resume: "-s", last: []string{"-c"},
		reader: func(r run) Reader { return &opencodeReader{r} },
	},
	list: &profile{
		nested: true, inner: true, dotted: true, root: true,
		refuses: []FaultID{
			NoFront, OpenYAML, Twice, NoName, NullName, NumberName, DateName, ListName, NoDescription, NumberDescription, ListDescription,
		},
		unsure: []FaultID{OtherYAML}, bare: []FaultID{EmptyDescription},
	},
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
		o.ended = e.Part.Reason != "tool-calls"
		o.spent(to, e.Part.Cost, o.ended)
	case "error":
		o.fault = &fault{e.Error.Data.StatusCode, cmp.Or(e.Error.Data.Message, e.Error.Name)}
	}
}
