package files_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/files"
)

// A file that somebody changed since it was read keeps that change.
func ExampleReplace() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "SKILL.md")
	before := []byte("Say helo.\n")
	if err := os.WriteFile(file, before, 0o644); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(files.Replace(file, before, []byte("Say hello.\n")))
	fmt.Println(errors.Is(files.Replace(file, before, []byte("Say hi.\n")), files.ErrChanged))
	text, _ := os.ReadFile(file)
	fmt.Print(string(text))
	// Output:
	// <nil>
	// true
	// Say hello.
}
