//go:build unix

package eval

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/skill"
)

// TestPlan checks that results belong to another plan if, and only if, a trial would have something
// else.
func TestPlan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, home, project string)
		other  bool
	}{
		{"nothing", func(*testing.T, string, string) {}, false},
		{"notes beside the cases", func(t *testing.T, _, p string) { write(t, p+"/plug/skills/card/evals/notes.txt", "x") }, false},
		{"the repository", func(t *testing.T, _, p string) { write(t, p+"/plug/.git/index", "x") }, false},
		{"the project is elsewhere", func(t *testing.T, _, p string) {
			if err := os.Rename(p+"/plug", p+"/moved"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("moved", p+"/plug"); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"the skill", func(t *testing.T, _, p string) {
			write(t, p+"/plug/skills/card/SKILL.md", "---\nname: card\ndescription: e\n---\n")
		}, true},
		{"a file of the skill", func(t *testing.T, _, p string) { write(t, p+"/plug/skills/card/more.md", "x") }, true},
		{"another skill of its plugin", func(t *testing.T, _, p string) {
			write(t, p+"/plug/skills/deck/SKILL.md", "---\ndescription: cards\n---\n")
		}, true},
		{"a file of the case", func(t *testing.T, _, p string) { write(t, p+"/plug/skills/card/evals/box/a.txt", "b") }, true},
		{"what a link of the case leads to", func(t *testing.T, _, p string) { write(t, p+"/away.txt", "b") }, true},
		{"a mode", func(t *testing.T, _, p string) {
			if err := os.Chmod(p+"/plug/skills/card/run.sh", 0o755); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"trust", func(t *testing.T, home, p string) {
			if _, err := (trust.Store{Dir: filepath.Join(home, "state/trust")}).Trust(p); err != nil {
				t.Fatal(err)
			}
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home, project := t.TempDir(), t.TempDir()
			card := project + "/plug/skills/card"
			write(t, project+"/plug/.claude-plugin/plugin.json", `{"name": "plug"}`)
			write(t, card+"/SKILL.md", "---\nname: card\ndescription: d\n---\n")
			write(t, card+"/run.sh", "true")
			write(t, card+"/evals/box/a.txt", "a")
			write(t, card+"/evals/cases.yaml", "cases: [{prompt: x, files: box}]")
			write(t, project+"/away.txt", "a")
			if err := os.Symlink(project+"/away.txt", card+"/evals/box/link"); err != nil {
				t.Fatal(err)
			}
			plan := func() string {
				s, err := NewSubject(skill.Location{Name: "plug:card", File: card + "/SKILL.md", Folder: card})
				if err != nil {
					t.Fatal(err)
				}
				if err = s.FindCases(nil); err != nil {
					t.Fatal(err)
				}
				o := Options{Runtime: skillhand.Runtime{Here: here.Here{Dir: project, State: home + "/state",
					Env: here.Env{"HOME=" + home}}}}
				sum, err := o.Plan([]*Subject{s})
				if err != nil {
					t.Fatal(err)
				}
				return sum
			}
			before := plan()
			tt.change(t, home, project)
			if other := plan() != before; other != tt.other {
				t.Errorf("another plan: %v, want %v", other, tt.other)
			}
		})
	}
}
