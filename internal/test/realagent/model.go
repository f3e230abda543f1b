package realagent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A Request is a request of an agent to the model.
type Request struct {
	Path string
	Body string // as JSON

	Tools   []string // the names of the tools that the model may call
	Results int      // how many results of tools it contains
	After   bool     // it contains results of tools
}

// An Answer is the model's reaction. The zero Answer contains nothing.
type Answer struct {
	Text   string
	Tool   string // the tool to call
	Input  any    // the input of the tool
	Status int    // the HTTP status of an error; 0 means no error
	Hang   bool   // the model sends nothing more
	Cut    bool   // the connection breaks after half of the answer
	Half   bool   // the answer ends in the middle, as if it were complete
	Full   bool   // the answer has reached the output limit
	Tokens int    // the input tokens; 0 means 1000
	Page   string // an HTML page to send instead of an answer, with status 200
	Quota  bool   // with Status: the error says that the quota is used up
}

// A Model is a server on 127.0.0.1 that speaks OpenAI's chat completions and Responses, and
// Gemini's protocol. A test chooses its answers and sees the requests. It stops when its test ends.
type Model struct {
	URL string // without a path

	play func(Request) Answer

	mu       sync.Mutex
	requests []Request
}

// NewModel starts a model whose answers play returns.
func NewModel(t testing.TB, play func(Request) Answer) *Model {
	t.Helper()
	m := &Model{play: play}
	ended, end := context.WithCancel(context.Background())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.serve(ended, w, r) }))
	m.URL = server.URL
	t.Cleanup(func() {
		end()
		server.CloseClientConnections()
		server.Close()
	})
	return m
}

// Requests returns the requests so far.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Sent reports whether some request contained a text.
func (m *Model) Sent(text string) bool {
	return slices.ContainsFunc(m.Requests(), func(q Request) bool { return strings.Contains(q.Body, text) })
}

func (m *Model) serve(ended context.Context, w http.ResponseWriter, r *http.Request) {
	p := protocolOf(r.URL.Path)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the agent is gone
	}
	if p == nil || r.Method != http.MethodPost {
		other(w, r)
		return
	}
	var plain bytes.Buffer
	if json.Compact(&plain, body) != nil {
		http.Error(w, `{"error":{"message":"not JSON"}}`, http.StatusBadRequest)
		return
	}
	q := Request{Path: r.URL.Path, Body: plain.String()}
	q.Tools, q.Results = p.read(body)
	q.After = q.Results > 0
	m.mu.Lock()
	m.requests = append(m.requests, q)
	m.mu.Unlock()
	a := m.play(q)
	switch {
	case a.Hang:
		select {
		case <-ended.Done():
		case <-r.Context().Done():
		}
	case a.Page != "":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, a.Page)
	case a.Quota:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Status)
		fmt.Fprint(w, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota",`+
			`"param":null,"code":"insufficient_quota"}}`)
	case a.Status != 0:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Status)
		fmt.Fprintf(w, `{"error":{"message":"played %d","type":"played","code":%d,"status":"PLAYED"}}`, a.Status, a.Status)
	case !streams(r, body):
		w.Header().Set("Content-Type", "application/json")
		w.Write(p.whole(a))
	default:
		stream(w, p.events(a), a)
	}
}

// streams reports whether the request asks for a stream.
func streams(r *http.Request, body []byte) bool {
	var q struct{ Stream bool }
	_ = json.Unmarshal(body, &q) // Compact has already accepted it
	return q.Stream || strings.HasSuffix(r.URL.Path, ":streamGenerateContent")
}

func stream(w http.ResponseWriter, events []string, a Answer) {
	w.Header().Set("Content-Type", "text/event-stream")
	switch {
	case a.Half && a.Text == "":
		events = nil
	case a.Half:
		events = events[:1]
	case a.Cut:
		events = events[:(len(events)+1)/2]
	}
	for _, e := range events {
		fmt.Fprint(w, e+"\n\n")
	}
	w.(http.Flusher).Flush()
	if a.Cut {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err) // cannot happen: every connection of this server can be taken over
		}
		conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}
}

// other answers requests that are not questions to the model, for example for lists of models.
func other(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprint(w, `{"object":"list","data":[{"id":"m","object":"model"}],"models":[]}`)
	case strings.HasSuffix(r.URL.Path, ":countTokens"):
		fmt.Fprint(w, `{"totalTokens":10}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"message":"nothing is here"}}`)
	}
}
