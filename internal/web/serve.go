package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/skillhand/skillhand/internal/watch"
)

// A Server serves a site on a port of this machine.
type Server struct {
	Address string // the address to open, with the token that admits one browser

	listener    net.Listener
	guard       *guard
	watch       *watch.Watcher
	readTimeout time.Duration // for a whole request with its body
}

// Listen opens a port on the loopback interface. Port 0 means any free port.
func Listen(site *Site, port int) (*Server, error) {
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	host := l.Addr().String()
	files, err := watch.New(watchOptions)
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("watching files: %w", err)
	}
	g := newGuard(host, site.handler(files))
	return &Server{Address: "http://" + host + "/?token=" + g.token, listener: l,
		guard: g, watch: files, readTimeout: 10 * time.Second}, nil
}

// Serve answers requests until ctx ends. It then cancels all requests in progress, and with them
// the commands that a skill is running.
func (s *Server) Serve(ctx context.Context) error {
	defer s.watch.Close()
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &http.Server{
		Handler: s.guard, ReadTimeout: s.readTimeout, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return own },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	cancel()
	last, done := context.WithTimeout(context.Background(), 5*time.Second)
	defer done()
	if server.Shutdown(last) != nil {
		server.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return context.Cause(ctx)
}
