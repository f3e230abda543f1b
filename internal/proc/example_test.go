//go:build unix

package proc_test

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/skillhand/skillhand/internal/proc"
)

// A program has five seconds for its work. Then it is asked to end, before it is killed.
func Example() {
	var out bytes.Buffer
	res, err := proc.Run(context.Background(), proc.Cmd{
		Args:    []string{"sh", "-c", "echo working; sleep 1000"},
		Stdout:  &out,
		Timeout: 5 * time.Second,
		Grace:   []proc.Step{{Signal: proc.Terminate, Wait: time.Minute}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(out.String())
	fmt.Println("timed out:", res.Cut == proc.Timeout, "exit:", res.Exit)
	// Output:
	// working
	// timed out: true exit: 143
}
