package activity

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/report"
)

// A Look says how to draw a box. The zero value works.
type Look struct {
	Columns int                            // 0 means 80
	Paint   func(code, text string) string // colors text; nil means no colors
	Home    string                         // paths below this folder are shown as ~/…
	Now     time.Time                      // the time that "2m ago" counts from; zero means now
}

func (l Look) box(title string) *term.Box {
	return term.NewBox(title, cmp.Or(l.Columns, term.DefaultWidth), l.paint())
}

func (l Look) paint() term.Paint {
	if l.Paint == nil {
		return term.NoPaint
	}
	return l.Paint
}

func (l Look) now() time.Time {
	if l.Now.IsZero() {
		return time.Now()
	}
	return l.Now
}

// path shortens a path below the home folder to ~/….
func (l Look) path(path string) string {
	if rest, ok := strings.CutPrefix(path, l.Home); ok && len(l.Home) > 1 && (rest == "" || strings.HasPrefix(rest, "/")) {
		return "~" + rest
	}
	return path
}

// Confidence returns a confidence with its band. It uses enough decimals that the number is visibly
// in that band.
func Confidence(c float64) string {
	band := report.Band(c)
	for decimals := 2; ; decimals++ {
		text := strconv.FormatFloat(c, 'f', decimals, 64)
		if shown, err := strconv.ParseFloat(text, 64); err != nil || report.Band(shown) == band {
			return text + " " + band
		}
	}
}
