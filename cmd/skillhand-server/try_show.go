package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/atomicfile"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/try"
)

// A tryShow tells how trials go: a table that is drawn again on a terminal, a
// line for each trial elsewhere.
type tryShow struct {
	std    *cli.Std
	json   bool
	screen *term.Screen // nil: no table

	mu     sync.Mutex
	rows   []*tryRow
	found  int
	cost   float64
	trials []try.Trial
	failed error // of printing
}

// A tryRow is a case in one arm.
type tryRow struct {
	skill, id string
	arm       try.Arm
	cells     []string
}

func newTryShow(std *cli.Std, o *tryOptions, subjects []*try.Subject) *tryShow {
	s := &tryShow{std: std, json: o.json}
	if o.draws(std.Live(), term.IsTerminal(std.Out)) {
		s.screen = &term.Screen{Out: std.Err, Held: &std.Screen}
	}
	for _, subject := range subjects {
		for _, c := range subject.Cases {
			for _, arm := range o.ArmsOf(&c) {
				row := &tryRow{skill: subject.Name, id: c.ID, arm: arm}
				for range o.RunsOf(&c) {
					row.cells = append(row.cells, "·")
				}
				s.rows = append(s.rows, row)
			}
		}
	}
	return s
}

// draws reports whether a table is drawn on the screen: not over lines of JSON that go there too.
func (o *tryOptions) draws(screen, out bool) bool { return screen && o.from == "" && !(o.json && out) }

func (s *tryShow) set(t try.Trial, cell string) {
	for _, row := range s.rows {
		if row.skill == t.Skill && row.id == t.Case && row.arm == t.Arm && t.Run <= len(row.cells) {
			row.cells[t.Run-1] = cell
		}
	}
	s.draw()
}

func (s *tryShow) start(t try.Trial) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(t, "…")
}

// warn tells of something beside the table, not in the middle of it.
func (s *tryShow) warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.screen == nil {
		s.std.Warn(text)
		return
	}
	s.screen.Clear()
	s.std.Warn(text)
	s.draw()
}

func (s *tryShow) trial(t try.Trial, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trials = append(s.trials, t)
	s.cost += t.CostUSD
	if found {
		s.found++
	}
	if s.json && s.failed == nil {
		s.failed = s.std.PrintJSON(t)
	}
	if s.screen != nil {
		s.set(t, t.Cell())
		return
	}
	if found || s.json {
		return
	}
	fmt.Fprintln(s.std.Err, term.Fit(term.Flat(t.Line()), 300))
}

// maxRows is how many rows are drawn, if the screen has room for them.
const maxRows = 20

// draw draws the table over the one before.
func (s *tryShow) draw() {
	if s.screen == nil {
		return
	}
	columns, rows := s.screen.Size()
	var lines []string
	for _, row := range s.busy(max(1, min(maxRows, rows-3))) {
		name := term.Pad(term.Flat(row.skill+" "+row.id), min(40, columns/2))
		lines = append(lines, fmt.Sprintf("%s %-7s %s", name, row.arm, strings.Join(row.cells, " ")))
	}
	s.screen.Draw(append(lines, fmt.Sprintf("%s, %s so far; + as wanted, x not, - checks failed, ? no verdict",
		term.Plural(len(s.trials), "trial"), term.Dollars(s.cost))))
}

// busy are the rows to draw: if there are too many, those that are not finished first.
func (s *tryShow) busy(most int) []*tryRow {
	if len(s.rows) <= most {
		return s.rows
	}
	var some []*tryRow
	for _, unfinished := range []bool{true, false} {
		for _, row := range s.rows {
			open := strings.ContainsAny(strings.Join(row.cells, ""), "·…")
			if open == unfinished && len(some) < most {
				some = append(some, row)
			}
		}
	}
	return some
}

// end takes the table away: the summary says it all.
func (s *tryShow) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.screen != nil {
		s.screen.Clear()
		s.screen = nil
	}
	if s.found > 0 {
		fmt.Fprintf(s.std.Err, "skillhand: %s of an earlier run counted\n", term.Plural(s.found, "trial"))
	}
}

func printTry(std *cli.Std, o *tryOptions, subjects []*try.Subject, s *try.Summary, trials []try.Trial) error {
	switch {
	case o.reportAs != "":
		trials = try.Sorted(trials)
		text, err := json.MarshalIndent(try.NewEvalReport(&o.Options, subjects[0], s, trials), "", "  ")
		if err != nil {
			return err
		}
		text = append(text, '\n')
		if o.from == "" {
			if err := atomicfile.Write(filepath.Join(s.Results, "aggregate-result.json"), text, 0o600); err != nil {
				return err
			}
		}
		return std.Print(string(text))
	case o.json:
		return std.PrintJSON(s)
	case o.markdown:
		return std.Print(s.Markdown())
	}
	return std.Print(s.Text(std.Painter()))
}
