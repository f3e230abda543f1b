package term

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A Spinner shows on a terminal that something takes long. Text written through it goes to the same
// terminal, and the spinner makes room for it.
type Spinner struct {
	out     io.Writer
	screen  *sync.Mutex // its holder may write to the terminal
	what    string
	began   time.Time
	shown   bool
	midLine bool // the last text did not end its line

	stop, stopped chan struct{}
}

// Spin starts a spinner on a terminal that others use too, each while holding screen. If live is
// false, it only passes text on.
func Spin(out io.Writer, screen *sync.Mutex, live bool, what string) *Spinner {
	s := &Spinner{out: out, screen: screen, what: what, began: time.Now(), stop: make(chan struct{}), stopped: make(chan struct{})}
	if !live {
		close(s.stopped)
		return s
	}
	go s.run()
	return s
}

// soon is the delay before a spinner shows. Short work needs none.
const soon = 300 * time.Millisecond

func (s *Spinner) run() {
	defer close(s.stopped)
	next := time.NewTimer(soon)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			s.show()
			next.Reset(time.Second)
		case <-s.stop:
			return
		}
	}
}

func (s *Spinner) show() {
	if !s.screen.TryLock() { // not while a person answers a question
		return
	}
	defer s.screen.Unlock()
	s.draw()
}

// draw writes the spinner's line. The screen is held.
func (s *Spinner) draw() {
	if !s.midLine {
		fmt.Fprintf(s.out, "\r%s, %s ", s.what, time.Since(s.began).Round(time.Second))
		s.shown = true
	}
}

// hide clears the spinner's line. The screen is held.
func (s *Spinner) hide() {
	if s.shown {
		fmt.Fprint(s.out, "\r\x1b[K")
		s.shown = false
	}
}

func (s *Spinner) Write(p []byte) (int, error) {
	s.screen.Lock()
	defer s.screen.Unlock()
	s.hide()
	s.midLine = len(p) > 0 && p[len(p)-1] != '\n'
	return s.out.Write(p)
}

// Aside hides the spinner while f writes whole lines to the terminal.
func (s *Spinner) Aside(f func()) {
	s.screen.Lock()
	defer s.screen.Unlock()
	s.hide()
	f()
}

// Doing changes the spinner's text.
func (s *Spinner) Doing(what string) {
	s.screen.Lock()
	defer s.screen.Unlock()
	shown := s.shown
	s.hide() // the new line may be shorter
	if s.what = what; shown {
		s.draw()
	}
}

// End removes the spinner. The next text begins a new line.
func (s *Spinner) End() {
	close(s.stop)
	<-s.stopped
	s.screen.Lock()
	defer s.screen.Unlock()
	s.hide()
	if s.midLine && IsTerminal(s.out) {
		fmt.Fprintln(s.out)
	}
}
