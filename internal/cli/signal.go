package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/skillhand/skillhand/internal/proc"
)

// withSignals returns a context that a first Ctrl-C, SIGTERM or the end of the
// terminal cancels. Signals are caught from the moment on that something waits
// for the context: until then there is nothing to end in order, and catching
// them costs start-up.
func withSignals(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	return &signalContext{Context: ctx, cancel: cancel}
}

type signalContext struct {
	context.Context
	cancel context.CancelCauseFunc
	once   sync.Once
}

// Done tells whoever wants to be told of the end.
func (c *signalContext) Done() <-chan struct{} {
	c.once.Do(func() {
		signals := make(chan os.Signal, 4)
		// A closed stdout shall not kill us either: the write fails instead, and
		// what was started is still ended in order.
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
		go c.catch(signals, func(status int) {
			proc.KillOrphans()
			os.Exit(status)
		})
	})
	return c.Context.Done()
}

// repeat is how long after a signal another one is the same: GNU timeout signals a process, and
// then its whole group.
const repeat = 500 * time.Millisecond

func (c *signalContext) catch(signals <-chan os.Signal, exit func(status int)) {
	var first time.Time
	for s := range signals {
		if s == syscall.SIGPIPE || !first.IsZero() && time.Since(first) < repeat {
			continue
		}
		if first.IsZero() {
			first = time.Now()
		}
		if c.Err() != nil { // a second one ends us at once, and all that we started
			exit(128 + int(s.(syscall.Signal)))
		}
		c.cancel(&interrupted{s.(syscall.Signal)})
	}
}
