package mcp

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/skillhand/skillhand/internal/watch"
)

// Listen listens on an address that only this machine can reach. addr is an address of the loopback
// interface and a port; port 0 picks a free one.
func Listen(addr string) (net.Listener, error) {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().IsLoopback() {
		return nil, fmt.Errorf("%s: want a loopback address, such as 127.0.0.1:7777", addr)
	}
	return net.Listen("tcp", at.String())
}

// ServeHTTP serves clients that know the token, until ctx ends.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	sv, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer sv.close()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return sv.sdk },
		&sdk.StreamableHTTPOptions{SessionTimeout: idle, MaxRequestBodyBytes: maxMessage})
	server := &http.Server{
		Handler:           guard(sv.hangUps(handler), l.Addr().String(), token),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	err = server.Serve(l)
	defer server.Close()
	if ctx.Err() == nil {
		return err
	}
	for range maxPages { // connected ends every call now; wait for all of them, so that no process is left behind
		sv.pages <- struct{}{}
	}
	return context.Cause(ctx)
}

// idle limits how long a client may be silent before the server forgets it.
const idle = 30 * time.Minute

// requestHeader carries the id of the HTTP request that a call belongs to. Clients cannot set it.
const requestHeader = "Skillhand-Request"

// hangUps lets a client end a call by hanging up. The SDK alone would wait for the client to come
// back.
func (sv *serving) hangUps(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := rand.Text()
		sv.requests.Store(id, r.Context())
		defer sv.requests.Delete(id)
		r.Header.Set(requestHeader, id)
		next.ServeHTTP(w, r)
	})
}

// connected returns a context that also ends with the server, and with the HTTP request that the
// call belongs to.
func (sv *serving) connected(ctx context.Context, req sdk.Request) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ends := []context.Context{sv.end}
	if extra := req.GetExtra(); extra != nil {
		if r, ok := sv.requests.Load(extra.Header.Get(requestHeader)); ok {
			ends = append(ends, r.(context.Context))
		}
	}
	for _, end := range ends {
		stop := context.AfterFunc(end, func() { cancel(context.Cause(end)) })
		context.AfterFunc(ctx, func() { stop() })
	}
	return ctx, func() { cancel(nil) }
}

// guard admits clients that know the token and use the server's own address. It keeps out pages of
// other sites.
func guard(next http.Handler, addr, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch refusal := watch.Check(r, addr); {
		case refusal == watch.WrongHost:
			http.Error(w, "not the address of this server", http.StatusForbidden)
		case refusal == watch.CrossSite:
			http.Error(w, "a page of another site", http.StatusForbidden)
		case !watch.Same(given, token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "no token, or a wrong one", http.StatusUnauthorized)
		case r.URL.Path != Path:
			http.NotFound(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// Path is the path of the server at its address.
const Path = "/mcp"
