package check

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestWork: a file that is four times as long takes about four times the work, whatever is wrong
// with its lines. Memory is what is measured, as time depends on who else is at work.
func TestWork(t *testing.T) {
	for name, line := range map[string]string{
		"asks":      "!`npm x%d`\n",
		"argument":  "!`npm x%d $ARGUMENTS`\n",
		"same line": "!`npm x%d` ",
		"installed": "!`cat ${CLAUDE_SKILL_DIR}/x%d`\n",
		"links":     "[a](b/x%d.md)\n",
	} {
		t.Run(name, func(t *testing.T) {
			few, many := work(line, 400), work(line, 1600)
			if many > 7*few {
				t.Errorf("4 times the lines, %.1f times the work", float64(many)/float64(few))
			}
		})
	}
}

// work is how many bytes a check of n such lines needs on its way.
func work(line string, n int) uint64 {
	var b strings.Builder
	b.WriteString("---\nname: s\ndescription: Use it.\n---\n")
	for i := range n {
		fmt.Fprintf(&b, line, i)
	}
	file := Finder{Dir: "/p"}.Source("s/SKILL.md", []byte(b.String()))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Run(context.Background(), []File{file}, Options{Jobs: 1})
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
