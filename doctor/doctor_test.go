package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/settings"
)

// TestRun: a new machine has nothing wrong, one without a home is told so, and the rest is looked
// at all the same.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	env := []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "SKILLHAND_CLAUDE=no-such-claude"}
	doc := Run(t.Context(), Request{Dir: dir, Env: env})
	if !doc.OK || doc.Worst() != Note {
		t.Errorf("a new machine: %+v", doc)
	}
	for _, name := range []string{"platform", "state", "bash", "path", "claude", "hooks", "trust", "skills"} {
		if find(doc, name).Text == "" {
			t.Errorf("nothing is said of %s", name)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	doc = Run(t.Context(), Request{Dir: dir, Env: env[1:]})
	if doc.OK || doc.Worst() != Missing || find(doc, "state").Status != Missing || find(doc, "skills").Text == "" {
		t.Errorf("without a home: %+v", doc)
	}
	doc = Run(t.Context(), Request{Dir: filepath.Join(dir, "gone"), Env: env})
	if doc.OK || !strings.Contains(find(doc, "state").Text, "not a folder") {
		t.Errorf("in no folder: %+v", doc)
	}
}

func find(doc Document, name string) Finding {
	for _, f := range doc.Checks {
		if f.Name == name {
			return f
		}
	}
	return Finding{}
}

func TestPlatform(t *testing.T) {
	for system, want := range map[string]Status{"linux": OK, "darwin": Note, "windows": Note} {
		if f := platform(system); f.Status != want || !strings.HasPrefix(f.Text, system+"/"+runtime.GOARCH) {
			t.Errorf("%s: %+v", system, f)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	for _, tt := range []struct {
		a, b  string
		order int
		ok    bool
	}{
		{"2.1.325", "2.1.325", 0, true},
		{"2.1.9", "2.1.325", -1, true},
		{"2.2.0", "2.1.325", 1, true},
		{"10.0.0", "9.9.9", 1, true},
		{"hello", "2.1.325", 0, false},
		{"2.1", "2.1.325", 0, false},
	} {
		if order, ok := compareVersions(tt.a, tt.b); order != tt.order || ok != tt.ok {
			t.Errorf("compareVersions(%s, %s) = %d, %v, want %d, %v", tt.a, tt.b, order, ok, tt.order, tt.ok)
		}
	}
}

func TestCallsHook(t *testing.T) {
	for _, tt := range []struct {
		hook settings.Hook
		want bool
	}{
		{settings.Hook{Command: "skillhand hook"}, true},
		{settings.Hook{Command: `"/opt/my bin/skillhand" hook`}, true},
		{settings.Hook{Command: "/usr/bin/skillhand", Args: []string{"hook"}}, true},
		{settings.Hook{Command: "command -v skillhand >/dev/null && skillhand hook || true"}, true},
		{settings.Hook{Command: "skillhand status"}, false},
		{settings.Hook{Command: "myskillhand hook"}, false},
		{settings.Hook{}, false},
	} {
		if got := callsHook(tt.hook); got != tt.want {
			t.Errorf("callsHook(%+v) = %v", tt.hook, got)
		}
	}
}
