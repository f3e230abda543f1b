package check

import (
	"fmt"

	"github.com/skillhand/skillhand/internal/term"
)

// Text returns what people read of a verdict, in lines of so many columns.
func (v *Verdict) Text(columns int, paint func(code, text string) string) string {
	colors := map[Effect]string{Runs: "32", Aborts: "31", Untold: "33"}
	effect := string(v.Default)
	if v.Auto != v.Default {
		effect += ", " + string(v.Auto) + " in auto mode"
	}
	room := columns - term.Cells(fmt.Sprintf("%s:%d: %s  ", v.File, v.Line, effect))
	text := fmt.Sprintf("%s:%d: %s  %s\n", v.File, v.Line, paint(colors[v.Default], effect), term.Fit(term.Flat(v.Command), max(room, 20)))
	if why := v.Why(); why != "" {
		text += term.Hang("    ", why, columns)
	}
	if v.Default != Runs && v.Suggest != "" {
		text += "    " + v.Suggest + "\n"
	}
	return text
}

// Why says what decided: "" if it runs by the skill's own rules.
func (v *Verdict) Why() string {
	switch {
	case v.Default == Runs && v.RuleFile != "":
		return "by " + v.Rule + " in " + v.RuleFile
	case v.Default == Runs:
		return ""
	case v.RuleFile != "":
		return v.Reason + " (" + v.RuleFile + ")"
	}
	return v.Reason
}
