package activity

// copilotReader reads the events of Copilot CLI, which records requests but no dollars.
var copilotReader = reader{agent: "copilot", line: copilotLine}

func copilotLine(t *tally, v record) bool {
	d := v.get("data")
	switch v.get("type").str() {
	case "session.start":
		if t.Session == "" {
			t.Session, t.Project, t.Version = d.get("sessionId").str(), d.get("context", "cwd").str(), d.get("copilotVersion").str()
		}
	case "system.message":
		t.offered(tagList(d.get("content").str()))
	case "user.message":
		t.prompt()
	case "session.usage_record":
		u := d.get("usage")
		read, write := u.get("cacheReadTokens").int(), u.get("cacheWriteTokens").int()
		t.turn(t.keyFor(v.get("id").str()), turn{Model: u.get("model").str(), Tokens: Tokens{
			Input: max(0, u.get("inputTokens").int()-read-write), Output: u.get("outputTokens").int(), CacheRead: read, CacheWrite: write,
		}})
	case "assistant.message":
		d.get("toolRequests").items(func(r value) {
			if r.get("name").str() == "skill" {
				t.called(r.get("toolCallId").str(), r.get("arguments", "skill").str())
			}
		})
	case "tool.execution_complete":
		if id := d.get("toolCallId").str(); d.get("success").isTrue() {
			t.end(id) // skill.invoked follows
		} else {
			t.finish(id, 0, failed)
		}
	case "skill.invoked":
		t.copilotSkill(d)
	case "session.compaction_complete":
		t.compacted()
	default:
		return false
	}
	return true
}

func (t *tally) copilotSkill(d value) {
	name := d.get("name").str()
	if d.get("trigger").str() == "agent-invoked" {
		t.note(delivered, name)
		if t.arrive(name) {
			t.note(reloaded, name)
		}
	} else {
		t.typed(name)
	}
	t.text(name, d.get("content").size())
}
