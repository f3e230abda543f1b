package activity

// geminiReader reads the chats of Gemini CLI. They contain neither the project's folder nor a list
// of skills.
var geminiReader = reader{agent: "gemini", line: geminiLine}

func geminiLine(t *tally, v record) bool {
	known := false
	if id := v.get("sessionId").str(); id != "" && t.Session == "" {
		t.Session, known = id, true
	}
	switch v.get("type").str() {
	case "user":
		said := false
		v.get("content").items(func(part value) { said = said || part.get("text") != nil })
		if said || v.get("content").str() != "" {
			t.prompt()
		}
	case "gemini":
		k := v.get("tokens")
		read := k.get("cached").int()
		t.turn(t.keyFor(v.get("id").str()), turn{Model: v.get("model").str(), Tokens: Tokens{
			Input:  max(0, k.get("input").int()-read) + k.get("tool").int(),
			Output: k.get("output").int() + k.get("thoughts").int(), CacheRead: read,
		}})
		v.get("toolCalls").items(t.geminiCall)
	}
	return known
}

// geminiCall reads a call with its result. Gemini CLI writes a message again when it knows more, so
// geminiCall counts each call once.
func (t *tally) geminiCall(c value) {
	id, status := c.get("id").str(), c.get("status").str()
	if c.get("name").str() != "activate_skill" || t.state.Calls[id].Done ||
		status != "success" && status != "error" && status != "cancelled" {
		return
	}
	t.called(id, c.get("args", "name").str())
	size, instead := 0, ""
	c.get("result").items(func(r value) {
		response := r.get("functionResponse", "response")
		size += response.get("output").size()
		if response.get("error").str() != "" {
			instead = failed
		}
	})
	switch status {
	case "cancelled":
		instead = refused
	case "error":
		instead = failed
	}
	t.finish(id, size, instead)
}
