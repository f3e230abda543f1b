package eval

import (
	"fmt"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/term"
)

// A Screen is the last lines of a terminal, which can be redrawn.
type Screen interface {
	Draw(lines []string)
	Clear()
	Size() (columns, rows int)
}

// A Board shows the progress of trials. On a screen it draws a row for each case and arm, with a
// cell for each trial. Any goroutine may call its methods.
type Board struct {
	Screen Screen                          // nil draws nothing
	Each   func(t Trial, found bool) error // called for each trial that ended; found means in an earlier run

	mu     sync.Mutex
	rows   []*boardRow
	trials []Trial
	found  int
	cost   float64
	failed error
}

// A boardRow is the row of a case in one arm.
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

// Start notes that a trial has started.
func (b *Board) Start(t Trial) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(t, "…")
}

// End notes the outcome of a trial.
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

// Warn prints a text above the rows, not among them.
func (b *Board) Warn(say func(text string), text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Screen != nil {
		b.Screen.Clear()
	}
	say(text)
	b.draw()
}

// Close removes the rows, because the summary contains everything. It returns the trials, how many
// of them an earlier run made, and the first error of Each.
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

// boardRows limits how many rows are drawn, even if the screen has room for more.
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

// busy returns the rows to draw. If there are too many, unfinished rows come first.
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
