package setup_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/setup"
)

func ExampleNewSkill() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	made, err := setup.NewSkill(filepath.Join(dir, "greet"), "greet")
	for _, file := range made {
		rel, _ := filepath.Rel(dir, file)
		fmt.Println(filepath.ToSlash(rel))
	}
	fmt.Println(err)
	fmt.Println(setup.CheckName("no blanks"))
	// Output:
	// greet/SKILL.md
	// <nil>
	// "no blanks": a name may contain only lower case letters, digits and hyphens, such as no-blanks
}
