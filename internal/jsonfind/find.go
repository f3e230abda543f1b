package jsonfind

import (
	"bytes"
	"encoding/json"
	"slices"
)

// maxDepth limits the memory that unclosed brackets cost. A document that is nested deeper is
// treated as one that breaks off.
const maxDepth = 10_000

// Last returns the last complete top-level object in text that match accepts. It prefers objects
// that have their lines to themselves, because an object within a line may be a quotation. match
// gets the set of keys that the object has, as bits; keys has at most 64 entries.
//
// Other text may be around and between objects, and may contain braces and quotes. An object inside
// a complete object is not top-level. An object after a brace that turned out to open nothing is
// top-level. If text ends in a document that breaks off, no object in that document counts.
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

// A finder tries each brace that could open an object. A failed try still decides, for each
// brace that it passed outside of strings, whether an object is complete there. If the try failed
// within the object, none is. So only braces in what the try took for strings are tried again.
//
// This keeps time linear. If two tries read the same byte, one began in what the other takes for a
// string. So one is inside a string wherever the other is outside: an escape would have ended the
// other. There is no third such try, because its brace is outside a string for one of the two.
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
	line       bool // it has its lines to itself
}

// over reports whether s is preferred to t.
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
	last  span // the last accepted object in it whose parents are all open
}

// An outcome says how a try ended.
type outcome int

const (
	complete outcome = iota
	broken           // the text does not continue as JSON
	short            // the text ends, or is nested too deep, before the object ends
)

// A failure is a try that failed at end. at is how far outside has read it again.
type failure struct{ at, end int }

// passed reports whether a failed try passed the brace at i outside of strings. Last calls it for
// each brace in turn.
func (f *finder) passed(i int) bool {
	f.failed = slices.DeleteFunc(f.failed, func(old failure) bool { return old.end <= i })
	for n := range f.failed {
		if f.failed[n].outside(f.text, i) {
			return true
		}
	}
	return false
}

// outside advances to the first place at or after i that is outside of strings, and reports whether
// that place is i.
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

// A state says which tokens may come next.
type state int

const (
	wantKey state = iota
	wantKeyOrEnd
	wantValue
	wantValueOrEnd
	wantCommaOrEnd
)

// try reads an object at start, and remembers the last accepted object in it.
func (f *finder) try(start int) (end int, how outcome) {
	f.open = f.open[:0]
	i, how := f.read(start)
	if how == short {
		return i, how
	}
	for _, o := range f.open { // objects in inner frames come later
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

// pop closes the innermost object or array, and reports whether nothing is open any more. A
// complete object replaces the objects in it. An array passes on the last object in it.
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

// beginsLine reports whether only spaces and tabs precede i on its line.
func (f *finder) beginsLine(i int) bool {
	for i > 0 && (f.text[i-1] == ' ' || f.text[i-1] == '\t') {
		i--
	}
	return i == 0 || f.text[i-1] == '\n' || f.text[i-1] == '\r'
}

// endsLine reports whether only spaces and tabs follow from i to the end of its line.
func (f *finder) endsLine(i int) bool {
	for i < len(f.text) && (f.text[i] == ' ' || f.text[i] == '\t') {
		i++
	}
	return i == len(f.text) || f.text[i] == '\n' || f.text[i] == '\r'
}

// key notes that the open object has a key. quoted is the key as a JSON string.
func (f *finder) key(quoted []byte) {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var s string
		if json.Unmarshal(quoted, &s) != nil {
			return // cannot happen: String has accepted it
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
