package agents_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/find"
)

// TestViews: Views says of each layout what the agents were recorded to send to their models.
func TestViews(t *testing.T) {
	for _, l := range readLayouts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(l.file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			project, home := filepath.Join(dir, "project"), filepath.Join(dir, "home")
			l.lay(t, project, home)
			found, faults := find.ForAgents(project, home)
			if faults != nil {
				t.Fatal(faults)
			}
			var names []string
			cells := map[string][]string{}
			for _, name := range agents.Names() {
				if name == "claude" {
					continue
				}
				names = append(names, name)
				seen := map[string]string{}
				for i, v := range agents.Get(name).Views(found) {
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

// cell returns a view in the form of the tables.
func cell(v agents.View) string {
	switch {
	case v.Sight == agents.Seen, v.Cause == agents.ByTrust: // the recordings are of trusted projects
		return "seen"
	case v.Sight == agents.Unknown:
		return "?"
	case v.Sight == agents.Cut && v.Chars > 0:
		return fmt.Sprintf("cut %d", v.Chars)
	case v.Sight == agents.Cut:
		return "name"
	}
	return "-"
}
