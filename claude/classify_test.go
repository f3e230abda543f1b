package claude

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// texts are messages without fields, and their kinds: on stderr, in a result, and in Classify.
var withoutFields = []struct {
	text string
	want Kind
}{
	{"rate limit exceeded", RateLimited},
	{"Rate-limit hit", RateLimited},
	{"HTTP 429", RateLimited},
	{"429 Too Many Requests", RateLimited},
	{"too many requests, network busy", RateLimited},
	{"connect ECONNREFUSED 127.0.0.1:443", Connection},
	{"getaddrinfo ENOTFOUND api.example.com", Connection},
	{"connect ETIMEDOUT 10.0.0.1:443", Connection},
	{"network error", Connection},
	{"Network-Error: lost", Connection},
	{"TypeError: fetch failed", Connection},
	{"Request timeout", APITimeout},
	{"operation timed out", APITimeout},
	{"validation failed", BadRequest},
	{"Invalid argument", BadRequest},
	{"does not match the schema", BadRequest},
	{"Invalid API key · Fix external API key", Unauthorized},
	{"Not logged in · Please run /login", Unauthorized},
	{"Missing environment variable: `OPENAI_API_KEY`.", Unauthorized},
	{"Credit balance is too low", Billing},
	{"You've hit your limit · resets 3pm", UsageLimit},
	{"error: unknown option '--schema'", Usage},
	{"Error: Invalid session ID. Must be a valid UUID.", Usage},
	{"Prompt is too long", TooLarge},
	{"Something broke", Crashed},
}

func TestClassify(t *testing.T) {
	for _, tt := range withoutFields {
		if category, kind := Classify(tt.text); kind != tt.want || category != kinds[tt.want].category {
			t.Errorf("Classify(%q) = %s, %s, want %s", tt.text, category, kind, tt.want)
		}
		_, e := verdict(context.Background(), &record{}, ending{exit: 1, stderr: tt.text + "\n", now: time.Now()}, nil)
		if e.Kind != tt.want {
			t.Errorf("stderr %q: %s, want %s", tt.text, e.Kind, tt.want)
		}
		if e.Kind == Crashed && e.Temporary() {
			t.Errorf("stderr %q: would be tried again", tt.text)
		}
		line := fmt.Sprintf(`{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":%s}`, must(json.Marshal(tt.text)))
		r := &record{began: true}
		r.line([]byte(line), nil)
		_, e = verdict(context.Background(), r, ending{now: time.Now()}, nil)
		want := tt.want
		if want == Crashed {
			want = ServerError // the session had started
		}
		if e.Kind != want {
			t.Errorf("result %q: %s, want %s", tt.text, e.Kind, want)
		}
	}
	if _, e := verdict(context.Background(), &record{}, ending{exit: 137, signal: 9, stderr: "Something broke"}, nil); e.Kind != Crashed || !e.Temporary() {
		t.Errorf("killed: %+v", e)
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

func TestBuildArgs(t *testing.T) {
	got, err := BuildArgs(Request{Prompt: "hi", Model: "opus", MaxTurns: 3, AllowedTools: []string{"Read", "Bash(git log:*)"}, Resume: "5e55"})
	want := "[-p --allowedTools Read --allowedTools Bash(git log:*) --output-format stream-json --verbose --model opus --max-turns 3 --resume 5e55]"
	if fmt.Sprint(got) != want || err != nil {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
}
