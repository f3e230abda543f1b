package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/session"
)

// demoSkills are the skills of a shop, more than Claude Code's list has room for.
const demoSkills = `
review: Reviews changed files for faults that no test finds, such as errors that are dropped, locks that are held too long and queries that grow with the number of orders. Use before a merge.
invoice: Writes invoices for customers as PDF, with the right tax for their country and the number that comes next. Use when someone asks for an invoice or a credit note.
refund: Pays money back after a complaint, checks the order's history first, and writes a note for the books. Use for refunds, chargebacks and partial returns.
label: Prints parcel labels with addresses, weights and customs forms for the carriers that we have contracts with.
stock: Counts what lies on the shelves, compares it with the database, and lists what is missing or too much.
price: Finds prices of competitors for a list of articles, converts them to our currency, and says where we are more than a tenth above. Use for price reviews.
mail: Answers letters of customers politely and briefly, in the language that they wrote in, and says what was promised to them before.
deploy: Rolls a version out to one region after another, watches its errors, and rolls back by itself if they grow.
incident: Leads through an incident from the first alarm to the report: who is told, what is switched off, which numbers to watch, and what to write down at each step so that the report writes itself.
migrate-schema: Changes a table of the database without locking it, in steps that can each be taken back, and checks that old and new programs both work in between.
changelog: Writes what changed since the last release for people who use the shop, not for those who build it. Leaves out what nobody sees.
translate: Translates texts of the shop into eleven languages by our glossary, keeps placeholders as they are, and marks what a native speaker should look at.
forecast: Estimates sales of the next weeks from those of past years, holidays and the weather, with an interval and not only a number.
suppliers: Compares offers of suppliers by price, time and how often they were late, and drafts the answer to each.
tax: Says which tax an order has, in which country, and since when, and shows the rule that says so.
shifts: Plans the shifts of the warehouse for a week from wishes, holidays and the forecast.
audit: Collects what an auditor asks for about payments of a period: approvals, changes of bank details, and who could see what, with where each figure comes from and how it was added up.
returns: Sorts returned parcels by reason and says which articles come back more often than others, and since when.
benchmark: Measures the slowest pages of the shop before and after a change, on the same machine, and says whether the difference is more than noise.
secrets: Finds passwords and keys that were committed by mistake, and says how each is taken back and replaced without an outage.
legal: Checks texts about prices, guarantees and privacy against the list of what our lawyers want to see, and marks what needs their word. It is no advice by itself.
`

// demoTails make descriptions as long as many real descriptions.
var demoTails = []string{
	"Say its name, or ask in your own words. Not for questions about how the shop itself works: the handbook answers those, and is newer than any skill. " +
		"It reads the folder of the shop, writes nothing outside, and asks before it sends anything to anybody. Needs the network only to look up holidays.",
	"Starts with what was done last time and goes on from there. Stops at the first doubt and lists what a person has to decide, with the two best " +
		"choices and what each would cost. Works on a copy; the original changes after a yes. Takes a minute for a hundred rows, and says how far it is.",
	"For colleagues without access to the warehouse there is a shorter way through the same steps. Keeps a protocol that can be read years later, " +
		"names its sources, and never guesses a number. When two systems disagree it shows both figures. German and English input, tables as CSV or as text.",
}

const demoReview = `---
name: review
description: %s
argument-hint: what to review
arguments: [file, focus]
---
<skill>
# Review $file

Look at $focus first.

The rules of this project:

` + "```!\ncat RULES.md || true\n```" + `
</skill>

<output>
What the folder has:

!` + "`ls src`" + `

!` + "`cat NOTES.md`" + `
</output>
`

// A demo is a place with a long history and a worker at work. Nothing in it is random.
type demo struct {
	*place
	names []string
	r     *rand.Rand
	now   time.Time
}

func newDemo(t testing.TB) *demo {
	t.Helper()
	skills := map[string]string{}
	var names []string
	for line := range strings.Lines(strings.TrimSpace(demoSkills)) {
		name, description, _ := strings.Cut(strings.TrimSpace(line), ": ")
		names = append(names, name)
		description += " " + demoTails[len(names)%len(demoTails)]
		skills[name] = fmt.Sprintf("---\nname: %s\ndescription: %q\n---\n# %s\n\n%s\n",
			name, description, name, strings.Repeat("Do this, then that. ", 20+len(description)/2))
	}
	_, about, _ := strings.Cut(demoSkills, "review: ")
	about, _, _ = strings.Cut(about, "\n")
	skills["review"] = fmt.Sprintf(demoReview, about)
	skills["stock"] = strings.Replace(skills["stock"], "name: stock", "name: stock\nuser_invocable: true", 1) // causes a finding
	d := &demo{place: newPlace(t, true, skills), names: names, r: rand.New(rand.NewPCG(1, 2)), now: time.Now()}
	for name := range skills { // the skills are older than their use
		file := filepath.Join(d.dir, ".claude/skills", name, "SKILL.md")
		d.must(os.Chtimes(file, d.now.AddDate(0, -3, 0), d.now.AddDate(0, -3, 0)))
	}
	d.put(filepath.Join(d.dir, ".claude", "settings.json"),
		[]byte(`{"model": "claude-haiku-4-5", "disableBundledSkills": true}`)) // its list is short
	d.put(filepath.Join(d.dir, "RULES.md"), []byte("1. Errors name the thing, then the fault.\n2. A command is one file.\n"))
	d.put(filepath.Join(d.dir, "src", "auth.go"), nil)
	d.put(filepath.Join(d.dir, "src", "login.go"), nil)
	d.history()
	d.sessions()
	d.tries()
	d.transcripts()
	d.batches()
	return d
}

// history adds days without runs, a day of failures, and a batch.
func (d *demo) history() {
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for day := 29; day >= 0; day-- {
		if day%7 == 2 || day%7 == 3 {
			continue
		}
		for range 3 + d.r.IntN(8) {
			sure := 0.5 + d.r.Float64()/2
			r := activity.Record{
				Time:       d.now.AddDate(0, 0, -day).Add(-time.Duration(d.r.IntN(600)) * time.Minute),
				Kind:       activity.Run,
				Skill:      d.names[d.r.IntN(9)],
				Project:    d.dir,
				OK:         day != 12 && d.r.IntN(7) > 0,
				Confidence: &sure,
				DurationMS: 200 + d.r.ExpFloat64()*9000,
				InputHash:  fmt.Sprintf("%08x", d.r.IntN(20)),
			}
			if d.r.IntN(3) == 0 {
				r.Kind, r.Confidence, r.CostUSD, r.Label = activity.Ask, nil, 0.01+d.r.Float64()/5, "Is "+r.Skill+" right?"
			}
			if !r.OK {
				r.Category = []string{"timeout", "CLAIM_FALSE", "rate_limit", "NO_REPORT"}[d.r.IntN(4)]
			}
			d.must(out.Encode(r))
		}
	}
	for i := range 33 {
		r := activity.Record{
			Time:       d.now.Add(-time.Duration(40-i) * time.Minute),
			Kind:       activity.Ask,
			Label:      "Review a file",
			Job:        fmt.Sprintf("reviews/src/file%d.go", i),
			Project:    d.dir,
			OK:         i%9 != 4,
			DurationMS: float64(9000 + i*400),
			CostUSD:    0.07,
		}
		if !r.OK {
			r.Category, r.Detail = "rate_limit", "asked to wait for an hour"
		}
		d.must(out.Encode(r))
	}
	d.put(filepath.Join(d.site.Runtime.HistoryDir(), "current.jsonl"), lines.Bytes())
}

func (d *demo) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// id returns a session id as an agent would create it.
func (d *demo) id() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", d.r.Uint32(), d.r.IntN(1<<16), d.r.IntN(1<<12), d.r.IntN(1<<12), d.r.Int64N(1<<48))
}

func (d *demo) sessions() {
	for i := range 14 {
		id := d.id()
		for range 1 + d.r.IntN(6) {
			m := session.Mark{Session: id, Skill: d.names[d.r.IntN(len(d.names))], Hash: "h",
				Time: d.now.Add(-time.Duration(i*9*60+d.r.IntN(90)) * time.Minute)}
			if d.r.IntN(4) == 0 {
				m.Agent = "reviewer"
			}
			d.mark(m)
		}
	}
}

func (d *demo) tries() {
	prompts := map[string]string{
		"plain": "Review src/auth.go before I merge it.", "in-other-words": "Have a look at what I changed, is it safe to ship?",
		"two-at-once": "Review src/auth.go and src/login.go, and say which one is worse.", "near-miss": "What is a code review good for?",
		"long": "I changed how tokens are renewed: the loop in src/auth.go retries three times now and waits longer each time. Is that right?",
	}
	for n, one := range []struct {
		skill         string
		with, without float64
	}{{"review", 0.95, 0.45}, {"invoice", 0.8, 0.75}, {"refund", 0.9, 0.3}, {"price", 0.5, 0.6}, {"mail", 0.3, 0.9}, {"deploy", 1, 0}} {
		for c := range 5 {
			for run := range 4 {
				for arm, share := range map[eval.Arm]float64{eval.With: one.with, eval.Without: one.without} {
					passed := float64((c*4+run)*7%20) < share*20
					t := eval.Trial{
						Skill:      one.skill,
						Case:       []string{"plain", "in-other-words", "two-at-once", "near-miss", "long"}[c],
						Arm:        arm,
						Run:        run + 1,
						Fires:      c != 3,
						Outcome:    eval.None,
						Passed:     &passed,
						CostUSD:    0.02,
						DurationMS: 4000,
					}
					if arm == eval.With && c != 3 && (c*4+run)%11 != 5 {
						t.Outcome = eval.Fired
					}
					t.Checks = []eval.CheckResult{{Check: "the answer names src/auth.go:42", OK: &passed}}
					if !passed {
						t.Checks[0].Why = "it says: I found nothing unusual in these files."
					}
					id := fmt.Sprintf("plan-%d/0001", n)
					d.keep(id, t)
					dir := filepath.Join(d.site.Runtime.State, "try", filepath.FromSlash(id))
					d.save(filepath.Join(dir, "prompts.json"), map[string]map[string]string{one.skill: prompts})
					d.put(filepath.Join(dir, t.Skill, t.Case, fmt.Sprintf("%s-%d.jsonl", arm, t.Run)), []byte(demoTalk))
				}
			}
		}
	}
}

// demoTalk is the conversation of an agent in a trial.
const demoTalk = `{"type":"system","subtype":"init","model":"claude-opus-5-5","claude_code_version":"2.1.325"}
{"type":"assistant","message":{"content":[{"type":"text","text":"I look at it."}]}}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cat src/auth.go"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"func renew() {\n\tfor range 3 {\n\t}\n}"}]}}
{"type":"assistant","message":{"content":[{"type":"text","text":"src/auth.go:42 drops the error of the last attempt."}]}}
`

// transcripts writes the transcripts that Claude Code would have left. Most skills fire. One is
// refused, one fails, one is lost to another, one is costly, and one is in no list.
func (d *demo) transcripts() {
	offered := d.names[:len(d.names)-1]
	text := "- " + strings.Join(offered, ": What it is for.\n- ") + ": What it is for."
	for day := range 30 {
		if day%7 == 2 {
			continue
		}
		for range 1 + d.r.IntN(3) {
			w := &demoTranscript{d: d, id: d.id(), now: d.now.AddDate(0, 0, -day).Add(-time.Duration(d.r.IntN(300)) * time.Minute)}
			w.line(map[string]any{"type": "attachment",
				"attachment": map[string]any{"type": "skill_listing", "names": offered, "content": text}})
			for range 2 + d.r.IntN(5) {
				w.call(d.names[d.r.IntN(11)])
			}
			d.put(filepath.Join(d.site.Runtime.Home, ".claude/projects/shop", w.id+".jsonl"), w.text.Bytes())
		}
	}
}

type demoTranscript struct {
	d    *demo
	id   string
	now  time.Time
	n    int
	text bytes.Buffer
}

func (w *demoTranscript) line(fields map[string]any) {
	w.now = w.now.Add(20 * time.Second)
	fields["sessionId"], fields["cwd"], fields["version"], fields["timestamp"] = w.id, w.d.dir, "2.1.325", w.now.UTC().Format(time.RFC3339)
	w.d.must(json.NewEncoder(&w.text).Encode(fields))
}

func (w *demoTranscript) turn(content ...any) {
	w.n++
	use := map[string]int{"input_tokens": 300, "output_tokens": 400 + w.d.r.IntN(900), "cache_read_input_tokens": 30_000}
	w.line(map[string]any{
		"type": "assistant", "requestRef": fmt.Sprint(w.id, w.n),
		"message": map[string]any{"model": "claude-opus-5-5", "usage": use, "content": content},
	})
}

func (w *demoTranscript) said(content any, more map[string]any) {
	fields := map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": content}}
	for k, v := range more {
		fields[k] = v
	}
	w.line(fields)
}

// call adds a prompt, the skill that the model chooses for it, and its work.
func (w *demoTranscript) call(skill string) {
	w.said("please", nil)
	var result any = map[string]any{"success": true, "commandName": skill}
	turns := 1 + w.d.r.IntN(5)
	switch skill {
	case "deploy":
		result = "Error: Skill execution blocked by permission rules"
	case "incident":
		result = "Error: Shell command failed"
	case "price":
		turns = 60
	}
	id := fmt.Sprint("toolu_", w.n)
	w.turn(map[string]any{"type": "tool_use", "id": id, "name": "Skill", "input": map[string]any{"skill": skill}})
	w.said([]any{map[string]any{"type": "tool_result", "tool_use_id": id}}, map[string]any{"toolUseResult": result})
	if _, ok := result.(string); !ok {
		w.said([]any{map[string]any{"type": "text", "text": strings.Repeat("text ", 900)}},
			map[string]any{"isMeta": true, "sourceToolUseID": id})
	}
	for range turns {
		w.turn(map[string]any{"type": "text", "text": "done"})
	}
	if skill == "mail" { // it was not the skill that the person wanted
		w.said("<command-name>/returns</command-name>", nil)
		w.said([]any{map[string]any{"type": "text", "text": "text"}}, map[string]any{"isMeta": true})
		w.turn(map[string]any{"type": "text", "text": "done"})
	}
}

// batches adds a finished batch, a batch that has used up its budget, and a batch that a worker
// runs until the test ends.
func (d *demo) batches() {
	d.batch("nightly", 12)
	db, err := d.site.Batches()
	d.must(err)
	nightly, err := db.Find(d.t.Context(), "nightly")
	d.must(err)
	prices := d.jobs("prices", 80, batch.Limits{BudgetUSD: 3, Concurrency: 1})
	stop := d.work(nightly[0].ID, prices)
	d.until(prices, func(s *batch.Status) bool { return s.Short && s.Open == 0 })
	stop()
	reviews := d.jobs("reviews", 120, batch.Limits{BudgetUSD: 25})
	d.t.Cleanup(d.work(reviews))
	d.until(reviews, func(s *batch.Status) bool {
		running, err := db.Running(d.t.Context(), reviews)
		d.must(err)
		return s.Done+s.Failed == 75 && len(running) > 0 && running[0].Note != ""
	})
}

// jobs adds a batch whose jobs have their number as payload.
func (d *demo) jobs(name string, n int, limits batch.Limits) int64 {
	jobs := make([]batch.Job, n)
	for i := range jobs {
		jobs[i] = batch.Job{ID: fmt.Sprintf("src/file%03d.go", i), Payload: json.RawMessage(fmt.Sprint(i)), MaxUSD: 0.5}
	}
	db, err := d.site.Batches()
	d.must(err)
	added, err := db.Add(d.t.Context(), batch.Name{Name: name}, jobs, limits)
	d.must(err)
	return added.ID
}

// work lets a worker run jobs until stop is called. Some reviews fail, and the last reviews do not
// end.
func (d *demo) work(batches ...int64) (stop func()) {
	db, err := d.site.Batches()
	d.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	w := &batch.Worker{DB: db, Slots: 8, Batches: batches,
		Do: func(ctx context.Context, payload json.RawMessage) (json.RawMessage, batch.Retry) {
			var i int
			_ = json.Unmarshal(payload, &i) // an object is 0
			switch {
			case batch.Current(ctx).Batch == "reviews" && i >= 75:
				batch.Note(ctx, "reading the third of five files")
				<-ctx.Done()
			case batch.Current(ctx).Batch == "reviews" && i%17 == 5:
				return nil, batch.Retry{Error: "claude: rate limited, retry after 1h", CostUSD: 0.01}
			}
			return json.RawMessage(`{}`), batch.Retry{CostUSD: 0.07}
		}}
	go func() { ended <- w.Run(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			d.t.Error(err)
		}
	}
}

// until waits for a state of a batch.
func (d *demo) until(id int64, ok func(*batch.Status) bool) {
	d.t.Helper()
	db, err := d.site.Batches()
	d.must(err)
	for limit := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		s, err := db.Status(d.t.Context(), id)
		d.must(err)
		if ok(s) {
			return
		}
		if time.Now().After(limit) {
			d.t.Fatalf("never so: %+v", s)
		}
	}
}

// TestDemo runs several checks on the shop, which takes long to build.
func TestDemo(t *testing.T) {
	t.Parallel()
	d := newDemo(t)
	tab := d.open(t)
	t.Run("views", func(t *testing.T) { d.testViews(t, tab) })
	t.Run("picture", func(t *testing.T) { d.testPicture(t, tab) })
	t.Run("jobs", d.testJobsFirst)
	t.Run("usage", d.testUsage)
	tab.t = t
}

// testViews checks that each view fits the window and has no serious accessibility problem.
func (d *demo) testViews(t *testing.T, tab *browserTab) {
	script := axe(t)
	for _, path := range []string{
		"/skills", "/skill/review?arg=src%2Fauth.go&arg=the+retry+loop", "/skill/stock",
		"/skill/stock/findings", "/skill/price/usage", "/skill/review/tries",
		"/skill/review/runs", "/usage", "/runs", d.link("/runs", "/run?"), "/sessions", d.link("/sessions", "/session?"), "/batches",
		"/batch?name=reviews", "/batch?name=prices", d.link("/batch?name=reviews&q=failed", "/job?"), "/tries",
		"/try?id=plan-0/0001&skill=review", "/trial?id=plan-0/0001&skill=review&case=plain&run=2",
	} {
		t.Run(viewName(path), func(t *testing.T) {
			tab.t = t
			tab.do(chromedp.Navigate(d.base()+path), chromedp.WaitReady("main"))
			if strings.HasPrefix(path, "/skill/review?") {
				tab.do(chromedp.Click("[data-run]"), chromedp.WaitVisible(".page .out"))
			}
			tab.fits(script)
		})
	}
}

// testPicture takes the screenshots for the documentation: make picture saves them in the folder
// that SKILLHAND_PICTURE names.
func (d *demo) testPicture(t *testing.T, tab *browserTab) {
	tab.t = t
	for name, path := range map[string]string{"page.png": "/skills", "tries.png": "/tries"} {
		tab.do(chromedp.Navigate(d.base()+path), chromedp.WaitReady("main"))
		tab.size(1280, false)
		picture := run(tab, chromedp.CaptureScreenshot())
		if shot, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || shot.Width != 1280 {
			t.Errorf("%s: %d pixels in width, %v", name, shot.Width, err)
		}
		if dir := os.Getenv("SKILLHAND_PICTURE"); dir != "" {
			d.put(filepath.Join(dir, name), picture)
		}
	}
}

// testJobsFirst checks that running jobs come first, then failed, queued and all other jobs, and
// that a search by state finds each.
func (d *demo) testJobsFirst(t *testing.T) {
	c := d.client()
	states := func(query string) (all []string) {
		t.Helper()
		for path := "/batch?name=reviews" + query; path != ""; {
			status, text := d.get(c, path)
			if status != 200 {
				t.Fatalf("%s: %d", path, status)
			}
			for _, cell := range strings.Split(text, `<td data-head="State">`)[1:] {
				_, word, _ := strings.Cut(cell, "<bdi>")
				word, _, _ = strings.Cut(word, "</bdi>")
				all = append(all, word)
			}
			_, pager, _ := strings.Cut(text, `<nav class="pager"`)
			before, _, ok := strings.Cut(pager, `" rel="next"`)
			if path = ""; ok {
				path = strings.ReplaceAll(before[strings.LastIndex(before, `href="`)+len(`href="`):], "&amp;", "&")
			}
		}
		return all
	}
	count := func(all []string) string {
		var said []string
		for i := 0; i < len(all); {
			n := 0
			for i+n < len(all) && all[i+n] == all[i] {
				n++
			}
			said = append(said, fmt.Sprint(n, " ", all[i]))
			i += n
		}
		return strings.Join(said, ", ")
	}
	for query, want := range map[string]string{
		"": "8 running, 5 failed, 37 queued, 70 done", "&q=running": "8 running", "&q=queued": "37 queued", "&q=wait": "37 queued",
		"&q=open": "8 running, 37 queued",
		"&q=fail": "5 failed", "&q=rate+limited": "5 failed", "&q=fail+file00": "1 failed", "&q=done+file00": "9 done", "&q=nothing": "",
	} {
		if got := count(states(query)); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if _, text := d.get(c, "/batch?name=reviews"); !strings.Contains(text, `aria-label="8 running, 5 failed, 70 done, 37 queued"`) ||
		!strings.Contains(text, "<strong>$4.95 of $25.00</strong>") {
		t.Errorf("the field and the budget:\n%s", text)
	}
}

// testUsage checks that the view shows the agents' activity by skill and day, with advice.
func (d *demo) testUsage(t *testing.T) {
	_, text := d.get(d.client(), "/usage")
	for _, want := range []string{
		`calls refused: allow Skill(deploy)`, `<bdi>incident</bdi></a> <span class="why"><bdi>`,
		`<bdi>legal</bdi></a> <span class="why"><bdi>installed, but missing from the list in all of `,
		`<bdi>returns</bdi></a> <span class="why"><bdi>people called it`,
		`<bdi>price</bdi></a> <span class="why"><bdi>a call costs $`, `class="days"`, ` calls"/>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "please") || strings.Contains(text, "text text") {
		t.Error("a text left a transcript")
	}
}

// hostileText must stay text wherever it is shown.
const hostileText = "</title></style></script></svg></section></main>--><script>window.hacked=1</script><img src=x onerror=window.hacked=1><a href=javascript:window.hacked=1>x</a><style>*{display:none}</style><svg/onload=window.hacked=1>{{.}}\"'`\u202e\u2028"

// TestExportHostile checks that an export is safe with any text in skills, runs, jobs, tries,
// sessions and transcripts.
func TestExportHostile(t *testing.T) {
	t.Parallel()
	front, err := json.Marshal(hostileText)
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, true, map[string]string{"evil": fmt.Sprintf("---\nname: %s\ndescription: %[1]s\nargument-hint: %[1]s\narguments: [%[1]s]\nunknown%[1]s: 1\n---\n%[2]s\n\n!`cat ${CLAUDE_SKILL_DIR}/SKILL.md`\n", front, hostileText)})
	d := &demo{place: p, names: []string{hostileText, hostileText + "2"}, now: time.Now()}
	p.write("evil/"+strings.ReplaceAll(hostileText, "/", ""), "x") // a file with such a name
	p.put(filepath.Join(p.dir, ".claude/skills", strings.ReplaceAll(hostileText, "/", ""), "SKILL.md"),
		[]byte("---\ndescription: x\n---\ny\n"))

	r := activity.Record{Time: d.now, Kind: activity.Ask, Skill: hostileText, Label: hostileText, Category: hostileText,
		Detail: hostileText, Project: hostileText, Session: hostileText, InputHash: hostileText, DurationMS: 1, CostUSD: 1}
	var lines bytes.Buffer
	for _, job := range []string{"", hostileText + "/" + hostileText} {
		for _, r.OK = range []bool{true, false} {
			r.Job = job
			d.must(json.NewEncoder(&lines).Encode(r))
		}
	}
	p.put(filepath.Join(p.site.Runtime.HistoryDir(), "current.jsonl"), lines.Bytes())
	p.mark(session.Mark{Session: "s1", Skill: hostileText, Time: d.now})
	passed := true
	for _, arm := range []eval.Arm{eval.With, eval.Without} {
		trial := eval.Trial{Type: "trial", Skill: hostileText, Case: hostileText, Arm: arm, Run: 1, Fires: true,
			Outcome: eval.Fired, Passed: &passed, CostUSD: 1}
		p.save(filepath.Join(p.site.Runtime.State, "try", "plan-1", "0001", "skill", "case", string(arm)+"-1.json"), trial)
	}
	w := &demoTranscript{d: d, id: "s1", now: d.now.Add(-time.Hour)}
	d.r = rand.New(rand.NewPCG(1, 2))
	w.line(map[string]any{"type": "attachment", "attachment": map[string]any{"type": "skill_listing", "names": d.names,
		"content": "- " + hostileText + ": " + hostileText}})
	w.call(hostileText)
	w.line(map[string]any{"type": "assistant", "requestRef": "m",
		"message": map[string]any{"model": hostileText, "usage": map[string]int{"input_tokens": 5}}})
	p.put(filepath.Join(p.site.Runtime.Home, ".claude/projects", "x", "s1.jsonl"),
		append(bytes.ReplaceAll(w.text.Bytes(), []byte("2.1.325"), []byte("<script>")), "no json\n"...))
	p.batch(hostileText, 1)
	d.hostileJob()

	dir := t.TempDir()
	file := filepath.Join(dir, "site.html")
	n, err := p.site.Export(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	d.must(err)
	for _, view := range bytes.Split(text, []byte(`<section class="view"`))[1:] {
		if !bytes.Contains(view, []byte("&lt;script&gt;window.hacked=1&lt;/script&gt;")) {
			t.Errorf("nothing hostile is in this view:\n%.300s", view)
		}
	}
	tab := newTab(t).watch("file://" + dir + "/")
	tab.do(chromedp.Navigate("file://" + file))
	const state = `[typeof window.hacked, document.images.length, document.scripts.length, document.styleSheets.length, document.forms.length,
		[...document.links].filter(a => !a.getAttribute("href").startsWith("#")).length, document.querySelectorAll("main script, main style, main iframe, main object, main meta, main base").length,
		[...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => a.name.startsWith("on"))).length, document.querySelectorAll(".view").length, document.body.lastElementChild.localName].join()`
	want := fmt.Sprintf("undefined,0,1,1,0,0,0,0,%d,script", n)
	for _, view := range evaluate[[]string](tab, `[...document.querySelectorAll(".view")].map(e => e.id)`) {
		tab.do(chromedp.Navigate("file://" + file + "#" + view))
		if got := evaluate[string](tab, state); got != want {
			t.Errorf("%s: %s, want %s", view, got, want)
		}
		if got := evaluate[string](tab, `[...document.querySelectorAll(".view")].filter(e => e.checkVisibility()).map(e => e.id).join()`); got != view {
			t.Errorf("%s leads to %q", view, got)
		}
	}
}

// hostileJob fails a job of the batch with such a name.
func (d *demo) hostileJob() {
	db, err := d.site.Batches()
	d.must(err)
	payload, err := json.Marshal(hostileText)
	d.must(err)
	added, err := db.Add(d.t.Context(), batch.Name{Name: hostileText + " 2"},
		[]batch.Job{{ID: hostileText, Payload: payload}}, batch.Limits{})
	d.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	w := &batch.Worker{DB: db, Do: func(ctx context.Context, _ json.RawMessage) (json.RawMessage, batch.Retry) {
		batch.Note(ctx, hostileText)
		return payload, batch.Retry{Error: hostileText, Log: hostileText}
	}}
	go func() { ended <- w.Run(ctx) }()
	d.until(added.ID, func(s *batch.Status) bool { return s.Failed == 1 })
	cancel()
	d.must(<-ended)
}
