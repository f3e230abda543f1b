package check_test

import (
	"context"
	"os"

	"github.com/skillhand/skillhand/check"
)

// A skill is checked before it is saved.
func Example() {
	file := check.Finder{Dir: "/project"}.Source("/project/.claude/skills/clean/SKILL.md", []byte("---\ndescription: Removes what was built. Use when a build is stale.\n---\n!`rm -rf dist`\n"))
	result := check.Run(context.Background(), []check.File{file}, check.Options{})
	_ = check.Printer{}.Concise(os.Stdout, result.Findings)
	// Output:
	// .claude/skills/clean/SKILL.md:4:3: error SK401: Claude Code does not run this (claude -p aborts the page, auto mode tells the model to run it): it is not known to be read-only, and no rule covers it (add Bash(rm -rf dist) to allowed-tools)
}
