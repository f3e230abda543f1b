package cli

import (
	"context"
	"time"
)

// A Lines prints lines of JSON as they come. A reader that is slow makes whoever sends
// them wait; one that has stopped must not make the time limit wait.
type Lines struct {
	until context.Context
	lines chan any
	done  chan struct{}
}

// NewLines prints until a context ends. If nobody listens, it cancels.
func NewLines(until context.Context, std *Std, cancel context.CancelCauseFunc) *Lines {
	p := &Lines{until: until, lines: make(chan any), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		for e := range p.lines {
			if err := std.PrintJSON(e); err != nil {
				cancel(err) // nobody listens
			}
		}
	}()
	return p
}

// Send prints one.
func (p *Lines) Send(v any) {
	select {
	case p.lines <- v:
	case <-p.until.Done():
	}
}

// End waits until all is printed, and reports whether it was.
func (p *Lines) End() bool {
	if p.lines == nil {
		return true
	}
	close(p.lines)
	select {
	case <-p.done:
		return true
	case <-p.until.Done():
	}
	select {
	case <-p.done:
		return true
	case <-time.After(time.Second):
		return false
	}
}
