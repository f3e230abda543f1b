package report

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the report as JSON. Empty fields are written too, and text
// that is not UTF-8 is replaced. Numbers must be finite: see Check.
func (r *Report) AppendJSON(b []byte) []byte {
	b = append(b, `{"success":`...)
	b = strconv.AppendBool(b, r.Success)
	b = append(b, `,"confidence":`...)
	b = appendNumber(b, r.Confidence)
	b = append(b, `,"deliverables":[`...)
	for i, d := range r.Deliverables {
		b = appendString(appendComma(b, i), d)
	}
	b = append(b, `],"metrics":{`...)
	var few [8]string
	names := few[:0]
	for name := range r.Metrics {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		b = append(appendString(appendComma(b, i), name), ':')
		b = appendNumber(b, r.Metrics[name])
	}
	b = append(b, `},"errors":[`...)
	for i, e := range r.Errors {
		b = append(appendComma(b, i), `{"code":`...)
		b = appendString(b, e.Code)
		b = append(b, `,"message":`...)
		b = appendString(b, e.Message)
		if e.Stack != "" {
			b = append(b, `,"stack":`...)
			b = appendString(b, e.Stack)
		}
		if len(e.Context) > 0 {
			b = append(b, `,"context":`...)
			b = appendLine(b, e.Context)
		}
		b = append(b, '}')
	}
	return append(b, `]}`...)
}

// A Document is a result as skillhand parse --json prints it:
// schemas/parse-v1.schema.json.
type Document struct {
	Input    string  `json:"input"`
	Success  bool    `json:"success"` // a valid report was found, whatever it says
	Method   Method  `json:"parse_method"`
	Output   *Report `json:"output"`
	Errors   []Fault `json:"errors"`
	Warnings []Fault `json:"warnings"`
}

// Document is the result of one input, to be printed.
func (r *Result) Document(input string) Document {
	return Document{input, r.Report != nil, r.Method, r.Report, append([]Fault{}, r.Faults...), append([]Fault{}, r.Warnings...)}
}

// AppendJSON appends the result's Document as one line of JSON, without its end.
func (r *Result) AppendJSON(b []byte, input string) []byte {
	b = append(b, `{"input":`...)
	b = appendString(b, input)
	b = append(b, `,"success":`...)
	b = strconv.AppendBool(b, r.Report != nil)
	b = append(b, `,"parse_method":`...)
	b = appendString(b, string(r.Method))
	b = append(b, `,"output":`...)
	if r.Report == nil {
		b = append(b, `null`...)
	} else {
		b = r.Report.AppendJSON(b)
	}
	b = append(b, `,"errors":`...)
	b = appendFaults(b, r.Faults)
	b = append(b, `,"warnings":`...)
	b = appendFaults(b, r.Warnings)
	return append(b, '}')
}

func appendFaults(b []byte, faults []Fault) []byte {
	b = append(b, '[')
	for i, f := range faults {
		b = append(appendComma(b, i), `{"code":`...)
		b = appendString(b, string(f.Code))
		b = append(b, `,"path":`...)
		b = appendString(b, f.Path)
		b = append(b, `,"message":`...)
		b = appendString(b, f.Message)
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendLine appends JSON as one line. Line ends in it only stand between its parts.
func appendLine(b, text []byte) []byte {
	from := len(b)
	b = append(b, text...)
	for i, c := range b[from:] {
		if c == '\n' || c == '\r' {
			b[from+i] = ' '
		}
	}
	return b
}

func appendComma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// appendNumber writes a number as people would, if it is not too long.
func appendNumber(b []byte, n float64) []byte {
	if i := int64(n); n == float64(i) && -1e15 < n && n < 1e15 {
		return strconv.AppendInt(b, i, 10)
	}
	format := byte('f')
	if abs := math.Abs(n); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, n, format, -1, 64)
}

const hexDigits = "0123456789abcdef"

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		if i+8 <= len(s) && isPlain(s[i:i+8]) {
			i += 8
			continue
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[from:i]...), replacement...)
				from = i + 1
			}
			i += size
			continue
		}
		i++
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			continue
		}
		b = append(b, s[from:i-1]...)
		from = i
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(b, s[from:]...), '"')
}

// isPlain reports whether eight bytes of text stand in JSON as they are. It may
// miss some that do.
func isPlain(s string) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	_ = s[7]
	w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	quote, slash, del := w^(ones*'"'), w^(ones*'\\'), w^(ones*0x7f)
	return ((quote-ones)&^quote|(slash-ones)&^slash|(del-ones)&^del|(w-ones*' ')|w)&highs == 0
}
