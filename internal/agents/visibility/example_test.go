package visibility_test

import (
	"fmt"

	"github.com/skillhand/skillhand/internal/agents/visibility"
)

// A skill that one agent's model sees may be invisible to another's.
func ExampleRows() {
	skill := visibility.Read("/src/app/.claude/skills/deploy/SKILL.md", []byte("---\nname: deploy\ndescription: Deploys the app.\n---\n"))
	skill.Place, skill.Folder = ".claude", "deploy"
	for _, in := range visibility.Rows([]string{"claude", "codex"}, []visibility.Skill{skill})[0].Agents {
		fmt.Printf("%s: %s\n", in.Agent, in.Sight)
	}
	// Output:
	// claude: seen
	// codex: invisible
}
