package check_test

import (
	"context"
	"fmt"

	"github.com/skillhand/skillhand/check"
)

// A skill is checked before it is saved.
func Example() {
	src := "---\ndescription: Removes what was built. Use when a build is stale.\n---\n!`rm -rf dist`\n"
	file := check.Finder{Dir: "/project"}.Source("/project/.claude/skills/clean/SKILL.md", []byte(src))
	for _, f := range check.Run(context.Background(), []check.File{file}, check.Options{}).Findings {
		fmt.Printf("%s:%d: %s: %s\n", f.File, f.Range.Line, f.Rule, f.Help)
	}
	// Output:
	// .claude/skills/clean/SKILL.md:4: SK401: add Bash(rm -rf dist) to allowed-tools
}
