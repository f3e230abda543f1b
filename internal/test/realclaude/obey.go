package realclaude

import (
	"encoding/json"
	"strings"

	"github.com/skillhand/skillhand/internal/test/fakeapi"
)

// Obey returns a model that does as it is told, for fakeapi.API.Handle. A line of the prompt such as
//
//	call Skill {"skill": "status", "args": "x"}
//
// has it use that tool; several lines, several tools at once. When it has been given results,
// or was asked for nothing, it says "done". Asked to compact, it gives a summary.
func Obey(q *fakeapi.Request) fakeapi.Answer {
	switch {
	case Compacting(q):
		return fakeapi.Text("<analysis>thought</analysis>\n<summary>" + summary + "</summary>")
	case len(q.Results()) > 0:
		return fakeapi.Text("done")
	}
	var m fakeapi.Message
	for line := range strings.Lines(q.Prompt()) {
		order, ok := strings.CutPrefix(strings.TrimSpace(line), "call ")
		if !ok {
			continue
		}
		tool, input, _ := strings.Cut(order, " ")
		if !json.Valid([]byte(input)) {
			return fakeapi.Text("not JSON: " + input)
		}
		m.Calls = append(m.Calls, fakeapi.Call{Name: tool, Input: json.RawMessage(input)})
	}
	if m.Calls == nil {
		return fakeapi.Text("done")
	}
	return m
}

const summary = "what was said before"

// Compacting reports whether the model is asked to sum up the conversation.
func Compacting(q *fakeapi.Request) bool {
	return strings.Contains(q.Prompt(), "Your task is to create a detailed summary of the conversation")
}
