package claudepage_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/claudecode/claudepage"
)

// A skill with an argument and a command, as Claude Code would send it for "/greet world".
func Example() {
	project, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(project)
	dir := filepath.Join(project, ".claude", "commands")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		fmt.Println(err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "greet.md"), []byte("Say !`echo hello` to $0.\n"), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	page, err := claudepage.Render(context.Background(), claudepage.Request{Name: "greet", Args: "world", Project: project, Home: project})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(page.Text)
	// Output: Say hello to world.
}
