package agents

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestSpent: the agent reports what a run spends, or skillhand computes it from the tokens. If the
// agent reports each step, a run ends after the step that exceeds its limit, and reports the cost
// of all steps.
func TestSpent(t *testing.T) {
	t.Parallel()
	openStep := func(reason string) string {
		return `{"type":"step_start"}` + "\n" + `{"type":"step_finish","part":{"reason":"` + reason +
			`","cost":0.4,"tokens":{"input":1000,"output":10}}}`
	}
	piStep := func(reason string) string {
		return `{"type":"turn_start"}` + "\n" + `{"type":"message_end","message":{"role":"assistant","stopReason":"` + reason +
			`","usage":{"input":1000,"output":10,"cost":{"total":0.4}}}}`
	}
	qwenStep := func(stop string) string {
		return `{"type":"assistant","message":{"stop_reason":"` + stop +
			`","usage":{"input_tokens":100000,"output_tokens":1000,"total_tokens":101000}}}`
	}
	qwenEnd := `{"type":"result","subtype":"success","is_error":false,"num_turns":2,"usage":{"input_tokens":200000,"output_tokens":2000}}`
	codexEnd := `{"type":"turn.started"}
{"type":"turn.completed","usage":{"input_tokens":200000,"cached_input_tokens":100000,"output_tokens":2000}}`
	geminiEnd := `{"type":"result","status":"success","stats":{"input":100000,"output_tokens":2000}}`
	for _, tt := range []struct {
		agent, model string
		limit        float64
		lines        string
		want         string // the subtype of each result, and dollars
	}{
		{"opencode", "", 0, openStep("tool-calls") + "\n" + openStep("stop"), "success 0.8"},
		{"opencode", "", 1, openStep("tool-calls") + "\n" + openStep("stop"), "success 0.8"},
		{"opencode", "", 0.5, openStep("tool-calls") + "\n" + openStep("tool-calls") + "\n" + openStep("stop"), "error_max_budget_usd 0.8"},
		{"opencode", "", 0.5, openStep("tool-calls") + "\n" + openStep("stop"), "success 0.8"},
		{"pi", "", 0.3, piStep("toolUse") + "\n" + piStep("stop") + "\n" + `{"type":"agent_end"}`, "error_max_budget_usd 0.4"},
		{"pi", "", 0.3, piStep("stop") + "\n" + `{"type":"agent_end"}`, "success 0.4"},
		{"qwen", "gpt-5", 0.1, qwenStep("tool_use") + "\n" + qwenStep("end_turn") + "\n" + qwenEnd, "error_max_budget_usd 0.135"},
		{"qwen", "gpt-5", 1, qwenStep("tool_use") + "\n" + qwenStep("end_turn") + "\n" + qwenEnd, "success 0.27"},
		{"qwen", "m", 1, qwenEnd, "success unknown"},
		{"codex", "gpt-5", 0, codexEnd, "success 0.1575"},
		{"codex", "openai/gpt-6-sol", 0, codexEnd, "success 0.24"},
		{"codex", "", 0, codexEnd, "success unknown"},
		{"gemini", "gemini-2.5-pro", 0, geminiEnd, "success 0.145"},
	} {
		r := Get(tt.agent).Reader(Question{Model: tt.model, MaxUSD: tt.limit})
		var got []string
		say := func(line []byte) {
			var e struct {
				Type, Subtype string
				Cost          *float64 `json:"total_cost_usd"`
			}
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatal(err)
			}
			if cost := "unknown"; e.Type == "result" {
				if e.Cost != nil {
					cost = fmt.Sprint(math.Round(*e.Cost*1e9) / 1e9)
				}
				got = append(got, e.Subtype+" "+cost)
			}
		}
		for line := range strings.Lines(tt.lines) {
			if r.Line([]byte(strings.TrimSpace(line)), say); len(got) > 0 && strings.HasPrefix(got[0], "error") {
				break // skillhand ends the run
			}
		}
		if got == nil {
			r.End(say)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s, %q, at most $%v: %q, want %q", tt.agent, tt.model, tt.limit, got, tt.want)
		}
	}
}

// TestUnpriced: Check refuses a limit in dollars, by name, if nobody knows what is spent.
func TestUnpriced(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ agent, model, want string }{
		{"opencode", "", ""}, {"pi", "", ""}, {"codex", "gpt-5", ""}, {"gemini", "gemini-2.5-pro", ""}, {"qwen", "claude-haiku-4-5", ""},
		{"codex", "", "without the model's name"}, {"codex", "gpt-99", `no price of "gpt-99"`},
		{"copilot", "gpt-5", "neither dollars nor tokens"},
	} {
		err := Get(tt.agent).Check(Question{Model: tt.model, MaxUSD: 1})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s with %q: %v, want %q", tt.agent, tt.model, err, tt.want)
		}
	}
}
