package claude

import (
	"testing"
	"time"
)

// Waits grow and are never shorter than the service asked for. No wait begins that is longer than
// the remaining time.
func TestPauses(t *testing.T) {
	p := newPauses()
	for i, most := range []time.Duration{1500 * time.Millisecond, 3 * time.Second, 6 * time.Second, 12 * time.Second} {
		wait, ok := p.next(failed(RateLimited, "x"), time.Hour)
		if !ok || wait > most || wait < most/3 {
			t.Errorf("wait %d: %v, want at most %v", i, wait, most)
		}
	}
	asked := failed(RateLimited, "x")
	asked.RetryAfter = 10 * time.Minute
	if wait, ok := newPauses().next(asked, time.Hour); !ok || wait != 10*time.Minute {
		t.Errorf("asked for 10m: %v", wait)
	}
	if _, ok := newPauses().next(asked, 10*time.Minute); ok || asked.RetryAfter != 10*time.Minute {
		t.Error("a wait that takes all the time there is")
	}
	late := failed(Overloaded, "x")
	if _, ok := newPauses().next(late, 100*time.Millisecond); ok || late.RetryAfter < 500*time.Millisecond {
		t.Errorf("come back after %v", late.RetryAfter)
	}
	for range 100 {
		if wait, _ := p.next(late, time.Hour); wait > 90*time.Second {
			t.Fatalf("wait: %v", wait)
		}
	}
}
