package watch

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const host = "127.0.0.1:7777"
	for _, tt := range []struct {
		name, method, host, headers string
		want                        Refusal
	}{
		{"ours", "POST", host, "", Allowed},
		{"our own page", "POST", host, "Sec-Fetch-Site: same-origin, Origin: http://" + host, Allowed},
		{"a link from elsewhere", "GET", host, "Sec-Fetch-Site: cross-site, Sec-Fetch-Mode: navigate", Allowed},
		{"a name that leads here", "GET", "evil.example:7777", "", WrongHost},
		{"localhost", "GET", "localhost:7777", "", WrongHost},
		{"another page's script", "GET", host, "Sec-Fetch-Site: cross-site, Sec-Fetch-Mode: no-cors", CrossSite},
		{"another port", "POST", host, "Sec-Fetch-Site: same-site, Sec-Fetch-Mode: navigate", CrossSite},
		{"an old browser", "GET", host, "Origin: https://evil.example", CrossSite},
		{"no origin to speak of", "POST", host, "Origin: null", CrossSite},
	} {
		r := httptest.NewRequest(tt.method, "/", nil)
		r.Host = tt.host
		for h := range strings.SplitSeq(tt.headers, ", ") {
			if name, value, ok := strings.Cut(h, ": "); ok {
				r.Header.Set(name, value)
			}
		}
		if got := Check(r, host); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
