package watch

import (
	"crypto/subtle"
	"net/http"
)

// A Refusal says why a request is not allowed.
type Refusal int

// The reasons for a refusal.
const (
	Allowed   Refusal = iota
	WrongHost         // the request names another host, which a foreign page may have pointed at this machine
	CrossSite         // a page of another site sent the request
)

// Check compares a request with the address that the server is known by. A browser may still follow
// a link from another site.
func Check(r *http.Request, host string) Refusal {
	origin := r.Header.Get("Origin")
	switch {
	case r.Host != host:
		return WrongHost
	case crossOrigin.Check(r) != nil, foreign(r), origin != "" && origin != "http://"+host:
		return CrossSite
	}
	return Allowed
}

var crossOrigin = http.NewCrossOriginProtection()

// foreign reports whether a browser says that another site sent the request. Following a link from
// another site is allowed.
func foreign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// Same compares secrets in a time that does not depend on them.
func Same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
