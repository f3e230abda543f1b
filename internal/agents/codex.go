package agents

import (
	"encoding/json"
	"fmt"
	"strings"
)

// codex has no tool for skills: a skill fires when the agent reads its file in the shell.
var codex = &Agent{
	Name: "codex", Title: "Codex", Package: "@openai/codex@0.169.0", Fires: ByRead, Tells: InTokens,
	Loads: Tool{Name: "exec_command", Field: "cmd", Format: "cat '%s'"},
	Project: Folders{
		Skills: []string{".agents/skills", ".codex/skills"}, New: ".agents/skills", Agents: []string{".codex/agents"},
		Hooks: []string{".codex/hooks.json"},
	},
	User: Folders{
		Skills: []string{".agents/skills", ".codex/skills"}, New: ".agents/skills", Commands: []string{".codex/prompts"},
		Agents: []string{".codex/agents"},
		Hooks:  []string{".codex/hooks.json"},
	},
	Own:         Own{Folders: []string{".codex", ".openai"}, Plugins: []string{".codex-plugin"}},
	Login:       Login{Files: []string{".codex/auth.json", ".codex/config.toml"}, Variables: []string{"OPENAI_*", "CODEX_API_KEY"}},
	Transcripts: Transcripts{Variable: "CODEX_HOME", Home: ".codex", Below: "sessions", Files: "rollout-*.jsonl"},
	MCP:         MCP{User: "config.toml", Project: ".codex/config.toml", Variable: "CODEX_HOME", Folder: ".codex"},
	driver:      &driver{command: codexArgs, reader: func(r run) Reader { return &codexReader{r} }},
	list: &profile{
		namesakes: true, nested: true, inner: true, root: true,
		refuses: []FaultID{
			NoFront, Linked, Mark, Twice, ListName, LongName, NoDescription, EmptyDescription, ListDescription, TextMetadata},
		unsure: []FaultID{OtherYAML},
		obeys:  []FaultID{Policy}, longest: maxDescription, fit: fitCodex,
		room: "holds a fiftieth of the tokens that the model takes, 5,440 of 272,000, with its own skills in it",
	},
}

// codexArgs returns the arguments of a run. Continuing a session is a command of its own.
func codexArgs(q Question) []string {
	args := []string{"exec"}
	if q.Resume != "" {
		args = append(args, "resume", q.Resume)
	}
	args = append(args, "--json", "--skip-git-repo-check")
	if q.Model != "" {
		args = append(args, "-m", q.Model)
	}
	return append(args, "-")
}

type codexReader struct{ run }

// Line reads an event.
func (c *codexReader) Line(line []byte, to func([]byte)) {
	var e struct {
		Type     string
		ThreadID string `json:"thread_id"`
		Item     struct {
			ID, Type, Text, Message, Command string
			Output                           string `json:"aggregated_output"`
			Exit                             *int   `json:"exit_code"`
		}
		Usage *struct {
			Input  int `json:"input_tokens"`
			Cached int `json:"cached_input_tokens"`
			Write  int `json:"cache_write_input_tokens"`
			Output int `json:"output_tokens"`
		}
		Error struct{ Message string }
	}
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch e.Type {
	case "thread.started":
		c.session = e.ThreadID
		c.start(to)
	case "turn.started":
		c.turns++
	case "item.completed":
		switch e.Item.Type {
		case "agent_message":
			c.says(to, e.Item.Text)
		case "command_execution":
			c.call(to, e.Item.ID, "Bash", object{"command": e.Item.Command})
			c.result(to, e.Item.ID, e.Item.Output, e.Item.Exit != nil && *e.Item.Exit != 0)
		}
		// An item of type error is a warning, not a failed turn.
	case "turn.completed":
		c.ended = true
		if u := e.Usage; u != nil {
			c.told = true
			c.usage.add(tokens{Input: u.Input - u.Cached, Output: u.Output, CacheRead: u.Cached, CacheWrite: u.Write})
		}
	case "turn.failed":
		c.fault = &fault{codexStatus(e.Error.Message), e.Error.Message}
	}
}

// codexStatus returns the status in the prose of an error. Codex's message for a 5xx does not
// contain it.
func codexStatus(text string) int {
	if code := statusIn(text, inProse); code != 0 || !strings.Contains(text, "experiencing high demand") {
		return code
	}
	return 500
}

// codexTokens is the size of Codex's list: a fiftieth of the 272,000 tokens that Codex assumes for
// a model's window. A token is four bytes of a line. Long paths of the folders need a few more.
const codexTokens = 272_000 / 50

// codexOwn are the lines of Codex's own skills: the bytes without the description, and the bytes of
// the description.
var codexOwn = []struct{ head, size int }{{42, 570}, {48, 624}, {52, 106}, {56, 225}}

// fitCodex gives all descriptions the same number of characters, until the list is full.
func fitCodex(all []Skill, views []View, listed []int) {
	type line struct{ head, size, bytes, shown, view int } // bytes counts the whole description
	var lines []line
	for _, own := range codexOwn {
		lines = append(lines, line{own.head, own.size, own.size, 0, -1})
	}
	for _, i := range listed {
		s := &all[i]
		head := len("- :  (file: r0//SKILL.md)\n") + len(s.CalledName()) + len(s.Folder)
		lines = append(lines, line{head, views[i].Chars, s.bytes(views[i].Chars), 0, i})
	}
	tokens := func(l line) int { return (l.head + l.shown*l.bytes/max(l.size, 1) + 3) / 4 }
	used, whole := 0, 0
	for _, l := range lines {
		used += tokens(l)
		l.shown = l.size
		whole += tokens(l)
	}
	if whole <= codexTokens {
		return
	}
	for more := true; more; {
		more = false
		for i := range lines {
			l := &lines[i]
			longer := *l
			longer.shown++
			if l.shown < l.size && used+tokens(longer)-tokens(*l) <= codexTokens {
				used += tokens(longer) - tokens(*l)
				l.shown, more = longer.shown, true
			}
		}
	}
	for _, l := range lines {
		if l.view >= 0 && l.shown < l.size {
			why := fmt.Sprintf("its list of %d skills has room for the first %d characters of the description", len(listed), l.shown)
			views[l.view] = View{Sight: Cut, Chars: l.shown, Cause: ByRoom, Why: why, Field: "description"}
		}
	}
}
