package agents_test

import (
	"fmt"

	"github.com/skillhand/skillhand/internal/agents"
)

// A question for an agent becomes a command line of the agent's own program.
func ExampleAgent_Command() {
	codex, err := agents.Find("codex")
	if err != nil {
		fmt.Println(err)
		return
	}
	args, stdin := codex.Command(agents.Question{Prompt: "What does this project do?", Model: "gpt-5"})
	fmt.Println(codex.Program(), args[0])
	fmt.Println(stdin)
	// Output:
	// codex exec
	// What does this project do?
}

// A skill that one agent's model sees may be invisible to another's.
func ExampleRows() {
	skill := agents.Read("/src/app/.claude/skills/deploy/SKILL.md", []byte("---\nname: deploy\ndescription: Deploys the app.\n---\n"))
	skill.Place, skill.Folder = ".claude", "deploy"
	for _, in := range agents.Rows([]string{"claude", "codex"}, []agents.Skill{skill})[0].Agents {
		fmt.Printf("%s: %s\n", in.Agent, in.Sight)
	}
	// Output:
	// claude: seen
	// codex: invisible
}
