package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/skillhand/skillhand/internal/jsonfind"
)

// A record has everything from the CLI's output that the verdict depends on.
type record struct {
	session string
	model   string
	began   bool // the session has started
	turn    int
	message string // id of the main agent's last message
	result  *result
	fault   string    // the error of the last message, if the CLI made that message up
	retry   *apiRetry // the last retry, if no message came after it
	limit   rateLimit // of the account, as last reported
	local   string    // the error message of one of the CLI's own commands
	plain   []byte    // the beginning of the output that is not an event
	bill    bill
}

// A bill adds up what turns used, in input tokens.
type bill struct {
	message     string  // the message of the current turn
	turn        float64 // the current turn so far: each part of a message reports the whole
	ended, most float64 // the turns before: all of them, and the most expensive
}

// A usage is the number of tokens in one turn.
type usage struct {
	Input      float64 `json:"input_tokens"`
	Output     float64 `json:"output_tokens"`
	CacheRead  float64 `json:"cache_read_input_tokens"`
	CacheWrite float64 `json:"cache_creation_input_tokens"`
}

func (b *bill) add(message string, u usage) {
	if message != b.message || message == "" {
		b.ended, b.most, b.turn, b.message = b.total(), max(b.most, b.turn), 0, message
	}
	// These are the proportions of most prices. Models with other prices have cheaper caches.
	b.turn = max(b.turn, u.Input+5*u.Output+u.CacheRead/10+1.25*u.CacheWrite)
}

func (b *bill) total() float64 { return b.ended + b.turn }

// dearest returns the most expensive turn's share of usd, the cost of all turns.
func (b *bill) dearest(usd float64) float64 {
	if b.total() <= 0 {
		return 0
	}
	return usd * max(b.most, b.turn) / b.total()
}

// A result is a result event.
type result struct {
	Subtype    string          `json:"subtype"`
	IsError    json.RawMessage `json:"is_error"`
	Status     int             `json:"api_error_status"`
	APIError   string          `json:"api_error"`
	APIType    string          `json:"api_error_type"`
	Turns      int             `json:"num_turns"`
	Text       string          `json:"result"`
	Errors     []string        `json:"errors"`
	Structured json.RawMessage `json:"structured_output"`
	Stop       string          `json:"stop_reason"`
	Terminal   string          `json:"terminal_reason"`
	SessionID  string          `json:"session_id"`
	CostUSD    *float64        `json:"total_cost_usd"` // nil if the CLI did not report it
	Usage      json.RawMessage `json:"usage"`
	Denials    json.RawMessage `json:"permission_denials"`
}

type apiRetry struct {
	Subtype   string  `json:"subtype"`
	SessionID string  `json:"session_id"`
	Model     string  `json:"model"`          // of an init event
	DelayMS   float64 `json:"retry_delay_ms"` // of an api_retry event, as are the fields below
	Status    int     `json:"error_status"`
	Error     string  `json:"error"`
}

// A rateLimit says how much of an account's limit is used.
type rateLimit struct {
	Status   string `json:"status"`   // rejected: the limit is hit
	ResetsAt int64  `json:"resetsAt"` // in seconds since 1970
}

type assistant struct {
	Error   string `json:"error"`
	Parent  string `json:"parent_tool_use_id"`
	Message struct {
		ID      string `json:"id"`
		Model   string `json:"model"`
		Usage   usage  `json:"usage"`
		Content []struct {
			Type  string          `json:"type"`
			Text  string          `json:"text"`
			Name  string          `json:"name"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
	} `json:"message"`
}

// maxPlain limits how much output that is not an event is kept.
const maxPlain = 4 << 10

// line reads one line of the CLI's stdout. emit may be nil. Most lines of a transcript decide
// nothing and are not decoded. Reading such a line costs about as much as finding its end.
func (r *record) line(line []byte, emit func(Event)) {
	switch string(eventType(line)) {
	case "result":
		r.onResult(newResult(line), emit)
	case "system":
		r.onSystem(line, emit)
	case "assistant":
		r.onAssistant(line, emit)
	case "user":
		r.onUser(line)
	case "rate_limit_event":
		r.onLimit(line)
	case "":
		r.noEvent(line)
	}
}

func (r *record) noEvent(line []byte) {
	if text := bytes.TrimSpace(line); len(text) > 0 && len(r.plain) < maxPlain {
		if len(text) > maxPlain { // cut between words: nobody recognizes a part of a secret
			text = text[:bytes.LastIndexFunc(text[:maxPlain], unicode.IsSpace)+1]
		}
		r.plain = append(append(r.plain, text...), '\n')
	}
}

// skippable reports whether a long line whose beginning is known can be skipped, because it decides
// nothing. Such lines are tool output, pieces of messages, messages that nobody listens to, and
// lines that are not events.
func skippable(begun []byte, heard bool) bool {
	switch string(eventType(begun)) {
	case "stream_event":
		return true
	case "user":
		return !bytes.Contains(begun, localError)
	case "assistant":
		return !heard
	case "":
		i := jsonfind.Space(begun, 0)
		return i < len(begun) && begun[i] != '{'
	}
	return false
}

// skip records that a long line was skipped. begun is its beginning.
func (r *record) skip(begun []byte, emit func(Event)) {
	switch string(eventType(begun)) {
	case "assistant":
		r.fault, r.retry = "", nil // errors that the CLI makes up are short
		if emit != nil {
			emit(Event{Type: Text, SessionID: r.session, Turn: r.turn, Text: "(a message too long to show: more than 8 MB)"})
		}
	case "":
		r.noEvent(begun)
	}
}

// eventType returns the type of an event, or nothing if the line is not an event.
func eventType(line []byte) []byte {
	if rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`)); ok {
		if end := bytes.IndexByte(rest, '"'); end >= 0 {
			return rest[:end]
		}
	}
	return typeField(line)
}

// typeField finds "type" among the fields of an object, wherever it is.
func typeField(line []byte) []byte {
	i := jsonfind.Space(line, 0)
	if i == len(line) || line[i] != '{' {
		return nil
	}
	for depth := 0; i < len(line); {
		switch line[i] {
		case '"':
			end, _, ok := jsonfind.String(line, i)
			if !ok {
				return nil
			}
			name := line[i+1 : end-1]
			i = jsonfind.Space(line, end)
			if depth != 1 || string(name) != "type" || i == len(line) || line[i] != ':' {
				continue
			}
			if i = jsonfind.Space(line, i+1); i == len(line) || line[i] != '"' {
				return nil
			}
			if end, _, ok = jsonfind.String(line, i); !ok {
				return nil
			}
			return line[i+1 : end-1]
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		i++
	}
	return nil
}

// newResult parses a result event. It returns nil if the line is cut off.
func newResult(line []byte) *result {
	var res result
	err := json.Unmarshal(line, &res)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !ok {
		return nil // a field of the wrong type counts as missing
	}
	return &res
}

// cost returns what the session has cost so far, or 0 if that is unknown.
func (res *result) cost() float64 {
	if res.CostUSD == nil {
		return 0
	}
	return *res.CostUSD
}

func (r *record) onResult(res *result, emit func(Event)) {
	if res == nil {
		return
	}
	r.result = res
	r.know(res.SessionID)
	if emit != nil {
		emit(Event{Type: Result, SessionID: r.session, Turn: r.turn, CostUSD: res.cost()})
	}
}

func (r *record) onSystem(line []byte, emit func(Event)) {
	if !bytes.Contains(line, []byte(`"init"`)) && !bytes.Contains(line, []byte(`"api_retry"`)) {
		return
	}
	var e apiRetry
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch e.Subtype {
	case "init":
		r.began = true
		r.know(e.SessionID)
		r.model = e.Model
		if emit != nil {
			emit(Event{Type: Start, SessionID: r.session, Model: e.Model})
		}
	case "api_retry":
		r.know(e.SessionID)
		r.retry = &e
		if emit != nil {
			emit(Event{Type: Retry, SessionID: r.session, Turn: r.turn, Text: e.Error, Wait: e.delay()})
		}
	}
}

func (e *apiRetry) delay() time.Duration {
	return time.Duration(min(max(e.DelayMS, 0), 1e12) * float64(time.Millisecond))
}

// madeUp is the model in messages that the CLI writes itself, such as errors.
const madeUp = "<synthetic>"

func (r *record) onAssistant(line []byte, emit func(Event)) {
	if emit == nil && !bytes.Contains(line, []byte(madeUp)) && !bytes.Contains(line, []byte(`"error"`)) {
		r.fault, r.retry = "", nil
		return
	}
	var e assistant
	if json.Unmarshal(line, &e) != nil {
		return
	}
	if r.fault = e.Error; e.Error != "" || e.Message.Model == madeUp {
		return // not Claude's words
	}
	r.retry = nil
	r.bill.add(e.Message.ID, e.Message.Usage)
	if emit == nil {
		return
	}
	if e.Parent == "" && (e.Message.ID != r.message || e.Message.ID == "") {
		r.turn++
		r.message = e.Message.ID
	}
	for _, c := range e.Message.Content {
		event := Event{SessionID: r.session, Turn: r.turn, Parent: e.Parent}
		switch c.Type {
		case "text":
			event.Type, event.Text = Text, c.Text
		case "tool_use":
			event.Type, event.Tool, event.Input = Tool, c.Name, c.Input
		default:
			continue
		}
		emit(event)
	}
}

// localError marks what the CLI's own commands print on stderr.
var localError = []byte("<local-command-stderr>")

func (r *record) onUser(line []byte) {
	if !bytes.Contains(line, localError) {
		return
	}
	var e struct {
		Message struct {
			Content any `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &e) != nil {
		return
	}
	// The output of a tool is a list, not a string, whatever it contains.
	text, _ := e.Message.Content.(string)
	if text, ok := strings.CutPrefix(text, string(localError)); ok {
		r.local = strings.TrimSuffix(text, "</local-command-stderr>")
	}
}

func (r *record) onLimit(line []byte) {
	var e struct {
		Info rateLimit `json:"rate_limit_info"`
	}
	if json.Unmarshal(line, &e) == nil {
		r.limit = e.Info
	}
}

func (r *record) know(session string) {
	if session != "" {
		r.session = session
	}
}

// lost reports whether the CLI does not know the session that it was to resume.
func (r *record) lost() bool {
	return r.result != nil && strings.Contains(strings.Join(r.result.Errors, "\n"), noConversation)
}

// noConversation is the CLI's message for an unknown session.
const noConversation = "No conversation found"
