package cli

import (
	"context"
	"time"
)

// A Lines prints lines of JSON as they come. A slow reader makes the sender wait. A reader that has
// stopped must not hold up the time limit.
type Lines struct {
	until context.Context
	lines chan any
	done  chan struct{}
}

// NewLines returns a Lines that prints until a context ends. If the reader closes stdout, it calls
// cancel.
func NewLines(until context.Context, std *Std, cancel context.CancelCauseFunc) *Lines {
	p := &Lines{until: until, lines: make(chan any), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		for e := range p.lines {
			if err := std.PrintJSON(e); err != nil {
				cancel(err) // the reader is gone
			}
		}
	}()
	return p
}

// Send prints a value as a line.
func (p *Lines) Send(v any) {
	select {
	case p.lines <- v:
	case <-p.until.Done():
	}
}

// End waits until all lines are printed, and reports whether they were.
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
