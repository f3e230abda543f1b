package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// A box is a frame of a fixed width around lines of text.
type box struct {
	strings.Builder
	inner int // columns between the frame's blanks
	paint func(code, text string) string
}

// A span is a piece of a line in one colour; "" is none.
type span struct{ color, text string }

const (
	minWidth     = 24
	maxWidth     = 100 // wider ones are hard to read
	defaultWidth = 80
)

func newBox(title string, columns int, paint func(code, text string) string) *box {
	columns = min(max(columns, minWidth), maxWidth)
	b := &box{inner: columns - 4, paint: paint}
	title = fit(flat(title), b.inner-2)
	rest := strings.Repeat("─", b.inner-1-cells(title))
	b.WriteString(paint("2", "╭─ ") + paint("1", title) + paint("2", " "+rest+"╮") + "\n")
	return b
}

// line adds a line, cut to what fits.
func (b *box) line(spans ...span) {
	b.WriteString(b.paint("2", "│") + " ")
	left := b.inner
	for _, s := range spans {
		text := fit(flat(s.text), left)
		left -= cells(text)
		if s.color != "" && text != "" {
			text = b.paint(s.color, text)
		}
		b.WriteString(text)
	}
	b.WriteString(strings.Repeat(" ", left) + " " + b.paint("2", "│") + "\n")
}

// heading begins a part of the box.
func (b *box) heading(text string) {
	b.line()
	b.line(span{"1", text})
}

// item adds a text of any length, on as many lines as it needs.
func (b *box) item(text string) {
	for i, line := range wrap(flat(text), b.inner-4) {
		lead := "    "
		if i == 0 {
			lead = "  • "
		}
		b.line(span{"", lead + line})
	}
}

// end closes the box and returns it.
func (b *box) end() string {
	b.WriteString(b.paint("2", "╰"+strings.Repeat("─", b.inner+2)+"╯") + "\n")
	return b.String()
}

// meter is a share of whole as a bar of n columns.
func meter(part, whole, n int) string {
	full := 0
	if whole > 0 {
		full = (part*n + whole/2) / whole
	}
	return strings.Repeat("█", full) + strings.Repeat("░", n-full)
}

// cells is how many columns of a terminal a text takes.
func cells(s string) int {
	n := 0
	eachCluster(s, func(_ string, w int) bool { n += w; return true })
	return n
}

// fit cuts a text to n columns, never within a character and what belongs to it.
func fit(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	var b strings.Builder
	left := n - 1
	eachCluster(s, func(c string, w int) bool {
		if left -= w; left < 0 {
			return false
		}
		b.WriteString(c)
		return true
	})
	return b.String() + "…"
}

// fitEnd cuts a text to n columns and keeps its end: the end of a path says most.
func fitEnd(s string, n int) string {
	if cells(s) <= n {
		return s
	}
	var clusters []string
	eachCluster(s, func(c string, _ int) bool { clusters = append(clusters, c); return true })
	for len(clusters) > 0 && cells("…"+strings.Join(clusters, "")) > n {
		clusters = clusters[1:]
	}
	return fit("…"+strings.Join(clusters, ""), n)
}

// pad fills a text up to n columns, or cuts it to them.
func pad(s string, n int) string {
	s = fit(s, n)
	return s + strings.Repeat(" ", max(0, n-cells(s)))
}

// padLeft is pad with the blanks before the text.
func padLeft(s string, n int) string {
	s = fit(s, n)
	return strings.Repeat(" ", max(0, n-cells(s))) + s
}

// eachCluster calls f for each character with what is drawn in the same place,
// and its columns, until f says no.
func eachCluster(s string, f func(cluster string, columns int) bool) {
	start, columns, joined := 0, 0, false
	for i, r := range s {
		w := runeCells(r)
		skin := 0x1f3fb <= r && r <= 0x1f3ff && columns == 2
		if i > start && w > 0 && !(joined && w == 2) && !skin {
			if !f(s[start:i], columns) {
				return
			}
			start, columns = i, 0
		}
		columns = max(columns, w)
		joined = r == '\u200d' && columns == 2 // emoji are made of emoji
	}
	if start < len(s) {
		f(s[start:], columns)
	}
}

func runeCells(r rune) int {
	switch {
	case ' ' <= r && r < 0x7f:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc), 0x1160 <= r && r <= 0x11ff:
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// wrap breaks a text into lines of at most n columns, between words if it can.
func wrap(text string, n int) []string {
	n = max(n, 2)
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && cells(line)+1+cells(word) <= n {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = ""
		eachCluster(word, func(c string, w int) bool {
			if cells(line)+w > n {
				lines = append(lines, line)
				line = ""
			}
			line += c
			return true
		})
	}
	return append(lines, line)
}

// columns is how wide output may be: as the terminal, else as COLUMNS says,
// else what is usual.
func columns(out any, env []string, usual int) int {
	if f, ok := out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	if w, err := strconv.Atoi(lookup(env, "COLUMNS")); err == nil && w > 0 {
		return w
	}
	return usual
}

// ago says how long something is past, in few letters.
func ago(d time.Duration) string {
	switch {
	case d < 5*time.Second:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", d/time.Hour)
	}
	return fmt.Sprintf("%dd ago", d/(24*time.Hour))
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// home writes a path below the home folder as people do.
func home(path string, env []string) string {
	dir := lookup(env, "HOME")
	if rest, ok := strings.CutPrefix(path, dir); ok && len(dir) > 1 && (rest == "" || strings.HasPrefix(rest, "/")) {
		return "~" + rest
	}
	return path
}

// flat is a text that can stand in a line and does nothing to a terminal.
func flat(s string) string { return strings.NewReplacer("\n", " ", "\t", " ").Replace(visible(s)) }

// noPaint colours nothing.
func noPaint(_, text string) string { return text }
