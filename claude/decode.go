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

// A record is what the CLI said, as far as the verdict depends on it.
type record struct {
	session string
	model   string
	began   bool // a session has begun
	turn    int
	message string // id of the main agent's last message
	result  *result
	fault   string    // error of the last message, if the CLI made it up
	retry   *apiRetry // the last, if no message came after it
	limit   rateLimit // of the account, as last told
	local   string    // what a command of the CLI's own complained about
	plain   []byte    // the beginning of what is no event
	bill    bill
}

// A bill is what turns took, as tokens of input.
type bill struct {
	message     string  // whose turn it is
	turn        float64 // so far: each part of a message tells the whole
	ended, most float64 // turns before it: all of them, and the dearest
}

// A usage is the tokens of one turn.
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
	// The proportions of most prices: a model whose prices differ has cheaper caches.
	b.turn = max(b.turn, u.Input+5*u.Output+u.CacheRead/10+1.25*u.CacheWrite)
}

func (b *bill) total() float64 { return b.ended + b.turn }

// dearest returns what the dearest turn cost of an amount for all of them.
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
	CostUSD    *float64        `json:"total_cost_usd"` // nil if it is not told
	Usage      json.RawMessage `json:"usage"`
	Denials    json.RawMessage `json:"permission_denials"`
}

type apiRetry struct {
	Subtype   string  `json:"subtype"`
	SessionID string  `json:"session_id"`
	Model     string  `json:"model"`          // of init
	DelayMS   float64 `json:"retry_delay_ms"` // of api_retry, as are those below
	Status    int     `json:"error_status"`
	Error     string  `json:"error"`
}

// A rateLimit says how far an account's usage has come.
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

// maxPlain bounds what is kept of output that is no event.
const maxPlain = 4 << 10

// line takes one line of the CLI's stdout. emit may be nil. Most of a transcript
// decides nothing and is not decoded: a line costs about what finding its end did.
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
		if len(text) > maxPlain { // between words: a part of a secret is not known for one
			text = text[:bytes.LastIndexFunc(text[:maxPlain], unicode.IsSpace)+1]
		}
		r.plain = append(append(r.plain, text...), '\n')
	}
}

// skippable reports whether a line that is long and has only begun can be passed
// by, since it decides nothing: tool output, pieces of messages, messages that
// nobody listens to, and what is no event.
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

// skip passes by a long line that has begun.
func (r *record) skip(begun []byte, emit func(Event)) {
	switch string(eventType(begun)) {
	case "assistant":
		r.fault, r.retry = "", nil // what the CLI makes up is short
		if emit != nil {
			emit(Event{Type: Text, SessionID: r.session, Turn: r.turn, Text: "(a message too long to show: more than 8 MB)"})
		}
	case "":
		r.noEvent(begun)
	}
}

// eventType returns the type of an event, nothing if the line is none.
func eventType(line []byte) []byte {
	if rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`)); ok {
		if end := bytes.IndexByte(rest, '"'); end >= 0 {
			return rest[:end]
		}
	}
	return typeField(line)
}

// typeField finds "type" among the fields of an object, wherever it stands.
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

// newResult reads a result; nil if it is torn.
func newResult(line []byte) *result {
	var res result
	err := json.Unmarshal(line, &res)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !ok {
		return nil // a field of another type alone is one that is not there
	}
	return &res
}

// cost returns what the session has cost so far; 0 if that is not told.
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

// madeUp is the model of messages that the CLI writes itself, errors among them.
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

// localError marks what one of the CLI's own commands says on stderr.
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
	// A tool's output is a list, whatever it says.
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

// lost reports whether the CLI knows nothing of the session that it was to resume.
func (r *record) lost() bool {
	return r.result != nil && strings.Contains(strings.Join(r.result.Errors, "\n"), noConversation)
}

// noConversation is what the CLI says of a session that it does not have.
const noConversation = "No conversation found"
