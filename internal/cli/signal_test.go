package cli

import (
	"context"
	"os"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestSecondSignal: a signal within half a second of the first is the same one, a later one ends us at once.
func TestSecondSignal(t *testing.T) {
	for _, tt := range []struct {
		signals []os.Signal
		gap     time.Duration
		want    []int
	}{
		{[]os.Signal{syscall.SIGTERM}, 0, nil},
		{[]os.Signal{syscall.SIGTERM, syscall.SIGTERM}, 0, nil},
		{[]os.Signal{syscall.SIGTERM, syscall.SIGTERM}, repeat - 1, nil},
		{[]os.Signal{syscall.SIGTERM, syscall.SIGTERM}, repeat, []int{143}},
		{[]os.Signal{os.Interrupt, os.Interrupt}, repeat, []int{130}},
		{[]os.Signal{syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM}, repeat / 2, []int{143}}, // the third is a second one
		{[]os.Signal{syscall.SIGPIPE, syscall.SIGPIPE}, repeat, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c := &signalContext{Context: ctx, cancel: cancel}
			signals := make(chan os.Signal)
			var ended []int
			go c.catch(signals, func(status int) { ended = append(ended, status) })
			for i, s := range tt.signals {
				if i > 0 {
					time.Sleep(tt.gap)
				}
				signals <- s
			}
			synctest.Wait()
			if !slices.Equal(ended, tt.want) || (c.Err() != nil) != (tt.signals[0] != syscall.SIGPIPE) {
				t.Errorf("%v, %v apart: ended %v, want %v; the context says %v", tt.signals, tt.gap, ended, tt.want, c.Err())
			}
			close(signals)
		})
	}
}
