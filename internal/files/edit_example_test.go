package files_test

import (
	"fmt"

	"github.com/skillhand/skillhand/internal/files"
)

func Example() {
	e := files.Edit{Name: "SKILL.md", Before: []byte("Say helo.\n"), After: []byte("Say hello.\n")}
	fmt.Print(e.Diff())
	// Output:
	// --- SKILL.md
	// +++ SKILL.md
	// @@ -1,1 +1,1 @@
	// -Say helo.
	// +Say hello.
}
