package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/schemas"
)

var reports = rapid.Custom(func(t *rapid.T) Report {
	word := rapid.StringMatching(`[a-z{}"\\/é❌ \n]{1,12}`)
	r := Report{
		Success:      rapid.Bool().Draw(t, "success"),
		Confidence:   rapid.Float64Range(0, 1).Draw(t, "confidence"),
		Deliverables: rapid.SliceOfN(word, 0, 4).Draw(t, "deliverables"),
		Metrics:      rapid.MapOfN(word, rapid.Float64(), 0, 4).Draw(t, "metrics"),
		Errors:       []Error{},
	}
	for range rapid.IntRange(0, 3).Draw(t, "errors") {
		e := Error{Code: rapid.StringMatching(`[A-Z]{1,3}(_[A-Z0-9]{1,2}){0,2}`).Draw(t, "code"), Message: word.Draw(t, "message")}
		if rapid.Bool().Draw(t, "more") {
			inner, _ := json.Marshal(map[string]any{
				word.Draw(t, "key"): []any{word.Draw(t, "value"), 1.5, nil}, "report": map[string]any{"success": true, "errors": nil},
			})
			e.Stack, e.Context = word.Draw(t, "stack"), inner
		}
		r.Errors = append(r.Errors, e)
	}
	return r
})

// noise is text that may be around a report. No part of it is a report, or opens an object that
// would contain the report.
var noise = rapid.Custom(func(t *rapid.T) string {
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"{", "}", "{{", "}}", "{}", "[", "]", "\"", "\\", "'", "\n", "\r\n", " ", ",", ":", "log line\n", "SUCCESS\n",
		"ERROR: failed\n", "0 errors\n",
		`{"level":"info","msg":"{"}`, `{"success":true}`, `{"a":[1,{"b":"}"}]}`, `{"result":{"success":false,"errors":[]}}`,
		`{"open": `, `{"open`, `{"a":["`,
		`"{\"success\":true,\"errors\":[]}"`, "```json\n", "```\n", "\x1b[32m", "\x1b[0m", "\x1b]0;title\a", "\ufeff", "\xff\xfe",
		"\x00", "é✅❌", "1e5", "true",
	}), 0, 12).Draw(t, "pieces")
	return strings.Join(pieces, "")
})

// TestTextAround: text around a report never changes its meaning.
func TestTextAround(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		report := reports.Draw(t, "report")
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "indented") {
			var b bytes.Buffer
			_ = json.Indent(&b, text, "", "  ")
			text = b.Bytes()
			if rapid.Bool().Draw(t, "crlf") {
				text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
			}
		}
		if rapid.Bool().Draw(t, "coloured") {
			text = bytes.ReplaceAll(text, []byte(`":`), []byte("\"\x1b[0m:\x1b[1;34m"))
		}
		// With a line of words before and after, no bracket or quote stays open.
		whole := noise.Draw(t, "before") + "\nand so on\n" + string(text) + "\nand so on\n" + noise.Draw(t, "after")
		got := Parse([]byte(whole), Options{Strict: true})
		if got.Method != JSON || got.Report == nil {
			t.Fatalf("%q: %+v", whole, got)
		}
		if diff := cmp.Diff(decoded(report), decoded(*got.Report)); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", whole, diff)
		}
		// Also put the noise directly around it, unless the report is then inside another object.
		close := strings.TrimRight(noise.Draw(t, "close"), " \r\n")
		if close != "" && !strings.HasSuffix(close, ":") && !strings.HasSuffix(close, ",") && !strings.HasSuffix(close, "[") &&
			!strings.ContainsAny(close[len(close)-1:], "\\\x1b") {
			if got := Parse([]byte(close+string(text)+" and so on"), Options{Strict: true}); got.Report == nil {
				t.Fatalf("%q: %+v", close+string(text), got)
			}
		}
	})
}

// decoded returns a report as any JSON reader decodes it.
func decoded(r Report) any { return unmarshal(mustMarshal(r)) }

func unmarshal(text []byte) (v any) {
	if err := json.Unmarshal(text, &v); err != nil {
		panic(err)
	}
	return v
}

// TestSchemaAgrees: a real validator and this package agree on every document of a corpus that is
// made by mutation.
func TestSchemaAgrees(t *testing.T) {
	strict := test.OurSchema(t, "skill-output-v1")
	// Without Strict, unknown fields and malformed codes are fine, but empty codes are not.
	lenient := compile(t, func(root map[string]any) {
		e := root["properties"].(map[string]any)["errors"].(map[string]any)["items"].(map[string]any)
		delete(root, "additionalProperties")
		delete(e, "additionalProperties")
		e["properties"].(map[string]any)["code"] = map[string]any{"type": "string", "minLength": 1}
	})
	documents := 10_000
	if n := os.Getenv("SKILLHAND_DOCUMENTS"); n != "" {
		documents, _ = strconv.Atoi(n)
	}
	seed := uint64(time.Now().UnixNano())
	m := &mutator{rand.New(rand.NewPCG(seed, 0))}
	valid := 0
	for range documents {
		text := m.document()
		want := strict.Fault(text) == nil
		got := Parse(text, Options{Strict: true})
		if (got.Report != nil) != want {
			t.Fatalf("seed %d: %s: strict: the validator says %v, we say %+v", seed, text, want, got)
		}
		if want {
			valid++
		}
		want = lenient.Fault(text) == nil
		got = Parse(text, Options{})
		if (got.Report != nil) != want {
			t.Fatalf("seed %d: %s: the validator says %v, we say %+v", seed, text, want, got)
		}
		if got.Report != nil {
			if faults := Parse(mustMarshal(got.Report), Options{}).Faults; faults != nil {
				t.Fatalf("seed %d: %s: what we write is not what we read: %v", seed, text, faults)
			}
		}
	}
	if valid < documents/20 || valid > documents*19/20 {
		t.Errorf("%d of %d documents were valid: the corpus tells little", valid, documents)
	}
}

func mustMarshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// compile returns the schema of reports with a change.
func compile(t *testing.T, change func(schema map[string]any)) test.Schema {
	text, err := schemas.Files.ReadFile("skill-output-v1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	change(schema)
	return test.CompileSchema(t, "report", mustMarshal(schema))
}

// A mutator makes documents that are nearly reports.
type mutator struct{ *rand.Rand }

func (m *mutator) document() []byte {
	doc := map[string]any{
		"success": m.IntN(2) == 0, "confidence": m.Float64(), "deliverables": []any{"a", "b c"},
		"metrics": map[string]any{"execution_time_ms": 12.5}, "errors": []any{m.error()},
	}
	var v any = doc
	for range m.IntN(3) {
		v = m.mutate(v, 0)
	}
	if _, ok := v.(map[string]any); !ok {
		v = doc // only objects are tested here
	}
	return mustMarshal(v)
}

func (m *mutator) error() map[string]any {
	e := map[string]any{"code": m.code(), "message": "m"}
	if m.IntN(2) == 0 {
		e["stack"] = "s"
	}
	if m.IntN(2) == 0 {
		e["context"] = map[string]any{"k": m.value(0)}
	}
	return e
}

func (m *mutator) code() string {
	codes := []string{"A", "FILE_NOT_FOUND", "E2BIG", "A_1"}
	if m.IntN(8) == 0 {
		codes = []string{"", "a", "A_", "_A", "A__B", "1A", "A-B", "É", "A\n", "A B", "Aa"}
	}
	return codes[m.IntN(len(codes))]
}

// mutate changes something in v, or in a value below it.
func (m *mutator) mutate(v any, depth int) any {
	if depth > 0 && m.IntN(3) == 0 {
		return m.value(depth)
	}
	switch v := v.(type) {
	case map[string]any:
		switch m.IntN(6) {
		case 0:
			v[m.key()] = m.value(depth + 1)
			return v
		case 1:
			for k := range v {
				delete(v, k)
				return v
			}
		}
		n := m.IntN(max(1, len(v)))
		for k := range v {
			if n == 0 {
				v[k] = m.mutate(v[k], depth+1)
				break
			}
			n--
		}
		return v
	case []any:
		if len(v) == 0 || m.IntN(3) == 0 {
			return append(v, m.value(depth+1))
		}
		n := m.IntN(len(v))
		v[n] = m.mutate(v[n], depth+1)
		return v
	}
	return m.value(depth)
}

func (m *mutator) key() string {
	keys := []string{"success", "confidence", "deliverables", "metrics", "errors", "code", "message",
		"stack", "context", "x", "", "a/b~c", "Success"}
	return keys[m.IntN(len(keys))]
}

func (m *mutator) value(depth int) any {
	values := []any{
		nil, true, false, "", "a", "0.5", "A_B", 0, 1, json.Number("-0.0"), 0.5, 1.0000001, -1e-300, 7, json.Number("1e400"),
		json.Number("-1e400"), json.Number("1e-400"), json.Number("0.0e5"), json.Number("1.00000000000000000001"),
		json.Number("0.99999999999999999999"), json.Number("10.000E-1"), json.Number("100.00000000000000000001e-2"),
		json.Number("-0.0000e+7"),
		[]any{}, []any{"a"}, []any{""}, []any{1}, []any{nil}, map[string]any{}, map[string]any{"a": 1}, map[string]any{"a": "1"},
		map[string]any{"code": "A", "message": "m"}, []any{map[string]any{"code": "A", "message": ""}},
		[]any{map[string]any{"message": "m"}},
	}
	if depth < 4 && m.IntN(5) == 0 {
		return []any{m.value(depth + 1), m.error()}
	}
	return values[m.IntN(len(values))]
}

// TestAppendJSON: AppendJSON writes what encoding/json writes, for any report.
func TestAppendJSON(t *testing.T) {
	type plain Report
	type document struct {
		Document
		Output *plain `json:"output"` // without Report's own way to write itself
	}
	text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	faults := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Fault {
		return Fault{Code(text.Draw(t, "code")), text.Draw(t, "path"), text.Draw(t, "message")}
	}), 0, 2)
	rapid.Check(t, func(t *rapid.T) {
		r := reports.Draw(t, "report")
		r.Deliverables = append(r.Deliverables, text.Draw(t, "deliverable"))
		r.Errors = append(r.Errors, Error{Code: text.Draw(t, "code"), Message: text.Draw(t, "message"), Stack: text.Draw(t, "stack")})
		result := Result{Method: JSON, Report: &r, Faults: faults.Draw(t, "faults"), Warnings: faults.Draw(t, "warnings")}
		input := text.Draw(t, "input")
		if rapid.Bool().Draw(t, "none") {
			result.Report = nil
		}
		want := mustMarshal(document{result.Document(input), (*plain)(result.Report)})
		got := result.AppendJSON(nil, input)
		if diff := cmp.Diff(unmarshal(want), unmarshal(got)); diff != "" {
			t.Fatalf("%s\n(-want +got):\n%s", got, diff)
		}
	})
}

// FuzzParse: nothing panics, and a valid report is the same after it is written and read again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`log {"success":true,"confidence":1,"deliverables":[],"metrics":{},"errors":[]} log`), false)
	f.Add([]byte("SUCCESS\nConfidence: 92%\nCreated: a\nError: x\n[ERROR] 0 errors"), false)
	f.Add([]byte("{\"a\":{\"b\":[\"\\ud800\xff\x1b[1m\"]}}"), true)
	f.Fuzz(func(t *testing.T, text []byte, strict bool) {
		before := bytes.Clone(text)
		r := Parse(text, Options{Strict: strict})
		if !bytes.Equal(before, text) {
			t.Fatalf("%q became %q", before, text)
		}
		if (r.Report == nil) == (len(r.Faults) == 0) {
			t.Fatalf("%q: %+v", text, r)
		}
		if r.Report == nil {
			return
		}
		again := Parse(mustMarshal(r.Report), Options{})
		if again.Method != JSON || again.Report == nil || !reflect.DeepEqual(decoded(*r.Report), decoded(*again.Report)) {
			t.Fatalf("%q: %+v, again %+v", text, r.Report, again)
		}
	})
}

// FuzzDecode: this package accepts exactly the objects that encoding/json accepts, and reads the
// same values.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"success":true,"confidence":1e-1,"deliverables":["\ud83d\ude00"],"metrics":{"a":-0.0},"errors":[{"code":"A","message":"\u0000","context":{"a":[]}}]}`))
	f.Add([]byte(`{"a":[1,2.5e+7,-0,"\/\b\f\n\r\t"],"b":{},"c":null,"d":[[]]}`))
	f.Add([]byte(`{"a":01}`))
	f.Add([]byte("{\"a\":\"\x1f\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if text, _ = trim(text); len(text) == 0 || text[0] != '{' || bytes.IndexByte(text, esc) >= 0 || !utf8.Valid(text) {
			return
		}
		d := newDecoder(text, Options{})
		r, err := d.report()
		if errors.Is(err, errTooDeep) {
			return
		}
		ok := err == nil && d.end() == nil
		if valid := json.Valid(text); valid != ok {
			t.Fatalf("%q: json.Valid says %v, we %v", text, valid, ok)
		}
		if !ok {
			return
		}
		var want Report
		if res := d.result(r); res.Report == nil || len(res.Warnings) > 0 {
			return
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if !reflect.DeepEqual(decoded(want), decoded(*r)) {
			t.Fatalf("%q: %+v, want %+v", text, *r, want)
		}
	})
}

// TestLinear: a parser that is not linear would not finish within the time limit of go test. go run
// ./tools/bench prints the figures.
func TestLinear(t *testing.T) {
	texts := map[string]func(n int) string{
		"braces":        func(n int) string { return strings.Repeat("{", n) },
		"objects":       func(n int) string { return strings.Repeat(`x{"a":`, n) },
		"strings":       func(n int) string { return strings.Repeat(`x{"a {`, n) },
		"both":          func(n int) string { return "x" + strings.Repeat(`{":{":":{",`, n) },
		"brackets":      func(n int) string { return `x{"a":` + strings.Repeat("[", n) },
		"escapes":       func(n int) string { return `x{"a":"` + strings.Repeat(`\"{`, n) },
		"inner objects": func(n int) string { return `x{"a":[` + strings.Repeat(`{"success":1,"errors":[]},`, n) },
		"deliverables":  func(n int) string { return lines(n, "Created: file%d\n") },
		"one line":      func(n int) string { return strings.Repeat("ERROR word ", n) },
		"status words":  func(n int) string { return strings.Repeat("passed 0 ERRORS, ", n) },
		"symbols":       func(n int) string { return strings.Repeat("❌ Failed: 0 ", n) },
		"brackets text": func(n int) string { return strings.Repeat("[(", n) },
		"duplicates":    func(n int) string { return `{"a":{` + lines(n, `"k%d":1,`) + `"z":1}}` },
		"faults":        func(n int) string { return `{"deliverables":[` + strings.Repeat("1,", n) + `1]}` },
		"resets":        func(n int) string { return `{` + strings.Repeat(`"errors":[1],`, n) + `"success":1}` },
		"escape codes":  func(n int) string { return strings.Repeat("\x1b]", n) },
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			small, large := Parse([]byte(text(100)), Options{}), Parse([]byte(text(300_000)), Options{})
			if small.Method != large.Method {
				t.Errorf("100 are read as %q, 300,000 as %q", small.Method, large.Method)
			}
		})
	}
}

func lines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestTooLarge(t *testing.T) {
	r := Parse(make([]byte, MaxSize+1), Options{})
	if r.Method != None || r.Faults[0].Code != TooLarge {
		t.Errorf("%+v", r)
	}
}

// TestManyFaults: a document full of faults costs little, and the result says how many faults there
// are.
func TestManyFaults(t *testing.T) {
	r := Parse([]byte(`{"deliverables":[`+strings.Repeat("1,", 5000)+`1]}`), Options{})
	if n := len(r.Faults); n != maxFaults+1 || r.Faults[n-1].Message != "4005 more faults are not listed" {
		t.Errorf("%d faults, the last: %+v", n, r.Faults[n-1])
	}
}

func TestCheck(t *testing.T) {
	nan := map[string]float64{"a": 0}
	nan["a"] /= nan["a"]
	for want, r := range map[Code]Report{
		"": {Success: true, Confidence: 1, Deliverables: []string{"\xff\x00\"\u2028"},
			Errors: []Error{{Code: "A", Message: "\x1b<&"}}},
		OutOfRange:       {Metrics: nan},
		Empty:            {Deliverables: []string{""}},
		InvalidErrorCode: {Errors: []Error{{Code: "a", Message: "m"}}},
		InvalidType:      {Errors: []Error{{Code: "A", Message: "m", Context: json.RawMessage("[]")}}},
		InvalidJSON:      {Errors: []Error{{Code: "A", Message: "m", Context: json.RawMessage("{")}}},
	} {
		got := Code("")
		if faults := r.Check(); len(faults) > 0 {
			got = faults[0].Code
		}
		if got != want {
			t.Errorf("%+v: %s, want %s", r, got, want)
		}
	}
}

func TestBand(t *testing.T) {
	for confidence, want := range map[float64]string{1: "excellent", 0.9: "excellent", 0.899: "good",
		0.75: "good", 0.6: "fair", 0.59: "poor", 0: "poor"} {
		if got := Band(confidence); got != want {
			t.Errorf("Band(%v) = %s, want %s", confidence, got, want)
		}
	}
}
