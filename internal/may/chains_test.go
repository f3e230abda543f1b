package may

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/permit"
)

// TestChains holds the answers against what the real CLI did with the same uses under the same files, in each mode.
func TestChains(t *testing.T) {
	files, err := filepath.Glob("testdata/chains/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	wrong, unknown, all := 0, 0, 0
	for _, file := range files {
		c := test.Archive(t, file)
		place, home, project := placeOf(t, c)
		answers := map[string]Answer{}
		for _, mode := range claudecode.Modes() {
			for line := range strings.Lines(c.Files["want/"+mode]) {
				f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
				if f[0] == "?" { // another fault came first
					continue
				}
				all++
				use := strings.NewReplacer("{{PROJECT}}", project, "{{HOME}}", home).Replace(f[1])
				if _, asked := answers[use]; !asked {
					answers[use] = place.Ask(use)
				}
				switch got := answers[use].In(mode); {
				case got.Decision == permit.Unknown:
					unknown++
				case string(got.Decision) != f[0]:
					wrong++
					t.Logf("%s: %s: %s: %s (%s %s), want %s", file, mode, use, got.Decision, got.Reason, got.Rule, line)
				}
			}
		}
	}
	t.Logf("%d wrong and %d unknown of %d", wrong, unknown, all)
	if all < 4_000 || wrong*400 > all || unknown*50 > all {
		t.Errorf("%d wrong and %d unknown of %d; want at most 0.25 %% and 2 %%", wrong, unknown, all)
	}
}

// placeOf writes the files of a case and reads the rules in them.
func placeOf(t *testing.T, c test.Case) (place *Place, home, project string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, project = filepath.Join(root, "home"), filepath.Join(root, "project")
	writeFiles(t, c, home, project, strings.NewReplacer("{{PROJECT}}", project, "{{HOME}}", home).Replace)
	place = At(settings.Where{Home: home, Dir: project, System: filepath.Join(root, "system")})
	if flag := c.Files["flag"]; flag != "" {
		if err := place.AddSettings(flag); err != nil {
			t.Fatal(err)
		}
	}
	return place, home, project
}

// usesOf returns the uses of tools that a case asks about.
func usesOf(c test.Case) []string {
	return strings.FieldsFunc(c.Files["uses"], func(r rune) bool { return r == '\n' })
}

// writeFiles puts the files of a case into a home and a project.
func writeFiles(t *testing.T, c test.Case, home, project string, place func(string) string) {
	t.Helper()
	for name, text := range c.Files {
		root, rest, _ := strings.Cut(name, "/")
		dir, ok := map[string]string{"home": home, "project": project}[root]
		if !ok {
			continue
		}
		file := filepath.Join(dir, rest)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(place(text)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSuggestedIsNarrow: in default mode the real CLI runs what rules were suggested for, and none of the hostile commands
// made of it.
func TestSuggestedIsNarrow(t *testing.T) {
	c := test.Archive(t, "testdata/chains/suggested.txtar")
	asks, hostile := 0, 0
	for i, line := range strings.Split(strings.TrimSpace(c.Files["want/default"]), "\n") {
		allowed := strings.HasPrefix(line, "allow\t")
		switch own := i < 60; {
		case own && !allowed:
			asks++
		case !own && allowed:
			t.Errorf("runs too: %s", line)
		case !own:
			hostile++
		}
	}
	if asks > 1 || hostile != 300 {
		t.Errorf("%d of 60 suggestions ask, %d hostile commands do not run", asks, hostile)
	}
}
