package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestJSONInAnswer(t *testing.T) {
	const number = `{"type":"object","required":["n"],"properties":{"n":{"type":"number"}}}`
	for _, tt := range []struct {
		name, structured, text, schema, want string
		misfit                               bool
	}{
		{name: "none", text: "OK"},
		{name: "structured", structured: `{"a":1}`, text: "```json\n{\"a\":2}\n```", want: `{"a":1}`},
		{name: "null is none", structured: `null`, text: "[2]", want: `[2]`},
		{name: "fence", text: "Here:\n```json\n{\"a\": 1}\n```\nDone.", want: `{"a": 1}`},
		{name: "upper case", text: "```JSON\n1\n```", want: `1`},
		{name: "jsonc", text: "```jsonc\n[1]\n```", want: `[1]`},
		{name: "no info string", text: "```\n[1]\n```", want: `[1]`},
		{name: "tildes", text: "~~~\n[1]\n~~~", want: `[1]`},
		{name: "tildes around ticks", text: "~~~json\n[\"```\"]\n~~~", want: "[\"```\"]"},
		{name: "longer fence", text: "````json\n[\n\"\\n```\"\n]\n````", want: "[\n\"\\n```\"\n]"},
		{name: "unclosed", text: "so:\n```json\n{\"a\":\n1}\n", want: "{\"a\":\n1}"},
		{name: "CRLF", text: "```json\r\n{\"a\":1}\r\n```\r\n", want: `{"a":1}`},
		{name: "indented", text: "1. see\n   ```json\n   {\"a\":1}\n   ```\n", want: `{"a":1}`},
		{name: "another language", text: "```python\n[1]\n```\n[2]"},
		{name: "after another language", text: "```python\n[1]\n```\n```\n[2]\n```", want: `[2]`},
		{name: "the first that parses", text: "```json\n{broken\n```\n```json\n[2]\n```\n```json\n[3]\n```", want: `[2]`},
		{name: "a marked one before an unmarked one", text: "You sent:\n```\n{\"in\":1}\n```\nResult:\n```json\n{\"b\":1}\n```",
			want: `{"b":1}`},
		{name: "an unmarked one if the marked one is broken", text: "```\n[1]\n```\n```json\n{broken\n```", want: `[1]`},
		{name: "not on a line of its own", text: "use ```json [1]```"},
		{name: "bare", text: " {\"a\":1}\n", want: `{"a":1}`},
		{name: "bare number", text: "42", want: `42`},
		{name: "big numbers stay", text: "[12345678901234567890]", want: `[12345678901234567890]`},
		{name: "two documents", text: "{} {}"},

		{name: "fits", structured: `{"n":1}`, schema: number, want: `{"n":1}`},
		{name: "the first that fits", text: "```json\n{\"n\":\"x\"}\n```\n```json\n{\"n\":2}\n```", schema: number, want: `{"n":2}`},
		{name: "structured does not fit", structured: `{"n":"x"}`, text: `{"n":2}`, schema: number, want: `{"n":2}`},
		{name: "none fits", text: "```json\n{\"n\":\"x\"}\n```", schema: number, misfit: true},
		{name: "no JSON", text: "I can't", schema: number, misfit: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s *schema
			if tt.schema != "" {
				var err error
				if s, err = newSchema(json.RawMessage(tt.schema)); err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.find(context.Background(), &result{Structured: json.RawMessage(tt.structured), Text: tt.text})
			if string(got) != tt.want || (err != nil) != tt.misfit {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestExtractJSON(t *testing.T) {
	if got, ok := ExtractJSON("so:\n```json\n{\"a\":1}\n```\n"); !ok || string(got) != `{"a":1}` {
		t.Errorf("%s, %v", got, ok)
	}
	if got, ok := ExtractJSON("none here"); ok {
		t.Errorf("%s", got)
	}
}

func TestSchema(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"not JSON", "{", "schema: not a JSON object"},
		{"a list", "[]", "schema: not a JSON object"},
		{"null", "null", "schema: not a JSON object"},
		{"wrong type", `{"type": 7}`, "schema: "},
		{"pattern", `{"pattern": "("}`, "schema: "},
		{"unknown reference", `{"$ref": "#/$defs/x"}`, "schema: "},
		{"elsewhere", `{"$ref": "https://example.com/x.json"}`, "schema: "},
		{"refers to itself", `{"$ref": "#"}`, "schema: "},
		{"in a circle", `{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`,
			"schema: "},
		{"too large", `{"description": "` + strings.Repeat("x", 140_000) + `"}`,
			"schema: too large: 140018 bytes, more than the 131071 of one argument"},
		{"many properties", `{"properties": {` + strings.Repeat(`"a": true, `, 200_000) + `"b": true}}`, "schema: too large: "},
		{"deep", strings.Repeat(`{"not":`, 1000) + "{}" + strings.Repeat("}", 1000), "schema: nested more than 100 deep"},
		{"many steps", `{"$ref": "#/$defs/d0", "$defs": {` + chain(15, 10) + `}}`, "schema: takes more than 10000000 steps"},
	} {
		_, err := newSchema(json.RawMessage(tt.text))
		if _, ok := errors.AsType[*RequestError](err); !ok || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	s, err := newSchema(json.RawMessage(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "description": "a < b"}`))
	if err != nil || s.argument != `{"description":"a < b","type":"object"}` {
		t.Errorf("%+v, %v", s, err)
	}
	// A schema of a tree refers to itself, but a check ends where the value ends.
	tree, err := newSchema(json.RawMessage(`{"type":"object","properties":{"child":{"$ref":"#"}}}`))
	if err != nil || tree.check(context.Background(), json.RawMessage(`{"child":{"child":{}}}`)) != nil ||
		tree.check(context.Background(), json.RawMessage(`{"child":{"child":1}}`)) == nil {
		t.Errorf("a tree: %v", err)
	}
}

// chain defines schemas that each refer several times to the next.
func chain(length, times int) string {
	var b strings.Builder
	for i := range length {
		next := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		fmt.Fprintf(&b, `"d%d":{"allOf":[%s]},`, i, strings.TrimSuffix(strings.Repeat(next+",", times), ","))
	}
	fmt.Fprintf(&b, `"d%d":{"type":"object"}`, length)
	return b.String()
}

// An endsLater is an ended context that seems not to have ended when it is first asked.
type endsLater struct {
	context.Context
	asked bool
}

func (c *endsLater) Err() error {
	if !c.asked {
		c.asked = true
		return nil
	}
	return c.Context.Err()
}

// TestSchemaSteps checks that an answer that takes too long to check is rejected, and that a check
// ends with its context.
func TestSchemaSteps(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	t.Cleanup(func() {
		for runtime.NumGoroutine() > goroutines { // an abandoned check ends soon, but costs the next test memory
			time.Sleep(time.Millisecond)
		}
	})
	s, err := newSchema(json.RawMessage(`{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	nested := func(depth int) json.RawMessage {
		return json.RawMessage(strings.Repeat(`{"a":`, depth) + "{}" + strings.Repeat("}", depth))
	}
	if err := s.check(t.Context(), nested(10)); err != nil {
		t.Error(err)
	}
	if err := s.check(t.Context(), nested(40)); err == nil || !strings.Contains(err.Error(), "steps") {
		t.Errorf("2^40 steps: %v", err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if err := s.check(&endsLater{Context: ctx}, nested(17)); !errors.Is(err, stopped) {
		t.Errorf("the context ends during the check: %v", err)
	}
	if err := s.check(ctx, nested(19)); !errors.Is(err, stopped) {
		t.Errorf("the context has ended: %v", err)
	}
	_, failure := verdict(ctx, &record{result: &result{Turns: 1, Subtype: "success", IsError: json.RawMessage("false"),
		Text: string(nested(19))}}, ending{}, s)
	if failure == nil || failure.Kind != Interrupted {
		t.Errorf("%+v, want %s", failure, Interrupted)
	}
}
