package jsonfind

import (
	"bytes"
	"encoding/json"
	"slices"
)

// maxDepth bounds the memory that unclosed brackets cost. A document that goes
// deeper counts as one that breaks off.
const maxDepth = 10_000

// Last returns the last complete top-level object in text that match accepts and
// that has its lines to itself; if none has, the last one within a line, where others
// may be quoted. Match gets the set of keys, at most 64, that the object has, as bits.
//
// Other text may stand around and between objects, braces and quotes in it
// included. An object inside a complete object is not top-level; one after a
// brace that turned out to open nothing is. If text ends in a document that breaks
// off, whatever is in that is inside of it.
func Last(text []byte, keys []string, match func(found uint64) bool) (object []byte, ok bool) {
	f := &finder{text: text, keys: keys, match: match}
	for i := 0; ; {
		next := bytes.IndexByte(text[i:], '{')
		if next < 0 {
			break
		}
		i += next
		if f.passed(i) {
			i++
			continue
		}
		end, how := f.try(i)
		switch how {
		case complete:
			i = end
		case short:
			i = len(text)
		default:
			f.failed = append(f.failed, failure{i, end})
			i++
		}
	}
	return text[f.last.start:f.last.end], f.last.end > 0
}

// A finder tries each brace that could open an object. A try that fails has
// still told something about each brace it passed outside of strings: whether
// an object is complete there, and that it is not if the try failed within. So
// only the braces that lay in what the try took for strings are tried again.
//
// This keeps time linear. If two tries read the same byte, one began in
// what the other takes for a string, so one is inside a string wherever the
// other is outside: an escape would have ended the other. There is no third
// such try, because its brace is outside a string for one of the two.
type finder struct {
	text   []byte
	keys   []string
	match  func(uint64) bool
	open   []frame
	failed []failure
	last   span
}

// A span is an accepted object, or none.
type span struct {
	start, end int
	line       bool // it stands on lines of its own
}

// over reports whether s is rather meant than t.
func (s span) over(t span) bool {
	if s.end > 0 && s.line != t.line {
		return s.line
	}
	return s.end > t.end
}

// A frame is an object or array that is not closed yet.
type frame struct {
	start int
	array bool
	found uint64
	last  span // the last accepted object in it, of those whose parents are all open
}

// An outcome says how a try ended.
type outcome int

const (
	complete outcome = iota
	broken           // the text does not go on as JSON would
	short            // the text ends, or goes too deep, before the object does
)

// A failure is a try that failed at end, looked at again from its start.
type failure struct{ at, end int }

// passed reports whether a try that failed passed the brace at i, outside of strings.
// It is asked for each brace in turn.
func (f *finder) passed(i int) bool {
	f.failed = slices.DeleteFunc(f.failed, func(old failure) bool { return old.end <= i })
	for n := range f.failed {
		if f.failed[n].outside(f.text, i) {
			return true
		}
	}
	return false
}

// outside advances to the first place at or after i that is outside of strings
// and reports whether that is i.
func (t *failure) outside(text []byte, i int) bool {
	for t.at < i {
		quote := bytes.IndexByte(text[t.at:i], '"')
		if quote < 0 {
			t.at = i
			break
		}
		t.at, _, _ = String(text[:t.end], t.at+quote)
	}
	return t.at == i
}

// Where a try is between two tokens.
type state int

const (
	wantKey state = iota
	wantKeyOrEnd
	wantValue
	wantValueOrEnd
	wantCommaOrEnd
)

// try reads an object at start, and keeps what it finds if that is accepted.
func (f *finder) try(start int) (end int, how outcome) {
	f.open = f.open[:0]
	i, how := f.read(start)
	if how == short {
		return i, how
	}
	for _, o := range f.open { // those within are later
		if o.last.over(f.last) {
			f.last = o.last
		}
	}
	return i, how
}

func (f *finder) read(start int) (i int, how outcome) {
	text := f.text
	i, want := f.push(start)
	for {
		if i = Space(text, i); i == len(text) {
			return i, short
		}
		ok := true
		switch c := text[i]; {
		case c == '"' && want <= wantKeyOrEnd:
			from := i
			if i, _, ok = String(text, i); !ok {
				break
			}
			f.key(text[from:i])
			if i = Space(text, i); i == len(text) {
				return i, short
			}
			if ok = text[i] == ':'; ok {
				i++
			}
			want = wantValue
		case c == '}' && (want == wantKeyOrEnd || want == wantCommaOrEnd && !f.top().array),
			c == ']' && (want == wantValueOrEnd || want == wantCommaOrEnd && f.top().array):
			i++
			if f.pop(i) {
				return i, complete
			}
			want = wantCommaOrEnd
		case c == ',' && want == wantCommaOrEnd:
			i++
			want = wantKey
			if f.top().array {
				want = wantValue
			}
		case want != wantValue && want != wantValueOrEnd:
			return i, broken
		case c == '{' || c == '[':
			if len(f.open) == maxDepth {
				return i, short
			}
			i, want = f.push(i)
		case c == '"':
			i, _, ok = String(text, i)
			want = wantCommaOrEnd
		case c == '-' || isDigit(c):
			i, ok = Number(text, i)
			want = wantCommaOrEnd
		default:
			i, ok = Literal(text, i)
			want = wantCommaOrEnd
		}
		if !ok && i == len(text) {
			return i, short
		}
		if !ok {
			return i, broken
		}
	}
}

func (f *finder) top() *frame { return &f.open[len(f.open)-1] }

func (f *finder) push(i int) (next int, want state) {
	array := f.text[i] == '['
	f.open = append(f.open, frame{start: i, array: array})
	if array {
		return i + 1, wantValueOrEnd
	}
	return i + 1, wantKeyOrEnd
}

// pop closes the innermost object or array, and reports whether that was all. A
// complete object takes the place of those in it; an array is only passed by.
func (f *finder) pop(end int) (all bool) {
	closed := *f.top()
	f.open = f.open[:len(f.open)-1]
	found := closed.last
	if !closed.array {
		found = span{}
		if f.match(closed.found) {
			found = span{closed.start, end, f.beginsLine(closed.start) && f.endsLine(end)}
		}
	}
	if len(f.open) == 0 {
		if found.over(f.last) {
			f.last = found
		}
		return true
	}
	if found.over(f.top().last) {
		f.top().last = found
	}
	return false
}

// beginsLine reports whether only blanks stand before i on its line.
func (f *finder) beginsLine(i int) bool {
	for i > 0 && (f.text[i-1] == ' ' || f.text[i-1] == '\t') {
		i--
	}
	return i == 0 || f.text[i-1] == '\n' || f.text[i-1] == '\r'
}

// endsLine reports whether only blanks stand from i on its line.
func (f *finder) endsLine(i int) bool {
	for i < len(f.text) && (f.text[i] == ' ' || f.text[i] == '\t') {
		i++
	}
	return i == len(f.text) || f.text[i] == '\n' || f.text[i] == '\r'
}

// key notes that the object now open has a key, which is a JSON string.
func (f *finder) key(quoted []byte) {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var s string
		if json.Unmarshal(quoted, &s) != nil {
			return // String has read it, so it is one
		}
		name = []byte(s)
	}
	for n, k := range f.keys {
		if string(name) == k {
			f.top().found |= 1 << n
			return
		}
	}
}
