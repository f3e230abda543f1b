package eval

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
)

// A Part is one part of a conversation: a text of the agent, a use of a tool, or the tool's result.
type Part struct {
	Kind   string // says, tool or result
	Tool   string // the name of the tool
	Text   string // the text, the tool's input, or its result
	Failed bool   // the result is an error
	Below  bool   // part of a subagent's conversation
}

// A Conversation is a transcript in a form for people.
type Conversation struct {
	Model, Version string // of the model and of the agent, if known
	Parts          []Part
	Cut            bool // the transcript has more
}

// Limits on how much of a transcript a report shows.
const (
	maxParts = 200
	maxPart  = 8 << 10
)

// ReadConversation reads a transcript that an agent wrote; by is nil for Claude Code.
func ReadConversation(file string, by *agents.Agent) (*Conversation, error) {
	c := &Conversation{}
	err := events(file, by, c.event)
	return c, err
}

func (c *Conversation) event(e *event) {
	if e.Type == "system" && e.Subtype == "init" {
		c.Model, c.Version = e.Model, e.Version
		return
	}
	for _, b := range e.parts {
		part := Part{Below: e.Parent != ""}
		switch {
		case e.Type == "assistant" && b.Type == "text":
			part.Kind, part.Text = "says", b.Text
		case e.Type == "assistant" && b.Type == "tool_use":
			part.Kind, part.Tool, part.Text = "tool", b.Name, inputText(b.Input)
		case e.Type == "user" && b.Type == "tool_result":
			part.Kind, part.Text, part.Failed = "result", b.said(), b.IsError
		default:
			continue
		}
		if len(c.Parts) == maxParts {
			c.Cut = true
			return
		}
		if part.Text = strings.TrimSpace(part.Text); len(part.Text) > maxPart {
			part.Text, c.Cut = strings.ToValidUTF8(part.Text[:maxPart], "")+" …", true
		}
		c.Parts = append(c.Parts, part)
	}
}

// inputText writes a tool's input for people: only the command, or a line for each field.
func inputText(input json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(input, &fields) != nil {
		return string(input)
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		text, ok := fields[name].(string)
		if !ok {
			out, _ := json.Marshal(fields[name]) // it was read from JSON, so this cannot fail
			text = string(out)
		}
		if len(fields) == 1 {
			return text
		}
		b.WriteString(name + ": " + text + "\n")
	}
	return b.String()
}
