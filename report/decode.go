package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/skillhand/skillhand/internal/jsonfind"
)

// The indices of the five fields in the table fields.
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

// maxFaults limits how many faults of a document are listed. Further faults are only counted.
const maxFaults = 1000

// errTooDeep stops the reading of a document that is nested too deep.
var errTooDeep = fmt.Errorf("nested more than %d deep", MaxDepth)

// A decoder reads one report and judges it in the same pass. It notes a fault for each wrong value.
// An error from one of its methods means that the text is not JSON, or is nested too deep.
type decoder struct {
	*jsontext.Decoder
	opt  Options
	text []byte
	seen uint64                     // the fields that were read, as bits
	of   [len(fields) + 1]*findings // the findings about each field, then the rest; nil if there are none
	at   int                        // the index in of for the value that is being read
}

type findings struct{ faults, warnings faults }

func newDecoder(text []byte, opt Options) *decoder {
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, replacement)
	}
	// The decoder judges duplicates itself, and an escape may be half of a character.
	reader := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return &decoder{Decoder: reader, opt: opt, text: text}
}

func (d *decoder) report() (*Report, error) {
	r := &Report{}
	var unknown keySet
	err := d.object(func(key string) error {
		d.at = len(fields)
		n := slices.Index(fields[:], key)
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
	if err != nil {
		return nil, err
	}
	for n, name := range fields {
		if d.at = n; d.seen&(1<<n) == 0 {
			d.missing("", name)
		}
	}
	return r, nil
}

func (d *decoder) field(n int, r *Report) error {
	switch n {
	case fieldSuccess:
		if kind := d.PeekKind(); kind != 't' && kind != 'f' {
			return d.mistyped("Success must be a boolean")
		}
		token, err := d.ReadToken()
		if err == nil {
			r.Success = token.Bool()
		}
		return err
	case fieldConfidence:
		if d.PeekKind() != '0' {
			return d.mistyped("Confidence must be a number")
		}
		value, written, err := d.number()
		if r.Confidence = value; err == nil && !isShare(value, written) {
			d.fault(d.StackPointer(), OutOfRange, notInRange)
		}
		return err
	case fieldDeliverables:
		if d.PeekKind() != '[' {
			return d.mistyped("Deliverables must be an array")
		}
		r.Deliverables = []string{}
		return d.array(func() error { return d.deliverable(r) })
	case fieldMetrics:
		if d.PeekKind() != '{' {
			return d.mistyped("Metrics must be an object")
		}
		return d.metrics(r)
	}
	if d.PeekKind() != '[' {
		return d.mistyped("Errors must be an array")
	}
	r.Errors = []Error{}
	return d.array(func() error { return d.error(r) })
}

// isShare reports whether a number is from 0 to 1. It also looks at the digits as written, because
// rounding may turn a number just outside the range into 0 or 1.
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

func (d *decoder) deliverable(r *Report) error {
	if d.PeekKind() != '"' {
		return d.mistyped("Deliverable must be a string")
	}
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	path := token.String()
	if path == "" {
		d.fault(d.StackPointer(), Empty, "Deliverable must not be empty")
	}
	r.Deliverables = append(r.Deliverables, path)
	return nil
}

// metrics reads the metrics and judges their values. If a name is repeated, only its last value
// counts.
func (d *decoder) metrics(r *Report) error {
	r.Metrics = map[string]float64{}
	var mistyped map[string]bool
	var wrong []string // the names of values that are not finite numbers, in the order read
	err := d.object(func(name string) (err error) {
		if _, twice := r.Metrics[name]; twice {
			d.duplicate(name)
			delete(mistyped, name)
		}
		value := math.Inf(1)
		if d.PeekKind() == '0' {
			value, _, err = d.number()
		} else {
			if mistyped == nil {
				mistyped = map[string]bool{}
			}
			mistyped[name] = true
			err = d.skip()
		}
		if r.Metrics[name] = value; math.IsInf(value, 0) {
			wrong = append(wrong, name)
		}
		return err
	})
	for _, name := range lastOfEach(wrong) {
		switch at := jsontext.Pointer("/metrics").AppendToken(name); {
		case mistyped[name]:
			d.fault(at, InvalidType, "Metric must be a number")
		case math.IsInf(r.Metrics[name], 0):
			d.fault(at, OutOfRange, notFinite)
		}
	}
	return err
}

// lastOfEach returns each name once, in the order of the last occurrences.
func lastOfEach(names []string) (last []string) {
	var seen keySet
	for _, name := range slices.Backward(names) {
		if seen.add(name) {
			last = append(last, name)
		}
	}
	slices.Reverse(last)
	return last
}

// A keySet remembers the keys of one object. The zero value is empty.
type keySet map[string]struct{}

func (s *keySet) add(key string) bool {
	if *s == nil {
		*s = keySet{}
	}
	before := len(*s)
	(*s)[key] = struct{}{}
	return len(*s) > before
}

// A detail is the value of one key of an error. The key may be missing.
type detail struct {
	text           string
	seen, mistyped bool
}

var detailNames = [...]string{"code", "message", "stack", "context"}

// error reads one of the errors. If a key is repeated, only its last value counts, so error judges
// the values after it has read all of them.
func (d *decoder) error(r *Report) error {
	if d.PeekKind() != '{' {
		return d.mistyped("Error must be an object")
	}
	var details [len(detailNames)]detail
	var unknown keySet
	err := d.object(func(key string) (err error) {
		n := slices.Index(detailNames[:], key)
		if n < 0 {
			return d.unknown(key, &unknown)
		}
		if details[n].seen {
			d.duplicate(key)
		}
		details[n], err = d.detail(key)
		return err
	})
	if err != nil {
		return err
	}
	for n, key := range detailNames {
		d.judge(key, details[n])
	}
	e := Error{Code: details[0].text, Message: details[1].text, Stack: details[2].text}
	if context := details[3].text; context != "" {
		e.Context = json.RawMessage(context)
	}
	r.Errors = append(r.Errors, e)
	return nil
}

// detail reads the value of one of an error's keys: a context as JSON, any other key as a string.
func (d *decoder) detail(key string) (detail, error) {
	want := jsontext.Kind('"')
	if key == "context" {
		want = '{'
	}
	switch kind := d.PeekKind(); {
	case kind != want:
		return detail{seen: true, mistyped: true}, d.skip()
	case kind == '{':
		start := int(d.InputOffset())
		err := d.skip()
		written := d.text[start:d.InputOffset()]
		return detail{seen: true, text: string(written[bytes.IndexByte(written, '{'):])}, err
	}
	token, err := d.ReadToken()
	if err != nil {
		return detail{}, err
	}
	return detail{seen: true, text: token.String()}, nil
}

// judge notes what is wrong with one detail of the error just read.
func (d *decoder) judge(key string, value detail) {
	required := key == "code" || key == "message"
	at := func() jsontext.Pointer { return d.StackPointer().AppendToken(key) }
	switch {
	case !value.seen && required:
		d.missing(d.StackPointer(), key)
	case value.mistyped && key == "context":
		d.fault(at(), InvalidType, "Error context must be an object")
	case value.mistyped:
		d.fault(at(), InvalidType, "Error "+key+" must be a string")
	case value.text == "" && required:
		d.fault(at(), Empty, "Error "+key+" must not be empty")
	case key == "code" && !isErrorCode(value.text):
		d.doubt(at(), InvalidErrorCode, "Error code must be UPPER_SNAKE_CASE")
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

// object reads the object that comes next; member reads the value of each key.
func (d *decoder) object(member func(key string) error) error {
	return d.group('}', func() error {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		return member(token.String())
	})
}

// array reads the array that comes next; element reads each of its values.
func (d *decoder) array(element func() error) error { return d.group(']', element) }

// group reads an object or array, one part after the other.
func (d *decoder) group(end jsontext.Kind, part func() error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	if d.StackDepth() > MaxDepth {
		return errTooDeep
	}
	for d.PeekKind() != end {
		if d.PeekKind() == 0 {
			break // the next read reports the error
		}
		if err := part(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// skip reads past any value, and notes duplicate keys in it.
func (d *decoder) skip() error {
	switch d.PeekKind() {
	case '{':
		var keys keySet
		return d.object(func(key string) error {
			if !keys.add(key) {
				d.duplicate(key)
			}
			return d.skip()
		})
	case '[':
		return d.array(d.skip)
	}
	_, err := d.ReadToken()
	return err
}

// number reads a number. The value is infinite if the number is too large.
func (d *decoder) number() (value float64, written string, err error) {
	token, err := d.ReadToken()
	if err != nil {
		return 0, "", err
	}
	written = token.String()
	value, _ = strconv.ParseFloat(written, 64) // the only possible error is out of range, and then value is infinite
	return value, written, nil
}

// end returns an error if anything follows the object.
func (d *decoder) end() error {
	at := jsonfind.Space(d.text, int(d.InputOffset()))
	if at == len(d.text) {
		return nil
	}
	return &jsontext.SyntacticError{ByteOffset: int64(at), Err: errors.New("more text after the object")}
}

// mistyped skips a value of the wrong type, and notes a fault.
func (d *decoder) mistyped(message string) error {
	err := d.skip()
	if err == nil {
		d.fault(d.StackPointer(), InvalidType, message)
	}
	return err
}

// unknown notes a key that has no meaning, and skips its value.
func (d *decoder) unknown(key string, known *keySet) error {
	if known.add(key) {
		d.doubt(d.StackPointer(), UnknownField, "Unknown field: "+key)
	} else {
		d.duplicate(key)
	}
	return d.skip()
}

// missing notes that the object at a pointer lacks a key.
func (d *decoder) missing(at jsontext.Pointer, key string) {
	d.fault(at.AppendToken(key), MissingField, "Missing required field: "+key)
}

// duplicate notes that the key just read was there before.
func (d *decoder) duplicate(key string) {
	d.doubt(d.StackPointer(), DuplicateKey, "Duplicate key: "+key)
}

func (d *decoder) fault(at jsontext.Pointer, code Code, message string) {
	d.findings().faults.add(Fault{code, string(at), message})
}

// doubt notes a fault if reading is strict, and a warning otherwise.
func (d *decoder) doubt(at jsontext.Pointer, code Code, message string) {
	if d.opt.Strict {
		d.fault(at, code, message)
	} else {
		d.findings().warnings.add(Fault{code, string(at), message})
	}
}

func (d *decoder) findings() *findings {
	if d.of[d.at] == nil {
		d.of[d.at] = &findings{}
	}
	return d.of[d.at]
}

// result returns the Result of a report that was read to its end.
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

// failure returns the Result of a text that stops being JSON. skipped counts the lines before
// d.text.
func (d *decoder) failure(err error, skipped int) Result {
	if errors.Is(err, errTooDeep) {
		return none(TooDeep, fmt.Sprintf("Nested more than %d deep", MaxDepth))
	}
	at, why := int(d.InputOffset()), err
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at, why = int(syntax.ByteOffset), syntax.Err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		at, why = len(d.text), errors.New("it ends too early")
	}
	line := 1 + skipped + bytes.Count(d.text[:at], []byte("\n"))
	column := at - bytes.LastIndexByte(d.text[:at], '\n')
	return none(InvalidJSON, fmt.Sprintf("Invalid JSON: line %d, column %d: %s", line, column, why))
}

// faults holds up to maxFaults faults, and counts the rest.
type faults struct {
	list []Fault
	more int
}

func (f *faults) add(fault Fault) {
	if len(f.list) == maxFaults {
		f.more++
		return
	}
	f.list = append(f.list, fault)
}

func (f *faults) join(g *faults) {
	room := min(maxFaults-len(f.list), len(g.list))
	f.list = append(f.list, g.list[:room]...)
	f.more += g.more + len(g.list) - room
}

// done returns the faults. If some are missing, a last fault says how many.
func (f *faults) done() []Fault {
	if f.more > 0 {
		f.list = append(f.list, Fault{f.list[len(f.list)-1].Code, "", fmt.Sprintf("%d more faults are not listed", f.more)})
		f.more = 0
	}
	return f.list
}
