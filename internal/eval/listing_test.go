package eval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestListed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ list, want string }{
		{"- card: Writes cards.\n- other: Draws.", ""},
		{"- plug:card: Writes cards.", ""},
		{"- card\n- other: Draws.", "the agent's list of skills has its name and no description"},
		{"- card: Writes…", "the agent's list of skills cuts its description after 6 characters"},
		{"- cards: Writes cards.", "the agent's list of skills leaves it out"},
	} {
		home := t.TempDir()
		dir := filepath.Join(home, ".claude", "projects", "x")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		line, _ := json.Marshal(map[string]any{"type": "attachment",
			"attachment": map[string]string{"type": "skill_listing", "content": tt.list}})
		if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), append(line, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := listed(home, Names{"card", "plug:card"}); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.list, got, tt.want)
		}
	}
	if got := listed(t.TempDir(), Names{"card"}); got != "" {
		t.Errorf("without a session: %q", got)
	}
}
