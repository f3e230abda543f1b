package visibility_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/internal/agents/visibility"
)

// TestSee: what we say that agents see of each layout is what they were recorded to send to their models.
func TestSee(t *testing.T) {
	for _, l := range readLayouts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(l.file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			project, home := filepath.Join(dir, "project"), filepath.Join(dir, "home")
			l.lay(t, project, home)
			found, faults := visibility.Find(project, home)
			if faults != nil {
				t.Fatal(faults)
			}
			var names []string
			cells := map[string][]string{}
			for _, name := range visibility.Agents() {
				if name == "claude" {
					continue
				}
				names = append(names, name)
				seen := map[string]string{}
				for i, v := range visibility.See(name, found) {
					seen[realFile(t, found[i].File)] = max(cell(v), seen[realFile(t, found[i].File)])
				}
				for _, r := range l.rows {
					c := seen[realFile(t, filepath.Join(dir, filepath.FromSlash(r.name)))]
					if c == "seen" && strings.HasPrefix(r.mark, "Mnot-") {
						c = "name" // the mark is not in the description
					}
					cells[name] = append(cells[name], max(c, "-"))
				}
			}
			if diff := cmp.Diff(strings.Split(l.want(), "\n"), strings.Split(l.table(names, cells), "\n")); diff != "" {
				t.Errorf("%s (-recorded +said):\n%s", l.file, diff)
			}
		})
	}
}

func realFile(t *testing.T, file string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// cell is a view as tables have it.
func cell(v visibility.View) string {
	switch {
	case v.Sight == visibility.Seen:
		return "seen"
	case v.Sight == visibility.Unknown:
		return "?"
	case v.Sight == visibility.Cut && v.Chars > 0:
		return fmt.Sprintf("cut %d", v.Chars)
	case v.Sight == visibility.Cut:
		return "name"
	}
	return "-"
}

func TestOwner(t *testing.T) {
	for place, want := range map[string]string{
		".github": "copilot", ".copilot": "copilot", ".codex": "codex", ".pi/agent": "pi", ".agents": "", ".claude": "", ".cursor": "", "": "",
	} {
		if got := visibility.Owner(place); got != want {
			t.Errorf("Owner(%q) = %q, want %q", place, got, want)
		}
	}
}
