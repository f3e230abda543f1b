package fakeapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"
)

// An Answer is the API's reaction to a request: it sends a Message, fails in some way, or lets a
// Func decide.
type Answer interface {
	answer(x *exchange)
}

// A Func chooses an answer by looking at the request. If it returns nil, the answer is "ok".
type Func func(q *Request) Answer

func (f Func) answer(x *exchange) {
	a := f(x.request)
	if a == nil {
		a = Text("ok")
	}
	a.answer(x)
}

// A Message is an answer of the model. The zero Message contains nothing and ends the turn.
type Message struct {
	Text  string
	Calls []Call // sent after the text, all at once
	Stop  string // the stop reason; "" means tool_use with calls, end_turn without
	Usage Usage
}

// A Call is a use of a tool. An answer to --json-schema is a call of StructuredOutput.
type Call struct {
	Name  string
	Input any // as encoding/json would write it
}

// Usage says how many tokens a message took. 0 for Input or Output means 1.
type Usage struct {
	Input      int
	Output     int
	CacheRead  int
	CacheWrite int // kept for five minutes

	CacheWrite1 int    // kept for an hour
	Searches    int    // searches of the web
	Speed, Geo  string // where and how fast the model answered; "" leaves it out
}

// Text returns a message that says text.
func Text(text string) Message { return Message{Text: text} }

// Use returns a message that calls a tool.
func Use(tool string, input any) Message {
	return Message{Calls: []Call{{Name: tool, Input: input}}}
}

func (m Message) answer(x *exchange) {
	if x.request.Stream {
		for _, event := range x.events(m) {
			x.write(event)
		}
		return
	}
	x.w.Header().Set("Content-Type", "application/json")
	x.w.Write(x.whole(m))
}

// Status answers with an HTTP status and the API's usual error body. header lists names and values
// in turn, as in Status(429, "slow down", "Retry-After", "1").
func Status(code int, message string, header ...string) Answer {
	body := encode(errorBody(errorType(code), message))
	return Raw(code, string(body), append([]string{"Content-Type", "application/json"}, header...)...)
}

// Raw answers with any status and body: a proxy's page, garbage, or nothing at all.
func Raw(code int, body string, header ...string) Answer {
	return answerFunc(func(x *exchange) {
		for pair := range slices.Chunk(header, 2) {
			x.w.Header().Set(pair[0], pair[1])
		}
		x.w.WriteHeader(code)
		fmt.Fprint(x.w, body)
	})
}

// Drop closes the connection without an answer. To refuse connections, see API.Refuse.
func Drop() Answer {
	return answerFunc(func(x *exchange) { x.hangUp(false) })
}

// Hang sends nothing, not even headers, until the client gives up or the test ends.
func Hang() Answer {
	return answerFunc(func(x *exchange) { <-x.ctx.Done() })
}

// Reset sends the first half of m, then resets the connection.
func Reset(m Message) Answer {
	return answerFunc(func(x *exchange) {
		x.half(m)
		x.hangUp(true)
	})
}

// Stall sends the first half of m, then nothing more until the client gives up or the test ends.
func Stall(m Message) Answer {
	return answerFunc(func(x *exchange) {
		x.half(m)
		<-x.ctx.Done()
	})
}

// StreamError sends the first half of m and then an error event. With the zero Message it sends
// only the error. If the request does not ask for a stream, the error becomes a status.
func StreamError(m Message, kind, message string) Answer {
	return answerFunc(func(x *exchange) {
		if !x.request.Stream {
			Raw(statusOf(kind), string(encode(errorBody(kind, message))), "Content-Type", "application/json").answer(x)
			return
		}
		if m.Text != "" || m.Calls != nil {
			x.half(m)
		}
		x.write(event("error", errorBody(kind, message)))
	})
}

// Trickle sends all of m in pieces, with a pause before each.
func Trickle(m Message, pause time.Duration) Answer {
	return answerFunc(func(x *exchange) {
		for _, piece := range x.pieces(m) {
			select {
			case <-x.ctx.Done():
				return
			case <-time.After(pause):
			}
			x.write(piece)
		}
	})
}

type answerFunc func(x *exchange)

func (f answerFunc) answer(x *exchange) { f(x) }

// An exchange is a request that is being answered.
type exchange struct {
	ctx     context.Context // ends when the client gives up or the test ends
	w       http.ResponseWriter
	request *Request
}

// write sends a part of the body immediately.
func (x *exchange) write(part []byte) {
	if x.request.Stream {
		x.w.Header().Set("Content-Type", "text/event-stream")
	} else {
		x.w.Header().Set("Content-Type", "application/json")
	}
	x.w.Write(part)
	http.NewResponseController(x.w).Flush()
}

// half sends the first half of m. For a stream it sends half of the events, so that the client has
// seen the beginning of the content; otherwise it sends half of the bytes.
func (x *exchange) half(m Message) {
	pieces := x.pieces(m)
	for _, piece := range pieces[:len(pieces)/2] {
		x.write(piece)
	}
}

// hangUp ends the connection, in the usual way or with a reset.
func (x *exchange) hangUp(reset bool) {
	conn, _, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the server then closes the connection itself
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		tcp.SetLinger(0)
	}
	conn.Close()
}

// pieces splits the answer into parts that can be sent one by one.
func (x *exchange) pieces(m Message) [][]byte {
	if x.request.Stream {
		return x.events(m)
	}
	whole := x.whole(m)
	return slices.Collect(slices.Chunk(whole, len(whole)/8+1))
}

// whole returns the answer to a request that does not ask for a stream.
func (x *exchange) whole(m Message) []byte {
	content := []any{}
	if m.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": m.Text})
	}
	for i, call := range m.Calls {
		content = append(content, map[string]any{"type": "tool_use", "id": x.toolID(i), "name": call.Name, "input": call.Input})
	}
	msg := x.envelope(m)
	msg["content"] = content
	msg["stop_reason"] = m.stop()
	return encode(msg)
}

// events returns the answer as a stream. A text consists of two deltas, so that there is a middle.
func (x *exchange) events(m Message) [][]byte {
	events := [][]byte{event("message_start", map[string]any{"type": "message_start", "message": x.envelope(m)})}
	index := 0
	block := func(start any, deltas ...any) {
		events = append(events, event("content_block_start",
			map[string]any{"type": "content_block_start", "index": index, "content_block": start}))
		for _, delta := range deltas {
			events = append(events, event("content_block_delta",
				map[string]any{"type": "content_block_delta", "index": index, "delta": delta}))
		}
		events = append(events, event("content_block_stop", map[string]any{"type": "content_block_stop", "index": index}))
		index++
	}
	if m.Text != "" {
		runes := []rune(m.Text)
		delta := func(text []rune) any { return map[string]any{"type": "text_delta", "text": string(text)} }
		block(map[string]any{"type": "text", "text": ""}, delta(runes[:len(runes)/2]), delta(runes[len(runes)/2:]))
	}
	for i, call := range m.Calls {
		block(map[string]any{"type": "tool_use", "id": x.toolID(i), "name": call.Name, "input": map[string]any{}},
			map[string]any{"type": "input_json_delta", "partial_json": string(encode(call.Input))})
	}
	return append(events,
		event("message_delta", map[string]any{
			"type":  "message_delta",
			"delta": map[string]any{"stop_reason": m.stop(), "stop_sequence": nil},
			"usage": map[string]int{"output_tokens": max(m.Usage.Output, 1)},
		}),
		event("message_stop", map[string]any{"type": "message_stop"}))
}

// envelope returns a message without its content.
func (x *exchange) envelope(m Message) map[string]any {
	usage := map[string]any{
		"input_tokens": max(m.Usage.Input, 1), "output_tokens": max(m.Usage.Output, 1), "cache_read_input_tokens": m.Usage.CacheRead,
		"cache_creation_input_tokens": m.Usage.CacheWrite + m.Usage.CacheWrite1,
		"cache_creation": map[string]int{"ephemeral_5m_input_tokens": m.Usage.CacheWrite,
			"ephemeral_1h_input_tokens": m.Usage.CacheWrite1},
	}
	if m.Usage.Searches > 0 {
		usage["server_tool_use"] = map[string]int{"web_search_requests": m.Usage.Searches}
	}
	if m.Usage.Speed != "" {
		usage["speed"] = m.Usage.Speed
	}
	if m.Usage.Geo != "" {
		usage["inference_geo"] = m.Usage.Geo
	}
	return map[string]any{
		"id": fmt.Sprintf("msg_%d", x.request.Number), "type": "message", "role": "assistant", "model": x.request.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}
}

func (x *exchange) toolID(i int) string { return fmt.Sprintf("toolu_%d_%d", x.request.Number, i) }

func (m Message) stop() string {
	switch {
	case m.Stop != "":
		return m.Stop
	case len(m.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func event(name string, data any) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, encode(data))
}

// encode writes v as JSON and keeps <, > and & readable. If a test's value has no JSON form, that
// is an error in the test.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("fakeapi: answer: %v", err))
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

func errorBody(kind, message string) any {
	return map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": message}}
}

// kinds maps HTTP statuses to the API's names of errors.
var kinds = map[int]string{
	400: "invalid_request_error",
	401: "authentication_error",
	402: "billing_error",
	403: "permission_error",
	404: "not_found_error",
	413: "request_too_large",
	429: "rate_limit_error",
	504: "timeout_error",
	529: "overloaded_error",
}

func errorType(code int) string {
	if kind, ok := kinds[code]; ok {
		return kind
	}
	if code < 500 {
		return kinds[400]
	}
	return "api_error"
}

func statusOf(kind string) int {
	for code, k := range kinds {
		if k == kind {
			return code
		}
	}
	return http.StatusInternalServerError
}
