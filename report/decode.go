package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"

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
	seen  uint64 // which fields there are, as bits

	want string // what should have been at i
	deep bool   // stopped because of the depth

	of [len(fields) + 1]*findings // about each field, and the rest; nil while there is nothing
	at int                        // which of them is being read

	scratch scratch
	lends   bool // a report is made of text and scratch, not of copies
}

// scratch is what grows while reading, and is kept for the next report.
type scratch struct {
	path         []step // where i is, for faults
	deliverables []string
	metrics      []metric
	errors       []Error
	values       map[string]float64 // of the metrics, if they are lent
	lent         Report
}

type findings struct{ faults, warnings faults }

// decoders are used again: making one costs more than reading a small report.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// start makes the decoder ready to read text.
func (d *decoder) start(text []byte, opt Options) {
	*d = decoder{opt: opt, text: text, line: 1, scratch: d.scratch, lends: d.lends}
	d.scratch.path = d.scratch.path[:0]
}

// free gives a decoder back, without what it has read.
func (d *decoder) free() {
	*d = decoder{scratch: scratch{
		path:         emptied(d.scratch.path),
		deliverables: emptied(d.scratch.deliverables),
		metrics:      emptied(d.scratch.metrics),
		errors:       emptied(d.scratch.errors),
	}}
	decoders.Put(d)
}

// emptied returns s to be used again, unless it has grown out of proportion.
func emptied[T any](s []T) []T {
	if cap(s) > 10_000 {
		return nil
	}
	clear(s[:cap(s)])
	return s[:0]
}

// report reads an object as a report. What is wrong with it as a report is a
// fault; it is not ok if it is no JSON.
func (d *decoder) report() (r *Report, ok bool) {
	if !utf8.Valid(d.text) {
		d.text = bytes.ToValidUTF8(d.text, replacement)
	}
	if d.lends {
		d.str, r = unsafe.String(unsafe.SliceData(d.text), len(d.text)), &d.scratch.lent
		*r = Report{}
	} else {
		d.str, r = string(d.text), &Report{}
	}
	var unknown keySet
	ok = d.object(func(key string) bool {
		d.at = len(fields)
		n := fieldNumber(key)
		if n < 0 {
			return d.unknown(key, &unknown)
		}
		if d.seen&(1<<n) != 0 {
			d.duplicate(key)
			d.of[n] = nil // the last one counts
		}
		d.seen |= 1 << n
		d.at = n
		return d.field(n, r)
	})
	if !ok {
		return nil, false
	}
	for n, name := range fields {
		if d.seen&(1<<n) == 0 {
			d.at = n
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
		start := d.i
		r.Confidence, ok = d.number()
		if ok && !isShare(r.Confidence, d.str[start:d.i]) {
			d.fault(OutOfRange, notInRange)
		}
		return ok
	case fieldDeliverables:
		if d.next() != '[' {
			return d.mistyped("Deliverables must be an array")
		}
		d.scratch.deliverables = d.scratch.deliverables[:0]
		ok = d.array(d.deliverable)
		r.Deliverables = kept(d, d.scratch.deliverables)
		return ok
	case fieldMetrics:
		if d.next() != '{' {
			return d.mistyped("Metrics must be an object")
		}
		d.scratch.metrics = d.scratch.metrics[:0]
		ok = d.object(d.metric)
		r.Metrics = d.judgeMetrics()
		return ok
	}
	if d.next() != '[' {
		return d.mistyped("Errors must be an array")
	}
	d.scratch.errors = d.scratch.errors[:0]
	ok = d.array(d.error)
	if r.Errors = kept(d, d.scratch.errors); !d.lends {
		ownContexts(r.Errors)
	}
	return ok
}

// kept is what was read, for the report: not nil, and a copy unless it is lent.
func kept[T any](d *decoder, read []T) []T {
	if d.lends && read != nil {
		return read
	}
	return append([]T{}, read...)
}

// isShare reports whether a number is from 0 to 1, by its value and how it is
// written: rounded, what is barely outside would be inside.
func isShare(value float64, written string) bool {
	digits, _, _ := strings.Cut(strings.ToLower(written), "e")
	digits = strings.TrimLeft(digits, "-0.")
	switch value {
	case 0:
		return written[0] != '-' || digits == ""
	case 1:
		return digits[0] != '1' || strings.Trim(digits[1:], "0.") == ""
	}
	return value > 0 && value < 1
}

// ownContexts copies the contexts, which are parts of the text, in one piece.
func ownContexts(errors []Error) {
	size := 0
	for _, e := range errors {
		size += len(e.Context)
	}
	own := make([]byte, 0, size)
	for i := range errors {
		if c := errors[i].Context; c != nil {
			from := len(own)
			own = append(own, c...)
			errors[i].Context = own[from:len(own):len(own)]
		}
	}
}

func (d *decoder) deliverable() (ok bool) {
	if d.next() != '"' {
		return d.mistyped("Deliverable must be a string")
	}
	s, ok := d.string()
	if s == "" {
		d.fault(Empty, "Deliverable must not be empty")
	}
	d.scratch.deliverables = append(d.scratch.deliverables, s)
	return ok
}

// A metric is a number by its name, as it was written.
type metric struct {
	name     string
	value    float64
	isNumber bool
}

func (d *decoder) metric(key string) (ok bool) {
	m := metric{name: key, isNumber: d.isNumber()}
	if m.isNumber {
		m.value, ok = d.number()
	} else {
		ok = d.skip()
	}
	d.scratch.metrics = append(d.scratch.metrics, m)
	return ok
}

// judgeMetrics makes a map of the metrics, and judges those that count: of a
// name that comes twice, the last.
func (d *decoder) judgeMetrics() map[string]float64 {
	values := d.scratch.values
	if clear(values); values == nil {
		values = make(map[string]float64, len(d.scratch.metrics))
	}
	if d.lends {
		d.scratch.values = values
	}
	var last map[string]int // where a name that comes twice comes last
	for i, m := range d.scratch.metrics {
		if _, twice := values[m.name]; twice {
			d.below(m.name, d.doubt, DuplicateKey, "Duplicate key: "+m.name)
			if last == nil {
				last = map[string]int{}
			}
			last[m.name] = i
		}
		values[m.name] = m.value
	}
	for i, m := range d.scratch.metrics {
		n, twice := last[m.name]
		switch {
		case twice && n != i:
		case !m.isNumber:
			d.below(m.name, d.fault, InvalidType, "Metric must be a number")
		case math.IsInf(m.value, 0):
			d.below(m.name, d.fault, OutOfRange, notFinite)
		}
	}
	return values
}

// A text is a string that an error has, or should have.
type text struct {
	value          string
	start, end     int // of a context, in place of its value
	seen, mistyped bool
}

// error reads one of the errors. Of a key that comes twice the last counts, so
// it is judged when all are read.
func (d *decoder) error() (ok bool) {
	if d.next() != '{' {
		return d.mistyped("Error must be an object")
	}
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
			t.start = d.i
			ok := d.skip()
			t.end = d.i
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
		d.below("code", d.doubt, InvalidErrorCode, "Error code must be UPPER_SNAKE_CASE")
	}
	d.required("message", message)
	d.optional("stack", "a string", stack)
	d.optional("context", "an object", context)
	e := Error{Code: code.value, Message: message.value, Stack: stack.value}
	if context.end > 0 {
		e.Context = d.text[context.start:context.end]
	}
	d.scratch.errors = append(d.scratch.errors, e)
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
		d.below(key, d.fault, Empty, "Error "+key+" must not be empty")
	}
}

func (d *decoder) optional(key, want string, t text) {
	if t.mistyped {
		d.below(key, d.fault, InvalidType, "Error "+key+" must be "+want)
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
		d.scratch.path = append(d.scratch.path, step{key: key})
		if !member(key) {
			return false
		}
		d.scratch.path = d.scratch.path[:len(d.scratch.path)-1]
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
		d.scratch.path = append(d.scratch.path, step{nth: nth})
		if !element() {
			return false
		}
		d.scratch.path = d.scratch.path[:len(d.scratch.path)-1]
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

func (d *decoder) space() {
	if d.i < len(d.text) && d.text[d.i] <= ' ' {
		d.i = jsonfind.Space(d.text, d.i)
	}
}

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
	d.below(key, d.fault, MissingField, "Missing required field: "+key)
}

func (d *decoder) duplicate(key string) { d.doubt(DuplicateKey, "Duplicate key: "+key) }

// fault notes what is wrong with the value at path.
func (d *decoder) fault(code Code, message string) {
	d.findings().faults.add(code, d.scratch.path, message)
}

// doubt notes what is a fault only if reading is strict.
func (d *decoder) doubt(code Code, message string) {
	if d.opt.Strict {
		d.fault(code, message)
	} else {
		d.findings().warnings.add(code, d.scratch.path, message)
	}
}

// below notes something about the value of key in the object at path.
func (d *decoder) below(key string, note func(Code, string), code Code, message string) {
	d.scratch.path = append(d.scratch.path, step{key: key})
	note(code, message)
	d.scratch.path = d.scratch.path[:len(d.scratch.path)-1]
}

func (d *decoder) findings() *findings {
	if d.of[d.at] == nil {
		d.of[d.at] = &findings{}
	}
	return d.of[d.at]
}

// result is what came of a report that was read to its end.
func (d *decoder) result(r *Report) Result {
	var all findings
	for _, f := range d.of {
		if f != nil {
			all.faults.join(&f.faults)
			all.warnings.join(&f.warnings)
		}
	}
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
		return none(InvalidJSON, fmt.Sprintf("Invalid JSON: it ends in line %d, column %d, where %s is expected", line, column, d.want))
	}
	return none(InvalidJSON, fmt.Sprintf("Invalid JSON: line %d, column %d should be %s", line, column, d.want))
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
