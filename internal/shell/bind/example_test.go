package bind_test

import (
	"fmt"

	"github.com/skillhand/skillhand/internal/shell/bind"
)

// A value is data: as an argument it stays unchanged, and where it would be read as code it is
// refused.
func ExampleJudge() {
	for _, command := range []string{"echo ", "bash -c "} {
		line := bind.Line{Parts: []bind.Part{{Text: command}, {Text: "$ARGUMENTS", Value: &bind.Value{Data: "$(reboot)"}}}}
		fmt.Println(command, len(bind.Judge(line, bind.World{})) == 0)
	}
	// Output:
	// echo  true
	// bash -c  false
}
