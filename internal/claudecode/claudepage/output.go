package claudepage

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/files"
)

const (
	shownBytes   = 30_000 // more output than this is saved to a file
	previewUnits = 2_000  // of it, the page shows this much
)

// A capture takes a command's output: what fits in the page in memory, and if there is more, all
// of it in a file.
type capture struct {
	limit int
	dir   string // where the file goes; "" means a new temporary folder

	head  []byte
	total int64
	file  *os.File
}

func (c *capture) Write(b []byte) (int, error) {
	if c.file == nil && len(c.head)+len(b) > c.limit {
		if err := c.open(); err != nil {
			return 0, err
		}
	}
	if room := c.limit - len(c.head); room > 0 {
		c.head = append(c.head, b[:min(room, len(b))]...)
	}
	if c.file != nil {
		if _, err := c.file.Write(b); err != nil {
			return 0, err
		}
	}
	c.total += int64(len(b))
	return len(b), nil
}

// open starts the file with what was kept so far.
func (c *capture) open() error {
	dir := c.dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "claudepage-output-"); err != nil {
			return err
		}
	} else if err := files.MakeState(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "b*.txt")
	if err != nil {
		return err
	}
	c.file = f
	_, err = f.Write(c.head)
	return err
}

func (c *capture) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// discard removes the file: nobody will be told of it.
func (c *capture) discard() {
	if c.file == nil {
		return
	}
	_ = os.Remove(c.file.Name())
	if c.dir == "" {
		_ = os.Remove(filepath.Dir(c.file.Name()))
	}
}

func (c *capture) text() string { return decode(c.head) }

// page returns what the page shows, with a note at its end.
func (c *capture) page(note string) string {
	text := trimOutput(c.text())
	if c.file != nil {
		text = c.persisted(text)
	}
	switch {
	case text == "" && note == "":
		return "(Bash completed with no output)"
	case text == "" || note == "":
		return text + note
	}
	return text + "\n" + note
}

// persisted tells where the output is and shows its beginning, up to the end of a line if that
// does not cost too much.
func (c *capture) persisted(text string) string {
	preview, more := cutUnits(text, previewUnits)
	end := "\n"
	if more {
		end = "\n...\n"
		if n := strings.LastIndexByte(preview, '\n'); n > previewUnits/2 {
			preview = preview[:n]
		}
	}
	return fmt.Sprintf("<persisted-output>\nOutput too large (%s). Full output saved to: %s\n\nPreview (first 2KB):\n%s%s</persisted-output>",
		size(c.total), c.file.Name(), preview, end)
}

// trimOutput drops blank lines at the start, but not the indent of the first line with text, and
// white space at the end.
func trimOutput(s string) string {
	s = strings.TrimRightFunc(s, claudecode.IsSpace)
	blank := s[:len(s)-len(strings.TrimLeftFunc(s, claudecode.IsSpace))]
	return s[strings.LastIndexByte(blank, '\n')+1:]
}

// size writes a number of bytes with at most one decimal.
func size(n int64) string {
	value, unit := float64(n), " bytes"
	for _, u := range []string{"KB", "MB", "GB"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, u
	}
	return string(bytes.TrimSuffix(strconv.AppendFloat(nil, value, 'f', 1, 64), []byte(".0"))) + unit
}
