package find

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put writes files below dir. It replaces ROOT in their texts with dir.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "ROOT", filepath.ToSlash(dir))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInstalled(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "home", ".claude")
	if all, err := Installed(config); err != nil || all != nil {
		t.Errorf("nothing installed: %v, %v", all, err)
	}
	put(t, dir, map[string]string{
		"home/.claude/plugins/installed_plugins.json": `{"version": 2, "plugins": {
			"b@m": [{"scope": "project", "projectPath": "/p", "installPath": "ROOT/home/.claude/plugins/cache/m/b/1"}],
			"a@m": {"scope": "user", "installPath": "ROOT/home/.claude/plugins/cache/m/a/1"},
			"out@m": [{"scope": "user", "installPath": "ROOT/project"}],
			"link@m": [{"scope": "user", "installPath": "ROOT/home/.claude/plugins/cache/m/link"}],
			"up@m": [{"scope": "user", "installPath": "ROOT/home/.claude/plugins/../../../project"}],
			"all@m": [{"scope": "user", "installPath": "ROOT/home/.claude/plugins"}],
			"relative@m": [{"scope": "user", "installPath": "project"}],
			"gone@m": [{"scope": "user", "installPath": "ROOT/home/.claude/plugins/cache/m/gone"}],
			"odd@m": 1}}`,
		"home/.claude/plugins/known_marketplaces.json": `{"m": {"source": {"source": "directory", "path": "ROOT/market"}}}`,
		"home/.claude/plugins/cache/m/a/1/x":           "",
		"home/.claude/plugins/cache/m/b/1/x":           "",
		"market/.claude-plugin/marketplace.json":       `{"plugins": [{"name": "b", "source": "./plugins/b"}, {"name": "a", "source": "../out"}]}`,
		"project/x":                                    "",
	})
	if err := os.Symlink(filepath.Join(dir, "project"), filepath.Join(config, "plugins/cache/m/link")); err != nil {
		t.Skip(err)
	}
	all, err := Installed(config)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(fmt.Sprintf("%+v", all), dir, "")
	want := "[{ID:a@m Scope:user Project: Root:/home/.claude/plugins/cache/m/a/1 From:/home/.claude/plugins/cache/m/a/1 Data:/home/.claude/plugins/data/a-m} " +
		"{ID:b@m Scope:project Project:/p Root:/home/.claude/plugins/cache/m/b/1 From:/market/plugins/b Data:/home/.claude/plugins/data/b-m}]"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	put(t, dir, map[string]string{"home/.claude/plugins/installed_plugins.json": "{"})
	if _, err := Installed(config); err == nil || !strings.Contains(err.Error(), "installed_plugins.json: ") {
		t.Errorf("a broken list: %v", err)
	}
}

func TestDataName(t *testing.T) {
	if got := dataName("aZ0_-@m.é/"); got != "aZ0_--m---" {
		t.Errorf("dataName = %q", got)
	}
}
