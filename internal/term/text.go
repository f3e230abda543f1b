package term

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// A Paint colors text, or does not. The code is that of an SGR escape.
type Paint func(code, text string) string

// Painter returns a Paint that colors text, or NoPaint.
func Painter(may bool) Paint {
	if !may {
		return NoPaint
	}
	return func(code, text string) string { return "\x1b[" + code + "m" + text + "\x1b[0m" }
}

// NoPaint colors nothing.
func NoPaint(_, text string) string { return text }

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// IsPiped reports whether a stream may have input for us: a pipe, a socket or a file, but not a
// terminal or a device such as /dev/null.
func IsPiped(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return stream != nil
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeDevice == 0
}

// Visible shows control characters instead of sending them to the terminal,
// where they could hide what a command does.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || 0x80 <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 {
			return '\ufffd'
		}
		return r
	}, s)
}

// Flat returns a text on one line, with control characters made visible.
func Flat(s string) string { return strings.NewReplacer("\n", " ", "\t", " ").Replace(Visible(s)) }

// Indent indents somebody else's text, to set it apart from ours.
func Indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(Visible(text), "\n"), "\n", "\n    ")
}

// Near shortens a path at the beginning of a message to a relative one, if it is below the working
// folder.
func Near(message string) string {
	dir, err := os.Getwd()
	if err != nil || dir == "/" {
		return message
	}
	return strings.TrimPrefix(message, dir+string(os.PathSeparator))
}

// Plural returns a number with its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Several lists names, up to a limit.
func Several(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Either lists values to choose from: a, b or c. It leaves out empty ones.
func Either(values []string) string {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// Ago returns the time since something happened, in a few letters.
func Ago(d time.Duration) string {
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

// Duration formats a duration as precisely as people need.
func Duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

// ShortDuration formats milliseconds as a duration of at most six characters.
func ShortDuration(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", d/time.Millisecond)
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// Dollars formats an amount, with more digits for small ones.
func Dollars(usd float64) string {
	if usd > 0 && usd < 0.01 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}

// maxListed limits how many items of a kind are listed.
const maxListed = 20

// Section writes rows of one or two columns under a heading, if there are any rows.
func Section(b *strings.Builder, name string, rows [][2]string) {
	width := 0
	for _, r := range rows[:min(len(rows), maxListed)] {
		if r[1] != "" {
			width = max(width, min(30, len([]rune(r[0]))))
		}
	}
	for i, r := range rows {
		if i == maxListed {
			fmt.Fprintf(b, "  %-12s  and %d more\n", "", len(rows)-i)
			break
		}
		line := strings.TrimRight(fmt.Sprintf("  %-12s  %-*s  %s", name, width, Visible(r[0]), Visible(r[1])), " ")
		b.WriteString(strings.ReplaceAll(line, "\n", "\n                ") + "\n")
		name = ""
	}
}

// WrapMarkdown wraps paragraphs and list items, each given as one line. Code and tables stay as they
// are.
func WrapMarkdown(text string, columns int) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(line, "```")
		fenced = fenced != fence
		head := ""
		if strings.HasPrefix(line, "- ") {
			head = "- "
		}
		if fenced || fence || strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "|") {
			b.WriteString(line)
			continue
		}
		b.WriteString(Hang(head, strings.TrimPrefix(line, head), columns))
	}
	return b.String()
}

// Short returns the beginning of a text on one line.
func Short(text string) string {
	text = Flat(strings.TrimSpace(text))
	if r := []rune(text); len(r) > 80 {
		text = string(r[:79]) + "…"
	}
	return text
}
