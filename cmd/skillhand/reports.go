package main

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/report"
)

// A reportTable formats reports as a table.
type reportTable struct {
	paint func(code, text string) string
	width int // of the first column
}

func newReportTable(files []string, paint func(code, text string) string) *reportTable {
	t := &reportTable{paint: paint, width: len("INPUT")}
	for _, f := range files {
		t.width = max(t.width, min(60, utf8.RuneCountInString(f)))
	}
	return t
}

// header returns the table's first line.
func (t *reportTable) header() string {
	return fmt.Sprintf("%-*s  %-7s  %-7s  %-14s  %12s  %6s\n", t.width, "INPUT", "SAYS", "FORM", "CONFIDENCE", "DELIVERABLES", "ERRORS")
}

func (t *reportTable) append(lines []byte, input string, r report.Result) []byte {
	w := bytes.NewBuffer(lines)
	if r.Report == nil {
		says := t.paint("31", "invalid")
		if r.Method == report.Legacy {
			says = t.paint("33", "unclear")
		}
		fmt.Fprintf(w, "%-*s  %s  %s\n", t.width, term.Flat(input), says, r.Method)
	} else {
		says := t.paint("32", "success")
		switch {
		case !r.Stated:
			says = t.paint("33", "nothing")
		case !r.Report.Success:
			says = t.paint("31", "failure")
		}
		fmt.Fprintf(w, "%-*s  %s  %-7s  %-14s  %12d  %6d\n",
			t.width, term.Flat(input), says, r.Method, activity.Confidence(r.Report.Confidence), len(r.Report.Deliverables), len(r.Report.Errors))
	}
	for _, f := range r.Faults {
		fmt.Fprintf(w, "  %s\n", formatFault(f))
	}
	for _, f := range r.Warnings {
		fmt.Fprintf(w, "  %s %s\n", t.paint("33", "warning:"), formatFault(f))
	}
	return w.Bytes()
}
