package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/report/verdict"
)

// formatVerdict formats a verdict for people: first whether all is well, then why not, then what
// the script reported.
func formatVerdict(v *verdict.Verdict, paint func(code, text string) string) string {
	all := paint("1;32", "OK")
	if !v.OK {
		all = paint("1;31", "NOT OK")
	}
	var b strings.Builder
	took := time.Duration(v.DurationMS * float64(time.Millisecond))
	fmt.Fprintf(&b, "%s  %s, exit status %d, %s\n", all, term.Near(term.Visible(v.Script)), v.Exit, term.Duration(took))
	var rows [][2]string
	for _, p := range v.Problems {
		rows = append(rows, [2]string{p.Code, p.Message})
	}
	term.Section(&b, "problems", rows)
	if v.Printed != "" {
		rows = nil
		for line := range strings.SplitSeq(v.Printed, "\n") {
			rows = append(rows, [2]string{line, ""})
		}
		term.Section(&b, "printed", rows)
	}
	if r := v.Report; r != nil {
		confidence := strconv.FormatFloat(r.Confidence, 'f', -1, 64) + " " + report.Band(r.Confidence)
		if v.Method == report.Legacy {
			confidence += ", read from text"
		}
		term.Section(&b, "confidence", [][2]string{{confidence, ""}})
		rows = nil
		for _, d := range r.Deliverables {
			rows = append(rows, [2]string{d, ""})
		}
		term.Section(&b, "deliverables", rows)
		rows = nil
		for _, name := range slices.Sorted(maps.Keys(r.Metrics)) {
			rows = append(rows, [2]string{name, strconv.FormatFloat(r.Metrics[name], 'f', -1, 64)})
		}
		term.Section(&b, "metrics", rows)
		rows = nil
		for _, e := range r.Errors {
			rows = append(rows, [2]string{e.Code, e.Message})
		}
		term.Section(&b, "errors", rows)
	}
	rows = nil
	for _, w := range v.Warnings {
		rows = append(rows, [2]string{formatFault(w), ""})
	}
	term.Section(&b, "warnings", rows)
	return b.String()
}

func formatFault(f report.Fault) string {
	where := ""
	if f.Path != "" {
		where = f.Path + ": "
	}
	return strings.ReplaceAll(term.Visible(fmt.Sprintf("%s%s (%s)", where, f.Message, f.Code)), "\n", " ")
}
