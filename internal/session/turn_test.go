package session

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRewound: a text counts as seen only if the conversation still goes back to the turn
// in which it was. The file has the shape of Claude Code's: p1, p2 and p3 follow each
// other; then the conversation was rewound to p1, and went on with p4.
func TestRewound(t *testing.T) {
	transcript := filepath.Join(t.TempDir(), "s.jsonl")
	const text = `{"type":"mode","mode":"normal"}
{"parentUuid":null,"type":"user","promptId":"p1","uuid":"a"}
{"parentUuid":"a","type":"assistant","uuid":"b"}
{"parentUuid":"b","type":"user","promptId":"p2","uuid":"c"}
{"parentUuid":"c","type":"assistant","uuid":"d"}
{"parentUuid":"d","type":"user","promptId":"p3","uuid":"e"}
{"parentUuid":"b","type":"user","promptId":"p4","uuid":"f"}
{"parentUuid":"f","type":"assistant","uuid":"g"}
{"parentUuid":"x","type":"user","promptId":"loop","uuid":"y"}
{"parentUuid":"y","type":"user","uuid":"x"}
{"parentUuid": broken
`
	if err := os.WriteFile(transcript, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		seen, now  string // the prompts
		rewindable bool
		agent      string
		want       bool
	}{
		{"p1", "p1", true, "", true},
		{"p1", "p3", true, "", true},
		{"p2", "p3", true, "", true},
		{"p1", "p4", true, "", true},
		{"p2", "p4", true, "", false},
		{"p3", "p4", true, "", false},
		{"p1", "typed", true, "", false}, // a slash command is not in the file yet
		{"", "p1", true, "", false},
		{"p1", "", true, "", false},
		{"p1", "loop", true, "", false},
		{"p2", "p4", false, "", true},  // nobody can rewind
		{"p2", "p4", true, "a1", true}, // a subagent's conversation is its own
	} {
		s := Store{Dir: t.TempDir()}
		claim := func(prompt string) *Claim {
			c, err := s.Claim(ID{Session: "s", Agent: tt.agent}, "x", "/x", "h")
			if err != nil {
				t.Fatal(err)
			}
			c.In(Turn{Prompt: prompt, Transcript: transcript}, tt.rewindable)
			return c
		}
		if err := claim(tt.seen).Commit(); err != nil {
			t.Fatal(err)
		}
		c := claim(tt.now)
		if c.Seen != tt.want || c.StillSeen() != tt.want {
			t.Errorf("seen in %q, now in %q: %v, want %v", tt.seen, tt.now, c.Seen, tt.want)
		}
		c.Close()
	}
}
