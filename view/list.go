package view

import (
	"fmt"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/term"
)

// ListLine returns what makes a line of each of the listed, in columns that fit all of them. Where no terminal reads them,
// columns are many and names are whole.
func ListLine(all []skillhand.Listed, columns int, paint func(code, text string) string) func(skillhand.Listed) string {
	name, from := 4, 4
	for _, s := range all {
		name, from = max(name, term.Cells(s.Call)), max(from, len(s.From))
	}
	name = min(name, max(30, columns/3))
	return func(s skillhand.Listed) string {
		about, mark := s.Description, "trusted    "
		if !s.Trusted {
			mark = paint("33", "not trusted")
		}
		if s.Error != "" {
			about = paint("31", term.Near(s.Error))
		}
		head := fmt.Sprintf("%s  %-*s  %s  ", term.Pad(term.Visible(s.Call), name), from, s.From, mark)
		room := columns - max(name, term.Cells(s.Call)) - from - len("not trusted") - 6
		return head + term.FitWords(term.Visible(about), max(room, 20)) + "\n"
	}
}
