package activity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
)

// failure returns the words for a record's failure. Some details have the name of their category.
func failure(r Record) string {
	words := []string{r.Category}
	if r.Detail != r.Category {
		words = append(words, r.Detail)
	}
	if r.Retried {
		words = append(words, "(retried)")
	}
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " ")
}

// Records returns a line for each record: time, mark, name, duration, and outcome.
func Records(records []Record, look Look) string {
	paint := look.paint()
	name := 10
	for _, r := range records {
		name = max(name, min(30, term.Cells(term.Flat(r.Name()))))
	}
	var b strings.Builder
	for _, r := range records {
		mark, verdict := paint("32", "✓"), ""
		if !r.OK {
			mark, verdict = paint("31", "✗"), failure(r)
		}
		if r.Confidence != nil {
			verdict = strings.TrimSpace(verdict) + fmt.Sprintf(" %.2f", *r.Confidence)
		}
		if r.CostUSD > 0 {
			verdict = strings.TrimSpace(verdict) + " " + term.Dollars(r.CostUSD)
		}
		line := fmt.Sprintf("%s  %s %s  %s  %s", r.Time.Local().Format("2006-01-02 15:04:05"), mark, term.Pad(term.Flat(r.Name()), name),
			term.PadLeft(term.ShortDuration(r.DurationMS), durationCells), term.Flat(strings.TrimSpace(verdict)))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
