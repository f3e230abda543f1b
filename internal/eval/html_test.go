package eval

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHTML checks that a transcript, a name or a reason is only text on the page, and that the page
// may load and run nothing.
func TestHTML(t *testing.T) {
	t.Parallel()
	const evil = `</pre></details><script>alert(1)</script><img src=x onerror=alert(1)>`
	file := filepath.Join(t.TempDir(), "t.jsonl")
	said, err := json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"content": []any{
		map[string]string{"type": "text", "text": evil + " SECRET \u202eback \x1b[31m"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(said, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
	no := false
	trials := []Trial{{
		Skill: evil, Case: evil, Arm: With, Run: 1, Fires: true, Outcome: Fired, Why: evil, Passed: &no, Transcript: file,
		Checks: []CheckResult{{Check: evil, OK: &no, Why: evil}},
	}}
	sum := Summarize([]*Subject{{Name: evil, Cases: []Case{{ID: evil, Fires: true}}}}, trials, nil)
	text, err := Report{
		Agents: []AgentReport{{Agent: evil, Summary: sum, Trials: trials}, NotTried(evil, "cannot fire: "+evil, []*Subject{{Name: evil}})},
	}.HTML(func(s string) string { return strings.ReplaceAll(s, "SECRET", "…") })
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, bad := range []string{"<script", "<img", "SECRET", "http:", "src="} {
		if strings.Contains(strings.ReplaceAll(page, "img src=x", ""), bad) {
			t.Errorf("has %s: %s", bad, page)
		}
	}
	for _, want := range []string{`content="default-src 'none'; `, "&lt;script&gt;",
		`<td class="untried" colspan="5">cannot fire: &lt;/pre`, `<circle class="rate" cx="155.0"`, "[U&#43;202E]back [U&#43;001B]"} {
		if !strings.Contains(page, want) {
			t.Errorf("lacks %s: %s", want, page)
		}
	}
}

// TestNoCost checks that Markdown and HTML show an unreported cost as unknown, not as nothing, and
// that a skill that was read counts.
func TestNoCost(t *testing.T) {
	trials := []Trial{{Skill: "s", Case: "c", Arm: With, Run: 1, Fires: true, Outcome: ReadFile, NoCost: true}}
	sum := Summarize([]*Subject{{Name: "s", Cases: []Case{{ID: "c", Fires: true}}}}, trials, nil)
	text, err := Report{Agents: []AgentReport{{Summary: sum, Trials: trials}}}.HTML(func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	if md := sum.Markdown(); !strings.Contains(md, "| c | fires | with | 1 read | - | cost unknown |") ||
		strings.Contains(md+string(text), "$") {
		t.Errorf("%s\n%s", md, text)
	}
}

// TestHTMLVerdicts checks that each model and agent has its own verdict, cost and columns, side by
// side. "before" shows the results of the same models.
func TestHTMLVerdicts(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	subjects := []*Subject{{Name: "card", Cases: []Case{{ID: "c", Prompt: "Ada?", Fires: true}, {ID: "d", Fires: true}}}}
	summary := func(agent string, models ...string) AgentReport {
		a := AgentReport{Agent: agent}
		for _, c := range []string{"c", "d"} {
			for i, model := range models {
				passed := []*bool{&no, &yes}[i]
				for _, arm := range []Arm{With, Without} {
					a.Trials = append(a.Trials, Trial{
						Skill: "card", Case: c, Arm: arm + "@" + Arm(model), Run: 1, Fires: true,
						Outcome: Fired, Model: model, CostUSD: float64(i + 1),
						Passed: passed, Checks: []CheckResult{{Check: "file: card.txt", OK: passed}},
					})
				}
			}
		}
		a.Summary = Summarize(subjects, a.Trials, nil)
		a.Summary.Agent = agent
		return a
	}
	root := t.TempDir()
	for dir, models := range map[string][]string{"x/0001": {"haiku", "opus"}, "x/0002": {"haiku"}} {
		old := Results{Dir: filepath.Join(root, dir)}
		if err := errors.Join(os.MkdirAll(old.Dir, 0o700), old.write(summaryFile, summary("claude", models...).Summary)); err != nil {
			t.Fatal(err)
		}
	}
	both := summary("claude", "haiku", "opus")
	if both.Before = LastTries(root, both.Summary); both.Before["card"] == nil || len(both.Before["card"].Skill.Arms) != 4 {
		t.Errorf("before: %+v", both.Before["card"])
	}
	text, err := Report{Agents: []AgentReport{both, summary("codex", "gpt-5")}}.HTML(func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for want, times := range map[string]int{
		"<td>claude, haiku</td>": 1, "<td>claude, opus</td>": 1, "<td>codex, gpt-5</td>": 1, "before, ": 2, "<h2>": 1,
		"Ada?</blockquote>":            1,
		"claude, with the skill, opus": 2, "codex, without the skill, gpt-5": 2, `style="--columns: 2"`: 2,
		"<td>$2.00 ($2.00 to $2.00)</td>":                 2,
		"<div>file: card.txt <small>1 of 1</small></div>": 8, "claude: c with haiku: failed in 1 trial: file: card.txt": 1,
	} {
		if got := strings.Count(page, want); got != times {
			t.Errorf("%d times %s, want %d", got, want, times)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}
