package claude

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
)

// A Document is the result of a question, for programs: skillhand ask --json prints it.
// schemas/ask-v1.schema.json describes it.
type Document struct {
	Type         string            `json:"type,omitempty"` // "result", if it is the last of a stream of events
	Success      bool              `json:"success"`
	Output       string            `json:"output"`
	JSONResult   json.RawMessage   `json:"json_result"`
	ExitCode     int               `json:"exit_code"`
	Error        string            `json:"error"`
	Category     Category          `json:"category"`
	Kind         Kind              `json:"kind"`
	Retryable    bool              `json:"retryable"`
	RetryAfterMS *float64          `json:"retry_after_ms"`
	SessionID    string            `json:"session_id"`
	Model        string            `json:"model"`
	Turns        int               `json:"turns"`
	CostUSD      *float64          `json:"cost_usd"` // null if the agent does not report it
	Usage        json.RawMessage   `json:"usage"`
	DurationMS   float64           `json:"duration_ms"`
	Denials      json.RawMessage   `json:"permission_denials"`
	Attempts     []AttemptDocument `json:"attempts"`
	Transcript   string            `json:"transcript"`
	Stderr       string            `json:"stderr"`
}

// An AttemptDocument is one run of the CLI.
type AttemptDocument struct {
	Category   Category `json:"category"`
	Kind       Kind     `json:"kind"`
	DurationMS float64  `json:"duration_ms"`
	SessionID  string   `json:"session_id"`
	Error      string   `json:"error"`
}

// NewDocument makes a Document of what Ask returned. A nil reply means that nothing was asked, for
// the reason that the error gives.
func NewDocument(reply *Reply, err error) Document {
	r := reply
	if r == nil {
		r = &Reply{Exit: -1} // nothing ran
	}
	doc := Document{
		Success: err == nil, Output: r.Output, JSONResult: r.JSON, ExitCode: r.Exit, Stderr: r.Stderr, SessionID: r.SessionID,
		Model: r.Model,
		Turns: r.Turns, Usage: r.Usage, DurationMS: millis(r.Duration), Denials: r.Denials, Transcript: r.Transcript,
		Attempts: []AttemptDocument{},
	}
	if !r.NoCost {
		doc.CostUSD = &r.CostUSD
	}
	// These come from the CLI unchanged, so their shape is not certain.
	if !bytes.HasPrefix(doc.Denials, []byte("[")) {
		doc.Denials = json.RawMessage("[]")
	}
	if !bytes.HasPrefix(doc.Usage, []byte("{")) {
		doc.Usage = nil
	}
	if err != nil {
		e := asError(err)
		doc.Error, doc.Category, doc.Kind, doc.Retryable = cmp.Or(e.Message, kinds[e.Kind].name), e.Category, e.Kind, e.Temporary()
		if e.RetryAfter > 0 {
			after := millis(e.RetryAfter)
			doc.RetryAfterMS = &after
		}
	}
	for _, a := range r.Attempts {
		doc.Attempts = append(doc.Attempts, AttemptDocument{
			Category: a.Category, Kind: a.Kind, DurationMS: millis(a.Duration), SessionID: a.SessionID,
			Error: cmp.Or(a.Error, kinds[a.Kind].name),
		})
	}
	return doc
}

// WriteTo writes the document as one line of JSON.
func (d Document) WriteTo(w io.Writer) (int64, error) {
	var line bytes.Buffer
	if err := newEncoder(&line).Encode(d); err != nil {
		return 0, err
	}
	return line.WriteTo(w)
}

// newEncoder returns an encoder that does not escape characters for HTML.
func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// asError returns err as an *Error. If nothing was asked, it finds the kind: the CLI cannot be
// started, or the request is invalid.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	kind := Usage
	_, missing := errors.AsType[*StartError](err)
	switch {
	case missing:
		kind = Missing
	case errors.Is(err, context.DeadlineExceeded):
		kind = Deadline
	case errors.Is(err, context.Canceled):
		kind = Interrupted
	}
	return failed(kind, err.Error())
}

// An EventDocument is an event, for programs: a line of skillhand ask --events.
// schemas/ask-events-v1.schema.json describes it.
type EventDocument struct {
	Type      EventType       `json:"type"`
	Attempt   int             `json:"attempt"`
	SessionID string          `json:"session_id"`
	Turn      int             `json:"turn,omitempty"`
	Parent    string          `json:"parent_tool_use_id,omitempty"`
	Model     string          `json:"model,omitempty"`
	Text      string          `json:"text,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Kind      Kind            `json:"kind,omitempty"`
	Error     string          `json:"error,omitempty"`
	WaitMS    *float64        `json:"wait_ms,omitempty"`
}

// NewEventDocument makes an EventDocument of an event.
func NewEventDocument(e Event) EventDocument {
	doc := EventDocument{
		Type: e.Type, Attempt: e.Attempt, SessionID: e.SessionID, Turn: e.Turn, Parent: e.Parent,
		Model: e.Model, Text: e.Text, Tool: e.Tool, Input: e.Input, Kind: e.Kind,
	}
	if e.Type == Retry {
		wait := millis(e.Wait)
		doc.Error, doc.Text, doc.WaitMS = e.Text, "", &wait
	}
	return doc
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// A Denial is a tool use that was not permitted.
type Denial struct {
	Tool  string          `json:"tool_name"`
	Input json.RawMessage `json:"tool_input"`
}

// ParseDenials reads Reply.Denials. They come from the CLI unchanged, so their shape is not
// certain. It returns nil for an unknown shape.
func ParseDenials(text json.RawMessage) []Denial {
	var all []Denial
	if json.Unmarshal(text, &all) != nil {
		return nil
	}
	return all
}

// IsSessionID reports whether a string looks like the id of a session.
func IsSessionID(text string) bool {
	const form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(text) != len(form) {
		return false
	}
	for i, c := range []byte(form) {
		if c == '-' != (text[i] == '-') || c == 'x' && !strings.ContainsRune("0123456789abcdefABCDEF", rune(text[i])) {
			return false
		}
	}
	return true
}
