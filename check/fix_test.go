package check

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestMendMany: however many rules are missing, one run adds them all, in few rounds.
func TestMendMany(t *testing.T) {
	for name, head := range map[string]string{
		"none":  "",
		"text":  "allowed-tools: Bash(first:*)\n",
		"list":  "allowed-tools:\n  - Bash(first:*)\n",
		"flow":  "allowed-tools: [Bash(first:*)]\n",
		"empty": "allowed-tools: []\n",
		"quote": "allowed-tools: \"Bash(first:*)\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			const many = 200
			src := "---\ndescription: d\n" + head + "---\n"
			for i := range many {
				src += fmt.Sprintf("!`tool%d run`\n!`tool%d run`\n", i, i) // twice: the rule is needed once
			}
			dir := t.TempDir()
			file := Finder{Dir: dir}.Source(dir+"/.claude/skills/s/SKILL.md", []byte(src))
			fixes := Mend(context.Background(), []File{file}, Options{}, true)
			if len(fixes.Edits) != 1 {
				t.Fatalf("%d files change", len(fixes.Edits))
			}
			after := string(fixes.Edits[0].After)
			for i := range many {
				if n := strings.Count(after, fmt.Sprintf("Bash(tool%d run)", i)); n != 1 {
					t.Fatalf("the rule for tool%d is there %d times:\n%.1500s", i, n, after)
				}
			}
			file.Source = []byte(after)
			if again := Mend(context.Background(), []File{file}, Options{}, true); again.Made > 0 {
				t.Errorf("a second run makes %d more fixes", again.Made)
			}
			if found := Run(context.Background(), []File{file}, Options{}).Count(Error); found > 0 {
				t.Errorf("%d errors are left", found)
			}
		})
	}
}

// TestMendLineEnds: what is added ends its lines as the file does.
func TestMendLineEnds(t *testing.T) {
	for name, src := range map[string]string{
		"none":    "!`npm test || true`\n",
		"no tool": "---\ndescription: d\n---\n!`npm test || true`\n",
		"list":    "---\ndescription: d\nallowed-tools:\n  - Read # why\n---\n!`npm test || true`\n",
		"comment": "---\ndescription: d\n---\n<!-- skillhand: ignore SK308 not found -->\n!`npm test || true`\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			after := func(src string) string {
				file := Finder{Dir: dir}.Source(dir+"/.claude/skills/s/SKILL.md", []byte(src))
				fixes := Mend(context.Background(), []File{file}, Options{}, true)
				if len(fixes.Edits) != 1 {
					t.Fatalf("%d files change", len(fixes.Edits))
				}
				return string(fixes.Edits[0].After)
			}
			want := strings.ReplaceAll(after(src), "\n", "\r\n")
			if got := after(strings.ReplaceAll(src, "\n", "\r\n")); got != want {
				t.Errorf("with CRLF it becomes %q, want %q", got, want)
			}
		})
	}
}

// TestMendNames: files whose names look alike are each mended by what they say.
func TestMendNames(t *testing.T) {
	dir := t.TempDir()
	var files []File
	for i, name := range []string{"n\xe9", "n\xe8"} {
		src := fmt.Sprintf("---\ndescription: d%d\n---\n!`find . -name \\'x%d\\'`\n", i, i)
		files = append(files, Finder{Dir: dir}.Source(dir+"/.claude/skills/"+name+"/SKILL.md", []byte(src)))
	}
	fixes := Mend(context.Background(), files, Options{}, false)
	if len(fixes.Edits) != 2 {
		t.Fatalf("%d files change", len(fixes.Edits))
	}
	for _, e := range fixes.Edits {
		i := 0
		if fixes.Paths[e] == files[1].Path {
			i = 1
		}
		if fixes.Paths[e] != files[i].Path || !strings.Contains(string(e.After), fmt.Sprintf("'x%d'", i)) {
			t.Errorf("%q becomes %s", fixes.Paths[e], e.After)
		}
	}
}
