package eval

import (
	"fmt"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/term"
)

// A Screen is the last lines of a terminal, drawn again and again.
type Screen interface {
	Draw(lines []string)
	Clear()
	Size() (columns, rows int)
}

// A Board follows trials as they are made: on a screen a row for each case in one arm, a cell for each trial. It may be
// told of them from any goroutine.
type Board struct {
	Screen Screen                          // nil: nothing is drawn
	Each   func(t Trial, found bool) error // called for each trial that ended; found: in an earlier run

	mu     sync.Mutex
	rows   []*boardRow
	trials []Trial
	found  int
	cost   float64
	failed error
}

// A boardRow is a case in one arm.
type boardRow struct {
	skill, id string
	arm       Arm
	cells     []string
}

// NewBoard makes a board for the trials of some skills.
func NewBoard(o *Options, subjects []*Subject) *Board {
	b := &Board{}
	for _, s := range subjects {
		for _, c := range s.Cases {
			for _, arm := range o.ArmsOf(&c) {
				row := &boardRow{skill: s.Name, id: c.ID, arm: arm}
				for range o.RunsOf(&c) {
					row.cells = append(row.cells, "·")
				}
				b.rows = append(b.rows, row)
			}
		}
	}
	return b
}

// Start says that a trial is under way.
func (b *Board) Start(t Trial) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(t, "…")
}

// End says what came of a trial.
func (b *Board) End(t Trial, found bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trials = append(b.trials, t)
	b.cost += t.CostUSD
	if found {
		b.found++
	}
	if b.failed == nil {
		b.failed = b.Each(t, found)
	}
	b.set(t, t.Cell())
}

// Warn says something above the rows, not in the middle of them.
func (b *Board) Warn(say func(text string), text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Screen != nil {
		b.Screen.Clear()
	}
	say(text)
	b.draw()
}

// Close takes the rows away, as the summary says it all. It returns the trials, how many of them an earlier run made, and
// the first error of Each.
func (b *Board) Close() (trials []Trial, found int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Screen != nil {
		b.Screen.Clear()
		b.Screen = nil
	}
	return b.trials, b.found, b.failed
}

func (b *Board) set(t Trial, cell string) {
	for _, row := range b.rows {
		if row.skill == t.Skill && row.id == t.Case && row.arm == t.Arm && t.Run <= len(row.cells) {
			row.cells[t.Run-1] = cell
		}
	}
	b.draw()
}

// boardRows is how many rows are drawn, if the screen has room for them.
const boardRows = 20

func (b *Board) draw() {
	if b.Screen == nil {
		return
	}
	columns, rows := b.Screen.Size()
	var lines []string
	for _, row := range b.busy(max(1, min(boardRows, rows-3))) {
		name := term.Pad(term.Flat(row.skill+" "+row.id), min(40, columns/2))
		lines = append(lines, fmt.Sprintf("%s %-7s %s", name, row.arm, strings.Join(row.cells, " ")))
	}
	b.Screen.Draw(append(lines, fmt.Sprintf("%s, %s so far; + as wanted, x not, - checks failed, ? no verdict",
		term.Plural(len(b.trials), "trial"), term.Dollars(b.cost))))
}

// busy returns the rows to draw: if there are too many, those that are not finished first.
func (b *Board) busy(most int) []*boardRow {
	if len(b.rows) <= most {
		return b.rows
	}
	var some []*boardRow
	for _, unfinished := range []bool{true, false} {
		for _, row := range b.rows {
			open := strings.ContainsAny(strings.Join(row.cells, ""), "·…")
			if open == unfinished && len(some) < most {
				some = append(some, row)
			}
		}
	}
	return some
}
