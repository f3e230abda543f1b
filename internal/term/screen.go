package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// A Screen redraws the last lines of a terminal. Others use the terminal too, each while holding Held.
type Screen struct {
	Out  io.Writer
	Held *sync.Mutex

	last []int // the widths of the lines that are drawn
}

// Draw replaces the drawn lines in one write. It cuts each line to the width, because a wrapped line
// would not be erased completely.
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

// Clear erases the lines.
func (s *Screen) Clear() {
	s.Held.Lock()
	defer s.Held.Unlock()
	columns, _ := s.Size()
	fmt.Fprint(s.Out, up(s.last, columns)+"\x1b[J")
	s.last = nil
}

// Size returns the size of the terminal.
func (s *Screen) Size() (columns, rows int) {
	if f, ok := s.Out.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// up moves the cursor to the first drawn line. A terminal that became narrower has wrapped lines.
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
