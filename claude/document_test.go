package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/test"
)

// Every document fits its schema, whatever the result of the question.
func TestDocument(t *testing.T) {
	answered := &Reply{Output: "ok", JSON: json.RawMessage(`{"a":1}`), SessionID: "s", Turns: 1, Attempts: []Attempt{{SessionID: "s"}},
		Duration: time.Second}
	odd := &Reply{Usage: json.RawMessage(`"lots"`), Denials: json.RawMessage(`null`),
		Attempts: []Attempt{{Category: Logic, Kind: Crashed, Error: "x"}}}
	schema := test.OurSchema(t, "ask-v1")
	for _, tt := range []struct {
		reply *Reply
		err   error
		kind  Kind
		again bool
	}{
		{answered, nil, "", false},
		{odd, failed(Crashed, "it died"), Crashed, true},
		{odd, &Error{Category: Quota, Kind: UsageLimit, RetryAfter: time.Hour}, UsageLimit, false},
		{nil, &RequestError{Field: "prompt", Fault: "is empty"}, Usage, false},
		{nil, &StartError{os.ErrNotExist}, Missing, false},
		{&Reply{Duration: time.Second}, fmt.Errorf("the skill: %w", context.DeadlineExceeded), Deadline, false},
		{nil, context.Canceled, Interrupted, false},
		{nil, errors.New("something else"), Usage, false},
	} {
		doc := NewDocument(tt.reply, tt.err)
		if doc.Success != (doc.Error == "") {
			t.Errorf("NewDocument(%v) has the error %q", tt.err, doc.Error)
		}
		if doc.Success != (tt.err == nil) || doc.Kind != tt.kind || doc.Retryable != tt.again {
			t.Errorf("NewDocument(%v) = %+v, want kind %q", tt.err, doc, tt.kind)
		}
		validate(t, schema, doc)
	}
}

func TestEventDocument(t *testing.T) {
	schema := test.OurSchema(t, "ask-events-v1")
	for _, e := range []Event{
		{Type: Start, Attempt: 1, SessionID: "s", Model: "m"},
		{Type: Text, Attempt: 1, SessionID: "s", Turn: 1, Text: "hi"},
		{Type: Tool, Attempt: 1, SessionID: "s", Turn: 1, Tool: "Bash", Input: json.RawMessage(`{"command":"ls"}`)},
		{Type: Retry, Attempt: 1, SessionID: "s", Kind: Overloaded, Text: "busy"},
	} {
		validate(t, schema, NewEventDocument(e))
	}
}

// TestDocumentWriteTo checks that a document is one line, with its JSON and without escapes for
// HTML.
func TestDocumentWriteTo(t *testing.T) {
	doc := Document{Output: `a "quoted" <answer>`, JSONResult: json.RawMessage("{\n \"a\": [1, 2]\n}")}
	var got bytes.Buffer
	n, err := doc.WriteTo(&got)
	want := `{"success":false,"output":"a \"quoted\" <answer>","json_result":{"a":[1,2]},`
	if err != nil || n != int64(got.Len()) || !strings.HasPrefix(got.String(), want) || strings.Count(got.String(), "\n") != 1 {
		t.Errorf("WriteTo = %d, %v: %s, want %s…", n, err, got.String(), want)
	}
	var full errorWriter
	if _, err := (Document{Output: "x"}).WriteTo(full); err == nil {
		t.Error("a writer that cannot take it is no error")
	}
}

type errorWriter struct{}

func (errorWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func validate(t *testing.T, schema test.Schema, doc any) {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Fault(text); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}
