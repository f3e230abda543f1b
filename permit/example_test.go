package permit_test

import (
	"fmt"

	"github.com/skillhand/skillhand/permit"
)

func ExampleDecide() {
	v := permit.Decide(permit.Request{
		Command: "git status --short && command -v task",
		Allow:   []string{"Bash(task *)"},
	})
	fmt.Println(v.Decision, "because of", v.Part)
	fmt.Println(v.Reason)
	fmt.Println(v.Suggest)
	// Output:
	// ask because of command -v task
	// it is not known to be read-only, and no rule covers it
	// write `git status --short && which task`, or add Bash(command -v task) to allowed-tools
}
