package eval

import "testing"

func TestFates(t *testing.T) {
	t.Parallel()
	greet, odd := []*Subject{{Name: "greet"}}, []*Subject{{Name: "a|b\n<i>"}}
	fired := Trial{Skill: "greet", Case: "c", Arm: With, Run: 1, Fires: true, Outcome: Fired}
	greet[0].Cases = []Case{{ID: "c", Fires: true}}
	r := Report{Agents: []AgentReport{NotTried("pi", "cannot fire: x", odd),
		{Agent: "claude", Summary: Summarize(greet, []Trial{fired}, nil)}}}
	if got, want := r.FatesText(), "a|b <i>  pi      cannot fire: x\ngreet    claude  fires 1 of 1\n"; got != want {
		t.Errorf("text:\n%swant:\n%s", got, want)
	}
	want := "| skill | agent | |\n|---|---|---|\n| a\\|b &lt;i> | pi | cannot fire: x |\n| greet | claude | fires 1 of 1 |\n"
	if got := r.FatesMarkdown(); got != want {
		t.Errorf("markdown:\n%swant:\n%s", got, want)
	}
}
