package mcp

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// idle is how long a client of the old protocol may be silent before it is forgotten.
const idle = 30 * time.Minute

// Listen listens where this machine alone can connect: addr is an address of
// the loopback interface and a port, 0 for any that is free.
func Listen(addr string) (net.Listener, error) {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().IsLoopback() {
		return nil, fmt.Errorf("%s: want an address of this machine alone, such as 127.0.0.1:7777", addr)
	}
	return net.Listen("tcp", at.String())
}

// ServeHTTP serves clients that know the token until ctx ends.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	sv, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer sv.close()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return sv.sdk },
		&sdk.StreamableHTTPOptions{SessionTimeout: idle, MaxRequestBodyBytes: maxMessage})
	// Requests end with the server: what they started is ended, not waited for.
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := &http.Server{
		Handler:           guard(handler, l.Addr().String(), token),
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	stop := context.AfterFunc(ctx, func() {
		cancel()
		_ = server.Close()
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	for session := range sv.sdk.Sessions() {
		_ = session.Close()
	}
	return context.Cause(ctx)
}

// guard lets in who knows the token, calls us by our own address, and is no page
// of another site.
func guard(next http.Handler, addr, token string) http.Handler {
	origins := http.NewCrossOriginProtection()
	checked := origins.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		origin := r.Header.Get("Origin")
		switch {
		case r.Host != addr:
			http.Error(w, "not the address of this server", http.StatusForbidden)
		case origin != "" && origin != "http://"+addr:
			http.Error(w, "a page of another site", http.StatusForbidden)
		case subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "no token, or a wrong one", http.StatusUnauthorized)
		case r.URL.Path != Path:
			http.NotFound(w, r)
		default:
			checked.ServeHTTP(w, r)
		}
	})
}

// Path is where the server is found under its address.
const Path = "/mcp"
