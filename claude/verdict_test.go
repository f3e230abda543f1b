package claude

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// success is the verdict of a run that answered.
const success Kind = ""

// recorded has the verdict of each recorded run of the CLI, in both versions unless the name has a
// version.
var recorded = map[string]Kind{
	"api-200-emptysse":                ServerError,
	"api-400-credit-stream":           Billing,
	"api-400-stream":                  BadRequest,
	"api-401-stream":                  Unauthorized,
	"api-402-stream":                  Billing,
	"api-403-stream":                  Unauthorized,
	"api-404-stream":                  NoModel,
	"api-413-stream":                  TooLarge,
	"api-429-json":                    RateLimited,
	"api-429-ra1-stream":              RateLimited,
	"api-429-ra600-stream":            RateLimited,
	"api-429-stream":                  RateLimited,
	"api-500-json":                    ServerError,
	"api-500-stream":                  ServerError,
	"api-504-stream":                  ServerError,
	"api-529-json":                    Overloaded,
	"2.1.197 api-sse-overloaded":      Overloaded,
	"2.1.325 api-sse-overloaded":      ServerError, // "Server error mid-response"
	"2.1.197 api-sse-overloaded-once": Overloaded,
	"2.1.325 api-sse-overloaded-once": success, // the CLI tried again
	"budget-json":                     Budget,
	"fallback-model":                  success,
	"flag-agent-unknown":              Usage,
	"flag-badformat":                  Usage,
	"flag-badmcp":                     Usage,
	"flag-badmode":                    Usage,
	"flag-badsession":                 Usage,
	"flag-badsettings":                Usage,
	"flag-unknown":                    Usage,
	"long-429-default":                RateLimited,
	"long-500-default":                ServerError,
	"long-refused-default":            Connection,
	"long-stall-watchdog":             Crashed, // the CLI was killed
	"maxturns-0":                      success,
	"2.1.325 maxturns-bad":            Usage,
	"maxturns-json":                   MaxTurns,
	"maxturns-stream":                 MaxTurns,
	"model-alias-sonnet":              success,
	"net-badurl":                      Connection,
	"net-dns":                         Connection,
	"net-hang-timeout5s":              APITimeout,
	"net-refused-stream":              Connection,
	"net-reset-early":                 Connection,
	"net-reset-mid-once":              success,
	"no-apikey-json":                  Unauthorized,
	"ok-maxtokens":                    success,
	"ok-stream":                       success,
	"ok-stream-noverbose":             Usage,
	"ok-stream-partial":               success,
	"ok-tool-denied-json":             success,
	"ok-tool-stream":                  success,
	"ok-unicode":                      success,
	"prompt-arg-200k":                 Crashed, // the CLI was never started
	"prompt-dash-nosep":               Usage,
	"prompt-empty-arg":                Usage,
	"prompt-empty-stdin":              Usage,
	"prompt-stdin-11m":                Usage,
	"prompt-stream-json-bad":          Usage,
	"prompt-variadic-tools":           Usage,
	"schema-text-reply":               success, // without a schema
	"sess-03-resume-id":               success,
	"sess-04-continue":                success,
	"sess-06-resume-unknown-text":     Usage,
	"sess-09-resume-and-sessionid":    Usage,
	"sess-11-nopersist":               success,
	"sess-16-continue-otherdir":       success,
	"2.1.197 sess-17-resume-otherdir": Usage,
	"2.1.325 sess-17-resume-otherdir": success,
	"sigint-json":                     NoResult,
	"sigint-stream":                   NoResult,
	"2.1.197 sigint-tool-stream":      Interrupted,
	"2.1.325 sigint-tool-stream":      success, // the tool did not run, so the signal came late
	"sigterm-json":                    Crashed,
	"sigterm-midstream":               Crashed,
	"system-prompt":                   success,
	"tools-form0":                     success,
	"tools-form2":                     success,
	"tools-form3":                     success,
	"tools-form4":                     success,
	"tools-form5":                     success,
	"tools-form6":                     success,
	"tools-form8":                     success,
}

// TestRecorded judges the output of two versions of the real CLI. Ask makes no runs with plain text
// on stdout.
func TestRecorded(t *testing.T) {
	used := map[string]bool{}
	for _, version := range []string{"2.1.197", "2.1.325"} {
		data, err := os.ReadFile("testdata/claude-cli-" + version + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var runs []struct {
			Name   string `json:"name"`
			Exit   string `json:"exit_code"`
			Stdout string `json:"stdout"`
			Stderr string `json:"stderr"`
		}
		if err := json.Unmarshal(data, &runs); err != nil {
			t.Fatal(err)
		}
		for _, run := range runs {
			if run.Stdout != "" && !strings.HasPrefix(run.Stdout, "{") {
				continue
			}
			name := version + " " + run.Name
			want, ok := recorded[name]
			if !ok {
				name = run.Name
				want, ok = recorded[name]
			}
			if !ok {
				t.Errorf("%s %s: the table does not say what is expected", version, run.Name)
				continue
			}
			used[name] = true
			t.Run(version+" "+run.Name, func(t *testing.T) {
				exit, err := strconv.Atoi(strings.TrimSpace(run.Exit))
				if err != nil {
					exit = -1 // could not be started
				}
				got, failure := judgeText(run.Stdout, ending{exit: exit, stderr: run.Stderr})
				checkVerdict(t, got, failure, want)
			})
		}
	}
	for name := range recorded {
		if !used[name] {
			t.Errorf("%s: no such run was recorded", name)
		}
	}
}

func judgeText(stdout string, end ending) (answer, *Error) {
	var r record
	for line := range strings.Lines(stdout) {
		r.line([]byte(strings.TrimSuffix(line, "\n")), nil)
	}
	if end.now.IsZero() {
		end.now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	}
	return verdict(context.Background(), &r, end, nil)
}

func checkVerdict(t *testing.T, got answer, failure *Error, want Kind) {
	t.Helper()
	switch {
	case want == success && failure != nil:
		t.Errorf("failed: %v", failure)
	case want == success && got.text == "":
		t.Error("success without an answer")
	case want != success && failure == nil:
		t.Errorf("success: %q, want %s", got.text, want)
	case failure == nil:
	case failure.Kind != want || failure.Category != kinds[want].category || failure.Temporary() != kinds[want].passes:
		t.Errorf("%s/%s (%v), want %s/%s", failure.Category, failure.Kind, failure, kinds[want].category, want)
	case failure.Message == "":
		t.Error("a failure without words")
	}
}

// TestKinds compares the table of kinds with the documentation of each kind.
func TestKinds(t *testing.T) {
	for kind, want := range map[Kind]struct {
		category Category
		again    bool
	}{
		"rate-limited": {"rate-limit", true}, "overloaded": {"rate-limit", true},
		"usage-limit": {"quota", false}, "billing": {"quota", false},
		"auth":       {"auth", false},
		"connection": {"network", true}, "server-error": {"network", true},
		"api-timeout": {"timeout", true}, "idle": {"timeout", true}, "deadline": {"timeout", false},
		"bad-request": {"validation", false}, "too-large": {"validation", false}, "model": {"validation", false},
		"usage": {"validation", false}, "unknown-command": {"validation", false}, "schema": {"validation", false},
		"max-turns": {"logic", false}, "budget": {"logic", false}, "refusal": {"logic", false}, "max-output": {"logic", false},
		"directive-failed": {"logic", false}, "no-result": {"logic", true}, "crashed": {"logic", true}, "interrupted": {"logic", false},
		"transcript": {"logic", false},
	} {
		if got := kinds[kind]; got.category != want.category || got.passes != want.again || got.name == "" {
			t.Errorf("%s: %+v, want %+v", kind, got, want)
		}
	}
}

// result returns the text of a result event.
func resultLine(fields string) string {
	return `{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"OK","session_id":"s"` + fields + "}\n"
}

func TestVerdict(t *testing.T) {
	const initLine = `{"type":"system","subtype":"init","session_id":"s","model":"m"}` + "\n"
	errorLine := func(text, fields string) string {
		quoted, _ := json.Marshal(text)
		return `{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":` + string(quoted) + fields + "}\n"
	}
	for _, tt := range []struct {
		name   string
		stdout string
		exit   int
		stderr string
		want   Kind
	}{
		{"a good result stands, whatever the exit status", resultLine(""), 1, "boom", success},
		{"and even a kill", resultLine(""), 137, "", success},
		{"the last result counts", resultLine("") + errorLine("API Error: 500 x", ""), 0, "", ServerError},
		{"both ways", errorLine("API Error: 500 x", "") + resultLine(""), 0, "", success},
		{"what comes after it does not", resultLine("") + `{"type":"system","subtype":"task_updated"}` + "\n", 0, "", success},
		{"no newline at the end", strings.TrimSpace(resultLine("")), 0, "", success},
		{
			"type is not the first field",
			`{"a":{"type":"x"},"b":"type","is_error":false,"subtype":"success","num_turns":1,"result":"OK","type":"result"}`, 0, "",
			success,
		},
		{"blanks", ` { "type" : "result", "subtype": "success", "is_error": false, "num_turns": 1, "result": "OK" } `, 0, "", success},
		{"is_error is not there", `{"type":"result","subtype":"success","num_turns":1,"result":"OK"}`, 0, "", ServerError},
		{"is_error is no truth value", `{"type":"result","subtype":"success","is_error":"no","num_turns":1,"result":"OK"}`, 0, "",
			ServerError},
		{"a field of another type", resultLine(`,"errors":[{"x":1}],"stop_reason":7`), 0, "", success},
		{"torn", initLine + strings.TrimSpace(resultLine(""))[:60], 0, "", NoResult},
		{
			"a result inside a tool's output",
			initLine + `{"type":"user","message":{"content":[{"type":"tool_result","content":"{\"type\":\"result\"}"}]}}` + "\n", 0, "",
			NoResult,
		},
		{"nothing at all", "", 0, "", NoResult},
		{"only garbage", "hello\n\x00\xff\n[1]\n{}\nnull\n", 0, "", NoResult},
		{"garbage and a failure", "hello\n", 1, "", NoResult},
		{"crash", "", 1, "TypeError: x\n    at main (/app/cli.js:12:7)\n", Crashed},
		{"a failure in mid-stream", initLine, 1, "", NoResult},
		{"cannot log in", "", 1, "Not logged in · Please run /login", Unauthorized},

		{
			"prose decides nothing",
			resultLine(`,"x":1`) + `{"type":"assistant","message":{"content":[{"type":"text","text":"API Error: 429, you hit your limit"}]}}`,
			0, "", success,
		},
		{"usage limit, 429", errorLine("You've hit your session limit · resets 3:45pm (UTC)", `,"api_error_status":429`), 1, "",
			UsageLimit},
		{"usage limit, older", errorLine("Claude AI usage limit reached|1794744000", ""), 1, "", UsageLimit},
		{"usage limit, 400", errorLine("You have reached your weekly limit.", `,"api_error_status":400`), 1, "", UsageLimit},
		{"5-hour", errorLine("5-hour limit reached ∙ resets 3pm", ""), 1, "", UsageLimit},
		{"usage limit by its field", errorLine("new words", `,"api_error_status":429,"api_error":"usage_limit_reached"`), 1, "",
			UsageLimit},
		{"usage limit by its event", `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794747600}}` +
			"\n" + errorLine("new words", `,"api_error_status":429`), 1, "", UsageLimit},
		{"near the usage limit", `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning"}}` + "\n" +
			errorLine("new words", `,"api_error_status":429`), 1, "", RateLimited},
		{"the service's name of the error", errorLine("new words", `,"api_error_type":"overloaded_error"`), 1, "", Overloaded},
		{
			"a rate is no usage limit",
			errorLine("API Error: Request rejected (429) · You have reached your per-minute rate limit.", `,"api_error_status":429`), 1, "",
			RateLimited,
		},
		{"nor is the context", errorLine("You have reached your context limit: reset the conversation", `,"api_error_status":400`), 1,
			"", BadRequest},
		{"exceeded is not hit", errorLine("API Error: Request rejected (429) · This request would exceed your account's rate limit.",
			""), 1, "", RateLimited},
		{"the status wins over the text", errorLine("API Error: Overloaded", `,"api_error_status":500`), 1, "", ServerError},
		{"a 400 that speaks of 429", errorLine("API Error: 400 field 429: connection refused", `,"api_error_status":400`), 1, "",
			BadRequest},
		{"too long", errorLine("Prompt is too long · the request is ~250000 tokens",
			`,"api_error_status":400,"terminal_reason":"prompt_too_long"`), 1, "", TooLarge},
		{"too long by text", errorLine("Prompt is too long", ""), 1, "", TooLarge},
		{"408", errorLine("API Error: 408 Request timeout", `,"api_error_status":408`), 1, "", APITimeout},
		{"409", errorLine("API Error: 409 Conflict", `,"api_error_status":409`), 1, "", ServerError},
		{"422", errorLine("API Error: 422 what", `,"api_error_status":422`), 1, "", BadRequest},
		{"529 by text", errorLine("API Error: Repeated 529 Overloaded errors. The API is at capacity", ""), 1, "", Overloaded},
		{"refusal", errorLine("API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy",
			`,"stop_reason":"refusal"`), 1, "", Refusal},
		{"refusal by its field", errorLine("some new text", `,"stop_reason":"refusal"`), 1, "", Refusal},
		{"max output", errorLine("API Error: Claude's response exceeded the 64000 output token maximum.", ""), 1, "", MaxOutput},
		{"a new text", errorLine("Something else went wrong", `,"terminal_reason":"api_error"`), 1, "", ServerError},
		{"structured output", `{"type":"result","subtype":"error_max_structured_output_retries","is_error":true,"num_turns":6,"errors":["no"]}`, 1, "", SchemaNotMet},
		{
			"terminal reason of a new subtype",
			`{"type":"result","subtype":"error_new","is_error":true,"num_turns":6,"errors":["no"],"terminal_reason":"max_turns"}`, 1, "",
			MaxTurns,
		},
		{
			"an unknown session",
			`{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"errors":["No conversation found with session ID: x"]}`,
			1, "", Usage,
		},
		{
			"the message's error",
			`{"type":"assistant","message":{"model":"<synthetic>"},"error":"rate_limit"}` + "\n" + errorLine("new words", ""), 1, "",
			RateLimited,
		},
		{"an error of a message before the last", `{"type":"assistant","message":{"model":"<synthetic>"},"error":"rate_limit"}` + "\n" +
			`{"type":"assistant","message":{"model":"m"}}` + "\n" + errorLine("new words", ""), 1, "", ServerError},
		{
			"what was tried again",
			`{"type":"system","subtype":"api_retry","error_status":529,"retry_delay_ms":10}` + "\n" + errorLine("new words", ""), 1, "",
			Overloaded,
		},

		{"directive, 2.1.197", `{"type":"user","message":{"role":"user",` +
			`"content":"<local-command-stderr>Error: Shell command failed for pattern \"x\": [stderr]\nE</local-command-stderr>"},"isReplay":true}` +
			"\n" + `{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":""}`, 0, "", DirectiveFailed},
		{
			"directive, 2.1.325",
			`{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":"Shell command failed for pattern \"x\": [stderr]\nout"}`,
			0, "", DirectiveFailed,
		},
		{
			"directive, not permitted",
			`{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":"Shell command permission check failed for pattern \"x\": no"}`,
			0, "", DirectiveFailed,
		},
		{"unknown command", `{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":"Unknown command: /nosuch"}`,
			0, "", UnknownCommand},
		{"/context", `{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":"## Context"}`, 0, "", Usage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, failure := judgeText(tt.stdout, ending{exit: tt.exit, stderr: tt.stderr})
			checkVerdict(t, got, failure, tt.want)
		})
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		text string
		want time.Duration
	}{
		{"rate limited, retry after 30s", 30 * time.Second},
		{"please try again in 2 minutes", 2 * time.Minute},
		{"limit resets in 1 hour 30 minutes", 90 * time.Minute},
		{"limit resets in 2h 5m", 125 * time.Minute},
		{"retry after 1.5 seconds", 1500 * time.Millisecond},
		{"try again in a moment", 0},
		{"You've hit your limit · resets 3:45pm (UTC)", 225 * time.Minute},
		{"You've hit your limit · resets 3pm", 3 * time.Hour},
		{"You've hit your limit · resets at 11am", 23 * time.Hour},
		{"You've hit your limit · resets 12am", 12 * time.Hour},
		{"You've hit your limit · resets 14:30", 150 * time.Minute},
		{"You've hit your limit · resets Nov 17 at 5pm (UTC)", 53 * time.Hour},
		{"You've hit your limit · resets November 17, 5pm (UTC)", 53 * time.Hour},
		{"You've hit your limit · resets 3pm (Nowhere/Land)", 0},
		{"You've hit your limit · resets 25:00", 0},
		{"You've hit your limit · resets 7", 0},
		{"Claude AI usage limit reached|1794744000", time.Unix(1794744000, 0).Sub(now)},
		{"Claude AI usage limit reached|1000000000", 0},
		{"limit, try again in 99999999999999999999 hours", maxWait},
		{"", 0},
	} {
		if got := askedFor(tt.text, now); got != tt.want {
			t.Errorf("askedFor(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
	if got := askedFor("resets 3:30pm (Europe/Berlin)", now); got != 0 && got != 150*time.Minute { // 0 where the system has no time zones
		t.Errorf("in Berlin: %v", got)
	}
}

// TestRetryAfterOfEvents checks that a failure has the wait that the service asked for, if a wait
// makes sense for it.
func TestRetryAfterOfEvents(t *testing.T) {
	_, e := judgeText(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794747600}}`+"\n"+
		`{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":"resets 3pm","api_error_status":429}`, ending{exit: 1})
	if e == nil || e.RetryAfter != time.Hour {
		t.Errorf("a limit that resets in an hour: %v", e)
	}
	const retried = `{"type":"system","subtype":"api_retry","retry_delay_ms":%,"error_status":429,"error":"rate_limit"}` + "\n"
	for _, tt := range []struct {
		status, delay string
		want          time.Duration
	}{
		{"429", "1500.5", 1500500 * time.Microsecond},
		{"401", "1500", 0},
		{"429", "-1", 0},
		{"429", "1e300", 1e12 * time.Millisecond},
	} {
		_, e := judgeText(strings.Replace(retried, "%", tt.delay, 1)+
			`{"type":"result","subtype":"success","is_error":true,"num_turns":1,"result":"x","api_error_status":`+tt.status+"}\n",
			ending{exit: 1})
		if e == nil || e.RetryAfter != tt.want {
			t.Errorf("%s after %s ms: %v, want %v", tt.status, tt.delay, e, tt.want)
		}
	}
}

// TestTexts checks the CLI's messages for failures without fields.
func TestTexts(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Kind
	}{
		{"API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.", UsageLimit},
		{"API Error: 429 Your organization has exceeded its monthly spend limit.", UsageLimit},
		{"API Error: 400 Your credit balance is too low to access the API.", Billing},
		{"Your credit balance is too low", Billing},
		{"Your ANTHROPIC_API_KEY belongs to a disabled organization", Unauthorized},
		{"API Error: The operation timed out", APITimeout},
		{"API Error: Connection timed out", APITimeout},
		{"API Error (429 rate_limit_error): x", RateLimited},
	} {
		r := &record{result: &result{Text: tt.text}}
		if got := apiKind(r, tt.text); got != tt.want {
			t.Errorf("%q is %s, want %s", tt.text, got, tt.want)
		}
	}
	for _, tt := range []struct {
		stderr, stdout string
		want           Kind
	}{
		{"error: unknown option '--overloaded'", "", Usage},
		{"error: option '--x <rate-limit>' argument invalid", "", Usage},
		{"", "Not logged in · Please run /login", Unauthorized},
		{"Error: connect ECONNREFUSED 127.0.0.1:1", "", Connection},
		{"", "", NoResult},
	} {
		if got := noResult(&record{plain: []byte(tt.stdout)}, ending{exit: 1, stderr: tt.stderr}); got.Kind != tt.want {
			t.Errorf("stderr %q, stdout %q: %s, want %s", tt.stderr, tt.stdout, got.Kind, tt.want)
		}
	}
}

func TestBadSchemas(t *testing.T) {
	for _, text := range []string{
		`{"type":"strng"}`, `{"properties":{"a":{"type":"int"}}}`, `{"items":{"type":"Integer"}}`, `{"type":["integer","nope"]}`,
		`{"minLength":-1}`, `{"anyOf":[{"maxItems":1.5}]}`,
	} {
		if _, err := newSchema([]byte(text)); err == nil {
			t.Errorf("%s is taken for a schema", text)
		}
	}
	for _, text := range []string{
		`{"properties":{"type":{"type":"string"},"minLength":{"type":"integer"}}}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"integer"}`,
	} {
		s, err := newSchema([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if strings.Contains(text, `"type":"integer"}`) && !strings.Contains(text, "properties") &&
			(s.check(context.Background(), []byte("1")) != nil || s.check(context.Background(), []byte(`"x"`)) == nil) {
			t.Errorf("%s judges wrongly", text)
		}
	}
}

// TestLateResult checks that output from the moment after the CLI was stopped is not its answer.
func TestLateResult(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := newStdout(ctx, nil, 0, nil)
	cancel()
	if _, err := out.Write([]byte(`{"type":"result","subtype":"success","result":"stopped well"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	if rec := out.finish(); rec.result != nil {
		t.Errorf("result: %+v", rec.result)
	}
}
