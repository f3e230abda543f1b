package activity

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/report"
)

// A Look is how a box is drawn. The zero value works.
type Look struct {
	Columns int                            // 0 means 80
	Paint   func(code, text string) string // colors text; nil means no colors
	Home    string                         // a path below it is shown as ~/…
	Now     time.Time                      // what "2m ago" counts from; the zero time means now
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

// path writes a path below the home folder as people do.
func (l Look) path(path string) string {
	if rest, ok := strings.CutPrefix(path, l.Home); ok && len(l.Home) > 1 && (rest == "" || strings.HasPrefix(rest, "/")) {
		return "~" + rest
	}
	return path
}

// Confidence returns a confidence with its band, and with as many decimals as show
// why it is in that band.
func Confidence(c float64) string {
	band := report.Band(c)
	for decimals := 2; ; decimals++ {
		text := strconv.FormatFloat(c, 'f', decimals, 64)
		if shown, err := strconv.ParseFloat(text, 64); err != nil || report.Band(shown) == band {
			return text + " " + band
		}
	}
}
