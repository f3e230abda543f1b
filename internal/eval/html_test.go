package eval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHTML: whatever is in a transcript, a name or a reason is text, and the page may load and run nothing.
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
	for _, want := range []string{`content="default-src 'none'; `, "&lt;script&gt;", `<td class="untried" colspan="5">cannot fire: &lt;/pre`, `<circle class="rate" cx="155.0"`, "[U&#43;202E]back [U&#43;001B]"} {
		if !strings.Contains(page, want) {
			t.Errorf("lacks %s: %s", want, page)
		}
	}
}

// TestNoCost: in Markdown and HTML a cost that nobody told is unknown, not nothing, and a skill that was read counts.
func TestNoCost(t *testing.T) {
	trials := []Trial{{Skill: "s", Case: "c", Arm: With, Run: 1, Fires: true, Outcome: ReadFile, NoCost: true}}
	sum := Summarize([]*Subject{{Name: "s", Cases: []Case{{ID: "c", Fires: true}}}}, trials, nil)
	text, err := Report{Agents: []AgentReport{{Summary: sum, Trials: trials}}}.HTML(func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	if md := sum.Markdown(); !strings.Contains(md, "| c | fires | with | 1 read | - | cost unknown |") || strings.Contains(md+string(text), "$") {
		t.Errorf("%s\n%s", md, text)
	}
}
