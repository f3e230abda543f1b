package usage

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// claudeReader reads Claude Code's transcripts: a file a session, and a file for each of its subagents.
var claudeReader = reader{
	agent: "claude", env: "CLAUDE_CONFIG_DIR", home: ".claude", below: "projects", files: "*.jsonl", begin: beginClaude, line: claudeLine,
}

// beginClaude looks at what a file's place says: a subagent's lies below its session.
func beginClaude(t *tally, path string) {
	dir, name := filepath.Split(path)
	if filepath.Base(dir) != "subagents" {
		return
	}
	t.AgentID = strings.TrimPrefix(strings.TrimSuffix(name, ".jsonl"), "agent-")
	t.Session = filepath.Base(filepath.Dir(filepath.Clean(dir)))
	var meta struct {
		Call string `json:"toolUseId"`
	}
	if data, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".meta.json"); err == nil && json.Unmarshal(data, &meta) == nil {
		t.Spawn = meta.Call
	}
}

func claudeLine(t *tally, e record) bool {
	if t.Session == "" {
		t.Session = e.get("sessionId").str()
	}
	if t.Project == "" {
		t.Project = e.get("cwd").str()
	}
	t.Version = cmp.Or(e.get("version").str(), t.Version)
	switch kind := e.get("type").str(); kind {
	case "assistant":
		t.claudeAssistant(e)
	case "user":
		t.claudeUser(e)
	case "attachment":
		t.claudeAttachment(e.get("attachment"))
	case "system":
		t.claudeSystem(e)
	case "cost-state":
		t.Paid = nil // it is about the whole session
		e.get("modelUsage").fields(func(model, v value) bool {
			t.records(string(model), paid{claudeRecorded(v), v.get("costUSD").float()})
			return true
		})
	default:
		return strings.HasPrefix(kind, "api-request") || slices.Contains(claudeOthers, kind)
	}
	return true
}

// claudeOthers are kinds of lines that say nothing about skills.
var claudeOthers = []string{
	"agent-name", "ai-title", "atis-latch", "custom-title", "file-history-snapshot", "last-prompt", "mode", "permission-mode", "pr-link", "progress",
	"queue-operation", "summary", "tag", "tools-used",
}

// claudeFailed begins what Claude Code tells a person whose skill could not be loaded.
const claudeFailed = "<local-command-stderr>Shell command failed for pattern "

func (t *tally) claudeSystem(e record) {
	switch e.get("subtype").str() {
	case "compact_boundary":
		t.compacted()
	case "local_command":
		if skill := t.state.Person; skill != "" && strings.HasPrefix(e.get("content").str(), claudeFailed) {
			t.of(skill).Counts.ByPerson++
			t.refusal(skill, false, "")
			t.state.Person = ""
		}
	}
}

// claudeRecorded reads the tokens of a model in a cost-state.
func claudeRecorded(v value) Tokens {
	hour := v.get("cacheCreationEphemeral1hInputTokens").int()
	return Tokens{
		Input: v.get("inputTokens").int(), Output: v.get("outputTokens").int(), CacheRead: v.get("cacheReadInputTokens").int(),
		CacheWrite: max(0, v.get("cacheCreationInputTokens").int()-hour), CacheWrite1: hour,
	}
}

func claudeTokens(v value) Tokens {
	write := v.get("cache_creation_input_tokens").int()
	hour := min(write, v.get("cache_creation", "ephemeral_1h_input_tokens").int())
	return Tokens{
		Input: v.get("input_tokens").int(), Output: v.get("output_tokens").int(), CacheRead: v.get("cache_read_input_tokens").int(),
		CacheWrite: write - hour, CacheWrite1: hour,
	}
}

func (t *tally) claudeAssistant(e record) {
	message, _ := readRecord(e.get("message"), t.message)
	t.message = message
	model := message.get("model").str()
	if e.get("isApiErrorMessage").isTrue() || model == "<synthetic>" {
		return // the CLI's own words
	}
	t.state.Person = ""
	if by := e.get("attributionSkill").str(); t.state.Bulk > 0 && by != "" {
		t.Fork = by
		t.text(t.Fork, t.state.Bulk)
		t.state.Active, t.state.Bulk = t.Fork, 0
	}
	t.turn(cmp.Or(e.get("requestRef").str(), e.get("requestId").str(), message.get("id").str()), model, claudeTokens(message.get("usage")))
	message.get("content").items(func(part value) {
		if part.get("type").str() != "tool_use" {
			return
		}
		switch id := part.get("id").str(); part.get("name").str() {
		case "Skill":
			t.called(id, strings.TrimPrefix(part.get("input", "skill").str(), "/"))
		case "Agent", "Task":
			t.spawned(id)
		}
	})
}

// What Claude Code puts into a user's line that nobody said.
const (
	claudeCommand = "<command-name>/"
	claudeOutput  = "<local-command-"
)

func (t *tally) claudeUser(e record) {
	content := e.get("message", "content")
	if e.get("isMeta").isTrue() {
		t.claudeMeta(e, content)
		return
	}
	if len(content) > 0 && content[0] == '[' && t.claudeResults(e, content) {
		return
	}
	said := content.str()
	if content != nil && said == "" { // text beside a picture, say
		content.items(func(part value) {
			if said == "" {
				said = part.get("text").str()
			}
		})
	}
	if _, after, ok := strings.Cut(said, claudeCommand); ok {
		name, _, _ := strings.Cut(after, "</command-name>")
		t.prompt()
		t.state.Person = name // a built-in command has the same form; the text of a skill follows, or does not
		return
	}
	if e.get("isCompactSummary").isTrue() || e.get("isVisibleInTranscriptOnly").isTrue() || strings.HasPrefix(said, claudeOutput) {
		return
	}
	t.prompt()
}

// claudeMeta reads text that Claude Code put in: a skill's page, of a call or of a command, or something else.
func (t *tally) claudeMeta(e record, content value) {
	if call := e.get("sourceToolUseID").str(); call != "" {
		if skill, ok := t.state.Calls[textOf+call]; ok {
			t.text(skill, content.size())
		}
		return
	}
	if t.AgentID != "" && t.state.Active == "" && len(t.state.Recent) == 0 {
		t.state.Bulk += content.size() // the first text of a fork
		return
	}
	if t.state.Person == "" || len(content) == 0 || content[0] != '[' {
		return
	}
	skill := t.state.Person
	t.state.Person = ""
	t.byPerson(skill)
	t.text(skill, content.size())
}

// claudeResults reads the results of tools, and reports whether there are any.
func (t *tally) claudeResults(e record, content value) (any bool) {
	result := e.get("toolUseResult")
	content.items(func(part value) {
		if part.get("type").str() != "tool_result" {
			return
		}
		any = true
		id := part.get("tool_use_id").str()
		skill, ok := t.state.Calls[id]
		if !ok {
			return
		}
		delete(t.state.Calls, id)
		failed := part.get("is_error").isTrue() || len(result) > 0 && result[0] == '"'
		switch {
		case result.get("status").str() == "forked":
			t.claim(result.get("agentId").str())
			t.of(skill).Counts.Forked++
			active := t.state.Active
			t.delivered(skill)
			t.state.Active = active // its work is in the fork's file
		case !failed:
			t.delivered(skill)
			t.state.Calls[textOf+id] = skill
		default:
			t.refusal(skill, e.get("toolDenialKind") != nil, result.str()+part.get("content").str())
		}
	})
	return any
}

// refusal counts a call that delivered nothing, by the reason given.
func (t *tally) refusal(skill string, denied bool, why string) {
	switch {
	case strings.Contains(why, "Unknown skill"):
		t.of(skill).Counts.Unknown++
	case denied || contains(why, "disable-model-invocation", "permission", "rejected", "denied", "doesn't want to proceed"):
		t.of(skill).Counts.Refused++
		t.mark("refused", skill)
	default:
		t.of(skill).Counts.Failed++
		t.mark("failed", skill)
	}
}

func (t *tally) claudeAttachment(a value) {
	switch a.get("type").str() {
	case "skill_listing":
		t.offered(claudeList(a))
	case "invoked_skills":
		a.get("skills").items(func(s value) { t.restored(s.get("name").str(), s.get("content").size()) })
	}
}

// claudeList reads a list as the model got it. A line has a name and, if there was room, a description.
func claudeList(a value) []Listed {
	bare := map[string]bool{}
	var names []string
	for line := range strings.Lines(a.get("content").str()) {
		entry, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "- ")
		if !ok {
			continue
		}
		name, description, _ := strings.Cut(entry, ": ")
		name = strings.TrimSuffix(name, ":")
		if !strings.ContainsAny(name, " \t") {
			bare[name] = strings.TrimSpace(description) == ""
			names = append(names, name)
		}
	}
	if given := a.get("names"); given != nil { // a description may look like an entry
		names = nil
		given.items(func(v value) { names = append(names, v.str()) })
	}
	var list []Listed
	for _, name := range names {
		without, found := bare[name]
		list = append(list, Listed{Name: name, Bare: without || !found})
	}
	return list
}

func contains(text string, any ...string) bool {
	for _, s := range any {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}
