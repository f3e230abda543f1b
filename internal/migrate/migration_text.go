package migrate

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
)

// A Shown says how much of a migration people want to read.
type Shown struct {
	Verbose bool // also list each file that was left alone or needs no change, and notes
	Diff    bool // also show the changes
	DryRun  bool // nothing was written: show what would change

	Columns int                            // the width of a line; 0 means no limit
	Paint   func(code, text string) string // colors text; nil means no colors
}

// Document returns the outcome of all files, with paths as people here would write them.
func (d *Done) Document() Document {
	doc := Document{Files: []Outcome{}, Unclear: []Position{}}
	for _, u := range d.Unclear {
		doc.Unclear = append(doc.Unclear, Position{Path: term.Near(u.Path), Line: u.Line})
	}
	for _, f := range d.Files {
		doc.Add(Outcome{Path: term.Near(f.Path), Status: f.Status, Reason: term.Near(f.Reason), Line: f.Line, Backup: term.Near(f.Backup)})
	}
	return doc
}

// Text returns the outcome of all files for people to read.
func (d *Done) Text(s Shown) string {
	if s.Paint == nil {
		s.Paint = term.Painter(false)
	}
	var b strings.Builder
	groups, doc, told := groupLeft(d.Files), d.Document(), false
	for _, f := range d.Files {
		if f.Status == LeftAlone && !s.Verbose && len(groups[group(f)]) >= manyLeft {
			continue
		}
		s.file(&b, f)
		if filepath.Base(f.Path) == ReportFile && f.Status == Changed && len(f.Edit.Before) == 0 && !told {
			told = true
			b.WriteString("           (it prints the report: the changed scripts source it, so keep it with them;\n" +
				"           --inline puts its code into each script instead)\n")
		}
	}
	if !s.Verbose {
		s.groups(&b, groups)
	}
	s.unclear(&b, doc.Unclear)
	verb := "changed"
	if s.DryRun {
		verb = "would change"
	}
	sum := doc.Summary
	fmt.Fprintf(&b, "%d %s, %d already fine, %d left alone, %d failed\n", sum.Changed, verb, sum.Unchanged, sum.LeftAlone, sum.Failed)
	return b.String()
}

// line writes text beside a word in color, and wraps it between words.
func (s Shown) line(b *strings.Builder, code, word, text string) {
	head := fmt.Sprintf("%-10s", word)
	if code != "" {
		head = s.Paint(code, head)
	}
	lines := []string{term.Visible(text)}
	if s.Columns > 0 {
		lines = term.Wrap(lines[0], max(s.Columns-11, 20))
	}
	fmt.Fprintf(b, "%s %s\n", head, strings.Join(lines, "\n"+strings.Repeat(" ", 11)))
}

// manyLeft is from how many files on the files left alone for one reason share a line.
const manyLeft = 5

// group returns the reason why a file is left alone, without the file that is the cause.
func group(f Migrated) string { return cmp.Or(f.Group, f.Reason) }

// groupLeft returns the files that were left alone, by their reasons.
func groupLeft(files []Migrated) map[string][]Migrated {
	groups := map[string][]Migrated{}
	for _, f := range files {
		if f.Status == LeftAlone {
			groups[group(f)] = append(groups[group(f)], f)
		}
	}
	return groups
}

// groups prints the reasons that apply to many files, the largest group first.
func (s Shown) groups(b *strings.Builder, groups map[string][]Migrated) {
	large := slices.DeleteFunc(slices.Collect(maps.Keys(groups)), func(reason string) bool { return len(groups[reason]) < manyLeft })
	slices.SortFunc(large, func(a, b string) int { return cmp.Or(len(groups[b])-len(groups[a]), strings.Compare(a, b)) })
	for _, reason := range large {
		files := groups[reason]
		example := term.Near(files[0].Path)
		if files[0].Group != "" {
			example += ": " + term.Near(files[0].Reason)
		} else if files[0].Line > 0 {
			example += fmt.Sprintf(":%d", files[0].Line)
		}
		s.line(b, "33", "left alone", fmt.Sprintf("%d files: %s", len(files), reason))
		s.line(b, "", "", "such as "+example)
	}
	if len(large) > 0 {
		fmt.Fprintf(b, "%-10s --verbose lists each\n", "")
	}
}

// maxUnclear is how many unclear lines are printed, unless all are asked for.
const maxUnclear = 5

// unclear prints the lines of which nobody can tell what they read.
func (s Shown) unclear(b *strings.Builder, unclear []Position) {
	for i, u := range unclear {
		if i == maxUnclear && !s.Verbose {
			fmt.Fprintf(b, "%-10s and %d more (--verbose)\n", "", len(unclear)-i)
			return
		}
		s.line(b, "33", "look at", fmt.Sprintf(
			"%s:%d: reads the output of a command that is known only at run time: make sure it is none of these scripts",
			u.Path, u.Line))
	}
}

func (s Shown) file(b *strings.Builder, f Migrated) {
	name := term.Visible(term.Near(f.Path))
	if f.Line > 0 {
		name = fmt.Sprintf("%s:%d", name, f.Line)
	}
	switch f.Status {
	case Changed:
		added := len(f.Edit.Before) == 0 && !f.Remove
		fmt.Fprintf(b, "%s %s", s.Paint("32", fmt.Sprintf("%-10s", verb(f, added, s.DryRun))), name)
		if f.Backup != "" {
			fmt.Fprintf(b, " (was %s)", term.Visible(term.Near(f.Backup)))
		}
		b.WriteString("\n")
		if s.Verbose {
			for _, n := range f.Edit.Notes {
				fmt.Fprintf(b, "           %s:%d: %s\n", name, n.Line, n.Text)
			}
		}
		if (s.Diff || s.DryRun) && filepath.Base(f.Path) != ReportFile { // the ReportFile is long, and the same everywhere
			shown := *f.Edit
			shown.Name = name
			b.WriteString(term.Visible(shown.Patch()))
		}
	case Unchanged:
		if s.Verbose {
			fmt.Fprintf(b, "%-10s %s\n", "fine", name)
		}
	case LeftAlone:
		s.line(b, "33", "left alone", name+": "+term.Near(f.Reason))
	case Failed:
		s.line(b, "31", "failed", name+": "+term.Near(f.Reason))
	}
}

// verb returns what happened to a file that changed, or what would happen to it.
func verb(f Migrated, added, dry bool) string {
	verb := "change"
	switch {
	case f.Remove:
		verb = "remove"
	case added:
		verb = "add"
	}
	if dry {
		return "would " + verb
	}
	return strings.TrimSuffix(verb, "e") + "ed"
}
