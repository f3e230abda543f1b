package activity

// piReader reads pi's sessions. pi has no tool for skills: the model reads the skill's file. pi
// itself records dollars.
var piReader = reader{agent: "pi", line: piLine}

func piLine(t *tally, v record) bool {
	switch v.get("type").str() {
	case "session":
		if t.Session == "" {
			t.Session, t.Project = v.get("id").str(), v.get("cwd").str()
		}
	case "compaction":
		t.compacted()
	case "message":
		t.piMessage(v.get("id").str(), v.get("message"))
	default:
		return false
	}
	return true
}

func (t *tally) piMessage(id string, m value) {
	switch m.get("role").str() {
	case "user":
		t.prompt()
	case "assistant":
		k, model := m.get("usage"), m.get("model").str()
		u := Tokens{Input: k.get("input").int(), Output: k.get("output").int(),
			CacheRead: k.get("cacheRead").int(), CacheWrite: k.get("cacheWrite").int()}
		t.turn(keyOf(id, t.now.String()), turn{Model: model, Tokens: u}) // an id is short, and unique only in its session
		if usd := k.get("cost", "total").float(); usd > 0 {
			t.records(model, paid{u, usd})
		}
		m.get("content").items(func(part value) {
			if part.get("type").str() == "toolCall" && part.get("name").str() == "read" {
				if skill := skillFile(part.get("arguments", "path").str()); skill != "" {
					t.called(part.get("id").str(), skill)
				}
			}
		})
	case "toolResult":
		instead := ""
		if m.get("isError").isTrue() {
			instead = failed
		}
		t.finish(m.get("toolCallId").str(), m.get("content").size(), instead)
	}
}
