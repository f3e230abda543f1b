package watch

import (
	"crypto/subtle"
	"net/http"
)

// A Refusal says why a request may not.
type Refusal int

// The reasons for a refusal.
const (
	Allowed   Refusal = iota
	WrongHost         // another name leads here: a page elsewhere may have made it do so
	CrossSite         // a page of another site asks
)

// Check holds a request against the address that the server is known by. A browser may still follow a link from another site.
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

// foreign reports whether a browser says that another site asks, for more than following a link.
func foreign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

// Same compares secrets in a time that does not depend on them.
func Same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
