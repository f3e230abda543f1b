package usage

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/skillhand/skillhand/here"
)

// piReader reads pi's sessions. pi has no tool for skills: the model reads the file. It records dollars by itself.
var piReader = reader{
	agent: "pi",
	roots: func(h here.Here) []string { return []string{filepath.Join(h.Home, ".pi", "agent", "sessions")} },
	wants: func(path string) bool { return strings.HasSuffix(path, ".jsonl") },
	line:  piLine,
}

func piLine(t *tally, line []byte) bool {
	v := value(line)
	if !v.fields(func(string, value) bool { return true }) {
		return false
	}
	when, _ := time.Parse(time.RFC3339, v.get("timestamp").str())
	t.at(when)
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
		return true
	}
	t.Known = true
	return true
}

func (t *tally) piMessage(id string, m value) {
	switch m.get("role").str() {
	case "user":
		t.prompt()
	case "assistant":
		k, model := m.get("usage"), m.get("model").str()
		u := Tokens{Input: k.get("input").int(), Output: k.get("output").int(), CacheRead: k.get("cacheRead").int(), CacheWrite: k.get("cacheWrite").int()}
		t.turn(id, model, u)
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
		fault := ""
		if m.get("isError").isTrue() {
			fault = "error"
		}
		t.finish(m.get("toolCallId").str(), m.get("content").size(), fault)
	}
}
