package check

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/term"
)

// A Printer shows findings to people.
type Printer struct {
	Columns int                            // how wide it may be; 0 means 80
	ASCII   bool                           // no other characters than those of ASCII
	Paint   func(code, text string) string // text in the color of a terminal's code, such as 31; nil paints nothing
	More    string                         // follows the count of findings that are not shown: how to see them
}

// Concise writes a line for each finding.
func (t Printer) Concise(w io.Writer, all []*Finding) error {
	for _, f := range all {
		text := f.Message
		if f.Help != "" {
			text += " (" + f.Help + ")"
		}
		if _, err := fmt.Fprintf(w, "%s:%d:%d: %s %s: %s\n",
			t.flat(f.File), f.Range.Line, f.Range.Column, t.paint(f.Severity, string(f.Severity)), f.Rule, t.flat(text)); err != nil {
			return err
		}
	}
	return nil
}

// full returns a finding with the line it is about, and a mark under what is wrong.
func (t Printer) full(f *Finding) string {
	var b strings.Builder
	head := fmt.Sprintf("%s[%s]", f.Severity, f.Rule)
	b.WriteString(t.wrap(t.paint(f.Severity, head)+": ", len(head)+2, t.flat(f.Message)))
	number := fmt.Sprint(f.Range.Line)
	pad := strings.Repeat(" ", len(number))
	corner, bar := "┌─", "│"
	if t.ASCII {
		corner, bar = "-->", "|"
	}
	fmt.Fprintf(&b, "%s %s %s:%d:%d\n", pad, t.dim(corner), t.flat(f.File), f.Range.Line, f.Range.Column)
	if f.text != "" {
		line, mark := t.excerpt(f, len(number)+3)
		fmt.Fprintf(&b, "%s %s %s\n%s %s %s\n", t.dim(number), t.dim(bar), line, pad, t.dim(bar), mark)
	}
	if f.Help != "" {
		b.WriteString(t.wrap(pad+" = help: ", len(pad)+9, t.flat(f.Help)))
	}
	if f.Fix != nil {
		flags := "--fix"
		if f.Fix.Unsafe {
			flags += " --unsafe-fixes"
		}
		b.WriteString(t.wrap(pad+" = fix:  ", len(pad)+9, t.flat(flags+" ("+f.Fix.Title+")")))
	}
	return b.String()
}

// flat returns a text that can stand in a line of this terminal.
func (t Printer) flat(s string) string {
	s = term.Flat(strings.ToValidUTF8(s, "\ufffd"))
	if t.ASCII {
		s = ascii(s)
	}
	return s
}

// ascii replaces what is not.
func ascii(s string) string {
	s = strings.NewReplacer("…", "...", "“", `"`, "”", `"`, "’", "'").Replace(s)
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, s)
}

func (t Printer) columns() int {
	if t.Columns <= 0 {
		return term.DefaultWidth
	}
	return max(t.Columns, 20)
}

// wrap breaks a text into lines, the first after head and the others below it: where there is
// room, under the text.
func (t Printer) wrap(head string, indent int, text string) string {
	if t.columns() < 3*indent {
		place := strings.Repeat("x", indent-1) // of head
		lines := term.Wrap(place+" "+text, t.columns()-2)
		lines[0] = strings.TrimLeft(strings.TrimPrefix(lines[0], place), " ")
		if lines[0] == "" {
			head = strings.TrimRight(head, " ")
		}
		return head + strings.Join(lines, "\n  ") + "\n"
	}
	lines := term.Wrap(text, t.columns()-indent)
	return head + strings.Join(lines, "\n"+strings.Repeat(" ", indent)) + "\n"
}

// excerpt returns the part of a line that fits, and the mark below it.
func (t Printer) excerpt(f *Finding, taken int) (line, mark string) {
	room := max(t.columns()-taken, 10)
	start := byteAt(f.text, f.Range.Column-1)
	end := len(f.text)
	if f.Range.EndLine == f.Range.Line {
		end = max(start, byteAt(f.text, f.Range.EndColumn-1))
	}
	before, what, after := t.cells(f.text[:start]), t.cells(f.text[start:end]), t.cells(f.text[end:])
	if width(before)+width(what)+width(after) > room { // show what is wrong, and what is around it
		before, what, after = t.cut(before, what, after, room)
	}
	sign := strings.Repeat("^", max(1, width(what)))
	line = join(before) + join(what) + join(after)
	return strings.TrimRight(line, " "), strings.Repeat(" ", width(before)) + t.paint(f.Severity, sign)
}

// cut keeps of a line what fits, with a mark where something is left out.
func (t Printer) cut(before, what, after []string, room int) (keptBefore, keptWhat, keptAfter []string) {
	mark := t.cells("…")
	kept := fit(what, room-2*len(mark)-2)
	left := max(0, (room-width(kept))*2/3)
	if width(before) > left {
		keptBefore = append(slices.Clone(mark), fitEnd(before, left-len(mark))...)
	} else {
		keptBefore = before
	}
	rest := max(0, room-width(keptBefore)-width(kept))
	switch {
	case len(kept) < len(what):
		return keptBefore, kept, mark
	case width(after) > rest:
		return keptBefore, kept, append(slices.Clone(fit(after, rest-len(mark))), mark...)
	}
	return keptBefore, kept, after
}

// byteAt returns where character n of a text starts.
func byteAt(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// cells returns a text as this terminal shows it, character by character: tabs are four blanks, so
// that the mark below stands right whatever the terminal makes of them.
func (t Printer) cells(s string) []string {
	const most = 4000 // a line may be very long
	if len(s) > most {
		s = s[:most]
	}
	s = strings.ReplaceAll(t.flat(strings.ReplaceAll(s, "\t", "    ")), "\r", "")
	return term.Clusters(s)
}

func join(cells []string) string { return strings.Join(cells, "") }

func width(cells []string) int {
	n := 0
	for _, c := range cells {
		n += term.Cells(c)
	}
	return n
}

// fit keeps the first cells that are at most n columns wide.
func fit(cells []string, n int) []string {
	used := 0
	for i, c := range cells {
		if used += term.Cells(c); used > n {
			return cells[:i]
		}
	}
	return cells
}

// fitEnd keeps the last ones.
func fitEnd(cells []string, n int) []string {
	used := 0
	for i := len(cells) - 1; i >= 0; i-- {
		if used += term.Cells(cells[i]); used > n {
			return cells[i+1:]
		}
	}
	return cells
}

func (t Printer) paint(s Severity, text string) string {
	if t.Paint == nil {
		return text
	}
	switch s {
	case Error:
		return t.Paint("31", text)
	case Warning:
		return t.Paint("33", text)
	}
	return t.Paint("36", text)
}

func (t Printer) dim(text string) string {
	if t.Paint == nil {
		return text
	}
	return t.Paint("2", text)
}

// Summary says how much was checked and what was found.
func (r *Result) Summary() string {
	fixable, safely := 0, 0
	for _, f := range r.Findings {
		if f.Fix != nil {
			fixable++
			if !f.Fix.Unsafe {
				safely++
			}
		}
	}
	text := fmt.Sprintf("%s, %s: %s, %s", term.Plural(r.Files, "file"),
		term.Plural(r.Directives, "directive"), term.Plural(r.Count(Error), "error"), term.Plural(r.Count(Warning), "warning"))
	if n := r.Count(Info); n > 0 {
		text += fmt.Sprintf(", %d info", n)
	}
	if r.Ignored > 0 {
		text += fmt.Sprintf(", %d ignored", r.Ignored)
	}
	if fixable > 0 {
		text += "; " + sayFixable(fixable, safely)
	}
	return text
}
