package page

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/skillhand/skillhand/batch"
	"github.com/skillhand/skillhand/history"
	"github.com/skillhand/skillhand/session"
	"github.com/skillhand/skillhand/try"
)

// remember puts runs into the history, over the last days, as history.Store.Append does.
func (p *place) remember(n int) {
	p.t.Helper()
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for i := range n {
		sure := 0.5 + float64(i%50)/100
		r := history.Record{
			Time:       time.Now().Add(-time.Duration(n-i) * 20 * time.Second),
			Kind:       history.Run,
			Skill:      fmt.Sprintf("skill-%d", i%7),
			Project:    p.dir,
			OK:         i%9 != 0,
			Confidence: &sure,
			DurationMS: float64(i % 5000),
			InputHash:  fmt.Sprint(i % 30),
		}
		if i%3 == 0 {
			r.Kind, r.CostUSD, r.Label, r.Confidence = history.Ask, 0.01, "<b>label</b>", nil
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

// load lets sessions see skills, a hundred each, as session.Claim.Commit does.
func (p *place) load(n int) {
	p.t.Helper()
	for i := range n {
		m := session.Mark{Session: fmt.Sprintf("session-%04d", i/100), Skill: fmt.Sprintf("skill-%02d", i%100), Hash: "h", Time: time.Now()}
		p.mark(m)
	}
}

// mark lets an agent have seen a skill of the project.
func (p *place) mark(m session.Mark) {
	p.t.Helper()
	m.File = filepath.Join(p.dir, ".claude/skills", m.Skill, "SKILL.md")
	sum := sha256.Sum256([]byte(m.File))
	p.save(filepath.Join(p.site.Runtime.SessionDir(), m.Session, cmp.Or(m.Agent, "@main"), hex.EncodeToString(sum[:16])), m)
}

// see lets a session see one skill more.
func (p *place) see(id, skill string) {
	p.t.Helper()
	c, err := p.site.Runtime.Sessions().Claim(session.ID{Session: id}, skill, filepath.Join(p.dir, ".claude/skills", skill, "SKILL.md"), "h")
	if err == nil {
		err = c.Commit()
	}
	if err != nil {
		p.t.Fatal(err)
	}
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

// put writes a file, and makes its folder if there is none.
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

// try keeps trials of skills, a thousand in one try. All tries but the last are complete: of those only the
// fourth still has its trials.
func (p *place) try(n int) {
	p.t.Helper()
	subject := &try.Subject{}
	for i := range 100 {
		subject.Cases = append(subject.Cases, try.Case{ID: fmt.Sprintf("case-%02d", i), Fires: true})
	}
	var trials []try.Trial
	for i := range n {
		passed := i%4 != 0
		t := try.Trial{
			Type:       "trial",
			Skill:      fmt.Sprintf("skill-%d", i/1000%7),
			Case:       fmt.Sprintf("case-%02d", i/10%100),
			Arm:        try.With,
			Run:        i%10 + 1,
			Fires:      true,
			Outcome:    try.Fired,
			Passed:     &passed,
			CostUSD:    0.01,
			DurationMS: 1500,
		}
		if i%2 == 0 {
			t.Arm, t.Outcome = try.Without, try.None
		}
		plan, last := i/1000, (n-1)/1000
		id := fmt.Sprintf("plan-%03d/0001", plan)
		if plan == 3 || plan == last {
			p.keep(id, t)
		}
		if trials = append(trials, t); len(trials) == 1000 && plan < last {
			subject.Name = t.Skill
			p.save(filepath.Join(p.site.Runtime.State, "try", filepath.FromSlash(id), "summary.json"), try.Summarize([]*try.Subject{subject}, trials, nil))
			trials = nil
		}
	}
}

// keep writes a trial as skillhand try does.
func (p *place) keep(id string, t try.Trial) {
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

// A program is skillhand-server as people have it.
type program struct {
	*place
	file string
}

// program builds it, and lets it serve the place instead of the test: the test may be built to find races, and
// would be some ten times slower.
func (p *place) program() *program {
	p.t.Helper()
	it := &program{place: p, file: filepath.Join(p.t.TempDir(), "skillhand-server")}
	if out, err := exec.Command("go", "build", "-o", it.file, "../cmd/skillhand-server").CombinedOutput(); err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
	page := it.command("page", "--no-open")
	out, err := page.StdoutPipe()
	if err == nil {
		err = page.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if err := page.Process.Signal(os.Interrupt); err != nil {
			p.t.Error(err)
		}
		if err := page.Wait(); page.ProcessState.ExitCode() != 130 {
			p.t.Errorf("skillhand-server page: %v", err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	p.server = &Server{Address: strings.TrimSpace(address)}
	return it
}

func (it *program) command(args ...string) *exec.Cmd {
	c := exec.Command(it.file, args...)
	c.Dir, c.Env, c.Stderr = it.dir, it.env, os.Stderr
	return c
}

// add adds a batch of n jobs, from a file.
func (it *program) add(name string, n int) {
	it.t.Helper()
	var jobs bytes.Buffer
	for i := range n {
		fmt.Fprintf(&jobs, `{"id": "job-%05d", "run": ".claude/skills/skill-00"}`+"\n", i)
	}
	file := filepath.Join(it.t.TempDir(), name+".jsonl")
	if err := os.WriteFile(file, jobs.Bytes(), 0o666); err != nil {
		it.t.Fatal(err)
	}
	add := it.command("batch", "add", file)
	add.Env = append(slices.Clone(add.Env), "SKILLHAND_TRUST=all")
	if err := add.Run(); err != nil {
		it.t.Fatal(err)
	}
}

// TestMuch: each list with a hundred thousand records shows its first page, searches, sorts, pages, and goes back.
func TestMuch(t *testing.T) {
	const n = 100_000
	skills := map[string]string{}
	for i := range 1000 {
		skills[fmt.Sprintf("skill-%02d", i)] = fmt.Sprintf("---\nname: skill-%02d\ndescription: Says what it is for\n---\nText\n", i)
	}
	p := newPlace(t, true, skills)
	served := p.program()
	tab := p.open(t, chromium(t))
	for _, tt := range []struct {
		path, query string // what to search for
		fill        func(int)
		total, rows int // of all, and of those that are found on the first page
		sorted      string
	}{
		{path: "/runs?since=all", fill: p.remember, query: "skill-3 timeout", total: n, rows: 50, sorted: "duration"},
		{path: "/sessions", fill: p.load, query: "session-0777", total: n / 100, rows: 1, sorted: "id"},
		{path: "/session?id=session-0123", query: "skill-42", total: 100, rows: 1, sorted: "skill"},
		{path: "/tries", fill: p.try, query: "skill-3", total: n / 1000, rows: 14, sorted: "cost"},
		{path: "/try?id=plan-003/0001&skill=skill-3", query: "case-42", total: 100, rows: 1, sorted: "with"},
		{path: "/batches", fill: func(int) {
			for i := range 100 {
				p.batch(fmt.Sprintf("batch-%02d", i), 1)
			}
		}, query: "batch-42", total: 100, rows: 1, sorted: "total"},
		{path: "/batch?name=reviews", fill: func(n int) { served.add("reviews", n) }, query: "job-04242", total: n, rows: 1},
		{path: "/skills", query: "skill-777", total: 1000, rows: 1, sorted: "tokens"},
	} {
		if tt.fill != nil {
			tt.fill(n)
		}
		shows := func(what, js string) {
			t.Helper()
			tab.until(`document.readyState === "complete" && ` + js)
			t.Logf("%s: %s: %d ms", tt.path, what, eval[int](tab, `Math.round(performance.getEntriesByType("navigation")[0].responseEnd)`))
		}
		count := `document.querySelector(".count")?.textContent`
		rows := `document.querySelectorAll(".list tbody tr").length`
		tab.do(chromedp.Navigate(p.base() + tt.path))
		shows("first page", fmt.Sprintf(`%s === 50 && %s.startsWith("%s ")`, rows, count, thousands(tt.total)))
		address := eval[string](tab, `location.href`)
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
