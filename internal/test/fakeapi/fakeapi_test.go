package fakeapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// post sends a request and returns the response and the readable part of its body.
func post(ctx context.Context, a *API, path, body string) (*http.Response, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("X-Claude-Code-Session-Id", "s1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return resp, string(data), err
}

const (
	streamed = `{"model": "m", "stream": true, "messages": [{"role": "user", "content": "hello"}]}`
	whole    = `{"model": "m", "messages": [{"role": "user", "content": "hello"}]}`
)

// A reply is a message as a client sees it, streamed or whole.
type reply struct {
	Text  string
	Calls []string // NAME INPUT
	Stop  string
	Input int
}

func ask(t *testing.T, a *API, body string) reply {
	t.Helper()
	resp, data, err := post(t.Context(), a, "/v1/messages?beta=true", body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v: %s", resp, err, data)
	}
	if strings.Contains(body, `"stream"`) {
		return assemble(t, data)
	}
	var msg struct {
		Content []struct {
			Text, Name string
			Input      json.RawMessage
		}
		StopReason string `json:"stop_reason"`
		Usage      struct {
			Input int `json:"input_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(data), &msg); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	r := reply{Stop: msg.StopReason, Input: msg.Usage.Input}
	for _, b := range msg.Content {
		r.Text += b.Text
		if b.Name != "" {
			r.Calls = append(r.Calls, b.Name+" "+string(b.Input))
		}
	}
	return r
}

// assemble reads a stream as far as it goes.
func assemble(t *testing.T, data string) reply {
	t.Helper()
	var r reply
	for lines := bufio.NewScanner(strings.NewReader(data)); lines.Scan(); {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type    string
			Message struct {
				Usage struct {
					Input int `json:"input_tokens"`
				}
			}
			Block struct{ Name string } `json:"content_block"`
			Delta struct {
				Text        string
				PartialJSON string `json:"partial_json"`
				StopReason  string `json:"stop_reason"`
			}
			Error struct{ Type, Message string }
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		switch e.Type {
		case "message_start":
			r.Input = e.Message.Usage.Input
		case "content_block_start":
			if e.Block.Name != "" {
				r.Calls = append(r.Calls, e.Block.Name+" ")
			}
		case "content_block_delta":
			r.Text += e.Delta.Text
			if e.Delta.PartialJSON != "" {
				r.Calls[len(r.Calls)-1] += e.Delta.PartialJSON
			}
		case "message_delta":
			r.Stop = e.Delta.StopReason
		case "error":
			r.Stop = "error: " + e.Error.Type + ": " + e.Error.Message
		}
	}
	return r
}

func TestMessages(t *testing.T) {
	tests := []struct {
		name   string
		answer Answer
		want   reply
	}{
		{"text", Text("héllo <b> & all"), reply{Text: "héllo <b> & all", Stop: "end_turn", Input: 1}},
		{"nothing", Message{}, reply{Stop: "end_turn", Input: 1}},
		{"one letter", Text("x"), reply{Text: "x", Stop: "end_turn", Input: 1}},
		{"a tool", Use("Bash", map[string]string{"command": "ls"}),
			reply{Calls: []string{`Bash {"command":"ls"}`}, Stop: "tool_use", Input: 1}},
		{"two tools at once", Message{Text: "so", Calls: []Call{{"A", json.RawMessage(`{"n":1}`)}, {"B", struct{}{}}}},
			reply{Text: "so", Calls: []string{`A {"n":1}`, `B {}`}, Stop: "tool_use", Input: 1}},
		{"stop reason and usage", Message{Text: "x", Stop: "max_tokens", Usage: Usage{Input: 190_000}},
			reply{Text: "x", Stop: "max_tokens", Input: 190_000}},
		{"chosen by the request", Func(func(q *Request) Answer { return Text(q.Prompt() + " yourself") }),
			reply{Text: "hello yourself", Stop: "end_turn", Input: 1}},
		{"slowly", Trickle(Text("one two"), time.Millisecond), reply{Text: "one two", Stop: "end_turn", Input: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := New(t, tt.answer, tt.answer)
			for _, body := range []string{streamed, whole} {
				if diff := cmp.Diff(tt.want, ask(t, a, body)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", body, diff)
				}
			}
		})
	}
}

func TestOrder(t *testing.T) {
	a := New(t, Text("1"))
	a.Script(Text("2"), Text("never asked for"))
	a.Handle(func(q *Request) Answer {
		if q.Number == 1 {
			return Text("mine")
		}
		return nil
	})
	var got []string
	for range 3 {
		got = append(got, ask(t, a, streamed).Text)
	}
	if want := []string{"1", "mine", "2"}; !slices.Equal(got, want) {
		t.Errorf("answers %q, want %q", got, want)
	}
	if n := a.Unused(); n != 1 {
		t.Errorf("%d answers are unused", n)
	}
	if got := ask(t, New(t), whole).Text; got != "ok" {
		t.Errorf("without a script: %q", got)
	}
}

func TestStatus(t *testing.T) {
	a := New(t,
		Status(429, "slow down", "Retry-After", "7"),
		Status(500, "oh"),
		Raw(200, "<html>not you</html>", "Content-Type", "text/html"),
		Raw(200, ""))
	for _, want := range []struct {
		code       int
		body       string
		retryAfter string
	}{
		{429, `{"error":{"message":"slow down","type":"rate_limit_error"},"type":"error"}`, "7"},
		{500, `{"error":{"message":"oh","type":"api_error"},"type":"error"}`, ""},
		{200, "<html>not you</html>", ""},
		{200, "", ""},
	} {
		resp, body, err := post(t.Context(), a, "/v1/messages", streamed)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != want.code || body != want.body || resp.Header.Get("Retry-After") != want.retryAfter {
			t.Errorf("got %d %s %q, want %+v", resp.StatusCode, body, resp.Header, want)
		}
	}
}

func TestOtherPaths(t *testing.T) {
	a := New(t)
	for _, tt := range []struct {
		path, body string
		code       int
		want       string
	}{
		{"/v1/messages/count_tokens", whole, 200, `{"input_tokens":`},
		{"/api/hello", "", 404, `{"error":{"message":"no /api/hello here","type":"not_found_error"},"type":"error"}`},
		{"/v1/messages", "{", 400, `{"error":{"message":"request: unexpected end of JSON input","type":"invalid_request_error"},"type":"error"}`},
	} {
		resp, body, err := post(t.Context(), a, tt.path, tt.body)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != tt.code || !strings.HasPrefix(body, tt.want) {
			t.Errorf("%s: got %d %s, want %d %s", tt.path, resp.StatusCode, body, tt.code, tt.want)
		}
	}
	if got, want := a.Other(), []string{"POST /v1/messages/count_tokens", "POST /api/hello"}; !slices.Equal(got, want) {
		t.Errorf("others: %q, want %q", got, want)
	}
	if len(a.Requests()) != 0 || a.Last() != nil {
		t.Error("none of these is a request to the model")
	}
}

// TestBrokenConnections: a broken connection gives the client an error, before or in the middle of
// the message.
func TestBrokenConnections(t *testing.T) {
	m := Text("one two three four")
	for _, tt := range []struct {
		name   string
		answer Answer
		err    error
		some   bool // a part of the body came first
	}{
		{"drop", Drop(), io.EOF, false},
		{"reset", Reset(m), syscall.ECONNRESET, true},
		{"stall", Stall(m), context.DeadlineExceeded, true},
		{"hang", Hang(), context.DeadlineExceeded, false},
	} {
		for _, body := range []string{streamed, whole} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				a := New(t, tt.answer)
				ctx := t.Context()
				if errors.Is(tt.err, context.DeadlineExceeded) {
					var cancel func()
					ctx, cancel = context.WithTimeout(ctx, 5*time.Second) // any data arrives before that
					defer cancel()
				}
				_, got, err := post(ctx, a, "/v1/messages", body)
				if !errors.Is(err, tt.err) {
					t.Errorf("error %v, want %v", err, tt.err)
				}
				if (got != "") != tt.some || json.Valid([]byte(got)) || strings.Contains(got, "message_stop") {
					t.Errorf("got %q", got)
				}
				if body == streamed && tt.some && assemble(t, got).Text != "one two t" {
					t.Errorf("a half of the message: %q", got)
				}
			})
		}
	}
}

func TestStreamError(t *testing.T) {
	m := Text("onetwo")
	a := New(t, StreamError(Message{}, "overloaded_error", "Overloaded"), StreamError(m, "overloaded_error", "Overloaded"))
	for _, text := range []string{"", "one"} {
		if got, want := ask(t, a, streamed), "error: overloaded_error: Overloaded"; got.Stop != want || got.Text != text {
			t.Errorf("got %+v, want %q and %s", got, text, want)
		}
	}
	a.Script(StreamError(m, "overloaded_error", "Overloaded"))
	if resp, _, err := post(t.Context(), a, "/v1/messages", whole); err != nil || resp.StatusCode != 529 {
		t.Errorf("without a stream: %v, %v", resp, err)
	}
}

func TestRefuse(t *testing.T) {
	a := New(t)
	ask(t, a, whole)
	a.Refuse()
	a.Refuse()
	if _, _, err := post(t.Context(), a, "/v1/messages", whole); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("error: %v", err)
	}
	for range 2 {
		if err := a.Resume(); err != nil {
			t.Fatal(err)
		}
	}
	ask(t, a, whole)
}

// TestEnds checks that nothing of the API is left after its test, whatever it was doing.
func TestEnds(t *testing.T) {
	var clients sync.WaitGroup
	t.Run("busy", func(t *testing.T) {
		answers := []Answer{Hang(), Stall(Text("x")), Trickle(Text("x"), time.Hour)}
		a := New(t, answers...)
		for range answers {
			clients.Go(func() { post(context.Background(), a, "/v1/messages", streamed) })
		}
		for len(a.Requests()) < len(answers) {
			time.Sleep(time.Millisecond)
		}
	})
	clients.Wait()
	// A handler that has reported its end must still return. A handler that hangs never reports.
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		if !strings.Contains(string(stacks), "fakeapi.(*API)") && !strings.Contains(string(stacks), "http.(*Server).Serve(") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still at work:\n%s", stacks)
		}
	}
}

// conversation has a tool's result and a system message in the middle.
const conversation = `{
	"model": "opus",
	"stream": true,
	"system": [{"type": "text", "text": "You are."}],
	"tools": [{"name": "Bash", "description": "d", "input_schema": {"type": "object"}}],
	"messages": [
		{"role": "user", "content": "list files"},
		{"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]},
		{"role": "user", "content": [
			{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [{"type": "text", "text": "no ls"}]},
			{"type": "text", "text": "BODY and BODY"}]},
		{"role": "system", "content": "mind the BODY"}
	]
}`

func TestRequest(t *testing.T) {
	a := New(t)
	ask(t, a, conversation)
	q := a.Last()
	if q.Model != "opus" || !q.Stream || q.Session != "s1" || q.Agent != "" || !q.HasTool("Bash") || q.HasTool("Edit") {
		t.Errorf("request: %+v", q)
	}
	if diff := cmp.Diff([]string{"You are.", "list files", "no ls", "BODY and BODY", "mind the BODY"}, q.Texts()); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"BODY and BODY", "mind the BODY"}, q.Find("BODY")); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	if n := q.Count("BODY"); n != 3 {
		t.Errorf("BODY is there %d times", n)
	}
	if got := q.Prompt(); got != "BODY and BODY" {
		t.Errorf("prompt: %q", got)
	}
	results := q.Results()
	if len(results) != 1 || results[0].ToolUseID != "t1" || !results[0].IsError || results[0].Said() != "no ls" {
		t.Errorf("results: %+v", results)
	}
	if use := q.Messages[1].Content[0]; use.ID != "t1" || use.Name != "Bash" || string(use.Input) != `{"command": "ls"}` {
		t.Errorf("tool use: %+v", use)
	}
}

func TestNews(t *testing.T) {
	a := New(t)
	send := func(texts ...string) {
		t.Helper()
		content := []map[string]string{}
		for _, text := range texts {
			content = append(content, map[string]string{"type": "text", "text": text})
		}
		ask(t, a, string(encode(map[string]any{"messages": []any{map[string]any{"role": "user", "content": content}}})))
	}
	send("a BODY")
	send("a BODY\n", "next")           // the text before gets a newline
	send("a BODY\n", "next", "a BODY") // the same text again
	send("summary", "a BODY")          // after a compaction
	if got, want := a.Sent("BODY"), []int{1, 0, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
	if got := a.News(a.Last()); !slices.Equal(got, []string{"summary"}) {
		t.Errorf("news: %q", got)
	}
	// Another agent has not seen anything yet.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL+"/v1/messages",
		strings.NewReader(string(a.Requests()[0].Body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Claude-Code-Session-Id", "s1")
	req.Header.Set("X-Claude-Code-Agent-Id", "a1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if q := a.Last(); q.Agent != "a1" || len(a.News(q)) != 1 {
		t.Errorf("agent %q, news %q", q.Agent, a.News(q))
	}
}
