package session

import (
	"bytes"
	"encoding/json"
	"os"
)

// A Turn is an agent's work on one prompt. A person at a terminal can rewind a conversation to an
// earlier prompt, which no hook reports. The agent then no longer sees what it read after it.
type Turn struct {
	Prompt     string `json:"prompt,omitempty"`     // the prompt's id
	Transcript string `json:"transcript,omitempty"` // the file with the conversation
}

// In sets the turn of the claim. In a session that a person can rewind, a text counts as seen only
// if it was seen in the same turn, or in one that is still part of the conversation.
func (c *Claim) In(turn Turn, rewindable bool) {
	seen := c.found.Prompt
	c.mark.Prompt = turn.Prompt
	if rewindable && c.mark.Agent == "" && (seen == "" || seen != turn.Prompt && !turn.after(seen)) {
		c.Seen = false
	}
}

// maxTranscript limits the size of a transcript that is read. A longer one counts as unknown.
const maxTranscript = 256 << 20

// after reports whether the conversation leads from an earlier prompt to this turn.
func (t Turn) after(earlier string) bool {
	info, err := os.Stat(t.Transcript)
	if t.Prompt == "" || err != nil || !info.Mode().IsRegular() || info.Size() > maxTranscript {
		return false
	}
	text, err := os.ReadFile(t.Transcript)
	if err != nil {
		return false
	}
	type entry struct {
		ID     string `json:"uuid"`
		Parent string `json:"parentUuid"`
		Prompt string `json:"promptId"`
	}
	all, at := map[string]entry{}, ""
	for line := range bytes.Lines(text) {
		var e entry
		if !bytes.HasPrefix(line, []byte(`{"parentUuid":`)) || json.Unmarshal(line, &e) != nil {
			continue // not a part of the conversation
		}
		all[e.ID] = e
		if e.Prompt == t.Prompt {
			at = e.ID
		}
	}
	for range all { // no more steps than entries: the file may have a cycle
		e, ok := all[at]
		if !ok || e.Prompt == earlier {
			return ok
		}
		at = e.Parent
	}
	return false
}
