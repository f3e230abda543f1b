package activity

import (
	"path/filepath"
	"strings"
)

// codexReader reads Codex's rollouts. Codex has no tool for skills: the model reads the skill's
// file in the shell.
var codexReader = reader{agent: "codex", line: codexLine}

func codexLine(t *tally, line record) bool {
	p := line.get("payload")
	switch line.get("type").str() {
	case "session_meta":
		if t.Session == "" {
			t.Session, t.Project, t.Version = p.get("id").str(), p.get("cwd").str(), p.get("cli_version").str()
		}
	case "turn_context":
		t.state.Model = p.get("model").str()
	case "compacted":
		t.compacted()
	case "token_usage_record":
		t.turn(t.keyFor(p.get("response_id").str()), turn{Model: t.state.Model, Tokens: codexTokens(p.get("usage"))})
	case "event_msg":
		// Older versions have no other record; the increase of the sum is the new request.
		if total := p.get("info", "total_token_usage"); total != nil {
			if u := codexTokens(total); u.Sum() > t.state.Seen.Sum() {
				t.turn(t.lineKey(), turn{Model: t.state.Model, Tokens: u.most(t.state.Seen).minus(t.state.Seen)})
			}
		}
	case "response_item":
		t.codexItem(p)
	default:
		return false
	}
	return true
}

// codexTokens reads a count whose input includes the tokens read from the cache.
func codexTokens(v value) Tokens {
	read, write := v.get("cached_input_tokens").int(), v.get("cache_write_input_tokens").int()
	return Tokens{Input: max(0, v.get("input_tokens").int()-read-write), Output: v.get("output_tokens").int(),
		CacheRead: read, CacheWrite: write}
}

func (t *tally) codexItem(p value) {
	switch p.get("type").str() {
	case "message":
		t.codexMessage(p)
	case "function_call", "custom_tool_call", "local_shell_call":
		command := string(p.get("arguments")) + string(p.get("input")) + string(p.get("action"))
		if skill := skillFile(command); skill != "" {
			t.called(p.get("call_id").str(), skill)
		}
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		t.finish(p.get("call_id").str(), p.get("output").size(), "")
	}
}

func (t *tally) codexMessage(p value) {
	role := p.get("role").str()
	p.get("content").items(func(part value) {
		text := part.get("text").str()
		switch {
		case role == "developer" && strings.HasPrefix(text, "<skills_instructions>"):
			_, list, _ := strings.Cut(text, "### Available skills")
			t.offered(dashList(list))
		case role != "user":
		case strings.HasPrefix(text, "<skill>"):
			name := strings.TrimSpace(between(text, "<name>", "</name>"))
			in := t.talk()
			in.Before = in.Chosen
			t.typed(name)
			t.text(name, len(text))
		case !strings.HasPrefix(text, "<"): // not an environment or an instruction
			t.prompt()
		}
	})
}

// skillFile returns the skill whose file a command reads, or "".
func skillFile(command string) string {
	before, _, ok := strings.Cut(filepath.ToSlash(command), "/SKILL.md")
	if !ok {
		return ""
	}
	dir, name := before[:max(0, strings.LastIndexByte(before, '/'))], before[strings.LastIndexByte(before, '/')+1:]
	if !strings.Contains(dir, "skills") || strings.ContainsAny(name, " \"'\\*$") {
		return ""
	}
	return name
}

// dashList reads a list with a line "- name: description" for each skill.
func dashList(text string) (list []Listed) {
	for line := range strings.Lines(text) {
		entry, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		name, description, _ := strings.Cut(entry, ": ")
		if name = strings.TrimSuffix(name, ":"); ok && name != "" && !strings.ContainsAny(name, " `=") {
			list = append(list, Listed{name, strings.TrimSpace(description) == ""})
		}
	}
	return list
}

// tagList reads a list with a <name> and a <description> for each skill.
func tagList(text string) (list []Listed) {
	for entry := range strings.SplitSeq(between(text, "<available_skills>", "</available_skills>"), "<skill>") {
		if name := strings.TrimSpace(between(entry, "<name>", "</name>")); name != "" {
			list = append(list, Listed{name, strings.TrimSpace(between(entry, "<description>", "</description>")) == ""})
		}
	}
	return list
}

func between(text, open, end string) string {
	_, after, ok := strings.Cut(text, open)
	inner, _, closed := strings.Cut(after, end)
	if !ok || !closed {
		return ""
	}
	return inner
}
