package term

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// Cells returns the number of terminal columns that a text takes.
func Cells(s string) int {
	n := 0
	eachCluster(s, func(_ string, w int) bool { n += w; return true })
	return n
}

// Fit cuts a text to n columns, never inside a character cluster.
func Fit(s string, n int) string {
	if Cells(s) <= n {
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

// FitWords cuts a text to n columns, between words if that leaves most of it.
func FitWords(s string, n int) string {
	cut := Fit(s, n)
	if cut == s || n <= 1 {
		return cut
	}
	text := strings.TrimSuffix(cut, "…")
	if blank := strings.LastIndexByte(text, ' '); s[len(text)] != ' ' && Cells(text[:max(blank, 0)]) >= n/2 {
		text = text[:blank]
	}
	return strings.TrimRight(text, " ,;:") + "…"
}

// FitEnd cuts a text to n columns and keeps its end, which says most in a path.
func FitEnd(s string, n int) string {
	if Cells(s) <= n {
		return s
	}
	var clusters []string
	eachCluster(s, func(c string, _ int) bool { clusters = append(clusters, c); return true })
	for len(clusters) > 0 && Cells("…"+strings.Join(clusters, "")) > n {
		clusters = clusters[1:]
	}
	return Fit("…"+strings.Join(clusters, ""), n)
}

// Pad pads or cuts a text to n columns.
func Pad(s string, n int) string {
	s = Fit(s, n)
	return s + strings.Repeat(" ", max(0, n-Cells(s)))
}

// PadLeft works as Pad does, with the spaces before the text.
func PadLeft(s string, n int) string {
	s = Fit(s, n)
	return strings.Repeat(" ", max(0, n-Cells(s))) + s
}

// eachCluster calls f with each character cluster and its columns, until f returns false.
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

// Clusters cuts a text into clusters: each character with the marks drawn in the same place.
func Clusters(s string) []string {
	var all []string
	eachCluster(s, func(c string, _ int) bool { all = append(all, c); return true })
	return all
}

// Wrap breaks a text into lines of at most n columns, between words. A longer word, such as a path,
// stays whole, because a terminal breaks it in a way that can be copied.
func Wrap(text string, n int) []string { return wrap(strings.Fields(text), n) }

// wrap joins words into lines of at most n columns.
func wrap(words []string, n int) []string {
	var lines []string
	line := ""
	for _, word := range words {
		switch {
		case line == "":
			line = word
		case Cells(line)+1+Cells(word) <= n:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// Hang writes text after a head, in lines of n columns. Further lines begin below the text's first
// word.
func Hang(head, text string, n int) string {
	left := Cells(head)
	lines := Wrap(text, max(n-left, 20))
	return head + strings.Join(lines, "\n"+strings.Repeat(" ", left)) + "\n"
}

// Message breaks a message into lines of n columns, and indents all but the first. A command that
// people copy stays on one line: from the name of one of our programs to the end of the text or of
// the parentheses.
func Message(text string, n int, programs map[string][]string) string {
	const indent = "  "
	if Cells(text) <= n {
		return text
	}
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i++ {
		name := strings.TrimLeft(words[i], "(`")
		if !slices.Contains(programs[name], strings.TrimRight(words[i+1], ").,;:`")) {
			continue
		}
		end := i + 1
		for end+1 < len(words) && !strings.ContainsAny(words[end][len(words[end])-1:], ").,;:`") && words[end+1][0] != '(' {
			end++
		}
		command := strings.Join(words[i:end+1], " ")
		if alone := name != words[i] || i > 0 && strings.HasSuffix(words[i-1], ":"); alone || Cells(command) <= n-len(indent) {
			words = slices.Replace(words, i, end+1, command)
		}
	}
	lines := wrap(words, n-len(indent))
	return strings.Join(lines, "\n"+indent)
}

// Columns returns the width of output: the terminal's, else the variable COLUMNS, else a default.
func Columns(out any, said string, usual int) int {
	if f, ok := out.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	if w, err := strconv.Atoi(said); err == nil && w > 0 {
		return w
	}
	return usual
}
