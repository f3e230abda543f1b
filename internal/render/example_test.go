package render_test

import (
	"context"
	"fmt"
	"os"

	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/skill"
)

// The user's words are a value, wherever they stand.
func ExamplePage() {
	s := skill.Parse("SKILL.md", []byte("Greet $0.\n\n!`echo Also: $1`\n"))
	trace, err := render.Page(context.Background(), os.Stdout, s, render.Env{
		Args:  render.ParseArgs("Ada '; rm -rf .'"),
		Shell: &shell.Shell{},
	})
	if err != nil {
		fmt.Println(err)
	}
	for _, d := range trace.Directives {
		fmt.Println(d.Line, d.Command, d.Exit)
	}
	// Output:
	// Greet Ada.
	//
	// <skill-output>
	// Also: ; rm -rf .
	// </skill-output>
	// 3 echo Also: $1 0
}
