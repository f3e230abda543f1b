package report_test

import (
	"fmt"

	"github.com/skillhand/skillhand/report"
)

func ExampleParse() {
	result := report.Parse([]byte(`building {core}...
{"success": true, "confidence": 0.92, "deliverables": ["src/file.ts"], "metrics": {}, "errors": []}
done`), report.Options{})
	fmt.Println(result.Method, result.Report.Success, report.Band(result.Report.Confidence), result.Report.Deliverables)
	// Output: json true excellent [src/file.ts]
}

func ExampleParse_faults() {
	for _, f := range report.Parse([]byte(`{"success": true, "confidence": 1.5, "deliverables": [], "metrics": {}}`),
		report.Options{}).Faults {
		fmt.Println(f.Code, f.Path, f.Message)
	}
	// Output:
	// OUT_OF_RANGE /confidence Confidence must be between 0.0 and 1.0
	// MISSING_FIELD /errors Missing required field: errors
}
