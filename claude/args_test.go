package claude

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestArgs(t *testing.T) {
	s, err := newSchema(json.RawMessage(`{"type":"object"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		r      Request
		schema *schema
		want   string
	}{
		{"plain", Request{}, nil, "-p --output-format stream-json --verbose"},
		{"everything", Request{
			Model: "opus", MaxTurns: 3, AllowedTools: []string{"Bash(git:*)", "Read"}, Resume: "id",
			MaxBudgetUSD: 0.00001, Args: []string{"--effort", "low", "x"},
		}, s,
			`-p --allowedTools Bash(git:*) --allowedTools Read --output-format stream-json --verbose --model opus --max-turns 3 --max-budget-usd 0.00001` +
				` --json-schema {"type":"object"} --resume id --effort low x`},
		{"continue", Request{Continue: true}, nil, "-p --output-format stream-json --verbose --continue"},
		{"resumed", Request{Continue: true}.resumed("id"), nil, "-p --output-format stream-json --verbose --resume id"},
	} {
		if got := strings.Join(args(&tt.r, tt.schema), " "); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
	if got := (Request{Prompt: "what?"}).resumed("id").Prompt; !strings.HasSuffix(got, "\n\nwhat?") || len(got) < 20 {
		t.Errorf("a resumed session is asked %q", got)
	}
	long := strings.Repeat("x", maxPrompt)
	if got := (Request{Prompt: long}).resumed("id").Prompt; len(got) != maxPrompt {
		t.Errorf("a long prompt grows to %d bytes", len(got))
	}
}

func TestRequest(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    Request
		want string // "" means that nothing is wrong
	}{
		{"good", Request{Prompt: "x", Dir: t.TempDir()}, ""},
		{"leading dash", Request{Prompt: "-x"}, ""},
		{"the longest", Request{Prompt: strings.Repeat("x", 10_000_000)}, ""},
		{"empty", Request{}, "the prompt is empty"},
		{"blank", Request{Prompt: " \n\t"}, "the prompt is empty"},
		{"too long", Request{Prompt: strings.Repeat("x", 10_000_001)}, "the prompt is 10000001 bytes long"},
		{"two sessions", Request{Prompt: "x", Resume: "id", Continue: true}, "session: resume and continue"},
		{"turns", Request{Prompt: "x", MaxTurns: -1}, "max turns: less than 0"},
		{"budget", Request{Prompt: "x", MaxBudgetUSD: -1}, "budget: less than 0"},
		{"budget not a number", Request{Prompt: "x", MaxBudgetUSD: math.NaN()}, "budget: less than 0"},
		{"no folder", Request{Prompt: "x", Dir: "/no/such"}, "/no/such: no such file"},
		{"a file", Request{Prompt: "x", Dir: "args_test.go"}, "args_test.go: not a folder"},
		{"schema", Request{Prompt: "x", Schema: json.RawMessage("{")}, "schema: not a JSON object"},
	} {
		_, err := (&Client{}).newAsk(tt.r)
		if tt.want == "" && err == nil {
			continue
		}
		if e, ok := errors.AsType[*RequestError](err); !ok || !strings.HasPrefix(e.Error(), tt.want) || tt.want == "" {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// The CLI's own retries are limited, unless the caller has set their number.
func TestOwnRetries(t *testing.T) {
	for _, tt := range []struct{ env, want []string }{
		{[]string{"A=1"}, []string{"A=1", "CLAUDE_CODE_MAX_RETRIES=2"}},
		{[]string{"CLAUDE_CODE_MAX_RETRIES=7"}, []string{"CLAUDE_CODE_MAX_RETRIES=7"}},
	} {
		a, err := (&Client{Env: tt.env}).newAsk(Request{Prompt: "x"})
		if err != nil || !slices.Equal(a.env, tt.want) {
			t.Errorf("%q: %q, %v", tt.env, a.env, err)
		}
	}
}
