package realclaude

import (
	"encoding/json"
	"strings"

	"github.com/skillhand/skillhand/internal/test/fakeapi"
)

// Obey answers as a model that follows the prompt, for fakeapi.API.Handle. A line of the prompt such
// as
//
//	call Skill {"skill": "status", "args": "x"}
//
// makes it use that tool. Several such lines use several tools at once. If the prompt has no such
// line, or the request contains results, it answers "done". If it must compact, it answers with a
// summary.
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

// Compacting reports whether the request asks the model to summarize the conversation.
func Compacting(q *fakeapi.Request) bool {
	return strings.Contains(q.Prompt(), "Your task is to create a detailed summary of the conversation")
}
