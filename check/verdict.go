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
	switch {
	case v.Default == Runs && v.RuleFile != "":
		text += fmt.Sprintf("    by %s in %s\n", v.Rule, v.RuleFile)
	case v.Default != Runs:
		reason := v.Reason
		if v.RuleFile != "" {
			reason += " (" + v.RuleFile + ")"
		}
		text += term.Hang("    ", reason, columns)
		if v.Suggest != "" {
			text += "    " + v.Suggest + "\n"
		}
	}
	return text
}
