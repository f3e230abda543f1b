package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MarshalJSON writes every field, empty ones too, so that the report is valid.
func (r Report) MarshalJSON() ([]byte, error) {
	if f, ok := r.notFinite(); ok {
		return nil, fmt.Errorf("%s: %s", f.Path, f.Message)
	}
	return marshal(r.plain())
}

// A plainReport is a report without MarshalJSON, which encoding/json would check again.
type plainReport Report

// plain returns the report with empty values for nil ones, so that no field is null in JSON.
func (r Report) plain() *plainReport {
	if r.Deliverables == nil {
		r.Deliverables = []string{}
	}
	if r.Metrics == nil {
		r.Metrics = map[string]float64{}
	}
	if r.Errors == nil {
		r.Errors = []Error{}
	}
	return (*plainReport)(&r)
}

// A Document is a result as skillhand parse --json prints it:
// schemas/parse-v1.schema.json.
type Document struct {
	Input    string  `json:"input"`
	Success  bool    `json:"success"` // there is a valid report, even if it reports a failure
	Method   Method  `json:"parse_method"`
	Output   *Report `json:"output"`
	Errors   []Fault `json:"errors"`
	Warnings []Fault `json:"warnings"`
}

// Document returns the result of the text called input, ready to print.
func (r *Result) Document(input string) Document {
	return Document{input, r.Report != nil, r.Method, r.Report, append([]Fault{}, r.Faults...), append([]Fault{}, r.Warnings...)}
}

// AppendJSON appends the result's Document as one line of JSON, without a line end.
func (r *Result) AppendJSON(b []byte, input string) []byte {
	d := r.Document(input)
	doc := struct { // a Document, but for the type of Output
		Input    string       `json:"input"`
		Success  bool         `json:"success"`
		Method   Method       `json:"parse_method"`
		Output   *plainReport `json:"output"`
		Errors   []Fault      `json:"errors"`
		Warnings []Fault      `json:"warnings"`
	}{d.Input, d.Success, d.Method, nil, d.Errors, d.Warnings}
	if r.Report != nil {
		doc.Output = r.Report.plain()
	}
	line, err := marshal(doc)
	if err != nil {
		panic("report: " + err.Error()) // Parse returns no report that JSON cannot hold
	}
	return append(b, line...)
}

// marshal returns v as one line of JSON, without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
