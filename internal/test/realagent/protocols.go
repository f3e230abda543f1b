package realagent

import (
	"cmp"
	"encoding/json"
	"strings"
)

// A protocol is a way to ask a model.
type protocol struct {
	read   func(body []byte) (tools []string, results int)
	whole  func(Answer) []byte
	events func(Answer) []string
}

func protocolOf(path string) *protocol {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return &protocol{readChat, wholeChat, chatEvents}
	case strings.HasSuffix(path, "/responses"):
		return &protocol{readResponses, func(a Answer) []byte { return encode(response(a)) }, responseEvents}
	case strings.HasSuffix(path, "enerateContent"):
		return &protocol{readGemini, func(a Answer) []byte { return encode(geminiAnswer(a)) }, geminiEvents}
	}
	return nil
}

type object = map[string]any

func encode(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // a test passed a value without a JSON form
	}
	return out
}

func data(v any) string { return "data: " + string(encode(v)) }

func arguments(a Answer) string { return string(encode(a.Input)) }

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func readChat(body []byte) (tools []string, results int) {
	var q struct {
		Messages []struct{ Role string }
		Tools    []struct{ Function struct{ Name string } }
	}
	_ = json.Unmarshal(body, &q) // a malformed body has neither field
	for _, t := range q.Tools {
		tools = append(tools, t.Function.Name)
	}
	for _, m := range q.Messages {
		results += count(m.Role == "tool")
	}
	return tools, results
}

func chatMessage(a Answer) (message object, finish string) {
	if a.Tool == "" {
		if a.Full {
			return object{"role": "assistant", "content": a.Text}, "length"
		}
		return object{"role": "assistant", "content": a.Text}, "stop"
	}
	call := object{"index": 0, "id": "call_1", "type": "function", "function": object{"name": a.Tool, "arguments": arguments(a)}}
	return object{"role": "assistant", "content": nil, "tool_calls": []object{call}}, "tool_calls"
}

// tokens returns the input tokens of an answer, and the total with the 10 of its output.
func (a Answer) tokens() (input, total int) {
	input = cmp.Or(a.Tokens, 1000)
	return input, input + 10
}

func chatUsage(a Answer) object {
	input, total := a.tokens()
	return object{"prompt_tokens": input, "completion_tokens": 10, "total_tokens": total}
}

func chatPart(kind string, choice object, usage any) object {
	part := object{"id": "chat_1", "object": kind, "created": 1, "model": "m", "choices": []object{}}
	if choice != nil {
		part["choices"] = []object{choice}
	}
	if usage != nil {
		part["usage"] = usage
	}
	return part
}

func wholeChat(a Answer) []byte {
	message, finish := chatMessage(a)
	return encode(chatPart("chat.completion", object{"index": 0, "message": message, "finish_reason": finish}, chatUsage(a)))
}

func chatEvents(a Answer) []string {
	message, finish := chatMessage(a)
	const kind = "chat.completion.chunk"
	return []string{
		data(chatPart(kind, object{"index": 0, "delta": message, "finish_reason": nil}, nil)),
		data(chatPart(kind, object{"index": 0, "delta": object{}, "finish_reason": finish}, nil)),
		data(chatPart(kind, nil, chatUsage(a))),
		"data: [DONE]",
	}
}

func readResponses(body []byte) (tools []string, results int) {
	var q struct {
		Input []struct{ Type string }
		Tools []struct{ Name string }
	}
	_ = json.Unmarshal(body, &q) // a malformed body has neither field
	for _, t := range q.Tools {
		tools = append(tools, t.Name)
	}
	for _, m := range q.Input {
		results += count(strings.HasSuffix(m.Type, "_call_output"))
	}
	return tools, results
}

func responseItem(a Answer) object {
	if a.Tool == "" {
		return object{"type": "message", "id": "msg_1", "role": "assistant",
			"content": []object{{"type": "output_text", "text": a.Text, "annotations": []any{}}}}
	}
	return object{"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": a.Tool, "arguments": arguments(a)}
}

func response(a Answer) object {
	status, details := "completed", any(nil)
	if a.Full {
		status, details = "incomplete", object{"reason": "max_output_tokens"}
	}
	input, total := a.tokens()
	return object{
		"id": "resp_1", "object": "response", "status": status, "incomplete_details": details, "output": []object{responseItem(a)},
		"usage": object{
			"input_tokens": input, "input_tokens_details": object{"cached_tokens": 100}, "output_tokens": 10,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": total,
		},
	}
}

func responseEvents(a Answer) []string {
	event := func(kind string, fields object) string {
		fields["type"] = kind
		return "event: " + kind + "\n" + data(fields)
	}
	end := "response.completed"
	if a.Full {
		end = "response.incomplete"
	}
	return []string{
		event("response.created", object{"response": object{"id": "resp_1"}}),
		event("response.output_item.done", object{"output_index": 0, "item": responseItem(a)}),
		event(end, object{"response": response(a)}),
	}
}

func readGemini(body []byte) (tools []string, results int) {
	var q struct {
		Contents []struct {
			Parts []struct {
				FunctionResponse any `json:"functionResponse"`
			}
		}
		Tools []struct {
			FunctionDeclarations []struct{ Name string } `json:"functionDeclarations"`
		}
	}
	_ = json.Unmarshal(body, &q) // a malformed body has neither field
	for _, t := range q.Tools {
		for _, f := range t.FunctionDeclarations {
			tools = append(tools, f.Name)
		}
	}
	for _, c := range q.Contents {
		for _, p := range c.Parts {
			results += count(p.FunctionResponse != nil)
		}
	}
	return tools, results
}

func geminiAnswer(a Answer) object {
	part := object{"text": a.Text}
	if a.Tool != "" {
		part = object{"functionCall": object{"name": a.Tool, "args": a.Input}}
	}
	finish := "STOP"
	if a.Full {
		finish = "MAX_TOKENS"
	}
	input, total := a.tokens()
	return object{
		"candidates": []object{{"content": object{"role": "model", "parts": []object{part}}, "finishReason": finish, "index": 0}},
		"usageMetadata": object{"promptTokenCount": input, "candidatesTokenCount": 10,
			"totalTokenCount": total, "cachedContentTokenCount": 100},
		"modelVersion": "m",
	}
}

func geminiEvents(a Answer) []string {
	first := object{"candidates": []object{{"content": object{"role": "model", "parts": []object{{"text": ""}}}, "index": 0}}}
	return []string{data(first), data(geminiAnswer(a))}
}
