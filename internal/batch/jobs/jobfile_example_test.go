package jobs_test

import (
	"fmt"

	"github.com/skillhand/skillhand/internal/batch/jobs"
)

// An error names its file and line.
func ExampleParse() {
	f, err := jobs.Parse("jobs.yaml", []byte("name: nightly\njobs:\n  - id: lint\n    run: ./lint\n"), "/src")
	fmt.Println(f.Name, f.N, err)
	_, err = jobs.Parse("jobs.yaml", []byte("name: nightly\njobs:\n  - id: lint\n"), "/src")
	fmt.Println(err)
	// Output:
	// nightly 1 <nil>
	// jobs.yaml:3: a job needs run or ask
}
