package usage

// geminiReader reads the chats of Gemini CLI. They name no folder of a project, and no list of skills.
var geminiReader = reader{
	agent: "gemini", home: ".gemini", below: "tmp", files: "session-*.jsonl", line: geminiLine,
}

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
		t.turn(v.get("id").str(), v.get("model").str(), Tokens{
			Input: max(0, k.get("input").int()-read) + k.get("tool").int(), Output: k.get("output").int() + k.get("thoughts").int(), CacheRead: read,
		})
		v.get("toolCalls").items(t.geminiCall)
	}
	return known
}

// geminiCall reads a call with its result. A message is written again when more is known, so a call is counted once.
func (t *tally) geminiCall(c value) {
	id, status := c.get("id").str(), c.get("status").str()
	if c.get("name").str() != "activate_skill" || t.state.Calls[textOf+id] != "" || status != "success" && status != "error" && status != "cancelled" {
		return
	}
	t.called(id, c.get("args", "name").str())
	size, fault := 0, ""
	c.get("result").items(func(r value) {
		response := r.get("functionResponse", "response")
		size += response.get("output").size()
		fault = response.get("error").str()
	})
	if status == "cancelled" {
		fault = "rejected"
	} else if status == "error" && fault == "" {
		fault = "error"
	}
	skill := t.state.Calls[id]
	t.finish(id, size, fault)
	t.state.Calls[textOf+id] = skill
}
