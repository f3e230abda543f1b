package check

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
)

// few is how many findings people take in at a glance: a longer list ends with a table.
const few = 5

// Folded writes findings, the worst first. Of those that are alike it writes the first most in full
// (0: all) and counts the others below the last of these. A table by rule ends a long list.
func (t Printer) Folded(w io.Writer, all []*Finding, failOn Severity, most int) error {
	all = worstFirst(all)
	shown, more := all, map[*Finding]int(nil)
	if most > 0 {
		shown, more = foldAlike(all, failOn, most)
	}
	for _, f := range shown {
		text := t.full(f)
		if n := more[f]; n > 0 {
			pad := strings.Repeat(" ", len(fmt.Sprint(f.Range.Line)))
			text += t.wrap(pad+" = more: ", len(pad)+9, fmt.Sprintf("and %d more like this%s", n, t.More))
		}
		if _, err := io.WriteString(w, text+"\n"); err != nil {
			return err
		}
	}
	if len(all) <= few {
		return nil
	}
	_, err := io.WriteString(w, t.tableByRule(all)+"\n")
	return err
}

// worstFirst orders findings by severity, and keeps the order of files and lines among equals.
func worstFirst(all []*Finding) []*Finding {
	return slices.SortedStableFunc(slices.Values(all), func(a, b *Finding) int { return b.Severity.Rank() - a.Severity.Rank() })
}

// foldAlike keeps the first n of findings that are alike, and counts the others for the last that it
// keeps. If only one would be counted, it is kept. Findings below failOn are alike if they are of one
// rule; those that fail the check must say the same, too.
func foldAlike(all []*Finding, failOn Severity, n int) (shown []*Finding, more map[*Finding]int) {
	alike := func(f *Finding) string {
		key := f.Rule + " " + string(f.Severity)
		if f.Severity.Rank() >= failOn.Rank() {
			key += " " + shape(f.Message)
		}
		return key
	}
	count, seen := map[string]int{}, map[string]int{}
	for _, f := range all {
		count[alike(f)]++
	}
	more = map[*Finding]int{}
	for _, f := range all {
		key := alike(f)
		seen[key]++
		whole := count[key] <= n+1
		if whole || seen[key] <= n {
			shown = append(shown, f)
		}
		if !whole && seen[key] == n {
			more[f] = count[key] - n
		}
	}
	return shown, more
}

// shape returns a message without what differs from one finding to the next: names, paths, numbers.
func shape(message string) string {
	words := strings.Fields(message)
	for i, word := range words {
		if strings.ContainsAny(strings.TrimRight(word, ".,:;"), "/._-$\"'`()[]{}0123456789") {
			words[i] = "…"
		}
	}
	return strings.Join(words, " ")
}

// tableByRule counts the findings of each rule, the worst first, with how many can be fixed.
func (t Printer) tableByRule(all []*Finding) string {
	type row struct {
		rule, name       string
		severity         Severity
		n, safe, fixable int
	}
	rows := map[string]*row{}
	for _, f := range all {
		key := f.Rule + string(f.Severity)
		r := rows[key]
		if r == nil {
			r = &row{rule: f.Rule, name: f.Name, severity: f.Severity}
			rows[key] = r
		}
		r.n++
		if f.Fix != nil {
			r.fixable++
			if !f.Fix.Unsafe {
				r.safe++
			}
		}
	}
	var b strings.Builder
	for _, r := range slices.SortedFunc(maps.Values(rows), func(a, b *row) int {
		return cmp.Or(b.severity.Rank()-a.severity.Rank(), b.n-a.n, cmp.Compare(a.rule, b.rule))
	}) {
		count := string(r.severity)
		if r.severity != Info && r.n != 1 {
			count += "s"
		}
		line := fmt.Sprintf("%6d %s  %s %-21s  %s", r.n, t.paint(r.severity, term.Pad(count, 8)), r.rule, r.name, sayFixable(r.fixable, r.safe))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// sayFixable says how many findings can be fixed, and by which flags; "" for none.
func sayFixable(fixable, safe int) string {
	switch {
	case fixable == 0:
		return ""
	case safe == 0:
		return fmt.Sprintf("%d can be fixed with --fix --unsafe-fixes", fixable)
	case safe == fixable:
		return fmt.Sprintf("%d can be fixed with --fix", fixable)
	}
	needs := "need"
	if fixable-safe == 1 {
		needs = "needs"
	}
	return fmt.Sprintf("%d can be fixed with --fix (%d %s --unsafe-fixes)", fixable, fixable-safe, needs)
}

// From returns a result without the findings below a severity.
func (r *Result) From(least Severity) *Result {
	shown := *r
	shown.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f *Finding) bool { return f.Severity.Rank() < least.Rank() })
	return &shown
}
