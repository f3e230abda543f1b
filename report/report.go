// Package report answers one question: what does a script say it did?
//
// A report is a JSON object of five fields that a script prints on stdout.
// Parse finds it among other output, reads older forms of plain text too, and
// names everything that is wrong with it.
package report

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/skillhand/skillhand/internal/jsonfind"
)

// A Report is what a script says it did: schemas/skill-output-v1.schema.json.
type Report struct {
	Success      bool               `json:"success"`
	Confidence   float64            `json:"confidence"`   // 0 to 1
	Deliverables []string           `json:"deliverables"` // files and folders that the script made or changed
	Metrics      map[string]float64 `json:"metrics"`
	Errors       []Error            `json:"errors"`
}

// An Error is something that went wrong, in the script's words.
type Error struct {
	Code    string          `json:"code"` // UPPER_SNAKE_CASE
	Message string          `json:"message"`
	Stack   string          `json:"stack,omitempty"`
	Context json.RawMessage `json:"context,omitempty"` // an object, as the script wrote it
}

// Band returns a word for how good a confidence is.
func Band(confidence float64) string {
	switch {
	case confidence >= 0.90:
		return "excellent"
	case confidence >= 0.75:
		return "good"
	case confidence >= 0.60:
		return "fair"
	}
	return "poor"
}

// Options say how to read a report. The zero value also reads legacy reports, and only warns about
// unknown fields.
type Options struct {
	NoLegacy          bool     // read JSON only
	Strict            bool     // unknown fields, duplicate keys and malformed error codes are faults, not warnings
	DefaultConfidence *float64 // the confidence of a legacy report that states none; nil means 0.5
}

// A Method says how a report was read.
type Method string

// The methods of reading a report.
const (
	JSON   Method = "json"
	Legacy Method = "legacy"
	None   Method = "none" // there is no report
)

// A Result is the report in a text, and everything that is wrong with it.
type Result struct {
	Method   Method
	Report   *Report // nil if there is no report, or it has faults
	Faults   []Fault // every fault of the report
	Warnings []Fault
	Stated   bool // the text says whether the script succeeded; a legacy report may not
}

// A Fault is one thing that is wrong with a report.
type Fault struct {
	Code    Code   `json:"code"`
	Path    string `json:"path"` // JSON pointer of the field, even of a missing field; "" is the whole report
	Message string `json:"message"`
}

// A Code names a kind of fault.
type Code string

// The kinds of faults.
const (
	Unreadable       Code = "UNREADABLE"
	NoReport         Code = "NO_REPORT"
	InvalidJSON      Code = "INVALID_JSON"
	MissingField     Code = "MISSING_FIELD"
	InvalidType      Code = "INVALID_TYPE"
	OutOfRange       Code = "OUT_OF_RANGE"
	UnknownField     Code = "UNKNOWN_FIELD"
	DuplicateKey     Code = "DUPLICATE_KEY"
	InvalidErrorCode Code = "INVALID_ERROR_CODE"
	Empty            Code = "EMPTY"
	TooDeep          Code = "TOO_DEEP"
	TooLarge         Code = "TOO_LARGE"
	Unclear          Code = "UNCLEAR" // some lines of text say success, and others contradict them
)

// The limits of a text that Parse reads.
const (
	MaxSize  = 64 << 20 // bytes
	MaxDepth = 100      // levels of nesting
)

// Parse reads the report in text. The report is the whole text, else the last JSON report in it,
// else the lines in a legacy form. The result does not share memory with text.
func Parse(text []byte, opt Options) Result {
	if len(text) > MaxSize {
		return none(TooLarge, "More than 64 MB")
	}
	if bytes.IndexByte(text, esc) >= 0 {
		text = withoutColors(text)
	}
	whole := text
	text, skipped := trim(text)
	if result, ok := parseJSON(text, opt); ok {
		return result
	}
	if len(text) > 0 && text[0] == '{' {
		return parseBroken(text, skipped)
	}
	if !opt.NoLegacy {
		if result, ok := parseLegacy(bytes.TrimPrefix(whole, byteOrderMark), opt); ok {
			return result
		}
	}
	return none(NoReport, "No report found")
}

// parseJSON judges the JSON object that is the whole text, else the last report in text.
func parseJSON(text []byte, opt Options) (result Result, ok bool) {
	first, last := bytes.IndexByte(text, '{'), bytes.LastIndexByte(text, '}')
	if first < 0 || last < first {
		return result, false
	}
	// In most texts there is one object, and every brace belongs to it.
	d := newDecoder(text[first:last+1], opt)
	if r, err := d.report(); err == nil && d.end() == nil {
		whole := last+1-first == len(text)
		return d.result(r), whole || looksLikeReport(d.seen)
	}
	object, ok := jsonfind.Last(text, fields[:], looksLikeReport)
	if !ok {
		return result, false
	}
	d = newDecoder(object, opt)
	r, err := d.report()
	if err != nil {
		return d.failure(err, 0), true // too deep: it is JSON
	}
	return d.result(r), true
}

// parseBroken says where a text that begins like JSON stops being JSON.
func parseBroken(text []byte, skipped int) Result {
	d := newDecoder(text, Options{})
	_, err := d.report()
	if err == nil {
		err = d.end()
	}
	return d.failure(err, skipped)
}

// Check reports what is wrong with a report, as strictly as Parse can.
func (r Report) Check() []Fault {
	if f, ok := r.notFinite(); ok {
		return []Fault{f}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return []Fault{{InvalidJSON, "", err.Error()}}
	}
	return Parse(text, Options{Strict: true, NoLegacy: true}).Faults
}

// notFinite returns a fault if there is a number that JSON cannot hold.
func (r *Report) notFinite() (Fault, bool) {
	if math.IsNaN(r.Confidence) || math.IsInf(r.Confidence, 0) {
		return Fault{OutOfRange, "/confidence", notInRange}, true
	}
	for name, value := range r.Metrics {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return Fault{OutOfRange, string(jsontext.Pointer("/metrics").AppendToken(name)), notFinite}, true
		}
	}
	return Fault{}, false
}

func none(code Code, message string) Result {
	return Result{Method: None, Faults: []Fault{{Code: code, Message: message}}}
}

// looksLikeReport reports whether an object with these of the five fields is meant as a report. A
// report has success and at least one other field.
func looksLikeReport(found uint64) bool {
	return found&(1<<fieldSuccess) != 0 && found != 1<<fieldSuccess
}

var byteOrderMark = []byte("\ufeff")

// trim removes a byte order mark and the white space around text. It returns how many lines it
// removed before the text.
func trim(text []byte) (trimmed []byte, lines int) {
	trimmed = bytes.TrimPrefix(text[jsonfind.Space(text, 0):], byteOrderMark)
	trimmed = trimmed[jsonfind.Space(trimmed, 0):]
	lines = bytes.Count(text[:len(text)-len(trimmed)], []byte("\n"))
	return bytes.TrimRight(trimmed, " \t\r\n"), lines
}

const esc = 0x1b

// withoutColors removes the escape sequences of terminals. A JSON string never contains one,
// because it must not contain control characters.
func withoutColors(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for {
		i := bytes.IndexByte(text, esc)
		if i < 0 {
			return append(out, text...)
		}
		out = append(out, text[:i]...)
		text = text[i+escapeLength(text[i:]):]
	}
}

// escapeLength returns the length of the escape sequence at the start of text.
func escapeLength(text []byte) int {
	if len(text) == 1 {
		return 1
	}
	switch text[1] {
	case '[': // parameters, then a letter
		for i := 2; i < len(text); i++ {
			if c := text[i]; c >= '@' && c <= '~' {
				return i + 1
			} else if c < ' ' || c > '?' {
				return i
			}
		}
		return len(text)
	case ']', 'P', 'X', '^', '_': // a command such as a link or a title, up to BEL or ESC \
		const longest = 4096
		for i := 2; i < min(len(text), longest); i++ {
			switch text[i] {
			case '\a':
				return i + 1
			case esc:
				if i+1 < len(text) && text[i+1] == '\\' {
					i++
				}
				return i + 1
			case '\n':
				return 1
			}
		}
		return 1
	}
	i := 1 // characters from space to slash, then one more: tput sgr0 prints ESC ( B
	for i < len(text) && text[i] >= ' ' && text[i] <= '/' {
		i++
	}
	if i < min(len(text), 4) && text[i] >= '0' && text[i] <= '~' {
		return i + 1
	}
	return 1
}

// replacement replaces bytes that are not UTF-8.
var replacement = []byte("\ufffd")
