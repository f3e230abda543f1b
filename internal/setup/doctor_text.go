package setup

import (
	"fmt"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
)

// Text returns what people read, in lines of so many columns.
func (d Diagnosis) Text(columns int, paint func(code, text string) string) string {
	colors := map[Status]string{OK: "32", Note: "33", Wrong: "31", Missing: "1;31"}
	var b strings.Builder
	for _, f := range d.Checks {
		head := fmt.Sprintf("%-7s  %-8s  ", f.Status, f.Name)
		text := term.Hang(head, term.Flat(f.Text), columns)
		b.WriteString(paint(colors[f.Status], text[:7]) + text[7:])
		for step := range strings.Lines(f.Fix) { // not wrapped, as most are commands
			b.WriteString(strings.Repeat(" ", len(head)) + paint("36", term.Flat(strings.TrimSuffix(step, "\n"))) + "\n")
		}
	}
	return b.String()
}
