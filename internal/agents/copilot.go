package agents

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// copilot reports loaded and fired skills, but no token counts.
var copilot = &Agent{
	Name: "copilot", Title: "Copilot", Package: "@github/copilot@1.0.102", Fires: ByTool, Loads: Tool{Name: "skill", Field: "skill"},
	Project: Folders{
		Skills: []string{".agents/skills", ".claude/skills", ".github/skills"}, New: ".github/skills",
		Commands: []string{".github/prompts"}, Agents: []string{".github/agents"}, Hooks: []string{".github/hooks"},
	},
	User: Folders{
		Skills: []string{".agents/skills", ".copilot/skills"}, New: ".copilot/skills", Agents: []string{".copilot/agents"},
		Hooks: []string{".copilot/hooks"},
	},
	Own: Own{
		Folders: []string{".copilot"}, Plugins: []string{".copilot-plugin"}, HookFields: []string{"bash", "powershell", "timeoutSec"},
	},
	Login: Login{
		Files: []string{".copilot/config.json"}, Variables: []string{"COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"},
		Elsewhere: []string{"COPILOT_HOME"},
	},
	Transcripts: Transcripts{Home: ".copilot", Below: "session-state", Files: "events.jsonl"},
	driver: &driver{
		longest: 100_000, // the prompt is an argument
		begin:   []string{"--output-format", "json", "--disable-client-telemetry"}, model: "--model", resume: "--resume=",
		last: []string{"--continue"}, prompt: "--prompt=",
		reader: func(r run) Reader { return &copilotReader{run: r} },
	},
	list: &profile{
		nested: true, root: true, rootAlone: true,
		order: []string{".github", ".agents", ".claude", "~/.copilot", "~/.agents"},
		refuses: []FaultID{
			NoFront, LooseYAML, OpenYAML, OtherYAML, Twice, TwiceBelow, NullName, EmptyName, NumberName, ListName, LongName,
			NumberDescription, ListDescription, LongDescription, OddHint, OddInvocable, OddHidden, OddTools,
		},
		bare: []FaultID{EmptyDescription}, obeys: []FaultID{Hidden}, names: copilotTakes, fit: fitCopilot,
		room: "holds 15,000 characters",
	},
}

type copilotReader struct {
	run
	status int // the HTTP status of the model's last call, if it failed
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

// copilotTakes reports whether Copilot accepts a skill of that name. It accepts ASCII letters,
// digits and a few marks, but no hyphen at the start.
func copilotTakes(name string) bool {
	odd := func(r rune) bool { return r > unicode.MaxASCII || !isWord(r) && !strings.ContainsRune("-. :", r) }
	return !strings.ContainsFunc(name, odd) && isWord(rune(name[0]))
}

// copilotRoom is how many characters the entries of Copilot's list may have.
const copilotRoom = 15_000

// copilotEntry is the text around a name and a description in an entry.
const copilotEntry = "<skill>\n  <name></name>\n  <description></description>\n  <location>project</location>\n</skill>\n"

// copilotEscapes writes the special characters of XML as Copilot does.
var copilotEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")

// fitCopilot lists whole entries until one does not fit, and only names after that.
func fitCopilot(all []Skill, views []View, listed []int) {
	used, full := 0, false
	for _, i := range listed {
		used += len(copilotEntry) + len(all[i].CalledName()) + utf8.RuneCountInString(copilotEscapes.Replace(all[i].Description))
		if full = full || used > copilotRoom; full {
			why := fmt.Sprintf("its list has room for %d characters, and others come first: only the name is listed", copilotRoom)
			views[i] = View{Sight: Cut, Cause: ByRoom, Why: why, Field: "description"}
		}
	}
}
