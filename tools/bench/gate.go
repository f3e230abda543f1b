package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// gates measures what the Stop hook costs whenever an agent stops: where no gate is on, and where the gates of all skills
// are but the agent got none.
func (b *bench) gates(binary, dir string) error {
	const prompt = `{"parentUuid":null,"isSidechain":false,"type":"user","promptId":"p","message":{"role":"user","content":"hello"},"uuid":"a"}
{"parentUuid":"a","isSidechain":false,"type":"assistant","message":{"content":[{"type":"text","text":"Hello."}],"stop_reason":"end_turn"},"uuid":"b"}
`
	if err := put(dir, map[string]string{"stop.jsonl": prompt}); err != nil {
		return err
	}
	event, err := json.Marshal(map[string]any{
		"hook_event_name": "Stop", "session_id": "s", "prompt_id": "p", "cwd": dir, "permission_mode": "default",
		"transcript_path": filepath.Join(dir, "stop.jsonl"), "last_assistant_message": "Hello.",
	})
	if err != nil {
		return err
	}
	b.dir, b.stdin = filepath.Join(dir, "project"), event
	defer func() { b.dir, b.stdin = "", nil }()
	commands := [][]string{{"bash", "-c", ":"}, {binary, "hook"}}
	t := b.medians(100, commands...)
	cost("hook of Stop, no gate is on / bash -c :", t[1], t[0], "at most 3")
	if err := put(dir, map[string]string{"state/trust/gates.json": `{"all":true}`}); err != nil {
		return err
	}
	t = b.medians(100, commands...)
	cost("hook of Stop, gates are on, no skill used / bash -c :", t[1], t[0], "a second program starts")
	return os.Remove(filepath.Join(dir, "state/trust/gates.json"))
}
