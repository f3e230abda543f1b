package claude

import (
	"encoding/json"
	"time"
)

// An Event is something that the CLI does before it answers.
type Event struct {
	Type      EventType
	Attempt   int // 1 is the first
	SessionID string
	Turn      int    // of the main agent; the first is 1
	Parent    string // in a subagent: the tool call that started it

	Model   string          // Start
	Text    string          // Text: what Claude says; Retry: the reason
	Tool    string          // Tool: its name
	Input   json.RawMessage // Tool
	Kind    Kind            // Retry by us: the kind of failure
	Wait    time.Duration   // Retry: how long the wait is
	CostUSD float64         // Result: of the session so far
}

// An EventType says what an event is about.
type EventType string

// The kinds of events.
const (
	Start  EventType = "start"  // a session starts, or another turn in it
	Text   EventType = "text"   // Claude says something
	Tool   EventType = "tool"   // Claude uses a tool
	Retry  EventType = "retry"  // something failed, and the CLI or we try again
	Result EventType = "result" // the CLI gives a result; Ask soon returns or tries again
)
