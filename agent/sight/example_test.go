package sight_test

import (
	"fmt"

	"github.com/skillhand/skillhand/agent/sight"
)

// A skill that one agent's model sees may be invisible to another's.
func ExampleRows() {
	skill := sight.Read("/src/app/.claude/skills/deploy/SKILL.md", []byte("---\nname: deploy\ndescription: Deploys the app.\n---\n"))
	skill.Place, skill.Folder = ".claude", "deploy"
	for _, in := range sight.Rows([]string{"claude", "codex"}, []sight.Skill{skill})[0].Agents {
		fmt.Printf("%s: %s\n", in.Agent, in.Sight)
	}
	// Output:
	// claude: seen
	// codex: invisible
}
