package claude

import (
	"encoding/json"
	"time"
)

// An Event is something that the CLI does on the way to an answer.
type Event struct {
	Type      EventType
	Attempt   int // 1 is the first
	SessionID string
	Turn      int    // of the main agent, 1 is the first
	Parent    string // of a subagent: the tool call that started it

	Model   string          // Start
	Text    string          // Text: what Claude says; Retry: why
	Tool    string          // Tool: its name
	Input   json.RawMessage // Tool
	Kind    Kind            // Retry by us: what failed
	Wait    time.Duration   // Retry: how long from now
	CostUSD float64         // Result: of the session so far
}

// An EventType says what an event is about.
type EventType string

// The kinds of events.
const (
	Start  EventType = "start"  // a session has begun, or a further turn in it
	Text   EventType = "text"   // Claude says something
	Tool   EventType = "tool"   // Claude uses a tool
	Retry  EventType = "retry"  // something failed and is tried again, by the CLI or by us
	Result EventType = "result" // the CLI gives a result; Ask soon returns, or tries again
)
