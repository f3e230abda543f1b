package activity_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/here"
)

// The transcripts in a home folder show which skills agents called.
func ExampleRead() {
	state, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(state)
	home, err := filepath.Abs("testdata/codex/one")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := activity.Read(here.Here{Dir: state, Home: home, State: state, Env: here.Env{"HOME=" + home}},
		activity.Options{Agent: "codex"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range report.Skills {
		fmt.Println(s.Name, s.Counts.Fired())
	}
	// Output:
	// zebra-card 1
	// long-card 0
}
