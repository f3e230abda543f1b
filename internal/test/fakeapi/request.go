package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A Request is a request to the model.
type Request struct {
	Number   int // its number among the requests of this API, from 0
	Header   http.Header
	Body     []byte // as received
	Model    string
	Stream   bool
	System   []Block
	Messages []Turn
	Tools    []Tool
	Session  string // the session of the CLI that asks
	Agent    string // the subagent that asks; "" means the main agent
}

// A Turn is one message of the conversation.
type Turn struct {
	Role    string // user, assistant, or system in the middle of a conversation
	Content []Block
}

// A Block is a part of a message. Its Type decides which fields it has.
type Block struct {
	Type      string // text, tool_use, tool_result, and others
	Text      string
	ID        string // for a tool_use
	Name      string
	Input     json.RawMessage
	ToolUseID string  // the id of the tool_use that this is the result of
	Content   []Block // the output of the tool
	IsError   bool
}

// A Tool is a tool that the model may use.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
}

func parse(header http.Header, body []byte) (*Request, error) {
	var wire struct {
		Model    string
		Stream   bool
		System   blocks
		Messages []struct {
			Role    string
			Content blocks
		}
		Tools []Tool
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	q := &Request{
		Header: header, Body: body, Model: wire.Model, Stream: wire.Stream, System: wire.System, Tools: wire.Tools,
		Session: header.Get("X-Claude-Code-Session-Id"), Agent: header.Get("X-Claude-Code-Agent-Id"),
	}
	for _, m := range wire.Messages {
		q.Messages = append(q.Messages, Turn{Role: m.Role, Content: m.Content})
	}
	return q, nil
}

// blocks decodes both forms of content: a list, or a string, which stands for one text.
type blocks []Block

func (b *blocks) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = blocks{{Type: "text", Text: text}}
		return nil
	}
	var wire []struct {
		Type      string
		Text      string
		ID        string
		Name      string
		Input     json.RawMessage
		ToolUseID string `json:"tool_use_id"`
		Content   json.RawMessage
		IsError   bool `json:"is_error"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	*b = nil
	for _, w := range wire {
		block := Block{
			Type: w.Type, Text: w.Text, ID: w.ID, Name: w.Name, Input: w.Input,
			ToolUseID: w.ToolUseID, IsError: w.IsError,
		}
		// Other kinds of blocks have content in other forms, which nobody reads here.
		if w.Type == "tool_result" && len(w.Content) > 0 {
			var inner blocks
			if err := json.Unmarshal(w.Content, &inner); err != nil {
				return err
			}
			block.Content = inner
		}
		*b = append(*b, block)
	}
	return nil
}

// Texts returns all texts that the model got, in order: the system prompt, then all messages,
// including results of tools.
func (q *Request) Texts() []string {
	texts := textsOf(nil, q.System)
	for _, m := range q.Messages {
		texts = textsOf(texts, m.Content)
	}
	return texts
}

func textsOf(texts []string, content []Block) []string {
	for _, b := range content {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
		texts = textsOf(texts, b.Content)
	}
	return texts
}

// Find returns the texts that contain sub.
func (q *Request) Find(sub string) []string {
	var found []string
	for _, text := range q.Texts() {
		if strings.Contains(text, sub) {
			found = append(found, text)
		}
	}
	return found
}

// Count returns how often sub is in the texts of q.
func (q *Request) Count(sub string) int {
	n := 0
	for _, text := range q.Texts() {
		n += strings.Count(text, sub)
	}
	return n
}

// Prompt returns the texts of the newest user message, joined by newlines. They are the model's
// current task, without the results of tools.
func (q *Request) Prompt() string {
	turn := q.lastUser()
	var texts []string
	for _, b := range turn.Content {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Results returns the tool results in the newest user message.
func (q *Request) Results() []Block {
	var results []Block
	for _, b := range q.lastUser().Content {
		if b.Type == "tool_result" {
			results = append(results, b)
		}
	}
	return results
}

// Said returns the texts of a tool's result, joined by newlines.
func (b Block) Said() string {
	return strings.Join(textsOf(nil, b.Content), "\n")
}

func (q *Request) lastUser() Turn {
	for i := len(q.Messages) - 1; i >= 0; i-- {
		if q.Messages[i].Role == "user" {
			return q.Messages[i]
		}
	}
	return Turn{}
}

// HasTool reports whether the model may use the tool.
func (q *Request) HasTool(name string) bool {
	for _, tool := range q.Tools {
		if tool.Name == name {
			return true
		}
	}
	return false
}
