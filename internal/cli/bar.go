package cli

import (
	"fmt"
	"strings"
	"time"
)

// A Bar shows how far a long job is, on a terminal.
type Bar struct {
	std   *Std
	shown time.Time
}

// Bar returns a bar on stderr.
func (std *Std) Bar() *Bar { return &Bar{std: std} }

// manyFiles is the number of files from which on a bar is shown.
const manyFiles = 30

// Step shows how many files are done.
func (b *Bar) Step(done, all int) {
	if all < manyFiles || time.Since(b.shown) < 50*time.Millisecond || !b.std.Live() {
		return
	}
	const width = 30
	filled := done * width / all
	fmt.Fprintf(b.std.Err, "\r[%s%s] %d of %d", strings.Repeat("=", filled), strings.Repeat(" ", width-filled), done, all)
	b.shown = time.Now()
}

// End removes the bar.
func (b *Bar) End() {
	if !b.shown.IsZero() {
		fmt.Fprint(b.std.Err, "\r\x1b[K")
	}
}
