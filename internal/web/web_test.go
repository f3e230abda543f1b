package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/eval"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/internal/watch"
)

// A place is a project with skills and its dashboard.
type place struct {
	t      testing.TB
	dir    string
	env    []string
	site   *Site
	server *Server
	end    context.CancelFunc
	ended  chan error
}

// newPlace serves a project that has the given files below .claude/skills.
func newPlace(t testing.TB, trusted bool, skills map[string]string) *place {
	t.Helper()
	root := t.TempDir()
	p := &place{t: t, dir: filepath.Join(root, "home", "shop")}
	if err := os.MkdirAll(filepath.Join(p.dir, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range skills {
		p.write(name, text)
	}
	p.env = []string{"HOME=" + filepath.Join(root, "home"), "PATH=" + os.Getenv("PATH"),
		"SKILLHAND_STATE_DIR=" + filepath.Join(root, "state")}
	h, err := here.From(p.dir, p.env)
	if err != nil {
		t.Fatal(err)
	}
	p.site = &Site{Runtime: &skillhand.Runtime{Here: h, TrustAll: trusted}}
	p.serve()
	return p
}

func (p *place) serve() {
	p.t.Helper()
	var err error
	if p.server, err = Listen(p.site, 0); err != nil {
		p.t.Fatal(err)
	}
	var ctx context.Context
	ctx, p.end = context.WithCancel(context.Background())
	p.ended = make(chan error, 1)
	go func(s *Server, ended chan error) { ended <- s.Serve(ctx) }(p.server, p.ended)
	end, ended := p.end, p.ended
	p.t.Cleanup(func() {
		end()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			p.t.Errorf("Serve: %v", err)
		}
	})
}

// write saves a skill as editors do: by replacing the file.
func (p *place) write(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.dir, ".claude", "skills", name, "SKILL.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file+"~", []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(file+"~", file); err != nil {
		p.t.Fatal(err)
	}
}

// base returns the address without the token.
func (p *place) base() string { return p.server.Address[:strings.Index(p.server.Address, "/?")] }

// browser returns a client that was admitted.
func (p *place) browser() *http.Client {
	p.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	res, err := c.Get(p.server.Address)
	if err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatalf("the address was refused: %v, %v", res, err)
	}
	res.Body.Close()
	return c
}

// client returns an admitted client, although the token has been used.
func (p *place) client() *http.Client {
	p.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		p.t.Fatal(err)
	}
	base, err := url.Parse(p.base())
	if err != nil {
		p.t.Fatal(err)
	}
	jar.SetCookies(base, []*http.Cookie{{Name: p.server.guard.cookieName(), Value: p.server.guard.cookie}})
	return &http.Client{Jar: jar}
}

func (p *place) get(c *http.Client, path string) (int, string) {
	p.t.Helper()
	res, err := c.Get(p.base() + path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

const hello = "---\nname: hello\ndescription: Greets\n---\nHello $0: !`echo one`\n\n!`echo two >&2; exit 3`\n"

// TestRefused checks that only the browser that opened the printed address gets a response.
func TestRefused(t *testing.T) {
	p := newPlace(t, true, map[string]string{"hello": hello})
	known := p.browser()
	host := strings.TrimPrefix(p.base(), "http://")
	port := host[strings.LastIndexByte(host, ':')+1:]
	for _, tt := range []struct {
		name         string
		known        bool
		method, path string
		host         string
		header       map[string]string
		body         string // of a form
		want         int
	}{
		{name: "let in", known: true, want: 200},
		{name: "no token", want: 403},
		{name: "no token for a file of ours", path: "/assets/page.css", want: 403},
		{name: "no token for events", path: "/events", want: 403},
		{name: "wrong token", path: "/?token=AAAA", want: 403},
		{name: "empty token", path: "/?token=", want: 403},
		{name: "token used before", path: "/?token=" + p.server.guard.token, want: 403},
		{name: "cookie of another", header: map[string]string{"Cookie": "skillhand-" + port + "=AAAA"}, want: 403},
		{name: "localhost", known: true, host: "localhost:" + port, want: 421},
		{name: "a name that points here", known: true, host: "evil.example:" + port, want: 421},
		{name: "no port", known: true, host: "127.0.0.1", want: 421},
		{
			name:   "cross-origin post",
			known:  true,
			method: "POST",
			header: map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
			want:   403,
		},
		{
			name:   "post of another port",
			known:  true,
			method: "POST",
			header: map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:1"},
			want:   403,
		},
		{name: "old browser, other origin", known: true, method: "POST",
			header: map[string]string{"Origin": "https://evil.example"}, want: 403},
		{name: "script of another page", known: true,
			header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, want: 403},
		{name: "post without a cookie", method: "POST", want: 403},
		{name: "no such page", known: true, path: "/../../etc/passwd", want: 404},
		{name: "no such skill", known: true, path: "/skill/none", want: 404},
		{name: "a kind of run that there is not", known: true, path: "/runs?kind=nonsense", want: 404},
		{name: "a period that there is not", known: true, path: "/runs?since=nonsense", want: 404},
		{name: "a file of ours", known: true, path: "/assets/page.css", want: 200},
		{name: "the folder of our files", known: true, path: "/assets/", want: 404},
		{name: "a file that is not for browsers", known: true, path: "/assets/..%2ftemplates%2fruns.html", want: 404},
		{name: "a form that makes no sense", known: true, method: "POST", body: "skill=%zz", want: 400},
		{name: "put", known: true, method: "PUT", want: 405},
		{name: "delete", known: true, method: "DELETE", path: "/nowhere", want: 405},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := tt.path
			if path == "" {
				path = "/skill/hello"
			}
			req, err := http.NewRequest(tt.method, p.base()+path, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Host = tt.host
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			for k, v := range tt.header {
				req.Header.Set(k, v)
			}
			c := http.DefaultClient
			if tt.known {
				c = known
			}
			res, err := c.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != tt.want {
				t.Errorf("answered %s, want %d", res.Status, tt.want)
			}
			if csp := res.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; script-src 'self';") {
				t.Errorf("content policy %q", csp)
			}
		})
	}
}

// TestCookie checks that scripts and other sites cannot read the cookie, and that two servers do
// not share it.
func TestCookie(t *testing.T) {
	p := newPlace(t, true, nil)
	first := p.browser()
	old := p.base()
	res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).
		Get(p.server.Address)
	if err != nil || res.StatusCode != http.StatusForbidden {
		t.Fatalf("the address let a second browser in: %v, %v", res, err)
	}
	p.serve()
	res, err = (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).
		Get(p.server.Address)
	if err != nil || len(res.Cookies()) != 1 || res.Header.Get("Location") != "/" {
		t.Fatalf("%v, %v", res, err)
	}
	if c := res.Cookies()[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Domain != "" {
		t.Errorf("cookie %v", c)
	}
	if res, err := first.Get(old + "/skills"); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("with two servers, the first answers %v, %v", res, err)
	}
}

// TestLookingRunsNothing checks that viewing a skill runs nothing, and that the button runs trusted
// skills and shows the result.
func TestLookingRunsNothing(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "ran")
	skills := map[string]string{"touch": "---\nname: touch\n---\n!`touch " + mark + "; echo done`\n"}
	for _, trusted := range []bool{false, true} {
		p := newPlace(t, trusted, skills)
		c := p.browser()
		for _, path := range []string{
			"/skills", "/skill/touch", "/skill/touch?use=later&against=claude", "/skill/touch?against=tool",
			"/skill/touch?against=later",
		} {
			if status, text := p.get(c, path); status != 200 {
				t.Errorf("%s: %d\n%s", path, status, text)
			}
		}
		if files.IsFile(mark) {
			t.Fatal("looking ran a directive")
		}
		_, text := p.get(c, "/skill/touch")
		read, err := p.site.Runtime.Load(t.Context(),
			skillhand.LoadRequest{Skill: "touch", Exec: map[bool]skillhand.Exec{true: skillhand.AsWritten}[trusted]})
		if err != nil {
			t.Fatal(err)
		}
		read.Close()
		if page := shownPage(text); page != read.Text {
			t.Errorf("trusted %v: the page is %q, an agent reads %q", trusted, page, read.Text)
		}
		if want := "<dt>First page</dt><dd>≈ " + thousands(tokens(read.Text)) + " tokens"; !strings.Contains(text, want) {
			t.Errorf("trusted %v: no %q", trusted, want)
		}
		if got := strings.Contains(text, "data-run"); got != trusted {
			t.Errorf("trusted %v: there is a button: %v", trusted, got)
		}
		res, err := c.PostForm(p.base()+"/skill/touch", nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if files.IsFile(mark) != trusted {
			t.Errorf("trusted %v: it ran: %v", trusted, files.IsFile(mark))
		}
		if want := map[bool]int{false: 403, true: 200}[trusted]; res.StatusCode != want {
			t.Errorf("trusted %v: %s, want %d", trusted, res.Status, want)
		}
		answer, want := string(body), "is not trusted"
		if trusted {
			answer, want = shownPage(answer), "<skill-output>\ndone\n</skill-output>"
		}
		if !strings.Contains(answer, want) {
			t.Errorf("trusted %v: the answer has no %q:\n%s", trusted, want, body)
		}
	}
}

// shownPage joins the text of a preview's page.
func shownPage(doc string) string {
	var all []string
	for _, part := range strings.Split(doc, "<pre class=\"page\">\n")[1:] {
		part, _, _ = strings.Cut(part, "</pre>")
		all = append(all, html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(part, "")))
	}
	return strings.Join(all, "\n") + "\n"
}

// TestTrustCommand checks that the command to copy names the folder, whatever the folder's name is.
func TestTrustCommand(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x; touch $(pwned)")
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, false, nil)
	p.dir = dir
	p.write("hello", hello)
	h, err := here.From(dir, p.site.Runtime.Env)
	if err != nil {
		t.Fatal(err)
	}
	p.site.Runtime.Here = h
	c := p.browser()
	if _, text := p.get(c, "/skill/hello"); !strings.Contains(text, `data-copy="skillhand trust &#39;`+dir+`&#39;"`) {
		t.Errorf("no command that trusts %s in\n%s", dir, text)
	}
	// After a change, skillhand trust would drop the pin.
	store := trust.Store{Dir: h.TrustDir()}
	if _, err := store.Pin(dir, ""); err != nil {
		t.Fatal(err)
	}
	p.write("hello", hello+"!`echo more`\n")
	_, text := p.get(c, "/skill/hello")
	p.has("banner", readable(text), dir+" has changed since you pinned it")
	if !strings.Contains(text, `data-copy="skillhand trust --pin &#39;`+dir+`&#39;"`) {
		t.Errorf("no command that pins %s again in\n%s", dir, text)
	}
	_, text = p.get(c, "/")
	p.has("table", readable(text), "project, pin changed")
}

// TestRunIsRemembered checks that later visits, even to another server, show the last outcome, and
// that an edited directive is shown as written.
func TestRunIsRemembered(t *testing.T) {
	p := newPlace(t, true, map[string]string{"hello": hello})
	c := p.browser()
	res, err := c.PostForm(p.base()+"/skill/hello", url.Values{"args": {"you"}})
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", res, err)
	}
	res.Body.Close()
	p.site = &Site{Runtime: p.site.Runtime}
	p.serve()
	c = p.browser()
	_, text := p.get(c, "/skill/hello?args=you")
	for _, want := range []string{`Hello you: <span class="out" data-d="1">one</span>`, `<span class="out bad" data-d="2">`,
		"Output of the last run"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, text := p.get(c, "/skill/hello?args=me"); strings.Contains(text, "Output of the last run") {
		t.Error("other arguments have the same outcome")
	}
	p.write("hello", strings.ReplaceAll(hello, "echo one", "echo three"))
	_, text = p.get(c, "/skill/hello?args=you")
	for _, want := range []string{"Hello you: <span class=\"dir\" data-d=\"1\">!`echo three`</span>", `<span class="out bad" data-d="2">`} {
		if !strings.Contains(text, want) {
			t.Errorf("after an edit: no %q in\n%s", want, text)
		}
	}
}

// TestRunPage checks that the page of a run shows the history's data, escaped.
func TestRunPage(t *testing.T) {
	p := newPlace(t, true, nil)
	p.remember(10)
	c := p.browser()
	_, text := p.get(c, "/runs")
	i := strings.Index(text, `href="/run?`)
	if i < 0 {
		t.Fatalf("no link to a run in\n%s", text)
	}
	link, _, _ := strings.Cut(text[i+len(`href="`):], `"`)
	status, text := p.get(c, strings.ReplaceAll(link, "&amp;", "&"))
	if status != 200 || strings.Contains(text, "<b>label") {
		t.Errorf("%s: %d\n%s", link, status, text)
	}
	if status, _ := p.get(c, "/run?at=2020-01-01T00:00:00Z&id=0"); status != 404 {
		t.Errorf("a run that is not there: %d", status)
	}
}

// TestLists checks that the search, order and page of a list are in its address.
func TestLists(t *testing.T) {
	skills := map[string]string{}
	for i := range 120 {
		skills[fmt.Sprintf("skill-%03d", i)] = fmt.Sprintf("---\nname: skill-%03d\ndescription: number %d\n---\ntext\n", i, i)
	}
	p := newPlace(t, true, skills)
	c := p.browser()
	for _, tt := range []struct {
		path     string
		has, not []string
	}{
		{"/skills", []string{"skill-000", "skill-049", "1 to 50 of 120", "p=2"}, []string{"skill-050"}},
		{"/skills?p=3", []string{"skill-119", "101 to 120"}, []string{"skill-099"}},
		{"/skills?p=99", []string{"skill-119"}, nil},
		{"/skills?p=-1", []string{"skill-000"}, nil},
		{"/skills?sort=-name", []string{"skill-119", `aria-sort="descending"`}, []string{"skill-000"}},
		{"/skills?sort=nonsense", []string{"1 to 50 of 120", `aria-sort="ascending"`}, nil},
		{"/skills?q=NUMBER+LL-077", []string{"skill-077", "1 of 120"}, []string{"skill-078"}},
		{"/skills?q=trusted", []string{"120 of 120"}, nil},
		{"/skills?q=untrusted", []string{"Nothing has all"}, nil},
		{"/skills?q=no+use", []string{"120 of 120", "no use recorded"}, nil},
		{"/skills?q=%3Cscript%3E", []string{"Nothing has all of these words", "&lt;script&gt;"}, []string{"<script>"}},
	} {
		_, text := p.get(c, tt.path)
		_, text, _ = strings.Cut(text, `class="find"`) // the strips above the table name all skills
		for _, want := range tt.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", tt.path, want)
			}
		}
		for _, not := range tt.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: has %q", tt.path, not)
			}
		}
	}
}

// TestSkillWithText checks that a skill whose text is beside its SKILL.md, as init creates it, is
// listed like any other. Agents that do not read that folder are reported not to see it.
func TestSkillWithText(t *testing.T) {
	p := newPlace(t, true, map[string]string{
		"alpha": "---\nname: alpha\ndescription: Counts.\n---\n!`skillhand load alpha`\n",
		"beta":  "---\nname: beta\ndescription: Counts too.\n---\ntext\n",
	})
	if err := os.WriteFile(filepath.Join(p.dir, ".claude", "skills", "alpha", "first-use.md"), []byte("text\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, text := p.get(p.browser(), "/skills")
	for _, want := range []string{"Claude Code lists all 2 skills;",
		"none of 2 skills; not alpha, beta: it looks in .agents/skills, .codex/skills"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "not listed") {
		t.Error("a skill is not listed")
	}
}

// TestNoRuns checks that an empty list says what it would contain and how to add to it.
func TestNoRuns(t *testing.T) {
	p := newPlace(t, true, nil)
	store := activity.Store{Dir: p.site.Runtime.HistoryDir()}
	c := p.browser()
	for _, tt := range []struct{ path, want, hint string }{
		{"/runs", "Nothing ran in this period.", "skillhand run NAME"},
		{"/runs?kind=ask", "Nothing was asked in this period.", "skillhand ask PROMPT"},
		{"/runs?failed=1", "Nothing failed in this period.", ""},
	} {
		_, text := p.get(c, tt.path)
		if !strings.Contains(text, tt.want) || strings.Contains(text, "data-copy") != (tt.hint != "") || !strings.Contains(text, tt.hint) {
			t.Errorf("%s: not %s, %s:\n%s", tt.path, tt.want, tt.hint, text)
		}
		if err := store.Append(activity.Record{Kind: activity.Run, Skill: "hello", OK: true}); err != nil { // neither asked nor failed
			t.Fatal(err)
		}
	}
}

// TestDigest checks that charts and advice are about the listed runs.
func TestDigest(t *testing.T) {
	p := newPlace(t, true, nil)
	p.remember(20)
	c := p.browser()
	for path, want := range map[string][3]bool{ // how many succeed, the cost, advice
		"/runs":               {true, true, true},
		"/runs?q=skill-3":     {true, true, false},
		"/runs?failed=1":      {true, true, true},
		"/runs?q=none+has+it": {},
	} {
		_, text := p.get(c, path)
		if got := [3]bool{
			strings.Contains(text, "How many run"), strings.Contains(text, "What do asks cost"),
			strings.Contains(text, "What to do next"),
		}; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// TestBatchesOfOneName checks that all runs of a batch are one row, and that a batch of the same
// name with another creation time is another row.
func TestBatchesOfOneName(t *testing.T) {
	p := newPlace(t, false, nil)
	store := activity.Store{Dir: p.site.Runtime.HistoryDir()}
	for _, r := range []activity.Record{
		{Job: "nightly/one", Batch: "2026-05-01T02:00:00Z", OK: true},
		{Job: "nightly/two", Batch: "2026-05-01T02:00:00Z", OK: true},
		{Job: "nightly/one", Batch: "2026-05-02T02:00:00.5Z"},
		{Job: "old/one", OK: true},
		{Job: "old/two", OK: true},
	} {
		r.Kind, r.Skill = activity.Run, "lint"
		if err := store.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	c := p.browser()
	_, text := p.get(c, "/runs")
	if n := strings.Count(text, "a batch: show its"); n != 3 {
		t.Errorf("%d rows of batches, want 3:\n%s", n, text)
	}
	for _, want := range []string{"all 2 ok", "1 of 1 failed", "batch=nightly&amp;made=2026-05-02T02%3A00%3A00.5Z", `"/runs?batch=old"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for path, want := range map[string]string{
		"/runs?batch=nightly&made=2026-05-01T02:00:00Z":   "2 runs and asks<",
		"/runs?batch=nightly&made=2026-05-02T02:00:00.5Z": "1 run or ask<",
		"/runs?batch=nightly":                             "3 runs and asks<",
	} {
		if _, text := p.get(c, path); !strings.Contains(text, want) {
			t.Errorf("%s: no %s in\n%s", path, want, text)
		}
	}
}

// TestStates checks that a search for a state finds only items in that state, not items with the
// same letters.
func TestStates(t *testing.T) {
	p := newPlace(t, false, map[string]string{"hello": hello})
	store := activity.Store{Dir: p.site.Runtime.HistoryDir()}
	for _, r := range []activity.Record{{Kind: activity.Run, Skill: "cook", OK: true}, {Kind: activity.Run, Skill: "token"}, {
		Kind:     activity.Ask,
		Skill:    "other",
		Category: "timeout",
	}} {
		if err := store.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	p.batch("jobs", 3)
	c := p.browser()
	for path, want := range map[string]string{
		"/skills?q=trusted":              "0 of 1 skill",
		"/skills?q=untrusted":            "1 of 1 skill",
		"/skills?q=hello+un":             "1 of 1 skill",
		"/runs?q=ok":                     "2 of 3 runs and asks", // cook is ok, and token has ok in its name
		"/runs?q=ok+oo":                  "1 of 3 runs and asks",
		"/runs?q=failed":                 "2 of 3 runs and asks",
		"/runs?q=fail+ask":               "1 of 3 runs and asks",
		"/runs?q=led":                    "0 of 3 runs and asks",
		"/batch?name=jobs&q=open":        "3 of 3 jobs",
		"/batch?name=jobs&q=pen":         "0 of 3 jobs",
		"/batch?name=jobs&q=00002+op":    "1 of 3 jobs",
		"/batch?name=jobs&q=00002+done":  "0 of 3 jobs",
		"/batch?name=jobs&q=job-00002":   "1 of 3 jobs",
		"/batch?name=jobs&sort=nonsense": "3 jobs",
	} {
		if _, text := p.get(c, path); !strings.Contains(text, `role="status">`+want+"<") {
			t.Errorf("%s: not %s:\n%s", path, want, text)
		}
	}
}

// TestFaults checks that unreadable skills are reported, and take no more room than readable ones.
func TestFaults(t *testing.T) {
	p := newPlace(t, true, map[string]string{"hello": hello, "broken": "---\nname: [broken\n---\nText\n", "binary": "\x00"})
	c := p.browser()
	_, text := p.get(c, "/skills")
	_, table, _ := strings.Cut(text, `<table class="list`)
	for name, want := range map[string]string{"broken": "1 error, 2 more", "binary": "unreadable"} {
		_, row, _ := strings.Cut(table, `<bdi>`+name+`</bdi>`)
		row, _, _ = strings.Cut(row, "</tr>")
		if _, found, _ := strings.Cut(row, `data-head="Findings"`); !strings.Contains(found, "<bdi>"+want+"</bdi>") {
			t.Errorf("%s: no %s in %s", name, want, row)
		}
	}
	for i := range 4 {
		dir := filepath.Join(p.dir, ".claude/skills", fmt.Sprintf("gone-%d", i))
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("nowhere", filepath.Join(dir, "SKILL.md")); err != nil {
			t.Fatal(err)
		}
		_, text := p.get(c, "/skills")
		if said, folded := strings.Count(text, "a broken link"), strings.Contains(text, "<summary>4 things"); said != i+1 ||
			folded != (i == 3) {
			t.Errorf("of %d broken links %d are said, folded: %v", i+1, said, folded)
		}
	}
}

// TestExport checks that the views of an export link to each other, and that nothing in it needs a
// server.
func TestExport(t *testing.T) {
	p := newPlace(t, true, map[string]string{"hello": hello, "other": "---\nname: other\n---\ntext\n"})
	p.remember(20)
	p.try(10)
	p.batch("reviews", 3)
	file := filepath.Join(t.TempDir(), "site.html")
	n, err := p.site.Export(t.Context(), file)
	if err != nil || n != len(tabs)+4 {
		t.Fatalf("Export = %d, %v", n, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, part := range strings.Split(text, `href="`)[1:] {
		to, _, _ := strings.Cut(part, `"`)
		if name, ok := strings.CutPrefix(to, "#"); !ok || strings.Count(text, ` id="`+name+`"`) != 1 {
			t.Errorf("a link leads to %s, which is not there once", to)
		}
	}
	if strings.Contains(text, "<form") || strings.Count(text, "<script") != 1 || strings.Contains(text, "<button") {
		t.Error("the export has a form, a button, or a script that is not its own")
	}
	ids := map[string]bool{}
	for _, part := range strings.Split(text, ` id="`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		if ids[id] {
			t.Errorf("two parts are called %s", id)
		}
		ids[id] = true
	}
}

// TestExportKeeps checks that an export replaces an earlier export, but no other file.
func TestExportKeeps(t *testing.T) {
	p := newPlace(t, true, map[string]string{"hello": hello})
	for _, tt := range []struct {
		name, text string
		ok         bool
	}{
		{"an empty file", "", true},
		{"an export", "<head>" + generator, true},
		{"a page of theirs", "<h1>Mine</h1>", false},
	} {
		file := filepath.Join(t.TempDir(), "page.html")
		if err := os.WriteFile(file, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := p.site.Export(t.Context(), file); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
		if text, _ := os.ReadFile(file); !tt.ok && string(text) != tt.text {
			t.Errorf("%s was overwritten", tt.name)
		}
	}
	for path, want := range map[string]string{t.TempDir(): "is a folder",
		filepath.Join(t.TempDir(), "none", "x.html"): "no such file or directory"} {
		if _, err := p.site.Export(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// TestEnds checks that the server's end also ends the commands of a skill, and every stream.
func TestEnds(t *testing.T) {
	began := filepath.Join(t.TempDir(), "began")
	if err := os.Mkdir(began, 0o777); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, true, map[string]string{"slow": "---\nname: slow\n---\n!`touch " + began + "/now; sleep 1000`\n"})
	c := p.browser()
	stream, err := c.Get(p.base() + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	files, err := watch.New(watchOptions)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	files.Add(began)
	news, stop := files.Listen()
	defer stop()
	<-news // the current number
	answered := make(chan error, 1)
	go func() {
		res, err := c.PostForm(p.base()+"/skill/slow", nil)
		if err == nil {
			res.Body.Close()
		}
		answered <- err
	}()
	<-news // it runs
	p.end()
	if _, err := io.ReadAll(stream.Body); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Logf("the stream ended with %v", err)
	}
	<-answered
	err = <-p.ended
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Serve = %v", err)
	}
	p.ended <- err // for the cleanup
}

// TestTries checks that both arms are side by side, by skill and by case, and that an address can
// name only tries.
func TestTries(t *testing.T) {
	p := newPlace(t, true, nil)
	yes, no := true, false
	for i, trial := range []eval.Trial{
		{Case: "turns-36", Arm: eval.With, Run: 1, Fires: true, Outcome: eval.Fired, Passed: &yes},
		{Case: "turns-36", Arm: eval.With, Run: 2, Fires: true, Outcome: eval.None, Passed: &no},
		{Case: "turns-36", Arm: eval.With, Run: 3, Fires: true, Outcome: eval.Void},
		{Case: "turns-36", Arm: eval.Without, Run: 1, Fires: true, Outcome: eval.None, Passed: &no},
	} {
		trial.Type, trial.Skill, trial.CostUSD = "trial", "card", 0.25
		data, err := json.Marshal(trial)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(p.site.Runtime.State, "try", "plan", "0001", "card", "turns-36", fmt.Sprintf("%d.json", i))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := p.browser()
	for _, path := range []string{"/tries", "/try?id=plan/0001&skill=card"} {
		_, text := p.get(c, path)
		for _, want := range []string{"1 of 2", "0 of 1", "1 without a verdict", "$1.00"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", path, want, text)
			}
		}
	}
	if _, text := p.get(c, "/try?id=plan/0001&skill=card"); strings.Contains(text, `class="mark bad"`) ||
		!strings.Contains(text, "<dt>When</dt><dd><bdi>"+time.Now().Format("2006-")) || !strings.Contains(text, "<dt>it helps by</dt>") {
		t.Errorf("what fails without the skill is no fault of it:\n%s", text)
	}
	models := filepath.Join(p.site.Runtime.State, "try", "plan", "0003", "card", "c")
	if err := os.MkdirAll(models, 0o777); err != nil {
		t.Fatal(err)
	}
	for arm, passed := range map[eval.Arm]*bool{"with@haiku": &no, "with@opus": &yes, "against@opus": &no} {
		data, _ := json.Marshal(eval.Trial{Type: "trial", Skill: "card", Case: "c", Arm: arm, Run: 1, Fires: true,
			Outcome: eval.Fired, Passed: passed})
		if err := os.WriteFile(filepath.Join(models, string(arm)+".json"), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, text := p.get(c, "/try?id=plan/0003&skill=card")
	for _, want := range []string{"With the skill, haiku", "With the skill, opus", "With the skill as it was, opus",
		"passed 1 of 1", "passed 0 of 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("each model and arm has its column: no %q in\n%s", want, text)
		}
	}
	for _, path := range []string{"/try?id=../../x&skill=card", "/try?id=plan/0002&skill=card", "/try"} {
		if status, _ := p.get(c, path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
}

// TestBatches checks that jobs are shown, and that a button cancels the remaining jobs.
func TestBatches(t *testing.T) {
	p := newPlace(t, true, nil)
	db, err := batch.Open(t.Context(), batch.Options{Database: filepath.Join(t.TempDir(), "batch.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	p.site.Batches = func() (*batch.DB, error) { return db, nil }
	if _, err := db.Add(t.Context(), batch.Name{Name: "re<b>views"},
		[]batch.Job{{ID: "one", Payload: json.RawMessage(`{}`)}, {ID: "two", Payload: json.RawMessage(`{}`)}}, batch.Limits{}); err != nil {
		t.Fatal(err)
	}
	c := p.browser()
	if _, text := p.get(c, "/batches"); !strings.Contains(text, "re&lt;b&gt;views") ||
		!strings.Contains(text, "waiting; if no worker runs, start one: skillhand batch work") ||
		!strings.Contains(text, `data-every="5"`) {
		t.Errorf("the list of batches:\n%s", text)
	}
	if _, text := p.get(c, "/batch?name=re%3Cb%3Eviews"); !strings.Contains(text, "Cancel 2 remaining jobs") ||
		!strings.Contains(text, `aria-label="2 queued"`) || strings.Contains(text, "Retry") {
		t.Errorf("the batch:\n%s", text)
	}
	for _, tt := range []struct {
		do   string
		want int
	}{{"nothing", 404}, {"cancel", 200}} {
		res, err := c.PostForm(p.base()+"/batch", url.Values{"name": {"re<b>views"}, "do": {tt.do}})
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != tt.want {
			t.Errorf("%s: %s, want %d", tt.do, res.Status, tt.want)
		}
	}
	if res, err := c.PostForm(p.base()+"/batch", url.Values{"name": {"none"}, "do": {"cancel"}}); err != nil ||
		res.StatusCode != http.StatusNotFound {
		t.Errorf("a batch that is not there: %v, %v", res, err)
	}
	if _, text := p.get(c, "/batches"); strings.Contains(text, "data-every") {
		t.Errorf("nothing is left, and it is looked at again and again:\n%s", text)
	}
	if _, text := p.get(c, "/batch?name=re%3Cb%3Eviews"); strings.Count(text, "<bdi>canceled</bdi>") != 2 ||
		strings.Contains(text, "$0.00") {
		t.Errorf("two jobs are canceled, and cost nothing:\n%s", text)
	}
	found, err := db.Find(t.Context(), "re<b>views")
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	s := &found[0]
	if err != nil || s.Canceled != 2 {
		t.Errorf("after cancel: %+v, %v", s, err)
	}
	if status, _ := p.get(c, "/batch?name=none"); status != 404 {
		t.Errorf("a batch that is not there: %d", status)
	}
}

// TestExcluded checks that the dashboard shows the findings that skillhand check reports, with the
// same configuration.
func TestExcluded(t *testing.T) {
	p := newPlace(t, false, map[string]string{"faulty": faulty})
	c := p.browser()
	for config, want := range map[string]bool{"": true, "check: {exclude: [.claude/skills/faulty]}": false,
		"check: {exclude: [.claude/skills/other]}": true} {
		if err := os.WriteFile(filepath.Join(p.dir, check.ConfigName), []byte(config), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, text := p.get(c, "/skill/faulty"); strings.Contains(text, `name="finding"`) != want {
			t.Errorf("%q: findings are shown: %v, want %v", config, !want, want)
		}
	}
}

// TestMendRefused checks that a fix is applied only if it is safe and of this skill, and if the
// file is unchanged since it was shown.
func TestMendRefused(t *testing.T) {
	p := newPlace(t, false, map[string]string{"faulty": faulty, "clean": "---\nname: clean\ndescription: x\n---\nText\n"})
	c := p.browser()
	_, text := p.get(c, "/skill/faulty")
	field := func(name string) string {
		_, rest, _ := strings.Cut(text, `name="`+name+`" value="`)
		value, _, _ := strings.Cut(rest, `"`)
		return value
	}
	form := url.Values{"skill": {"faulty"}, "seen": {field("seen")}, "finding": {field("finding")}}
	file := filepath.Join(p.dir, ".claude/skills/faulty/SKILL.md")
	post := func(form url.Values) int {
		t.Helper()
		res, err := c.PostForm(p.base()+"/skill/"+form.Get("skill")+"/fix", form)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	with := func(key, value string) url.Values {
		other := maps.Clone(form)
		other[key] = []string{value}
		return other
	}
	for name, form := range map[string]url.Values{
		"another skill": with("skill", "clean"), "another text": with("seen", "x"), "no such finding": with("finding", "x"),
		"no skill": with("skill", "none"),
	} {
		if status := post(form); status < 400 {
			t.Errorf("%s: %d", name, status)
		}
	}
	p.write("faulty", faulty+"More\n")
	if status := post(form); status < 400 {
		t.Errorf("a file that changed: %d", status)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != faulty+"More\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
	p.write("faulty", faulty)
	if status := post(form); status != 200 {
		t.Errorf("as it was shown: %d", status)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "\nuser-invocable: true\n") {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// TestSettings checks that a command that Claude Code's settings allow causes no finding.
func TestSettings(t *testing.T) {
	p := newPlace(t, false, map[string]string{"s": "---\nname: s\ndescription: x\n---\n!`make all`\n"})
	c := p.browser()
	if _, text := p.get(c, "/skill/s"); !strings.Contains(text, "SK401") {
		t.Errorf("no SK401 in\n%s", text)
	}
	if err := os.WriteFile(filepath.Join(p.dir, ".claude/settings.local.json"),
		[]byte(`{"permissions": {"allow": ["Bash(make:*)"]}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, text := p.get(c, "/skill/s"); !strings.Contains(text, "other users lack that rule") {
		t.Errorf("the settings do not count:\n%s", text)
	}
}

// TestVisible checks that hidden characters appear as codes wherever people read, and nowhere else.
func TestVisible(t *testing.T) {
	code := func(c, what string) string {
		return `<span class="hidden" title="` + what + `">` + c + `</span>`
	}
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"<p>plain\n\t</p>", "<p>plain\n\t</p>"},
		{"<p>a\u200bb</p>", "<p>a" + code("U+200B", "an invisible character") + "b</p>"},
		{"\u202e", code("U+202E", "a character that changes the order of text")},
		{"<p>\x1b</p>", "<p>" + code("U+001B", "an invisible character") + "</p>"},
		{"<title>a\u200b</title>\u200b", "<title>aU+200B</title>" + code("U+200B", "an invisible character")},
		{`<b title="a` + "\u202e" + `" data-copy="` + "\u202e" + `">x</b>`, `<b title="aU+202E" data-copy="` + "\u202e" + `">x</b>`},
		{`<input value="` + "\u200b" + `" placeholder="` + "\u200b" + `">`, `<input value="` + "\u200b" + `" placeholder="U+200B">`},
		{"<p>\u05d0 \u2764\ufe0f</p>", "<p>\u05d0 \u2764\ufe0f</p>"},
	} {
		if got := string(visible([]byte(tt.in))); got != tt.want {
			t.Errorf("visible(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestHiddenText checks that no view shows a skill's text in another order or without some of its
// characters.
func TestHiddenText(t *testing.T) {
	p := newPlace(t, false, map[string]string{"odd": "---\nname: odd\ndescription: good\u202edab zero\u200bwidth\n---\nText \u202e !`echo \u200b`\n"})
	c := p.browser()
	for _, path := range []string{"/skills", "/skills?q=%E2%80%AE", "/skill/odd", "/skill/odd?against=claude", "/session?id=%E2%80%AE"} {
		_, text := p.get(c, path)
		text = regexp.MustCompile(`(?:value|data-copy|href)="[^"]*"`).ReplaceAllString(text, "")
		if strings.IndexFunc(text, hidden) >= 0 || !strings.Contains(text, "U+202E") && !strings.Contains(path, "q=") {
			t.Errorf("%s:\n%q", path, text)
		}
	}
}

// TestShown checks that text that would make a browser slow is cut, between characters.
func TestShown(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int // bytes
		rest       string
	}{
		{"nothing", "", 0, ""},
		{"lines", strings.Repeat("a\n", maxLines), 2 * maxLines, ""},
		{"too many lines", strings.Repeat("a\n", maxLines) + "b", 2 * maxLines, "cut here: 20 KB in all"},
		{"as long as can be", strings.Repeat("a", maxShown), maxShown, ""},
		{"too long", strings.Repeat("€", 70_000), 199_998, "cut here: 205 KB in all"},
	} {
		if part, rest := shown(tt.text); len(part) != tt.want || rest != tt.rest || !strings.HasPrefix(tt.text, part) {
			t.Errorf("%s: %d bytes, %q, want %d, %q", tt.name, len(part), rest, tt.want, tt.rest)
		}
	}
}

// TestChanges checks that a diff has the lines that edits touch.
func TestChanges(t *testing.T) {
	for _, tt := range []struct {
		source string
		edits  []check.Edit
		want   string
		long   bool
	}{
		{"a\nb\nc\n", nil, "", false},
		{"a\nb\nc\n", []check.Edit{{Offset: 2, End: 3, Text: "x"}}, "-b +x", false},
		{"a\nb", []check.Edit{{Offset: 3, End: 3, Text: "c"}}, "-b +bc", false},
		{"a\nb\nc\nd\n", []check.Edit{{Offset: 6, End: 7, Text: "x"}, {Offset: 2, End: 4}}, "-b  c -d +x", false},
		{"zero\u200bwidth\n", []check.Edit{{Offset: 4, End: 7}}, "-zero\u200bwidth +zerowidth", false},
		{strings.Repeat("x", maxFix+1), []check.Edit{{Offset: 0, End: 1}}, "", true},
		{"a", []check.Edit{{Offset: 0, End: 2}}, "", true},
	} {
		lines, long := changes(tt.source, tt.edits)
		var got []string
		for _, l := range lines {
			if strings.HasPrefix(l.Segments[0].Text, `\`) {
				continue // no newline at the end
			}
			text := ""
			for _, s := range l.Segments {
				text += s.Text
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != tt.want || long != tt.long {
			t.Errorf("changes(%.20q, %v) = %q, %v, want %q, %v", tt.source, tt.edits, got, long, tt.want, tt.long)
		}
	}
}

// TestLookingWritesNothing checks that viewing writes nothing, whatever there is to see.
func TestLookingWritesNothing(t *testing.T) {
	p := newPlace(t, true, map[string]string{"hello": hello, "long": "---\nname: long\ndescription: x\n---\n!`printf %040000d 1`\n"})
	p.remember(10)
	p.load(100)
	p.try(10)
	c := p.browser()
	res, err := c.PostForm(p.base()+"/skill/long", nil)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", res, err)
	}
	res.Body.Close()
	files := func() string {
		var all strings.Builder
		err := filepath.WalkDir(filepath.Dir(p.dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			fmt.Fprintln(&all, path, info.Size(), info.ModTime())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all.String()
	}
	before := files()
	for _, path := range []string{
		"/skills", "/skill/hello?against=later", "/skill/long", "/skill/long?use=later&against=claude", "/runs",
		"/sessions", "/session?id=session-0000", "/tries", "/try?id=plan-000/0001&skill=skill-0", "/batches",
	} {
		status, text := p.get(c, path)
		if status != 200 {
			t.Errorf("%s: %d", path, status)
		}
		if path == "/skill/long" && !strings.Contains(text, "[cut here: 40000 bytes in all, the whole output is in a file of its own]") {
			t.Errorf("the long output is not said to be cut:\n%s", text)
		}
	}
	if after := files(); after != before {
		t.Errorf("looking changed files: before\n%s\nafter\n%s", before, after)
	}
}

// TestStreams checks that fifty streams and their visits leave nothing behind when they end.
func TestStreams(t *testing.T) {
	p := newPlace(t, true, map[string]string{"hello": hello})
	c := p.browser()
	p.get(c, "/skill/hello")
	c.CloseIdleConnections()
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	var streams []*bufio.Reader
	for range 50 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base()+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		streams = append(streams, bufio.NewReader(res.Body))
	}
	next := func(r *bufio.Reader) (id, data string) {
		t.Helper()
		for data == "" {
			line, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if value, ok := strings.CutPrefix(line, "id: "); ok {
				id = strings.TrimSpace(value)
			}
			if value, ok := strings.CutPrefix(line, "data: "); ok {
				data = strings.TrimSpace(value)
			}
		}
		return id, data
	}
	for _, r := range streams {
		if id, data := next(r); id != "0" || data != watch.Anything {
			t.Errorf("a stream begins with %s %s", id, data)
		}
	}
	p.write("hello", hello+"more\n")
	for _, r := range streams {
		if id, data := next(r); id != "1" || data != short(filepath.Join(p.dir, ".claude/skills/hello")) {
			t.Errorf("after a save: %s %s", id, data)
		}
	}
	cancel()
	c.CloseIdleConnections()
	for limit := time.Now().Add(5 * time.Minute); p.server.watch.Listeners() > 0 ||
		runtime.NumGoroutine() > before+2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%d streams and %d goroutines are left, there were %d", p.server.watch.Listeners(), runtime.NumGoroutine(), before)
		}
	}
}

// TestNewFolder checks that a skill in a new folder is news, in the list and in the preview of a
// skill that did not exist any more.
func TestNewFolder(t *testing.T) {
	p := newPlace(t, true, map[string]string{"hello": hello})
	c := p.browser()
	from, stop := p.server.watch.Listen()
	defer stop()
	<-from
	skills := filepath.Join(p.dir, ".claude/skills")
	look := func(path string) string { // like a browser: then it waits for changes of the watched paths
		t.Helper()
		_, text := p.get(c, path)
		_, rest, _ := strings.Cut(text, `data-watch="`)
		names, _, _ := strings.Cut(rest, `"`)
		return " " + names
	}
	until := func(watched string, acts ...error) {
		t.Helper()
		if err := errors.Join(acts...); err != nil {
			t.Fatal(err)
		}
		limit := time.After(5 * time.Minute)
		for {
			select {
			case n := <-from:
				if strings.Contains(watched, " "+short(n.Path)+" ") {
					return
				}
			case <-limit:
				t.Fatal("no news")
			}
		}
	}
	for _, path := range []string{"/skills", "/skill/new", "/skill/" + url.PathEscape(skills+"/new")} {
		folder := filepath.Join(skills, "new")
		until(look(path), os.Mkdir(folder, 0o777))
		until(look(path), os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte("---\nname: new\ndescription: Fresh\n---\nText\n"), 0o666))
		if status, text := p.get(c, path); status != 200 || !strings.Contains(text, "Fresh") {
			t.Errorf("%s: %d\n%s", path, status, text)
		}
		until(look(path), os.RemoveAll(folder))
	}
	commands := filepath.Join(p.dir, ".claude/commands")
	until(look("/skills"), os.Mkdir(commands, 0o777))
	until(look("/skills"), os.WriteFile(filepath.Join(commands, "do.md"), []byte("Do it\n"), 0o666))
}

// TestOnlySkills checks that a path can name only skills, whatever else is on the machine.
func TestOnlySkills(t *testing.T) {
	p := newPlace(t, true, map[string]string{"hello": hello})
	c := p.browser()
	elsewhere := filepath.Join(t.TempDir(), "other")
	notes := filepath.Join(p.dir, ".claude/skills/hello/notes.md")
	for _, file := range []string{filepath.Join(elsewhere, "SKILL.md"), notes} {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(faulty), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		skill string
		want  int
	}{
		{filepath.Join(p.dir, ".claude/skills/hello"), 200},
		{filepath.Join(p.dir, ".claude/skills/hello/SKILL.md"), 200},
		{".claude/skills/hello", 200},
		{notes, 404},
		{elsewhere, 404},
		{filepath.Join(elsewhere, "SKILL.md"), 404},
		{"/etc/passwd", 404},
		{"/", 404},
		{".", 404},
	} {
		status, text := p.get(c, "/skill/"+url.PathEscape(tt.skill))
		if status != tt.want || status == 404 && !strings.Contains(text, "no such skill") &&
			!strings.Contains(text, "There is no page /skill") {
			t.Errorf("%s: %d, want %d\n%s", tt.skill, status, tt.want, text)
		}
	}
	p.site.Named = elsewhere
	if status, _ := p.get(c, "/skill/"+url.PathEscape(elsewhere)); status != 200 {
		t.Errorf("the skill that was named: %d", status)
	}
}

// TestPreview checks the form for a skill's arguments, the command that prints the same page, the
// tokens, and a diff of each pair of pages.
func TestPreview(t *testing.T) {
	p := newPlace(t, true, map[string]string{
		"named": "---\nname: named\ndescription: x\narguments: [file, focus]\n" +
			"argument-hint: what to <read>\n---\n<skill>\nRead $file for $focus.\n</skill>\n\n<output>\nNow: !`echo now`\n</output>\n",
		"plain": "---\nname: plain\ndescription: x\n---\nText\n",
		"long":  "---\nname: long\ndescription: x\n---\n" + strings.Repeat("Text\n", 20_000),
		"hints": "---\nname: hints\ndescription: x\narguments: [file, focus, how]\nargument-hint: '[a file] <b> how'\n---\nText\n",
	})
	c := p.browser()
	for _, tt := range []struct {
		path     string
		has, not []string
	}{
		{"/skill/named?arg=a+b&arg=c", []string{
			`<bdi>file</bdi>`, `<bdi>focus</bdi>`, `value="a b" placeholder="what to &lt;read&gt;"`, `value="c" placeholder=""`,
			"Read a b for c.", "skillhand load named &#39;a b&#39; c", "≈ 42 tokens",
			"Nothing has run: directives are shown as written.", "data-run",
		}, []string{"diff-head"}},
		{"/skill/named?arg=a&use=later", []string{"What the agent reads, later", "skillhand load named --reference a"}, nil},
		{"/skill/named?arg=a&against=later", []string{"First use against later use", `<span class="del">`, `<span class="add">`}, nil},
		{"/skill/named?arg=a&against=claude", []string{"against Claude Code", `<span class="add">`}, nil},
		{"/skill/named?arg=a&against=tool", []string{"against Claude Code"}, nil},
		{"/skill/named?arg=--fast&arg=x", []string{"skillhand load named --args &#39;--fast x&#39;"}, nil},
		{"/skill/plain", []string{"This page has no directives"}, []string{"data-run"}},
		{"/skill/plain?args=x+y", []string{`name="args" value="x y"`}, nil},
		{"/skill/long?against=later", []string{"Only the beginnings are compared: the pages are long.", "cut here: "},
			[]string{"are the same"}},
		{"/skill/hints", []string{`value="" placeholder="[a file]"`, `value="" placeholder="&lt;b&gt;"`,
			`value="" placeholder="how"`}, nil},
	} {
		status, text := p.get(c, tt.path)
		if status != 200 {
			t.Errorf("%s: %d", tt.path, status)
		}
		if strings.Index(text, `id="diff-head"`) > strings.Index(text, `class="grid"`) {
			t.Errorf("%s: the diff is out of sight, below all else", tt.path)
		}
		for _, want := range tt.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", tt.path, want, text)
			}
		}
		for _, not := range tt.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: has %q", tt.path, not)
			}
		}
	}
}

// TestCodes checks that text between two backticks is code, and that no text is lost.
func TestCodes(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                       "plain",
		"see `skillhand run --json` ": "see <skillhand run --json> ",
		"`a` or `b`":                  "<a> or <b>",
		"one ` alone":                 "one ` alone",
		"`a` and ` alone":             "<a> and ` alone",
	} {
		got := ""
		for _, s := range backticked(text) {
			if s.Class != "" {
				s.Text = "<" + s.Text + ">"
			}
			got += s.Text
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestShares checks that skills with little time are one row together, and that bars are scaled to
// the longest.
func TestShares(t *testing.T) {
	for _, tt := range []struct {
		times []float64
		want  string
	}{
		{nil, ""},
		{[]float64{1, 900}, "b a"},
		{[]float64{1, 900, 2, 50}, "b d c a"},
		{[]float64{1, 900, 2, 50, 1, 40}, "b d f 3 others"},
		{slices.Repeat([]float64{1}, 15), "a b c d e f g h i j k l 3 others"},
	} {
		review := &activity.Review{}
		for i, ms := range tt.times {
			review.Skills = append(review.Skills, activity.Ran{Name: string(rune('a' + i)), Total: 1, DurationMS: ms})
			review.DurationMS += ms
		}
		v := &visit{link: address}
		var names []string
		most := 0.0
		for _, s := range v.bySkill(review) {
			names = append(names, s.Name)
			most = max(most, s.Part)
		}
		if got := strings.Join(names, " "); got != tt.want || len(names) > 0 && math.Abs(most-100) > 0.01 {
			t.Errorf("%v: %s, the longest bar %.2f %%, want %s", tt.times, got, most, tt.want)
		}
	}
}

// TestTimeLeft checks that the remaining time of a batch comes from its finished and its running
// jobs.
func TestTimeLeft(t *testing.T) {
	now := time.Now()
	since := func(ago time.Duration) []batch.Running { return []batch.Running{{ID: "slow", Started: now.Add(-ago)}} }
	for _, tt := range []struct {
		each, longest time.Duration
		left          int
		running       []batch.Running
		want          string
	}{
		{0, 0, 5, nil, ""},
		{time.Second, 3 * time.Second, 5, nil, "about 5.0s"},
		{time.Second, 60 * time.Second, 5, since(10 * time.Second), "about 50.0s"},
		{time.Second, 3 * time.Second, 1, since(5 * time.Minute), "unknown: slow has been running for 5m00s, no other took more than 3.0s"},
		{time.Second, 3 * time.Second, 5, since(5 * time.Minute),
			"unknown: slow has been running for 5m00s, no other took more than 3.0s; the queue takes about 4.0s"},
	} {
		if got := timeLeft(tt.each, tt.longest, tt.left, tt.running, now); got != tt.want {
			t.Errorf("%v, %v, %d: %q, want %q", tt.each, tt.longest, tt.left, got, tt.want)
		}
	}
}
