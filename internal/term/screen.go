package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// A Screen is the last lines of a terminal, drawn again and again. Others use the terminal too, each while holding Held.
type Screen struct {
	Out  io.Writer
	Held *sync.Mutex

	last []int // the widths of the lines that are drawn
}

// Draw replaces what was drawn, in one write, each line cut to the width: one that wraps would
// leave its rest behind.
func (s *Screen) Draw(lines []string) {
	s.Held.Lock()
	defer s.Held.Unlock()
	columns, rows := s.Size()
	if most := max(1, rows-2); len(lines) > most {
		lines = append(lines[:most-1:most-1], fmt.Sprintf("  and %d more", len(lines)-most+1))
	}
	var b strings.Builder
	b.WriteString(up(s.last, columns))
	s.last = s.last[:0]
	for _, line := range lines {
		line = Fit(line, columns-1)
		s.last = append(s.last, Cells(line))
		b.WriteString(line + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	fmt.Fprint(s.Out, b.String())
}

// Clear takes the lines away.
func (s *Screen) Clear() {
	s.Held.Lock()
	defer s.Held.Unlock()
	columns, _ := s.Size()
	fmt.Fprint(s.Out, up(s.last, columns)+"\x1b[J")
	s.last = nil
}

// Size returns that of the terminal.
func (s *Screen) Size() (columns, rows int) {
	if f, ok := s.Out.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// up goes to the first of the lines drawn. A terminal that became narrower has wrapped them.
func up(widths []int, columns int) string {
	rows := 0
	for _, w := range widths {
		rows += max(1, (w+columns-1)/columns)
	}
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\r", rows)
}
