package golden

import (
	"fmt"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
)

// Text formats a result for people.
func (r Result) Text(paint func(code, text string) string) string {
	verdict := paint("32", "ok     ")
	switch {
	case !r.OK:
		verdict = paint("31", "FAILED ")
	case r.Updated:
		verdict = paint("33", "updated")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s\n", verdict, term.Visible(term.Near(r.File)), term.ShortDuration(r.DurationMS))
	if r.Error != "" {
		fmt.Fprintln(&b, term.Indent(r.Error))
	}
	for _, c := range r.Checks {
		if !c.OK {
			fmt.Fprintln(&b, term.Indent(c.Diff))
		}
	}
	return b.String()
}

// WriteJUnit writes results to a JUnit file, as CI systems read it.
func WriteJUnit(file string, results []Result) error {
	var cases []JUnitCase
	for _, r := range results {
		c := JUnitCase{Class: r.Skill, Name: term.Near(r.File), DurationMS: r.DurationMS}
		if !r.OK {
			c.Failure, c.Detail = "differs from the expected output", r.Error
			if r.Error != "" {
				c.Failure = "could not be run"
				c.Detail += "\n"
			}
			for _, check := range r.Checks {
				c.Detail += check.Diff
			}
		}
		cases = append(cases, c)
	}
	return WriteCases(file, "skillhand test", cases)
}
