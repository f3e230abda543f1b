package verdict_test

import (
	"fmt"
	"time"

	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/report/verdict"
)

// A script says that all is well, and exits with 3.
func ExampleJudge() {
	parsed := report.Parse([]byte("Deployed.\nSUCCESS\n"), report.Options{})
	v := verdict.Judge(parsed, verdict.Run{Result: verdict.Result{Exit: 3}, Timeout: time.Minute})
	fmt.Println(v.OK)
	for _, p := range v.Problems {
		fmt.Println(p.Code+":", p.Message)
	}
	// Output:
	// false
	// CONFLICT: the report says success, but: exit status 3
}
