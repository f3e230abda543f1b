package claude

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"

	"github.com/skillhand/skillhand/internal/jsonfind"
)

// A large is a result whose line is too long to be held as it is. The values that
// can be long, the answer and its JSON, are taken out of the line as it comes, so
// that it costs about what they do.
type large struct {
	line  []byte // without these values
	depth int
	name  int    // where in line the last string begins
	field string // at depth 1: the field whose value comes next

	inString, escaped bool

	into       *value // gets the value that has begun
	text, json value
}

// A value collects what belongs to one value of the line, in pieces.
type value struct {
	quoted bool   // it is a string, of which the pieces are decoded
	depth  int    // how deep we are in it, if it is none
	raw    []byte // what is in no piece yet
	pieces []string
	size   int  // of all pieces
	bad    bool // it is no JSON

	scratch []byte
}

// pieceSize is how much of a string is decoded at once. Tests make do with less.
var pieceSize = 1 << 20

func (l *large) take(p []byte) {
	for i := 0; i < len(p); {
		if l.into == nil {
			l.outside(p[i])
			i++
			continue
		}
		// Most of a long value is neither a quote nor a backslash.
		if l.inString && !l.escaped {
			n := bytes.IndexAny(p[i:min(len(p), i+pieceSize)], `"\`)
			if n < 0 {
				n = min(len(p)-i, pieceSize)
			}
			l.into.raw = append(l.into.raw, p[i:i+n]...)
			if n > 0 {
				i += n
				l.into.settle()
				continue
			}
		}
		l.inside(p[i])
		i++
	}
}

// outside takes a character of the line that belongs to no long value.
func (l *large) outside(c byte) {
	l.line = append(l.line, c)
	switch {
	case l.escaped:
		l.escaped = false
	case l.inString:
		l.escaped = c == '\\'
		l.inString = c != '"'
	case c == '"':
		l.inString, l.name = true, len(l.line)-1
		if l.depth == 1 && l.field == "result" {
			l.text = value{quoted: true}
			l.into = &l.text
		}
	case c == '{' || c == '[':
		if l.depth == 1 && l.field == "structured_output" {
			l.line = append(l.line[:len(l.line)-1], "null"...)
			l.json = value{depth: 1, raw: []byte{c}}
			l.into = &l.json
			return
		}
		l.depth++
	case c == '}' || c == ']':
		l.depth--
	}
	if l.depth == 1 && !l.inString {
		switch c {
		case ':':
			l.field = strings.Trim(string(bytes.TrimSpace(l.line[l.name:len(l.line)-1])), `"`)
		case ',':
			l.field = ""
		}
	}
}

// inside takes a character of a long value.
func (l *large) inside(c byte) {
	v := l.into
	ended := false
	switch {
	case l.escaped:
		l.escaped = false
	case l.inString:
		l.escaped = c == '\\'
		l.inString = c != '"'
		ended = c == '"' && v.quoted
	case c == '"':
		l.inString = true
	case c == '{' || c == '[':
		v.depth++
	case c == '}' || c == ']':
		v.depth--
		ended = v.depth == 0
	}
	if !ended || v != &l.text {
		v.raw = append(v.raw, c)
	}
	if ended {
		l.into = nil
		v.put(len(v.raw))
	}
	if ended && v == &l.text {
		l.line = append(l.line, c)
	}
}

// settle makes a piece of what there is, if that is enough for one.
func (v *value) settle() {
	if len(v.raw) < pieceSize {
		return
	}
	end := len(v.raw)
	if v.quoted {
		end = jsonfind.Cut(v.raw)
	}
	v.put(end)
}

// put makes a piece of what is before end.
func (v *value) put(end int) {
	var text string
	if !v.quoted {
		text = string(v.raw[:end])
	} else {
		v.scratch = append(append(append(v.scratch[:0], '"'), v.raw[:end]...), '"')
		v.bad = v.bad || json.Unmarshal(v.scratch, &text) != nil
	}
	v.pieces = append(v.pieces, text)
	v.size += len(text)
	v.raw = append(v.raw[:0], v.raw[end:]...)
}

// result returns what the line says, when all of it was taken; nil if it is torn.
func (l *large) result() *result {
	res := newResult(l.line)
	if res == nil || l.into != nil || l.text.bad {
		return nil
	}
	// The garbage so far is as large as the values, and would stay beside
	// them until twice as much is used.
	runtime.GC()
	defer runtime.GC()
	if l.text.quoted {
		res.Text = strings.Join(l.text.pieces, "")
	}
	l.text.pieces = nil
	if len(l.json.pieces) > 0 {
		var b bytes.Buffer
		b.Grow(l.json.size)
		for _, p := range l.json.pieces {
			b.WriteString(p)
		}
		l.json.pieces = nil
		if res.Structured = b.Bytes(); !json.Valid(res.Structured) {
			return nil
		}
	}
	return res
}
