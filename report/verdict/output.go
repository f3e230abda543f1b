package verdict

import (
	"bytes"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/report"
)

// maxParsed is how many bytes at the end of a script's output are read.
const maxParsed = 16 << 20

// An Output keeps the end of what a script prints. The end of stdout holds the report, and the end
// of stderr says why the script failed. The zero value is ready to use.
type Output struct {
	Max  int // how many bytes; 0 means 16 MB
	buf  []byte
	next int  // the index of the oldest byte, once buf is full
	cut  bool // some bytes were dropped
}

// Write keeps p, and drops the oldest bytes that no longer fit.
func (o *Output) Write(p []byte) (int, error) {
	written := len(p)
	if o.Max == 0 {
		o.Max = maxParsed
	}
	if room := o.Max - len(o.buf); room > 0 {
		n := min(room, len(p))
		o.buf = append(o.buf, p[:n]...)
		p = p[n:]
	}
	for len(p) > 0 {
		o.cut = true
		n := copy(o.buf[o.next:], p)
		o.next = (o.next + n) % o.Max
		p = p[n:]
	}
	return written, nil
}

// Parse reads the report in the kept output.
func (o *Output) Parse() report.Result {
	if !o.cut {
		return report.Parse(o.buf, report.Options{})
	}
	text := o.bytes()
	result := report.Parse(text, report.Options{NoLegacy: true})
	// A legacy form is a whole line, and the first line is cut.
	if newline := bytes.IndexByte(text, '\n'); result.Method == report.None && newline >= 0 {
		result = report.Parse(text[newline+1:], report.Options{})
	}
	for i, f := range result.Faults {
		if f.Code == report.NoReport {
			result.Faults[i].Message = f.Message + " in the last 16 MB of its output"
		}
	}
	result.Warnings = append(result.Warnings, report.Fault{Code: OutputCut, Message: "only the last 16 MB of its output were read"})
	return result
}

// String returns the whole lines of the kept output.
func (o *Output) String() string {
	text := o.bytes()
	if o.cut { // the rest of the first line may begin within a secret
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return string(text)
}

// bytes returns the kept output, in order.
func (o *Output) bytes() []byte {
	if !o.cut {
		return o.buf
	}
	return slices.Concat(o.buf[o.next:], o.buf[:o.next])
}

// LastLines returns the last 10 lines of text, each cut to 300 bytes.
func LastLines(text string) string {
	const maxLines, maxLength = 10, 300
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	lines = lines[max(0, len(lines)-maxLines):]
	for i, line := range lines {
		if lines[i] = strings.TrimSuffix(line, "\r"); len(line) > maxLength {
			lines[i] = strings.ToValidUTF8(line[:maxLength], "") + "..."
		}
	}
	return strings.Join(lines, "\n")
}
