//go:build unix

package here_test

import (
	"fmt"

	"github.com/skillhand/skillhand/internal/here"
)

// The environment says where things are; what it leaves open is filled in.
func ExampleFrom() {
	h, err := here.From("/", []string{"HOME=/home/ada", "CLAUDE_PROJECT_DIR=/src/app", "SKILLHAND_STATE_DIR=/var/skillhand"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Home, h.Project)
	// Output: /home/ada /src/app
}
