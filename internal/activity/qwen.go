package activity

import "strings"

// qwenReader reads Qwen Code's chats. They contain no list of skills.
var qwenReader = reader{agent: "qwen", line: qwenLine}

func qwenLine(t *tally, v record) bool {
	if t.Session == "" {
		t.Session, t.Project = v.get("sessionId").str(), v.get("cwd").str()
	}
	if version := v.get("version").str(); version != "" {
		t.Version = version
	}
	switch v.get("type").str() {
	case "user":
		if who := v.get("provenance"); who == nil || who.str() == "real_user" {
			t.prompt()
		}
	case "assistant":
		t.turn(t.keyFor(v.get("uuid").str()), turn{Model: v.get("model").str(), Tokens: qwenTokens(v.get("usageMetadata"),
			"promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "cachedContentTokenCount")})
		v.get("message", "parts").items(func(part value) {
			if call := part.get("functionCall"); call.get("name").str() == "skill" {
				t.called(call.get("id").str(), call.get("args", "skill").str())
			}
		})
	case "tool_result":
		t.qwenResult(v)
	case "system":
		// A helper that Qwen Code itself starts has no line; its cost belongs to no skill.
		if e := v.get("systemPayload", "uiEvent"); e.get("event.name").str() == "qwen-code.api_response" && e.get("subagent_name") != nil {
			t.aside(e.get("model").str(),
				qwenTokens(e, "input_token_count", "output_token_count", "thoughts_token_count", "cached_content_token_count"))
		}
		if v.get("subtype").str() == "chat_compression" {
			t.compacted()
		}
	default:
		return false
	}
	return true
}

// qwenTokens reads a count whose input includes the tokens read from the cache.
func qwenTokens(v value, input, output, thoughts, cached string) Tokens {
	read := v.get(cached).int()
	return Tokens{Input: max(0, v.get(input).int()-read), Output: v.get(output).int() + v.get(thoughts).int(), CacheRead: read}
}

func (t *tally) qwenResult(v record) {
	result := v.get("toolCallResult")
	size, fault, instead := 0, "", failed
	v.get("message", "parts").items(func(part value) {
		response := part.get("functionResponse", "response")
		size += response.get("output").size()
		fault += response.get("error").str()
	})
	switch result.get("status").str() {
	case "success":
		instead = ""
	case "cancelled":
		instead = refused
	default:
		switch {
		case strings.Contains(fault, "cannot prompt"):
			instead = refused
		case strings.Contains(fault, "Unknown skill"):
			instead = unknown
		}
	}
	t.finish(result.get("callId").str(), size, instead)
}
