// Package fakeapi is a Messages API on 127.0.0.1 for tests: it says what a test tells it to say,
// fails as a test tells it to fail, and remembers what it was sent.
//
// A test scripts the answers in advance (Script), or chooses each answer by looking at the request
// (Handle). The Claude CLI also sends requests that the test does not expect, so a request without
// a scripted answer gets "ok".
package fakeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// An API is a running server. It ends with its test.
type API struct {
	URL string // the value for ANTHROPIC_BASE_URL, without a slash at its end

	server   *http.Server
	ended    context.Context
	handlers sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener // nil while connections are refused
	handle   Func
	script   []Answer
	requests []*Request
	other    []string
}

// New starts an API that answers with the given script. It stops with the test, even if an answer
// still hangs.
func New(t testing.TB, script ...Answer) *API {
	t.Helper()
	ended, end := context.WithCancel(context.Background())
	a := &API{script: script, ended: ended}
	a.server = &http.Server{Handler: a}
	// Use a new connection for each request. Through an open connection a client could still reach
	// the server while it refuses connections.
	a.server.SetKeepAlivesEnabled(false)
	if err := a.listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	a.URL = "http://" + a.listener.Addr().String()
	t.Cleanup(func() {
		a.mu.Lock()
		end()
		a.mu.Unlock()
		a.server.Close()
		a.handlers.Wait()
	})
	return a
}

// Script adds answers for the next requests, in order, after those that are still waiting.
func (a *API) Script(answers ...Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.script = append(a.script, answers...)
}

// Handle makes choose look at every request first. If choose returns nil, the script continues.
// Simultaneous requests call choose at the same time.
func (a *API) Handle(choose Func) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.handle = choose
}

// Unused returns how many scripted answers are left.
func (a *API) Unused() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.script)
}

// Refuse makes the system refuse new connections. Answers that have started are finished.
func (a *API) Refuse() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listener != nil {
		a.listener.Close()
		a.listener = nil
	}
}

// Resume accepts connections again, at the same address.
func (a *API) Resume() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listener != nil {
		return nil
	}
	return a.listen(a.URL[len("http://"):])
}

// Requests returns the requests to /v1/messages so far, in the order of arrival.
func (a *API) Requests() []*Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}

// Last returns the newest request to /v1/messages, or nil.
func (a *API) Last() *Request {
	all := a.Requests()
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// News returns the texts in q that its predecessor, the previous request of the same session and
// agent, did not contain. If a text is sent again, one copy of it is new.
func (a *API) News(q *Request) []string {
	known := map[string]int{}
	for _, before := range slices.Backward(a.Requests()[:q.Number]) {
		if before.Session == q.Session && before.Agent == q.Agent {
			for _, text := range before.Texts() {
				known[trim(text)]++
			}
			break
		}
	}
	var news []string
	for _, text := range q.Texts() {
		if known[trim(text)] > 0 {
			known[trim(text)]--
		} else {
			news = append(news, text)
		}
	}
	return news
}

// trim removes newlines at the end. The CLI adds one to a text as soon as another text follows.
func trim(text string) string { return strings.TrimRight(text, "\n") }

// Sent returns, for each request, how often sub occurs in its news. This shows when the model got a
// text for the first time, and when again.
func (a *API) Sent(sub string) []int {
	var sent []int
	for _, q := range a.Requests() {
		n := 0
		for _, text := range a.News(q) {
			n += strings.Count(text, sub)
		}
		sent = append(sent, n)
	}
	return sent
}

// Other returns all other requests, as "METHOD /path".
func (a *API) Other() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.other)
}

func (a *API) listen(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	a.listener = l
	a.handlers.Go(func() { a.server.Serve(l) })
	return nil
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.begin() {
		return
	}
	defer a.handlers.Done()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
		a.serveOther(w, r, body)
		return
	}
	q, err := parse(r.Header, body)
	if err != nil {
		Status(http.StatusBadRequest, err.Error()).answer(&exchange{w: w, request: &Request{}})
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(a.ended, cancel)()
	answer := a.next(q)
	answer.answer(&exchange{ctx: ctx, w: w, request: q})
}

// begin registers a handler, unless the test has ended, because then nobody would wait for the
// handler.
func (a *API) begin() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended.Err() != nil {
		return false
	}
	a.handlers.Add(1)
	return true
}

func (a *API) serveOther(w http.ResponseWriter, r *http.Request, body []byte) {
	a.mu.Lock()
	a.other = append(a.other, r.Method+" "+r.URL.Path)
	a.mu.Unlock()
	if r.Method == http.MethodPost && r.URL.Path == "/v1/messages/count_tokens" {
		// Four bytes per token is accurate enough.
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]int{"input_tokens": len(body)/4 + 1})
		return
	}
	Status(http.StatusNotFound, fmt.Sprintf("no %s here", r.URL.Path)).answer(&exchange{w: w, request: &Request{}})
}

func (a *API) next(q *Request) Answer {
	a.mu.Lock()
	q.Number = len(a.requests)
	a.requests = append(a.requests, q)
	handle := a.handle
	a.mu.Unlock()
	if handle != nil {
		// Call it without the lock, because the test's function may look at earlier requests.
		if answer := handle(q); answer != nil {
			return answer
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.script) == 0 {
		return Text("ok")
	}
	answer := a.script[0]
	a.script = a.script[1:]
	return answer
}
