package eval

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/skillhand/skillhand/internal/term"
)

// TestBoard checks the rows of cases, the cells of trials and the cost so far. Each drawing
// replaces the previous one, and the last one removes the table.
func TestBoard(t *testing.T) {
	t.Parallel()
	var shown bytes.Buffer
	s := NewBoard(&Options{Runs: 2, Baseline: true}, []*Subject{{Name: "card", Cases: []Case{{ID: "one", Fires: true}, {ID: "two"}}}})
	s.Screen = &term.Screen{Out: &shown, Held: new(sync.Mutex)}
	ended := 0
	s.Each = func(Trial, bool) error { ended++; return nil }
	yes, no := true, false
	trial := func(id string, arm Arm, run int, outcome Outcome, passed *bool) {
		one := Trial{Skill: "card", Case: id, Arm: arm, Run: run, Fires: id == "one", Outcome: outcome, Passed: passed, CostUSD: 0.25}
		s.Start(one)
		s.End(one, false)
	}
	trial("one", With, 1, Fired, &yes)
	trial("one", With, 2, Fired, &no)
	trial("one", Without, 1, None, nil)
	trial("one", Without, 2, None, &yes)
	trial("two", With, 1, Other, nil)
	trial("two", With, 2, Fired, nil)
	trial("two", Without, 1, Void, nil)
	s.Start(Trial{Skill: "card", Case: "two", Arm: Without, Run: 2})
	drawings := strings.Split(shown.String(), "\x1b[5A\r")
	if len(drawings) != 15 {
		t.Errorf("%d drawings, want one for each start and end", len(drawings))
	}
	want := "card one with + -|card one without o +|card two with + x|card two without ? …|" +
		"7 trials, $1.75 so far; + as wanted, x not, - checks failed, ? no verdict"
	var lines []string
	for line := range strings.Lines(strings.NewReplacer("\r", "", "\x1b[K", "", "\x1b[J", "").Replace(drawings[len(drawings)-1])) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	if got := strings.Join(lines, "|"); got != want {
		t.Errorf("drawn:\n%s\nwant\n%s", got, want)
	}
	// A warning appears above the table, which is drawn again below it.
	shown.Reset()
	s.Warn(func(text string) { shown.WriteString(text + "\n") }, "a limit")
	if !strings.HasPrefix(shown.String(), "\x1b[5A\r\x1b[Ja limit\ncard one ") {
		t.Errorf("a warning: %q", shown.String())
	}
	s.Each = func(Trial, bool) error { return errors.New("nobody reads") }
	trial("two", Without, 2, None, nil)
	s.Each = func(Trial, bool) error { ended++; return nil } // this is too late
	s.End(Trial{Skill: "other"}, true)
	shown.Reset()
	if trials, found, err := s.Close(); shown.String() != "\x1b[5A\r\x1b[J" || len(trials) != 9 || ended != 7 || found != 1 || err == nil {
		t.Errorf("the end: %q, %d trials, %d found, %v", shown.String(), len(trials), found, err)
	}
}
