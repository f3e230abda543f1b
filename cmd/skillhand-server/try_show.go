package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/atomicfile"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/redact"
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
	why := ""
	switch {
	case t.Why != "":
		why = ": " + t.Why
	case len(t.Instead) > 0:
		why = ": " + strings.Join(t.Instead, ", ")
	}
	if t.Passed != nil && *t.Passed {
		why += ", passed"
	} else if t.Passed != nil {
		why += ", failed"
	}
	line := fmt.Sprintf("%s %s %s %d: %s%s (%s, %s)", t.Skill, t.Case, t.Arm, t.Run, t.Outcome, why, t.Cost(), term.ShortDuration(t.DurationMS))
	fmt.Fprintln(s.std.Err, term.Fit(term.Flat(line), 300))
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
		trials = sortTrials(trials)
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

// sortTrials are trials in the order of their names, whichever ended first.
func sortTrials(trials []try.Trial) []try.Trial {
	trials = slices.Clone(trials)
	slices.SortStableFunc(trials, func(a, b try.Trial) int {
		return cmp.Or(cmp.Compare(a.Skill, b.Skill), cmp.Compare(a.Case, b.Case), cmp.Compare(a.Arm, b.Arm), cmp.Compare(a.Run, b.Run))
	})
	return trials
}

// writeTryJUnit writes trials as CI systems read them. One without a verdict, or with
// a check that could not be judged, is skipped; the arm without the skill is no test.
func writeTryJUnit(file string, all try.Report) error {
	var cases []cli.JUnitCase
	for _, a := range all.Agents {
		class := ""
		if len(all.Fates) > 0 {
			class = a.Agent + "."
		}
		for _, t := range a.Trials {
			if t.Arm.Kind() == try.With {
				cases = append(cases, tryJUnit(class+t.Skill, t))
			}
		}
	}
	return cli.WriteJUnit(file, "skillhand try", cases)
}

func tryJUnit(class string, t try.Trial) cli.JUnitCase {
	c := cli.JUnitCase{Class: class, Name: fmt.Sprintf("%s #%d", t.Case, t.Run), DurationMS: t.DurationMS}
	switch {
	case t.Outcome == try.Void:
		c.Skipped = "no verdict: " + t.Why
	case !t.Open && !t.Right():
		c.Failure = strings.TrimSuffix(fmt.Sprintf("the outcome is %s: %s", t.Outcome, strings.Join(t.Instead, ", ")), ": ")
	case t.Passed != nil && !*t.Passed:
		c.Failure = "checks failed"
	}
	for _, check := range t.Checks {
		switch {
		case check.OK != nil && !*check.OK:
			c.Detail += check.Check + ": " + check.Why + "\n"
		case check.OK == nil && !check.Judge && c.Failure == "" && c.Skipped == "":
			c.Skipped = "not judged: " + check.Check + ": " + check.Why
		}
	}
	return c
}

// writeTryHTML writes all about trials as one page.
func writeTryHTML(file string, all try.Report, env here.Env) error {
	text, err := all.HTML(redact.New(env).Text)
	if err != nil {
		return err
	}
	return atomicfile.Write(file, text, 0o644)
}
