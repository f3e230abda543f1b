package web

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/skillhand/skillhand/internal/eval"
)

// TestReport checks that text from models stays text in the page of try --html. It must run
// nothing, load nothing and link to nothing.
func TestReport(t *testing.T) {
	t.Parallel()
	const evil = `</pre></details></style><script>document.title = "hacked"</script><img src="http://127.0.0.1:1/x" onerror="document.title = 'hacked'">` +
		`<svg onload="document.title = 'hacked'"><a href="javascript:alert(1)">x</a><style>body { display: none }</style><meta http-equiv="refresh" content="0;url=http://127.0.0.1:1/">`
	dir := t.TempDir()
	transcript := filepath.Join(dir, "t.jsonl")
	said, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	talk := strings.ReplaceAll(`{"type":"assistant","message":{"content":[{"type":"text","text":EVIL},{"type":"tool_use","id":"1","name":"Bash","input":{"command":EVIL}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":EVIL}]}}
`, "EVIL", string(said))
	if err := os.WriteFile(transcript, []byte(talk), 0o666); err != nil {
		t.Fatal(err)
	}
	no := false
	trials := []eval.Trial{{
		Skill: evil, Case: evil, Arm: eval.With, Run: 1, Fires: true, Outcome: eval.Fired, Why: evil, Passed: &no, Transcript: transcript,
		Checks: []eval.CheckResult{{Check: evil, OK: &no, Why: evil}},
	}}
	sum := eval.Summarize([]*eval.Subject{{Name: evil, Cases: []eval.Case{{ID: evil, Prompt: evil, Fires: true}}}}, trials, nil)
	text, err := eval.Report{Agents: []eval.AgentReport{{Summary: sum, Trials: trials}}}.HTML(func(s string) string { return s })
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "report.html")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	tab := newTab(t).watch(address)
	tab.do(chromedp.Navigate(address))
	title := run(tab, chromedp.Evaluate[string](`document.querySelectorAll("details").forEach(d => d.open = true); document.title`))
	for _, block := range []string{"h2", "h3", "blockquote", ".verdicts b", ".checks td:nth-child(2)",
		".checks td:nth-child(3)", ".says", ".tool pre", ".failed pre"} {
		if shown := run(tab, chromedp.Evaluate[string](`document.querySelector("`+block+`")?.innerText ?? ""`)); !strings.Contains(shown, evil) {
			t.Errorf("%s shows %q", block, shown)
		}
	}
	foreign := run(tab, chromedp.Evaluate[int](`document.querySelectorAll("script, img, a, meta[http-equiv=refresh], svg[onload], body style").length`))
	visible := run(tab, chromedp.Evaluate[bool](`getComputedStyle(document.body).display != "none"`))
	if title != "skillhand try" || foreign != 0 || !visible {
		t.Errorf("title %q, %d foreign elements, visible %v", title, foreign, visible)
	}
}
