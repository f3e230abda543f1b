package claudecode_test

import (
	"fmt"

	"github.com/skillhand/skillhand/internal/claudecode"
)

func ExampleParseManifest() {
	_, faults := claudecode.ParseManifest([]byte(`{"name": "notes", "author": {"email": "ada@example.com"}}`))
	for _, f := range faults {
		fmt.Println(f)
	}
	// Output: author.name is missing
}
