package web

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/files"
)

// A finding is a finding of check about a line.
type finding struct {
	Key                           string // stays the same as long as the finding stays the same
	Rule, Severity, Message, Help string
	Fix                           *fix
}

// A fix would remove a finding.
type fix struct {
	Title  string
	Diff   []diffLine
	Unsafe bool // it may change more than the finding, so there is no button
	Long   bool // the diff is too long to show, so there is no button either
}

// findings returns the findings of check in files, by path, and Claude Code's list of these skills.
// It returns an error if check cannot run. Like skillhand check, it uses the project's
// configuration and Claude Code's settings.
func (v *visit) findings(paths ...string) (map[string][]*check.Finding, check.List, error) {
	found := map[string][]*check.Finding{}
	if len(paths) == 0 {
		return found, check.List{}, nil
	}
	c, err := check.At(v.site.Runtime.Here, paths)
	if err != nil {
		return found, check.List{}, err
	}
	files, err := c.Files()
	if err != nil {
		return found, check.List{}, err
	}
	c.Options.Listing.Uncalled = func() []string { // from the account that the dashboard shows
		since, err := activity.Since(usualSpan, time.Now())
		if err != nil {
			return nil
		}
		recent, err := v.account(since, "")
		if err != nil {
			return nil
		}
		return recent.Uncalled()
	}
	names := map[string]string{}
	for _, f := range files {
		names[f.Name] = f.Path
	}
	for _, f := range check.Run(v.ctx, files, c.Options).Findings {
		f = f.Here()
		found[names[f.File]] = append(found[names[f.File]], f)
	}
	return found, c.List(files), nil
}

// show returns findings for a view, in the same order. The first findings include the diffs of
// their fixes.
func (l *look) show(all []located) []finding {
	source := string(l.src.Source())
	shown := make([]finding, len(all))
	fixes := 0
	for i, f := range all {
		one := finding{Key: findingKey(f.Finding), Rule: f.Rule + " " + f.Name,
			Severity: string(f.Severity), Message: f.Message, Help: f.Help}
		if f.Fix != nil {
			if one.Help == f.Fix.Title {
				one.Help = ""
			}
			one.Fix = &fix{Title: f.Fix.Title, Unsafe: f.Fix.Unsafe || f.file != l.src.File, Long: true}
			if fixes++; fixes <= maxFixes && f.file == l.src.File {
				one.Fix.Diff, one.Fix.Long = changes(source, f.Fix.Edits)
			}
		}
		shown[i] = one
	}
	return shown
}

// findingKey returns a key that identifies a finding in its file.
func findingKey(f *check.Finding) string {
	key := short(f.Rule, fmt.Sprint(f.Range.Offset, f.Range.End), f.Message)
	if f.Fix != nil {
		key = short(key, f.Fix.Title, f.Fix.Executable)
	}
	return key
}

const (
	maxFixes = 100    // fixes with a diff
	maxFix   = 10_000 // bytes of a file that one fix may cover
)

// changes returns the effect of edits on the lines they touch as a diff. long is true if the lines
// are too long for a diff.
func changes(source string, edits []check.Edit) (lines []diffLine, long bool) {
	if len(edits) == 0 {
		return nil, false
	}
	from, to := len(source), 0
	for _, e := range edits {
		if e.Offset < 0 || e.Offset > e.End || e.End > len(source) {
			return nil, true // the edits are for a different text: the file changed
		}
		from, to = min(from, e.Offset), max(to, e.End)
	}
	from = strings.LastIndexByte(source[:from], '\n') + 1
	if i := strings.IndexByte(source[to:], '\n'); i >= 0 {
		to += i + 1
	} else {
		to = len(source)
	}
	if to-from > maxFix {
		return nil, true
	}
	moved := &check.Fix{}
	for _, e := range edits {
		moved.Edits = append(moved.Edits, check.Edit{Offset: e.Offset - from, End: e.End - from, Text: e.Text})
	}
	before := source[from:to]
	all := diffLines(string(diff.Diff("before", []byte(before), "after", []byte(moved.Apply(before)))))
	return slices.DeleteFunc(all, func(l diffLine) bool { return l.Class == "dim" || l.Class == "hunk" }), false
}

// fix applies the fix of one finding. It requires that the fix is safe and that the file is
// unchanged since the finding was shown.
func (v *visit) fix() (string, error) {
	l, err := v.look()
	if err != nil {
		return "", err
	}
	to := l.address("use", v.query.Get("use"), "against", v.query.Get("against"), "tab", v.query.Get("back"))
	source := string(l.src.Source())
	if short(source) != v.query.Get("seen") {
		return "", fmt.Errorf("%s: %w", l.src.File, errChanged)
	}
	found, _, err := l.visit.findings(l.src.File)
	if err != nil {
		return "", err
	}
	for _, list := range found {
		for _, f := range list {
			if f.Fix == nil || f.Fix.Unsafe || findingKey(f) != v.query.Get("finding") {
				continue
			}
			if f.Fix.Executable != "" {
				return to, files.MakeExecutable(f.Fix.Executable)
			}
			if err = files.Replace(l.src.File, []byte(source), []byte(f.Fix.Apply(source))); errors.Is(err, files.ErrChanged) {
				err = errChanged
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", l.src.File, err)
			}
			return to, err
		}
	}
	return "", errMissing{"This finding no longer exists; reload the page."}
}
