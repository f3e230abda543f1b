// Package web answers one question: how do people look at their skills? It serves a dashboard to a
// browser on this machine. The dashboard shows the pages of skills and what happened here.
//
// A visit to the dashboard runs nothing. Text from skills, scripts and prompts stays text
// everywhere: html/template escapes it, and the content policy lets only our own script run.
package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/internal/watch"
)

// A Site is the dashboard. Only Runtime is required. The environment of Runtime must be complete
// and have no session. Runtime must not ask the user, because there is no terminal.
type Site struct {
	Runtime   *skillhand.Runtime
	Batches   func() (*batch.DB, error) // returns the database of batches, or nil while there is none; may be nil
	BatchFile string                    // the file of the database; "" if it is not a file
	Named     string                    // a skill that may be shown in any folder, or ""

	marks   markCache
	runs    runCache
	tries   tryCache
	making  making
	secrets struct {
		once sync.Once
		all  *redact.Redactor
	}
}

// maxMaking limits the pages that are rendered at once: each needs a processor and tens of
// megabytes.
const maxMaking = 4

// A making limits the work on pages. The zero value is ready to use.
type making struct {
	once  sync.Once
	turns chan struct{}

	mu      sync.Mutex
	waiting map[string]*sharedPage // by address; pages whose rendering has not begun
}

// A sharedPage is rendered once for all clients that request its address before the rendering
// begins.
type sharedPage struct {
	askers int
	stop   context.CancelFunc
	made   chan struct{} // closed when the page is ready
	status int
	text   []byte // nil if no client waits for it any more
	fault  any    // the value of a panic while rendering
}

// share renders a page, or waits for a page that another client requested and whose rendering has
// not begun. It stops the rendering if no client waits any more. ok is false if ctx ended first.
func (m *making) share(ctx context.Context, address string, makePage func(context.Context) (int, []byte)) (
	status int, text []byte, ok bool) {
	m.mu.Lock()
	p := m.waiting[address]
	if p == nil {
		own, stop := context.WithCancel(context.WithoutCancel(ctx))
		p = &sharedPage{stop: stop, made: make(chan struct{})}
		if m.waiting == nil {
			m.waiting = map[string]*sharedPage{}
		}
		m.waiting[address] = p
		go func() {
			defer func() {
				p.fault = recover()
				stop()
				close(p.made)
			}()
			end, ok := m.begin(own)
			m.mu.Lock()
			m.leave(address, p) // later requests must see later changes
			m.mu.Unlock()
			if ok {
				defer end()
				p.status, p.text = makePage(own)
			}
		}()
	}
	p.askers++
	m.mu.Unlock()
	select {
	case <-p.made:
	case <-ctx.Done():
		m.mu.Lock()
		if p.askers--; p.askers == 0 {
			m.leave(address, p)
			p.stop()
		}
		m.mu.Unlock()
		return 0, nil, false
	}
	if p.fault != nil {
		panic(p.fault) // the server reports it
	}
	return p.status, p.text, p.text != nil
}

// leave removes a page whose rendering begins or is not needed. m must be locked.
func (m *making) leave(address string, p *sharedPage) {
	if m.waiting[address] == p {
		delete(m.waiting, address)
	}
}

// begin waits for a turn; end releases it. ok is false if ctx ended first.
func (m *making) begin(ctx context.Context) (end func(), ok bool) {
	m.once.Do(func() { m.turns = make(chan struct{}, maxMaking) })
	select {
	case m.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, false
	}
	if ctx.Err() != nil { // both were ready
		<-m.turns
		return nil, false
	}
	return func() { <-m.turns }, true
}

// withoutSecrets returns a text without the secrets of the environment. No page shows them, even if
// someone wrote them into a skill or a prompt.
func (s *Site) withoutSecrets(text string) string {
	s.secrets.once.Do(func() { s.secrets.all = redact.New(s.Runtime.Env) })
	return s.secrets.all.Text(text)
}

//go:embed assets templates
var assets embed.FS

var templates = template.Must(template.New("").
	Funcs(template.FuncMap{"thousands": thousands, "backticked": backticked, "words": nameParts, "when": when, "ago": ago, "held": held}).
	ParseFS(assets, "templates/*.html"))

// A visit is one request for a view.
type visit struct {
	site  *Site
	ctx   context.Context
	query url.Values
	link  func(view string, pairs ...string) string // returns the address of a view
	live  bool                                      // served, not exported: forms work
	watch func(late bool, paths ...string)          // makes the browser reload when a path changes; late: the path has already been read
	seen  []string                                  // the short names of the watched paths
	at    int                                       // the number of the last change that the view includes
	files map[string]bool                           // real paths of the listed skills; nil if not read yet
	known *known
}

// A known has the data that a visit has already read. All views of an export share it.
type known struct {
	skills    []skillhand.Listed
	faults    []error
	listed    bool
	accounts  map[accountKey]*activity.Account
	installed []activity.Installed
	tries     []tried
	tried     bool
	found     map[string][]*check.Finding // by file; nil if check has not run on all files
	list      check.List
}

type accountKey struct {
	since time.Time
	skill string
}

// listAll returns all skills, and the errors about skills that cannot be listed.
func (v *visit) listAll() ([]skillhand.Listed, []error) {
	k := v.known
	if !k.listed {
		k.skills, k.faults = v.site.Runtime.List()
		k.listed = true
	}
	return k.skills, k.faults
}

// A view is the content of a page.
type view struct {
	Name  string // the name of the template, and in the address
	Title string
	Tab   string // the part of the dashboard that it belongs to
	Data  any

	Watch  []string // short names of paths
	At     int      // the number of the last change that the page includes
	Anchor string   // its name in an export
	Now    string   // when it was rendered
	Every  int      // after how many seconds to reload if changes cannot be watched; 0: never
	Live   bool
	Wide   bool // it has more than a list
	Tabs   []tab
	link   func(view string, pairs ...string) string
}

// Link returns the address of a view, for templates.
func (v *view) Link(name string, pairs ...string) string { return v.link(name, pairs...) }

// ID returns the id of a part of the view. An export has all views in one document.
func (v *view) ID(name string) string {
	if v.Live {
		return name
	}
	return v.Anchor + "-" + name
}

type tab struct {
	Title, Link string
	Here        bool
}

// views are the parts of the dashboard, by name.
var views = map[string]func(*visit) (*view, error){
	"skills":   (*visit).skills,
	"skill":    (*visit).skill,
	"usage":    (*visit).usage,
	"runs":     (*visit).runs,
	"run":      (*visit).run,
	"sessions": (*visit).sessions,
	"session":  (*visit).session,
	"batches":  (*visit).batches,
	"batch":    (*visit).batch,
	"job":      (*visit).job,
	"tries":    (*visit).tries,
	"try":      (*visit).try,
	"trial":    (*visit).trial,
}

// tabs are the parts of the dashboard that every page links to at its top.
var tabs = [][2]string{{"skills", "Skills"}, {"usage", "Usage"}, {"runs", "Runs"},
	{"sessions", "Sessions"}, {"batches", "Batches"}, {"tries", "Tries"}}

// An errMissing says that an address leads to nothing.
type errMissing struct{ what string }

func (e errMissing) Error() string { return e.what }

// An errForm says that a form is invalid.
type errForm struct{ error }

// errChanged says that a file is not the same as when it was shown.
var errChanged = errors.New("it has changed since the page was loaded; reload the page")

func (s *Site) handler(w *watch.Watcher) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /events", events(w))
	assets, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // the folder is embedded
	}
	mux.Handle("GET /assets/{name}", http.StripPrefix("/assets/", http.FileServerFS(assets)))
	mux.Handle("GET /{$}", http.RedirectHandler("/skills", http.StatusSeeOther))
	for name, f := range views {
		at := []string{"GET /" + name}
		if name == "skill" {
			at = []string{"GET /skill/{skill}", "GET /skill/{skill}/{tab}"}
		}
		for _, pattern := range at {
			mux.HandleFunc(pattern, func(out http.ResponseWriter, r *http.Request) { s.show(out, r, w, f) })
		}
	}
	mux.HandleFunc("POST /skill/{skill}", func(out http.ResponseWriter, r *http.Request) { s.act(out, r, w, (*visit).runSkill) })
	mux.HandleFunc("POST /skill/{skill}/fix", func(out http.ResponseWriter, r *http.Request) { s.act(out, r, w, (*visit).fix) })
	mux.HandleFunc("POST /batch", func(out http.ResponseWriter, r *http.Request) { s.act(out, r, w, (*visit).editBatch) })
	mux.HandleFunc("GET /", func(out http.ResponseWriter, r *http.Request) {
		s.show(out, r, w, func(*visit) (*view, error) { return nil, errMissing{"There is no page " + r.URL.Path} })
	})
	return mux
}

func (s *Site) visit(r *http.Request, w *watch.Watcher) *visit {
	v := &visit{site: s, ctx: r.Context(), query: inPath(r, r.URL.Query()), link: address, live: true, at: w.Last(), known: &known{}}
	v.watch = func(late bool, paths ...string) {
		fresh := w.Add(paths...)
		if fresh && late {
			v.at = -1 // the path may have changed since it was read: reload
		}
		for _, path := range paths {
			if name := short(path); !slices.Contains(v.seen, name) {
				v.seen = append(v.seen, name)
			}
		}
	}
	return v
}

// inPath adds the parts of the path to a query.
func inPath(r *http.Request, q url.Values) url.Values {
	for _, key := range []string{"skill", "tab"} {
		if value := r.PathValue(key); value != "" {
			q.Set(key, value)
		}
	}
	return q
}

// address returns the address of a view. The address of a skill has the skill's name and tab in its
// path.
func address(name string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Add(pairs[i], pairs[i+1])
		}
	}
	path := "/" + name
	if name == "skill" {
		for _, key := range []string{"skill", "tab"} {
			if q.Has(key) {
				path += "/" + url.PathEscape(q.Get(key))
			}
			q.Del(key)
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// show responds with a whole view or nothing. It does not render a view for a client that has left.
func (s *Site) show(out http.ResponseWriter, r *http.Request, w *watch.Watcher, f func(*visit) (*view, error)) {
	status, text, ok := s.making.share(r.Context(), r.URL.RequestURI(), func(ctx context.Context) (int, []byte) {
		return s.visit(r.WithContext(ctx), w).answer(f)
	})
	if ok {
		write(out, status, text)
	}
}

// answer renders a view, or a view of the error. It returns nil if the client has left.
func (v *visit) answer(f func(*visit) (*view, error)) (status int, text []byte) {
	status = http.StatusOK
	made, err := f(v)
	if v.ctx.Err() != nil {
		return 0, nil
	}
	if err != nil {
		made = &view{Name: "fault", Title: "Nothing to show", Data: err.Error()}
		if status = statusOf(err); status != http.StatusNotFound {
			made.Title = "Something went wrong"
		}
	}
	if text, err = v.html(made); err != nil {
		return http.StatusInternalServerError, []byte(html.EscapeString(err.Error()))
	}
	return status, text
}

func write(out http.ResponseWriter, status int, text []byte) {
	out.Header().Set("Content-Type", "text/html; charset=utf-8")
	out.WriteHeader(status)
	_, _ = out.Write(text) // a browser that has left needs no response
}

// statusOf returns the HTTP status for an error.
func statusOf(err error) int {
	if _, ok := errors.AsType[errMissing](err); ok || errors.Is(err, batch.ErrNoBatch) {
		return http.StatusNotFound
	}
	if _, ok := errors.AsType[*trust.NotTrusted](err); ok {
		return http.StatusForbidden
	}
	if _, ok := errors.AsType[errForm](err); ok {
		return http.StatusBadRequest
	}
	if errors.Is(err, errChanged) {
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

func (v *visit) html(made *view) ([]byte, error) {
	made.Live, made.Watch, made.At, made.Now = v.live, v.seen, v.at, time.Now().Format("2006-01-02 15:04:05 MST")
	for _, t := range tabs {
		made.Tabs = append(made.Tabs, tab{t[1], v.link(t[0]), t[0] == made.Tab})
	}
	made.link = v.link
	var b bytes.Buffer
	err := templates.ExecuteTemplate(&b, made.Name, made)
	return visible([]byte(v.site.withoutSecrets(b.String()))), err
}

// maxForm limits the size of a form, which contains only names and arguments.
const maxForm = 1 << 20

// act executes the action of a form, then redirects to its result.
func (s *Site) act(out http.ResponseWriter, r *http.Request, w *watch.Watcher, do func(*visit) (to string, err error)) {
	r.Body = http.MaxBytesReader(out, r.Body, maxForm)
	v := s.visit(r, w)
	to, err := "", r.ParseForm()
	if err != nil {
		err = errForm{err}
	} else {
		v.query = inPath(r, r.PostForm)
		to, err = do(v)
	}
	if err != nil {
		if status, text := v.answer(func(*visit) (*view, error) { return nil, err }); text != nil {
			write(out, status, text)
		}
		return
	}
	http.Redirect(out, r, to, http.StatusSeeOther)
}

// held returns the class for a check: good if it passed, bad if it failed, dim if that is unknown.
func held(ok *bool) string {
	switch {
	case ok == nil:
		return "dim"
	case *ok:
		return "good"
	}
	return "bad"
}

// short returns a name for a thing in addresses and files that does not reveal the thing.
func short(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d %s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// stampForm is the format of all times.
const stampForm = "2006-01-02 15:04 MST"

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(stampForm)
}

func when(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// ago returns how long ago a time was, in words.
func ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := time.Since(t)
	switch days := int(d.Hours() / 24); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return counted(int(d.Minutes()), "minute", "minutes") + " ago"
	case d < 48*time.Hour:
		return counted(int(d.Hours()), "hour", "hours") + " ago"
	case days < 60:
		return counted(days, "day", "days") + " ago"
	default:
		return t.Local().Format("2 Jan 2006")
	}
}
