package agents

import (
	"encoding/json"
	"strconv"

	"github.com/skillhand/skillhand/internal/words"
)

// A run is what a stream has reported so far. Readers add to it, and End makes a result of it.
type run struct {
	loads Tool // the tool that loads a skill; empty if the model reads the file

	session, model string
	began          bool
	text           string // the last message: the answer
	turns          int
	usage          tokens
	told           bool // the stream reported tokens
	cost           *float64
	limit          float64 // of the cost; 0 means any amount
	over           bool    // the cost exceeds the limit, and the result has been reported
	ended          bool    // the stream says that it is over
	fault          *fault
	calls          map[string]string // the skill that each call loads, or "", by the id of the call
}

// A fault is a failure in the agent's own words.
type fault struct {
	status int // the HTTP status; 0 if it is unknown
	text   string
}

// Faults that agents report as answers.
const (
	// brokenOff means that the count of tokens is missing, which ends every whole answer of a
	// service. If a service never counts, half of an answer looks like a whole one.
	brokenOff = "connection closed: the answer ends without a count of tokens, so it may have broken off"
	// outputFull means that the model's own limit cut off the answer.
	outputFull = "the answer was cut off at the output token maximum"
	// overBudget means that skillhand stopped the agent.
	overBudget = "it cost more than its limit"
)

// tokens holds counts of tokens, named as in Claude Code.
type tokens struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
}

func (t *tokens) add(more tokens) {
	t.Input += more.Input
	t.Output += more.Output
	t.CacheRead += more.CacheRead
	t.CacheWrite += more.CacheWrite
}

type object = map[string]any

func say(to func([]byte), event object) {
	line, err := json.Marshal(event)
	if err == nil { // what was just decoded can be encoded
		to(line)
	}
}

// start reports that the session has begun, once.
func (r *run) start(to func([]byte)) {
	if r.began {
		return
	}
	r.began = true
	say(to, object{"type": "system", "subtype": "init", "session_id": r.session, "model": r.model})
}

func (r *run) says(to func([]byte), text string) {
	if text == "" {
		return
	}
	r.start(to)
	r.text = text
	r.assistant(to, object{"type": "text", "text": text})
}

// call reports that a tool is called. It reports a tool that loads a skill as Skill.
func (r *run) call(to func([]byte), id, tool string, input any) {
	r.start(to)
	skill := ""
	if text, ok := input.(json.RawMessage); ok && tool == r.loads.Name {
		var fields object
		_ = json.Unmarshal(text, &fields) // then it has no name
		skill, _ = fields[r.loads.Field].(string)
	}
	if r.calls == nil {
		r.calls = map[string]string{}
	}
	r.calls[id] = skill
	if skill != "" {
		tool, input = "Skill", object{"skill": skill}
	}
	r.assistant(to, object{"type": "tool_use", "id": id, "name": tool, "input": input})
}

func (r *run) assistant(to func([]byte), part object) {
	say(to, object{"type": "assistant", "session_id": r.session, "message": object{
		"role": "assistant", "model": r.model, "content": []object{part},
	}})
}

// result reports the result of a tool.
func (r *run) result(to func([]byte), id, text string, failed bool) {
	event := object{"type": "user", "session_id": r.session, "message": object{"role": "user", "content": []object{
		{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed},
	}}}
	if skill := r.calls[id]; skill != "" {
		event["tool_use_result"] = object{"success": !failed, "commandName": skill}
	}
	say(to, event)
}

// End reports the result. A stream that neither ended nor failed has none.
func (r *run) End(to func([]byte)) {
	if !r.ended && r.fault == nil || r.over {
		return
	}
	r.start(to)
	r.price()
	event := object{
		"type": "result", "subtype": "success", "is_error": false, "session_id": r.session, "num_turns": max(r.turns, 1), "result": r.text,
	}
	if r.fault != nil {
		event["is_error"], event["result"] = true, r.fault.text
		if r.fault.status != 0 {
			event["api_error_status"] = r.fault.status
		}
	}
	if r.told {
		event["usage"] = r.usage
	}
	if r.cost != nil {
		event["total_cost_usd"] = *r.cost
	}
	if r.over = r.fault != nil && r.fault.text == overBudget; r.over {
		event["subtype"] = "error_max_budget_usd"
	}
	say(to, event)
}

// spent adds the cost of a step. A step that exceeds the limit ends the run, unless it was the
// last.
func (r *run) spent(to func([]byte), usd float64, last bool) {
	if r.cost == nil {
		r.cost = new(float64)
	}
	if *r.cost += usd; r.limit > 0 && *r.cost > r.limit && !last && r.fault == nil {
		r.fault = &fault{text: overBudget}
		r.End(to)
	}
}

// price computes the cost of the tokens, if the agent did not report dollars and the model's price
// is known.
func (r *run) price() {
	if p, known := priceOf(r.model); known && r.told && r.cost == nil {
		usd := p.cost(r.usage)
		r.cost = &usd
	}
}

// Agents report an HTTP status in these ways: at the start of a message, in the body of an error,
// in prose.
var (
	atStart = words.Regexp(`^(?:\[API Error: )?([1-5][0-9]{2})\b`)
	inBody  = words.Regexp(`"code": ?([1-5][0-9]{2})\b`)
	inProse = words.Regexp(`\bstatus:? ([1-5][0-9]{2})\b`)
)

// statusIn returns the status that a message reports in one of these ways, or 0.
func statusIn(text string, ways ...words.Regexp) int {
	for _, way := range ways {
		if m := way.Get().FindStringSubmatch(text); m != nil {
			code, _ := strconv.Atoi(m[1])
			return code
		}
	}
	return 0
}
