package agents

import (
	"encoding/json"
	"strings"
)

// qwen prints nearly the same stream as Claude Code. In its default mode, a further request asks
// the model whether a call is allowed. Without a usable answer, qwen declines the call.
var qwen = &Agent{
	Name: "qwen", Title: "Qwen", Package: "@qwen-code/qwen-code@0.24.4", Fires: ByTool, Tells: InTokens,
	Loads: Tool{Name: "skill", Field: "skill"},
	Hides: Subagents{"agent", ".qwen/projects/*/subagents/*/*.jsonl"},
	Project: Folders{
		Skills: []string{".agents/skills", ".qwen/skills"}, New: ".qwen/skills", Commands: []string{".qwen/commands"},
		Agents: []string{".qwen/agents"},
		Hooks:  []string{".qwen/settings.json"},
	},
	User: Folders{
		Skills: []string{".agents/skills", ".qwen/skills"}, New: ".qwen/skills", Commands: []string{".qwen/commands"},
		Agents: []string{".qwen/agents"},
		Hooks:  []string{".qwen/settings.json"},
	},
	Own: Own{Folders: []string{".qwen"}, Plugins: []string{".qwen-plugin", "qwen-extension.json"}},
	Login: Login{
		Files: []string{".qwen/settings.json", ".qwen/oauth_creds.json"}, Variables: []string{"QWEN_*", "OPENAI_*", "DASHSCOPE_*"},
		Elsewhere: []string{"QWEN_HOME"},
	},
	Transcripts: Transcripts{Home: ".qwen", Below: "projects", Files: "chats/*.jsonl"},
	driver: &driver{
		begin: []string{"-o", "stream-json"}, model: "-m", resume: "-r", last: []string{"-c"}, node: true,
		reader: func(r run) Reader { return &qwenReader{run: r} },
	},
	list: &profile{
		dotted:  true,
		order:   []string{".qwen", ".agents", "~/.qwen", "~/.agents"},
		refuses: []FaultID{NoFront, BlankEnd, NoName, NullName, EmptyName, ListName, NoDescription, EmptyDescription, ListModel},
		unsure:  []FaultID{OtherYAML},
		obeys:   []FaultID{Hidden, HiddenText, Paths}, names: qwenTakes,
		headless: "in its default mode it asks the model whether a skill may load, and declines without a usable answer",
	},
}

type qwenReader struct {
	run    run
	skills map[string]string
	cut    bool // the last message has no count of tokens
}

// Line passes events on. It renames the tool skill to Skill, and adds to the tool's result which
// skill was delivered.
func (q *qwenReader) Line(line []byte, to func([]byte)) {
	var e map[string]any
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch e["type"] {
	case "assistant", "user":
		q.parts(e)
		if message, ok := e["message"].(map[string]any); ok && e["type"] == "assistant" {
			q.cut = !counted(message["usage"])
			defer q.step(to, message)
		}
	case "result":
		if p, known := priceOf(q.run.model); known {
			e["total_cost_usd"] = p.cost(tokensIn(e["usage"]))
		}
		if text, _ := failureIn(e); strings.HasPrefix(text, loopHalted) {
			e["subtype"] = "error_max_turns" // the model had its chance
		}
		if q.cut && e["is_error"] == false {
			e["is_error"], e["result"] = true, brokenOff
		}
		if text, ok := failureIn(e); ok && e["result"] == nil {
			e["result"] = text
			if code := statusIn(text, atStart, inBody); code != 0 {
				e["api_error_status"] = code
			}
		}
	}
	say(to, e)
}

// loopHalted begins Qwen's message when it stops a model that makes the same call again and again.
const loopHalted = "Loop detection halted the run"

// failureIn returns the message of the failure in a result.
func failureIn(e map[string]any) (text string, ok bool) {
	failure, _ := e["error"].(map[string]any)
	text, ok = failure["message"].(string)
	return text, ok
}

func (q *qwenReader) step(to func([]byte), message map[string]any) {
	if p, known := priceOf(q.run.model); known {
		used := tokensIn(message["usage"])
		q.run.turns++
		q.run.told = true
		q.run.usage.add(used)
		q.run.spent(to, p.cost(used), message["stop_reason"] == "end_turn")
	}
}

// tokensIn reads a usage. If its input includes the tokens from the cache, these count twice.
func tokensIn(usage any) (t tokens) {
	text, _ := json.Marshal(usage)
	_ = json.Unmarshal(text, &t) // it was read from JSON; an odd usage has no tokens
	return t
}

func counted(usage any) bool {
	u, _ := usage.(map[string]any)
	total, _ := u["total_tokens"].(float64)
	return total > 0
}

func (q *qwenReader) parts(e map[string]any) {
	message, _ := e["message"].(map[string]any)
	parts, _ := message["content"].([]any)
	for _, p := range parts {
		part, _ := p.(map[string]any)
		switch part["type"] {
		case "tool_use":
			if part["name"] == "skill" {
				part["name"] = "Skill"
				input, _ := part["input"].(map[string]any)
				name, _ := input["skill"].(string)
				if q.skills == nil {
					q.skills = map[string]string{}
				}
				id, _ := part["id"].(string)
				q.skills[id] = name
			}
		case "tool_result":
			id, _ := part["tool_use_id"].(string)
			if name, ok := q.skills[id]; ok {
				e["tool_use_result"] = object{"success": part["is_error"] != true, "commandName": name}
			}
		}
	}
}

// End adds nothing: the stream has a result of its own.
func (*qwenReader) End(func([]byte)) {}

// qwenTakes reports whether Qwen accepts a skill of that name. It accepts letters, digits and a few
// marks.
func qwenTakes(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return !isWord(r) && !strings.ContainsRune("-.:", r) }) < 0
}
