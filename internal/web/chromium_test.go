package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/test"
)

// browser is shared by all tests: the first test that needs it starts it, and TestMain ends it.
var browser struct {
	start sync.Once
	ctx   context.Context
	end   func()
	err   error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if browser.end != nil {
		browser.end()
	}
	os.Exit(code)
}

func startBrowser() (ctx context.Context, end func(), err error) {
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		return nil, nil, errors.New("chromium is not installed")
	}
	dir, err := os.MkdirTemp("", "skillhand-chromium-")
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WSURLReadTimeout(2*time.Minute))
	ctx, cancelAll := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(ctx)
	return ctx, func() { cancel(); cancelAll(); os.RemoveAll(dir) }, chromedp.Do(ctx)
}

// newTab opens a tab that shares nothing with the tabs of other tests and that closes with the
// test. The test waits for pages more than it works, so other tests run in parallel.
func newTab(t testing.TB) *browserTab {
	t.Helper()
	browser.start.Do(func() { browser.ctx, browser.end, browser.err = startBrowser() })
	if browser.err != nil {
		test.Lacking(t, browser.err)
	}
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	return &browserTab{t: t, ctx: ctx}
}

// A browserTab is a tab of the browser. It notes events that must not happen.
type browserTab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	faults   []string
	expected string // a part of every expected error; "" if none is expected
}

// open opens a tab and admits it to the dashboard.
func (p *place) open(t testing.TB) *browserTab {
	t.Helper()
	tab := newTab(t).watch(p.base() + "/")
	tab.do(chromedp.Navigate(p.server.Address))
	return tab
}

// watch notes errors, dialogs and requests to other hosts until the test ends.
func (tab *browserTab) watch(origin string) *browserTab {
	note := func(format string, a ...any) {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		tab.faults = append(tab.faults, fmt.Sprintf(format, a...))
	}
	console, requests, dialogs := chromedp.Console(tab.ctx), chromedp.Events(tab.ctx,
		network.RequestWillBeSent), chromedp.Events(tab.ctx, page.JavascriptDialogOpening)
	if _, err := chromedp.Call(tab.ctx, network.Enable, network.EnableParams{}); err != nil {
		tab.t.Fatal(err)
	}
	each(console, func(m chromedp.ConsoleMessage) { note("console: %s", m) })
	each(dialogs, func(e page.EventJavascriptDialogOpening) { note("dialog: %s", e.Message) })
	each(requests, func(e network.EventRequestWillBeSent) {
		if !strings.HasPrefix(e.Request.URL, origin) {
			note("asked for %s", e.Request.URL)
		}
	})
	tab.t.Cleanup(func() {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		for _, f := range tab.faults {
			if tab.expected == "" || !strings.Contains(f, tab.expected) {
				tab.t.Error(f)
			}
		}
	})
	return tab
}

// each handles events until their tab closes.
func each[E any](events iter.Seq2[E, error], f func(E)) {
	go func() {
		for e, err := range events {
			if err != nil {
				return
			}
			f(e)
		}
	}()
}

// run acts in a tab. The limit allows for a very busy machine.
func run[T any](tab *browserTab, a chromedp.Action[T]) T {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, 5*time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		tab.t.Fatal(err)
	}
	return v
}

func (tab *browserTab) do(steps ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	run(tab, chromedp.Steps(steps...))
}

func evaluate[T any](tab *browserTab, js string) T {
	tab.t.Helper()
	return run(tab, chromedp.Evaluate[T](js))
}

// until waits until an expression is true, even across navigations.
func (tab *browserTab) until(js string) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool](js))
		if yes {
			return
		}
		select {
		case <-ctx.Done():
			tab.t.Fatalf("never true: %s (%v)", js, err)
		case <-tick.C:
		}
	}
}

// point moves the pointer to an element.
func (tab *browserTab) point(selector string) {
	tab.t.Helper()
	at := evaluate[[]float64](tab,
		fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"}); const r = e.getClientRects()[0]; return [r.x + r.width/2, r.y + r.height/2] })()`,
			selector))
	tab.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
}

func (tab *browserTab) size(width int, dark bool) {
	tab.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	tab.do(chromedp.EmulateViewport(int64(width), int64(max(width*9/16, 740))))
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}
	if _, err := chromedp.Call(tab.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		tab.t.Fatal(err)
	}
}

// pageText reads the text of a preview's page.
const pageText = `[...document.querySelectorAll(".page")].map((e) => e.textContent).join("\n")`

// lit lists the highlighted directives, with a word for each element.
const lit = `[...document.querySelectorAll(".lit")].map(e => e.tagName + e.dataset.d).join(" ")`

func TestLive(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true, map[string]string{"hello": hello})
	tab := p.open(t)
	tab.do(chromedp.Navigate(p.base() + "/skill/hello"))
	tab.until(pageText + `.includes("Hello $0")`)

	t.Log("a save changes the page, the form stays")
	tab.do(chromedp.SendKeys(`#f0`, "world"))
	tab.until(pageText + `.includes("Hello world") && location.search.includes("args=world")`)
	began := time.Now()
	p.write("hello", strings.Replace(hello, "Hello", "Good day", 1))
	tab.until(pageText + `.includes("Good day world")`)
	t.Logf("from save to page: %v", time.Since(began))
	if got := evaluate[string](tab, `document.querySelector("#f0").value + document.activeElement.id`); got != "worldf0" {
		t.Errorf("the field is %q after a save", got)
	}

	t.Log("the button runs it")
	tab.do(chromedp.Click(`[data-run]`), chromedp.WaitVisible(`.page .out`))
	if got := evaluate[string](tab, `document.querySelector(".page .out").textContent + location.search`); got != "one?args=world&use=first" {
		t.Errorf("after a run: %q", got)
	}
	if got := evaluate[string](tab,
		`[...document.querySelectorAll(".strip tbody tr")].map(r => [...r.cells].map(c => c.textContent).join("|").replace(/\d+(\.\d+)? ?m?s\|/, "T|")).join(" ")`); got !=
		"5|echo one|shell|0|T|4 B 7|echo two >&2; exit 3|shell|3|T|4 B" {
		t.Errorf("the strip is %q", got)
	}

	t.Log("a directive and its output light up together")
	for _, selector := range []string{`.src [data-d="1"]`, `.page [data-d="1"]`} {
		tab.point("h1")
		if got := evaluate[string](tab, lit); got != "" {
			t.Errorf("lit without a pointer: %s", got)
		}
		tab.point(selector)
		if got := evaluate[string](tab, lit); got != "SPAN1 SPAN1 TR1" {
			t.Errorf("over %s: lit %q", selector, got)
		}
	}
	tab.do(chromedp.Focus(`[data-go="2"]`))
	if got := evaluate[string](tab, lit); !strings.HasSuffix(got, "TR2") {
		t.Errorf("by keyboard: lit %q", got)
	}

	t.Log("a skill that is gone is said to be")
	if err := os.RemoveAll(filepath.Join(p.dir, ".claude/skills/hello")); err != nil {
		t.Fatal(err)
	}
	tab.until(`document.querySelector("main > [role=alert]")?.textContent.startsWith("This cannot be shown any more; below is how it was. hello: no such skill")`)
	tab.expect("404")

	t.Log("and shows when it comes again")
	if err := os.Mkdir(filepath.Join(p.dir, ".claude/skills/hello"), 0o777); err != nil {
		t.Fatal(err)
	}
	tab.quiet()
	p.write("hello", strings.Replace(hello, "Hello", "Back", 1))
	tab.until(pageText + `.includes("Back world") && !document.querySelector("[role=alert]")`)

	t.Log("what never was there is not said to have been")
	tab.do(chromedp.Navigate(p.base() + "/skill/new"))
	tab.until(`document.querySelector("main").textContent.includes("new: no such skill")`)
	p.write("new", "\x00")
	tab.until(`document.querySelector("main").textContent.includes("not a text file") && !document.querySelector("[role=alert]")`)
	p.write("new", hello)
	tab.until(`!!document.querySelector(".page")`)
}

// TestStop checks that a run ends when it is stopped in any way, and that the page is live
// afterwards.
func TestStop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	slow := "---\nname: slow\ndescription: x\n---\nText !`touch " + dir + "/began; trap 'touch " + dir +
		"/ended' EXIT; while test -e " + dir + "/began; do sleep 0.1; done`\n"
	p := newPlace(t, true, map[string]string{"slow": slow})
	tab := p.open(t)
	tab.do(chromedp.Navigate(p.base() + "/skill/slow"))
	for i, stop := range []func(){
		func() { tab.do(chromedp.Click(`[data-stop]`)) },
		func() { tab.do(chromedp.KeyEvent("\x1b")) },
		func() { evaluate[int](tab, `(window.stop(), 0)`) },
		func() {
			if _, err := chromedp.Call(tab.ctx, page.StopLoading, cdp.Empty{}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		tab.do(chromedp.Click(`[data-run]`), chromedp.WaitVisible(`[data-stop]`))
		for !files.IsFile(filepath.Join(dir, "began")) {
			time.Sleep(10 * time.Millisecond)
		}
		stop()
		tab.until(`document.querySelector("[data-run]").textContent === "Run" && !document.querySelector("[data-stop]") && /^The run was (stopped|cut off)/.test(document.querySelector("main > [role=alert]").textContent)`)
		word := fmt.Sprintf("Changed %d", i)
		p.write("slow", strings.Replace(slow, "Text", word, 1))
		tab.until(pageText + `.includes("` + word + `")`)
		if got := evaluate[string](tab, `document.querySelector("main > [role=alert]").textContent`); strings.Contains(got, "has ended") {
			t.Errorf("%d: %s", i, got)
		}
		if err := os.Remove(filepath.Join(dir, "began")); err != nil {
			t.Fatal(err)
		}
	}
}

// another opens another tab of the same browser.
func (tab *browserTab) another(p *place) (further *browserTab, shut func()) {
	tab.t.Helper()
	ctx, cancel := chromedp.NewContext(tab.ctx)
	tab.t.Cleanup(cancel)
	return (&browserTab{t: tab.t, ctx: ctx}).watch(p.base() + "/"), cancel
}

// TestManyTabs checks that more than six tabs show a save, although a browser opens only six
// connections to a server. The tabs share one stream, whichever of them closes. When the last tab
// closes, the stream ends.
func TestManyTabs(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true, map[string]string{"hello": hello})
	first := p.open(t)
	tabs := []*browserTab{first}
	var shuts []func()
	for range 12 {
		tab, shut := first.another(p)
		tabs, shuts = append(tabs, tab), append(shuts, shut)
	}
	for _, tab := range tabs {
		tab.do(chromedp.Navigate(p.base() + "/skill/hello"))
	}
	seen := 0
	says := func(word string) {
		t.Helper()
		p.write("hello", strings.Replace(hello, "Hello", word, 1))
		seen = 0
		for _, tab := range tabs {
			if evaluate[bool](tab, `document.hidden`) {
				if _, err := chromedp.Call(tab.ctx, page.BringToFront, cdp.Empty{}); err != nil {
					t.Fatal(err)
				}
			} else {
				seen++
			}
			tab.until(pageText + `.includes("` + word + `")`)
		}
	}
	says("Good day")
	t.Logf("%d of %d tabs are seen at once", seen, len(tabs))
	if n := p.server.watch.Listeners(); n != 1 {
		t.Errorf("%d streams for all tabs", n)
	}
	shuts[0]()
	tabs = append(tabs[:1], tabs[2:]...)
	first.do(chromedp.Navigate("about:blank")) // this tab had the stream
	tabs = tabs[1:]
	says("Good night")
	for _, shut := range shuts {
		shut()
	}
	for limit := time.Now().Add(5 * time.Minute); p.server.watch.Listeners() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("a stream outlives all tabs")
		}
	}
}

// TestHiddenTab checks that a hidden tab has no stream and sends no requests, and that it shows
// saved changes when it is visible again. All tabs of a headless browser are visible, so the test
// overrides this.
func TestHiddenTab(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true, map[string]string{"hello": hello})
	tab := p.open(t)
	tab.do(chromedp.Navigate(p.base() + "/skill/hello"))
	listeners := func(want int) {
		t.Helper()
		for limit := time.Now().Add(5 * time.Minute); p.server.watch.Listeners() != want; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(limit) {
				t.Fatalf("%d streams, want %d", p.server.watch.Listeners(), want)
			}
		}
	}
	hide := func(hidden bool) {
		t.Helper()
		evaluate[int](tab,
			fmt.Sprintf(`(() => { Object.defineProperty(document, "hidden", {value: %v, configurable: true}); document.dispatchEvent(new Event("visibilitychange")); return 0 })()`,
				hidden))
	}
	listeners(1)
	hide(true)
	listeners(0)
	p.write("hello", strings.Replace(hello, "Hello", "Good day", 1))
	for p.server.watch.Last() == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	if got := evaluate[bool](tab, pageText+`.includes("Good day")`); got {
		t.Error("a tab that nobody sees asked for a page")
	}
	hide(false)
	tab.until(pageText + `.includes("Good day")`)
	listeners(1)
}

// TestEnded checks that each tab reports that the server has ended.
func TestEnded(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true, map[string]string{"hello": hello})
	first := p.open(t)
	first.do(chromedp.Navigate(p.base() + "/skill/hello"))
	second, _ := first.another(p)
	second.do(chromedp.Navigate(p.base() + "/runs"))
	for _, tab := range []*browserTab{first, second} { // both listen
		tab.quiet()
	}
	p.end()
	for _, tab := range []*browserTab{first, second} {
		tab.until(`document.querySelector("main > [role=alert]")?.textContent.includes("has ended")`)
		tab.expect("ERR_CONNECTION_REFUSED")
	}
}

// TestLiveLists checks that every list shows new items without a reload, and keeps the focus, the
// typed text and the scroll position.
func TestLiveLists(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range 30 {
		many[fmt.Sprintf("skill-%02d", i)] = fmt.Sprintf("---\nname: skill-%02d\ndescription: x\n---\nText\n", i)
	}
	p := newPlace(t, true, many)
	p.remember(30)
	p.load(3000)
	p.batch("batch-jobs", 60)
	for i := range 30 {
		p.keep(fmt.Sprintf("plan-%02d/0001", i), eval.Trial{Skill: fmt.Sprintf("skill-%02d", i), Case: "one",
			Arm: eval.With, Run: 1, Outcome: eval.Fired})
		p.batch(fmt.Sprintf("batch-%02d", i), 1)
		p.call(fmt.Sprintf("skill-%02d", i))
	}
	tab := p.open(t)
	for i, tt := range []struct {
		path string
		add  func()
		want string // in the whole list
	}{
		{"/skills", func() { p.write("skill-00", "---\nname: skill-00\ndescription: A new thing\n---\nText\n") }, "A new thing"},
		{"/skills", func() { p.write("skill-000", "---\nname: skill-000\ndescription: Another new thing\n---\nText\n") },
			"Another new thing"},
		{"/runs", func() {
			if err := (activity.Store{Dir: p.site.Runtime.HistoryDir()}).Append(activity.Record{Kind: activity.Run,
				Skill: "new-run", OK: true}); err != nil {
				t.Fatal(err)
			}
		}, "new-run"},
		{"/usage", func() { p.call("new-call") }, "new-call"},
		{"/sessions", func() { p.see("session-new", "seen-first") }, "seen-first"},
		{"/sessions", func() { p.see("session-new", "seen-too") }, "seen-too, seen-first"},
		{"/session?id=session-new", func() { p.see("session-new", "seen-last") }, "seen-last"},
		{"/tries", func() {
			p.keep("plan-new/0001", eval.Trial{Skill: "new-try", Case: "one", Arm: eval.With, Run: 1, Outcome: eval.Fired})
		}, "new-try"},
		{"/try?id=plan-00/0001&skill=skill-00", func() {
			p.keep("plan-00/0001", eval.Trial{Skill: "skill-00", Case: "new-case", Arm: eval.With, Run: 1, Outcome: eval.Fired})
		}, "new-case"},
		{"/batches", func() { p.batch("batch-new", 1) }, "batch-new"},
		{"/batch?name=batch-jobs", func() {
			db, err := p.site.Batches()
			var found []batch.Status
			if err == nil {
				found, err = db.Find(t.Context(), "batch-jobs")
			}
			if err == nil {
				_, err = db.Cancel(t.Context(), found[0].ID, []string{"job-00001"})
			}
			if err != nil {
				t.Fatal(err)
			}
		}, "canceled"},
	} {
		tab.do(chromedp.Navigate(p.base() + tt.path))
		tab.until(`document.querySelectorAll(".list tbody tr").length > 0`)
		tab.quiet()
		long := evaluate[bool](tab, `document.querySelectorAll(".list tbody tr").length > 20`)
		if long { // an element further down has the focus
			evaluate[int](tab,
				`(() => { document.querySelector("#q").value = "typed"; const row = document.querySelectorAll(".list tbody tr")[20]; window.row = row; const link = row.querySelector("a") ?? document.querySelector("#q"); link.focus(); window.focused = link; row.scrollIntoView({block: "center"}); window.top0 = row.getBoundingClientRect().top; return 0 })()`)
		}
		if evaluate[bool](tab, fmt.Sprintf(`document.querySelector("main").textContent.includes(%q)`, tt.want)) {
			t.Fatalf("%d %s: %q is there too early", i, tt.path, tt.want)
		}
		tt.add()
		tab.until(fmt.Sprintf(`document.querySelector("main").textContent.includes(%q)`, tt.want))
		if long {
			if got := evaluate[string](tab,
				`[document.querySelector("#q").value, document.activeElement === focused, row.isConnected, Math.abs(row.getBoundingClientRect().top - top0) < 3].join()`); got !=
				"typed,true,true,true" {
				t.Errorf("%d %s: what was typed, focus, row and place: %s", i, tt.path, got)
			}
		}
		tab.quiet()
	}
}

// quiet waits until a tab has sent no requests for a while. A view that causes changes itself never
// ends.
func (tab *browserTab) quiet() {
	tab.t.Helper()
	tab.until(`document.readyState === "complete" && performance.now() - Math.max(0, ...performance.getEntriesByType("resource").map(e => e.responseEnd)) > 1000`)
}

const faulty = "---\nname: faulty\ndescription: Does a thing\nallowed-tools: [Read]\nuser_invocable: true\n---\nText\n"

// TestMend checks that the fix of a finding is shown and can be applied in place.
func TestMend(t *testing.T) {
	t.Parallel()
	p := newPlace(t, false, map[string]string{"faulty": faulty})
	tab := p.open(t)
	tab.do(chromedp.Navigate(p.base() + "/skill/faulty"))
	tab.until(`!!document.querySelector(".fix")`)
	tab.do(chromedp.Click(`.chip:has(.fix) summary`), chromedp.WaitVisible(`.fix form button`))
	if got := evaluate[string](tab, `[...document.querySelector(".fix").querySelectorAll(".del, .add")].map(e => e.textContent.trim()).join(" ")`); got !=
		"-user_invocable: true +user-invocable: true" {
		t.Errorf("the diff is %q", got)
	}
	// Do it in one step: a reload in between would restore the value.
	evaluate[int](tab,
		`(() => { const seen = document.querySelector(".fix [name=seen]"), was = seen.value; seen.value = "x"; seen.form.requestSubmit(); seen.value = was; return 0 })()`)
	tab.until(`/^This was not done. .*SKILL.md: it has changed since the page was loaded; reload the page$/.test(document.querySelector("main > [role=alert]")?.textContent)`)
	tab.expect("409")
	tab.do(chromedp.Click(`.fix form button`))
	tab.until(`!document.querySelector("[role=alert]") && !document.querySelector(".fix") &&
		document.querySelector(".grid").textContent.includes("user-invocable: true")`)
	text, err := os.ReadFile(filepath.Join(p.dir, ".claude/skills/faulty/SKILL.md"))
	if want := strings.Replace(faulty, "user_invocable", "user-invocable", 1); err != nil || string(text) != want {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// TestHostile checks that everything in a skill stays text.
func TestHostile(t *testing.T) {
	t.Parallel()
	evil := "<script>window.hacked=1</script><img src=x onerror=\"window.hacked=1\"><a " +
		"href=\"javascript:window.hacked=1\">x</a><style>body{display:none}</style></pre></code></textarea><svg " +
		"onload=window.hacked=1>{{.}}\u202eRTL\u202c zero\u200bwidth \u05d0\u05d1 &lt;b&gt;"
	skills := map[string]string{
		"evil": "---\nname: evil\ndescription: '" + evil + "'\nargument-hint: '" + evil + "'\n---\n" + evil +
			"\n\n!`cat ${CLAUDE_SKILL_DIR}/SKILL.md`\n",
		"long": "---\nname: long\n---\n" + strings.Repeat("x<i>", 5<<18) + "\n",
	}
	p := newPlace(t, true, skills)
	tab := p.open(t)
	for _, path := range []string{
		"/skills", "/skill/evil", "/skill/evil?against=claude&args=%3Cscript%3Ewindow.hacked%3D1%3C/script%3E",
		"/skill/long", "/skills?q=%22%3E%3Cscript%3Ewindow.hacked%3D1%3C/script%3E",
	} {
		tab.do(chromedp.Navigate(p.base()+path), chromedp.WaitReady("main"))
		if got := evaluate[string](tab,
			`[typeof window.hacked, document.querySelectorAll("main script, main style, main img, main a[href^=javascript], main i, main b").length, getComputedStyle(document.body).display, document.querySelectorAll(".diff .hidden").length > 0, [...document.querySelectorAll(".hidden")].every(e => getComputedStyle(e).display === "inline")].join()`); got !=
			fmt.Sprintf("undefined,0,block,%v,true", strings.Contains(path, "/skill/evil")) {
			t.Errorf("%s: %s", path, got)
		}
	}
	tab.do(chromedp.Navigate(p.base()+"/skill/evil"), chromedp.Click(`[data-run]`), chromedp.WaitVisible(`.page .out`))
	if got := evaluate[string](tab,
		`[typeof window.hacked, `+pageText+`.includes("<script>window.hacked=1</script>"),
			document.querySelectorAll(".hidden").length > 3, document.querySelector(".hidden").textContent].join()`); got !=
		"undefined,true,true,U+202E" {
		t.Errorf("after a run: %s", got)
	}
}

// axe returns the source of axe-core, which finds accessibility problems.
func axe(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(test.Modules(t, test.Axe), "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// access reports the problems that axe-core considers serious.
func (tab *browserTab) access(script string) {
	tab.t.Helper()
	if script == "" {
		return
	}
	evaluate[int](tab, script+";0")
	found := run(tab,
		chromedp.Evaluate[string](`axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations.filter(v => v.impact === "serious" || v.impact === "critical").map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + " " + n.failureSummary)])))`,
			chromedp.EvalAwaitPromise))
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(found), &all); err != nil {
		tab.t.Fatal(err)
	}
	for _, v := range all {
		tab.t.Errorf("axe: %s", v)
	}
}

// TestViews checks that each view fits the window and has no serious accessibility problem: without
// data, with some, and with more.
func TestViews(t *testing.T) {
	t.Parallel()
	script := axe(t)
	many := map[string]string{
		"hello": hello,
		"odd":   "---\nname: other\ndescription: x\nuser_invocable: true\nallowed-tools: Bash(ls\n---\n# Text $ARGUMENTS[0]\n\n[gone](gone.md) ${NOT_KNOWN}\n",
	}
	for i := range 70 {
		many[fmt.Sprintf("skill-%02d", i)] = fmt.Sprintf("---\nname: skill-%02d\ndescription: %s\n---\nText\n",
			i, strings.Repeat("Says what it is for. ", i%9))
	}
	for _, tt := range []struct {
		name   string
		skills map[string]string
		n      int
	}{{"none", nil, 0}, {"ten", map[string]string{"hello": hello}, 10}, {"many", many, 1100}} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, true, tt.skills)
			tab := p.open(t)
			paths := []string{"/skills", "/usage", "/runs", "/sessions", "/batches", "/tries", "/none"}
			if tt.n > 0 {
				p.remember(tt.n)
				p.load(tt.n)
				p.try(tt.n)
				p.batch("reviews", tt.n)
				paths = append(paths, "/skill/hello?against=claude", "/session?id=session-0000",
					fmt.Sprintf("/try?id=plan-%03d/0001&skill=skill-%[1]d", (tt.n-1)/1000), "/batch?name=reviews",
					p.link("/runs?failed=1", "/run?"))
			}
			if tt.name == "many" {
				long := strings.Repeat("A long name with words-and-parts ", 9)
				if err := (activity.Store{Dir: p.site.Runtime.HistoryDir()}).Append(activity.Record{
					Kind:       activity.Run,
					Skill:      long,
					Category:   long,
					Detail:     long,
					DurationMS: 1e9,
				}); err != nil {
					t.Fatal(err)
				}
				paths = append(paths, "/skill/odd", "/runs?q=skill-3&failed=1&sort=-cost", "/skills?q=nothing+has+this")
			}
			for _, path := range paths {
				t.Run(viewName(path), func(t *testing.T) {
					tab.t = t
					tab.do(chromedp.Navigate(p.base()+path), chromedp.WaitReady("main"))
					if tt.name == "many" && strings.Contains(path, "skill=hello") {
						tab.do(chromedp.Click("[data-run]"), chromedp.WaitVisible(".page .out"))
					}
					evaluate[int](tab, `(() => { for (const d of document.querySelectorAll(".chip, .digest")) d.open = true; return 0 })()`)
					tab.fits(script)
				})
			}
			tab.t = t
			tab.expect("404")
		})
	}
}

// expect ignores console errors that contain text: the browser reports every response that is an
// error.
func (tab *browserTab) expect(words string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.expected = words
}

// viewName returns the name of a view in tests and screenshots.
func viewName(path string) string {
	name := strings.Trim(strings.NewReplacer("/", "-", "?", "-", "&", "-", "=", "-", "%", "-").Replace(path), "-")
	return name[:min(len(name), 30)]
}

// link returns the first link in a view that begins like this.
func (p *place) link(path, begins string) string {
	p.t.Helper()
	_, text := p.get(p.client(), path)
	_, rest, ok := strings.Cut(text, `href="`+begins)
	if !ok {
		p.t.Fatalf("%s: no link to %s in\n%s", path, begins, text)
	}
	rest, _, _ = strings.Cut(rest, `"`)
	return begins + strings.ReplaceAll(rest, "&amp;", "&")
}

// fits checks the content of a tab in windows of three sizes and with two color schemes.
func (tab *browserTab) fits(script string) {
	tab.t.Helper()
	for _, dark := range []bool{false, true} {
		for _, width := range []int{360, 1280, 2560} {
			tab.size(width, dark)
			if got := evaluate[string](tab,
				`document.documentElement.scrollWidth > innerWidth ? [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 3).map(e => e.outerHTML.slice(0, 120)).join("\n") || "?" : ""`); got !=
				"" {
				tab.t.Errorf("at %d: wider than the window:\n%s", width, got)
			}
			if got := evaluate[string](tab,
				`[...document.querySelectorAll(".scroll")].filter(e => e.scrollWidth > e.clientWidth).map(e => e.outerHTML.slice(0, 200)).join("\n")`); got != "" {
				tab.t.Errorf("at %d: a part of a table is out of sight:\n%s", width, got)
			}
			if got := evaluate[string](tab,
				`[...document.querySelectorAll("td, th, caption, summary, dd")].filter(e => e.clientWidth > 1 && e.checkVisibility() && !e.closest("thead") && getComputedStyle(e).textOverflow !== "ellipsis" && (e.scrollWidth > e.clientWidth + 1 || e.localName === "caption" && e.offsetHeight > e.offsetWidth)).slice(0, 3).map(e => e.outerHTML.slice(0, 200)).join("\n")`); got !=
				"" {
				tab.t.Errorf("at %d: text runs out of its box, or stands in too narrow a one:\n%s", width, got)
			}
			if dark == (width == 360) && width < 2560 { // each color scheme once, because it takes long
				tab.access(script)
			}
			tab.shoot(fmt.Sprintf("%s-%v-%d", strings.ReplaceAll(tab.t.Name(), "/", "-"),
				map[bool]string{false: "light", true: "dark"}[dark], width))
		}
	}
}

// TestExportOpens checks that an export needs no server: it looks right, its links lead to its
// views, and text from skills stays text.
func TestExportOpens(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true, map[string]string{"hello": hello, "evil": "---\nname: evil\ndescription: <script>window.hacked=1</script>\n" +
		"---\n<img src=x onerror=window.hacked=1></section></main><style>*{display:none}</style>\n"})
	p.remember(100)
	dir := t.TempDir()
	file := filepath.Join(dir, "site.html")
	if _, err := p.site.Export(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	tab := newTab(t).watch("file://" + dir + "/")
	tab.do(chromedp.Navigate("file://" + file))
	shown := `[...document.querySelectorAll(".view")].filter(e => e.checkVisibility())`
	for _, step := range []struct{ link, want string }{
		{`#skills .list a`, `.grid .page`}, // evil is first
		{`.top nav a:nth-child(1)`, `.list`},
		{`#skills .list tr:nth-child(2) a`, `.grid .page [data-d]`},
		{`.top nav a:nth-child(3)`, `.charts svg`},
		{`.top nav a:nth-child(4)`, `.empty`},
	} {
		tab.do(chromedp.Click(step.link))
		tab.until(fmt.Sprintf(`%s.length === 1 && !!%[1]s[0].querySelector(%[2]q)`, shown, step.want))
		if got := evaluate[string](tab,
			`[typeof window.hacked, document.images.length, document.scripts.length, document.styleSheets.length, document.forms.length, getComputedStyle(document.querySelector(".top")).display].join()`); got !=
			"undefined,0,1,1,0,flex" {
			t.Errorf("after %s: %s", step.link, got)
		}
	}
}

// shoot saves a screenshot in the folder that SKILLHAND_SHOTS names, for people to look at.
func (tab *browserTab) shoot(name string) {
	dir := os.Getenv("SKILLHAND_SHOTS")
	if dir == "" {
		return
	}
	picture := run(tab, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o666); err != nil {
		tab.t.Fatal(err)
	}
}

// TestKeyboard checks that a slash moves to the search, Enter searches, Tab reaches everything, and
// the focus is visible.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true, map[string]string{"hello": hello, "other": "---\nname: other\ndescription: y\n---\ntext\n"})
	tab := p.open(t)
	tab.do(chromedp.KeyEvent("/"))
	if got := evaluate[string](tab, `document.activeElement.id + getComputedStyle(document.activeElement).outlineStyle`); got != "qsolid" {
		t.Errorf("after a slash the focus is at %q", got)
	}
	evaluate[string](tab, `document.querySelector("#q").value = ""`) // a driver also types the slash, unlike a person
	tab.do(chromedp.SendKeys("#q", "greets\r"))
	tab.until(`location.search === "?q=greets" && document.querySelectorAll("tbody tr").length === 1`)
	tab.do(chromedp.NavigateBack())
	tab.until(`location.search === "" && document.querySelectorAll("tbody tr").length === 2`)

	tab.do(chromedp.Navigate(p.base() + "/skill/hello"))
	evaluate[int](tab, `(() => { Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => { window.copied = text }}}); return 0 })()`)
	var way []string
	for range 40 {
		tab.do(chromedp.KeyEvent("\t"))
		at := evaluate[[]string](tab,
			`(() => { const e = document.activeElement; return [e.id || e.dataset.go || e.getAttribute("aria-labelledby") || e.textContent.trim(), getComputedStyle(e).outlineStyle, String(document.querySelectorAll(".lit").length), e.tagName] })()`)
		if at[0] == "Copy as command" {
			tab.do(chromedp.KeyEvent("\r"))
			tab.until(`window.copied === "skillhand load hello"`)
		}
		if len(way) > 0 && (at[0] == way[0] || at[3] == "BODY") {
			break // the focus has returned to the start
		}
		if way = append(way, at[0]); at[1] != "solid" {
			t.Errorf("the focus at %s is not seen: %s", at[0], at[1])
		}
		if (at[0] == "1" || at[0] == "2") && at[2] == "0" {
			t.Errorf("nothing is lit at directive %s", at[0])
		}
	}
	if last := strings.Join(way[len(way)-2:], " "); last != "1 2" {
		t.Errorf("Tab leads to %s at last, not to the directives", last)
	}
	if got, want := strings.Join(way, " | "), "Skip to content | skillhand | Skills | Usage | Runs | Sessions | Batches | Tries | "+
		"Skills | 1 finding | 0 calls | "+
		"Preview | Findings 1 | Needs | Usage | Tries | Runs | f0 | use | against | Show | Run | Copy as command | "+
		"error Claude Code does not run this"; !strings.HasPrefix(got, want) {
		t.Errorf("Tab leads\n%s, want\n%s", got, want)
	}
}
