package term

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestSpinner: what is written while a spinner turns begins on an empty line,
// and nothing of the spinner is left at the end.
func TestSpinner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		var screen sync.Mutex
		s := Spin(&out, &screen, true, "working")
		wait := func(d time.Duration) { time.Sleep(d); synctest.Wait() }
		wait(2500 * time.Millisecond)
		fmt.Fprint(s, "half ")
		wait(time.Second) // not in the middle of a line
		fmt.Fprintln(s, "a line")
		s.Doing("resting")
		wait(time.Second)
		s.Aside(func() { fmt.Fprintln(&out, "aside") })
		screen.Lock() // someone is being asked
		wait(5 * time.Second)
		screen.Unlock()
		wait(time.Second)
		s.End()
		want := "\rworking, 0s \rworking, 1s \rworking, 2s \r\x1b[Khalf a line\n\rresting, 4s \r\x1b[Kaside\n\rresting, 10s \r\x1b[K"
		if got := out.String(); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}

// TestNoTerminal: without a terminal only what is written is passed on.
func TestNoTerminal(t *testing.T) {
	var out bytes.Buffer
	s := Spin(&out, new(sync.Mutex), false, "working")
	fmt.Fprint(s, "text")
	s.End()
	if out.String() != "text" {
		t.Errorf("%q", out.String())
	}
}
