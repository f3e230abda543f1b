package skillhand

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/redact"
	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/report/verdict"
)

func TestHideInVerdict(t *testing.T) {
	v := &verdict.Verdict{
		Problems: []verdict.Problem{{Code: "A", Message: "has secret-value-1"}},
		Warnings: []report.Fault{{Path: "/secret-value-1", Message: "secret-value-1"}},
		Report: &report.Report{
			Deliverables: []string{"secret-value-1.txt"}, Metrics: map[string]float64{"secret-value-1": 1, "b": 2},
			Errors: []report.Error{{
				Code:    "secret-value-1",
				Message: "secret-value-1",
				Stack:   "secret-value-1",
				Context: json.RawMessage(`{"secret-value-1":["x",{"a":"secret\u002dvalue-1"},12345678901234567890]}`),
			}},
		},
	}
	hideInVerdict(redact.New([]string{"API_TOKEN=secret-value-1"}), v)
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "secret-value") || strings.Count(string(text), "API_TOKEN redacted") != 10 {
		t.Errorf("%s", text)
	}
	if !strings.Contains(string(text), "12345678901234567890") {
		t.Errorf("a number changed: %s", text)
	}
}
