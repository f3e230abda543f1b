package eval

import (
	"fmt"

	"github.com/skillhand/skillhand/internal/golden"
)

// WriteJUnit writes trials as CI systems read them. A trial without a verdict, or with a check that
// could not be judged, is skipped. The arm without the skill does not count as a test.
func (r Report) WriteJUnit(file string) error {
	var cases []golden.JUnitCase
	for _, a := range r.Agents {
		class := ""
		if len(r.Agents) > 1 {
			class = a.Agent + "."
		}
		for _, t := range a.Trials {
			if t.Arm.Kind() == With {
				cases = append(cases, junitCase(class+t.Skill, t))
			}
		}
	}
	return golden.WriteCases(file, "skillhand try", cases)
}

func junitCase(class string, t Trial) golden.JUnitCase {
	c := golden.JUnitCase{Class: class, Name: fmt.Sprintf("%s #%d", t.Case, t.Run), DurationMS: t.DurationMS}
	switch t.Class() {
	case "unknown":
		c.Skipped = t.Verdict()
	case "bad":
		c.Failure = t.Verdict()
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
