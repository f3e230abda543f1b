package web

import (
	"fmt"
	"html"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/words"
)

var (
	anyTag   = words.Regexp(`<[^>]*>`)
	cellGap  = words.Regexp(`\s{2,}`)
	ofNumber = words.Regexp(`(\d+)/(\d+)`)
)

// readable returns the text that people read in a part of a page as one line, including titles and
// tips.
func readable(page string) string {
	page = words.Regexp(` (?:title|data-tip|aria-label)="([^"]*)"`).Get().ReplaceAllString(page, ">$1<")
	text := html.UnescapeString(anyTag.Get().ReplaceAllString(strings.ReplaceAll(page, "<wbr>", ""), " "))
	return ofNumber.Get().ReplaceAllString(strings.Join(strings.Fields(text), " "), "$1 of $2")
}

// pageRow returns the row of a page that begins with a name.
func pageRow(page, name string) string {
	_, list, _ := strings.Cut(page, `<table class="list`)
	for row := range strings.SplitSeq(list, "<tr") {
		if _, head, ok := strings.Cut(row, `<th scope="row">`); ok && strings.HasPrefix(readable(head), name+" ") {
			return readable(row)
		}
	}
	return ""
}

// TestSameAnswers checks that the dashboard shows everything that usage, history and try print in a
// terminal, cell by cell and line by line.
func TestSameAnswers(t *testing.T) {
	skills := map[string]string{}
	for _, name := range strings.Fields("called refused broken typed idle stale") {
		skills[name] = "---\nname: " + name + "\ndescription: For " + name + "\n---\nText.\n"
	}
	p := newPlace(t, true, skills)
	h, err := p.site.Runtime.Complete()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Second).Add(-3 * time.Hour)
	var text strings.Builder
	line := func(format string, args ...any) {
		fmt.Fprintf(&text, `{"sessionId":"s1","cwd":%q,"version":"2.1.325","timestamp":%q,`+format+"}\n",
			append([]any{p.dir, now.Format(time.RFC3339)}, args...)...)
	}
	call := func(id, skill, model, result string) {
		line(`"type":"user","message":{"content":"please"}`)
		line(`"type":"assistant","message":{"id":"m%s","model":%q,"usage":{"input_tokens":90000,"output_tokens":700},"content":[{"type":"tool_use","id":"c%s","name":"Skill","input":{"skill":%q}}]}`,
			id, model, id, skill)
		line(`"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c%s"}]},"toolUseResult":%s`, id, result)
		line(`"type":"assistant","message":{"id":"w%s","model":%q,"usage":{"input_tokens":200000,"output_tokens":900},"content":[]}`, id, model)
	}
	line(`"type":"attachment","attachment":{"type":"skill_listing","names":["called","refused","broken","typed","idle"],"content":"- called: a\n- refused: b\n- broken\n- typed: d\n- idle: e"}`)
	call("1", "called", "claude-opus-5-5", `{"success":true}`)
	call("2", "called", "mystery-9", `{"success":true}`)
	call("3", "refused", "claude-opus-5-5", `"Error: Skill execution blocked by permission rules"`)
	call("4", "broken", "claude-opus-5-5", `"Error: Shell command failed for pattern x: no"`)
	call("5", "nosuch", "claude-opus-5-5", `"Error: Unknown skill: nosuch"`)
	line(`"type":"user","message":{"content":"<command-name>/typed</command-name>"}`)
	line(`"type":"user","isMeta":true,"message":{"content":[{"type":"text","text":"Text."}]}`)
	p.put(filepath.Join(h.Home, ".claude/projects/p/s1.jsonl"), []byte(text.String()+`{"type":"assist`+"\n"))
	p.put(filepath.Join(h.Home, ".claude/projects/p/strange.jsonl"), []byte(`{"type":"unheard-of","version":"9.9.9"}`+"\n"))
	since := time.Now().AddDate(0, 0, -usualDays)
	c := p.browser()

	asked := activity.Options{Since: since, Installed: activity.InstalledAt(h)}
	account, err := activity.Read(h, asked)
	if err != nil {
		t.Fatal(err)
	}
	_, page := p.get(c, "/usage")
	p.sameTable(account.Text("", activity.ShowAll, time.Now(), 500), page)
	p.has("usage", readable(page), append(account.Unread(), account.WithoutPrice()...)...)
	if len(account.Advice) < 2 || len(account.Unread()) != 2 || len(account.WithoutPrice()) != 1 {
		t.Errorf("%d pieces of advice, unread %q, %q", len(account.Advice), account.Unread(), account.WithoutPrice())
	}
	for _, a := range account.Advice {
		p.has("usage", readable(page), a.Skill+" "+a.Text+" "+a.Command)
	}
	for _, name := range []string{"called", "broken", "typed"} {
		asked.Skill = name
		one, err := activity.Read(h, asked)
		if err != nil {
			t.Fatal(err)
		}
		_, page := p.get(c, "/skill/"+name+"/usage")
		p.has(name, readable(page), "last used 3 hours ago")
		_, calls, _ := strings.Cut(page, "<h2>Its last calls</h2>")
		for _, f := range one.Story {
			p.has(name, readable(calls), f.What, filepath.Base(f.Project), f.ID)
		}
		for _, a := range one.Advice {
			p.has(name, readable(page), a.Text+" "+a.Command)
		}
	}

	store := activity.Store{Dir: h.HistoryDir()}
	for _, r := range []activity.Record{
		{Kind: activity.Run, Skill: "called", OK: true, DurationMS: 1200},
		{Kind: activity.Ask, Label: activity.Try, Skill: "refused", CostUSD: 1.25, OK: true},
		{Kind: activity.Run, Skill: "broken", Category: "NO_REPORT", Job: "b/j"},
		{Kind: activity.Run, Skill: "broken", OK: true, Job: "b/j"},
	} {
		r.Project, r.Time = h.Project, now
		if err := store.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	found, err := store.Read(activity.Query{})
	if err != nil || len(found.Records) != 4 {
		t.Fatal(found, err)
	}
	_, page = p.get(c, "/runs?q=e") // a search unfolds batches
	for _, r := range found.Records {
		p.has("runs", readable(page), r.Name(), string(r.Kind), r.Category)
	}
	p.has("runs", readable(page), "(retried)", "1 retried", "try refused")

	p.sameTry(c)
}

// sameTable compares a table in the terminal with the page that shows it.
func (p *place) sameTable(printed, page string) {
	p.t.Helper()
	printed, _, _ = strings.Cut(printed, "\n\n")
	lines := strings.Split(printed, "\n")
	if len(lines) < 6 {
		p.t.Errorf("no table in\n%s", printed)
	}
	for _, line := range lines[1:] {
		cells := cellGap.Get().Split(line, -1)
		where := pageRow(page, cells[0])
		if strings.HasPrefix(cells[0], "(") { // the row of no skill: it is above the table
			where = readable(page)
		}
		for _, cell := range cells[1:] {
			for _, part := range strings.Split(cell, ", ") {
				words := strings.Fields(part)
				switch {
				case part == "model": // it is the default
				case part == "person":
					p.has(cells[0], where, "by a person")
				case len(words) == 2 && words[1] == "refused", len(words) == 2 && words[1] == "failed",
					len(words) == 2 && words[1] == "unknown":
					p.has(cells[0], where, words[0])
				case strings.HasSuffix(part, " + unknown"):
					p.has(cells[0], where, "at least "+strings.TrimSuffix(part, " + unknown"))
				case strings.HasSuffix(part, " ago"):
					p.has(cells[0], where, "3 hours ago")
				default:
					p.has(cells[0], where, part)
				}
			}
		}
	}
}

// has reports missing words.
func (p *place) has(what, text string, all ...string) {
	p.t.Helper()
	for _, want := range all {
		want = ofNumber.Get().ReplaceAllString(strings.Join(strings.Fields(want), " "), "$1 of $2")
		if !strings.Contains(text, want) {
			p.t.Errorf("%s: no %q in %q", what, want, text)
		}
	}
}

// sameTry compares a try with several arms, misses, scores and unjudged checks.
func (p *place) sameTry(c *http.Client) {
	p.t.Helper()
	yes, no, score := true, false, 0.5
	var trials []eval.Trial
	for run := 1; run <= 3; run++ {
		for _, arm := range []eval.Arm{"with@opus", "without@opus", "against@opus", "with@haiku"} {
			t := eval.Trial{Skill: "called", Case: "one", Arm: arm, Run: run, Fires: true, Outcome: eval.Fired,
				Passed: &yes, CostUSD: 0.5, Score: &score,
				Checks: []eval.CheckResult{{Check: "names the file", OK: &yes}, {Check: "is polite", Why: "the judge was silent"}}}
			if run == 2 || arm.Kind() == eval.Without {
				t.Outcome, t.Passed, t.Checks[0].OK = eval.None, &no, &no
			}
			if run == 3 && arm == "with@haiku" {
				t.Outcome = eval.Void
			}
			trials = append(trials, t)
			p.keep("plan/0001", t)
		}
	}
	dir := filepath.Join(p.site.Runtime.State, "try/plan/0001")
	p.save(filepath.Join(dir, "prompts.json"), map[string]map[string]string{"called": {"one": "Draw the zebra please"}})
	sum := eval.Summarize([]*eval.Subject{{Name: "called", Description: "For called",
		Cases: []eval.Case{{ID: "one", Prompt: "Draw the zebra please", Fires: true}}}}, trials, nil)
	p.save(filepath.Join(dir, "summary.json"), sum)
	_, text := p.get(c, "/try?id=plan/0001&skill=called")
	page := readable(text)
	one := sum.Skills[0]
	for _, row := range one.Totals() {
		p.has("try", page, strings.TrimSpace(row[0]+" "+row[1]))
	}
	p.has("try", page, append(one.Why(), sum.Remarks()...)...)
	p.has("try", page, "lacks: ", "zebra", "$6.00")
	for _, a := range one.Cases[0].Arms {
		p.has("try", page, a.Arm.Title(), a.Counted(), fmt.Sprintf("passed %d/%d", a.Passed.Hits, a.Passed.Of), "score 0.50")
	}
	_, text = p.get(c, "/trial?id=plan/0001&skill=called&case=one&run=2")
	p.has("trial", readable(text), "Draw the zebra please", "names the file", "is polite the judge was silent",
		"With the skill, haiku", "With the skill as it was, opus", "run 3: ")
}
