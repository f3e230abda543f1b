package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/report"
)

var snippet = regexp.MustCompile("(?s)```(bash|python|typescript)\n(#!.*?)```\n")

// TestSnippets runs every script in docs/reports.md: its report holds, and is
// valid to the letter; in a folder that cannot be written, it says that it failed.
func TestSnippets(t *testing.T) {
	text, err := os.ReadFile("../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for _, m := range snippet.FindAllStringSubmatch(string(text), -1) {
		language, code := m[1], m[2]
		ran[language]++
		t.Run(language, func(t *testing.T) {
			program := map[string]string{"bash": "bash", "python": "python3", "typescript": "node"}[language]
			_, err := exec.LookPath(program)
			test.Found(t, err)
			extension := map[string]string{"bash": ".sh", "python": ".py", "typescript": ".mjs"}[language]
			script := filepath.Join(t.TempDir(), "execute"+extension)
			if err := os.WriteFile(script, []byte(code), 0o755); err != nil {
				t.Fatal(err)
			}
			if out := runSnippet(t, t.TempDir(), script); !strings.HasPrefix(out,
				`{"ok":true,"report":{"success":true,"confidence":0.92,"deliverables":["`) {
				t.Errorf("%s", out)
			}
			// Where what it wants to write is a folder, it cannot.
			work := t.TempDir()
			for _, name := range []string{"answer.ts", "answer.py", `the "answer".ts`} {
				if err := os.Mkdir(filepath.Join(work, name), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if out := runSnippet(t, work, script); !strings.HasPrefix(out,
				`{"ok":false,"report":{"success":false,"confidence":0,"deliverables":[],`) ||
				!strings.Contains(out, `"errors":[{"code":"`) {
				t.Errorf("%s", out)
			}
		})
	}
	if ran["bash"] < 2 || ran["python"] < 1 || ran["typescript"] < 1 {
		t.Errorf("found %v", ran)
	}
}

// runSnippet runs a script in a folder and returns the verdict.
func runSnippet(t *testing.T, dir, script string) string {
	env := append(os.Environ(), "SKILLHAND_TRUST=all", "SKILLHAND_STATE_DIR="+t.TempDir())
	direct := exec.Command(script)
	direct.Dir, direct.Env = dir, env
	printed, _ := direct.Output() // the exit status is part of the verdict
	if r := report.Parse(printed, report.Options{Strict: true, NoLegacy: true}); r.Report == nil {
		t.Errorf("printed %s: %v", printed, r.Faults)
	}
	cmd := exec.Command("skillhand", "run", "--json", script)
	cmd.Dir, cmd.Env = dir, env
	out, _ := cmd.Output()
	return string(out)
}
