// Package term answers one question: how does a text look on a terminal?
package term

import "strings"

// A Box is a frame of a fixed width around lines of text.
type Box struct {
	strings.Builder
	Inner int // columns between the spaces at the frame
	paint Paint
}

// A Span is a piece of a line in one color; "" is none.
type Span struct{ Color, Text string }

// Plain returns a span without a color.
func Plain(text string) Span { return Span{"", text} }

// Dim returns a span for less important text.
func Dim(text string) Span { return Span{"2", text} }

// Red returns a span for failures.
func Red(text string) Span { return Span{"31", text} }

// Green returns a span for successes.
func Green(text string) Span { return Span{"32", text} }

// Yellow returns a span for warnings.
func Yellow(text string) Span { return Span{"33", text} }

// Cyan returns a span for names.
func Cyan(text string) Span { return Span{"36", text} }

// In returns a span in a color, given as the parameters of an escape sequence.
func In(color, text string) Span { return Span{color, text} }

// The widths of boxes.
const (
	MinWidth     = 24
	MaxWidth     = 100 // wider ones are hard to read
	DefaultWidth = 80
)

// NewBox begins a box as wide as columns, but at least MinWidth and at most MaxWidth.
func NewBox(title string, columns int, paint Paint) *Box {
	columns = min(max(columns, MinWidth), MaxWidth)
	b := &Box{Inner: columns - 4, paint: paint}
	title = Fit(Flat(title), b.Inner-2)
	rest := strings.Repeat("─", b.Inner-1-Cells(title))
	b.WriteString(paint("2", "╭─ ") + paint("1", title) + paint("2", " "+rest+"╮") + "\n")
	return b
}

// Line adds a line, cut to the box's width.
func (b *Box) Line(spans ...Span) {
	b.WriteString(b.paint("2", "│") + " ")
	left := b.Inner
	for _, s := range spans {
		text := Fit(Flat(s.Text), left)
		left -= Cells(text)
		if s.Color != "" && text != "" {
			text = b.paint(s.Color, text)
		}
		b.WriteString(text)
	}
	b.WriteString(strings.Repeat(" ", left) + " " + b.paint("2", "│") + "\n")
}

// Heading begins a section of the box.
func (b *Box) Heading(text string) {
	b.Line()
	b.Line(Span{"1", text})
}

// Item adds a text of any length, on as many lines as it needs.
func (b *Box) Item(text string) {
	for i, line := range wrapHard(Flat(text), b.Inner-4) {
		lead := "    "
		if i == 0 {
			lead = "  • "
		}
		b.Line(Span{"", lead + line})
	}
}

// wrapHard works as Wrap does, but also breaks words that are too long for a line.
func wrapHard(text string, n int) []string {
	n = max(n, 2) // some characters take two columns
	var words []string
	for word := range strings.FieldsSeq(text) {
		for Cells(word) > n {
			head := strings.TrimSuffix(Fit(word+"…", n+1), "…")
			words, word = append(words, head), word[len(head):]
		}
		words = append(words, word)
	}
	return Wrap(strings.Join(words, " "), n)
}

// End closes the box and returns it.
func (b *Box) End() string {
	b.WriteString(b.paint("2", "╰"+strings.Repeat("─", b.Inner+2)+"╯") + "\n")
	return b.String()
}

// Meter returns a bar of n columns that shows a share of a whole.
func Meter(part, whole, n int) string {
	full := 0
	if whole > 0 {
		full = (part*n + whole/2) / whole
	}
	return strings.Repeat("█", full) + strings.Repeat("░", n-full)
}
