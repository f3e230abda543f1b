package agents_test

import (
	"fmt"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/agents"
)

// A question for an agent is a command line of its own program.
func ExampleAgent_Command() {
	codex, err := agents.Find("codex")
	if err != nil {
		fmt.Println(err)
		return
	}
	args, stdin := codex.Command(claude.Request{Prompt: "What does this project do?", Model: "gpt-5"})
	fmt.Println(codex.Program(), args[0])
	fmt.Println(stdin)
	// Output:
	// codex exec
	// What does this project do?
}
