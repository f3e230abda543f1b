package web

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/skillhand/skillhand/internal/watch"
)

// A guard admits only the one browser that opened the printed address. It refuses other users of
// the machine, other pages in the same browser, and host names that someone pointed at this
// machine.
type guard struct {
	host   string      // the required Host header
	token  string      // valid once, in the address
	cookie string      // identifies the browser afterwards
	used   atomic.Bool // the token was used
	next   http.Handler
}

func newGuard(host string, next http.Handler) *guard {
	return &guard{host: host, token: rand.Text(), cookie: rand.Text(), next: next}
}

// policy lets a page load only files that we serve, and forbids inline scripts and styles. Even
// text that became markup could neither run nor send anything.
const policy = "default-src 'none'; script-src 'self'; " +
	"style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch refusal := watch.Check(r, g.host); {
	case refusal == watch.WrongHost:
		http.Error(w, "This page is served as http://"+g.host+" alone.", http.StatusMisdirectedRequest)
	case refusal == watch.CrossSite:
		http.Error(w, "Cross-origin request refused.", http.StatusForbidden)
	case r.URL.Query().Has("token") && r.Method == http.MethodGet:
		g.enter(w, r)
	case !g.known(r):
		http.Error(w, "Open the address that skillhand page printed. It lets one browser in; for another, start skillhand page again. "+
			"If a link on another site led here: press Enter in the address bar.", http.StatusForbidden)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// enter exchanges the token for a cookie, once.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	right := watch.Same(r.URL.Query().Get("token"), g.token)
	if !g.known(r) && (!right || !g.used.CompareAndSwap(false, true)) {
		http.Error(w,
			"This address has been used, or is not the one that skillhand page printed. Start skillhand page again for a new one.",
			http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookieName(), Value: g.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	q := r.URL.Query()
	q.Del("token")
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/"), RawQuery: q.Encode()}
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// cookieName returns a name with the port, because browsers share cookies between ports.
func (g *guard) cookieName() string {
	return "skillhand-" + g.host[strings.LastIndexByte(g.host, ':')+1:]
}

func (g *guard) known(r *http.Request) bool {
	for _, c := range r.CookiesNamed(g.cookieName()) {
		if watch.Same(c.Value, g.cookie) {
			return true
		}
	}
	return false
}
