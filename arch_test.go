package skillhand_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/skillhand/skillhand"

// rooms lists, for every room, the rooms it may know. Nothing imports upward.
const rooms = `
try: . claude here internal/atomicfile internal/redact internal/term proc report settings skill trust
mcp/host: internal/atomicfile settings
mcp: . here render skill trust
.: claude claudepage here history internal/redact proc render report session settings shell skill trust verdict
batch:
batch/jobfile: batch
bench: history report
bench/corpus: check
check: claudepage internal/markdown internal/term internal/words migrate permit settings skill
claude: internal/jsonfind proc
claudepage: proc settings
doctor: check claudepage here mcp/host proc settings skill trust
golden: . here internal/atomicfile render skill
here: session skill
history:
migrate: internal/legacy internal/words render report shell skill
migrate/disk: internal/atomicfile migrate proc report skill
page: . batch check claudepage here history internal/atomicfile internal/term render session shell skill trust try
permit:
plugin:
proc:
release: proc
render: internal/atomicfile internal/redact shell skill
report: internal/jsonfind internal/legacy
scaffold:
schemas:
session:
settings: internal/atomicfile
shell: internal/minibash internal/words proc shell/bind
shell/bind: internal/words
skill: internal/markdown
trust: internal/atomicfile skill
verdict: proc report
view: here history internal/term report session settings shell skill

internal/atomicfile:
internal/cli: claude internal/atomicfile internal/term proc
internal/jsonfind:
internal/legacy:
internal/markdown:
internal/minibash: internal/words proc shell/bind
internal/redact: internal/jsonfind
internal/term:
internal/txtartest:
internal/words:

cmd/skillhand: . check claude claudepage doctor golden here history internal/atomicfile internal/cli internal/term migrate migrate/disk proc render report scaffold schemas session settings shell skill trust verdict view
cmd/skillhand-server: . batch batch/jobfile check claude here history internal/atomicfile internal/cli internal/term mcp mcp/host page proc render schemas settings shell skill try verdict view

# For tests alone: no line above may name them.
internal/fakeapi:
internal/needs:
internal/npm: claudepage internal/needs proc
internal/fakeclaude: claudepage
internal/realclaude: claudepage internal/fakeapi internal/npm proc
internal/realpostgres: internal/needs proc
internal/schematest: schemas
internal/shelltest: internal/needs proc shell/bind
`

// mayImport reads rooms.
func mayImport() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(rooms) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		if ok && !strings.HasPrefix(line, "#") {
			all[name] = strings.Fields(list)
		}
	}
	return all
}

// TestRooms keeps the direction of imports as docs/architecture.md draws it.
func TestRooms(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen, may := 0, mayImport()
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		name := room(pkg.ImportPath)
		allowed, known := may[name]
		if !known {
			t.Errorf("%s: a new room: say here what it may import", pkg.ImportPath)
		}
		for _, imp := range pkg.Imports {
			if strings.HasPrefix(imp, module) && !slices.Contains(allowed, room(imp)) {
				t.Errorf("%s imports %s", pkg.ImportPath, imp)
			}
			if imp == "os/exec" && name != "proc" && name != "bench" {
				t.Errorf("%s imports os/exec: only proc starts processes", pkg.ImportPath)
			}
		}
	}
	if seen < 5 {
		t.Errorf("go list named %d packages", seen)
	}
}

func room(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}
