package check

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
)

// Folded writes findings, the worst first, and counts those of a rule beyond most that are below a severity (0: all are
// written). The errors come again at the end, a line each.
func (t Printer) Folded(w io.Writer, all []*Finding, failOn Severity, most int) error {
	all = WorstFirst(all)
	shown, folds := all, []Fold(nil)
	if most > 0 {
		shown, folds = Folded(all, failOn, most)
	}
	if err := t.Full(w, shown); err != nil {
		return err
	}
	if err := t.folds(w, folds); err != nil {
		return err
	}
	return t.Errors(w, all)
}

func (t Printer) folds(w io.Writer, folds []Fold) error {
	if len(folds) == 0 {
		return nil
	}
	var more []string
	for _, f := range folds {
		more = append(more, fmt.Sprintf("%d more %s[%s]", f.N, f.Severity, f.Rule))
	}
	text := strings.Join(more, ", ") + " not shown" + t.More
	_, err := fmt.Fprintln(w, strings.Join(term.Wrap(text, t.Columns), "\n")+"\n")
	return err
}

// From is a result without the findings below a severity.
func (r *Result) From(least Severity) *Result {
	shown := *r
	shown.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f *Finding) bool { return f.Severity.Rank() < least.Rank() })
	return &shown
}
