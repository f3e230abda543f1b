package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/internal/test"
)

// remember adds runs to the history over the last days, as activity.Store.Append does.
func (p *place) remember(n int) {
	p.t.Helper()
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for i := range n {
		sure := 0.5 + float64(i%50)/100
		r := activity.Record{
			Time:       time.Now().Add(-time.Duration(n-i) * 20 * time.Second),
			Kind:       activity.Run,
			Skill:      fmt.Sprintf("skill-%d", i%7),
			Project:    p.dir,
			OK:         i%9 != 0,
			Confidence: &sure,
			DurationMS: float64(i % 5000),
			InputHash:  fmt.Sprint(i % 30),
		}
		if i%3 == 0 {
			r.Kind, r.CostUSD, r.Label, r.Confidence = activity.Ask, 0.01, "<b>label</b>", nil
		}
		if !r.OK {
			r.Category = "timeout"
		}
		if err := out.Encode(r); err != nil {
			p.t.Fatal(err)
		}
	}
	p.put(filepath.Join(p.site.Runtime.HistoryDir(), "current.jsonl"), lines.Bytes())
}

// load lets sessions see a hundred skills each, as session.Claim.Commit does.
func (p *place) load(n int) {
	p.t.Helper()
	for i := range n {
		m := session.Mark{Session: fmt.Sprintf("session-%04d", i/100), Skill: fmt.Sprintf("skill-%02d", i%100), Hash: "h", Time: time.Now()}
		p.mark(m)
	}
}

// mark notes that an agent has seen a skill of the project.
func (p *place) mark(m session.Mark) {
	p.t.Helper()
	m.File = filepath.Join(p.dir, ".claude/skills", m.Skill, "SKILL.md")
	sum := sha256.Sum256([]byte(m.File))
	p.save(filepath.Join(p.site.Runtime.SessionDir(), m.Session, cmp.Or(m.Agent, "@main"), hex.EncodeToString(sum[:16])), m)
}

// see lets a session see one more skill.
func (p *place) see(id, skill string) {
	p.t.Helper()
	c, err := p.site.Runtime.Sessions().Claim(session.ID{Session: id}, skill,
		filepath.Join(p.dir, ".claude/skills", skill, "SKILL.md"), "h")
	if err == nil {
		err = c.Commit()
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// call adds a call of a skill to a Claude Code transcript. The first call creates the transcript.
func (p *place) call(skill string) {
	p.t.Helper()
	file := filepath.Join(p.site.Runtime.Home, ".claude/projects/shop/session.jsonl")
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.t.Fatal(err)
	}
	p.put(file, fmt.Appendf(text, `{"type":"assistant","sessionId":"session","timestamp":%q,"message":{"content":[`+
		`{"type":"tool_use","id":%q,"name":"Skill","input":{"skill":%[2]q}}]}}`+"\n",
		time.Now().UTC().Format(time.RFC3339Nano), skill))
}

// save writes a document.
func (p *place) save(file string, document any) {
	p.t.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		p.t.Fatal(err)
	}
	p.put(file, data)
}

// put writes a file, and creates its folder if necessary.
func (p *place) put(file string, data []byte) {
	p.t.Helper()
	err := os.WriteFile(file, data, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
			err = os.WriteFile(file, data, 0o600)
		}
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// try saves trials of skills, a thousand in each try. All tries but the last are complete. Of
// these, only the fourth still has its trials.
func (p *place) try(n int) {
	p.t.Helper()
	subject := &eval.Subject{}
	for i := range 100 {
		subject.Cases = append(subject.Cases, eval.Case{ID: fmt.Sprintf("case-%02d", i), Fires: true})
	}
	var trials []eval.Trial
	summaries := map[string]*eval.Summary{} // by skill: they are alike
	for i := range n {
		passed := i%4 != 0
		t := eval.Trial{
			Type:       "trial",
			Skill:      fmt.Sprintf("skill-%d", i/1000%7),
			Case:       fmt.Sprintf("case-%02d", i/10%100),
			Arm:        eval.With,
			Run:        i%10 + 1,
			Fires:      true,
			Outcome:    eval.Fired,
			Passed:     &passed,
			CostUSD:    0.01,
			DurationMS: 1500,
		}
		if i%2 == 0 {
			t.Arm, t.Outcome = eval.Without, eval.None
		}
		plan, last := i/1000, (n-1)/1000
		id := fmt.Sprintf("plan-%03d/0001", plan)
		if plan == 3 || plan == last {
			p.keep(id, t)
		}
		if trials = append(trials, t); len(trials) == 1000 && plan < last {
			if summaries[t.Skill] == nil {
				subject.Name = t.Skill
				summaries[t.Skill] = eval.Summarize([]*eval.Subject{subject}, trials, nil)
			}
			p.save(filepath.Join(p.site.Runtime.State, "try", filepath.FromSlash(id), "summary.json"), summaries[t.Skill])
			trials = nil
		}
	}
}

// keep writes a trial as skillhand try does.
func (p *place) keep(id string, t eval.Trial) {
	p.t.Helper()
	t.Type = "trial"
	p.save(filepath.Join(p.site.Runtime.State, "try", filepath.FromSlash(id), t.Skill, t.Case, fmt.Sprintf("%s-%d.json", t.Arm, t.Run)), t)
}

// batch adds a batch of n jobs.
func (p *place) batch(name string, n int) {
	p.t.Helper()
	if p.site.Batches == nil {
		p.site.BatchFile = filepath.Join(p.site.Runtime.State, "batch.db")
		if err := os.MkdirAll(p.site.Runtime.State, 0o777); err != nil {
			p.t.Fatal(err)
		}
		db, err := batch.Open(p.t.Context(), batch.Options{Database: p.site.BatchFile})
		if err != nil {
			p.t.Fatal(err)
		}
		p.t.Cleanup(db.Close)
		p.site.Batches = func() (*batch.DB, error) { return db, nil }
	}
	jobs := make([]batch.Job, n)
	for i := range jobs {
		jobs[i] = batch.Job{ID: fmt.Sprintf("job-%05d", i), Payload: json.RawMessage(`{}`)}
	}
	db, err := p.site.Batches()
	if err == nil {
		_, err = db.Add(p.t.Context(), batch.Name{Name: name}, jobs, batch.Limits{})
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestMuch checks that each list with more than one page shows its first page, searches, sorts,
// pages, and goes back. make bench checks the same with a hundred thousand records.
func TestMuch(t *testing.T) {
	test.Torture(t)
	t.Parallel()
	skills := map[string]string{}
	for i := range 300 {
		skills[fmt.Sprintf("skill-%02d", i)] = fmt.Sprintf("---\nname: skill-%02d\ndescription: Says what it is for\n---\nText\n", i)
	}
	p := newPlace(t, true, skills)
	tab := p.open(t)
	for _, tt := range []struct {
		path, query string // query is the text to search for
		fill        func()
		total, rows int // all items, and the found items on the first page
		sorted      string
	}{
		{path: "/runs?since=all", fill: func() { p.remember(2500) }, query: "skill-3 timeout", total: 2500, rows: 39, sorted: "duration"},
		{path: "/sessions", fill: func() { p.load(6000) }, query: "session-0042", total: 60, rows: 1, sorted: "id"},
		{path: "/session?id=session-0023", query: "skill-42", total: 100, rows: 1, sorted: "skill"},
		{path: "/tries", fill: func() { p.try(60_000) }, query: "skill-3", total: 60, rows: 9, sorted: "cost"},
		{path: "/try?id=plan-003/0001&skill=skill-3", query: "case-42", total: 100, rows: 1, sorted: "with"},
		{path: "/batches", fill: func() {
			for i := range 60 {
				p.batch(fmt.Sprintf("batch-%02d", i), 1)
			}
		}, query: "batch-42", total: 60, rows: 1, sorted: "total"},
		{path: "/batch?name=reviews", fill: func() { p.batch("reviews", 3000) }, query: "job-02424", total: 3000, rows: 1},
		{path: "/skills", query: "skill-277", total: 300, rows: 1, sorted: "tokens"},
	} {
		if tt.fill != nil {
			tt.fill()
		}
		shows := func(what, js string) {
			t.Helper()
			tab.until(`document.readyState === "complete" && ` + js)
			t.Logf("%s: %s: %d ms", tt.path, what,
				evaluate[int](tab, `Math.round(performance.getEntriesByType("navigation")[0].responseEnd)`))
		}
		count := `document.querySelector(".count")?.textContent`
		rows := `document.querySelectorAll(".list tbody tr").length`
		tab.do(chromedp.Navigate(p.base() + tt.path))
		shows("first page", fmt.Sprintf(`%s === 50 && %s.startsWith("%s ")`, rows, count, thousands(tt.total)))
		address := evaluate[string](tab, `location.href`)
		if tt.total > 50 {
			tab.do(chromedp.Click(`a[rel=next]`))
			shows("next page", fmt.Sprintf(`%s > 0 && document.querySelector(".pager").textContent.includes("51 to ") && location.search.includes("p=2")`, rows))
			tab.do(chromedp.NavigateBack())
			shows("back", fmt.Sprintf(`location.href === %q && %s === 50`, address, rows))
		}
		if tt.sorted == "" { // the database lists them in its own order
			tab.do(chromedp.SendKeys("#q", tt.query+"\r"))
			shows("found", fmt.Sprintf(`%s === %d && %s.includes(" of ") && location.search.includes("q=")`, rows, tt.rows, count))
			continue
		}
		tab.do(chromedp.Click(fmt.Sprintf(`.list thead a[href*="sort=%[1]s"], .list thead a[href*="sort=-%[1]s"]`, tt.sorted)))
		shows("sorted", fmt.Sprintf(`%s === 50 && !!document.querySelector("[aria-sort]") && location.search.includes("sort=")`, rows))
		tab.do(chromedp.SendKeys("#q", tt.query+"\r"))
		shows("found", fmt.Sprintf(`%s === %d && %s.includes(" of ") && location.search.includes("q=")`, rows, tt.rows, count))
	}
}
