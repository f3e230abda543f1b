package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/skillhand/skillhand/internal/legacy"
)

// LegacyError is the code of an error that was read from a line of text.
const LegacyError = "LEGACY_ERROR"

// parseLegacy reads a text that contains no JSON. It returns false if no line has a legacy form.
func parseLegacy(text []byte, opt Options) (Result, bool) {
	if !utf8.Valid(text) {
		text = bytes.ToValidUTF8(text, replacement)
	}
	said, ok := legacy.Parse(string(text))
	if !ok {
		return Result{}, false
	}
	if said.Unclear != "" {
		return Result{Method: Legacy, Faults: []Fault{{Unclear, "", unclear(said.Unclear)}}}, true
	}
	r := &Report{
		Success:      said.Succeeded && !said.Failed,
		Confidence:   0.5,
		Deliverables: said.Deliverables,
		Metrics:      map[string]float64{},
		Errors:       make([]Error, 0, len(said.Errors)),
	}
	switch {
	case said.Confidence != nil:
		r.Confidence = *said.Confidence
	case opt.DefaultConfidence != nil:
		r.Confidence = *opt.DefaultConfidence
	}
	if said.Duration != nil {
		r.Metrics["execution_time_ms"] = *said.Duration
	}
	for _, message := range said.Errors {
		r.Errors = append(r.Errors, Error{Code: LegacyError, Message: message})
	}
	if said.More > 0 {
		r.Errors = append(r.Errors, Error{Code: LegacyError, Message: fmt.Sprintf("%d more errors are not listed", said.More)})
	}
	result := Result{Method: Legacy, Report: r, Stated: said.Succeeded || said.Failed}
	if said.OutOfRange {
		result.Warnings = []Fault{{OutOfRange, "/confidence", notInRange}}
	}
	return result, true
}

// unclear returns a message with the line that leaves unclear whether the script succeeded.
func unclear(line string) string {
	const longest = 200
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "") + "..."
	}
	return "Unclear whether it succeeded: " + line
}
