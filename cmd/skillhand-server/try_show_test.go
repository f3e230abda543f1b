package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/try"
)

func TestTryDraws(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o           tryOptions
		screen, out bool
		want        bool
	}{
		{tryOptions{}, true, true, true},
		{tryOptions{}, true, false, true},
		{tryOptions{}, false, true, false},
		{tryOptions{json: true}, true, false, true},
		{tryOptions{json: true}, true, true, false},
		{tryOptions{from: "x"}, true, true, false},
	} {
		if got := tt.o.draws(tt.screen, tt.out); got != tt.want {
			t.Errorf("json %v, from %q, screen %v, out %v: %v", tt.o.json, tt.o.from, tt.screen, tt.out, got)
		}
	}
}

// TestTryTable: a row a case, a cell a trial, the cost so far; each drawing covers the one before,
// and the last takes the table away.
func TestTryTable(t *testing.T) {
	t.Parallel()
	var shown bytes.Buffer
	std := cli.NewStd()
	std.Err = &shown
	o := &tryOptions{}
	o.Runs, o.Baseline = 2, true
	s := newTryShow(std, o, []*try.Subject{{Name: "card", Cases: []try.Case{{ID: "one", Fires: true}, {ID: "two"}}}})
	s.screen = &term.Screen{Out: std.Err, Held: &std.Screen}
	yes, no := true, false
	trial := func(id string, arm try.Arm, run int, outcome try.Outcome, passed *bool) {
		one := try.Trial{Skill: "card", Case: id, Arm: arm, Run: run, Fires: id == "one", Outcome: outcome, Passed: passed, CostUSD: 0.25}
		s.start(one)
		s.trial(one, false)
	}
	trial("one", try.With, 1, try.Fired, &yes)
	trial("one", try.With, 2, try.Fired, &no)
	trial("one", try.Without, 1, try.None, nil)
	trial("one", try.Without, 2, try.None, &yes)
	trial("two", try.With, 1, try.Other, nil)
	trial("two", try.With, 2, try.Fired, nil)
	trial("two", try.Without, 1, try.Void, nil)
	s.start(try.Trial{Skill: "card", Case: "two", Arm: try.Without, Run: 2})
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
	// A warning is above the table, which is drawn again below it.
	shown.Reset()
	if s.warn("a limit"); !strings.HasPrefix(shown.String(), "\x1b[5A\r\x1b[Jskillhand: warning: a limit\ncard one ") {
		t.Errorf("a warning: %q", shown.String())
	}
	shown.Reset()
	if s.end(); shown.String() != "\x1b[5A\r\x1b[J" {
		t.Errorf("the end: %q", shown.String())
	}
}
