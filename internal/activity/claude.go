package activity

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// claudeReader reads Claude Code's transcripts. Each session has a file, and so has each of its
// subagents.
var claudeReader = reader{agent: "claude", begin: beginClaude, line: claudeLine}

// beginClaude reads the ids in a file's path. A subagent's file is in a folder below its session
// or, up to 2.1.1, beside the session's file.
func beginClaude(t *tally, path string) {
	dir, name := filepath.Split(path)
	id, isAgent := strings.CutPrefix(strings.TrimSuffix(name, ".jsonl"), "agent-")
	if filepath.Base(dir) != "subagents" {
		if isAgent {
			t.AgentID = id
		}
		return
	}
	t.AgentID = id
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
	t.Branch = t.Branch || e.get("forkedFrom") != nil
	if t.AgentID == "" && e.get("isSidechain").isTrue() {
		t.sidechain(e.get("parentUuid").str())
	}
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
		t.Paid = nil // the record covers the whole session
		e.get("modelUsage").fields(func(model, v value) bool {
			t.records(string(model), paid{claudeRecorded(v), v.get("costUSD").float()})
			return true
		})
	default:
		return strings.HasPrefix(kind, "api-request") || slices.Contains(claudeOthers, kind)
	}
	return true
}

// claudeOthers lists the kinds of lines that contain nothing about skills.
var claudeOthers = []string{
	"agent-name", "ai-title", "atis-latch", "custom-title", "file-history-snapshot", "last-prompt",
	"mode", "permission-mode", "pr-link", "progress",
	"queue-operation", "summary", "tag", "tools-used",
}

func (t *tally) claudeSystem(e record) {
	switch e.get("subtype").str() {
	case "compact_boundary":
		t.compacted()
		t.Compactions++
	case "local_command":
		// This is the error message for a person's command that could not run.
		why, ok := strings.CutPrefix(e.get("content").str(), "<local-command-stderr>")
		if in := t.talk(); ok && in.Person != "" && strings.HasPrefix(why, "Shell command ") {
			t.note(typed, in.Person)
			t.note(claudeOutcome(why), in.Person)
			in.Person = ""
		}
	}
}

// claudeRecorded returns the tokens of a model in a cost-state.
func claudeRecorded(v value) Tokens {
	hour := v.get("cacheCreationEphemeral1hInputTokens").int()
	return Tokens{
		Input: v.get("inputTokens").int(), Output: v.get("outputTokens").int(), CacheRead: v.get("cacheReadInputTokens").int(),
		CacheWrite: max(0, v.get("cacheCreationInputTokens").int()-hour), CacheWrite1: hour,
	}
}

func claudeTokens(v record) Tokens {
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
		return // the CLI's own text
	}
	in := t.talk()
	in.Person = ""
	if by := e.get("attributionSkill").str(); t.state.Bulk > 0 && by != "" {
		t.Fork = by
		t.text(t.Fork, t.state.Bulk)
		in.Active, t.state.Bulk = t.Fork, 0
	}
	usage, _ := readRecord(message.get("usage"), t.usage)
	t.usage = usage
	tokens := claudeTokens(usage)
	terms := claudecode.Terms{Fast: usage.get("speed").str() == "fast", US: usage.get("inference_geo").str() == "us",
		Prompt: int(tokens.Sum() - tokens.Output)}
	t.turn(t.claudeKey(e, message), turn{
		Model: model, Asked: e.get("requestedModel").str(), Tokens: tokens,
		Factor: priceFactor(model, terms), Searches: int(usage.get("server_tool_use", "web_search_requests").int()),
	})
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

// claudeKey returns a key that identifies a request: copies of a session keep the ids of its
// messages.
func (t *tally) claudeKey(e, message record) uint64 {
	if id := message.get("id").str(); id != "" {
		return keyOf(id, e.get("requestId").str())
	}
	if id := cmp.Or(e.get("requestId").str(), e.get("requestRef").str(), t.id); id != "" {
		return keyOf(id, t.Session)
	}
	return t.lineKey()
}

// The marks of text that Claude Code itself adds to a user's line.
const (
	claudeCommand = "<command-name>/"
	claudeOutput  = "<local-command-"
	claudeNotice  = "<task-notification>"
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
	if content != nil && said == "" { // text beside an image, for example
		content.items(func(part value) {
			if said == "" {
				said = part.get("text").str()
			}
		})
	}
	if name := claudecode.TypedCommand(said); name != "" {
		t.prompt()
		t.talk().Person = name // a built-in command has the same form; only a skill's text follows it
		return
	}
	if e.get("isCompactSummary").isTrue() || e.get("isVisibleInTranscriptOnly").isTrue() ||
		strings.HasPrefix(said, claudeOutput) || strings.HasPrefix(said, claudeNotice) {
		return
	}
	t.prompt()
}

// claudeMeta reads text that Claude Code added: the page of a skill that was called or typed, or
// another text.
func (t *tally) claudeMeta(e record, content value) {
	if call := e.get("sourceToolUseID").str(); call != "" {
		if c, ok := t.state.Calls[call]; ok && c.Done {
			t.text(c.Skill, content.size())
		}
		return
	}
	in := t.talk()
	if t.AgentID != "" && in.Active == "" && len(t.Turns) == 0 {
		t.state.Bulk += content.size() // the first text of a fork
		return
	}
	if in.Person == "" || len(content) == 0 || content[0] != '[' {
		return
	}
	skill := in.Person
	in.Person = ""
	t.typed(skill)
	t.text(skill, content.size())
}

// claudeResults reads the results of tools. It reports whether there are any.
func (t *tally) claudeResults(e record, content value) (found bool) {
	result := e.get("toolUseResult")
	content.items(func(part value) {
		if part.get("type").str() != "tool_result" {
			return
		}
		found = true
		id := part.get("tool_use_id").str()
		if skill, ok := t.Spawns[id]; ok {
			if agent := result.get("agentId").str(); agent != "" {
				t.Spawns[agent] = skill
			}
		}
		c, ok := t.end(id)
		if !ok {
			return
		}
		bad := part.get("is_error").isTrue() || len(result) > 0 && result[0] == '"'
		switch {
		case result.get("status").str() == "forked":
			t.Claimed = append(t.Claimed, result.get("agentId").str())
			t.noteCall(forked, id, c)
			active := t.talk().Active
			t.deliveredCall(id, c)
			t.talk().Active = active // the skill works in the fork's file
		case !bad:
			t.deliveredCall(id, c)
		case e.get("toolDenialKind") != nil:
			t.noteCall(refused, id, c)
		default:
			t.noteCall(claudeOutcome(cmp.Or(result.str(), part.get("content").str())), id, c)
		}
	})
	return found
}

// claudeOutcome returns the outcome of a call, from the beginning of Claude Code's message. The
// rest of the message may contain any output of a command on the page.
func claudeOutcome(why string) string {
	why = strings.TrimPrefix(strings.TrimPrefix(why, "<tool_use_error>"), "Error: ")
	begins := func(all ...string) bool {
		return slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(why, s) })
	}
	switch {
	case begins("Unknown skill"):
		return unknown
	case begins("Shell command permission check failed"):
		return blocked
	case begins("Shell command failed"):
		return failed
	case begins("Skill execution blocked by permission rules", "The user doesn't want to proceed", "Permission to use Skill",
		"Claude requested permissions"),
		begins("Skill ") && strings.Contains(why, "disable-model-invocation"):
		return refused
	}
	return failed
}

func (t *tally) claudeAttachment(a value) {
	switch a.get("type").str() {
	case "skill_listing":
		t.offered(claudeList(a))
	case "invoked_skills":
		a.get("skills").items(func(s value) {
			if name := s.get("name").str(); name != "" {
				t.restored(name, s.get("content").size())
			}
		})
	}
}

// claudeList returns the skills in a list that the model received. A line has a name and, if there
// was room, a description.
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
		if without, found := bare[name]; name != "" {
			list = append(list, Listed{Name: name, Bare: without || !found})
		}
	}
	return list
}
