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

// mayImport lists, for every room, the rooms it may know. Nothing imports upward.
var mayImport = map[string][]string{
	"":                     {"claude", "claudepage", "here", "history", "internal/redact", "proc", "render", "report", "session", "shell", "skill", "trust", "verdict"},
	"here":                 {"session", "skill"},
	"verdict":              {"internal/redact", "proc", "report"},
	"claude":               {"internal/jsonfind", "proc"},
	"claudepage":           {"proc"},
	"render":               {"internal/atomicfile", "internal/redact", "shell", "skill"},
	"shell":                {"internal/minibash", "internal/words", "proc", "shell/bind"},
	"shell/bind":           {"internal/words"},
	"history":              {},
	"migrate":              {"internal/words", "report", "shell", "skill"},
	"plugin":               {}, // tests only
	"proc":                 {},
	"report":               {"internal/jsonfind"},
	"session":              {},
	"skill":                {"internal/markdown"},
	"trust":                {"internal/atomicfile", "skill"},
	"scaffold":             {},
	"schemas":              {},
	"internal/atomicfile":  {},
	"internal/cli":         {"claude", "internal/atomicfile", "internal/term", "proc"},
	"internal/jsonfind":    {},
	"internal/minibash":    {"internal/words", "proc", "shell/bind"},
	"internal/markdown":    {},
	"internal/redact":      {},
	"internal/term":        {},
	"internal/txtartest":   {},
	"cmd/skillhand":        {"", "claude", "claudepage", "here", "history", "internal/atomicfile", "internal/cli", "internal/term", "migrate", "proc", "render", "report", "scaffold", "schemas", "session", "settings", "shell", "skill", "trust", "verdict", "view"},
	"internal/words":       {},
	"bench":                {"history", "report"},
	"release":              {"proc"},
	"settings":             {"internal/atomicfile"},
	"view":                 {"here", "history", "internal/term", "report", "session", "settings", "shell", "skill"},
	"cmd/skillhand-server": {"internal/cli", "internal/term"},

	// For tests alone: no list above may name them. realclaude starts the CLI through proc.
	"internal/fakeapi":    {},
	"internal/fakeclaude": {},
	"internal/realclaude": {"internal/fakeapi", "proc"},
}

// TestRooms keeps the direction of imports as docs/architecture.md draws it.
func TestRooms(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
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
		allowed, known := mayImport[name]
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
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}
