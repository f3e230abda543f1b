package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/jsonfind"
)

// The five fields, and where each stands in the table of them.
const (
	fieldSuccess = iota
	fieldConfidence
	fieldDeliverables
	fieldMetrics
	fieldErrors
)

var fields = [...]string{"success", "confidence", "deliverables", "metrics", "errors"}

const (
	notInRange = "Confidence must be between 0.0 and 1.0"
	notFinite  = "Metric must be a finite number"
)

// maxFaults bounds what a hopeless document costs. What is more is counted.
const maxFaults = 1000

// A decoder reads one report and judges it in the same pass. Its methods leave
// it behind what they read, and return false where the text stops being JSON.
type decoder struct {
	opt   Options
	text  []byte
	str   string // the same bytes: strings without escapes are cut from it
	i     int
	line  int // of the text's first byte
	depth int
	path  []step // where i is, for faults

	want string // what should have been at i
	deep bool   // stopped because of the depth

	of    [len(fields)]findings // about each field
	other findings
	at    *findings // where they go now
}

type findings struct{ faults, warnings faults }

func newDecoder(text []byte, opt Options) *decoder {
	d := &decoder{opt: opt, text: text, line: 1}
	d.path = make([]step, 0, 8)
	d.at = &d.other
	return d
}

// report reads an object as a report. What is wrong with it as a report is a
// fault; it is not ok if it is no JSON.
func (d *decoder) report() (r *Report, ok bool) {
	if !utf8.Valid(d.text) {
		d.text = bytes.ToValidUTF8(d.text, replacement)
	}
	d.str = string(d.text)
	r = &Report{}
	var seen [len(fields)]bool
	var unknown keySet
	ok = d.object(func(key string) bool {
		d.at = &d.other
		n := fieldNumber(key)
		if n < 0 {
			return d.unknown(key, &unknown)
		}
		if seen[n] {
			d.duplicate(key)
			d.of[n] = findings{} // the last one counts
		}
		seen[n] = true
		d.at = &d.of[n]
		return d.field(n, r)
	})
	if !ok {
		return nil, false
	}
	for n, name := range fields {
		if !seen[n] {
			d.at = &d.of[n]
			d.missing(name)
		}
	}
	return r, true
}

func fieldNumber(key string) int {
	switch key {
	case "success":
		return fieldSuccess
	case "confidence":
		return fieldConfidence
	case "deliverables":
		return fieldDeliverables
	case "metrics":
		return fieldMetrics
	case "errors":
		return fieldErrors
	}
	return -1
}

func (d *decoder) field(n int, r *Report) (ok bool) {
	switch n {
	case fieldSuccess:
		if d.next() != 't' && d.next() != 'f' {
			return d.mistyped("Success must be a boolean")
		}
		r.Success = d.next() == 't'
		return d.literal()
	case fieldConfidence:
		if !d.isNumber() {
			return d.mistyped("Confidence must be a number")
		}
		if r.Confidence, ok = d.number(); !(r.Confidence >= 0 && r.Confidence <= 1) {
			d.fault(OutOfRange, notInRange)
		}
		return ok
	case fieldDeliverables:
		r.Deliverables = []string{}
		if d.next() != '[' {
			return d.mistyped("Deliverables must be an array")
		}
		return d.array(func() bool {
			if d.next() != '"' {
				return d.mistyped("Deliverable must be a string")
			}
			s, ok := d.string()
			if s == "" {
				d.fault(Empty, "Deliverable must not be empty")
			}
			r.Deliverables = append(r.Deliverables, s)
			return ok
		})
	case fieldMetrics:
		if d.next() != '{' {
			return d.mistyped("Metrics must be an object")
		}
		return d.metrics(r)
	}
	r.Errors = []Error{}
	if d.next() != '[' {
		return d.mistyped("Errors must be an array")
	}
	return d.array(func() bool {
		if d.next() != '{' {
			return d.mistyped("Error must be an object")
		}
		r.Errors = append(r.Errors, Error{})
		return d.error(&r.Errors[len(r.Errors)-1])
	})
}

// metrics reads numbers by name. Of a name that comes twice the last counts,
// so it is judged when all are read.
func (d *decoder) metrics(r *Report) (ok bool) {
	r.Metrics = map[string]float64{}
	var names []string // of those that are wrong, perhaps
	var wrong map[string]bool
	ok = d.object(func(key string) bool {
		if _, twice := r.Metrics[key]; twice {
			d.duplicate(key)
			delete(wrong, key)
		}
		value, ok := 0.0, true
		isNumber := d.isNumber()
		if isNumber {
			value, ok = d.number()
		} else {
			ok = d.skip()
		}
		r.Metrics[key] = value
		if !isNumber || math.IsInf(value, 0) {
			if wrong == nil {
				wrong = map[string]bool{}
			}
			wrong[key] = true
			names = append(names, key)
		}
		return ok
	})
	for _, key := range names {
		if !wrong[key] {
			continue
		}
		delete(wrong, key)
		d.path = append(d.path, step{key: key})
		if math.IsInf(r.Metrics[key], 0) {
			d.fault(OutOfRange, notFinite)
		} else {
			d.fault(InvalidType, "Metric must be a number")
		}
		d.path = d.path[:len(d.path)-1]
	}
	return ok
}

// A text is a string that an error has, or should have.
type text struct {
	value          string
	seen, mistyped bool
}

// error reads one of the errors. Of a key that comes twice the last counts, so
// it is judged when all are read.
func (d *decoder) error(e *Error) (ok bool) {
	var code, message, stack, context text
	var unknown keySet
	ok = d.object(func(key string) bool {
		var t *text
		switch key {
		case "code":
			t = &code
		case "message":
			t = &message
		case "stack":
			t = &stack
		case "context":
			t = &context
		default:
			return d.unknown(key, &unknown)
		}
		if t.seen {
			d.duplicate(key)
		}
		*t = text{seen: true}
		switch {
		case t != &context && d.next() == '"':
			var ok bool
			t.value, ok = d.string()
			return ok
		case t == &context && d.next() == '{':
			start := d.i
			ok := d.skip()
			t.value = d.str[start:d.i]
			return ok
		}
		t.mistyped = true
		return d.skip()
	})
	if !ok {
		return false
	}
	d.required("code", code)
	if code.value != "" && !isErrorCode(code.value) {
		d.path = append(d.path, step{key: "code"})
		d.doubt(InvalidErrorCode, "Error code must be UPPER_SNAKE_CASE")
		d.path = d.path[:len(d.path)-1]
	}
	d.required("message", message)
	d.optional("stack", "a string", stack)
	d.optional("context", "an object", context)
	*e = Error{Code: code.value, Message: message.value, Stack: stack.value}
	if context.value != "" {
		e.Context = json.RawMessage(context.value)
	}
	return true
}

// required judges a text that must be there.
func (d *decoder) required(key string, t text) {
	if !t.seen {
		d.missing(key)
		return
	}
	d.optional(key, "a string", t)
	if !t.mistyped && t.value == "" {
		d.path = append(d.path, step{key: key})
		d.fault(Empty, "Error "+key+" must not be empty")
		d.path = d.path[:len(d.path)-1]
	}
}

func (d *decoder) optional(key, want string, t text) {
	if t.mistyped {
		d.path = append(d.path, step{key: key})
		d.fault(InvalidType, "Error "+key+" must be "+want)
		d.path = d.path[:len(d.path)-1]
	}
}

// isErrorCode reports whether code matches ^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$.
func isErrorCode(code string) bool {
	last := byte('_')
	for i := range len(code) {
		c := code[i]
		letter, digit := 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
		if !letter && (i == 0 || !digit && (c != '_' || last == '_')) {
			return false
		}
		last = c
	}
	return last != '_'
}

// object reads the object at i; member reads the value of each key.
func (d *decoder) object(member func(key string) bool) (ok bool) {
	if !d.enter() {
		return false
	}
	if d.space(); d.next() == '}' {
		return d.leave()
	}
	for {
		if d.next() != '"' {
			return d.wanted("a key")
		}
		key, ok := d.string()
		if !ok {
			return false
		}
		if d.space(); d.next() != ':' {
			return d.wanted(": after the key")
		}
		d.i++
		d.space()
		d.path = append(d.path, step{key: key})
		if !member(key) {
			return false
		}
		d.path = d.path[:len(d.path)-1]
		switch d.space(); d.next() {
		case ',':
			d.i++
			d.space()
		case '}':
			return d.leave()
		default:
			return d.wanted(", or }")
		}
	}
}

// array reads the array at i; element reads each of its values.
func (d *decoder) array(element func() bool) (ok bool) {
	if !d.enter() {
		return false
	}
	if d.space(); d.next() == ']' {
		return d.leave()
	}
	for nth := 1; ; nth++ {
		d.path = append(d.path, step{nth: nth})
		if !element() {
			return false
		}
		d.path = d.path[:len(d.path)-1]
		switch d.space(); d.next() {
		case ',':
			d.i++
			d.space()
		case ']':
			return d.leave()
		default:
			return d.wanted(", or ]")
		}
	}
}

func (d *decoder) enter() (ok bool) {
	if d.depth++; d.depth > MaxDepth {
		d.deep = true
		return false
	}
	d.i++
	return true
}

func (d *decoder) leave() (ok bool) {
	d.depth--
	d.i++
	return true
}

// skip passes any value, and looks for duplicate keys in it.
func (d *decoder) skip() (ok bool) {
	switch d.next() {
	case '{':
		var keys keySet
		return d.object(func(key string) bool {
			if !keys.add(key) {
				d.duplicate(key)
			}
			return d.skip()
		})
	case '[':
		return d.array(d.skip)
	case '"':
		end, _, ok := jsonfind.String(d.text, d.i)
		return d.moved(end, ok, "a string")
	}
	if d.isNumber() {
		end, ok := jsonfind.Number(d.text, d.i)
		return d.moved(end, ok, "a number")
	}
	return d.literal()
}

func (d *decoder) string() (s string, ok bool) {
	start := d.i
	end, escaped, ok := jsonfind.String(d.text, start)
	if !d.moved(end, ok, "a string") {
		return "", false
	}
	if !escaped {
		return d.str[start+1 : end-1], true
	}
	return unescape(d.text[start:end]), true
}

// unescape returns what a JSON string with escapes means.
func unescape(quoted []byte) (s string) {
	if err := json.Unmarshal(quoted, &s); err != nil {
		panic("report: " + err.Error()) // it was just read as a string
	}
	return s
}

// number reads the number at i; one that is too large is infinite.
func (d *decoder) number() (value float64, ok bool) {
	start := d.i
	end, ok := jsonfind.Number(d.text, start)
	if !d.moved(end, ok, "a number") {
		return 0, false
	}
	value, _ = strconv.ParseFloat(d.str[start:end], 64) // its one error is to be out of range, and says so by its value
	return value, true
}

func (d *decoder) literal() (ok bool) {
	if d.i == len(d.text) {
		return d.wanted("a value")
	}
	end, ok := jsonfind.Literal(d.text, d.i)
	return d.moved(end, ok, "a value")
}

func (d *decoder) moved(end int, ok bool, what string) bool {
	d.i = end
	if !ok {
		return d.wanted(what)
	}
	return true
}

// next is the byte at i, or 0 at the end.
func (d *decoder) next() byte {
	if d.i == len(d.text) {
		return 0
	}
	return d.text[d.i]
}

func (d *decoder) isNumber() bool {
	c := d.next()
	return c == '-' || '0' <= c && c <= '9'
}

func (d *decoder) space() { d.i = jsonfind.Space(d.text, d.i) }

func (d *decoder) atEnd() bool {
	d.space()
	return d.i == len(d.text) || d.wanted("the end")
}

// wanted notes what should have been at i.
func (d *decoder) wanted(what string) (ok bool) {
	d.want = what
	return false
}

// mistyped notes that the value at i has the wrong type, and passes it.
func (d *decoder) mistyped(message string) (ok bool) {
	d.fault(InvalidType, message)
	return d.skip()
}

// unknown notes a key that means nothing, and passes its value.
func (d *decoder) unknown(key string, known *keySet) (ok bool) {
	if known.add(key) {
		d.doubt(UnknownField, "Unknown field: "+key)
	} else {
		d.duplicate(key)
	}
	return d.skip()
}

// missing notes that the object just read has no such key.
func (d *decoder) missing(key string) {
	d.path = append(d.path, step{key: key})
	d.fault(MissingField, "Missing required field: "+key)
	d.path = d.path[:len(d.path)-1]
}

func (d *decoder) duplicate(key string) { d.doubt(DuplicateKey, "Duplicate key: "+key) }

// fault notes what is wrong with the value at path.
func (d *decoder) fault(code Code, message string) { d.at.faults.add(code, d.path, message) }

// doubt notes what is a fault only if reading is strict.
func (d *decoder) doubt(code Code, message string) {
	if d.opt.Strict {
		d.fault(code, message)
	} else {
		d.at.warnings.add(code, d.path, message)
	}
}

// result is what came of a report that was read to its end.
func (d *decoder) result(r *Report) Result {
	all := &d.of[0]
	for n := range d.of[1:] {
		all.join(&d.of[1+n])
	}
	all.join(&d.other)
	result := Result{Method: JSON, Report: r, Stated: true, Faults: all.faults.done(), Warnings: all.warnings.done()}
	if len(result.Faults) > 0 {
		result.Report = nil
	}
	return result
}

// failure says where a text that begins like JSON stops being JSON.
func (d *decoder) failure() Result {
	if d.deep {
		return none(TooDeep, fmt.Sprintf("Nested more than %d deep", MaxDepth))
	}
	line := d.line + bytes.Count(d.text[:d.i], []byte("\n"))
	column := d.i - bytes.LastIndexByte(d.text[:d.i], '\n')
	if d.i == len(d.text) {
		return none(InvalidJSON, fmt.Sprintf("Invalid JSON: it breaks off in line %d, column %d, where %s is due", line, column, d.want))
	}
	return none(InvalidJSON, fmt.Sprintf("Invalid JSON: line %d, column %d should be %s", line, column, d.want))
}

// join appends what is in g.
func (f *findings) join(g *findings) {
	f.faults.join(&g.faults)
	f.warnings.join(&g.warnings)
}

// faults are what is wrong, up to a number.
type faults struct {
	list []Fault
	more int
}

func (f *faults) add(code Code, path []step, message string) {
	if len(f.list) == maxFaults {
		f.more++
		return
	}
	f.list = append(f.list, Fault{code, pointer(path), message})
}

func (f *faults) join(g *faults) {
	room := min(maxFaults-len(f.list), len(g.list))
	f.list = append(f.list, g.list[:room]...)
	f.more += g.more + len(g.list) - room
}

// done returns the faults; one more says how many are left out.
func (f *faults) done() []Fault {
	if f.more > 0 {
		f.list = append(f.list, Fault{f.list[len(f.list)-1].Code, "", fmt.Sprintf("%d more faults are not listed", f.more)})
		f.more = 0
	}
	return f.list
}

// A step leads from a value to one inside it.
type step struct {
	key string
	nth int // of an element, from 1; 0 means that key counts
}

var escapeStep = strings.NewReplacer("~", "~0", "/", "~1")

// pointer writes a path as a JSON pointer.
func pointer(path []step) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteByte('/')
		if s.nth > 0 {
			b.WriteString(strconv.Itoa(s.nth - 1))
		} else {
			_, _ = escapeStep.WriteString(&b, s.key)
		}
	}
	return b.String()
}

// A keySet remembers the keys of one object. Most have few.
type keySet struct {
	few  [6]string
	n    int
	many map[string]struct{}
}

// add reports whether key is new.
func (s *keySet) add(key string) (isNew bool) {
	for _, k := range s.few[:s.n] {
		if k == key {
			return false
		}
	}
	if s.n < len(s.few) {
		s.few[s.n] = key
		s.n++
		return true
	}
	if s.many == nil {
		s.many = map[string]struct{}{}
	}
	if _, old := s.many[key]; old {
		return false
	}
	s.many[key] = struct{}{}
	return true
}
