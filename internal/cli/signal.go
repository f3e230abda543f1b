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

// withSignals returns a context that ends at the first Ctrl-C or SIGTERM, or when the terminal
// closes. It catches signals only after something waits for the context: before that there is
// nothing to end in order, and catching signals slows the start.
func withSignals(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	return &signalContext{Context: ctx, cancel: cancel}
}

type signalContext struct {
	context.Context
	cancel context.CancelCauseFunc
	once   sync.Once
}

// Done returns the channel that closes when the context ends, and starts to catch signals.
func (c *signalContext) Done() <-chan struct{} {
	c.once.Do(func() {
		signals := make(chan os.Signal, 4)
		// A closed stdout must not kill this process: the write fails instead, and the started
		// processes are still stopped in order.
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
		go c.catch(signals, func(status int) {
			proc.KillOrphans()
			os.Exit(status)
		})
	})
	return c.Context.Done()
}

// repeat is how long after a signal a second one counts as the same: GNU timeout signals a process,
// and then its whole group.
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
		if c.Err() != nil { // a second signal kills this process and its children at once
			exit(128 + int(s.(syscall.Signal)))
		}
		c.cancel(&interrupted{s.(syscall.Signal)})
	}
}
